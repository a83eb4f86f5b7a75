"""Long notes in parts: the parts make up the text, none is more than the bound, and the bound is on the work, too."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.test_large import lines_run, memory
from zkmem.caller import Grant
from zkmem.index import catalog, graph, lookup, resolve
from zkmem.markdown import cuts, links
from zkmem.markdown.links import body_links
from zkmem.recall import overview, page

PIECES = [
    "[[a]]", "![[b|c]]", "[x](y.md)", "![x](y.png)", "[![p](q.png)](r.md)", "[a\nb](c.md)", "[r]: c.md\n", "[", "]",
    "(", ")", "!", "`", "$", "\\", "\n", "\n\n", "é", "\U0001f600", " ", "word ", "- [ ] ", "```\n",
    "[[a](b.md)](c.md)",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def parts(body: bytes) -> Iterator[tuple[int, int]]:
    start: int = 0
    while True:
        end = cuts.part_end(body, start)
        yield start, end
        if end == len(body):
            return
        assert end > start
        start = end


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Parts small enough that a text of a few words has several; the bounds of the work are tested at full size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "MOST_BYTES", 40)
        patch.setattr(cuts, "MOST_LINKS", 3)
        yield


@given(TEXTS | st.text())
@example("[[a]][[a]]![[a](b.md)](c.md)")  # a link in an image: two links begin at one run of brackets
def test_the_parts_of_any_text_make_up_the_text_and_each_is_within_the_bounds(text: str) -> None:
    body = text.encode()
    found = list(parts(body))
    assert "".join(body[start:end].decode() for start, end in found) == text, "none begins or ends inside a character"
    for start, end in found:
        assert end - start <= 40
        assert len(body_links(body[start:end])) <= 3


@given(TEXTS)
@example("![[b|c]][![p](q.png)](r.md)\\[x](y.md)")  # an image that has more links than a part may have
def test_no_part_ends_inside_of_a_link_that_fits_into_it(text: str) -> None:
    body = text.encode()
    for start, end in parts(body):
        inside = [one for one in body_links(body[start:]) if one.start + start < end < one.end + start]
        first = max((one.end for one in inside if one.start == 0), default=0)
        assert all(one.end <= first for one in inside), "only the first one of a part, which is longer than a part"


@given(TEXTS, st.integers())
def test_a_part_begins_where_it_can_near_any_offset(text: str, offset: int) -> None:
    body = text.encode()
    start = cuts.part_start(body, offset)
    body[:start].decode()
    assert abs(start - max(0, min(offset, len(body)))) < 4


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one two three\nfour five\n\nsix seven\neight nine ten\n", "one two three\nfour five\n\n"),
        ("one two three\n\nfour five six seven\neight nine ten\n", "one two three\n\nfour five six seven\n"),
        ("one two three four five six seven [[eight]] nine ten", "one two three four five six seven "),
        ("[[a]] [[b]] [[c]] ![[d]]", "[[a]] [[b]] [[c]] "),
        ("x" * 60, "x" * 40),
    ],
)
def test_a_part_ends_at_a_blank_line_else_at_a_line_end_else_before_a_link(text: str, first: str) -> None:
    body = text.encode()
    assert body[: cuts.part_end(body, 0)].decode() == first


class TestPage:
    @pytest.fixture(autouse=True)
    def full_size(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cuts, "MOST_BYTES", 500_000)
            patch.setattr(cuts, "MOST_LINKS", 2_000)
            yield

    @pytest.mark.slow
    @pytest.mark.parametrize("module", [resolve, lookup, links, page, graph])
    @pytest.mark.parametrize("separator", [" ", "\n\n"])
    def test_a_page_of_twice_as_many_links_is_no_more_work(
        self, tmp_path: Path, module: ModuleType, separator: str
    ) -> None:
        notes = {f"n{i}.md": "" for i in range(0, 8_000, 40)}
        texts = {f"{n}.md": separator.join(f"[[n{i}]]" for i in range(n)) for n in (4_000, 8_000)}
        m = memory(tmp_path, {**notes, **texts})
        for n in texts:
            m.page(n)  # which counts its links
        one, two = (lines_run(lambda n=n: m.page(n), module) for n in texts)  # type: ignore[misc]
        assert two <= one * 1.01 + 10

    def test_reading_finds_the_missing_targets_without_resolving_the_others(self, tmp_path: Path) -> None:
        run = []
        for n in (500, 1_000):
            notes = {f"n{i}.md": "" for i in range(n)}
            m = memory(tmp_path / str(n), {**notes, "a.md": " ".join(f"[[n{i}]]" for i in range(n)) + " [[Gone]]"})
            assert m.read("a").missing == ["Gone"]
            run.append(lines_run(lambda m=m: m.read("a"), catalog))  # type: ignore[misc]
        assert run[0] == run[1]

    def test_a_graph_of_many_missing_notes_is_no_search_for_each_of_them(self, tmp_path: Path) -> None:
        run = []
        for n in (200, 400):
            m = memory(tmp_path / str(n), {"a.md": " ".join(f"[[M{i}]]" for i in range(n))})
            assert m.graph().missing == [f"M{i}" for i in range(n)]
            run.append(lines_run(m.graph, graph) + lines_run(m.graph, overview))
        assert run[1] < 2.5 * run[0]

    def test_lists_are_cut_and_their_counts_are_not(self, tmp_path: Path) -> None:
        sources = {f"s{i:04}.md": "[[big]]" for i in range(1_200)}
        big = "[[big]] [[pic.png]] " + " ".join(f"[[M{i}]]" for i in range(1_500)) + " [[s0007]]"
        got = memory(tmp_path, {**sources, "big.md": big, "pic.png": b""}).page("big")
        assert got.link_count == 1_501
        assert [one.target for one in got.links] == [f"M{i}" for i in range(1_000)]
        assert all(one.name is None for one in got.links)
        assert got.backlink_count == 1_200
        assert got.backlinks == [f"s{i:04}" for i in range(1_000)]

    def test_a_count_follows_the_links(self, tmp_path: Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]] [[c]]"})
        assert m.page("a").link_count == 2
        m.write("a", "[[b]] [[c]] [[d]]")
        assert m.page("a").link_count == m.read("a").links == 3

    def test_backlinks_from_outside_are_left_out_before_the_list_is_cut(self, tmp_path: Path) -> None:
        outside = {f"out/{i}.md": "[[/topics/big]]" for i in range(1_100)}
        whole = memory(tmp_path, {**outside, "topics/big.md": "x", "topics/a.md": "[[big]]"})
        got = whole.restricted(Grant("topics")).page("topics/big")
        assert (got.backlinks, got.backlink_count) == (["topics/a"], 1)
        assert whole.page("topics/big").backlink_count == 1_101

    def test_a_missing_target_is_named_as_the_note_writes_it(self, tmp_path: Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]] [[Gone Away]] [[./b]]", "x/b.md": ""})
        assert [tuple(one) for one in m.page("a").links] == [("x/b", "x/b"), ("Gone Away", None), ("./b", None)]
        assert m.read("a").missing == ["Gone Away", "./b"]

    def test_a_note_is_read_part_by_part_to_its_end(self, tmp_path: Path) -> None:
        text = "---\ntags: x\n---\n" + "".join(f"[[M{i}]]\n\n" for i in range(5_000))
        m = memory(tmp_path, {"big.md": text})
        shown: list[str] = []
        offset: int | None = 0
        while offset is not None:
            got = m.page("big", 0, offset)
            html = got.html()
            here = re.findall(r'data-note="(M\d+)"', html)
            assert 0 < len(here) <= 2_000
            shown += here
            offset = got.next_offset
        assert shown == [f"M{i}" for i in range(5_000)]
        for beyond in (10**12, len(text)):
            assert m.page("big", 1, beyond).next_offset is None
