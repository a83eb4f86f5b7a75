"""Edits for text editors to make: they equal those of the tools, and count unsaved documents."""

import os
import pathlib
import random
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.renames import choose
from tests.tools.vaults import Files, random_files, random_link, read, write
from zkmem.edit.preview import EditorEdit
from zkmem.errors import (
    BadArgument,
    BadName,
    Inexpressible,
    NoPassage,
    NoSection,
    Taken,
    UnknownNote,
    Unwritable,
    ZkError,
)
from zkmem.markdown.links import as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.memory.editor import InEditor
from zkmem.names import name_of

SEEDS = st.integers(0, 2**32)


def memory(root: pathlib.Path, files: Files) -> InEditor:
    return Memory(write(root, files), durable=False).in_editor()


def carried_out(root: str | os.PathLike[str], edit: EditorEdit) -> dict[str, bytes]:
    """Return the files of a vault after an edit, made by hand; the vault stays as it is."""
    files = read(root, hidden=True)
    for change in edit.texts:
        assert files.get(change.path) == change.before
        files[change.path] = change.after
    moved = {edit.moves[path]: files.pop(path) for path in edit.moves}
    assert moved.keys().isdisjoint(files)
    return files | moved


def texts(edit: EditorEdit) -> dict[str, str]:
    return {change.path: change.after.decode() for change in edit.texts}


def odd_files(rng: random.Random, notes: int) -> dict[str, str | bytes]:
    """Return a random vault with odd bytes in some notes, and a canvas."""
    files: dict[str, str | bytes] = dict(random_files(rng, notes))
    for path in rng.sample(sorted(files), min(3, len(files))):
        data = str(files[path]).encode()
        files[path] = rng.choice([b"\xef\xbb\xbf" + data, data + b"caf\xe9", data.rstrip()])
    path = rng.choice(sorted(files))
    files["map.canvas"] = f'{{"nodes": [{{"type": "file", "file": "{path}", "subpath": "#Part"}}]}}'
    return files


