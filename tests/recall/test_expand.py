"""Recursive expansion, and its exact inverse."""

import pathlib
import random
import re
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tools.counts import Counts
from tests.tools.inner import engine
from tests.tools.vaults import random_files, write
from zkmem.errors import EditedExpansion
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.names import name_of


def memory(root: pathlib.Path, files: dict[str, str], max_chars: int = 24_000) -> Memory:
    return Memory(write(root, files), max_chars=max_chars)


BLOCK, EMBED = "![[b]]start\n\nB\n\n\n![[b]]end", "!![[b]]start\n\nB\n\n\n!![[b]]end"

IN_PLACE = {
    "a paragraph": "x\n\n[[b]]\n\ny\n",
    "all there is": "[[b]]",
    "a paragraph below a heading": "# H\n[[b]]\n\ny\n",
    "a list item": "- [[b]]\n- y\n",
    "a nested list item": "1. x\n   - [[b]]\n     - y\n",
    "a paragraph of a list item": "- x\n\n  [[b]]\n",
    "an embed in a sentence": "x ![[b]] y\n",
    "an embed in a list item": "- x ![[b]] y\n",
}

BELOW = {
    "a sentence": "x [[b]] y§\n\nz\n",
    "a sentence without a line end": "x [[b]] y§",
    "a paragraph of several lines": "x [[b]]\ny\nz§\n",
    "lines of links": "[[b]]\n[[gone]]§\n",
    "a sentence before a list": "x [[b]]§\n- y\n",
    "a phrase": "x\n\n**[[b]]**§\n",
    "a list item with more": "- x [[b]]\n- y\n  - z§\n\n\nend\n",
    "a task": "- [ ] [[b]]§\n",
    "a table": "| x | y |\n|---|---|\n| [[b]] | z |\n| z | z |§\n\nend\n",
    "a table, an embed": "x\n\n| x |\n|---|\n| ![[b]] |§\n",
    "a callout": "> [!note] x\n> [[b]]\n> y§\n\nz\n",
    "a callout, alone": "> [[b]]§\n",
    "a callout, an embed": "> [!note]\n> ![[b]]\nz§\n",
    "a heading": "# [[b]]§\nx\n",
    "an underlined heading": "[[b]]\n---§\nx\n",
    "a heading, an embed": "# x ![[b]]§\n",
    "a footnote": "x[^1]\n\n[^1]: [[b]]§\n",
    "mixed line ends": "x [[b]]\r\ny§\r\n\r\nz\n",
    "a definition": "[x]\n\n[x]: b.md (title)§\n\ny\n",
    "alone, below its like": "x `[[b]]`\n***\n[[b]]§\n",
}


def at_depth_1(root: pathlib.Path, text: str) -> str:
    """The expansion of a note, which is checked to collapse to the note."""
    m = memory(root, {"a.md": text, "b.md": "B\n"})
    expanded = m.read("a", depth=1).text
    assert engine(m).editor.view().collapse(expanded, "a.md") == text
    return expanded


@pytest.mark.parametrize("text", IN_PLACE.values(), ids=IN_PLACE)
def test_a_link_that_stands_alone_and_an_embed_are_replaced_in_place(tmp_path: pathlib.Path, text: str) -> None:
    expected = text.replace("![[b]]", EMBED) if "![[b]]" in text else text.replace("[[b]]", BLOCK)
    assert at_depth_1(tmp_path, text) == expected


@pytest.mark.parametrize("marked", BELOW.values(), ids=BELOW)
def test_a_link_in_a_text_stays_and_its_block_follows_the_whole_of_that(tmp_path: pathlib.Path, marked: str) -> None:
    before, after = marked.split("§")
    raw = "![[b]]" if "![[b]]" in marked else "[x]: b.md (title)" if "[x]:" in marked else "[[b]]"
    block = BLOCK.replace("[[b]]", raw)
    assert at_depth_1(tmp_path, before + after) == f"{before}\n{block}{after}"


