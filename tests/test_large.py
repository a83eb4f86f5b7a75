"""Large things: what is done for them is counted at one size and at twice that; no clock is looked at."""

import difflib
import pathlib
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import pytest
import yaml

from tests.tools.inner import engine, index_lock
from tests.tools.vaults import write
from zkmem.edit import passage
from zkmem.edit.passage import find_exact, find_quoted
from zkmem.errors import NoPassage
from zkmem.index import catalog
from zkmem.index.catalog import Catalog, CatalogRow, ProjectedCatalog
from zkmem.index.graph import LinkGraph, counts
from zkmem.markdown import destinations, frontmatter, links, markers, sections
from zkmem.markdown.layout import Stand, stands
from zkmem.markdown.links import body_links, find_links, is_parsed, targets, whole_link
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.recall.weights import Weights
from zkmem.records import blocks
from zkmem.util import threeway
from zkmem.vault.files import Stamp

LITTLE_MORE = 2.5  # times as much for twice the size: linear, with room for the steps in which lists grow


def memory(root: pathlib.Path, files: Mapping[str, str | bytes]) -> Memory:
    made = Memory(write(root, files))
    made.load()
    return made


def peak(work: Callable[[], object]) -> int:
    """The most bytes of Python objects at once, beyond those that there were."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def lines_run(work: Callable[[], object], module: ModuleType) -> int:
    """How many lines of a module some work executes."""
    file, count = module.__file__, 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != file:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


class TestLinks:
    @pytest.mark.parametrize(
        "text",
        [
            lambda n: "![" * n + "](a.md)" * n,
            lambda n: "![[x|" * n + "]]" * n,
            lambda n: "`c` " + "![" * n + "[[x]]" + "](a.md)" * n,
        ],
    )
    def test_links_in_links_take_no_more_memory_than_their_number(self, text: Callable[[int], str]) -> None:
        one, two = (text(n).encode() for n in (3_000, 6_000))
        assert peak(lambda: find_links(two)) < LITTLE_MORE * peak(lambda: find_links(one))
        assert targets(two)[0].keys() | targets(two)[1].keys() == {link.target for link in find_links(two)}

    def test_a_very_long_link_is_kept_right_but_not_as_text(self, tmp_path: pathlib.Path) -> None:
        long = f"[[b|{'é' * 5_000}]] and [{'x' * 5_000}](b.md)"
        m = memory(tmp_path, {"a.md": long, "b.md": "text"})
        assert m.read("a", depth=1).text == long
        m.rename("b", "c")
        assert m.read("a").text == long.replace("[[b|", "[[c|").replace("(b.md)", "(c.md)")
        assert all(len(link.raw) <= 1_000 for link in find_links(long.encode()))

    def test_a_line_is_not_looked_through_for_each_link_that_could_frame_an_expansion(self) -> None:
        text = b"![[a]]start" * 2_000
        seen = _Watched(text)
        assert not any(links._is_marker(seen, link) for link in find_links(text))
        assert seen.copied < len(text)

    def test_a_title_full_of_links_is_tried_now_and_then_only(self) -> None:
        def work(n: int) -> Callable[[], object]:
            text = f'`c` [a](b.md "{"](x" * n}")'.encode()
            return lambda: find_links(text)

        assert lines_run(work(2_000), destinations) < LITTLE_MORE * lines_run(work(1_000), destinations)
        assert [link.target for link in find_links(b'[a](b.md "](x](y")')] == ["b.md"]

    def test_no_link_after_a_passage_is_looked_at_for_it(self) -> None:
        text = b"`c` " + b"[[a]] and [b](b.md) " * 1_000 + b"\n[r]: c.md\n"
        every = find_links(text)
        assert find_links(text, 400) == [link for link in every if link.start < 400]
        assert lines_run(lambda: find_links(text, 400), links) * 10 < lines_run(lambda: find_links(text), links)

    def test_targets_are_taken_as_they_come(self) -> None:
        text = b"`c` " + b"[[a]] " * 20_000
        assert peak(lambda: targets(text)) * 4 < peak(lambda: find_links(text))


class _Watched(bytes):
    """Bytes that tell how many of them were copied by slices."""

    copied = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.copied += len(found) if isinstance(found, bytes) else 0
        return found


class TestBlocks:
    @pytest.mark.parametrize("module", [sections, blocks])
    @pytest.mark.parametrize(
        "text",
        [
            lambda n: "- obs `c`\n" * n + "\n## Relations\n\n" + '- knows [[x]] %%{"to": "X"}%%\n' * n,
            lambda n: "%%\nc\n%%\n# h\n\n*x*\n" * n,
            lambda n: "text `c` ^id\n\n" * n,
        ],
    )
    def test_no_mark_is_compared_with_every_code_or_comment(
        self, text: Callable[[int], str], module: ModuleType
    ) -> None:
        def work(n: int) -> Callable[[], object]:
            body = text(n)
            return lambda: (blocks.scan(body), list(Outline(body.encode()).ids()))

        assert lines_run(work(400), module) < LITTLE_MORE * lines_run(work(200), module)


class TestBeyondTheParser:
    @pytest.fixture(autouse=True)
    def few_marks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(links, "MOST_MARKS", 1_000)

    @pytest.mark.parametrize("filler", ["[", "a\n", "1. ", "`a", "$a$ ", "\\"])
    def test_a_text_of_too_many_marks_has_no_links_for_anyone(self, tmp_path: pathlib.Path, filler: str) -> None:
        text = f"# Head\n\n[[b]] [c](b.md)\n\n{filler * 2_000}"
        assert find_links(text.encode()) == []
        assert targets(text.encode()) == ({}, {})
        m = memory(tmp_path, {"a.md": text, "b.md": "", "n.md": "[[a#Head]] [[b]]"})
        assert m.counts() == (3, 2)
        m.rename("b", "c")
        assert m.read("a").text.startswith("# Head\n\n[[b]] [c](b.md)\n")
        assert m.read("n").text == "[[a#Head]] [[c]]"
        assert m.read("n", depth=1).text.startswith("[[a#Head]] [[c]]\n![[c]]start")
        assert ("unreadable", "a") in [(one.kind, one.note) for one in m.check()]

    def test_size_alone_is_no_reason(self) -> None:
        text = "words and words " * 1_000 + "[[b]]"
        assert is_parsed(text.encode())
        assert [link.target for link in find_links(text.encode())] == ["b"]

    def test_properties_are_read_all_the_same(self) -> None:
        text = "---\nup: '[[b]]'\n---\n" + "[" * 2_000
        assert list(targets(text.encode())[0]) == [link.target for link in find_links(text.encode())] == ["b"]


class TestMarkers:
    @pytest.mark.parametrize(
        "line",
        [
            lambda n: "![[a]]" * n + "start",
            lambda n: "!" + "a)end" * n,
            lambda n: "!" + "x]]end" * n,
            lambda n: "!" * n + "start",
            lambda n: "!" * n + ")start",
            lambda n: "!" + "[" * n + "[[a]]end",
        ],
    )
    def test_a_line_is_parsed_a_few_times_at_most(
        self, monkeypatch: pytest.MonkeyPatch, line: Callable[[int], str]
    ) -> None:
        parsed: list[int] = []

        def counted(raw: str) -> links.Link | None:
            parsed.append(len(raw))
            return whole_link(raw)

        monkeypatch.setattr(markers, "whole_link", counted)
        text = line(10_000)
        escaped = markers.escaped(text, begins_line=True, ends_line=True)
        assert sum(parsed) <= 20_000
        assert markers.collapse(escaped, "a.md", lambda *_: None) == text


class TestProperties:
    def test_where_they_stand_is_counted_on_from_the_last(self, monkeypatch: pytest.MonkeyPatch) -> None:
        watched: list[_WatchedText] = []

        def as_text(data: bytes) -> _WatchedText:
            watched.append(_WatchedText(data.decode()))
            return watched[-1]

        monkeypatch.setattr(links, "as_text", as_text)
        monkeypatch.setattr(frontmatter, "compose", lambda source: yaml.compose(str(source)))
        source = ("---\nup:\n" + "".join(f"- '[[né {n}]]'\n" for n in range(300)) + "---\n").encode()
        found = find_links(source)
        assert [source[link.start : link.end].decode() for link in found] == [f"[[né {n}]]" for n in range(300)]
        assert watched[0].copied < 3 * len(source)

    def test_a_long_list_is_read_by_libyaml(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(yaml, "SafeLoader", None)
        assert len(find_links(b"---\nup:\n" + b"- '[[a]]'\n" * 3_000 + b"---\n")) == 3_000

    @pytest.mark.parametrize("deep", ["[" * 60_000, "? " * 60_000, "[" * 1_500 + "]" * 1_500])
    def test_what_is_deep_is_not_composed(self, deep: str) -> None:
        stack = threading.stack_size(512 * 1024)  # as other systems give a thread
        try:
            found: list[object] = []
            thread = threading.Thread(target=lambda: found.append(frontmatter.compose(f"k: {deep}")))
            thread.start()
            thread.join()
        finally:
            threading.stack_size(stack)
        assert found == [None]

    def test_more_than_a_megabyte_is_left_unread_and_told(self, tmp_path: pathlib.Path) -> None:
        text = "---\nup: '[[b]]'\nlong: " + "x" * frontmatter.LARGEST + "\n---\n[[c]]"
        m = memory(tmp_path, {"a.md": text, "b.md": "", "c.md": ""})
        assert m.counts() == (3, 1)
        m.rename("b", "d")
        assert "up: '[[b]]'" in m.read("a").text
        assert [(one.kind, one.note) for one in m.check() if one.kind == "properties"] == [("properties", "a")]

    def test_an_open_one_is_looked_through_without_a_line_each(self) -> None:
        text = b"---\n" + b"a\n" * 10_000
        assert lines_run(lambda: frontmatter.split(text), frontmatter) < 20


class TestMerging:
    def test_many_changes_on_both_sides(self) -> None:
        base = [f"line {n}" for n in range(6_000)]
        mine = [line + " mine" if n % 4 == 0 else line for n, line in enumerate(base)]
        theirs = [line + " theirs" if n % 4 == 2 else line for n, line in enumerate(base)]
        both = [one if n % 4 == 0 else other for n, (one, other) in enumerate(zip(mine, theirs, strict=True))]

        def work(n: int) -> Callable[[], str]:
            return lambda: threeway.merged(*("\n".join(text[:n]) for text in (base, mine, theirs)))

        assert work(6_000)() == "\n".join(both)
        assert lines_run(work(6_000), threeway) < LITTLE_MORE * lines_run(work(3_000), threeway)

    def test_difflib_gets_short_pieces_or_few_equal_lines(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pairs: list[int] = []

        class Counted(difflib.SequenceMatcher[str]):
            def __init__(self, junk: None, one: list[str], other: list[str]) -> None:
                counts = Counter(other)
                equal = sum(counts[line] for line in one)
                pairs.append(min(len(one) * len(other), equal + 100 * (len(one) + len(other))))
                super().__init__(junk, one, other)

        monkeypatch.setattr(threeway, "SequenceMatcher", Counted)
        base = "\n".join(f"line {n}" for n in range(5_000))
        turned = "\n".join(f"line {n}" for n in reversed(range(5_000)))
        same = "\n".join(f"line {n % 7}" for n in range(5_000))
        for other in (turned, same, base.replace("1", "2"), ""):
            left, right = base.split("\n"), other.split("\n")
            shown = list(threeway.unified(left, right, ("a", "b")))
            assert [line[1:] for line in shown if line[0] == "-"][1:] == [line for line in left if "-" + line in shown]
        assert max(pairs, default=0) <= 1_200_000

    @pytest.mark.parametrize("most", [0, 6, 1_000_000])
    def test_whatever_parts_them_the_hunks_make_one_of_the_other(
        self, monkeypatch: pytest.MonkeyPatch, most: int
    ) -> None:
        monkeypatch.setattr(threeway, "_MOST_COMPARED", most)
        texts = [
            "a b c d e f",
            "a x c d e f",
            "f e d c b a",
            "a a b b a a",
            "",
            "c d",
            "a b c d e f g h",
            "x a b c y f",
        ]
        for one in map(str.split, texts):
            for other in map(str.split, texts):
                made = list(one)
                for hunk in reversed(threeway.hunks(one, other)):
                    made[hunk.start : hunk.end] = hunk.lines
                assert made == other


class _Steps(dict[str, Any]):
    """The links of a graph, which tell how many of them are looked at."""

    looked = 0

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - it is what counts

    def __getitem__(self, key: str) -> Any:
        found = super().__getitem__(key)
        self.looked += len(found)
        return found


def test_a_note_that_gains_many_links_is_no_search_for_each_of_them() -> None:
    looked = []
    for n in (200, 400):
        below, above = [f"d{i}.md" for i in range(9 * n)], [f"u{i}.md" for i in range(9 * n)]
        new = [f"m{i}.md" for i in range(n)]
        children = [below[1:][2 * i : 2 * i + 2] for i in range(9 * n)]
        linked = [(path, [above[i // 2] if i > 1 else "hub.md"]) for i, path in enumerate(above)]
        linked += [*zip(below, children, strict=True), *((path, below[:3]) for path in new)]
        graph = LinkGraph()
        graph.fill(["hub.md", *above, *below, *new], linked)
        known, changed = Weights(graph.graph, counts), graph.follow()
        graph.set_links("hub.md", new)
        steps = _Steps(known._successors), _Steps(known._predecessors)
        known._successors, known._predecessors = steps
        known.update(changed)
        assert known.of == Weights(graph.graph, counts).of
        looked.append(sum(each.looked for each in steps))
    assert looked[1] < LITTLE_MORE * looked[0]


def note_reads(memory: Memory, paths: list[str]) -> None:
    """Add the path of each note that is read to a list."""
    store = engine(memory).store
    plain = store.read

    def noted(path: str, most: int | None = None) -> tuple[bytes, Stamp]:
        paths.append(path)
        return plain(path, most)

    store.read = noted  # type: ignore[method-assign]


class TestReading:
    def test_an_expansion_reads_each_note_once_and_none_that_cannot_fit(self, tmp_path: pathlib.Path) -> None:
        names = [f"n{number}" for number in range(500)]
        hub = "".join(f"[[{name}]] [[big]]\n" for name in names)
        m = memory(tmp_path, {"a.md": hub, "big.md": "word " * 20_000, **{f"{name}.md": "x" * 900 for name in names}})
        read: list[str] = []
        note_reads(m, read)
        got = m.read("a", depth=10)
        shown = got.text.count("start\n")
        assert 40 < shown < 120
        assert len(got.left) == 501 - shown
        assert len(read) == len(set(read)) == 1 + shown

    def test_where_links_stand_is_looked_up_only_in_texts_that_get_blocks(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "[[b]] [[gone]]", "b.md": "[[gone]] [[a]] [[p.png]]", "p.png": ""})
        looked: list[bytes] = []

        def counted(body: bytes, among: Sequence[links.Link]) -> list[Stand]:
            looked.append(body)
            return stands(body, among)

        monkeypatch.setattr("zkmem.recall.tree.stands", counted)
        m.read("a")
        m.read("b", depth=1)
        assert looked == [b"[[gone]] [[a]] [[p.png]]"]
        m.read("a", depth=3)
        assert looked[1:] == [b"[[b]] [[gone]]"]
        m.write("b", "[[gone]]")
        m.read("b", depth=3)
        assert len(looked) == 2

    def test_a_long_note_is_parsed_a_little_beyond_its_cut(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "[[big]]", "big.md": "[[a]] words and words\n" * 50_000})
        parsed: list[int] = []

        def counted(body: bytes, until: int) -> list[links.Link]:
            parsed.append(len(body))
            return body_links(body, until)

        monkeypatch.setattr("zkmem.recall.expand.body_links", counted)
        assert "(Cut here" in m.read("a", depth=2).text
        assert 0 < sum(parsed) < 50_000

    def test_sections_of_large_notes_are_looked_for_up_to_a_bound(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("zkmem.recall.expand._MOST_READ", 500_000)
        links_to = "".join(f"[[big#h{n}]] " for n in range(200))
        m = memory(tmp_path, {"a.md": links_to, "big.md": "word " * 20_000 + "\n# other\n"})
        read: list[str] = []
        note_reads(m, read)
        assert m.read("a", depth=1).left == ["big"]
        assert read.count("big.md") < 10

    def test_a_large_note_is_read_while_the_index_is_free(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "text"})
        parsed: list[bool] = []
        plain = engine(m).live.index._row

        def row(path: str, stamp: Stamp) -> CatalogRow:
            def try_lock() -> None:
                if free := index_lock(m).acquire(blocking=False):
                    index_lock(m).release()
                parsed.append(free)

            other = threading.Thread(target=try_lock)
            other.start()
            other.join()
            return plain(path, stamp)

        monkeypatch.setattr(engine(m).live.index, "_row", row)
        write(tmp_path, {"a.md": "[[b]] " * 200_000})
        engine(m).live.take_in(["a.md"])
        assert parsed == [True]
        assert m.counts() == (1, 1)


class TestPassages:
    def test_one_that_is_everywhere_is_counted_up_to_a_hundred(self) -> None:
        def work() -> None:
            with pytest.raises(NoPassage, match="100 times or more"):
                find_exact("a" * 20_000, "a", "n")

        assert lines_run(work, passage) < 1_500

    def test_a_quotation_copies_the_text_for_no_line(self) -> None:
        text = "xhead\n" * 20_000 + "head\nand\ntail\n"
        assert find_quoted(text, "head\n...\ntail", "n") == (120_000, 120_013)
        watched = _WatchedText(text)
        find_quoted(watched, "head\n...\ntail", "n")
        assert watched.copied < 3 * len(text)

    def test_the_nearest_line_is_looked_for_by_its_beginning(self, monkeypatch: pytest.MonkeyPatch) -> None:
        longest: list[int] = []
        plain = difflib.get_close_matches

        def close(word: str, lines: list[str], **options: Any) -> list[str]:
            longest.extend(map(len, [word, *lines]))
            return plain(word, lines, **options)

        monkeypatch.setattr(difflib, "get_close_matches", close)
        words = " ".join(map(str, range(50_000)))
        with pytest.raises(NoPassage, match="nearest text is line 2"):
            find_exact(f"y\n{words}", words.replace("5", "x"), "n")
        assert max(longest) <= 200


class _WatchedText(str):
    """A text that tells how many characters of it were copied by slices."""

    __slots__ = ("copied",)

    def __getitem__(self, key: Any) -> str:
        found = super().__getitem__(key)
        self.copied = getattr(self, "copied", 0) + len(found)
        return found


def test_a_catalog_after_many_moves_looks_up_one_of_them() -> None:
    moves = {f"a/{n}.md": f"b/{n}.md" for n in range(500)}
    after = ProjectedCatalog(_catalog(moves), moves)
    assert after.at("b/7.md") == ["b/7.md"]
    assert after.named("7.md") == ["b/7.md"]
    assert lines_run(lambda: after.named("7.md"), catalog) < 50


def _catalog(paths: Mapping[str, str]) -> Catalog:
    made = Catalog()
    for path in paths:
        made.put(path, CatalogRow(Stamp(0, 0, 0, 0)))
    return made


@pytest.fixture(autouse=True)
def no_bound_of_another_test() -> Iterator[None]:
    """The bounds are as they are."""
    yield
    assert links.MOST_MARKS > 1_000_000
