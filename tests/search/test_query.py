"""The filters of a query: which notes pass each of them, what is said when none does, and who sees what."""

import os
import pathlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.search.query import read_query
from zkmem.util.words import phrase_tokens, tokens

FILTERS = 'tag:x, path:x, name:x, before:2026, after:2026, on:2026-11-25, [property:x], "some words" and -word'
IN_USE = (
    "Tags in use: tag:quick, tag:recipe, tag:recipe/soup. "
    "The latest notes: [[2026-11-21]], [[recipes/soup]], [[recipes/tea]]."
)
VAULT = {
    "recipes/soup.md": """---
date: 2026-11-20
tags: [recipe/soup, Winter]
rating: 5.0
author: '[[people/Ann|Annie]]'
---
Cut the green onions; they were running low. #quick
""",
    "recipes/tea.md": """---
date: 2026-10-01
tags: recipe
rating: 4
done: true
empty:
---
Green tea with onions cut fine.
""",
    "people/Ann.md": """---
created: 2025-01-02
status: [open, In Progress]
aliases: [Anna, Ánnie Smith]
---
Ann cuts onions. `#quick` 她喜欢绿茶和汤。
""",
    "2026-11-21.md": "Onions again; green ones. Café #recipes\n",
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, VAULT))


def names(memory: Memory, query: str, **options: object) -> set[str]:
    """The last parts of the names of the notes that a search finds."""
    return {hit.name.rpartition("/")[2] for hit in memory.search(query, **options)}  # type: ignore[arg-type]


SOUP, TEA, ANN, DAY = "soup", "tea", "Ann", "2026-11-21"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"green onions"', {SOUP}),
        ('"Green onions" cut', {SOUP}),
        ('onions "cut fine"', {TEA}),
        ('"cuts"', {ANN}),  # the very word, not its other forms
        ('"绿茶和汤"', {ANN}),
        ('"绿茶"', {ANN}),
        ('"茶"', {ANN}),
        ('"CAFE"', {DAY}),
        ('-"green onions" onions', {TEA, ANN, DAY}),
        ("onions -tea", {SOUP, ANN, DAY}),
        ("onions -runs", {TEA, ANN, DAY}),  # any form of a word
        ("onions -cut", {DAY}),
        ("-green -绿茶", set()),
        ("tag:recipe", {SOUP, TEA}),
        ("tag:#RECIPE/Soup", {SOUP}),
        ("tag:winter onions", {SOUP}),
        ("tag:quick", {SOUP}),  # not in code
        ("tag:recipes", {DAY}),
        ("-tag:recipe onions", {ANN, DAY}),
        ("path:recipes/", {SOUP, TEA}),
        ("path:ECIPES", {SOUP, TEA}),
        ("name:2026", {DAY}),
        ("file:sou", {SOUP}),
        ('name:"2026-11-21"', {DAY}),
        ("name:recipes", set()),
        ("name:soup.md", {SOUP}),
        ("name:annie", {ANN}),  # an alias
        ("-name:annie onions", {SOUP, TEA, DAY}),
        ("[rating]", {SOUP, TEA}),
        ("[rating:5]", {SOUP}),
        ("[Rating: 4]", {TEA}),
        ("-[rating]", {ANN, DAY}),
        ("[rating:>4]", {SOUP}),
        ("[rating:< 4.5]", {TEA}),
        ('[author:"<b>"]', set()),
        ("[rating:<-4]", set()),
        ("-[rating:>3]", {ANN, DAY}),
        ("[done:true]", {TEA}),
        ("[empty]", {TEA}),
        ('[status:"in progress"]', {ANN}),
        ("[status:open]", {ANN}),
        ("[author:Ann]", {SOUP}),
        ("[author:Annie]", {SOUP}),
        ("before:2026", {ANN}),
        ("before:2026-10-01", {ANN}),
        ("after:2026-10-01", {SOUP, TEA, DAY}),
        ("after:2026-11", {SOUP, DAY}),
        ("after:2026-11-21", {DAY}),
        ("on:2026-11-21", {DAY}),
        ("on:2026-11", {SOUP, DAY}),
        ("on:2026 -on:2026-11", {TEA}),
        ("after:2026-10 before:2026-11", {TEA}),
        ("tag:recipe -[rating:4] after:2026 onion", {SOUP}),
        ('(the "green onions")', {SOUP}),
        ("(tag:recipe) tea", {TEA}),
        ("well-known -", set()),
    ],
)
def test_each_filter_lets_the_right_notes_pass(memory: Memory, query: str, expected: set[str]) -> None:
    assert names(memory, query) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[[Ann]] onions",
        "well-onions",
        "x-[y] onions",
        "a-tag:x onions",
        "onions --tea",
        "note: onions",
        "onions [a](b.md)",
        "re:onions",
        "https://onions.example",
        "file:///home/onions",
        "10:30 onions",
        "foo:onions",
        "a - onions",
        "-- onions",
    ],
)
def test_text_that_is_no_filter_is_looked_for(memory: Memory, text: str) -> None:
    assert read_query(text).filters == []
    assert names(memory, text) == {SOUP, TEA, ANN, DAY}


