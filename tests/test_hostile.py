"""Hostile and odd input: each of these once broke something."""

import errno
import os
import pathlib
import stat
import threading
from collections.abc import Callable

import pytest

from tests.tools.inner import engine, index_faults
from tests.tools.vaults import Files, read, write
from zkmem.edit.merge import merged
from zkmem.errors import AmbiguousName, BadArgument, BadName, NoPassage, NoVault, StaleEtag, Unwritable
from zkmem.markdown.links import find_links
from zkmem.memory import Memory
from zkmem.vault import files


def memory(root: pathlib.Path, files: Files) -> Memory:
    m = Memory(write(root, files))
    m.load()
    return m


@pytest.mark.parametrize(
    "link", [b"[[caf\xe9]]", b"[t](caf\xe9.md)", b"[caf\xe9](x.md)", b"[[x|caf\xe9]]", b"[r]: caf\xe9.md"]
)
def test_a_bad_byte_inside_a_link(tmp_path: pathlib.Path, link: bytes) -> None:
    m = memory(tmp_path, {"a.md": link, "b.md": "fine [[x]]", "x.md": ""})
    assert m.hints()
    m.rename("x", "y")
    assert read(tmp_path)["b.md"] == b"fine [[y]]"
    assert b"\xe9" in read(tmp_path)["a.md"]


@pytest.mark.parametrize("deep", ["[" * 60_000, "- " * 60_000, "{a: " * 60_000, "? " * 60_000])
def test_frontmatter_too_deep_for_the_c_stack(tmp_path: pathlib.Path, deep: str) -> None:
    m = memory(tmp_path, {"a.md": f"---\nk: {deep}\nu: '[[x]]'\n---\n[[b]]", "b.md": ""})
    assert m.counts() == (2, 1)
    assert [one.kind for one in m.check()] == ["properties"]


class TestDollars:
    def test_in_a_destination(self, tmp_path: pathlib.Path) -> None:
        files = {"a.md": "[x](US$.md) [y](US$.md#H)", "US$.md": "dollar", "USS.md": "ship"}
        m = memory(tmp_path, files)
        assert "dollar" in m.read("a", depth=1).text
        m.rename("USS", "boat")
        m.rename("US$", "cost $")
        assert read(tmp_path)["a.md"] == b"[x](cost%20$.md) [y](cost%20$.md#H)"

    def test_in_two_links_are_no_math(self) -> None:
        assert [link.target for link in find_links(b"[[$1]] and [[$1]] [a](b$.md) [c](d$.md)")] == [
            "$1", "$1", "b$.md", "d$.md"
        ]  # fmt: skip
        assert find_links(b"$[[a$b]]$ $$[[c]]$$") == []


class TestPropertiesOnRename:
    def test_a_folded_string_is_not_swallowed(self, tmp_path: pathlib.Path) -> None:
        files = {"a.md": "---\nup: >-\n  [[b\n  c]]\n---\nBody [[b c]].\n", "b c.md": ""}
        m = memory(tmp_path, files)
        with pytest.raises(Unwritable, match=r"The link \[\[b c\]\] is written in a way"):
            m.rename("b c", "d")
        assert read(tmp_path) == {path: text.encode() for path, text in files.items()}

    def test_anchors_and_tags_stay(self, tmp_path: pathlib.Path) -> None:
        source = "---\nup: &x '[[it''s]]'\nto: !!str '[[it''s]]'\nagain: *x\n---\n"
        m = memory(tmp_path, {"a.md": source, "it's.md": ""})
        m.rename("it's", "b")
        assert read(tmp_path)["a.md"].decode() == source.replace("it''s", "b")

    def test_bad_bytes_in_an_escaped_string_are_not_lost(self, tmp_path: pathlib.Path) -> None:
        source = b'---\nup: "[[b|caf\xe9 \\"x\\"]]"\n---\n'
        m = memory(tmp_path, {"a.md": source, "b.md": ""})
        with pytest.raises(Unwritable):
            m.rename("b", "c")
        assert read(tmp_path)["a.md"] == source


