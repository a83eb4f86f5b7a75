"""Turn a passage into a link, and point the links to one target to another note."""

from pathlib import Path

import pytest

from tests.tools.vaults import read, write
from zkmem.caller import Caller, Grant
from zkmem.errors import BadArgument, Forbidden, Inexpressible, NoPassage, UnknownNote
from zkmem.memory import Memory


def linked(memory: Memory, name: str, passage: str, to: str) -> str:
    """Return the text of a note after its first such passage has become a link."""
    page = memory.page(name)
    memory.link(name, passage, page.text.encode().index(passage.encode()), to, page.etag)
    return memory.page(name).text


@pytest.mark.parametrize(
    ("text", "passage", "expected"),
    [
        ("We like Hubs.\n", "Hubs", "We like [[Hubs]].\n"),
        ("Wé like hubs, and hubs.\n", "hubs", "Wé like [[Hubs|hubs]], and hubs.\n"),
        ("| x |\n|---|\n| hubs |\n", "hubs", "| x |\n|---|\n| [[Hubs\\|hubs]] |\n"),
        ("`hubs`\n", "hubs", None),
        ("one\r\nhubs\r\n", "hubs", "one\n[[Hubs|hubs]]\n"),
        ("é two\u00a0hubs two  hubs\n", "two\u00a0hubs", "é [[Hubs|two\u00a0hubs]] two  hubs\n"),
    ],
)
def test_a_passage_becomes_a_link_with_the_same_words(
    tmp_path: Path, text: str, passage: str, expected: str | None
) -> None:
    vault = write(tmp_path, {"n.md": text, "a/Hubs.md": "x\n"})
    with Memory(vault) as memory:
        if expected is None:
            with pytest.raises((Inexpressible, NoPassage)):
                linked(memory, "n", passage, "Hubs")
            assert read(vault)["n.md"] == text.encode()
        else:
            assert linked(memory, "n", passage, "Hubs") == expected


@pytest.mark.parametrize("blanks", ["  ", "\u00a0", "\t", " \u202f "])
def test_a_mention_with_other_blanks_is_linked_as_it_is_listed(tmp_path: Path, blanks: str) -> None:
    text = f"é. On artificial{blanks}intelligence, they say.\n"
    with Memory(write(tmp_path, {"n.md": text, "Artificial Intelligence.md": "x\n"})) as memory:
        (mention,) = memory.mentions("Artificial Intelligence").mentions
        memory.link("n", mention.shown, mention.start, "Artificial Intelligence", mention.etag)
        link = f"[[Artificial Intelligence|artificial{blanks}intelligence]]"
        assert memory.page("n").text == f"é. On {link}, they say.\n"
        for passage in ("", "artificial", "artificial  brain", "rtificial intelligence"):
            with pytest.raises((NoPassage, Inexpressible)):
                memory.link("n", passage, mention.start + 2, "Artificial Intelligence", memory.page("n").etag)


def test_a_link_is_spelled_so_that_it_means_that_note(tmp_path: Path) -> None:
    notes = {"n.md": "We like Hubs.\n", "a/Hubs.md": "x\n", "b/Hubs.md": "y\n"}
    with Memory(write(tmp_path, notes)) as memory:
        assert linked(memory, "n", "Hubs", "b/Hubs") == "We like [[b/Hubs|Hubs]].\n"


def test_a_passage_that_is_not_there_is_refused_and_a_change_elsewhere_is_merged(tmp_path: Path) -> None:
    vault = write(tmp_path, {"n.md": "First.\n\nWe like Hubs.\n", "Hubs.md": "x\n"})
    with Memory(vault) as memory:
        old = memory.page("n")
        with pytest.raises(NoPassage):
            memory.link("n", "Hubs", 3, "Hubs", old.etag)
        memory.write("n", "Changed.", old="First.")
        memory.link("n", "Hubs", old.text.index("Hubs"), "Hubs", old.etag)
        assert memory.page("n").text == "Changed.\n\nWe like [[Hubs]].\n"