def test_a_phrase_ends_with_the_value_of_a_property(tmp_path: pathlib.Path) -> None:
    text = "---\na: blue\nb: [green, red onions]\n---\nonions here\n"
    memory = Memory(write(tmp_path, {"n.md": text}))
    assert names(memory, '"red onions"') == names(memory, '"onions here"') == {"n"}
    for phrase in ["blue green", "green red", "onions onions", "red onions onions"]:
        assert names(memory, f'-"{phrase}" onions') == {"n"}


def test_filters_see_every_tag_and_property_of_a_note(tmp_path: pathlib.Path) -> None:
    many = "\n".join(f"- value {number}" for number in range(1_100))
    files = {
        "many.md": f"---\nx:\n{many}\nzed: 7\nempty:\n---\n",
        "tags.md": " ".join(f"#t{number}" for number in range(1_100)) + " #a/b",
        "few.md": "---\nzed: 7\nempty: no\n---\n#t1099 #a/b/c",
        "other.md": "---\nx: 1\n---\n",
    }
    memory = Memory(write(tmp_path, files))
    for query in ["[zed]", "[zed:7]", "[zed:>6]", "[zed:>=7]", "[zed:<8]"]:
        assert names(memory, query) == {"many", "few"}
        assert names(memory, f"-{query}") == {"tags", "other"}
    assert names(memory, "[empty:no]") == {"few"}
    for query in ["tag:t1099", "tag:a", "tag:a/b"]:
        assert names(memory, query) == {"tags", "few"}
    assert names(memory, "tag:a/b/c") == {"few"}


def test_the_day_of_a_file_is_that_of_its_last_change(tmp_path: pathlib.Path) -> None:
    noon = 1_795_262_400  # of 21 November 2026, UTC
    memory = Memory(write(tmp_path, {"a.md": "tea\n", "b.md": "---\ndate: 2025-05-05\n---\ntea\n"}))
    assert names(memory, "tea after:2020") == {"a", "b"}
    for name in ["a.md", "b.md"]:
        os.utime(tmp_path / name, (noon - 10 * 365 * 86_400,) * 2)
    engine(memory).live.refresh()
    assert names(memory, "tea before:2020") == {"a"}
    memory.close()
    os.utime(tmp_path / "a.md", (noon,) * 2)  # while nobody looks
    again = Memory(str(tmp_path))
    assert names(again, "tea before:2020") == set()
    assert names(again, "tea after:2026-11-20") == {"a"}
    again.close()


def test_filters_can_be_plain_text(memory: Memory) -> None:
    assert names(memory, 'onions tag:nothing before:noon "not there"', filters=False) == {SOUP, TEA, ANN, DAY}


def test_a_query_of_filters_alone_lists_the_latest_notes_first(memory: Memory) -> None:
    hits = memory.search("-[nothing]", limit=3)
    assert [(hit.name, hit.date) for hit in hits] == [
        (DAY, "2026-11-21"),
        ("recipes/soup", "2026-11-20"),
        ("recipes/tea", "2026-10-01"),
    ]
    assert hits[1].snippet.startswith("Cut the green onions")