def test_markers_repeat_the_link_as_it_was_written(tmp_path: pathlib.Path) -> None:
    files = {"a.md": "[[ABC|x]] ![[D]] [t](<E f.md>)", "ABC.md": "1", "D.md": "2", "E f.md": "3"}
    text = memory(tmp_path, files).read("a", depth=1).text
    assert "![[ABC|x]]start\n\n1\n\n\n![[ABC|x]]end" in text
    assert "!![[D]]start\n\n2\n\n\n!![[D]]end" in text
    assert "![t](<E f.md>)start\n\n3\n\n\n![t](<E f.md>)end" in text


def test_depth_counts_levels(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "b [[c]]", "c.md": "c [[d]]", "d.md": "d"})
    assert m.read("a").text == "[[b]]"
    assert m.read("a", depth=1).text == "![[b]]start\n\nb [[c]]\n\n\n![[b]]end"
    assert "c [[d]]" in m.read("a", depth=2).text
    assert "![[d]]start\n\nd\n\n\n![[d]]end" in m.read("a", depth=3).text


def test_each_note_once_at_its_shallowest_depth(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[deep]] [[x]] [[x]]", "deep.md": "[[x]]", "x.md": "X"})
    text = m.read("a", depth=5).text
    assert text.count("![[x]]start") == 1
    assert text == ("[[deep]] [[x]] [[x]]\n![[deep]]start\n\n[[x]]\n\n\n![[deep]]end\n![[x]]start\n\nX\n\n\n![[x]]end")


def test_loops_end(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[a]] [[b]]", "b.md": "[[a]] [[b]]"})
    assert m.read("a", depth=10).text == "[[a]] [[b]]\n![[b]]start\n\n[[a]] [[b]]\n\n\n![[b]]end"


def test_output_grows_with_notes_not_with_paths(tmp_path: pathlib.Path) -> None:
    names = [f"n{number}" for number in range(12)]
    m = memory(tmp_path, {f"{name}.md": " ".join(f"[[{other}]]" for other in names) for name in names})
    assert m.read("n0", depth=10).text.count("start\n") == 11


def test_linked_frontmatter_is_not_repeated(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "---\nk: v\n---\n[[b]]", "b.md": "---\nsecret: x\n---\nbody\n"})
    assert m.read("a", depth=1).text == "---\nk: v\n---\n![[b]]start\n\nbody\n\n\n![[b]]end"


def test_a_subpath_expands_to_its_part(tmp_path: pathlib.Path) -> None:
    files = {
        "a.md": "[[b#Two]] [[c#^id]] [[d#None]]",
        "b.md": "# One\n1\n# Two\n2\n",
        "c.md": "x\n\ny ^id\n",
        "d.md": "d",
    }
    text = memory(tmp_path, files).read("a", depth=1).text
    assert "![[b#Two]]start\n\n# Two\n2\n\n\n![[b#Two]]end" in text
    assert "![[c#^id]]start\n\ny ^id\n\n\n![[c#^id]]end" in text
    assert "[[d#None]]" in text
    assert "![[d#None]]" not in text


def test_attachments_missing_notes_and_code_stay(tmp_path: pathlib.Path) -> None:
    source = "![[p.png]] [[gone]] `[[b]]`\n\n    [[b]]\n\n%%\n%%\n"
    m = memory(tmp_path, {"a.md": source, "b.md": "b", "p.png": "x"})
    assert m.read("a", depth=3).text == source


def test_a_marker_line_is_no_link(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "![[b]]start\n\nx\n\n\n![[b]]end\n", "b.md": ""})
    m.load()
    assert m.counts() == (2, 0)


