"""The changes of two sides in one note are merged, and no line is lost."""

import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.markdown.callouts import conflict_titles, find_callouts
from zkmem.markdown.note import Text
from zkmem.markdown.properties import parts
from zkmem.sync.notes import MergedNote, as_merged, joined_note, merged_note, names_after_merge

TITLE = "Also written on laptop, 2026-11-22 10:14"
BASE = "# Tea\n\nGreen.\nBlack.\nWhite.\n\nEnd.\n"


def merged(base: str, first: str, second: str) -> str:
    return merged_note(base.encode(), first.encode(), second.encode(), TITLE).data.decode()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(BASE.replace("Green", "Sencha"), BASE, BASE.replace("Green", "Sencha"), id="only the first"),
        pytest.param(BASE.replace("Green", "A"), BASE.replace("White", "B"),
                     BASE.replace("Green", "A").replace("White", "B"), id="different lines"),
        pytest.param(BASE.replace("Green", "A"), BASE.replace("Black", "B"),
                     BASE.replace("Green", "A").replace("Black", "B"), id="neighbouring lines"),
        pytest.param(BASE + "One.\n", BASE + "Two.\n", BASE + "One.\nTwo.\n", id="both append"),
        pytest.param(BASE + "\nOne.\n", BASE + "\nTwo.\n", BASE + "\nOne.\n\nTwo.\n", id="both append a paragraph"),
        pytest.param(
            BASE + "\nOne.\n\nOne, too.\n", BASE + "\nTwo.\n\nTwo, too.\n",
            BASE + "\nOne.\n\nOne, too.\n\nTwo.\n\nTwo, too.\n", id="both append two paragraphs",
        ),
        pytest.param(
            BASE + "\nOne.\n", BASE + "- Two\n\nTwo.\n",
            BASE + "- Two\n\nTwo.\n\nOne.\n", id="one adds to the list above",
        ),
        pytest.param(BASE + "\n- One\n", BASE + "\n- Two\n", BASE + "\n- One\n- Two\n", id="both append an item"),
        pytest.param(BASE + "One.\n", BASE + "One.\nTwo.\n", BASE + "One.\nTwo.\n", id="one appends more"),
        pytest.param(BASE.replace("Green.\nBlack.\n", ""), BASE.replace("Green", "Sencha"),
                     BASE.replace("Green.\nBlack.\n", "Sencha.\n"), id="one removes what the other changes"),
        pytest.param(BASE.replace("Green.\n", ""), BASE.replace("Green.\nBlack.\n", ""),
                     BASE.replace("Green.\nBlack.\n", ""), id="both remove"),
        pytest.param(BASE.replace("End.", "---\n\nOther.\n\nMore."), BASE.replace("End", "The end"),
                     BASE.replace("End.", "The end.\n\n---\n\nOther.\n\nMore."), id="one removes, and adds a rule"),
        pytest.param(BASE.removesuffix("\n"), BASE.replace("Green", "A"),
                     BASE.removesuffix("\n").replace("Green", "A"), id="the last line end"),
        pytest.param(BASE.replace("\n", "\r\n"), BASE.replace("Green", "A"),
                     BASE.replace("Green", "A").replace("\n", "\r\n"), id="line ends"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("swapped", [False, True])
def test_changes_without_a_conflict_are_merged(first: str, second: str, expected: str, *, swapped: bool) -> None:
    result = merged(BASE, second, first) if swapped else merged(BASE, first, second)
    assert sorted(result.split("\n")) == sorted(expected.split("\n"))
    assert swapped or result == expected


def test_what_both_changed_stands_in_a_callout_below_the_block() -> None:
    result = merged_note(
        BASE.encode(), BASE.replace("Black", "Assam").encode(), BASE.replace("Black", "Ceylon").encode(), TITLE
    )
    text = dedent(f"""\
        # Tea

        Green.
        Ceylon.
        White.

        > [!conflict] {TITLE}
        > Assam.

        End.
        """)
    assert result == MergedNote(text.encode(), in_conflict=True)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("end", ["\nEnd.\n", ""])
def test_an_edited_callout_stays_whole_if_the_other_side_removed_it(end: str, *, swapped: bool) -> None:
    callout = f"> [!conflict] {TITLE}\n> Assam.\n> Second flush.\n"
    base = f"# Tea\n\nCeylon.\n\n{callout}{end}"
    edited = base.replace("Second", "First")
    resolved = f"# Tea\n\nCeylon.\n{end}"
    sides = (resolved, edited) if swapped else (edited, resolved)
    assert merged(base, *sides) == edited
    assert merged(base, resolved, base) == merged(base, base, resolved) == resolved
    other = resolved.replace("# Tea", "# Chai")
    assert merged(base, other, edited) == edited.replace("# Tea", "# Chai")


ONE, TWO = f"> [!conflict] {TITLE}\n> one\n", f"> [!conflict] {TITLE}\n> two\n"


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("base", "first", "second", "expected"),
    [
        pytest.param(f"a\n\n{ONE}\nb\n\n{TWO}\nc\n", f"a\n\n{ONE}> more\n\nb\n\nc\n", f"a\n\nb\n\n{TWO}\nc\n",
                     f"a\n\n{ONE}> more\n\nb\n\nc\n", id="each side removes another one of two"),
        pytest.param(f"a\n\n{ONE}\nb\n\nc\n", f"a\n\n{ONE}> more\n\nb\n\nc\n", f"a\n\nb\n\nc\n\n{ONE}",
                     f"a\n\nb\n\nc\n\n{ONE}> more\n", id="one side moves it"),
        pytest.param(f"a\n\n{ONE}\nb\n", f"a\n\n{ONE.replace('10:14', '10:14 see Ann')}> more\n\nb\n", "a\n\nb\n",
                     f"a\n\n{ONE.replace('10:14', '10:14 see Ann')}> more\n\nb\n", id="one side edits its title"),
        pytest.param(f"a\n\n{ONE}\nb\n", "a\n\n> [!conflict] X\n> one\n\nb\n", f"a\n\n{ONE}> more\n\nb\n",
                     "a\n\n> [!conflict] X\n> one\n> more\n\nb\n", id="both sides edit it"),
    ],
)  # fmt: skip
def test_callouts_with_equal_titles_are_told_apart(
    base: str, first: str, second: str, expected: str, *, swapped: bool
) -> None:
    assert (merged(base, second, first) if swapped else merged(base, first, second)) == expected