class TestAsTheTools:
    """What the editor changes is what the tool changes."""

    @settings(max_examples=25, deadline=None)
    @given(SEEDS)
    def test_a_rename_by_an_editor_is_a_rename_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        tool = Memory(write(root, odd_files(rng, 12)), durable=False)
        for _ in range(3):
            old, new = choose(rng, sorted(path for path in read(root) if path.endswith(".md")))
            try:
                expected: dict[str, bytes] | None = carried_out(root, tool.in_editor().rename(old, name_of(new)))
            except ZkError as error:
                expected = None
                with pytest.raises(type(error)):
                    tool.rename("/" + name_of(old), name_of(new), merge=False)
            else:
                tool.rename("/" + name_of(old), name_of(new), merge=False)
                assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_a_merge_by_an_editor_is_a_merge_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        tool = Memory(write(root, odd_files(rng, 8)), durable=False)
        one, other = rng.sample(sorted(path for path in read(root) if path.endswith(".md")), 2)
        try:
            expected = carried_out(root, tool.in_editor().merge(one, other))
        except Inexpressible:
            with pytest.raises(Inexpressible):
                tool.rename("/" + name_of(one), "/" + name_of(other), merge=True)
        else:
            assert tool.rename("/" + name_of(one), "/" + name_of(other), merge=True).outcome == "merged"
            assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_a_moved_folder_changes_what_the_tool_changes(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        tool = Memory(
            write(root, {**odd_files(rng, 12), "a/picture.png": b"\x89PNG", "x.md": "![[picture.png]] [t](a/b)"}),
            durable=False,
        )
        to = rng.choice(["moved", "b/a", "with blank/a", "A", "日记/日"])
        expected = carried_out(root, tool.in_editor().move({"a": to}))
        tool.move_files("a", to)
        assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_an_extraction_by_an_editor_is_one_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        tool = Memory(write(root, odd_files(rng, 8)), durable=False)
        path, data = rng.choice(sorted((path, data) for path, data in read(root).items() if path.endswith(".md")))
        passage = rng.choice([line for line in data.splitlines() if data.count(line) == 1] or [data])
        start = data.find(passage)
        try:
            edit = tool.in_editor().extract(path, start, start + len(passage), "new note")
        except (Inexpressible, NoPassage):
            return
        expected = carried_out(root, edit)
        done = tool.extract("/" + name_of(path), passage.decode(errors="replace"), "new note")
        if not any("the section below the heading" in remark for remark in done.note.remarks):  # an editor selects it
            assert read(root, hidden=True) == expected


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_unsaved_documents_count_as_if_they_were_saved(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    files = {path: data for path, data in odd_files(rng, 10).items() if path.endswith(".md")}
    names = sorted(map(name_of, files))
    unsaved = {
        path: f"## New\n\n{random_link(rng, rng.choice([*names, 'nowhere']))} text ^new\n".encode()
        + rng.choice([b"", str(files[path]).encode()])
        for path in rng.sample(sorted(files), min(4, len(files)))
    }
    open_, saved = (tmp_path_factory.mktemp("v") for _ in range(2))
    first, second = names[:2]
    edits: list[Callable[[InEditor, Mapping[str, bytes]], EditorEdit]] = [
        lambda m, texts: m.rename(f"{first}.md", "x/" + second.rpartition("/")[2], texts=texts),
        lambda m, texts: m.rename(f"{first}.md", "renamed", titles=True, texts=texts),
        lambda m, texts: m.merge(f"{first}.md", f"{second}.md", texts=texts),
        lambda m, texts: m.move({"a": "b/a"}, texts=texts),
        lambda m, texts: m.rename_heading(f"{first}.md", 0, "Other", texts=texts),
        lambda m, texts: m.rename_block(f"{first}.md", "id1", "other", texts=texts),
        lambda m, texts: m.rename_missing(f"{first}.md", "nowhere", "somewhere", texts=texts),
        lambda m, texts: m.rename_missing(f"{first}.md", "nowhere", f"/{second}", texts=texts),
    ]
    one, other = memory(open_, files), memory(saved, {**files, **unsaved})
    for edit in edits:
        assert outcome(edit, one, unsaved) == outcome(edit, other, {})


def outcome(
    edit: Callable[[InEditor, Mapping[str, bytes]], EditorEdit], m: InEditor, shown: Mapping[str, bytes]
) -> EditorEdit | str:
    """Return an edit, or the sentence of its error."""
    try:
        return edit(m, shown)
    except ZkError as error:
        return str(error)


HEADINGS = ["One", "Two", "One two", "See [[#One]]", "two!", "`Two` & *One*", "卡片"]


def headed_files(rng: random.Random) -> dict[str, str]:
    """Return notes with few different headings, and links to them in every form."""
    chains = ["#One", "#Two", "#one TWO", "#One#Two", "#Two#One", "#See One", "#卡片", "#^b1", "#Two%20One", "#no", ""]

    def heading(number: int) -> str:
        ending = rng.choice(["", "", " #", " ^h1"])
        return f"{'#' * rng.randint(1, 3)} {rng.choice(HEADINGS)}{ending}\n\ntext ^b{number}\n\n"

    def links(target: str) -> str:
        forms = [f"[[{target}{{}}]]", f"[[{target}{{}}|x]]", f"[t]({target or 'n.md'}{{}})", f"![[{target}{{}}]]"]
        return "".join(f"- {rng.choice(forms).format(rng.choice(chains))}\n" for _ in range(6))

    canvas = f'{{"nodes": [{{"type": "file", "file": "n.md", "subpath": "{rng.choice(chains)}"}}]}}'
    return {
        "n.md": "---\nx: 1\n---\n" + "".join(map(heading, range(6))) + links(""),
        "a/s.md": links("n"),
        "c.canvas": canvas,
    }


def meant(files: dict[str, bytes]) -> list[tuple[str, str, int | None]]:
    """Return each link of the notes, except those in headings: its source, its block, and its heading in the note n."""
    outline = Outline(as_utf8(body_of(files["n.md"])))
    begin = len(files["n.md"]) - len(outline.body)
    titles = [range(begin + one.start, begin + one.end) for one in outline.headings]
    return [
        (path, link.subpath if "^" in link.subpath else "", outline.heading(link.subpath))
        for path in ("n.md", "a/s.md")
        for link in find_links(files[path])
        if path != "n.md" or not any(link.start in title for title in titles)
    ]


class TestHeadings:
    @settings(max_examples=150, deadline=None)
    @given(SEEDS, st.sampled_from(["Other", "Two", "One", "One #Two", "a | b", "!!", "Two: [[n#One]]", "x ^y z"]))
    def test_every_link_to_a_heading_leads_there_after_a_rename(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int, text: str
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        m, number = memory(root, headed_files(rng)), rng.randrange(6)
        before = read(root)
        try:
            after = carried_out(root, m.rename_heading("n.md", number, text))
        except Inexpressible:
            return
        pairs = list(zip(meant(before), meant(after), strict=True))
        assert [old for old, _ in pairs if old[2] is not None] == [new for old, new in pairs if old[2] is not None]

    def test_a_heading_is_renamed_with_its_links_in_every_form(self, tmp_path: pathlib.Path) -> None:
        files = {
            "n.md": "# Top\n\n## A part ##\n\n[[#A part]] `[[#A part]]`\n",
            "s.md": "[[n#a Part|x]] [[n#Top#A part]] [t](n.md#A%20part) [u](n.md#a-part) [[n#A-part]] ![[n#Top]]",
            "b.canvas": '{"nodes": [{"type": "file", "file": "n.md", "subpath": "#A part"}]}',
        }
        edit = memory(tmp_path, files).rename_heading("n.md", 1, "B: [x]")
        assert texts(edit) == {
            "b.canvas": '{"nodes": [{"type": "file", "file": "n.md", "subpath": "#B x"}]}',
            "n.md": "# Top\n\n## B: [x] ##\n\n[[#B x]] `[[#A part]]`\n",
            "s.md": "[[n#B x|x]] [[n#Top#B x]] [t](n.md#B%20x) [u](n.md#b-x) [[n#A-part]] ![[n#Top]]",
        }
        assert not edit.moves

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("#  A  ##  ", "#  B  ##  "), ("A\n===", "B\n==="), ("> ## A ^id", "> ## B ^id"), ("- # A", "- # B"),
            ("# A\r\n", "# B\r\n"), ("A\nmore\n---", "B\n---"),
        ],
    )  # fmt: skip
    def test_only_the_text_of_a_heading_changes(self, tmp_path: pathlib.Path, source: str, expected: str) -> None:
        m = memory(tmp_path, {"n.md": source})
        assert texts(m.rename_heading("n.md", 0, " B ")) == {"n.md": expected}

    @pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\rb", "x ^id", "a #", "\ud800", "x\n# y"])
    def test_a_text_that_is_not_that_of_a_heading_is_refused(self, tmp_path: pathlib.Path, text: str) -> None:
        m = memory(tmp_path, {"n.md": "# A\n\n## B\n"})
        with pytest.raises(BadArgument):
            m.rename_heading("n.md", 0, text)
        with pytest.raises(BadArgument, match="number 2"):
            m.rename_heading("n.md", 2, "x")

    def test_a_heading_whose_links_could_not_lead_to_it_keeps_its_text(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"n.md": "# B\n\n# A\n\n[[#A]]\n"})
        with pytest.raises(Inexpressible, match="'#A'"):
            m.rename_heading("n.md", 0, "A")


