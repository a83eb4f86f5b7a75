"""Edits: set, delete, rename, merge, extract. Only the planned bytes change, and links keep what they mean."""

import errno
import os
import pathlib
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools import renames
from tests.tools.inner import engine, index_faults
from tests.tools.vaults import Files, apply_plan, fresh_index, random_files, read, write
from zkmem.edit.merge import merged
from zkmem.edit.plan import Put
from zkmem.edit.rename import plan_rename
from zkmem.errors import (
    AmbiguousName,
    BadArgument,
    BadName,
    Changed,
    EditedSince,
    Inexpressible,
    NoPassage,
    StaleEtag,
    Taken,
    UnknownNote,
    Unwritable,
)
from zkmem.markdown.links import find_links
from zkmem.memory import Memory
from zkmem.vault import files, platform
from zkmem.vault import store as store_module
from zkmem.vault.store import Store


def memory(root: pathlib.Path, files: Files) -> Memory:
    return Memory(write(root, files))


def text(root: pathlib.Path, path: str) -> str:
    return (root / path).read_bytes().decode()


class TestSet:
    def test_creates_with_the_bytes_given(self, tmp_path: pathlib.Path) -> None:
        done = memory(tmp_path, {}).write("topics/new note", "one\n[[gone]]")
        assert (done.name, done.outcome, done.missing) == ("topics/new note", "created", ["gone"])
        assert text(tmp_path, "topics/new note.md") == "one\n[[gone]]"

    def test_edits_the_note_that_the_link_means(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"x/c.md": "old"})
        assert m.write("c", "new").name == "x/c"
        assert m.write("/c", "root's own").outcome == "created"
        assert read(tmp_path) == {"x/c.md": b"new", "c.md": b"root's own"}

    def test_a_shared_name_is_refused_with_names_that_work(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"x/c.md": "1", "y/c.md": "2"})
        with pytest.raises(AmbiguousName, match="x/c, y/c"):
            m.write("c", "new")
        m.write("x/c", "new")
        assert text(tmp_path, "x/c.md") == "new"

    def test_old_must_occur_once(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "one two\ntwo three\n"})
        with pytest.raises(NoPassage, match="2 times in 'a', at lines 1, 2"):
            m.write("a", "x", old="two")
        with pytest.raises(NoPassage, match=r"nearest text is line 2: 'two three'"):
            m.write("a", "x", old="two thre e")
        with pytest.raises(UnknownNote):
            m.write("b", "x", old="two")
        m.write("a", "2", old="two three")
        assert text(tmp_path, "a.md") == "one two\n2\n"

    def test_append_begins_a_new_line(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "- one", "b.md": "- one\n", "c.md": ""})
        for name in "abcd":
            m.write(name, "- two", append=True)
        assert [text(tmp_path, f"{name}.md") for name in "abcd"] == ["- one\n- two", "- one\n- two", "- two", "- two"]
        with pytest.raises(BadArgument, match="exclude"):
            m.write("a", "x", old="one", append=True)

    @pytest.mark.parametrize("end", ["", "\n"])
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Prices.", "---\n\n## Two\nmore"), ("Prices.", "==="), ("text", "more"), ("a  ", "b"), ("text", "2. b"),
            ("- item", "text"), ("- item", "  text"), ("> quote", "text"), ("[^1]: note", "text"), ("<div>", "text"),
            ("| a |\n|---|\n| 1 |", "text"), ("| a |\n|---|\n| 1 |", "| b |\n|:-:|\n| 2 |"), ("text", "| a |\n|---|"),
            ("```\ncode\n\nmore\n```\ntext", "---"), ("---\nk: 1\n---\ntext", "more"), ("first\n\ntext", "more"),
            ("> | a |\n> |---|\n> | 1 |", "| 2 |"), ("> | a |\n> |---|", "> | b |\n> |---|"), ("| x", "| y"),
            ("| a |\n|---|\n| 1 |", "  | b |\n  |---|\n  | 2 |"),
        ],
    )  # fmt: skip
    def test_append_keeps_blocks_apart(self, tmp_path: pathlib.Path, old: str, new: str, end: str) -> None:
        memory(tmp_path, {"a.md": old + end}).write("a", new, append=True)
        assert text(tmp_path, "a.md") == f"{old}\n\n{new}"

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("text\n", "# Two"), ("text\n", "\nmore"), ("text\n\n", "---"), ("# One\n", "text"), ("- a\n", "- b"),
            ("| a |\n|---|\n", "| 1 |"), ("```\ncode\n```\n", "text"), ("```\ncode\n", "more"), ("---\n", "text"),
            ("---\nk: 1\n---\n", "text"), ("- a\n", "  - b"), ("<!-- c -->\n", "text"), ("text\n", "> quote"),
            ("a | b\n--- | ---\n1 | 2\n", "| 3 | 4 |"), ("| a | b |\n|---|---|\n", "3 | 4"), ("a | b\n-|-\n", "3 | 4"),
            ("- x\n\n  | a |\n  |---|\n  | 1 |\n", "  | 2 |"), ("> | a |\n> |---|\n> | 1 |\n", "> | 2 |"),
        ],
    )  # fmt: skip
    def test_append_adds_no_blank_line_where_none_is_needed(self, tmp_path: pathlib.Path, old: str, new: str) -> None:
        memory(tmp_path, {"a.md": old}).write("a", new, append=True)
        assert text(tmp_path, "a.md") == old + new

    def test_a_stale_etag_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "one"})
        etag = m.read("a").etag
        fresh = m.write("a", "two", etag=etag).etag
        with pytest.raises(StaleEtag, match=fresh):
            m.write("a", "three", etag=etag)
        with pytest.raises(StaleEtag, match="does not exist"):
            m.write("b", "three", etag=etag)
        assert read(tmp_path) == {"a.md": b"two"}

    def test_a_new_name_does_not_hijack_links_of_others(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"s.md": "[[c]] `[[c]]` [[c#H|d]]", "x/c.md": ""})
        assert m.write("/c", "new").relinked == ["s"]
        assert text(tmp_path, "s.md") == "[[x/c]] `[[c]]` [[x/c#H|d]]"

    def test_line_ends_and_bom_survive_a_whole_replacement(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": b"\xef\xbb\xbfone\r\ntwo\r\n"})
        assert m.read("a").text == "one\ntwo\n"
        m.write("a", "one\n2\nthree\n")
        assert (tmp_path / "a.md").read_bytes() == b"\xef\xbb\xbfone\r\n2\r\nthree\r\n"

    def test_bytes_that_are_not_utf8_survive_or_the_edit_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": b"caf\xe9 one\r\ntwo \xff\r\n"})
        assert m.read("a").text == "caf\ufffd one\ntwo \ufffd\n"
        with pytest.raises(Unwritable, match="UTF-8"):
            m.write("a", "whole")
        m.write("a", "1\n1", old="one")
        m.write("a", "end", append=True)
        assert (tmp_path / "a.md").read_bytes() == b"caf\xe9 1\r\n1\r\ntwo \xff\r\n\r\nend"

    def test_the_same_text_writes_nothing(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "same"})
        before = os.stat(tmp_path / "a.md").st_mtime_ns
        assert m.write("a", "same").outcome == "unchanged"
        assert os.stat(tmp_path / "a.md").st_mtime_ns == before

    def test_half_a_character_is_refused(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(BadArgument, match="half a character"):
            memory(tmp_path, {}).write("a", "\ud800")

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("a:b", "':'"), ("../x", "leads out"), ("a/../../x", "leads out"), ("", "empty"), ("a//b", "empty"),
            ("con", "device"), ("x.", "dot"), (".hidden", "hides"), ("a\0b", "NUL"), ("d./x", "dot"),
            ("a\nb", "U\\+000A"), ("a[[b", r"'\['"), ("x" * 300, "252 bytes"), ("folder/", "empty"),
            ("a%%b", "comment"),
        ],
    )  # fmt: skip
    def test_names_that_no_file_can_have_are_refused(self, tmp_path: pathlib.Path, name: str, reason: str) -> None:
        with pytest.raises(BadName, match=reason):
            memory(tmp_path, {}).write(name, "x")
        assert read(tmp_path, hidden=True) == {}

    def test_a_note_under_a_name_that_could_not_be_made_stays_usable(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"what?.md": "q", "a.md": "[[what?]]"})
        assert m.read("what?").text == "q"
        m.write("what?", "new")
        m.rename("what?", "what")
        assert read(tmp_path) == {"what.md": b"new", "a.md": b"[[what]]"}

    def test_a_note_made_by_hand_a_moment_ago_is_seen(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": ""})
        m.load()
        write(tmp_path, {"b.md": "by hand"})
        assert m.read("b").text == "by hand"
        write(tmp_path, {"c.md": "by hand\n"})
        assert m.write("c", "more", append=True).outcome == "appended"
        assert text(tmp_path, "c.md") == "by hand\n\nmore"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le"])
    def test_nothing_is_added_to_a_note_in_another_encoding(self, tmp_path: pathlib.Path, encoding: str) -> None:
        data = "one\n".encode(encoding)
        memory = Memory(write(tmp_path, {"a.md": data, "b.md": b"caf\xe9\n", "c.md": b"a zero: \0\n"}))
        with pytest.raises(Inexpressible, match="convert the file"):
            memory.write("a", "two\n", append=True)
        memory.write("b", "two\n", append=True)
        memory.write("c", "two\n", append=True)
        assert read(tmp_path) == {"a.md": data, "b.md": b"caf\xe9\n\ntwo\n", "c.md": b"a zero: \0\n\ntwo\n"}


class TestDelete:
    def test_moves_to_the_trash_under_a_free_name(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "1", "x/a.md": "2", "b.md": "[[/a]]", "c.md": "[[a]]"})
        first = m.delete("/a")
        assert (first.trash, first.dangling, first.repointed) == (".trash/a.md", ["b"], {"c": "x/a"})
        assert m.delete("a").trash == ".trash/a 1.md"
        assert read(tmp_path, hidden=True) == {
            "b.md": b"[[/a]]", "c.md": b"[[a]]", ".trash/a.md": b"1", ".trash/a 1.md": b"2"
        }  # fmt: skip

    def test_an_unknown_name_lists_the_nearest(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(UnknownNote, match="Nearest names: vuex, topics/vue"):
            memory(tmp_path, {"topics/vue.md": "", "vuex.md": "", "other.md": ""}).delete("vu")
        with pytest.raises(UnknownNote, match="vue"):
            memory(tmp_path, {}).delete("veu")


class TestRename:
    def test_rewrites_every_form_and_nothing_else(self, tmp_path: pathlib.Path) -> None:
        forms = (
            "---\nup: \"[[b]]\"\nodd:   'kept'\n---\n[[b]] [[b|x]] [[b#H]] [[b#^id]] ![[b|100]] [[B]] [[ b ]] [[b.md]] "
            '[[/b]] [[./b]] [t](b.md) [t](<b.md>) [t](b.md#H "title") [t](./b.md) | [[b\\|y]] | `[[b]]` '
            "%%[[b]]%% <!-- [[b]] --> $[[b]]$ \\[[b]] [[bb]] [t][r]\n\n[r]: b.md\n\n    [[b]]\n"
        )
        m = memory(tmp_path, {"a.md": forms, "b.md": "", "bb.md": ""})
        m.rename("b", "new name")
        expected = (
            forms.replace('"[[b]]"', '"[[new name]]"')
            .replace("[[b]] [[b|x]] [[b#H]] [[b#^id]] ![[b|100]] [[B]] [[ b ]] [[b.md]] [[/b]] [[./b]]",
                     "[[new name]] [[new name|x]] [[new name#H]] [[new name#^id]] ![[new name|100]] [[new name]] "
                     "[[ new name ]] [[new name.md]] [[/new name]] [[./new name]]")
            .replace("(b.md)", "(new%20name.md)").replace("(<b.md>)", "(<new name.md>)")
            .replace("(b.md#H", "(new%20name.md#H").replace("(./b.md)", "(./new%20name.md)")
            .replace("[[b\\|y]]", "[[new name\\|y]]").replace("%%[[b]]%%", "%%[[new name]]%%")
            .replace("[r]: b.md", "[r]: new%20name.md")
        )  # fmt: skip
        assert text(tmp_path, "a.md") == expected

    def test_updates_display_text_that_was_the_name(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[f/2|2]] [2](f/2.md) [[f/2|two]]", "f/2.md": ""})
        m.rename("2", "f/222")
        assert text(tmp_path, "a.md") == "[[f/222|222]] [222](f/222.md) [[f/222|two]]"

    def test_case_only(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"note.md": "[[note]]", "a.md": "[[note]] [[NOTE|x]]"})
        assert m.rename("note", "Note").outcome == "moved"
        assert read(tmp_path) == {"Note.md": b"[[note]]", "a.md": b"[[note]] [[NOTE|x]]"}

    def test_to_itself_does_nothing(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]]", "b.md": ""})
        assert m.rename("b", "b").outcome == "unchanged"
        assert m.rename("b", "b.md").outcome == "unchanged"

    def test_relative_links_of_the_moved_note_are_kept_right(self, tmp_path: pathlib.Path) -> None:
        files = {"x/a.md": "[[../b]] [t](../b.md) [[./c]] ![i](p.png)", "b.md": "", "x/c.md": "", "x/p.png": ""}
        m = memory(tmp_path, files)
        m.rename("a", "y/z/a")
        assert text(tmp_path, "y/z/a.md") == "[[../../b]] [t](../../b.md) [[../../x/c]] ![i](../../x/p.png)"

    def test_destinations_are_encoded_only_where_they_must_be(self, tmp_path: pathlib.Path) -> None:
        for new, written in [
            ("100%41", "100%2541.md"), ("a &amp; b", "a%20%26amp;%20b.md"), ("a (b", "a%20%28b.md"),
            ("a(b)", "a(b).md"), ("日本", "日本.md"), ("50%", "50%.md"),
        ]:  # fmt: skip
            root = tmp_path / str(len(os.listdir(tmp_path)))
            memory(root, {"s.md": "[t](b.md)", "b.md": ""}).rename("b", new)
            assert text(root, "s.md") == f"[t]({written})"

    def test_bytes_around_the_links_stay(self, tmp_path: pathlib.Path) -> None:
        odd = b"\xef\xbb\xbf---\r\nodd:  {{date}}\r\nno: x [[b]] y\r\n---\r\n\xff [[b]]\rx\r\n\t[[b]] \xe9"
        m = memory(tmp_path, {"a.md": odd, "b.md": ""})
        m.rename("b", "卡片 (1)")
        assert (tmp_path / "a.md").read_bytes() == (odd[:40] + odd[40:].replace(b"[[b]]", "[[卡片 (1)]]".encode()))

    def test_yaml_strings_with_escapes(self, tmp_path: pathlib.Path) -> None:
        source = "---\na: '[[it''s]]'\nb: \"[[it\\u0027s|x \\\"y\\\"]]\"\nc: |-\n  [[it's]]\n---\n"
        m = memory(tmp_path, {"a.md": source, "it's.md": ""})
        m.rename("it's", "that's")
        assert text(tmp_path, "a.md") == (
            "---\na: '[[that''s]]'\nb: \"[[that's|x \\\"y\\\"]]\"\nc: |-\n  [[that's]]\n---\n"
        )

    def test_a_name_that_markdown_cannot_link_to_changes_nothing(self, tmp_path: pathlib.Path) -> None:
        files = {"a.md": "[[b]] and [[b]]", "b.md": ""}
        m = memory(tmp_path, files)
        with pytest.raises(Unwritable, match="simpler"):
            m.rename("b", "b`c")
        assert read(tmp_path) == {path: data.encode() for path, data in files.items()}

    def test_canvas_files_are_updated_byte_for_byte(self, tmp_path: pathlib.Path) -> None:
        canvas = (
            '{\n\t"nodes":[\n\t\t{"id":"1","type":"file","file":"d/b.md","x":1.50},\n'
            '\t\t{"type":"text","text":"卡 \\u00e9 [[b]] \\"q\\""}\n\t]\n}'
        )
        m = memory(tmp_path, {"m.canvas": canvas, "d/b.md": "", "bad.canvas": "{", "list.canvas": "[1]"})
        m.rename("b", "e/c")
        assert text(tmp_path, "m.canvas") == canvas.replace("d/b.md", "e/c.md").replace(
            '"卡 \\u00e9 [[b]] \\"q\\""', '"卡 é [[c]] \\"q\\""'
        )

    @pytest.mark.parametrize("new_name", ["", "a/..", "x:y", "   "])
    def test_a_bad_new_name_changes_nothing(self, tmp_path: pathlib.Path, new_name: str) -> None:
        m = memory(tmp_path, {"a.md": "[[b]]", "b.md": ""})
        with pytest.raises(BadName):
            m.rename("b", new_name)
        assert read(tmp_path) == {"a.md": b"[[b]]", "b.md": b""}

    @pytest.mark.parametrize("seed", range(4))
    def test_random_renames_keep_the_graph(self, tmp_path: pathlib.Path, seed: int) -> None:
        root = write(tmp_path, random_files(random.Random(seed), 40))
        changed, refused, wrong = renames.run(root, 25, seed)
        assert wrong == 0
        assert changed > 10
        assert refused < 10

    def test_random_renames_in_the_sample_vault(self, tmp_path: pathlib.Path) -> None:
        sample = pathlib.Path(__file__).parents[2] / "sample_vault"
        write(tmp_path, read(sample))
        assert renames.run(str(tmp_path), 30, 7)[2] == 0

    def test_a_new_folder_has_the_permissions_of_the_folder_that_its_notes_come_from(
        self, tmp_path: pathlib.Path
    ) -> None:
        m = memory(tmp_path, {"private/a.md": "a\n", "private/in/b.md": "b\n"})
        (tmp_path / "private").chmod(0o700)
        (tmp_path / "private" / "in").chmod(0o750)
        m.rename("private/in/b", "diary/2026/b")
        m.rename("private/a", "new/a")
        modes = {folder: oct((tmp_path / folder).stat().st_mode & 0o777) for folder in ("diary", "diary/2026", "new")}
        assert modes == {"diary": "0o700", "diary/2026": "0o750", "new": "0o700"}
        m.undo()
        m.undo()