def test_callouts_that_both_sides_add_at_one_place_stay_two() -> None:
    first, second = f"a\n\n{ONE}\nb\n", f"a\n\n{TWO}\nb\n"
    result = merged("a\n\nb\n", first, second)
    assert result == f"a\n\n{ONE}\n{TWO}\nb\n"
    assert merged("a\n\nb\n", result, f"a\n\n{ONE}b\n") == f"a\n\n{ONE}\n{TWO}\nb\n"


@pytest.mark.parametrize(
    ("block", "old"),
    [("- a\n- b\n- c", "b"), ("```\na\nb\n```", "b"), ("| a |\n|---|\n| b |", "b"), ("> a\n> b", "b"),
     ("```\nnever closed\nb", "b"), ("%%\nb\n%%", "b"), ("<div>\nb\n</div>", "b")],
)  # fmt: skip
def test_a_callout_is_visible_wherever_the_conflict_is(block: str, old: str) -> None:
    base = f"Above.\n\n{block}\n"
    first, second = (re.sub(rf"\b{old}\b", new, base) for new in ("mine", "yours"))
    result = merged(base, first, second)
    assert conflict_titles(result.encode()) == [TITLE]
    assert "mine" in result
    assert set(second.split("\n")) <= set(result.split("\n"))


def test_a_new_note_on_both_sides_becomes_one_note_with_both_texts() -> None:
    first, second = "# Tea\n\nGreen is good.\n", "# Tea\n\nBlack is good.\n"
    assert merged("", first, second) == "# Tea\n\nGreen is good.\n\nBlack is good.\n"