@pytest.mark.parametrize(
    ("kept", "added", "expected"),
    [
        (b"\xef\xbb\xbfBody\n", b"---\nup: x\n---\n", b"\xef\xbb\xbf---\nup: x\n---\nBody\n"),
        (
            b"---\nk: caf\xe9\n---\nB\n",
            b"---\nj: 1\n---\nA\n",
            b"---\nk: caf\xe9\n---\nB\n\n---\n\n```yaml\nj: 1\n```\n\nA\n",
        ),
        (
            b"---\nt: [a, b,]\n---\nB\n",
            b"---\nt: [c]\n---\nA\n",
            b"---\nt: [a, b,]\n---\nB\n\n---\n\n```yaml\nt: [c]\n```\n\nA\n",
        ),
        (
            b"---\n  k: 1\n---\nB\n",
            b"---\nj: 1\n---\nA\n",
            b"---\n  k: 1\n---\nB\n\n---\n\n```yaml\nj: 1\n```\n\nA\n",
        ),
        (
            b"---\nk: 1\n---\nB\n",
            b"---\n? [a]\n: 1\n---\nA\n",
            b"---\nk: 1\n---\nB\n\n---\n\n```yaml\n? [a]\n: 1\n```\n\nA\n",
        ),
    ],
)
def test_merging_frontmatter_never_breaks_it(kept: bytes, added: bytes, expected: bytes) -> None:
    assert merged(kept, added) == expected


def test_a_markdown_link_without_md_finds_its_file_later(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"s.md": "[pic](x.png) [rel](v1.0) [f](foo)"})
    write(tmp_path, {"x.png": "", "v1.0.md": "", "sub/foo.md": ""})
    engine(m).live.take_in(["x.png", "v1.0.md", "sub"])
    assert index_faults(m) == []
    assert m.counts() == (3, 2)
    m.rename("v1.0", "v2")
    assert read(tmp_path)["s.md"] == b"[pic](x.png) [rel](v2) [f](foo)"


def test_an_etag_is_that_of_the_text_that_was_written(tmp_path: pathlib.Path) -> None:
    """Four threads edit one note, each on top of what it read or wrote itself: every acknowledged line is there."""
    m = memory(tmp_path, {"a.md": ""})
    kept: list[str] = []

    def work(thread: int) -> None:
        for number in range(40):
            line = f"{thread}-{number}\n"
            note = m.read("a")
            try:
                done = m.write("a", note.text + line, etag=note.etag)
                kept.append(line)
                m.write("a", note.text + line + "+" + line, etag=done.etag)
                kept.append("+" + line)
            except StaleEtag:
                continue

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((tmp_path / "a.md").read_text().splitlines(keepends=True)) == sorted(kept)


class TestReadInPart:
    def test_half_a_note_cannot_replace_the_whole(self, tmp_path: pathlib.Path) -> None:
        body = "".join(f"line {number}\n" for number in range(8000))
        m = memory(tmp_path, {"a.md": body})
        first = m.read("a")
        assert first.next_offset
        with pytest.raises(BadArgument, match="read only in part"):
            m.write("a", first.text, etag=first.etag)
        m.write("a", "LINE 7", old="line 7999")
        assert (tmp_path / "a.md").read_text().endswith("LINE 7\n")

    def test_whoever_read_to_the_end_may(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "word\n" * 10_000})
        offset: int | None = 0
        while offset is not None:
            offset = m.read("a", offset=offset).next_offset
        m.write("a", "short")
        assert (tmp_path / "a.md").read_text() == "short"

    def test_the_end_alone_is_not_all(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "word\n" * 10_000})
        m.read("a")
        m.read("a", offset=49_000)
        with pytest.raises(BadArgument, match="in part"):
            m.write("a", "short")