class TestMerge:
    def test_the_new_note_comes_first_and_keeps_its_name(self, tmp_path: pathlib.Path) -> None:
        files = {"s.md": "[[a]] [[a#H|x]] [[b]]", "a.md": "# H\nA [[b]] [[a]]\n", "d/b.md": "B\n"}
        m = memory(tmp_path, files)
        done = m.rename("a", "d/b", merge=True)
        assert (done.outcome, done.name, done.relinked) == ("merged", "d/b", ["s"])
        assert read(tmp_path, hidden=True) == {
            "s.md": b"[[b]] [[b#H|x]] [[b]]",
            "d/b.md": b"B\n\n---\n\n# H\nA [[b]] [[b]]\n",
            ".trash/a.md": b"# H\nA [[b]] [[a]]\n",
        }

    def test_a_name_that_differs_in_case_is_the_same_note(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "A", "B.md": "B"})
        assert m.rename("a", "b", merge=True).name == "B"

    @pytest.mark.parametrize(
        ("kept", "added", "expected"),
        [
            ("B\n", "A\n", "B\n\n---\n\nA\n"),
            ("B", "A", "B\n\n---\n\nA"),
            ("", "A\n", "A\n"),
            ("B\n", "\n", "B\n"),
            ("B\r\n", "A\nC\n", "B\r\n\r\n---\r\n\r\nA\r\nC\r\n"),
            ("---\nk: 1\n---\nB\n", "---\nk: 2\nj: 3\n---\nA\n", "---\nk: 1\nj: 3\n---\nB\n\n---\n\nA\n"),
            ("B\n", "---\nj: 3\n---\nA\n", "---\nj: 3\n---\nB\n\n---\n\nA\n"),
            (
                "---\ntags: [a, b]\naliases:\n  - x\n  - 'y'\nodd:   {z: 1}\n---\nB\n",
                '---\ntags:\n- b\n- c d\naliases: [y, "z: 1"]\n---\nA\n',
                "---\ntags: [a, b, c d]\naliases:\n  - x\n  - 'y'\n  - \"z: 1\"\nodd:   {z: 1}\n---\nB\n\n---\n\nA\n",
            ),
            ("---\nk: [\n---\nB\n", "---\nj: 3\n---\nA\n", "---\nk: [\n---\nB\n\n---\n\n```yaml\nj: 3\n```\n\nA\n"),
            (
                "---\nk: &x [1]\n---\nB\n",
                "---\nl: &x\n - *x\n---\n",
                "---\nk: &x [1]\n---\nB\n\n---\n\n```yaml\nl: &x\n - *x\n```\n\n",
            ),
            ("---\n---\nB\n", "---\nj: 3\n---\nA\n", "---\nj: 3\n---\nB\n\n---\n\nA\n"),
        ],
    )  # fmt: skip
    def test_texts_and_frontmatter(self, kept: str, added: str, expected: str) -> None:
        assert merged(kept.encode(), added.encode()).decode() == expected

    @pytest.mark.parametrize(
        ("kept", "added", "expected", "dropped"),
        [
            ("tags: a", "tags: b", "tags: [a, b]", ""),
            ("tags: a, b # mine", "tags: [b, c]", "tags: [a, b, c] # mine", ""),
            ("tags: [a]", "tags: c b a", "tags: [a, c, b]", ""),
            ("aliases: x, y\nj: 1", "aliases: z", 'aliases: ["x, y", z]\nj: 1', ""),
            ("author: Ann", "author: [Bo, Ann]", "author: [Ann, Bo]", ""),
            ("author:\n- Ann\nj: 1", "author: Bo", "author:\n- Ann\n- Bo\nj: 1", ""),
            ("author: [Ann]", "author:\n- Bo, Cy", 'author: [Ann, "Bo, Cy"]', ""),
            ("author: |\n  Ann\n  Li\nj: 1", "author: [Bo]", 'author: ["Ann\\nLi\\n", Bo]\nj: 1', ""),
            ("status:", "status: old", "status: old", ""),
            ("status:   # mine\nj: 1", "status: old", "status: old   # mine\nj: 1", ""),
            ("status: ''", "status: [a, b]", "status: [a, b]", ""),
            ("status: ~", "status: {a: 1}", "status: {a: 1}", ""),
            ("status: []", "status: old", "status: [old]", ""),
            ("status: new", "status:", "status: new", ""),
            ("status: new", "status: new", "status: new", ""),
            ("status: new", "status: old", "status: new", "status: old"),
            ("n: 1\nd: 2026-01-02", "n: 2\nd: 2025-01-01", "n: 1\nd: 2026-01-02", "n: 2, d: 2025-01-01"),
            ("m: {a: 1}", "m: {a: 2}", "m: {a: 1}", "m: {a: 2}"),
            ("m: {a: 1}", "m: [b]", "m: {a: 1}", "m: b"),
            ("t: x", 't: "a\\nb"', "t: x", 't: "a\\nb"'),
            ("a: 1\nb: 1\nc: 1\nd: 1", "a: 2\nb: 2\nc: 2\nd: 2", "a: 1\nb: 1\nc: 1\nd: 1",
             "a: 2, b: 2, c: 2 and 1 more"),
            ("t: x", f"t: {'y' * 200}", "t: x", f"t: {'y' * 97}..."),
            ("{status: new}", "status: old", "{status: new}", ""),  # it is a code block in the text
        ],
    )  # fmt: skip
    def test_both_values_of_a_property_are_kept_in_a_list_or_the_answer_names_the_dropped_one(
        self, tmp_path: pathlib.Path, kept: str, added: str, expected: str, dropped: str
    ) -> None:
        for newline in ("\n", "\r\n"):
            texts = [f"---\n{one}\n---\nText.\n".replace("\n", newline) for one in (added, kept)]
            root = tmp_path / str(len(newline))
            done = memory(root, {"a.md": texts[0], "b.md": texts[1]}).rename("a", "b", merge=True)
            assert done.remarks == ([f"properties that are now only in the trash: {dropped}"] if dropped else [])
            head = f"---\n{expected}\n---\n".replace("\n", newline)
            assert text(root, "b.md").startswith(head)
            assert ("status: old" in text(root, "b.md").removeprefix(head)) == (kept[0] == "{")