class TestFrontmatter:
    BASE = "---\n# kept\ntitle: Tea\ntags: [hot, drink]\nstatus: open # for now\n---\nText.\n"

    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [
            pytest.param(("title: Tea", "title: Teas"), ("status: open", "status: done"),
                         "---\n# kept\ntitle: Teas\ntags: [hot, drink]\nstatus: done # for now\n---\nText.\n",
                         id="keys"),
            pytest.param(("[hot, drink]", "[drink, green]"), ("[hot, drink]", "[hot, drink, black]"),
                         "---\n# kept\ntitle: Tea\ntags: [drink, black, green]\nstatus: open # for now\n---\nText.\n",
                         id="lists"),
            pytest.param(("title: Tea\n", ""), ("title: Tea", "title: Chai"),
                         "---\n# kept\ntitle: Chai\ntags: [hot, drink]\nstatus: open # for now\n---\nText.\n",
                         id="removed and changed"),
            pytest.param(("---\nText", "one: 1\n---\nText"), ("---\nText", "two: 2\n---\nText"),
                         BASE.replace("---\nText", "one: 1\ntwo: 2\n---\nText"), id="new keys"),
            pytest.param(("title: Tea", "title: Mine"), ("title: Tea", "title: Yours"),
                         BASE.replace("title: Tea", "title: Yours").replace(
                             "Text.\n", f"> [!conflict] {TITLE}\n> title: Mine\n\nText.\n"), id="one key"),
            pytest.param(("[hot, drink]", "[hot, one]"), ("tags: [hot, drink]\n", "tags: [hot, drink, two]\n# below\n"),
                         BASE.replace("[hot, drink]\n", "[hot, two, one]\n# below\n"), id="a comment below a list"),
            pytest.param(("# kept", "# mine"), ("# kept", "# yours"),
                         BASE.replace("# kept", "# yours").replace(
                             "Text.\n", f"> [!conflict] {TITLE}\n> # mine\n\nText.\n"), id="the comment on top"),
            pytest.param(("open # for now", "open # mine"), ("open # for now", "open # yours"),
                         BASE.replace("# for now", "# yours").replace(
                             "Text.\n", f"> [!conflict] {TITLE}\n> status: open # mine\n\nText.\n"), id="comments"),
            pytest.param(("open # for now", "done # for now"), ("open # for now", "open # yours"),
                         BASE.replace("open", "done").replace(
                             "Text.\n", f"> [!conflict] {TITLE}\n> status: open # yours\n\nText.\n"),
                         id="a value and a comment"),
            pytest.param(("title: Tea", "title: [Mine"), ("status: open", "status: done"),
                         BASE.replace("status: open", "status: done").replace(
                             "Text.\n", f"> [!conflict] {TITLE}\n> # kept\n> title: [Mine\n> tags: [hot, drink]\n"
                             "> status: open # for now\n\nText.\n"), id="not YAML"),
        ],
    )  # fmt: skip
    def test_keys_are_merged_one_by_one(self, first: tuple[str, str], second: tuple[str, str], expected: str) -> None:
        assert merged(self.BASE, self.BASE.replace(*first), self.BASE.replace(*second)) == expected

    @pytest.mark.parametrize(
        ("base", "first", "second", "expected"),
        [
            ("# title: x\ntitle: x\nt: [a]\n", "# title: x\ntitle: x\nt: [a, b]\n", "# title: x\ntitle: x\nt: [a, c]\n",
             {"title": "x", "t": ["a", "c", "b"]}),
            ("a: 1\n", "a: 2\n", "a: 1\n# of the second\nb: 1\n", {"a": "2", "b": "1"}),
            ("t: [a]\n", "t:\n- a\n-\n- b\n", "t: [a, c]\n", {"t": ["a", "c", "null", "b"]}),
            ("  a: 1\n  b: 2\n", "  a: 1\n  b: 3\n", "  a: 1\n  b: 2\n  c: 1\n", {"a": "1", "b": "2", "c": "1"}),
            ("a: 1\n...\n", "a: 1\nb: 2\n...\n", "a: 1\nc: 2\n...\n", {"a": "1", "c": "2"}),
            ("a: &x 1\nb: *x\n", "a: &x 2\nb: *x\n", "a: &x 1\nb: 2\n", {"a": "1", "b": "2"}),
        ],
    )  # fmt: skip
    def test_the_result_is_yaml(self, base: str, first: str, second: str, expected: object) -> None:
        result = merged(*(f"---\n{source}---\nbody\n" for source in (base, first, second)))
        assert parts(Text(result)).properties == expected
        lost = bare_lines(first) - bare_lines(base) - bare_lines(result)
        assert all(line.startswith(("t:", "-")) for line in lost)

    def test_values_that_grow_without_end_are_one_value(self) -> None:
        keys = "".join(f", &a{at} [*a{at - 1}, *a{at - 1}]" for at in range(1, 60))
        bomb = f"? [&a0 [x, x]{keys}]\n: 1\n"
        deep = "a: " + "[" * 900 + "]" * 900 + "\n"
        for source in (bomb, deep):
            result = merged(*(f"---\n{source}{more}---\n" for more in ("", "b: 1\n", "c: 1\n")))
            assert result.startswith(f"---\n{source}c: 1\n---\n> [!conflict]")