def test_the_bound_takes_the_nearest_notes_and_tells_what_it_left(tmp_path: pathlib.Path) -> None:
    files = {"a.md": " ".join(f"[[n{n}]]" for n in range(10))} | {f"n{n}.md": "x" * 250 for n in range(10)}
    note = memory(tmp_path, files, max_chars=1000).read("a", depth=3)
    assert len(note.text) <= 1000
    assert note.text.count("start\n") == 3
    assert note.left == [f"n{n}" for n in range(3, 10)]


def test_the_bound_is_shared_so_that_all_neighbours_are_seen(tmp_path: pathlib.Path) -> None:
    files = {f"n{n}.md": "".join(f"line {line}\n" for line in range(n * 20)) for n in range(1, 30)}
    note = memory(tmp_path, {"a.md": "".join(f"- [[n{n}]]\n" for n in range(1, 30)), **files}).read("a", depth=1)
    short = [n for n in range(1, 30) if "\n\n" + files[f"n{n}.md"] in note.text]
    assert note.left == []
    assert 23_000 < len(note.text) <= 24_000
    assert short == list(range(1, len(short) + 1))  # the short ones are whole
    cut = re.findall(r"(?<=\n)(line \d+)\n\n\(Cut here", note.text)
    assert len(cut) == 29 - len(short)
    assert len(set(cut)) == 1  # and the long ones equally long


def test_what_does_not_fit_is_skipped_and_the_next_is_tried(tmp_path: pathlib.Path) -> None:
    files = {"a.md": "[[one]] [[two]] [[three]]", "one.md": "x" * 500, "two.md": "x" * 600, "three.md": "x"}
    note = memory(tmp_path, files, max_chars=400).read("a", depth=1)
    assert note.left == ["two"]
    assert "![[three]]start\n\nx\n\n\n![[three]]end" in note.text


def test_a_block_that_takes_the_place_of_its_link_is_not_counted_with_it(tmp_path: pathlib.Path) -> None:
    long = "a name of eighty characters " * 2 + "and so on until here it ends"
    block = f"![[{long}]]start\n\n{'x' * 150}\n\n\n![[{long}]]end"
    files = {"a.md": f"- [[{long}]]\n", f"{long}.md": "x" * 150}
    assert memory(tmp_path, files, max_chars=len(block) + 3).read("a", depth=1).text == f"- {block}\n"
    assert memory(tmp_path, {}, max_chars=len(block) + 2).read("a", depth=1).left == [long]


def test_a_note_that_is_cut_says_where_to_read_on(tmp_path: pathlib.Path) -> None:
    body = "".join(f"line {number} 卡片\n" for number in range(300))
    files = {"a.md": "[[b#Part]] and [[c]].\n", "b.md": f"---\nk: v\n---\n# Part\n{body}", "c.md": "small"}
    m = memory(tmp_path, files, max_chars=1000)
    text = m.read("a", depth=1).text
    assert len(text) <= 1000
    beginning, name, offset = re.findall(
        r'!\[\[b#Part\]\]start\n\n(.*)\n\n\(Cut here\. Read on: get_content\(name="(.*)", offset=(\d+)\)\)'
        r"\n\n\n!\[\[b#Part\]\]end\n!\[\[c\]\]start\n\nsmall",
        text, re.DOTALL,
    )[0]  # fmt: skip
    whole = m.read("b", bounded=False).text
    assert whole[: int(offset)] == f"---\nk: v\n---\n{beginning}\n"
    assert m.read(name, offset=int(offset)).text[:20] == whole[int(offset) :][:20]


def test_a_cut_block_is_put_back_and_one_that_was_edited_is_refused(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]] x\n", "b.md": "---\nk: v\n---\n" + "line of b\n" * 300}, max_chars=1000)
    text = m.read("a", depth=1).text
    m.write("a", text + "more\n")
    assert (tmp_path / "a.md").read_text() == "[[b]] x\nmore\n"
    number = re.search(r"offset=(\d+)", text)
    assert number
    edits = [
        ("line of b", "line of c"),
        ("line of b\n", ""),
        (number[0], f"offset={int(number[1]) - 10}"),
        (number[0], "offset=99999"),
        (number[0], "offset=0"),
        ("(Cut", "(cut"),
    ]
    for old, new in edits:
        assert old in text
        with pytest.raises(EditedExpansion, match="text of 'b'"):
            m.write("a", text.replace(old, new, 1))
    assert (tmp_path / "a.md").read_text() == "[[b]] x\nmore\n"