class TestNames:
    def test_a_name_that_is_told_means_that_note(self, tmp_path: pathlib.Path) -> None:
        paths = [
            "foo.md", "foo.md.md", "x.png", "x.png.md", "v1.0", "v1.0.md", "y/foo.md", "A.md", "A.MD", "a\\b.md",
            "trail .md", "tab\t.md", " lead.md", "q?.md", "h#h.md",
        ]  # fmt: skip
        m = memory(tmp_path, {path: path for path in paths})
        notes = [path for path in paths if path.lower().endswith(".md")]
        told = [hint.name for hint in m.hints(100)]
        assert sorted(m.read(name).text for name in told) == sorted(notes)
        assert {m.read(name).name for name in told} == set(told)

    def test_an_uncreatable_name_renamed_to_itself_is_no_error(self, tmp_path: pathlib.Path) -> None:
        assert memory(tmp_path, {"what?.md": ""}).rename("what?", "what?").outcome == "unchanged"

    def test_a_note_beside_a_file_of_its_name(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "", "photo.png": ""})
        m.rename("b", "photo.png")
        assert read(tmp_path)["a.md"] == b"[[photo.png.md]]"

    def test_a_file_that_is_no_note(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(BadName, match="not a note"):
            memory(tmp_path, {"x.png": ""}).read("x.png")

    def test_the_new_name_of_an_extract_may_be_that_of_several_notes_with_its_path(
        self, tmp_path: pathlib.Path
    ) -> None:
        m = memory(tmp_path, {"a.md": "one two three", "x/c.md": "", "y/c.md": ""})
        with pytest.raises(AmbiguousName):
            m.extract("a", "two", "c")
        m.extract("a", "two", "/c")
        assert read(tmp_path)["c.md"] == b"two\n"
        assert read(tmp_path)["a.md"] == b"one [[c]] three"
        with pytest.raises(AmbiguousName):
            memory(tmp_path / "other", {"x/c.md": "", "y/c.md": ""}).extract("c", "x", "d")


class TestExtract:
    def test_a_passage_between_rules_does_not_become_properties(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "top\n\n---\nsee: [[b]] here\n\n---\nend\n", "b.md": ""})
        m.extract("a", "---\nsee: [[b]] here\n\n---", "new")
        assert read(tmp_path)["new.md"] == b"\n---\nsee: [[b]] here\n\n---\n"
        assert m.read("b").linked_from == ["new"]

    def test_a_link_to_the_first_of_two_headings_keeps_its_note(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "# H\nfirst\n\nSTART [[#H]]\n# H\nEND\n"})
        m.extract("a", "START\n...\nEND", "new")
        assert read(tmp_path)["new.md"] == b"START [[a#H]]\n# H\nEND\n"

    def test_a_passage_that_cuts_a_link_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "see [[long name]] now", "long name.md": ""})
        with pytest.raises(NoPassage, match=r"cuts through the link \[\[long name\]\]"):
            m.extract("a", "name]] now", "new")


class TestCanvas:
    def test_case_twins(self, tmp_path: pathlib.Path) -> None:
        nodes = '{"nodes":[{"type":"file","file":"A.md"},{"type":"file","file":"a.md"}]}'
        m = memory(tmp_path, {"m.canvas": nodes, "A.md": "", "a.md": ""})
        m.rename("a", "b")
        assert read(tmp_path)["m.canvas"].decode() == nodes.replace('"a.md"', '"b.md"')

    def test_half_a_character_survives(self, tmp_path: pathlib.Path) -> None:
        nodes = '{"nodes":[{"type":"text","text":"\\ud83d [[a]]"},{"type":"text","text":"\\ud83d"}]}'
        m = memory(tmp_path, {"m.canvas": nodes, "a.md": "", "x.md": ""})
        m.rename("x", "y")
        assert read(tmp_path)["m.canvas"].decode() == nodes
        m.rename("a", "b")
        assert read(tmp_path)["m.canvas"].decode() == nodes.replace("[[a]]", "[[b]]")


def test_deleting_notes_with_the_longest_names(tmp_path: pathlib.Path) -> None:
    name = "卡" * 84
    m = memory(tmp_path, {f"{name}.md": "1", f"x/{name}.md": "2", f"y/{name}.md": "3"})
    for folder in ("/", "x/", "y/"):
        m.delete(folder + name)
    assert len(os.listdir(tmp_path / ".trash")) == 3


