"""Merging notes: whatever a link, a footnote or a label meant before, it means afterwards, or nothing is changed."""

import pathlib
import re
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import read, write
from zkmem.errors import Inexpressible
from zkmem.markdown.links import find_links
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.records.outcome import Edited


def merge(root: pathlib.Path, a: str, b: str, **others: str) -> tuple[dict[str, str], Edited]:
    """Merge the note `a` into `b`; returns the texts afterwards, by name, and what was said of it."""
    files = {"a.md": a, "b.md": b, **{f"{name}.md": text for name, text in others.items()}}
    done = Memory(write(root, files)).rename("a", "b", merge=True)
    return {path.removesuffix(".md"): data.decode() for path, data in read(root).items()}, done


class TestLabels:
    def test_one_that_both_define_for_the_same_note_is_defined_once(self, tmp_path: pathlib.Path) -> None:
        after, done = merge(tmp_path, "A [x][r].\n\n[r]: x.md\n", "B [r].\n\n[r]: ./x.md\n", x="")
        assert after["b"] == "B [r].\n\n[r]: ./x.md\n\n---\n\nA [x][r].\n\n"
        assert done.remarks == []

    def test_one_for_another_note_is_renamed_with_its_uses(self, tmp_path: pathlib.Path) -> None:
        text = "A [x][r] [R][] ![r] [r].\n\n[r]: x.md\n[r-2]: y.md\n"
        after, done = merge(tmp_path, text, "B.\n\n[r]: y.md\n", x="", y="")
        assert after["b"] == (
            "B.\n\n[r]: y.md\n\n---\n\nA [x][r-3] [R][r-3] ![r][r-3] [r][r-3].\n\n[r-3]: x.md\n[r-2]: y.md\n"
        )
        assert done.remarks == ["label r is now r-3"]

    def test_a_definition_makes_no_link_of_what_was_text(self, tmp_path: pathlib.Path) -> None:
        after, _ = merge(tmp_path, "A [t].\n\n[t]: x.md\n", "B [t].\n", x="")
        assert after["b"] == "B [t].\n\n---\n\nA [t][t-2].\n\n[t-2]: x.md\n"

    def test_text_that_would_become_a_link_is_refused(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(Inexpressible, match="a label in brackets that the other defines"):
            merge(tmp_path, "A [t].\n", "B [t].\n\n[t]: x.md\n", x="")
        assert set(read(tmp_path)) == {"a.md", "b.md", "x.md"}

    def test_comments_in_the_form_of_definitions_stay(self, tmp_path: pathlib.Path) -> None:
        text = '[//begin]: # "Links"\n[x]: x.md\n[//end]: # "Links"\n'
        after, _ = merge(tmp_path, f"A [[x]]\n\n{text}", f"B [[x]]\n\n{text}", x="")
        assert after["b"] == f"B [[x]]\n\n{text}\n---\n\nA [[x]]\n\n" + text.replace("[x]: x.md\n", "")


class TestFootnotes:
    def test_one_that_both_have_is_renamed(self, tmp_path: pathlib.Path) -> None:
        a = "A[^1] and[^n].\n\n[^1]: of A[^n]\n[^n]: n of A\n"
        after, done = merge(tmp_path, a, "B[^1] B[^2] B[^N].\n\n[^1]: of B\n[^2]: two\n[^N]: n of B\n")
        assert after["b"].partition("---\n\n")[2] == "A[^3] and[^n-2].\n\n[^3]: of A[^n-2]\n[^n-2]: n of A\n"
        assert done.remarks == ["footnotes ^1 is now ^3, ^n is now ^n-2"]

    def test_the_bytes_around_it_stay(self, tmp_path: pathlib.Path) -> None:
        write(tmp_path, {"a.md": b"\xff[^1]\r\n\r\n[^1]: \xe9\r\n", "b.md": b"B[^1]\r\n\r\n[^1]: b\r\n"})
        Memory(str(tmp_path)).rename("a", "b", merge=True)
        assert read(tmp_path)["b.md"].endswith(b"---\r\n\r\n\xff[^2]\r\n\r\n[^2]: \xe9\r\n")


class TestBlocks:
    def test_one_that_both_have_is_renamed_and_links_to_it_follow(self, tmp_path: pathlib.Path) -> None:
        s = "[[a#^id]] ![[a#^ID|x]] [t](a.md#^id) [[b#^id]] [[a#^other]]\n"
        after, done = merge(tmp_path, "A ^id\n\nA ^other\n\n[[#^id]] `^id`\n", "B ^id\n", s=s)
        assert after["b"] == "B ^id\n\n---\n\nA ^id-2\n\nA ^other\n\n[[#^id-2]] `^id`\n"
        assert after["s"] == "[[b#^id-2]] ![[b#^id-2|x]] [t](b.md#^id-2) [[b#^id]] [[b#^other]]\n"
        assert done.remarks == ["block id ^id is now ^id-2"]


class TestHeadings:
    def test_links_get_the_path_to_the_heading_they_meant(self, tmp_path: pathlib.Path) -> None:
        s = '---\nup: "[[a#Usage]]"\n---\n[[a#Usage|x]] [t](<a.md#usage>) [[b#Usage]] [[a#Only]] [[a#None]]\n'
        a = "# The `A` #1\n\n## Usage\n\nof A [[#Usage]]\n\n## Only\n"
        after, done = merge(tmp_path, a, "# B\n\n## Usage\n\nof B\n", s=s)
        assert after["s"] == (
            '---\nup: "[[b#The `A` 1#Usage]]"\n---\n[[b#The `A` 1#Usage|x]] [t](<b.md#The `A` 1#usage>) [[b#Usage]] '
            "[[b#Only]] [[b#None]]\n"
        )
        assert "of A [[#The `A` 1#Usage]]" in after["b"]
        assert done.remarks[0].startswith("links to headings: #Usage is now #The `A` 1#Usage")

    def test_a_heading_of_its_own_ends_a_linked_section_of_the_other(self, tmp_path: pathlib.Path) -> None:
        after, done = merge(tmp_path, "text\n\n## Usage\n\nof A\n", "# B\n\nof B\n", s="[[b#B]] [[a#Usage]]")
        assert after["b"] == "# B\n\nof B\n\n# a\n\ntext\n\n## Usage\n\nof A\n"
        assert done.remarks == ["the added text has a new heading above it"]
        assert Outline(after["b"].encode()).find("#B") == (0, len("# B\n\nof B\n\n"))

    def test_a_section_that_nobody_links_may_go_on(self, tmp_path: pathlib.Path) -> None:
        after, _ = merge(tmp_path, "text\n", "# B\n\nof B\n", s="[[b]] [[a]]")
        assert after["b"] == "# B\n\nof B\n\n---\n\ntext\n"

    def test_what_no_link_could_tell_apart_is_refused(self, tmp_path: pathlib.Path) -> None:
        files = {"a": "# Usage\n\nof A\n", "b": "# Usage\n\nof B\n", "s": "[[a#Usage]]"}
        with pytest.raises(Inexpressible, match="both have a heading '#Usage'"):
            merge(tmp_path, **files)
        assert read(tmp_path) == {f"{name}.md": text.encode() for name, text in files.items()}

    def test_canvases_follow(self, tmp_path: pathlib.Path) -> None:
        canvas = '{"nodes":[{"type":"file","file":"a.md","subpath":"#Usage"},{"type":"text","text":"[[a#Usage]]"}]}'
        write(tmp_path, {"a.md": "# A\n## Usage\n", "b.md": "# B\n## Usage\n", "m.canvas": canvas})
        Memory(str(tmp_path)).rename("a", "b", merge=True)
        expected = canvas.replace("a.md", "b.md").replace("[[a#", "[[b#").replace("#Usage", "#A#Usage")
        assert read(tmp_path)["m.canvas"].decode() == expected


@pytest.mark.parametrize("kept", ["B\n\n```\ncode\n", "B\n\n<!-- a comment\n", "B\n\n<script>\n\nx\n", "%%\nB\n"])
def test_a_text_that_the_other_would_swallow_is_refused(tmp_path: pathlib.Path, kept: str) -> None:
    with pytest.raises(Inexpressible, match="have another meaning"):
        merge(tmp_path, "# A\n\ntext\n", kept)
    assert set(read(tmp_path)) == {"a.md", "b.md"}


WORD = re.compile(r"w\d+")
NAMES = ["Usage", "Notes", "Title"]


@st.composite
def texts(draw: st.DrawFn, name: str, subpaths: list[str]) -> str:
    """A text in which every paragraph, item and definition has a word of its own."""
    count = iter(range(1000))

    def word() -> str:
        return f"w{'ABS'.index(name)}{next(count)}"

    def link() -> str:
        target = draw(st.sampled_from(["A", "B", ""]) if name != "S" else st.sampled_from(["A", "B"]))
        return f"[[{target}{draw(st.sampled_from(subpaths))}|{word()}]]"

    parts = []
    for kind in draw(st.lists(st.sampled_from("hhpplifr"), max_size=9)):
        if kind == "h":
            parts.append(f"{'#' * draw(st.integers(1, 3))} {draw(st.sampled_from(NAMES))}\n")
        elif kind == "p":
            parts.append(f"{word()} {draw(st.sampled_from(['', link(), '[^1]', '[^n]', '[u][r]', '[r]']))}\n")
        elif kind == "i":
            parts.append(f"{draw(st.sampled_from(['', '- ']))}{word()} ^{draw(st.sampled_from(['i1', 'I1', 'i2']))}\n")
        elif kind == "l":
            parts.append(f"{link()}\n")
        elif kind == "f":
            parts.append(f"[^{draw(st.sampled_from('1n'))}]: {word()}\n")
        else:
            parts.append(f"[r]: {draw(st.sampled_from(['x', 'y']))}.md\n")
    return "\n".join(parts)


def meanings(files: dict[str, bytes]) -> dict[str, object]:
    """What each link with a subpath shows, and what stands for each footnote and label, by the word beside it."""
    found: dict[str, object] = {}
    for path, data in files.items():
        text = data.decode()
        for link in find_links(data):
            target = files.get(f"{link.target or path.removesuffix('.md')}.md", b"")
            span = Outline(target).find(link.subpath) if link.subpath else None
            if span and link.display:
                found[link.display] = WORD.findall(target[slice(*span)].decode())
        notes = re.findall(r"(?m)^\[\^(.+?)\]: (w\d+)", text)
        labels = re.findall(r"(?m)^\[([^^].*?)\]: (.\.md)", text)
        for word, label in re.findall(r"(w\d+) \[\^(.+?)\]", text):
            found[word] = next((about for one, about in notes if one == label), None)
        for word, first, second in re.findall(r"(w\d+) \[(.+?)\](?:\[(.+?)\])?\n", text):
            found.setdefault(word, next((about for one, about in labels if one == (second or first)), None))
    return found


SUBPATHS = ["#Usage", "#Notes", "#Title", "#Title#Usage", "#Usage#Notes", "#^i1", "#^i2"]


@settings(max_examples=50, deadline=None)
@given(texts("A", SUBPATHS), texts("B", SUBPATHS), texts("S", SUBPATHS))
def test_after_a_merge_all_means_what_it_meant_or_the_merge_was_refused(a: str, b: str, s: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        files = {"A.md": a, "B.md": b, "S.md": s, "x.md": "", "y.md": ""}
        memory = Memory(write(root, files))
        before = meanings(read(root))
        try:
            memory.rename("A", "B", merge=True)
        except Inexpressible:
            assert read(root) == {path: text.encode() for path, text in files.items()}
            return
        after = meanings(read(root))
        assert {word: after.get(word) for word in before} == before