def test_a_cut_is_between_words_where_a_line_is_long(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "# Title\n\n" + "word " * 1000}, max_chars=1000)
    assert re.search(r"Title\n\n(word ){100,}\n\n\(Cut", m.read("a", depth=1).text)


def test_a_link_that_the_cut_leaves_half_in_code_is_none(tmp_path: pathlib.Path) -> None:
    line = "x" * 60 + "\n"
    files = {"a.md": "[[b]]", "b.md": f"`[[c]]\n{line * 30}`\n", "c.md": "C"}
    text = memory(tmp_path, files, max_chars=1000).read("a", depth=2).text
    assert "(Cut here" in text
    assert "![[c]]" not in text


def test_a_name_with_a_line_end_cannot_end_a_block(tmp_path: pathlib.Path) -> None:
    name = "n\n![[b]]end"
    m = memory(tmp_path, {"a.md": "[t](<n%0A![[b]]end.md>)", f"{name}.md": "word " * 1000, "b.md": ""}, max_chars=1000)
    text = m.read("a", depth=1).text
    assert engine(m).editor.view().collapse(text, "a.md") == "[t](<n%0A![[b]]end.md>)"


def test_a_block_below_whose_link_was_taken_away_becomes_a_link(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "see [[b]] now\n", "b.md": "B"})
    m.write("a", m.read("a", depth=1).text.replace("see [[b]] now", "see it now"))
    assert (tmp_path / "a.md").read_text() == "see it now\n[[b]]\n"


def test_a_block_in_place_stays_a_link_whatever_is_written_before(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]\n", "b.md": "B"})
    m.write("a", "New: [[b]].\n\n" + m.read("a", depth=1).text)
    assert (tmp_path / "a.md").read_text() == "New: [[b]].\n\n[[b]]\n"


def test_a_passage_may_hold_blocks_below(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "see [[b]] now\n\nrest\n", "b.md": "B"})
    m.write("a", "new\n\nrest", old=m.read("a", depth=1).text.removesuffix("\n"))
    assert (tmp_path / "a.md").read_text() == "new\n\nrest\n"


def test_a_long_note_is_cut_at_a_line_end_and_read_on_with_offset(tmp_path: pathlib.Path) -> None:
    body = "".join(f"line {number} 卡片\n" for number in range(300))
    m = memory(tmp_path, {"a.md": body}, max_chars=1000)
    parts, offset = [], 0
    while True:
        note = m.read("a", depth=2, offset=offset)
        assert len(note.text) <= 1000
        parts.append(note.text)
        if note.next_offset is None:
            break
        assert note.text.endswith("\n")
        offset = note.next_offset
    assert "".join(parts) == body
    assert m.read("a", offset=10**9).text == ""


def test_a_long_line_is_cut_at_the_bound_and_read_on_with_offset(tmp_path: pathlib.Path) -> None:
    line = "".join(f"{number} " for number in range(600))
    m = memory(tmp_path, {"a.md": f"first\n{line}"}, max_chars=1000)
    notes = [m.read("a", offset=offset) for offset in (0, 6, 1006, 2006)]
    assert [note.text for note in notes] == ["first\n", line[:1000], line[1000:2000], line[2000:]]
    assert [note.next_offset for note in notes] == [6, 1006, 2006, None]


def test_links_in_a_later_window_expand_too(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "卡 [[b]]\n" + "x" * 50 + "\n\n[[c]]\n", "b.md": "B", "c.md": "C"})
    assert m.read("a", depth=1, offset=8).text == "x" * 50 + "\n\n![[c]]start\n\nC\n\n\n![[c]]end\n"