@pytest.mark.parametrize(
    ("query", "remark"),
    [
        (
            "tag:nothing onions",
            "No note matches tag:nothing. 4 notes match without tag:nothing. " + IN_USE.partition(" The")[0],
        ),
        (
            "tag:recipe [done] on:2025",
            "The one note that matches tag:recipe [done] does not match on:2025. One note matches without on:2025.",
        ),
        ("tag:recipe zebra", f"None of the 2 notes that match tag:recipe has a word of the query. {IN_USE}"),
        (
            'onions "onions green"',
            'No note matches "onions green". These notes have some of the words of "onions green".',
        ),
        (
            'tag:recipe "zebra crossing"',
            'No note matches "zebra crossing". None of the 2 notes that match tag:recipe has a word of the query. '
            + IN_USE,
        ),
    ],
)
def test_the_part_of_a_query_that_leaves_nothing_is_named(memory: Memory, query: str, remark: str) -> None:
    hits = memory.search(query)
    assert " ".join(hits.remarks) == remark
    assert bool(hits) == ("These notes" in remark)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("tag:# x", "'tag:#' has no value; write one, such as tag:recipe."),
        ('name:""', "'name:\"\"' has no value"),
        (
            "before:soon",
            "'before:soon' has no date; write one such as 2026-11-20, 2026-11, 2026, yesterday or last-week.",
        ),
        ("after:2026-02-30", "has no date"),
        ("after:20261120", "has no date"),
        ("[rating:>]", "'[rating:>]' has no limit; write a number or a date, such as [rating:>3]."),
        ("[rating:>=high]", "has no limit"),
        ("-x " * 51, "51 filters; give 50 at most"),
    ],
)
def test_a_wrong_filter_is_refused(memory: Memory, query: str, problem: str) -> None:
    with pytest.raises(BadArgument, match=re.escape(problem)):
        memory.search(query)


@pytest.mark.parametrize(
    ("query", "remark"),
    [
        ("tags:recipe", "'tags:recipe' is no filter, only words; did you mean tag:recipe?"),
        ("onions Title:soup", "'Title:soup' is no filter, only words; did you mean name:soup?"),
        ("-tea folder:x onions", "'folder:x' is no filter, only words; did you mean path:x?"),
        ("befor:2026", "'befor:2026' is no filter, only words; did you mean before:2026?"),
        ("onions tag:", "'tag:' has no value, so it is only a word; write one, such as tag:recipe."),
        ("onions rating:4", "'rating:4' is no filter, only words; did you mean [rating:4]?"),
        ("-tags:x onions", "'-tags:x' is no filter, only words; did you mean -tag:x?"),
        (
            'title:"some soup"',
            '\'title:"some soup"\' is no filter, only words; did you mean name:"some soup"?',
        ),
        ("tags:x, onions", "'tags:x' is no filter, only words; did you mean tag:x?"),
        (
            "since:2026-11 onions",
            "'since:2026-11' is no filter, only words; did you mean after:2026-11?",
        ),
        (
            "created:today onions",
            "'created:today' is no filter, only words; did you mean on:today?",
        ),
        ("foo:bar onions", f"'foo:bar' is no filter, only words; the filters are {FILTERS}."),
        (
            'onions since:dawn water:cold tag:"my',
            f"'since:dawn' and 'water:cold' are no filters, only words; the filters are {FILTERS}.",
        ),
        ("onions https://example.org file:///home/x mailto:a@b.org std::vector 10:30 remember: x", ""),
    ],
)
def test_what_is_nearly_a_filter_is_told(memory: Memory, query: str, remark: str) -> None:
    assert " ".join(memory.search(query).remarks[-1:]) == remark
    assert memory.search(query, filters=False).remarks == []


def test_what_is_in_quotes_is_never_nearly_a_filter(memory: Memory) -> None:
    assert memory.search('"tags:recipe" "tag:" [author:"tags:x"]').remarks == [
        'No note matches "tags:recipe".', 'No note matches [author:"tags:x"].', "3 notes match without filters.",
    ]  # fmt: skip