def test_the_links_to_a_missing_note_mean_the_chosen_one_and_show_the_same_words(tmp_path: Path) -> None:
    notes = {
        "a.md": "[[Old]], [[old|words]], [[Old#Part]], ![[Old]], [x](Old.md), [[Other]]\n",
        "b.md": "---\nup: '[[Old]]'\n---\n`[[Old]]`\n",
        "New.md": "# Part\n",
    }
    vault = write(tmp_path, notes)
    with Memory(vault) as memory:
        assert memory.repoint(["a", "b"], "Old", "New").changed == ["a", "b"]
        after = read(vault)
        assert after["a.md"] == (b"[[New|Old]], [[New|words]], [[New#Part]], ![[New]], [x](Old.md), [[Other]]\n")
        assert after["b.md"] == b"---\nup: '[[New|Old]]'\n---\n`[[Old]]`\n"
        memory.undo()
        assert {name: after for name, after in read(vault).items() if name in notes} == {
            name: text.encode() for name, text in notes.items()
        }


@pytest.mark.parametrize(("to", "written"), [("a/Twin", "a/Twin"), ("b/Twin", "b/Twin")])
def test_an_ambiguous_link_means_the_chosen_note_from_then_on(tmp_path: Path, to: str, written: str) -> None:
    notes = {"n.md": "See [[Twin]].\n", "a/Twin.md": "2\n", "b/Twin.md": "3\n"}
    vault = write(tmp_path, notes)
    with Memory(vault) as memory:
        (finding,) = [one for one in memory.check() if one.kind == "ambiguous"]
        assert sorted(finding.choices) == ["a/Twin", "b/Twin"]
        memory.repoint(["n"], finding.target, "/" + to)
        assert read(vault)["n.md"] == f"See [[{written}]].\n".encode()
        assert not [one for one in memory.check() if one.kind == "ambiguous"]


def test_a_misspelt_link_gets_the_name_that_is_spelled_alike_as_far_as_the_caller_may_know(tmp_path: Path) -> None:
    notes = {
        "in/n.md": "[[Spacing efect]], [[testing effect]], [[Weather]], [[Hub]], [[hnt]].\n",
        "in/Testing.md": "---\naliases: [testing effect]\n---\n",
        "Spacing effect.md": "1\n",
        "Testing effects.md": "2\n",
        "Hub notes.md": "3\n",
        "hint.md": "4\n",
    }
    vault = write(tmp_path, notes)
    with Memory(vault) as memory:

        def choices(one: Memory) -> dict[str, tuple[str, ...]]:
            return {finding.target: finding.choices for finding in one.check() if finding.kind == "missing"}

        assert choices(memory) == {
            "Spacing efect": ("Spacing effect",), "testing effect": ("in/Testing",), "Weather": (), "Hub": (),
            "hnt": ("hint",),
        }  # fmt: skip
        assert choices(memory.restricted(Grant("in")))["Spacing efect"] == ()
        memory.repoint(["in/n"], "Spacing efect", "Spacing effect")
        assert read(vault)["in/n.md"].startswith(b"[[Spacing effect|Spacing efect]],")


def test_what_cannot_be_repointed_says_so_and_changes_nothing(tmp_path: Path) -> None:
    notes = {"in/n.md": "See [[Old]].\n", "in/New.md": "x\n", "out.md": "See [[Old]].\n"}
    vault = write(tmp_path, notes)
    with Memory(vault) as memory:
        with pytest.raises(BadArgument, match="None of these notes"):
            memory.repoint(["in/n"], "Nothing", "New")
        with pytest.raises(UnknownNote):
            memory.repoint(["in/n"], "Old", "Nowhere")
    with Memory(vault, Caller(Grant("in"))) as memory, pytest.raises((UnknownNote, Forbidden)):
        memory.repoint(["out"], "Old", "in/New")
    with Memory(vault, Caller(Grant(read_only=True))) as memory, pytest.raises(Forbidden):
        memory.repoint(["in/n"], "Old", "New")
    assert {name: data.decode() for name, data in read(vault).items() if name in notes} == notes