def test_collapse_refuses_an_edited_block_and_names_the_note(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "text"})
    expanded = m.read("a", depth=1).text
    with pytest.raises(EditedExpansion, match="text of 'b'"):
        m.write("a", expanded.replace("text", "other"))
    for lost in ("![[b]]end", "![[b]]start"):
        with pytest.raises(EditedExpansion, match="Replace the whole block by its link"):
            m.write("a", expanded.replace(lost, ""))
    assert (tmp_path / "a.md").read_text() == "[[b]]"
    assert (tmp_path / "b.md").read_text() == "text"


def test_text_written_around_a_block_is_kept(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "text"})
    m.write("a", "new " + m.read("a", depth=1).text + " more")
    assert (tmp_path / "a.md").read_text() == "new [[b]] more"


def test_a_block_whose_note_was_renamed_or_deleted_meanwhile_is_refused(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "text", "c.md": "[[d#H]]", "d.md": "# H\nx\n"})
    expanded, part = m.read("a", depth=1).text, m.read("c", depth=1).text
    m.rename("b", "new")
    m.write("d", "# I\nx\n")
    for name, text in (("a", expanded), ("c", part), ("other", expanded)):
        with pytest.raises(EditedExpansion, match="means no note now"):
            m.write(name, text)
    assert (tmp_path / "a.md").read_text() == "[[new]]"


def test_text_about_markers_is_written_with_a_backslash(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": ""})
    text = "```\n![[ABC]]start\n\n(content)\n\n\n![[ABC]]end\n```\n"
    with pytest.raises(EditedExpansion, match="backslash"):
        m.write("a", text)
    m.write("a", text.replace("![[", "\\![["))
    assert (tmp_path / "a.md").read_text() == text
    assert m.read("a").text == text.replace("![[", "\\![[")


def test_a_link_over_two_lines_stays(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "see [two\nlines](b.md) [![i](p.png)](b.md)\n", "b.md": "text", "p.png": ""})
    assert m.read("a", depth=1).text == "see [two\nlines](b.md) [![i](p.png)](b.md)\n"


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "[[a]]", "[[b]]", "![[b]]", "[[c|x]]", "[[c#H]]", "[t](b.md)", "[[gone]]", "![[p.png]]",
                "![[a]]start", "![[b]]end", "!![[b]]start", "!![[b]]end", "\\![[b]]start", "\\\\![[a]]end",
                "[two\nlines](b.md)", '[t](b.md\n"title")', "[![i](p.png)](b.md)", "endstart",
                "\\[t](b.md)", "[t](<b.md>)",
                "\n", "\n\n", "\n\n\n", "start", "end", "!", "\\", "`", "```", "# H\n", "- ", "> ", "    ", "$", "x ",
                "[", "](", ")", "---\n", "%%", "<!--", "-->", "卡", "\r\n", "\r", "|", "^id\n", "[[", "]]",
            ]
        ),
        st.text(alphabet=string.ascii_letters + " \n!\\[]", max_size=8),
    ),
    max_size=14,
).map("".join)  # fmt: skip