class TestBlocks:
    def test_a_block_is_renamed_with_its_links_in_every_form(self, tmp_path: pathlib.Path) -> None:
        files = {
            "n.md": "text ^one\n\n`^one` [[#^one]]\n",
            "s.md": "[[n#^ONE|x]] ![[n#^one]] [t](n.md#^one) [[n#^on]] [[n#one]]",
            "b.canvas": '{"nodes": [{"type": "file", "file": "n.md", "subpath": "#^one"}]}',
        }
        assert texts(memory(tmp_path, files).rename_block("n.md", "one", "^Two-2")) == {
            "b.canvas": '{"nodes": [{"type": "file", "file": "n.md", "subpath": "#^Two-2"}]}',
            "n.md": "text ^Two-2\n\n`^one` [[#^Two-2]]\n",
            "s.md": "[[n#^Two-2|x]] ![[n#^Two-2]] [t](n.md#^Two-2) [[n#^on]] [[n#one]]",
        }

    def test_an_id_that_is_taken_or_not_allowed_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"n.md": "a ^one\n\nb ^two\n"})
        with pytest.raises(Taken, match=r"\^TWO already"):
            m.rename_block("n.md", "one", "TWO")
        for new in ("", "a b", "naïve", "a_b", "x\0", "]]", "a\nb"):
            with pytest.raises(BadArgument, match="cannot have the id"):
                m.rename_block("n.md", "one", new)
        with pytest.raises(NoSection):
            m.rename_block("n.md", "gone", "x")