@pytest.mark.parametrize(
    ("one", "other", "stands"),
    [
        ("created: 2026-11-22T09:30:00.123456Z", "created: 2026-11-22T10:14:05.000001Z", 0),
        ("date created: 2026-11-22T10:14+02:00", "date created: 2026-11-22T09:30Z", 0),
        ("created: 2026-11-21", "created: 2026-11-22 09:30", 0),
        ("status: open", "status:", 0),
        ("status: []", "status: open", 1),
    ],
)
def test_a_property_that_both_made_is_no_conflict_if_one_value_gives_way(one: str, other: str, stands: int) -> None:
    notes = [f"---\n{line}\n---\n- x\n" for line in (one, other)]
    assert merged("", *notes) == merged("", *notes[::-1]) == merged("- x\n", *notes) == notes[stands]


@pytest.mark.parametrize("key", ["created", "due"])
def test_other_times_are_a_conflict(key: str) -> None:
    notes = [f"---\n{key}: {value}\n---\n- x\n" for value in ("2026-11-22", "soon")]
    assert f"> {key}: 2026-11-22\n" in merged("", *notes)
    base, *notes = (f"---\n{key}: 2026-11-{day}\n---\n- x\n" for day in (22, 21, 20))
    assert f"> {key}: 2026-11-21\n" in merged(base, *notes)


def test_many_conflicts_in_one_block_have_a_callout_each() -> None:
    texts = [
        "\n".join(f"- item {at} {word if at % 2 else ''}" for at in range(3_000)) for word in ("", "mine", "yours")
    ]
    result = merged(*texts)
    assert conflict_titles(result.encode()) == [TITLE] * 1_500
    assert all(f"> - item {at} mine" in result and f"\n- item {at} yours" in result for at in range(1, 3_000, 2))


def test_a_merged_body_does_not_become_frontmatter() -> None:
    assert merged("x\n---\n", "---\n", "x\n---\nfoo\n---\nbar\n") == "---\n---\n---\nfoo\n---\nbar\n"


LINES = st.lists(
    st.sampled_from(["", "a", "b", "c", "- x", "- y", "# H", "```", "> q", "| t |", "%%", "d é"]), max_size=9
)
HEADS = st.sampled_from(
    ["", "---\nk: 1\n---\n", "---\nk: 2\nl: [a, b]\n---\n", "---\nl: [b, c]\n---\n", "---\n[\n---\n"]
)
NOTES = st.builds(lambda head, lines, end: head + "\n".join(lines) + end, HEADS, LINES, st.sampled_from(["", "\n"]))


