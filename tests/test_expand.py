"""Recursive expansion, and its exact inverse."""

import pathlib
import random
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.vaults import random_files, write
from zkmem.errors import EditedExpansion
from zkmem.memory import Memory
from zkmem.vault.names import name_of


def memory(root: pathlib.Path, files: dict[str, str], max_chars: int = 24_000) -> Memory:
    return Memory(write(root, files), max_chars=max_chars)


def test_a_link_is_replaced_in_place_between_markers(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "see [[ABC]] now\n", "ABC.md": "(content of ABC)\n"})
    assert m.read("a", depth=1).text == "see ![[ABC]]start\n\n(content of ABC)\n\n\n![[ABC]]end now\n"


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
    assert text == "![[deep]]start\n\n[[x]]\n\n\n![[deep]]end ![[x]]start\n\nX\n\n\n![[x]]end [[x]]"


def test_loops_end(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[a]] [[b]]", "b.md": "[[a]] [[b]]"})
    assert m.read("a", depth=10).text == "[[a]] ![[b]]start\n\n[[a]] [[b]]\n\n\n![[b]]end"


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
    assert text.endswith("[[d#None]]")


def test_attachments_missing_notes_and_code_stay(tmp_path: pathlib.Path) -> None:
    source = "![[p.png]] [[gone]] `[[b]]`\n\n    [[b]]\n\n%%\n%%\n"
    m = memory(tmp_path, {"a.md": source, "b.md": "b", "p.png": "x"})
    assert m.read("a", depth=3).text == source


def test_a_marker_line_is_no_link(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "![[b]]start\n\nx\n\n\n![[b]]end\n", "b.md": ""})
    m.load()
    assert m.counts() == (2, 0)


def test_the_bound_takes_the_nearest_notes_and_tells_what_it_left(tmp_path: pathlib.Path) -> None:
    files = {"a.md": " ".join(f"[[n{n}]]" for n in range(10))} | {f"n{n}.md": "x" * 300 for n in range(10)}
    note = memory(tmp_path, files, max_chars=1000).read("a", depth=3)
    assert len(note.text) <= 1000
    assert note.text.count("start\n") == 2
    assert note.left == [f"n{n}" for n in range(2, 10)]


def test_the_bound_is_met_in_the_order_of_mention(tmp_path: pathlib.Path) -> None:
    files = {"a.md": "[[one]] [[two]] [[three]]", "one.md": "x" * 500, "two.md": "x" * 600, "three.md": "x"}
    assert memory(tmp_path, files, max_chars=1000).read("a", depth=1).left == ["two", "three"]


def test_a_note_longer_than_the_bound_does_not_keep_the_others_out(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "[[huge]] [[small]]", "huge.md": "x" * 5000, "small.md": "s"}, max_chars=1000)
    note = m.read("a", depth=1)
    assert note.left == ["huge"]
    assert "![[small]]start" in note.text


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


def test_links_in_a_later_window_expand_too(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"a.md": "卡 [[b]]\n" + "x" * 50 + "\n[[c]]\n", "b.md": "B", "c.md": "C"})
    assert m.read("a", depth=1, offset=8).text == "x" * 50 + "\n![[c]]start\n\nC\n\n\n![[c]]end\n"


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


@settings(max_examples=400)
@given(a=PIECES, b=PIECES, c=PIECES, depth=st.integers(0, 4))
@example(a="![[b]]start\n\nB\n\n\n![[b]]end", b="B", c="", depth=0)
@example(a="[[b]]", b="![[a]]start", c="", depth=1)
@example(a="\\![[b]] [[c]]", b="x", c="![[b]]end", depth=2)
@example(a="![[b]]end\\[t](b.md)", b="", c="", depth=1)
@example(a="[[b]]end\n[[c]]start", b="\n![[c]]end", c="![[b]]start\n", depth=3)
def test_collapse_undoes_expand(tmp_path_factory: pytest.TempPathFactory, a: str, b: str, c: str, depth: int) -> None:
    root = tmp_path_factory.mktemp("vault")
    m = memory(root, {"a.md": a, "b.md": b, "c.md": c, "p.png": ""})
    expanded = m.read("a", depth=depth).text
    assert m._editor.view().collapse(expanded, "a.md") == normalised(a)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 5))
def test_collapse_undoes_expand_in_random_vaults(
    tmp_path_factory: pytest.TempPathFactory, seed: int, depth: int
) -> None:
    files = random_files(random.Random(seed), 12)
    m = memory(tmp_path_factory.mktemp("vault"), files, max_chars=3000)
    view = m._editor.view()
    for path, text in files.items():
        note = m.read("/" + name_of(path), depth=depth)
        if note.next_offset is None:
            assert view.collapse(note.text, path) == normalised(text)


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
