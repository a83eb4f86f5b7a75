"""A callout holds only lines that both sides changed in different ways; each other line is as its side has it."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.sync.notes import merged_note
from zkmem.util.threeway import propose

TITLE = "Also written on laptop, 2026-11-22 10:14"
FORMS = {
    "tasks": ("- [ ] task {n}", "- [x] task {n}", "- [{mark}] task {n}", "- [ ] added by {side} {letter}"),
    "numbered tasks": ("1. [ ] task {n}", "1. [x] task {n}", "1. [{mark}] task {n}", "1. [ ] added by {side} {letter}"),
    "a property list": ("- Key{n}: old", "- Key{n}: done", "- Key{n}: from {side}", "- {side} {letter}: new"),
    "a list": ("- item {n}", "- item {n} is done", "- item {n} of {side}", "- added by {side} {letter}"),
    "a table": ("| row {n} | old |", "| row {n} | done |", "| row {n} | {side} |", "| {side} {letter} | new |"),
    "prose": ("Line {n}.", "Line {n} is done.", "Line {n} of {side}.", "Added {letter} by {side}."),
}  # fmt: skip
"""The lines of a block: in the base, as both sides change one alike, as one side changes it, and a new one."""

ABOVE = {"a table": "| a | b |\n|---|---|\n"}
FATES = ("gone in both", "kept", "first", "second", "alike", "contested", "gone in first", "gone in second", "saved")


def merged(base: str, first: str, second: str) -> str:
    return merged_note(base.encode(), first.encode(), second.encode(), TITLE).data.decode()


class Block(NamedTuple):
    """Three texts of a block, the lines that the merged block must have, in order, and those of its callouts."""

    base: str
    sides: tuple[str, str]
    lines: list[str]
    quoted: list[str]
    is_refused: bool  # whether an edit that has to ask is refused: it asks, too, if one side removed a changed line


@st.composite
def blocks(draw: st.DrawFn, *, adds: bool = True) -> Block:
    """Draw a block in which the sides change, remove and add lines."""
    form = draw(st.sampled_from([one for one in FORMS if not adds or one != "prose"]))
    above, (plain, alike, own, new) = ABOVE.get(form, ""), FORMS[form]
    fates = draw(st.lists(st.sampled_from(FATES[adds:]), min_size=1, max_size=8))
    marks = {"first": "/", "second": "-"}
    base, sides, lines, quoted = list[str](), (list[str](), list[str]()), list[str](), list[str]()
    for number, fate in enumerate([*fates, "end"]):
        for side, text in zip(marks, sides, strict=True) if adds else ():
            if draw(st.integers(0, 3)) == 0:
                text.append(new.format(letter="abcdefghi"[number], side=side))
                lines.append(text[-1])
        if fate == "end":
            break
        old, both = plain.format(n=number), alike.format(n=number)
        one, other = (own.format(n=number, side=side, mark=mark) for side, mark in marks.items())
        versions = {
            "kept": (old, old, old), "first": (one, old, one), "second": (old, other, other),
            "alike": (both, both, both), "contested": (one, other, other), "gone in first": ("", old, ""),
            "gone in second": (old, "", ""), "gone in both": ("", "", ""), "saved": ("", other, other),
        }[fate]  # fmt: skip
        base.append(old)
        for text, line in zip((*sides, lines), versions, strict=True):
            text.extend([line] * bool(line))
        quoted += [one] * (fate == "contested")
    texts = ["# Block\n\n" + above + "\n".join([*text, "", "End.\n"]) for text in (base, *sides)]
    return Block(texts[0], (texts[1], texts[2]), lines, quoted, not {"contested", "saved"}.isdisjoint(fates))


@st.composite
def paragraphs(draw: st.DrawFn) -> tuple[str, str, str, list[str], list[str]]:
    """Draw three texts, the lines of the merged one, and those of its callouts.

    The sides put other paragraphs, which resemble none, in the place of some, and add paragraphs below the last one.
    """
    texts, lines, quoted = (list[str](), list[str](), list[str]()), list[str](), list[str]()
    fates = draw(st.lists(st.sampled_from(("kept", "first", "second", "alike", "contested")), min_size=1, max_size=5))
    for letter, fate in zip("abcde", fates, strict=False):
        old, one, other = (
            [f"{word}{letter}{'xyz'[at]}" for at in range(draw(st.integers(1, 3)))] for word in ("old", "one", "other")
        )
        versions = {
            "kept": (old, old, old), "first": (old, one, old), "second": (old, old, other),
            "alike": (old, one, one), "contested": (old, one, other),
        }[fate]  # fmt: skip
        for text, version in zip(texts, versions, strict=True):
            text.append("\n".join(version))
        lines += versions[1] if fate == "first" else versions[2]
        quoted += one * (fate == "contested")
    for side, text in zip(("first", "second"), texts[1:], strict=True):
        added = [f"{side}{letter}" for letter in "uvw"[: draw(st.integers(0, 3))]]
        text.extend(added)
        lines += added
    base, first, second = ("\n\n".join(text) + "\n" for text in texts)
    return base, first, second, lines, quoted


def bare(text: str) -> list[str]:
    """Return the lines of a text that are not in a quote and not blank."""
    return [line for line in text.split("\n") if line and not line.startswith(("> ", "#", "|--", "| a | b |", "End."))]


def quoted_in(text: str) -> list[str]:
    return [line[2:] for line in text.split("\n") if line.startswith("> ") and "[!conflict]" not in line]


@pytest.mark.parametrize(
    ("base", "first", "second", "lines", "quoted"),
    [
        (["[ ] one", "[ ] two", "[ ] three"], ["[x] one", "[x] two", "[ ] three"], ["[ ] one", "[x] two", "[x] three"],
         ["[x] one", "[x] two", "[x] three"], []),
        (["- [ ] one", "- [ ] two"], ["- [x] one", "- [x] two"], ["- [ ] one", "- [-] two"],
         ["- [x] one", "- [-] two"], ["- [x] two"]),
        (["- Tone: a", "- Name: Ann"], ["- Tone: b", "- Name: Anna"], ["- Tone: a", "- Name: Lee", "- City: Ulm"],
         ["- Tone: b", "- Name: Lee", "- City: Ulm"], ["- Name: Anna"]),
        (["| a | 1 |", "| b | 2 |"], ["| a | 3 |", "| b | 4 |"], ["| a | 1 |", "| b | 5 |", "| c | 6 |"],
         ["| a | 3 |", "| b | 5 |", "| c | 6 |"], ["| b | 4 |"]),
        (["- a", "- b", "- c"], ["- one", "- two", "- c"], ["- a", "- 2", "- 3"], ["- one", "- 2", "- 3"], ["- two"]),
        (["Green.", "Black.", "White."], ["Sencha.", "Assam.", "White."], ["Green.", "Ceylon.", "Silver."],
         ["Sencha.", "Ceylon.", "Silver."], ["Assam."]),
        (["- tea", "- milk", "- salt"], ["- tea", "- oat milk", "- jam"], ["- tea", "- soy milk", "- salt"],
         ["- tea", "- soy milk", "- jam"], ["- oat milk"]),
        (["w 2", "", "w 3"], ["w 2", "", "[[a]]", "", "Added."], ["w 2", "", "[[b]]"],
         ["w 2", "[[b]]", "Added."], ["[[a]]"]),
        (["w 3"], ["[[a]]", "", "One."], ["[[b]]", "", "Two."], ["[[b]]", "One.", "Two."], ["[[a]]"]),
        (["w 3", "", "w 4"], ["Tea.", "", "Milk.", "", "---", "", "Jam."], ["w 3", "", "Salt."],
         ["Tea.", "Salt.", "---", "Jam."], ["Milk."]),
        (["# A", "", "w 3", "", "## B"], ["# A", "", "Tea.", "", "Jam.", "", "## B"], ["# A", "", "Milk.", "", "## B"],
         ["Milk.", "Jam."], ["Tea."]),
        (["a", "b"], ["one", "same", "two"], ["1", "same", "2", "3"], ["1", "same", "2", "3"], ["one", "two"]),
    ],
    ids=["tasks", "a contested task", "properties", "rows", "items", "prose", "words", "an extracted paragraph",
         "paragraphs of both", "all paragraphs", "a paragraph of a section", "equal lines"],
)  # fmt: skip
def test_lines_are_paired_by_example(
    base: list[str], first: list[str], second: list[str], lines: list[str], quoted: list[str]
) -> None:
    result = merged(*("\n".join(text) + "\n" for text in (base, first, second)))
    assert (bare(result), quoted_in(result)) == (lines, quoted)


def test_an_item_that_resembles_none_of_the_removed_ones_is_added_at_the_end_of_a_list() -> None:
    assert merged("- x\n", "- z a\n", "- z b\n") == "- z a\n- z b\n"
    assert merged("- [[y]]\n- end\n", "- [[a]]\n- end\n", "- [[b]]\n- end\n") == "- [[a]]\n- [[b]]\n- end\n"
    assert quoted_in(merged("- x\n- end\n", "- z a\n- end\n", "- z b\n- end\n")) == ["- z a"]


class TestAlways:
    @given(blocks())
    def test_a_callout_has_the_contested_lines_and_no_other(self, block: Block) -> None:
        result = merged(block.base, *block.sides)
        assert quoted_in(result) == block.quoted
        assert sorted(bare(result)) == sorted(block.lines)

    @given(blocks(adds=False))
    def test_each_line_stands_in_its_place(self, block: Block) -> None:
        assert bare(merged(block.base, *block.sides)) == block.lines

    @given(paragraphs())
    def test_a_paragraph_below_a_contested_one_is_an_added_one(
        self, drawn: tuple[str, str, str, list[str], list[str]]
    ) -> None:
        *texts, lines, quoted = drawn
        result = merged(*texts)
        assert (sorted(bare(result)), [line for line in quoted_in(result) if line]) == (sorted(lines), quoted)

    @given(blocks(adds=False))
    def test_an_edit_is_refused_if_a_line_is_contested_and_only_then(self, block: Block) -> None:
        proposal = propose(block.base, *block.sides)
        assert bool(proposal.conflicts) == block.is_refused
        assert block.is_refused or bare(proposal.text) == block.lines
