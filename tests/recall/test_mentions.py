"""The sentences that link to a note, and those that name it without a link."""

import os
from pathlib import Path

import pytest

from tests.tools.vaults import write
from zkmem.caller import Caller, Grant
from zkmem.markdown.one_line import opening, shown_heading
from zkmem.memory import Memory
from zkmem.recall.mentions import Passage


def passages(found: list[Passage]) -> dict[str, str]:
    """Return the sentences by their note, with the link or the name in brackets."""
    return {one.name: f"{one.before}<{one.shown}>{one.after}" for one in found}


NOTES = {
    "topics/Spacing.md": "---\naliases: [Spaced practice, ab]\n---\nWait. [[Other]]\n",
    "Middle.md": "First sentence. It rests\non [[Spacing|spaced learning]], says [[topics/Other]]! Last one.\n",
    "List.md": "# Head\n\n- [ ] one\n- two [[Spacing]] three\n- four\n",
    "Property.md": "---\nup: '[[Spacing]]'\n---\nText.\n",
    "Table.md": "| a | b |\n|---|---|\n| [[Spacing]] | c |\n",
    "Named.md": "Some say spacing works. Others do not.\n",
    "Alias.md": "He likes spaced  practice.\n",
    "Code.md": "`Spacing`\n\n```\nSpacing\n```\n\n[Spacing](https://example.org)\n\n$Spacing$\n",
    "Word.md": "Respacing and Spacings, ab.\n",
}


def test_each_backlink_comes_with_its_sentence_and_without_marks_of_links(tmp_path: Path) -> None:
    with Memory(write(tmp_path, NOTES)) as memory:
        assert passages(memory.mentions("Spacing").backlinks) == {
            "List": "two <Spacing> three",
            "Middle": "It rests on <spaced learning>, says Other!",
            "Property": "up: <Spacing>",
            "Table": "<Spacing>",
        }


def test_names_and_aliases_in_plain_text_are_mentions_but_not_in_code_links_and_other_words(tmp_path: Path) -> None:
    with Memory(write(tmp_path, NOTES)) as memory:
        found = memory.mentions("topics/Spacing").mentions
        assert passages(found) == {
            "Named": "Some say <spacing> works.",
            "Alias": "He likes <spaced practice>.",
        }


def test_a_caller_with_a_folder_gets_no_sentence_from_outside(tmp_path: Path) -> None:
    vault = write(tmp_path, {**NOTES, "topics/In.md": "Spacing again.\n", "topics/Link.md": "See [[Spacing]].\n"})
    with Memory(vault, Caller(Grant("topics"))) as memory:
        found = memory.mentions("Spacing")
        assert passages(found.backlinks) == {"topics/Link": "See <Spacing>."}
        assert passages(found.mentions) == {"topics/In": "<Spacing> again."}
        home = memory.home()
        assert {one.name for one in [*home.hints, *home.recent]} <= {"topics/Spacing", "topics/In", "topics/Link"}


def test_the_sentences_of_a_note_that_many_link_to_and_of_long_lines_are_bounded(tmp_path: Path) -> None:
    many = {f"n{at}.md": f"{'word ' * 500}[[Hub]]{' word' * 500}\n" for at in range(80)}
    named = {f"m{at}.md": f"{'word ' * 500}Hub{' word' * 500}\n" for at in range(80)}
    with Memory(write(tmp_path, {"Hub.md": "x\n", **many, **named})) as memory:
        found = memory.mentions("Hub")
        assert (len(found.backlinks), len(found.mentions)) == (50, 20)
        for one in [*found.backlinks, *found.mentions]:
            assert one.before.startswith("…word")
            assert one.after.endswith("word…")
            assert len(one.before) + len(one.after) < 500


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\na: b\n---\n# Title\n\nFirst [[Note|words]] of\nthe note.\n\nSecond.\n", "First words of the note."),
        ("- [ ] buy milk\n", "buy milk"),
        ("![[picture.png]]\n\n> said\n", "said"),
        (
            "A **bold** `word`, ==marked==, %%hidden%% <b>not HTML</b> a_b and 2 * 3. ^id\n",
            "A bold word, marked, not HTML a_b and 2 * 3.",
        ),
        ("> [!tip] A *title*\n> and text\n", "A title and text"),
        ("# Only a title\n", ""),
        ("", ""),
    ],
)
def test_the_opening_of_a_note_is_its_first_paragraph_in_one_line(text: str, line: str) -> None:
    assert opening(text.encode()) == line


def test_a_sentence_is_shown_without_marks_and_a_property_with_its_key(tmp_path: Path) -> None:
    sources = {
        "a.md": "Some **bold, see [[hub|the hub]] in** `code`.\n",
        "b.md": '---\nsize: 3\nup: "[[hub]]"\ntags: [x]\n---\nText.\n',
        "c.md": '---\nmore:\n  - other\n  - "[[hub|Centre]]"\n---\n',
        "d.md": "- [x] A ==hub== and %%hid%% more.\n",
    }
    with Memory(write(tmp_path, {"hub.md": "x\n", **sources})) as memory:
        found = memory.mentions("hub")
        assert [one[:4] for one in found.backlinks] == [
            ("a", "Some bold, see ", "the hub", " in code."),
            ("b", "up: ", "hub", ""),
            ("c", "more: ", "Centre", ""),
        ]
        assert [one[:4] for one in found.mentions] == [("d", "A ", "hub", " and more.")]
        done = memory.link("d", found.mentions[0].shown, found.mentions[0].start, "hub", etag=found.mentions[0].etag)
        assert done.name == "d"


def test_the_opening_of_a_long_paragraph_is_cut_between_words() -> None:
    line = opening(b"word " * 1000)
    assert line.endswith("word…")
    assert len(line) <= 161


def test_a_heading_is_shown_without_marks() -> None:
    raw = ["Far *away*", "1. Intro", "A `b_c` d_e", "[[x|Y]] & **z**", "_Why_ #tag", "- 3 °C", "a"]
    shown = ["Far away", "1. Intro", "A b_c d_e", "Y & z", "Why #tag", "- 3 °C", "a"]
    assert list(map(shown_heading, raw)) == shown


def test_home_has_the_notes_to_start_from_and_the_latest_ones_first(tmp_path: Path) -> None:
    vault = write(tmp_path, {"hint.md": "Start at [[b]].\n", "a.md": "A.\n", "b.md": "B.\n"})
    for at, name in enumerate(("b", "hint", "a")):
        os.utime(Path(vault, f"{name}.md"), (1_000_000 + at, 1_000_000 + at))
    with Memory(vault) as memory:
        home = memory.home(2)
        assert [(one.name, one.line, one.changed) for one in home.recent] == [
            ("a", "A.", 1_000_002),
            ("hint", "Start at b.", 1_000_001),
        ]
        assert len(home.hints) == 2