class TestExtract:
    def test_moves_the_passage_and_leaves_a_link(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "one\ntwo\nthree\n"})
        done = m.extract("a", "two", "t/new")
        assert (done.note.name, done.note.outcome, done.source.name) == ("t/new", "created", "a")
        assert read(tmp_path) == {"a.md": b"one\n[[t/new]]\nthree\n", "t/new.md": b"two\n"}

    def test_a_target_that_exists_gets_it_after_a_blank_line(self, tmp_path: pathlib.Path) -> None:
        for number, there in enumerate(["old", "old\n", "old\n\n", ""]):
            root = tmp_path / str(number)
            memory(root, {"a.md": "one two", "b.md": there}).extract("a", "two", "b")
            assert text(root, "b.md") == ("old\n\ntwo\n" if there else "two\n")

    def test_white_space_may_differ_and_the_middle_may_be_left_out(self, tmp_path: pathlib.Path) -> None:
        source = "# A\n\nfirst  line\nof a\nlong passage\nthat ends  here.\n\nrest\n"
        for number, quote in enumerate(
            [
                "first line of a long passage that ends here.",
                "first line\n...\nends here.",
                "first  line\nof a\n ... \nhere.",
            ]
        ):
            root = tmp_path / str(number)
            memory(root, {"a.md": source}).extract("a", quote, "b")
            assert text(root, "a.md") == "# A\n\n[[b]]\n\nrest\n"
            assert text(root, "b.md") == "first  line\nof a\nlong passage\nthat ends  here.\n"

    def test_not_found_or_found_twice_writes_nothing(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "x y\nx y\nthe quick fox\n"})
        with pytest.raises(NoPassage, match="lines 1, 2"):
            m.extract("a", "x y", "b")
        with pytest.raises(NoPassage, match="nearest text is line 3"):
            m.extract("a", "the quick box", "b")
        with pytest.raises(BadArgument, match="empty"):
            m.extract("a", " ", "b")
        with pytest.raises(BadArgument):
            m.extract("a", "fox", "a")
        assert read(tmp_path) == {"a.md": b"x y\nx y\nthe quick fox\n"}

    def test_links_inside_keep_their_meaning(self, tmp_path: pathlib.Path) -> None:
        source = "# Stays\n\nKEEP [[./c]] [[#Stays]] [[#Moved]] [[gone]] `[[./c]]` [t](c.md)\n## Moved\nEND\n"
        m = memory(tmp_path, {"x/a.md": source, "x/c.md": ""})
        m.extract("a", "KEEP\n...\nEND", "/new")
        assert text(tmp_path, "new.md") == (
            "KEEP [[./x/c]] [[x/a#Stays]] [[#Moved]] [[gone]] `[[./c]]` [t](x/c.md)\n## Moved\nEND\n"
        )
        assert text(tmp_path, "x/a.md") == "# Stays\n\n[[new]]\n"

    def test_the_new_name_does_not_hijack(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[c]] passage", "s.md": "[[c]]", "x/c.md": ""})
        m.extract("a", "passage", "/c")
        assert text(tmp_path, "a.md") == "[[x/c]] [[c]]"
        assert text(tmp_path, "s.md") == "[[x/c]]"

    def test_frontmatter_is_not_searched(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "---\nk: word\n---\nword\n"})
        m.extract("a", "word", "b")
        assert text(tmp_path, "a.md") == "---\nk: word\n---\n[[b]]\n"

    def test_a_place_where_a_link_would_be_code_is_refused(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "```\ncode here\n```\n"})
        with pytest.raises(Unwritable, match="inside code"):
            m.extract("a", "code", "b")
        assert read(tmp_path) == {"a.md": b"```\ncode here\n```\n"}

    def test_odd_bytes_around_and_inside_survive(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": b"\xef\xbb\xbf\xe9 x\r\nmove \xff this\r\nend"})
        m.extract("a", "move \ufffd this", "b")
        assert read(tmp_path) == {"a.md": b"\xef\xbb\xbf\xe9 x\r\n[[b]]\r\nend", "b.md": b"move \xff this\r\n"}


class TestExtractParts:
    """Extraction takes headings and blocks with it, and leaves lists as lists."""

    def extract(self, root: pathlib.Path, passage: str, files: Files) -> dict[str, str]:
        memory(root, files).extract("a", passage, "new")
        return {path.removesuffix(".md"): data.decode() for path, data in read(root).items()}

    def test_links_of_others_to_a_heading_or_block_in_it_lead_to_the_new_note(self, tmp_path: pathlib.Path) -> None:
        a = "# A\n\n[[#Usage]] [[#A]]\n\n## Usage\n\nmoved ^id\n\n## Rest\n"
        s = "[[a#Usage]] [[a#A#usage|u]] ![[a#^id]] [t](a.md#Usage) [[a#Rest]] [[a]] [[a#None]]\n"
        now = self.extract(tmp_path, "## Usage\n\nmoved ^id", {"a.md": a, "s.md": s})
        assert now["a"] == "# A\n\n[[new#Usage]] [[#A]]\n\n[[new]]\n\n## Rest\n"
        assert now["s"] == (
            "[[new#Usage]] [[new#usage|u]] ![[new#^id]] [t](new.md#Usage) [[a#Rest]] [[a]] [[a#None]]\n"
        )

    def test_what_the_target_has_too_is_told_apart(self, tmp_path: pathlib.Path) -> None:
        files = {
            "a.md": "# A\n\n## Usage\n\nmoved[^1] ^id\n\n[^1]: m\n\nend\n",
            "new.md": "# New\n\n[[a#Usage]]\n\n## Usage\n\nold[^1] ^id\n\n[^1]: o\n\n# Last\n",
            "s.md": "[[a#Usage]] [[a#^id]]\n",
        }
        now = self.extract(tmp_path, "## Usage\n...\n[^1]: m", files)
        assert now["s"] == "[[new#Last#Usage]] [[new#^id-2]]\n"
        assert now["new"].startswith("# New\n\n[[new#Last#Usage]]\n")
        assert now["new"].endswith("# Last\n\n## Usage\n\nmoved[^2] ^id-2\n\n[^2]: m\n")

    def test_half_a_heading_that_is_linked_stays(self, tmp_path: pathlib.Path) -> None:
        files = {"a.md": "# The usage of A\n", "s.md": "[[a#The usage of A]]"}
        with pytest.raises(Unwritable, match="quote the whole heading"):
            memory(tmp_path, files).extract("a", "usage", "new")
        assert read(tmp_path) == {path: str(data).encode() for path, data in files.items()}

    @pytest.mark.parametrize(
        ("passage", "left", "new"),
        [
            ("- two", "- one\n- [[new]]\n  - 2a\n\n  2b\n- [ ] three\n", "two\n"),
            ("- two\n  - 2a\n\n  2b", "- one\n- [[new]]\n- [ ] three\n", "two\n- 2a\n\n2b\n"),
            ("  - 2a", "- one\n- two\n  - [[new]]\n\n  2b\n- [ ] three\n", "2a\n"),
            ("- [ ] three", "- one\n- two\n  - 2a\n\n  2b\n- [ ] [[new]]\n", "three\n"),
            ("three", "- one\n- two\n  - 2a\n\n  2b\n- [ ] [[new]]\n", "three\n"),
            ("- one\n- two\n  - 2a\n\n  2b", "- [[new]]\n- [ ] three\n", "- one\n- two\n  - 2a\n\n  2b\n"),
            ("- one\n...\n- [ ] three", "[[new]]\n", "- one\n- two\n  - 2a\n\n  2b\n- [ ] three\n"),
        ],
    )
    def test_a_list_item_leaves_its_marker(self, tmp_path: pathlib.Path, passage: str, left: str, new: str) -> None:
        now = self.extract(tmp_path, passage, {"a.md": "- one\n- two\n  - 2a\n\n  2b\n- [ ] three\n"})
        assert (now["a"], now["new"]) == (left, new)


class TestCompareAndSwap:
    def test_a_plan_whose_files_changed_is_not_begun(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]]", "c.md": "[[b]]", "b.md": "B"})
        m.load()
        plan = plan_rename(engine(m).editor.view(), "b", "new")
        for path in ("a.md", "c.md", "b.md"):
            before = (tmp_path / path).read_bytes()
            (tmp_path / path).write_text("changed by hand [[b]]")
            state, stamps = read(tmp_path), fresh_index(str(tmp_path)).catalog.rows
            with pytest.raises(Changed, match=path):
                apply_plan(tmp_path, plan)
            assert read(tmp_path) == state
            now = fresh_index(str(tmp_path)).catalog.rows
            assert {path: row.stamp for path, row in now.items()} == {path: row.stamp for path, row in stamps.items()}
            (tmp_path / path).write_bytes(before)
        apply_plan(tmp_path, plan)
        assert set(read(tmp_path)) == {"a.md", "c.md", "new.md"}

    def test_a_step_that_fails_takes_the_others_back(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "[[b]]", "b.md": "B", "z.md": "[[b]]"})
        m.load()
        plan = plan_rename(engine(m).editor.view(), "b", "new")
        state = read(tmp_path)
        blocked = Put("z.md", b"there is one", None)
        made = Put("made/here.md", b"", None)
        with pytest.raises(Taken):
            apply_plan(tmp_path, plan._replace(steps=(made, *plan.steps, blocked)))
        assert read(tmp_path, hidden=True) == state

    @pytest.mark.parametrize("saved", ["in place", "as a new file"])
    def test_what_a_person_saves_in_the_very_moment_of_the_swap_is_kept(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, saved: str
    ) -> None:
        m = memory(tmp_path, {"a.md": "one\n"})
        real, left = platform.current.exchange, ["first\n", "second\n"]

        def exchange(slot: str, full: str) -> None:
            """A person saves right before the swap, and, once more, right before it is taken back."""
            if left:
                text = "one\n" + left.pop(0)
                if saved == "in place":
                    pathlib.Path(full).write_text(text)
                else:
                    (tmp_path / ".new").write_text(text)
                    os.replace(tmp_path / ".new", full)
            real(slot, full)

        monkeypatch.setattr(platform.current, "exchange", exchange)
        m.write("a", "model\n", append=True)
        assert left == []
        assert read(tmp_path, hidden=True) == {"a.md": b"one\nsecond\n\nmodel\n"}

    def test_a_file_that_a_program_has_emptied_to_write_it_anew_is_not_taken_for_empty(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "one\n"})
        m.load()
        real, reads = Store.read, list[bytes]()

        def read_between(store: Store, path: str, most: int | None = None) -> tuple[bytes, files.Stamp]:
            """A person saves: the file is empty for four reads, more than an edit needs."""
            if len(reads) < 4:
                (tmp_path / path).write_bytes(b"")
            elif len(reads) == 4:
                (tmp_path / path).write_bytes(b"by hand\n")
            data, stamp = real(store, path, most)
            reads.append(data)
            return data, stamp

        monkeypatch.setattr(store_module, "_LONGEST_S", 60.0)
        monkeypatch.setattr(Store, "read", read_between)
        m.write("a", "model\n", append=True)
        assert reads[:5] == [b"", b"", b"", b"", b"by hand\n"]
        assert read(tmp_path) == {"a.md": b"by hand\n\nmodel\n"}

    def test_a_file_that_stays_empty_can_be_edited(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": ""})
        m.write("a", "model\n", append=True)
        assert read(tmp_path) == {"a.md": b"model\n"}

    def test_an_empty_file_that_the_index_does_not_know_stands_in_the_way(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"a.md": "x", "b.md": "[[a]]"})
        m.load()
        (tmp_path / "new.md").touch()
        plan = plan_rename(engine(m).editor.view(), "a", "new")
        with pytest.raises(Taken):
            apply_plan(tmp_path, plan)
        assert read(tmp_path, hidden=True) == {"a.md": b"x", "b.md": b"[[a]]", "new.md": b""}

    def test_what_a_person_saves_in_the_very_moment_of_a_removal_is_kept(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {})
        m.write("a", "model\n")
        real = platform.current.rename_to_free

        def rename_to_free(source: str, to: str) -> None:
            if source == str(tmp_path / "a.md"):
                pathlib.Path(source).write_text("by hand\n")
            real(source, to)

        monkeypatch.setattr(platform.current, "rename_to_free", rename_to_free)
        with pytest.raises(EditedSince):
            m.undo()
        assert read(tmp_path, hidden=True) == {"a.md": b"by hand\n"}

    def test_a_rename_that_is_taken_back_tells_of_a_text_saved_meanwhile_with_the_new_name(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m = memory(tmp_path, {"a.md": "A", "s.md": "[[a]]\n", "y.md": "[[a]]\n", "z.md": "[[a]]\n"})
        real = platform.current.exchange

        def exchange(slot: str, full: str) -> None:
            """An editor saves what it has just seen of one note, then the disk refuses another one."""
            if full.endswith("z.md"):
                (tmp_path / "s.md").write_text((tmp_path / "s.md").read_text() + "by hand\n")
                raise OSError(errno.ENOSPC, "No space left on device", full)
            real(slot, full)

        monkeypatch.setattr(platform.current, "exchange", exchange)
        with pytest.raises(Unwritable) as told:
            m.rename("a", "b")
        assert "'s.md' was saved meanwhile and links to 'b', which does not exist" in str(told.value)
        assert "y.md" not in str(told.value)
        assert read(tmp_path) == {
            "a.md": b"A", "s.md": b"[[b]]\nby hand\n", "y.md": b"[[a]]\n", "z.md": b"[[a]]\n"
        }  # fmt: skip

    def test_an_edit_that_meets_a_hand_edit_is_computed_again(self, tmp_path: pathlib.Path) -> None:
        """A person appends to a note while tools rename it to and fro and append to it: no line is lost."""
        m = memory(tmp_path, {"a.md": "", "r.md": "[[a]]\n"})
        m.load()
        log = tmp_path / "r.md"

        def by_hand() -> None:
            for number in range(60):
                data = log.read_bytes() + f"hand {number}\n".encode()
                (tmp_path / ".r.tmp").write_bytes(data)
                if log.read_bytes() + f"hand {number}\n".encode() == data:  # as careful as a person's editor
                    os.replace(tmp_path / ".r.tmp", log)

        writer = threading.Thread(target=by_hand)
        writer.start()
        for number in range(30):
            m.rename("a" if number % 2 == 0 else "b", "b" if number % 2 == 0 else "a")
        writer.join()
        lines = log.read_text().splitlines()
        assert lines[0] == "[[a]]"
        assert all(line.startswith("hand ") for line in lines[1:])
        assert m.read("r").linked_from == []
        assert m.read("a").linked_from == ["r"]

    def test_threads_lose_nothing(self, tmp_path: pathlib.Path) -> None:
        m = memory(tmp_path, {"log.md": "", "a.md": "[[log]]"})
        refused: list[Exception] = []

        def work(thread: int) -> None:
            for number in range(25):
                try:
                    m.write("log", f"- {thread}-{number} [[n{thread}]]\n", append=True)
                    m.write(f"n{thread}", f"{number}")
                    m.hints(3)
                    m.read("log", depth=2)
                    m.check()
                except Exception as error:  # noqa: BLE001 - any would fail the test
                    refused.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused == []
        lines = (tmp_path / "log.md").read_text().splitlines()
        assert sorted(lines) == sorted(f"- {t}-{n} [[n{t}]]" for t in range(6) for n in range(25))
        assert index_faults(m) == []


def random_edit(m: Memory, rng: random.Random, root: str) -> None:
    """One edit by a tool or by hand; whatever it refuses is part of the test."""
    notes = sorted(path for path in read(root) if path.endswith(".md"))
    pick = "/" + rng.choice(notes)[:-3] if notes else "none"
    kind = rng.randrange(9)
    other = random_files(rng, 3)
    name, source = rng.choice(sorted(other.items())) if other else ("n.md", "x")
    if kind == 0:
        m.write("/" + name[:-3], source)
    elif kind == 1:
        m.write(pick, "\n[[" + rng.choice(notes or ["x"])[:-3] + "]]", append=True)
    elif kind == 2:
        m.delete(pick)
    elif kind == 3:
        m.rename(pick, name[:-3], merge=True)
    elif kind == 4:
        m.extract(pick, "Text of", name[:-3])
    else:
        by_hand(rng, root, kind, notes, {name: source})
        m.wait_ready()


def by_hand(rng: random.Random, root: str, kind: int, notes: list[str], new: Files) -> None:
    old = os.path.join(root, rng.choice(notes)) if notes else ""
    if kind == 5 or not old:
        write(root, new)
    elif kind == 6:
        os.remove(old)
    elif kind == 7:
        os.makedirs(os.path.join(root, "hand"), exist_ok=True)
        os.replace(old, os.path.join(root, "hand", os.path.basename(old)))
    else:
        with open(old, "ab") as file:
            file.write(b"\nby hand [[Note]] \xff\n")


@pytest.mark.parametrize("seed", range(3))
def test_after_random_edits_the_index_equals_a_fresh_build(tmp_path: pathlib.Path, seed: int) -> None:
    rng = random.Random(seed)
    root = write(tmp_path, random_files(rng, 25))
    m = Memory(root)
    m.load()
    refusals = (UnknownNote, BadName, NoPassage, Unwritable, AmbiguousName, BadArgument)
    refused = 0
    for _ in range(100):
        before = read(root)
        try:
            random_edit(m, rng, root)
        except refusals:
            assert read(root) == before, "a refused edit changed files"
            refused += 1
        assert index_faults(m) == []
    assert refused < 60


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_every_link_span_reads_back(seed: int) -> None:
    for source in random_files(random.Random(seed), 10).values():
        data = source.encode()
        for link in find_links(data):
            if not link.quote:
                assert data[link.start : link.end].decode() == link.raw


@pytest.mark.parametrize("text", ["One [[B]]. Two three.\n", "See [[b]] and [x](B.md)\n\nTwo three.\n"])
def test_a_note_that_links_to_one_that_is_not_written_yet_can_give_it_a_passage(
    tmp_path: pathlib.Path, text: str
) -> None:
    memory = Memory(write(tmp_path, {"A.md": text}))
    memory.extract("A", "Two three.", "B")
    assert (tmp_path / "B.md").read_text() == "Two three.\n"
    assert (tmp_path / "A.md").read_text() == text.replace("Two three.", "[[B]]")