def test_a_caller_with_a_folder_is_not_told_of_properties_outside(memory: Memory) -> None:
    write(memory.vault, {"in/a.md": "x"})
    unknown = f"'{{0}}:4' is no filter, only words; the filters are {FILTERS}."
    for word in ("rating", "nothing"):
        assert memory.restricted(Grant("in")).search(f"x {word}:4").remarks == [unknown.format(word)]
    assert memory.restricted(Grant("in")).search("[rating:4]").remarks == [
        "No note matches [rating:4].", "No note has the property rating.", "The latest notes: [[in/a]].",
    ]  # fmt: skip


def test_filters_follow_edits(memory: Memory) -> None:
    assert names(memory, "tag:recipe") == {SOUP, TEA}
    memory.write("tea", "#other\n")
    assert (names(memory, "tag:recipe"), names(memory, "tag:other")) == ({SOUP}, {TEA})
    memory.delete("soup")
    assert names(memory, "tag:recipe") == set()


def test_a_caller_with_a_folder_learns_nothing_from_outside(memory: Memory) -> None:
    memory.search("onions")
    confined = memory.restricted(Grant("recipes"))
    assert names(confined, "-[nothing]") == {SOUP, TEA}
    assert names(confined, "path:people") == names(confined, "tag:recipes") == set()
    assert confined.search("after:2026 tag:recipe zebra").remarks == [
        "None of the 2 notes that match after:2026 tag:recipe has a word of the query.",
        "Tags in use: tag:quick, tag:recipe, tag:recipe/soup. The latest notes: [[recipes/soup]], [[recipes/tea]].",
    ]
    assert confined.search("[created] onions").remarks == [
        "No note matches [created].", "No note has the property created.",
        "2 notes match without [created]. Properties in use: [author], [tags], [date].",
    ]  # fmt: skip


def test_counts_leave_out_folders_that_are_not_searched(memory: Memory) -> None:
    assert memory.search("after:2026 zebra", folders=["recipes"]).remarks[:1] == [
        "None of the 2 notes that match after:2026 has a word of the query."
    ]
    assert memory.search("after:2026 zebra", without=["recipes"]).remarks[:1] == [
        "The one note that matches after:2026 has no word of the query."
    ]


def test_a_note_with_the_common_words_alone_is_found_among_the_filtered(tmp_path: pathlib.Path) -> None:
    files = {f"{number}.md": " ".join(f"rare{number}" for _ in range(3)) + " common" for number in range(40)}
    memory = Memory(write(tmp_path, files | {"x.md": "common #x"}))
    rare = " ".join(f"rare{number}" for number in range(20))
    assert names(memory, f"{rare} common tag:x") == {"x"}


def test_a_note_with_the_commonest_word_alone_is_found_if_few_match(tmp_path: pathlib.Path) -> None:
    files = {f"{number}.md": f"rare{number}" for number in range(9)} | {"a.md": "often", "b.md": "often"}
    memory = Memory(write(tmp_path, files))
    rare = " ".join(f"rare{number}" for number in range(9))
    assert names(memory, f"{rare} often", limit=20) == {*map(str, range(9)), "a", "b"}


@given(before=st.text(max_size=20), phrase=st.text(max_size=20), after=st.text(max_size=20))
def test_the_words_of_a_phrase_follow_each_other_in_the_text(before: str, phrase: str, after: str) -> None:
    words, wanted = tokens(f"{before} {phrase} {after}"), phrase_tokens(phrase)
    exact = [words[at : at + len(wanted)] == wanted for at in range(len(words) + 1)]
    assert any(exact)


@given(st.text(alphabet='ab "-:[]()tagpathbefore2026é卡', max_size=40))
def test_any_text_is_a_query_or_is_refused(text: str) -> None:
    try:
        query = read_query(text)
    except BadArgument:
        return
    assert len(query.words) <= len(text) + len(query.filters) * 2