WITH_MISSING = {
    "s.md": "[[Gone|x]] [[gone#H|Gone]] ![[Gone]] [t](Gone.md) [t](Gone) `[[Gone]]` [[other]]",
    "a/t.md": "[[gONE.md]] [[a/Gone]]",
    "there.md": "",
}


class TestMissing:
    def test_all_links_to_a_missing_note_get_the_new_name(self, tmp_path: pathlib.Path) -> None:
        edit = memory(tmp_path, WITH_MISSING).rename_missing("s.md", "Gone", "b/New")
        assert texts(edit) == {
            "s.md": "[[b/New|x]] [[b/New#H|New]] ![[b/New]] [t](b/New.md) [t](Gone) `[[Gone]]` [[other]]",
            "a/t.md": "[[b/New]] [[a/Gone]]",
        }

    def test_if_a_note_has_the_new_name_they_lead_to_it(self, tmp_path: pathlib.Path) -> None:
        edit = memory(tmp_path, {**WITH_MISSING, "b/there.md": ""}).rename_missing("s.md", "Gone", "b/there")
        assert texts(edit)["a/t.md"] == "[[b/there]] [[a/Gone]]"

    @pytest.mark.parametrize("name", ["", "../x", "a\0", "x" * 300, "a|b", "a]]", "[[a]]", "con", "a#b", "\ud800"])
    def test_a_name_that_is_not_allowed_is_refused(self, tmp_path: pathlib.Path, name: str) -> None:
        m = memory(tmp_path, WITH_MISSING)
        with pytest.raises((BadName, BadArgument)):
            m.rename_missing("s.md", "Gone", name)
        with pytest.raises((BadName, BadArgument, Unwritable)):
            m.rename("s.md", name)

    def test_a_link_to_a_note_that_exists_is_refused(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(BadArgument, match="by now"):
            memory(tmp_path, WITH_MISSING).rename_missing("s.md", "there", "x")


class TestTitles:
    def test_a_note_is_renamed_with_the_titles_that_are_its_name(self, tmp_path: pathlib.Path) -> None:
        files = {
            "a/Old.md": "---\ntitle: old\ntags: [Old]\n---\n# Old\n\nOld [[#Old]]\n\n# Old\n",
            "s.md": "[[Old#Old]] [[a/Old|Old]]",
        }
        m = memory(tmp_path, files)
        edit = m.rename("a/Old.md", "a/New", titles=True)
        assert edit.moves == {"a/Old.md": "a/New.md"}
        assert texts(edit) == {
            "a/Old.md": "---\ntitle: New\ntags: [Old]\n---\n# New\n\nOld [[#New]]\n\n# Old\n",
            "s.md": "[[New#New]] [[a/New|New]]",
        }
        assert texts(m.rename("a/Old.md", "a/New")) == {"s.md": "[[New#Old]] [[a/New|New]]"}

    def test_other_titles_stay(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"Old.md": "---\ntitle: 3\n---\n# Another\n\n## Old\n"})
        assert m.rename("Old.md", "New", titles=True) == EditorEdit(moves={"Old.md": "New.md"})