BLOCKS = st.lists(
    st.one_of(
        PIECES,
        st.builds(
            str.replace,
            st.sampled_from(
                [
                    "LINK\n", "LINK", "x LINK y\n", "LINK LINK\n", "LINK\nLINK\n", "- LINK\n", "- x LINK\n- LINK\n",
                    "- LINK\n  - LINK\n\n  LINK\n", "1. LINK\n2. x\n", "- [ ] LINK\n", "# LINK\n", "LINK\n---\n",
                    "**LINK x**\n", "**x LINK\ny**\n", "*LINK*\n", "| a | b |\n|---|---|\n| LINK | x LINK |\n",
                    "x\n| a |\n|---|\n| LINK |\n", "> [!note] LINK\n> x\n", "> LINK\n", "> - LINK\nlazy\n",
                    "> LINK\n\nLINK\n", "`LINK`\nLINK\n", "```\nLINK\n```\nLINK\n", "[^1]: LINK\n", "<!-- LINK -->\n",
                    "---\nup: 'LINK'\n---\nLINK\n", "LINK\r\n", "x LINK\r\ny\r\n", "   \nLINK\n", "LINK\xa0\n\xa0\n",
                    "\\LINK\n", "\\\\LINK", "!LINK\n", "LINKend\n", "LINKstart\n", "!LINKstart\n", "[LINK](c.md)\n",
                    '(Cut here. Read on: get_content(name="b", offset=9))\n',
                    "LINK\r", "LINK\t\x0b\n", "[l]: b.md (LINK)\n",
                ]
            ),
            st.just("LINK"),
            st.sampled_from(["[[a]]", "[[b]]", "![[b]]", "[[c|x]]", "[[c#H]]", "[t](b.md)", "![[c]]", "[[gone]]"]),
        ),
        st.sampled_from(["\n", "\n\n", "\r\n", "word " * 30, "line of text\n" * 9, "卡片" * 20]),
    ),
    max_size=10,
).map("".join)  # fmt: skip


@settings(max_examples=300)
@given(a=BLOCKS, b=BLOCKS, c=BLOCKS, depth=st.integers(0, 4), most=st.integers(1, 3_000), offset=st.integers(0, 300))
@example(a="![[b]]start\n\nB\n\n\n![[b]]end", b="B", c="", depth=0, most=1_000, offset=0)
@example(a="[[b]]", b="![[a]]start", c="", depth=1, most=1_000, offset=0)
@example(a="\\![[b]] [[c]]", b="x", c="![[b]]end", depth=2, most=1_000, offset=0)
@example(a="![[b]]end\\[t](b.md)", b="", c="", depth=1, most=1_000, offset=0)
@example(a="[[b]]end\n[[c]]start", b="\n![[c]]end", c="![[b]]start\n", depth=3, most=1_000, offset=0)
@example(a="`[[b]]`\n***\n[[b]]\n", b="B", c="", depth=1, most=1_000, offset=0)
@example(a="`[[b]]`\n   \n[[b]]\n", b="B", c="", depth=1, most=1_000, offset=0)
@example(a="x [[b]]\n\xa0\n", b="B", c="", depth=1, most=1_000, offset=0)
@example(a="\\\\![[b]]", b="B", c="", depth=1, most=1_000, offset=0)
@example(a="x [[b]]\n" + "y" * 300, b="B", c="", depth=1, most=200, offset=0)
@example(a="x [[b]] [[c]]\r\n", b="word " * 300, c="\n\n" + "x [[b]]\n" * 200, depth=2, most=1_000, offset=2)
def test_collapse_undoes_expand(
    tmp_path_factory: pytest.TempPathFactory, a: str, b: str, c: str, depth: int, most: int, offset: int
) -> None:
    m = memory(tmp_path_factory.mktemp("vault"), {"a.md": a, "b.md": b, "c.md": c, "p.png": ""}, most)
    note = m.read("a", depth=depth, offset=offset)
    assert engine(m).editor.view().collapse(note.text, "a.md") == normalised(a)[offset : note.next_offset]


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 5), most=st.sampled_from([300, 600, 1_000, 3_000]))
def test_collapse_undoes_expand_in_random_vaults(
    tmp_path_factory: pytest.TempPathFactory, seed: int, depth: int, most: int
) -> None:
    files = random_files(random.Random(seed), 12)
    m = memory(tmp_path_factory.mktemp("vault"), files, most)
    view = engine(m).editor.view()
    for path, text in files.items():
        note = m.read("/" + name_of(path), depth=depth)
        assert view.collapse(note.text, path) == normalised(text)[: note.next_offset]