def bare_lines(text: str) -> set[str]:
    """Return the lines of a text without quote marks."""
    return {re.sub(r"^(> ?)+", "", line).strip() for line in text.split("\n")} - {"", "---"}


CALLOUTS = st.builds(
    lambda title, lines: "\n".join([f"> [!conflict] {title}", *lines]),
    st.sampled_from([TITLE, "Another"]),
    st.lists(st.sampled_from(["> one", "> two", "> three"]), min_size=1, max_size=3),
)
BLOCKS = st.lists(st.sampled_from(["a", "b", "c"]) | CALLOUTS, max_size=6)


@st.composite
def edited_blocks(draw: st.DrawFn, base: list[str], name: str) -> list[str]:
    """Draw the blocks of a side: it removed, edited, moved or added some."""
    blocks = list(base)
    for number in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(blocks)))
        match draw(st.sampled_from(["remove", "edit", "move", "add"])):
            case "remove":
                del blocks[at : at + 1]
            case "edit" if at < len(blocks):
                blocks[at] += f"\n> {name}{number}" if blocks[at].startswith(">") else f"\n{name}{number}"
            case "move" if at < len(blocks):
                blocks.insert(draw(st.integers(0, len(blocks) - 1)), blocks.pop(at))
            case "add":
                blocks.insert(at, draw(CALLOUTS))
    return blocks


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("L [s][1]\n\n[1]: t1.md\n", "D [s][1]\n\n[1]: t2.md\n", ["L [s][2]", "[2]: t1.md", "D [s][1]", "[1]: t2.md"]),
        ("L[^1]\n\n[^1]: one\n", "D[^1]\n\n[^1]: two\n", ["L[^2]", "[^2]: one", "D[^1]", "[^1]: two"]),
        ("L ^k\n", "D ^k\n", ["L ^k-2", "D ^k"]),
        ("L [s][1]\n\n[1]: t.md\n", "D [s][1]\n\n[1]: t.md\n", ["L [s][1]", "D [s][1]", "[1]: t.md"]),
    ],
)
@pytest.mark.parametrize("base", ["# Tea\n", ""])
def test_new_names_with_two_meanings_are_told_apart(first: str, second: str, expected: list[str], base: str) -> None:
    result = merged(base, f"{base}\n{first}", f"{base}\n{second}").split("\n")
    assert {*expected} <= {*result}


def test_bytes_that_are_not_utf8_stay_where_names_are_changed() -> None:
    result = joined_note(b"A[^1]\n\n[^1]: a\n", b"caf\xe9[^1]\n\n[^1]: b\n", TITLE).data
    assert b"caf\xe9[^2]\n" in result
    first, second = (b"# T\n\ncaf\xe9[^1]\n\n[^1]: a\n", b"# T\n\nB[^1]\n\n[^1]: b\n")
    assert b"caf\xe9[^2]\n" in merged_note(b"# T\n", first, second, TITLE).data
    names = names_after_merge(b"caf\xe9 ^k\n", b"B ^k\n")
    assert as_merged(b"caf\xe9 ^k\n", names) == b"caf\xe9 ^k-2\n"


def test_names_that_the_base_has_stay() -> None:
    base = "a[^1] [s][r] ^k\n\n[^1]: one\n\n[r]: t.md\n"
    first, second = base.replace("one", "uno"), base.replace("one", "two").replace("t.md", "u.md")
    assert "a[^1] [s][r] ^k" in merged(base, first, second)


def test_two_notes_that_become_one_keep_all_lines_of_their_frontmatter() -> None:
    note = b"---\nstatus: done\ntags: [a]\n---\nA\n"
    added = b"---\nstatus: open\ntags: [b]\nsummary: |\n  long\n# mine\n---\nB[^1]\n\n[^1]: b\n"
    result = joined_note(note, added, TITLE)
    assert result.in_conflict
    text = result.data.decode()
    assert f"> [!conflict] {TITLE}\n> status: open\n" in text
    assert {"status: done", "# mine", "  long", "A", "B[^1]"} <= {*text.split("\n")}
    assert joined_note(note, note, TITLE) == MergedNote(note)
    assert not joined_note(note, b"B\n", TITLE).in_conflict