def test_a_vault_that_vanished_is_not_an_empty_memory(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "vault"
    m = memory(root, {"a.md": "x"})
    os.rename(root, tmp_path / "away")
    for call in (m.hints, lambda: m.write("b", "x"), lambda: m.rename("a", "b"), m.check):
        with pytest.raises(NoVault, match="does not exist"):
            call()
    assert not root.exists()
    os.rename(tmp_path / "away", root)
    assert m.hints()[0].name == "a"


def test_a_read_only_note_is_not_replaced(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "x", "r.md": "[[a]]"})
    os.chmod(tmp_path / "r.md", 0o444)
    with pytest.raises(Unwritable, match="read-only"):
        m.write("r", "y")
    with pytest.raises(Unwritable, match="read-only"):
        m.rename("a", "b")
    assert read(tmp_path) == {"a.md": b"x", "r.md": b"[[a]]"}


def test_a_note_that_became_unreadable_is_told_of_by_a_rename(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "x", "r.md": "[[a]]"})
    os.remove(tmp_path / "r.md")
    os.mkfifo(tmp_path / "r.md")
    assert m.rename("a", "b").relinked == []
    assert "r" not in m.complete("")[0]


def test_extracting_to_a_name_that_an_attachment_has(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "one two", "photo.png": ""})
    m.extract("a", "two", "photo.png")
    assert read(tmp_path)["a.md"] == b"one [[photo.png.md]]"


class TestReadInPartStays:
    BODY = "".join(f"line {number}\n" for number in range(8000))

    def test_after_an_edit_by_the_reader_or_by_hand(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": self.BODY, "b.md": ""})
        first = m.read("a")
        etags = [
            m.write("a", "LINE 0\n", old="line 0\n").etag,
            m.write("a", "more [[b]]\n", append=True).etag,
        ]
        m.rename("b", "c")
        write(tmp_path, {"a.md": self.BODY + "by hand"})
        m.rename("a", "new")
        for etag in (*etags, None):
            with pytest.raises((BadArgument, StaleEtag)):
                m.write("new", first.text, etag=etag)
        assert len(read(tmp_path)["new.md"]) > 70_000

    def test_whoever_knows_all_of_it_may_look_at_a_part_again(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": self.BODY, "b.md": self.BODY})
        m.write("mine", self.BODY)
        offset: int | None = 0
        while offset is not None:
            offset = m.read("a", offset=offset).next_offset
        for name in ("a", "mine"):
            m.read(name)
            m.write(name, "short")
        m.write("b", "never read at all")
        assert read(tmp_path) == {"a.md": b"short", "mine.md": b"short", "b.md": b"never read at all"}


def test_a_replaced_passage_does_not_lose_bytes(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": b"caf\xe9 one\nrest\n"})
    with pytest.raises(Unwritable, match="UTF-8"):
        m.write("a", "two", old="caf\ufffd one")
    with pytest.raises(BadArgument, match="`old` is empty"):
        m.write("a", "two", old="")
    m.write("a", "two", old=" one")
    assert read(tmp_path)["a.md"] == b"caf\xe9two\nrest\n"


def test_a_bom_is_not_doubled(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": b"\xef\xbb\xbfx"})
    m.write("a", "\ufeffy")
    assert read(tmp_path)["a.md"] == b"\xef\xbb\xbfy"


@pytest.mark.parametrize(
    ("files", "passage"),
    [
        ({"a.md": "- x\n\t\t- sub [[b]]\n"}, "\t\t- sub [[b]]"),
        ({"a.md": "x one\n```\ncode\n```\nafter [[b]]\n"}, "x one\n```"),
        ({"a.md": "move [[b]]\n", "new.md": "```\nopen\n"}, "move [[b]]"),
        ({"a.md": "see [t][r] here\n\n[r]: b.md\n"}, "[r]: b.md"),
    ],
)
def test_an_extract_that_would_lose_a_link_is_refused(
    tmp_path: pathlib.Path, files: dict[str, str], passage: str
) -> None:
    files = files | {"b.md": ""}
    m = memory(tmp_path, files)
    try:
        m.extract("a", passage, "new")
    except Unwritable:
        assert read(tmp_path) == {path: text.encode() for path, text in files.items()}
    else:
        assert set(m.read("b").linked_from or []) & {"a", "new"}


@pytest.mark.parametrize("kept", ["text\n```\ncode\n", "text\n\n<!-- todo\n"])
def test_a_merge_that_would_lose_a_link_is_refused(tmp_path: pathlib.Path, kept: str) -> None:
    m = memory(tmp_path, {"k.md": kept, "a.md": "x [[b]] y", "b.md": ""})
    with pytest.raises(Unwritable, match=r"The link \[\[b\]\] of 'a' would no longer be a link"):
        m.rename("a", "k", merge=True)
    assert read(tmp_path, hidden=True) == {"k.md": kept.encode(), "a.md": b"x [[b]] y", "b.md": b""}


def test_an_extract_into_an_empty_note_makes_no_properties(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "top\n\n---\nsee: [[b]] here\n\n---\nend\n", "b.md": "", "new.md": ""})
    m.extract("a", "---\nsee: [[b]] here\n\n---", "new")
    assert m.read("b").linked_from == ["new"]


def test_a_gap_is_between_whole_lines_and_found_in_time(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "xSTART\nEND\nSTART\nmiddle\nEND\nEND of all.\n", "long.md": "a\n" * 20_000})
    m.extract("a", "START\n...\nEND", "new")
    assert m.read("new").text == "START\nmiddle\nEND\n"
    with pytest.raises(NoPassage, match="100 times or more"):
        m.extract("long", "a\n...\na", "new")


def test_line_numbers_of_an_extract_are_those_of_the_note(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "---\nk: v\nz: 1\n---\nfoo\nbar\nfoo"})
    with pytest.raises(NoPassage, match="at lines 5, 7"):
        m.extract("a", "foo", "new")


class TestSteps:
    def test_a_move_that_cannot_finish_leaves_nothing(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(FileNotFoundError):
            files.move(str(tmp_path / "none.md"), str(tmp_path / "z.md"))
        assert os.listdir(tmp_path) == []

    def test_a_step_that_fails_after_it_took_effect_is_taken_back(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "x", "b.md": "[[a]]"})
        real = os.fsync
        failing = threading.Event()

        def fsync(handle: int) -> None:
            if failing.is_set() and stat.S_ISDIR(os.fstat(handle).st_mode):
                failing.clear()  # the way back works
                raise OSError(errno.EIO, "Input/output error")
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)
        calls: list[Callable[[], object]] = [
            lambda: m.write("a", "new"),
            lambda: m.write("c", "new"),
            lambda: m.rename("a", "z"),
        ]
        for call in calls:
            failing.set()
            with pytest.raises(Unwritable):
                call()
            assert read(tmp_path, hidden=True) == {"a.md": b"x", "b.md": b"[[a]]"}