class TestMoves:
    def test_files_and_folders_move_at_once(self, tmp_path: pathlib.Path) -> None:
        files = {
            "a/n.md": "[[m]] [t](../x.png)", "a/m.md": "", "x.png": "png", "c.md": "[[a/n]] ![[x.png]] [[a/m]]",
            "d.canvas": '{"nodes": [{"type": "file", "file": "x.png"}]}',
        }  # fmt: skip
        moves = {"a": "b/c", "x.png": "pictures/y.png", "nowhere.md": "x.md", "d.canvas": "D.canvas"}
        edit = memory(tmp_path, files).move(moves)
        assert texts(edit) == {
            "a/n.md": "[[m]] [t](../../pictures/y.png)",
            "c.md": "[[b/c/n]] ![[y.png]] [[b/c/m]]",
            "d.canvas": '{"nodes": [{"type": "file", "file": "pictures/y.png"}]}',
        }
        assert edit.moves == {
            "a/m.md": "b/c/m.md", "a/n.md": "b/c/n.md", "x.png": "pictures/y.png", "d.canvas": "D.canvas"
        }  # fmt: skip

    def test_a_file_moves_with_the_innermost_folder(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a/b/n.md": "", "a/m.md": "", "a/x.md": "", "s.md": "[[a/b/n]] [[a/m]] [[a/x]]"})
        edit = m.move({"a": "c", "a/b": "d", "a/x.md": "y.md"})
        assert edit.moves == {"a/b/n.md": "d/n.md", "a/m.md": "c/m.md", "a/x.md": "y.md"}
        assert texts(edit) == {"s.md": "[[d/n]] [[c/m]] [[y]]"}

    def test_two_files_may_exchange_their_names(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "", "b.md": "", "s.md": "[[a]] [[b]] [[B|a]]"})
        assert texts(m.move({"a.md": "b.md", "b.md": "a.md"})) == {"s.md": "[[b]] [[a]] [[a|a]]"}

    def test_moves_that_no_vault_can_have_are_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a/a.md": "", "b.md": "", "s.md": "[[b]]"})
        with pytest.raises(BadArgument):
            m.move({"a": "a/b"})
        for path in ("s.md", "S.md"):
            with pytest.raises(Taken):
                m.move({"b.md": path})
        with pytest.raises(Inexpressible):
            m.move({"b.md": "b#x.md"})
        with pytest.raises(Taken, match="same path"):
            m.move({"a/a.md": "x.md", "b.md": "X.md"})

    def test_a_file_that_leaves_the_vault_leaves_its_links(self, tmp_path: pathlib.Path) -> None:
        assert memory(tmp_path, {"a.md": "", "s.md": "[[a]]"}).move({"a.md": ".trash/a.md"}) == EditorEdit()


class TestRefusals:
    def test_a_name_that_a_note_has_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "# a", "b.md": ""})
        for titles in (False, True):
            with pytest.raises(Taken, match="'b' already"):
                m.rename("a.md", "B", titles=titles)
        assert m.rename("a.md", "A").moves == {"a.md": "A.md"}
        assert m.rename("a.md", "a") == EditorEdit()

    def test_the_name_of_a_document_that_is_not_saved_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "one"})
        with pytest.raises(Taken, match="not saved yet"):
            m.rename("a.md", "b", texts={"b.md": b"x"})
        with pytest.raises(Taken, match="not saved yet"):
            m.extract("a.md", 0, 3, "b", texts={"b.md": b"x"})

    def test_what_is_not_a_note_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "one", "x.png": "x"})
        for path in ("x.png", "gone.md", "../a.md", "", "a"):
            with pytest.raises(UnknownNote):
                m.rename(path, "b")

    def test_a_selection_that_cannot_be_extracted_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "---\nx: 1\n---\ntext [[a]] \n\n", "b.md": ""})
        for start, end in ((0, 20), (5, 5), (24, 26), (0, 1000)):
            with pytest.raises(NoPassage):
                m.extract("a.md", start, end, "new")
        with pytest.raises(BadArgument, match="0 or more"):
            m.extract("a.md", -4, 9, "new")
        with pytest.raises(Taken):
            m.extract("a.md", 13, 17, "b")
        with pytest.raises(BadName):
            m.extract("a.md", 13, 17, "a|b")


def test_links_are_pointed_elsewhere_in_the_document_as_it_is_shown(tmp_path: pathlib.Path) -> None:
    m = memory(tmp_path, {"s.md": "old", "x/n.md": "# One\n", "y/n.md": "", "other.md": "[[n]]"})
    shown = {"s.md": b"unsaved [[n]] [[n#On]] n"}
    assert texts(m.repoint("s.md", "n", "y/n.md", texts=shown)) == {"s.md": "unsaved [[y/n]] [[y/n#On]] n"}
    assert texts(m.repoint_part("s.md", "n", "#On", "#One", texts=shown)) == {"s.md": "unsaved [[n]] [[n#One]] n"}
    assert texts(m.link("s.md", 23, 24, "other.md", texts=shown)) == {"s.md": "unsaved [[n]] [[n#On]] [[other|n]]"}
    with pytest.raises(BadArgument, match="try again"):
        m.repoint_part("s.md", "n", "#Gone", "#One", texts=shown)