class TestAlways:
    @given(st.lists(st.binary(max_size=12), min_size=3, max_size=3), st.booleans())
    def test_any_bytes_in_frontmatter_are_merged(self, values: list[bytes], empty: bool) -> None:
        lines = [value.translate(None, b"\r\n") for value in values]
        sides = [b"---\nk: " + line + b"\n---\nbody\n" for line in lines]
        result = merged_note(b"" if empty else sides[0], sides[1], sides[2], TITLE).data
        assert b"body" in result
        if not empty and lines[1] != lines[0] != lines[2]:
            assert lines[2].strip() in result

    @given(NOTES, NOTES)
    def test_one_side_alone_is_taken(self, base: str, text: str) -> None:
        assert merged(base, text, base) == merged(base, base, text) == merged(base, text, text) == text

    @given(NOTES, NOTES, NOTES)
    def test_no_new_line_is_lost(self, base: str, first: str, second: str) -> None:
        result = bare_lines(merged(base, first, second))
        for side in (first, second):
            new = bare_lines(side) - bare_lines(base)
            lists = {line for line in new if line.startswith("l: ")}
            assert new - lists <= result, "lists are merged by items"

    @given(st.data())
    def test_each_line_of_a_callout_stays_below_a_title(self, data: st.DataObject) -> None:
        base = data.draw(BLOCKS)
        sides = [data.draw(edited_blocks(base, name)) for name in ("first", "second")]
        texts = ["\n\n".join(blocks) for blocks in (base, *sides)]
        result = merged(*texts)
        lines = result.split("\n")
        quoted = {at for at, line in enumerate(lines) if line.startswith(">")}
        assert quoted == {at for callout in find_callouts(lines) for at in callout.lines}
        new = bare_lines(texts[1]) | bare_lines(texts[2])
        assert new - bare_lines(texts[0]) <= bare_lines(result)

    @given(NOTES, NOTES, NOTES)
    def test_a_callout_stands_only_where_both_changed_something(self, base: str, first: str, second: str) -> None:
        result = merged_note(base.encode(), first.encode(), second.encode(), TITLE)
        assert len(conflict_titles(result.data)) >= result.in_conflict
        if base in {first, second} or first == second:
            assert not result.in_conflict


def test_a_rule_below_the_paragraph_of_the_other_side_makes_it_no_heading() -> None:
    assert merged("a\n", "a\n\none\n", "a\n\n---\n\ntwo\n") == "a\n\none\n\n---\n\ntwo\n"


def test_edits_of_a_callout_between_other_changes_make_one_callout() -> None:
    callout = f"> [!conflict] {TITLE}\n> one\n> two\n> three\n"
    base = f"White.\n\n{callout}\nlast\n"
    first = base.replace("one", "ONE")
    second = f"White.\n\nnew\n\n{callout.replace('three', 'THREE')}"
    for sides in ((first, second), (second, first)):
        result = merged(base, *sides)
        assert result == f"White.\n\nnew\n\n> [!conflict] {TITLE}\n> ONE\n> two\n> THREE\n"


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("other", ["text\n", "---\nj: 2\n---\ntext\n", "above\n---\nk: 1\nj: 2\n---\ntext\n"])
def test_a_new_comment_in_frontmatter_stays_if_the_other_side_removes_its_key(other: str, *, swapped: bool) -> None:
    base, commented = "---\nk: 1\nj: 2\n---\ntext\n", "---\nk: 1\n# why\nj: 2\n---\ntext\n"
    result = merged(base, *((other, commented) if swapped else (commented, other)))
    assert "# why\n" in result
    assert merged(base, other, base) == other