class TestDrift:
    def test_a_folder_replaced_by_a_file(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"d/n.md": "[[z]]", "z.md": "", "k.md": "[[n]]"})
        os.rename(tmp_path / "d", tmp_path.parent / (tmp_path.name + "-away"))
        write(tmp_path, {"d": "x"})
        engine(m).live.take_in(["d"])
        assert index_faults(m) == []

    def test_a_folder_in_another_unicode_form(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"x.md": ""})
        write(tmp_path, {"e\u0301/n.md": ""})
        engine(m).live.take_in(["e\u0301/n.md"])
        m.write("\u00e9/new", "")
        assert set(read(tmp_path)) == {"x.md", "e\u0301/n.md", "e\u0301/new.md"}
        write(tmp_path, {"\u00e9/two.md": ""})
        check = Memory(str(tmp_path)).check()
        assert [(one.kind, one.note) for one in check] == [("unreadable", "e\u0301")]

    def test_a_canvas_with_a_bom(self, tmp_path: pathlib.Path) -> None:
        nodes = b'\xef\xbb\xbf{"nodes":[{"type":"file","file":"a.md"}]}'
        m = memory(tmp_path, {"m.canvas": nodes, "a.md": ""})
        m.rename("a", "b")
        assert read(tmp_path)["m.canvas"] == nodes.replace(b"a.md", b"b.md")
