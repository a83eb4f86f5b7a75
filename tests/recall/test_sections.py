"""Reading one section or block of a note, by any name that a model may have for it."""

import os
import pathlib
import time

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, NoSection, UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS

SECTIONS = "---\nk: v\n---\nTop [[x]].\n\n# One\n\né of one.\n\n## Deep\n\nDeeper.\n\n# Two\n\nOf two. ^id\n"
OUTLINE = "Sections of in/n, with their characters; read one as in/n#HEADING:\n# One (36)\n## Deep (18)\n# Two (19)"


@pytest.fixture
def sections(tmp_path: pathlib.Path) -> Memory:
    files = {"in/n.md": SECTIONS, "in/x.md": "[[n]]", "in/n#Two.md": "Its own name.\n", "out/n#One.md": "xyzzy\n"}
    return Memory(write(tmp_path, files), durable=False)


class TestASection:
    @pytest.mark.parametrize("grant", [Grant(), Grant("in")], ids=["all", "folder"])
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("in/n#One", "# One\n\né of one.\n\n## Deep\n\nDeeper.\n\n"),
            ("[[in/n#One|shown]]", "# One\n\né of one.\n\n## Deep\n\nDeeper.\n\n"),
            ("zkmem://note/in/n#one", "# One\n\né of one.\n\n## Deep\n\nDeeper.\n\n"),
            ("zkmem://note/in/n%23Two", "Its own name.\n"),
            ("zkmem://note/in/n#Two", "# Two\n\nOf two. ^id\n"),
            ("zkmem://note/in/n", SECTIONS),
            ("[[in/n]]", SECTIONS),
            ("in/n#", OUTLINE),
            ("[[in/n#]]", OUTLINE),
            ("zkmem://note/in/n#", OUTLINE),
            ("in/x#", "in/x has no headings."),
            ("in/n#One#Deep", "## Deep\n\nDeeper.\n\n"),
            ("in/n#^id", "Of two. ^id\n"),
            ("in/n#Two", "Its own name.\n"),
            ("[[in/n#Two]]", "# Two\n\nOf two. ^id\n"),
        ],
    )
    def test_is_read_by_its_name(self, sections: Memory, grant: Grant, name: str, text: str) -> None:
        assert sections.restricted(grant).read(name).text == text

    def test_is_never_that_of_a_note_outside_the_folder(self, sections: Memory) -> None:
        write(sections.vault, {"out/in/n#One.md": "xyzzy", "in/n.md": "# One\n"})
        confined = sections.restricted(Grant("in"))
        for name in ("n#One", "in/n#One", "[[n#One]]", "zkmem://note/n#One", "zkmem://note/in/n#One"):
            assert confined.read(name).text == "# One\n"
        for name in ("out/n#One", "zkmem://note/out/n%23One", "out/in/n#One"):
            with pytest.raises(UnknownNote):
                confined.read(name)

    @pytest.mark.parametrize(
        ("wrong", "nearest"),
        [
            ("Open qestions", "Open questions"), ("questions", "Open questions"), ("Maria: to do", "To do for Maria"),
            ("Part 39b", "Part 39"), ("Part 1#Prat 38", "Part 38"), ("of Maria", "To do for Maria"),
        ],
    )  # fmt: skip
    def test_that_is_not_there_is_refused_with_the_nearest_of_many(
        self, tmp_path: pathlib.Path, wrong: str, nearest: str
    ) -> None:
        headings = [*(f"Part {number}" for number in range(40)), "Open questions", "To do for Maria"]
        memory = Memory(write(tmp_path, {"n.md": "\n".join(f"## {one}\n" for one in headings)}))
        for attempt in (lambda: memory.read(f"n#{wrong}"), lambda: memory.edit_section("n", wrong, "x", "append")):
            with pytest.raises(NoSection, match=rf"Its headings: {nearest}, .* and 32 more\."):
                attempt()

    @pytest.mark.parametrize(
        "wrong",
        ["DEC-31", "DEC 031", "dec31", "DEC 0031", "31", "Frontmater crate", "DEC-31 Frontmater", "Frontmattercrate",
         "crate for frontmattter", "DEC-031: Frontmatter Crate"],
    )  # fmt: skip
    def test_that_is_written_otherwise_comes_first(self, tmp_path: pathlib.Path, wrong: str) -> None:
        others = [f"DEC-{number:03} Choice of a crate {number * 1000}" for number in range(1, 31)]
        headings = ["Fermented crêpe", *others, "DEC-310 More", "DEC-031 Frontmatter crate choice", "DEC-3 One"]
        memory = Memory(write(tmp_path, {"n.md": "\n".join(f"## {one}\n" for one in headings)}))
        with pytest.raises(NoSection, match="Its headings: DEC-031 Frontmatter crate choice, "):
            memory.read(f"n#{wrong}")

    @pytest.mark.parametrize("name", ["C# basics", "#c# basics", "C#", "Issue #12: a#b"])
    def test_with_a_hash_in_it_is_named_as_it_is_written(self, tmp_path: pathlib.Path, name: str) -> None:
        text = "# A\n\n## C\n\nnone\n\n## C#\n\none\n\n## C# basics\n\ntwo\n\n## Issue #12: a#b\n\nthree\n\n## A new\n"
        memory = Memory(write(tmp_path, {"n.md": text}))
        wanted = next(one for one in ("## C# basics", "## C#", "## Issue #12: a#b") if one[3:6].lower() in name.lower())
        wanted = "## C#\n" if name == "C#" else wanted
        assert memory.read(f"n#{name}").text.startswith(wanted)
        memory.edit_section("n", name, "four", "append")
        assert "four" in memory.read(f"n#{name}").text
        memory.edit_section("n", "A#new", "five", "append", create=True)  # `A new` is written without #
        assert "## new\n\nfive" in memory.read("n").text
        assert [one.detail for one in memory.check()] == []

    def test_that_is_not_there_is_refused_with_those_that_are(self, sections: Memory) -> None:
        with pytest.raises(NoSection, match=r"'in/n' has no heading 'Three'. Its headings: One, Deep, Two."):
            sections.read("in/n#Three")
        with pytest.raises(NoSection, match=r"'in/n' has no block with the id 'no'."):
            sections.read("in/n#^no")
        with pytest.raises(NoSection, match="It has no headings"):
            sections.read("in/x#One")

    def test_is_expanded_and_read_on_like_a_note(self, sections: Memory) -> None:
        assert "![[x]]start" in sections.read("in/n", 1).text
        write(sections.vault, {"in/long.md": "# A\n\nlead\n\n# B\n\n" + "line of text\n" * 20 + "\n# C\n\nrest\n"})
        memory, text, offset = Memory(sections.vault, max_chars=50), "", 0
        while True:
            note = memory.read("in/long#B", offset=offset)
            text += note.text
            if note.next_offset is None:
                break
            offset = note.next_offset
        assert text == "# B\n\n" + "line of text\n" * 20 + "\n"

    def test_alone_does_not_make_a_reader_of_the_whole_note(self, sections: Memory) -> None:
        sections.read("in/n#One")
        with pytest.raises(BadArgument, match="was read only in part"):
            sections.write("in/n", "new\n")
        sections.read("in/n")
        sections.read("in/n#One")
        assert sections.write("in/n", "# One\n").outcome == "replaced"
        sections.read("in/n#One")
        assert sections.write("in/n", "# Own\n\n# One\n").outcome == "replaced", "by its writer"

    def test_an_outline_gives_the_sizes_that_a_read_of_each_section_has(self, tmp_path: pathlib.Path) -> None:
        text = (
            "---\nk: v\n---\nlead\n\n## A\n\né\n\n# B [[x]]\n\nb\n\n### C\n\nc\n\n## D\n\n"
            "> # quoted\n\n```\n# code\n```\n\nE\n=\n\nend"
        )
        memory = Memory(write(tmp_path, {"n.md": text}))
        lines = memory.read("n#").text.splitlines()[1:]
        assert [line.split(" (")[0] for line in lines] == ["## A", "# B x", "### C", "## D", "# quoted", "# E"]
        for line in lines:
            heading, _, size = line.lstrip("# ").rpartition(" (")
            assert f"{len(memory.read(f'n#{heading}').text)})" == size

    def test_an_outline_of_many_headings_leaves_out_the_deepest(self, tmp_path: pathlib.Path) -> None:
        files = {
            "deep.md": "".join(f"# {one}\n\n" + "## x\n\n### y\n\n" * 2 for one in range(20)),
            "flat.md": "".join(f"# {one}\n\n" for one in range(60)),
        }
        memory = Memory(write(tmp_path, files))
        deep, flat = (memory.read(f"{name}#").text.splitlines() for name in ("deep", "flat"))
        assert (len(deep), deep[1], deep[-1]) == (22, "# 0 (31)", "80 more headings are left out.")
        assert (len(flat), flat[50], flat[51]) == (52, "# 49 (6)", "10 more headings are left out.")

    def test_a_read_that_is_cut_has_the_outline_once(self, sections: Memory) -> None:
        (get,) = (tool for tool in TOOLSETS["zettel"].tools if tool.name == "get_content")
        memory = Memory(sections.vault, max_chars=30)
        first, outline = get.call(memory, {"name": "in/n"}), get.call(memory, {"name": "in/n#"})
        assert f"read on with offset=25.\n{OUTLINE}\netag " in first.texts[1]
        assert outline.texts[0] == OUTLINE
        assert f"; outline of {len(SECTIONS)} characters; changed " in outline.texts[1]
        assert "Sections of" not in get.call(memory, {"name": "in/n", "offset": 25}).texts[1]

    def test_an_outline_changes_nothing_of_what_a_reader_has_read(self, sections: Memory) -> None:
        memory = Memory(sections.vault, max_chars=30, durable=False)
        offset = memory.read("in/n").next_offset
        while offset is not None:
            memory.read("in/n#")
            with pytest.raises(BadArgument, match="was read only in part"):
                memory.write("in/n", "new\n")
            offset = memory.read("in/n", offset=offset).next_offset
        memory.read("in/n#")
        assert memory.write("in/n", "new\n").outcome == "replaced"

    def test_says_so_and_when_the_note_was_changed(self, sections: Memory) -> None:
        os.utime(os.path.join(sections.vault, "in/n.md"), (1_000_000_000, 1_000_000_000))
        (get,) = (tool for tool in TOOLSETS["zettel"].tools if tool.name == "get_content")
        day = time.strftime("%Y-%m-%d", time.localtime(1_000_000_000))
        note = get.call(sections, {"name": "in/n#One"})
        assert f"; a part of {len(SECTIONS)} characters; changed {day}; 1 link" in note.texts[1]
        assert f"; {len(SECTIONS)} characters; changed {day}; 1 link" in get.call(sections, {"name": "in/n"}).texts[1]