def normalised(text: str) -> str:
    """The text with the line ends that a reader gets: LF where all of them are CRLF."""
    uniform = text.count("\r\n") == text.count("\n") == text.count("\r")
    return text.replace("\r\n", "\n") if uniform else text


def test_a_link_whose_beginning_looks_like_one_is_not_taken_for_that(tmp_path: pathlib.Path) -> None:
    tail = "`](v.md)"
    padding = "é" * ((1_000 - 1 - len(tail)) // 2) + "x"
    text = f"x [{padding}{tail} SECRET` more](v.md) y\n"
    memory = Memory(write(tmp_path, {"a.md": text, "v.md": "V\n"}))
    memory.load()
    note = memory.read("a", depth=1)
    memory.write("a", note.text + "more\n", etag=note.etag)
    assert (tmp_path / "a.md").read_text("utf-8") == text + "more\n"


PARTS = "# src\n\n## One\n\nfirst text\n\n## Two\n\nsecond text\n\n## Three\n\nthird text ^b1\n"


class TestPartsOfOneNote:
    def shown(self, root: pathlib.Path, text: str, **files: str) -> list[str]:
        """Return which texts of `src` an expansion shows, in order, and check that it collapses to the note."""
        m = memory(root, {"a.md": text, "src.md": PARTS} | {f"{name}.md": source for name, source in files.items()})
        expanded = m.read("a", depth=2).text
        assert engine(m).editor.view().collapse(expanded, "a.md") == text
        assert re.findall(r"(\w+) text", m.page("a", 2).html()) == re.findall(r"(\w+) text", expanded)
        return re.findall(r"(\w+) text", expanded)

    @pytest.mark.parametrize("mark", ["!", ""])
    def test_each_is_shown(self, tmp_path: pathlib.Path, mark: str) -> None:
        text = f"{mark}[[src#One]]\n\n{mark}[[src#Two]]\n\n{mark}[[src#^b1]]\n"
        assert self.shown(tmp_path, text) == ["first", "second", "third"]

    def test_a_note_is_parsed_once_for_all_of_them(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parts = range(20)
        source = "\n".join(f"## H{number}\n\n{number} text ^b{number}\n" for number in parts)
        links = "\n".join(f"![[src#H{number}]] ![[src#^b{number}]] [[src#Gone{number}]]" for number in parts)
        outlines = Counts(monkeypatch, Outline, "__init__")
        assert outlines.of(lambda: self.shown(tmp_path, links, src=source)) == 3  # to expand, to collapse, for the page

    def test_the_whole_note_is_shown_after_a_part(self, tmp_path: pathlib.Path) -> None:
        text = "[[src#One]]\n\n[[src]]\n\n[[src]]\n"
        assert self.shown(tmp_path, text) == ["first", "first", "second", "third"]

    def test_text_that_is_shown_already_is_not_shown_again(self, tmp_path: pathlib.Path) -> None:
        text = "[[src#Three]]\n\n[[src#^b1]]\n\n[[src#src#Three]]\n\n[[b]]\n"
        assert self.shown(tmp_path, text, b="[[src#Three|x]]\n\n[[src#Two]]\n") == ["third", "second"]

    def test_a_part_of_a_note_that_is_shown_whole_stays_a_link(self, tmp_path: pathlib.Path) -> None:
        assert self.shown(tmp_path, "[[src]]\n\n[[src#Two]]\n") == ["first", "second", "third"]

    def test_a_part_that_does_not_fit_is_named_and_the_note_is_read_once(self, tmp_path: pathlib.Path) -> None:
        long = "\n".join(f"## H{number}\n\n{'word ' * 100}\n" for number in range(9))
        m = memory(tmp_path, {"a.md": "\n\n".join(f"[[src#H{n}]]" for n in range(9)), "src.md": long}, max_chars=1_200)
        note = m.read("a", depth=1)
        assert len(note.text) <= 1_200
        assert note.left == ["src"]
