"""The language of Bases: each operator, function and field; what is refused; `.base` files; what a query finds."""

import contextlib
import datetime
import json
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.bases import lookup
from zkmem.bases.answer import BUILT_IN_SUMMARIES
from zkmem.bases.functions import ANY, BY_TYPE, FIELDS, GLOBAL
from zkmem.bases.rows import FILE_FIELDS
from zkmem.bases.syntax import parse
from zkmem.caller import Grant
from zkmem.errors import AmbiguousBase, BadArgument, UnknownBase, UnknownNote
from zkmem.memory import Memory

NOTE = """---
title: The tea
rating: 4.5
price: 12
done: true
due: 2026-12-24
start: 2026-11-20 09:30:15
tags: [recipe/tea, Green]
names: [Ann, Bob, "7"]
author: "[[people/Ann|Annie]]"
friends: ["[[people/Ann]]", "[[nobody]]"]
more: {size: 3, "a b": x}
empty:
---
[[people/Ann]] #quick ![[Ann]]
- [ ] one
- [x] two
"""
VAULT = {
    "recipes/tea.md": NOTE,
    "people/Ann.md": "---\ncreated: 2025-01-02\nage: 40\nmissing: 1\nnonsense: 1\n---\nSee [[tea]].\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    vault = write(tmp_path_factory.mktemp("vault"), VAULT)
    os.utime(os.path.join(vault, "recipes", "tea.md"), (1_795_262_400, 1_795_262_400))
    memory = Memory(vault)
    yield memory
    memory.close()


EXPRESSIONS = [
    # operators
    ("1 + 2 * 3", "7"),
    ("(1 + 2) * 3", "9"),
    ("7 % 4 - 10 / 4", "0.5"),
    ("-price + 2", "-10"),
    ("1 / 0", ""),
    ("price > 10 && rating < 5", "true"),
    ("price < 10 || !done", "false"),
    ("price == 12 && price != 13 && price >= 12 && price <= 12", "true"),
    ("missing > 1 || missing < 1 || missing >= 1", "false"),
    ('title + " " + price', "The tea 12"),
    ("'it\\'s' + \"\\n\\u0041\"", "it's A"),
    ("missing + 1", ""),
    ('done == true && !(done == "true")', "true"),
    ("[1, [2]] == [1, [2]]", "true"),
    # fields and items
    ('note.title + note["title"]', "The teaThe tea"),
    ("TITLE", "The tea"),
    ("names[0] + names[2]", "Ann7"),
    ("names[9]", ""),
    ('"file".length + "note".length + "this".length + "formula".length', "19"),
    ('more.size + more["a b"]', "3x"),
    ('{"a": 1}.a', "1"),
    ("names.length + title.length", "10"),
    # any value
    ("missing.isEmpty() && empty.isEmpty() && !title.isEmpty()", "true"),
    ('1.isTruthy() && !"".isTruthy() && ![].isTruthy()', "true"),
    ('title.isType("string") && due.isType("date") && author.isType("link")', "true"),
    ('names.isType("list") && more.isType("object") && file.isType("file")', "true"),
    ("rating.toString() + done.toString() + names.toString()", "4.5trueAnn, Bob, 7"),
    # global functions
    ('if(done, "yes", "no") + if(missing, 1)', "yes"),
    ('if(price > 100, nonsense.x.y, "cheap")', "cheap"),
    ("max(1, 3, 2) + min(4, 2)", "5"),
    ('number("3.4") + number(true)', "4.4"),
    ("list(title).length + list(names).length", "4"),
    ('link("people/Ann", "her")', "[[people/Ann|her]]"),
    ('link("https://e.org/a b")', "https://e.org/a b"),
    ('link("https://e.org", "site").toString() + link("mailto:a@e.org").asFile()', "[site](https://e.org)"),
    ('link("https://e.org") == link("https://e.org", "site") && link("https://e.org") != link("Ann")', "true"),
    ('date("2024-12-01") + "1M" + "4h" + "3m"', "2025-01-01 04:03:00"),
    ("today() <= now()", "true"),
    ('(now() + "1d") - now()', "1 day"),
    ('((now() + "1d") - now()).milliseconds', "86400000"),
    ('duration("5h") * 2', "10 hours"),
    ('(date("2025-02-01") - date("2024-12-01")) / 86400000', "62"),
    ('(date("2025-02-01") - "2024-12-02") % duration("2d") + duration("90m") / 60000', "86400090"),
    ('now() + duration("1d") / 2 > now() && (date("2025-02-01") - date("2024-12-01")) / duration("1d") == 62', "true"),
    ('file("people/Ann").name', "Ann.md"),
    ('file("nobody").name', ""),
    ('escapeHTML("<b>") + html("x") + icon("star") + image("a.png")', "&lt;b&gt;xstara.png"),
    # dates
    ("due.year + due.month + due.day", "2062"),
    ("start.hour + start.minute + start.second + start.millisecond", "54"),
    ('due - "1 week"', "2026-12-17"),
    ('date("2026-01-31") + "1M"', "2026-02-28"),
    ('(due - date("2026-12-20")).days', "4"),
    ('due > "2026-12-01" && due < date("2027-01-01")', "true"),
    ('due == "2026-12-24" && due == date("2026-12-24")', "true"),
    ('due.format("dddd, D MMMM YYYY [week] WW")', "Thursday, 24 December 2026 week 52"),
    (
        'start.format("L LT|LTS|LL|LLL|LLLL")',
        "11/20/2026 9:30 AM|9:30:15 AM|November 20, 2026|November 20, 2026 9:30 AM|Friday, November 20, 2026 9:30 AM",
    ),
    ('start.format("l|ll|lll|llll|[LL]")', "11/20/2026|Nov 20, 2026|Nov 20, 2026 9:30 AM|Fri, Nov 20, 2026 9:30 AM|LL"),
    (
        'start.format("N NNNN NNNNN|Y y yyyy|YYYYY YYYYYY|ggggg GGGGG|SSSS|z")',
        "AD Anno Domini AD|2026 2026 2026|02026 +002026|02026 02026|0000|",
    ),
    ("start.date()", "2026-11-20"),
    ("start.time()", "09:30:15"),
    ('(now() - "3d").relative() + (now() + "2h" + "1m").relative()', "3 days agoin 2 hours"),
    ("due.isEmpty()", "false"),
    ("file.mtime.date()", "2026-11-21"),
    ('file.ctime > date("2020-01-01")', "true"),
    # strings
    ('title.contains("tea") && title.containsAll("T", "a") && title.containsAny("x", "e")', "true"),
    ('title.startsWith("The") && title.endsWith("tea")', "true"),
    ("title.lower() + title.title()", "the teaThe Tea"),
    ('" x ".trim() + "ab".repeat(2) + "abc".reverse() + "abcd".slice(1, 3) + "abc".slice(-2)', "xababcbabcbc"),
    ('"a,b,c".split(",", 2).join("-") + "a1b".split(/\\d/).join("+")', "a-ba+b"),
    ('"a:b:c".replace(":", "-") + "a:b:c".replace(/:/, "-") + "a:b:c".replace(/:/g, "-")', "a-b-ca-b:ca-b-c"),
    ('"ab".replace(/(a)(b)/, "$2$1$$")', "ba$"),
    ('"2026-11".replace(/(?<year>\\d+)-(?<month>\\d+)/, "$<month>/$<year>$<day>")', "11/2026"),
    ('"xay".replace(/a/, "[$`|$\'|$&|$0|$1|$<b>]")', "x[x|y|a|$0|$1|$<b>]y"),
    ('"abcdefghijkl".replace(/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)/, "$10$11$20")', "ja1b0kl"),
    ("/t.a$/i.matches(title) && !/^x/.matches(title)", "true"),
    # numbers
    ("(-5).abs() + (2.1).ceil() + (2.9).floor()", "10"),
    ("(2.5).round() + (2.3333).round(2)", "5.33"),
    ("(3.14159).toFixed(2) + rating.isEmpty()", "3.14false"),
    # lists
    ('names.contains("Bob") && names.containsAll("Ann", "Bob") && names.containsAny("x", "Ann")', "true"),
    ("[1, [2, 3]].flat().length + [3, 1, 2].sort()[0] + [1, 2].reverse()[0]", "6"),
    ("[1, 2, 2].unique().length + [1, 2, 3].slice(1).length", "4"),
    ('[1, 2, 3, 4].filter(value > 2).map(value * 10 + index).join(",")', "30,41"),
    ("[1, 2, 3].reduce(acc + value, 0)", "6"),
    ('[1, 2, "4.5"].mean()', "2.5"),
    ("[].isEmpty() && !names.isEmpty()", "true"),
    # links, files, objects
    ('author == link("people/Ann") && author == file("Ann") && author != link("tea")', "true"),
    ("author.asFile().properties.age", "40"),
    ("author.linksTo(file)", "true"),
    ('friends.contains(link("Ann"))', "true"),
    ('file.asLink() == link("tea")', "true"),
    ('file.hasTag("recipe") && file.hasTag("#RECIPE/tea") && !file.hasTag("tea")', "true"),
    ('file.hasTag("x", "quick")', "true"),
    ('file.inFolder("recipes") && !file.inFolder("rec")', "true"),
    ('file.hasProperty("empty") && !file.hasProperty("x")', "true"),
    ('file.hasLink("people/Ann") && !file.hasLink("tea")', "true"),
    ('file.hasLink(file("Ann"))', "true"),
    ('more.keys().join(" ") + more.values().length + more.isEmpty()', "size a b2false"),
    ("file.name + file.basename + file.folder + file.ext + file.path", "tea.mdtearecipesmdrecipes/tea.md"),
    ('file.tags.join(" ")', "#recipe/tea #Green #quick"),
    ("file.links.length", "3"),
    ("file.embeds.length", "1"),
    ("file.backlinks", "[[people/Ann]]"),
    ("file.tasks - file.openTasks", "1"),
    ("file.size > 100", "true"),
    ("file.properties.title + file.file.name", "The teatea.md"),
]


@pytest.mark.parametrize(("expression", "expected"), EXPRESSIONS)
def test_the_value_of_an_expression(memory: Memory, expression: str, expected: str) -> None:
    table = memory.query('file.name == "tea.md"', columns=[expression])
    assert (table.rows[0].cells, table.remarks) == ([expected], [])


def test_every_function_and_field_is_tried() -> None:
    tried = " ".join(expression for expression, _ in EXPRESSIONS)
    functions = {name for table in (GLOBAL, ANY, *BY_TYPE.values()) for name in table}
    assert {name for name in functions | {"if", "filter", "map", "reduce"} if f"{name}(" not in tried} == set()
    fields = {name for kind, table in FIELDS.items() for name in table if kind != "duration"}
    assert {name for name in fields if f".{name}" not in tried} == set()
    assert {name for name in FILE_FIELDS if f"file.{name}" not in tried} == set()


@pytest.mark.parametrize(
    ("expression", "remark"),
    [
        ("title.round()", "round() is a function of a number, not of a string: 'The tea'"),
        ("title > 3", "'3' (number) cannot be compared with 'The tea' (string)"),
        ("title * 2", "'The tea' is no number"),
        ("due + title", "'The tea' is not a duration; write one such as '1 day' or '2h'"),
        ("date(title)", "'The tea' is no date"),
        ('"x".repeat(1000000)', "a text of more than 100,000 characters is too long"),
        ('/(a+)+$/.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")', ""),
    ],
)
def test_a_value_of_the_wrong_type_is_told_and_never_guessed(memory: Memory, expression: str, remark: str) -> None:
    table = memory.query('file.name == "tea.md"', columns=[expression])
    if remark:
        assert table.rows[0].cells == [""]
        assert remark in table.remarks[0]
        assert "has no value for 1 note. For example, in recipes/tea.md: " in table.remarks[0]


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", ""),
        ("a ==", "Expected a value at character 5"),
        ("(a", "Expected ')' at character 3"),
        ("a b", "Expected an operator, or the end at character 3"),
        ("a = b", "Write == to compare."),
        ("a @ b", "'@ b' at character 3"),
        ("nope(1)", "There is no function nope()"),
        ("a.nope()", "No value has a function nope()"),
        ("file.etag", "`file.etag` is not supported"),
        ("formula.x", "There is no formula 'x'; only a base has formulas, and this query has none."),
        ("this.name", "An expression uses `this`, but no note is given for it."),
        ("if(1)", "The function if() takes 2 to 3 arguments, not 1."),
        ("today(1)", "The function today() takes 0 arguments, not 1."),
        ("a.contains()", "The function contains() takes 1 argument, not 0."),
        ("/(/.matches(a)", "/(/ is no regular expression"),
        ("/a/q.matches(a)", "unknown flag 'q'"),
        ("/(?x)(?:a{ 999 }){ 999 }/.matches(a)", "has the flag x"),
        ("/(?ix:(?:a{9 9}){9 9})/.matches(a)", "has the flag x"),
        (f"/{'a' * 501}/.matches(a)", "is too large"),
        (f"/{'(?:' * 14}a{'+)' * 14}/.matches(a)", "is too large"),
        (f"/{'(?:' * 9}a{'{2,})' * 9}/.matches(a)", "is too large"),
        ("(" * 200, "is nested more than 100 levels deep"),
        ("1" + "+1" * 200, "is nested more than 100 levels deep"),
        ("x" * 10_001, "write 10,000 at most"),
    ],
)
def test_what_is_no_expression_is_refused(memory: Memory, expression: str, problem: str) -> None:
    if not expression:
        assert memory.query(expression).total == 2
        return
    with pytest.raises(BadArgument) as refused:
        memory.query(expression)
    assert problem in str(refused.value)


@pytest.mark.parametrize(("operator", "filler"), [("||", "false"), ("&&", "true")])
def test_a_long_row_of_conditions(memory: Memory, operator: str, filler: str) -> None:
    wanted = 'file.name == "tea.md"'
    for terms in ([filler] * 500 + [wanted], [wanted] + [filler] * 500):
        assert [row.path for row in memory.query(f" {operator} ".join(terms)).rows] == ["recipes/tea.md"]
    rows = memory.query(" && ".join(["true", "false || true", *["true"] * 200, wanted])).rows
    assert [row.path for row in rows] == ["recipes/tea.md"]


@given(st.text(alphabet="ab1.()[]{}\"'!&|<>=+-*/%, \\", max_size=30))
def test_any_text_is_an_expression_or_is_refused(text: str) -> None:
    with contextlib.suppress(BadArgument):
        parse(text)


@pytest.mark.parametrize(
    "expression",
    [
        "[" + "1," * 1_999 + "1].map([" + "1," * 1_999 + "1].map(index).length).length",
        '[1,2,3,4,5,6,7,8,9,10].reduce(acc + acc, "xxxxxxxxxxxxxxxx".repeat(5000)).length',
        "[" + "1," * 1_999 + '1].map("x".repeat(100000)).length',
        '"x".repeat(20000).split("").length',
        '"x".repeat(20000).split(/(?=x)/).length',
        '[["x".repeat(20000).split("", 9000), "x".repeat(20000).split("", 9000)]].flat().flat().length',
        '/^(a|aa)+$/.matches("a".repeat(60) + "b")',
        '("a".repeat(60) + "b").replace(/^(a|aa)+$/, "")',
        '("a".repeat(60) + "b").split(/^(a|aa)+$/).length',
        "[" + "1," * 99 + '1].filter(!/^(a|aa)+$/.matches("a".repeat(60) + "b")).length',
    ],
)
def test_no_expression_takes_much_time_or_memory(memory: Memory, expression: str) -> None:
    try:
        table = memory.query('file.name == "tea.md"', columns=[expression])
        problem = " ".join(table.remarks)
    except BadArgument as error:
        problem = str(error)
    assert re.search("takes? too long|is too long", problem)


def test_slow_regular_expressions_have_a_limit_together(tmp_path: pathlib.Path) -> None:
    files = {f"{number}.md": f"---\nx: {'a' * 60}b\n---\n" for number in range(100)}  # 10 seconds of matching
    memory = Memory(write(tmp_path, files))
    with pytest.raises(BadArgument, match="The expressions take too long on so many notes"):
        memory.query("/^(a|aa)+$/.matches(x)")


# --- which notes a query finds


def names(memory: Memory, filter_: str, **options: object) -> list[str]:
    return [row.note for row in memory.query(filter_, **options).rows]  # type: ignore[arg-type]


VALUES = st.one_of(
    st.sampled_from(
        ["open", "Open", "done", "2026-11-20", "2026-12-01T10:00:00", "true", "5", "[[n1]]", "[[x|n2]]", "", "é"]
    ),
    st.integers(-3, 12),
    st.floats(-3, 12, allow_nan=False).map(lambda number: round(number, 1)),
    st.booleans(),
    st.none(),
)
NOTES = st.lists(
    st.dictionaries(st.sampled_from(["a", "B", "tags"]), st.one_of(VALUES, st.lists(VALUES, max_size=3))),
    min_size=1,
    max_size=6,
)
LITERALS = [
    '"open"',
    '"done"',
    '"é"',
    "5",
    "3.5",
    "0",
    "true",
    "false",
    '"2026-11-20"',
    'date("2026-11-25")',
    'link("n1")',
    "null",
    '""',
    '"5"',
]
SIGNS = ("==", "!=", "<", ">=", ">")
ATOMS = [
    *(f"{left} {sign} {right}" for left in ("a", "b", "note.B") for sign in SIGNS for right in LITERALS),
    *(f"{right} {sign} a" for sign in ("==", "<", ">=") for right in LITERALS),
    'file.hasTag("open")', 'file.hasTag("n", "done")', 'file.inFolder("f")', 'file.hasProperty("b")',
    'file.hasLink("n1")', 'list(a).contains("open")', "list(a).contains(5)", 'file.tags.contains("#done")', "a", "!a",
    "a.isEmpty()", "b && a",
]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    notes=NOTES, atoms=st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3), sign=st.sampled_from([" && ", " || "])
)
def test_the_index_never_hides_a_note_that_passes(
    tmp_path_factory: pytest.TempPathFactory, notes: list[dict[str, object]], atoms: list[str], sign: str
) -> None:
    files = {
        f"{'f/' * (number % 2)}n{number}.md": f"---\n{yaml.safe_dump(note, allow_unicode=True)}---\n[[n{number + 1}]]\n"
        for number, note in enumerate(notes)
    }
    memory = Memory(write(tmp_path_factory.mktemp("notes"), files))
    expression = sign.join(f"({atom})" for atom in atoms)
    fast = names(memory, expression)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "_candidates", lambda *_: None)
        slow = names(memory, expression)
    memory.close()
    assert fast == slow


def test_notes_with_more_facts_than_are_stored_are_found(tmp_path: pathlib.Path) -> None:
    many = "".join(f"p{number}: x\n" for number in range(1_500))
    memory = Memory(write(tmp_path, {"a.md": f"---\n{many}last: yes\n---\n", "b.md": "---\nlast: no\n---\n"}))
    assert names(memory, 'last == "yes"') == ["a"]
    assert names(memory, 'p1499 == "x"') == ["a"]


def test_sorting_grouping_and_pages(tmp_path: pathlib.Path) -> None:
    files = {f"n{number}.md": f"---\nrank: {number % 3}\nkind: {'ab'[number % 2]}\n---\n" for number in range(6)}
    memory = Memory(write(tmp_path, files | {"x.md": "no properties"}))
    assert names(memory, "", sort=["-rank", "file.name"]) == ["n2", "n5", "n1", "n4", "n0", "n3", "x"]
    assert names(memory, "", sort=["rank", "-file.name"]) == ["n3", "n0", "n4", "n1", "n5", "n2", "x"]
    table = memory.query(group="-kind", sort=["file.name"], limit=4)
    assert [(row.note, row.group) for row in table.rows] == [("n1", "b"), ("n3", "b"), ("n5", "b"), ("n0", "a")]
    assert [tuple(group) for group in table.groups] == [("b", 3), ("a", 3), ("", 1)]
    assert (table.total, table.next) == (7, 4)
    rest = memory.query(group="-kind", sort=["file.name"], first=4, limit=4)
    assert [row.note for row in rest.rows] == ["n2", "n4", "x"]
    assert rest.next is None
    assert memory.query(first=50).text() == "The table ends before row 50; it has 7 rows."
    assert memory.query("rank > 9").text() == "No note matches."


def test_a_table_as_text(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": '---\nx: "1|2\\n3"\nkind: k\n---\n', "b.md": ""}))
    text = memory.query(columns=["x", "file.folder"], group="kind").text()
    assert text == "2 notes\nnote | x | file.folder\n## k (1)\na | 1\\|2 3 | \n## (empty) (1)\nb |  | "
    assert memory.query(limit=1).text().startswith("1 to 1 of 2 notes; more with cursor=1\n")


def test_words_narrow_a_query_and_order_it(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "tea", "b.md": "tea tea tea #x", "c.md": "coffee #x"}))
    assert names(memory, "", search="tea") == ["b", "a"]
    assert names(memory, 'file.hasTag("x")', search="tea") == ["b"]
    assert names(memory, "", search="tea tag:x") == ["b"]
    assert memory.query(search="tag:nothing").remarks == ["No note matches tag:nothing.", "Tags in use: tag:x."]


def test_a_query_follows_edits(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nstatus: open\n---\n"}))
    assert names(memory, 'status == "open"') == ["a"]
    memory.write("a", "---\nstatus: done\n---\n")
    memory.write("b", "---\nstatus: open\n---\n")
    assert names(memory, 'status == "open"') == ["b"]


def test_a_caller_with_a_folder_sees_its_own_notes_alone(tmp_path: pathlib.Path) -> None:
    files = {
        "in/a.md": "[[secret]] [[b]]\n",
        "in/b.md": "---\nx: 1\n---\n",
        "out/secret.md": "---\nx: 2\n---\n[[in/b]] [[in/a]]\n",
        "out/p.base": "views: []\n",
    }
    memory = Memory(write(tmp_path, files))
    memory.query()
    own = memory.restricted(Grant("in"))
    assert names(own, "") == ["in/a", "in/b"]
    assert names(own, "x > 0") == ["in/b"]
    assert names(own, 'file("out/secret").properties.x == 2') == []
    (row,) = own.query('file.name == "b.md"', columns=["file.backlinks", 'file("out/secret").size']).rows
    assert row.cells == ["[[in/a]]", ""]
    (row,) = own.query('file.name == "a.md"', columns=['file.links.map(value.asFile().properties.x).join("")']).rows
    assert row.cells == ["1"]
    (row, _) = own.query(columns=['file("out/secret").name', 'link("secret").asFile().name', 'file("b").name']).rows
    assert row.cells == ["", "", "b.md"]
    with pytest.raises(UnknownNote):
        own.query(this="out/secret")
    for base in ("out/p.base", "p", "nowhere"):
        with pytest.raises(
            UnknownBase, match=rf"There is no base '{base.removesuffix('.base')}.base'; there are no bases\."
        ):
            own.query(base=base)
    with pytest.raises(UnknownBase, match=r"There is no base 'q\.base'; the bases are: out/p\.base\."):
        memory.query(base="q")


# --- `.base` files

BASE = """
filters:
  or:
    - file.hasTag("recipe")
    - and:
        - file.inFolder("people")
        - not:
            - age > 50
            - file.name == "Bob.md"
formulas:
  label: 'if(price, price.toFixed(2) + " €", "free")'
  twice: "formula.label + formula.label"
properties:
  formula.label:
    displayName: Price
  note.rating: {displayName: Stars}
views:
  - type: table
    name: All
    order: [file.name, formula.label, note.rating, my prop]
    sort:
      - property: file.name
        direction: DESC
  - type: cards
    name: Cheap
    limit: 1
    filters: 'formula.label == "free"'
    groupBy: {property: file.folder, direction: ASC}
    order: [formula.twice]
"""


def test_a_view_of_a_base_runs_as_it_is(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, VAULT | {"people/Bob.md": "", "all.base": BASE}))
    table = memory.query(base="all.base")
    assert (table.title, table.columns) == ("note", ["Price", "Stars", "my prop"])
    assert [(row.note, row.cells) for row in table.rows] == [
        ("recipes/tea", ["12.00 €", "4.5", ""]),
        ("people/Ann", ["free", "", ""]),
    ]
    cheap = memory.query(base="all", view="Cheap")
    assert [(row.note, row.cells, row.group) for row in cheap.rows] == [("people/Ann", ["freefree"], "people")]
    assert names(memory, "rating > 4", base="all") == ["recipes/tea"]
    with pytest.raises(BadArgument, match=r"The base has no view 'x'; its views are: All, Cheap\."):
        memory.query(base="all", view="x")


@pytest.mark.parametrize(
    "filter_",
    [
        "list(this.note.by).map(value.uid).contains(file.asLink())",
        'this.note["also"].contains(file.asLink())',
        "this.note.ALSO.contains(file.asLink())",
        'this.note.keys().contains("also") && this.note.by.length == 1 && file.hasLink("nobody") == false && state',
    ],
)
def test_the_properties_of_this_can_be_written_with_note(tmp_path: pathlib.Path, filter_: str) -> None:
    notes = {"a.md": '---\nby:\n  - uid: "[[late]]"\nalso: ["[[late]]"]\n---\n', "late.md": "---\nstate: open\n---\n"}
    memory = Memory(write(tmp_path, notes | {"q.base": json.dumps({"filters": filter_})}))
    assert [row.note for row in memory.query(base="q", this="a").rows] == ["late"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x: 1\nfilters: [", "The base is not YAML: line 2: "),
        ("filters:\n  xor:\n    - a\n", "`filters` of the base has 'xor'; write `and`, `or` or `not`."),
        ("filters: 'a =='\n", "`filters` of the base: Expected a value"),
        ("views:\n  - name: V\n    filters: 'nope()'\n", "There is no function nope()"),
        ("formulas: [a]\n", "`formulas` of the base must be a mapping."),
        ("formulas: {a: 'nope()'}\nviews: [{order: [formula.a]}]\n", "The formula 'a': There is no function nope()"),
        ("formulas: {a: formula.b, b: formula.a}\nviews: [{order: [formula.a]}]\n", "refers to itself: a → b → a"),
        ("filters: " + "{and: [" * 30 + "a" + "]}" * 30, "is nested more than 20 levels deep"),
        ("views: {}\nfilters: 5 +\n", "`filters` of the base"),
        ("views: [{limit: 0}]\n", "`limit` of the view 'View 1' must be a whole number"),
        ("views: [{sort: [{direction: ASC}]}]\n", "has an entry without a `property`"),
    ],
)
def test_a_broken_base_is_refused_and_its_fault_is_named(tmp_path: pathlib.Path, source: str, problem: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": "", "b.base": source}))
    with pytest.raises(BadArgument) as refused:
        memory.query(base="b")
    assert problem in str(refused.value)


def test_a_broken_formula_matters_only_where_it_is_used(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "", "b.base": "formulas: {a: 'nope()'}\nviews: [{order: [formula.b]}]\n"}))
    table = memory.query(base="b")
    assert (table.total, table.remarks) == (1, ["There is no formula 'b'."])
    assert next(one.detail for one in memory.check() if one.kind == "base").startswith("The formula 'a'")


SUMMARIES = [
    ("Average", "2.5"),
    ("Min", "1"),
    ("Max", "4"),
    ("Sum", "5"),
    ("Range", "3"),
    ("Median", "2.5"),
    ("Stddev", "1.5"),
    ("Earliest", "2026-01-02"),
    ("Latest", "2026-03-01"),
    ("Checked", "1"),
    ("Unchecked", "2"),
    ("Empty", "2"),
    ("Filled", "8"),
    ("Unique", "9"),
    ("own", "10"),
]
OF_DATES = [("Range", "58 days"), ("Average", ""), ("Unique", "2"), ("Empty", "0")]


@pytest.mark.parametrize(
    ("column", "name", "value"),
    [("x", *each) for each in SUMMARIES] + [("when", *each) for each in OF_DATES] + [("empty", "Sum", "")],
)
def test_a_summary_of_a_column(tmp_path: pathlib.Path, column: str, name: str, value: str) -> None:
    empty = {"e/e.md": "---\nempty:\n---\n"}
    values = ["1", "4", "2026-03-01", "2026-01-02", "true", "false", "false", "x", "", '""']
    files = {f"n{number}.md": f"---\nx: {one}\n---\n" for number, one in enumerate(values)}
    files |= {"d/a.md": "---\nwhen: 2026-03-01\n---\n", "d/b.md": "---\nwhen: 2026-01-02\n---\n"}
    folder = "d" if column == "when" else ""
    view = f"views: [{{summaries: {{{column}: {name}}}}}]\n"
    base = f"filters: file.folder == '{folder}'\nsummaries: {{own: values.length}}\n{view}"
    table = Memory(write(tmp_path, files | empty | {"b.base": base})).query(base="b")
    assert [(one.column, one.name, one.value) for one in table.summaries] == [(column, name, value)]
    assert (table.text().splitlines()[-1], table.remarks) == (f"{name} of {column}: {value}", [])


def test_every_summary_is_tried() -> None:
    assert set(BUILT_IN_SUMMARIES) == {name for name, _ in SUMMARIES} - {"own"}


def test_a_summary_that_is_not_known_or_has_no_value_is_told(tmp_path: pathlib.Path) -> None:
    base = "summaries: {own: values.lower(), bad: nope()}\nviews: [{summaries: {x: %s}}]\n"
    memory = Memory(
        write(tmp_path, {"a.md": "---\nx: 1\n---\n"} | {f"{n}.base": base % n for n in ("own", "bad", "odd")})
    )
    assert memory.query(base="odd").remarks[0].startswith("There is no summary 'odd'; the built-in ones are: Average")
    table = memory.query(base="own")
    assert table.summaries == []
    assert table.remarks == ["The summary of 'x' has no value: lower() is a function of a string, not of a list: '1'."]
    with pytest.raises(BadArgument, match=r"The formula 'bad': There is no function nope\(\)"):
        memory.query(base="bad")
    assert "The formula 'bad'" in next(one.detail for one in memory.check() if one.kind == "base")


def test_this_stands_for_the_note_that_shows_the_base(tmp_path: pathlib.Path) -> None:
    files = {
        "a.md": "---\nyear: 2026\n---\n[[b]]\n",
        "b.md": "---\nyear: 2026\nauthor: '[[a]]'\n---\n",
        "c.md": "---\nyear: 2025\n---\n",
        "v.base": "views:\n"
        "  - {name: A, filters: list(author).contains(this)}\n"
        "  - {name: B, filters: year == this.year}\n"
        "  - {name: C, filters: this.file.hasLink(file)}\n"
        "  - {name: D, filters: file.links.contains(this.file)}\n",
    }
    memory = Memory(write(tmp_path, files))
    assert names(memory, "", base="v", view="A", this="a") == ["b"]
    assert names(memory, "", base="v", view="B", this="c") == ["c"]
    assert names(memory, "", base="v", view="C", this="a") == ["b"]
    assert names(memory, "", base="v", view="D", this="a") == ["b"]
    assert names(memory, "file.hasLink(this)", this="b") == ["a"]


def test_this_stands_for_the_file_of_the_base(tmp_path: pathlib.Path) -> None:
    memory = Memory(
        write(tmp_path, {"a.md": "", "f/b.md": "", "f/b.base": "filters: file.folder == this.file.folder\n"})
    )
    assert names(memory, "", base="f/b.base") == ["f/b"]


def test_a_property_that_no_note_has_is_told(tmp_path: pathlib.Path) -> None:
    base = "formulas: {f: nothing}\nviews: [{order: [stat, 'my prop'], sort: [{property: y}], groupBy: note.z}]\n"
    memory = Memory(write(tmp_path, {"a.md": "---\nState: open\n---\n", "in/b.md": "---\nx: 1\n---\n", "b.base": base}))
    query = 'state == "open" && [1].map(value + index).contains(1) || note.Sate.length > formula.f'
    assert memory.query(query, base="b").remarks == ["No note has the properties Sate, stat, my prop, y, z."]
    assert memory.query("status == open").remarks == ["No note has the properties status, open."]
    assert memory.restricted(Grant("in")).query("x == state").remarks == ["No note has the property state."]


def test_now_is_the_same_moment_in_a_whole_query(memory: Memory) -> None:
    cells = memory.query(columns=['now().format("x")']).rows
    assert cells[0].cells == cells[1].cells
    assert abs(float(cells[0].cells[0]) / 1000 - datetime.datetime.now().timestamp()) < 60


# --- what `check` says


def found(memory: Memory) -> list[tuple[str, str]]:
    return [(one.note, one.detail) for one in memory.check() if one.kind in {"base", "properties"}]


def test_check_names_broken_bases_and_views(tmp_path: pathlib.Path) -> None:
    files = {
        "good.base": BASE,
        "f/bad.base": "views:\n  - {name: A, filters: 'nope()'}\n  - {name: B, order: [file.etag]}\n  - {name: C}\n",
        "no.base": "filters: [",
    }
    memory = Memory(write(tmp_path, {"a.md": ""} | files))
    (one, first), (other, second), (third, fault) = found(memory)
    assert (one, other, third) == ("f/bad.base", "f/bad.base", "no.base")
    assert first.startswith("There is no function nope()")
    assert second.startswith("`file.etag` is not supported")
    assert fault.startswith("The base is not YAML")
    assert found(memory.restricted(Grant("g"))) == []


def test_check_names_mixed_types_and_properties_that_stand_twice(tmp_path: pathlib.Path) -> None:
    files = {f"{number}.md": f"---\nrating: {number}\ntags: x\n---\n" for number in range(3)}
    files |= {
        "a.md": "---\nrating: good\ntags: [x]\n---\n",
        "b.md": "---\nrating: bad\n---\n",
        "c.md": "---\nrating:\n---\n",
    }
    memory = Memory(write(tmp_path, files | {"d.md": "---\nx: 1\nx: 2\n---\n", "e.md": "---\nx: [\n---\n"}))
    findings = dict(found(memory))
    assert findings["a"] == "'rating' is a text in this note and 1 other, and a number in 3 notes"
    assert findings["d"] == "it has 'x' 2 times; only the last one counts"
    assert findings["e"].startswith("they are not YAML")
    assert findings.keys() == {"a", "d", "e"}
    memory.delete("b")
    memory.write("a", "---\nrating: 7\n---\n")
    assert dict(found(memory)).keys() == {"d", "e"}


def test_check_tells_dates_from_texts(tmp_path: pathlib.Path) -> None:
    due = ("2026-11-10", "2026-12-01 09:30", "soon")
    titles = ("Tea", "Soup", "2026-11-20", "2026-11-21", "2026-11-22")
    files = {f"{number}.md": f"---\ndue: {value}\n---\n" for number, value in enumerate(due)}
    files |= {f"t{number}.md": f"---\ntitle: {value}\n---\n" for number, value in enumerate(titles)}
    assert found(Memory(write(tmp_path, files))) == [("2", "'due' is a text in this note, and a date in 2 notes")]


@pytest.mark.parametrize(
    ("base", "fault"),
    [
        ("formulas: {a: formula.b + 1, b: formula.a + 1}\n", "The formula 'a' refers to itself: a → b → a."),
        ("formulas: {a: 'if(true, 1, formula.a)'}\n", "The formula 'a' refers to itself: a → a."),
        ("formulas: {c: formula.a, a: '[formula.b]', b: formula.a}\n", "The formula 'a' refers to itself: a → b → a."),
        ("formulas: {b: 'formula.values().length'}\n", "The formula 'b' refers to itself: b → b."),
        ("formulas: {b: \"formula['c' + '']\"}\n", "The formula 'b' refers to itself: b → b."),
        ("views: [{order: [formula.nope]}]\n", "There is no formula 'nope'."),
        (
            "views: [{order: [x], summaries: {x: Nope}}]\n",
            "There is no summary 'Nope'; the built-in ones are: Average, ",
        ),
    ],
)
def test_check_finds_what_only_some_notes_would_show(tmp_path: pathlib.Path, base: str, fault: str) -> None:
    (finding,) = found(Memory(write(tmp_path, {"t.base": base})))
    assert finding[0] == "t.base"
    assert finding[1].startswith(fault)


def test_check_finds_each_fault_of_a_base_once(tmp_path: pathlib.Path) -> None:
    formulas = {f"f{number}": f"formula.f{(number + 1) % 500}" for number in range(500)} | {"g": "nope()"}
    views = [{"name": f"v{number}", "order": ["formula.x", "formula.y"]} for number in range(100)]
    write(tmp_path, {"t.base": json.dumps({"formulas": formulas, "views": views})})
    ring, *others = sorted(detail for _, detail in found(Memory(str(tmp_path))))
    assert ring.startswith("The formula 'f0' refers to itself: f0 → f1 → ")
    assert len(ring) < 200
    assert [each.split(":")[0].split(";")[0] for each in others] == [
        "The formula 'g'", "There is no formula 'x'.", "There is no formula 'y'.",
    ]  # fmt: skip


def test_formulas_that_use_one_formula_twice_are_no_circle(tmp_path: pathlib.Path) -> None:
    base = "formulas: {a: formula.b + formula.c, b: formula.d, c: formula.d, d: '1'}\nviews: [{order: [formula.a]}]\n"
    memory = Memory(write(tmp_path, {"t.base": base, "n.md": ""}))
    assert found(memory) == []
    assert memory.query(base="t").rows[0].cells == ["2"]


# --- names that are nearly right


def test_a_base_is_named_by_its_path_if_several_have_its_name(tmp_path: pathlib.Path) -> None:
    view = "views: [{{name: {0}, order: [x]}}]\n"
    files = {f"{folder}/Food.base": view.format(folder) for folder in ("a", "b")} | {"Tea.base": "", "a/Tea.base": ""}
    files["u.base"] = "views: [{name: \u00dcbersicht}]\n"
    memory = Memory(write(tmp_path, files))
    with pytest.raises(
        AmbiguousBase, match=r"^Several bases are called 'Food.base'; give one of: a/Food.base, b/Food.base"
    ):
        memory.query(base="Food")
    for name in ("b/Food", "b/Food.base"):
        assert memory.query(base=name, view="B").total == 0
    memory.query(base="Tea")
    memory.query(base="u", view="u\u0308bersicht")
    memory.restricted(Grant("a")).query(base="Food", view="a")


@pytest.mark.parametrize(
    "given", [{"filter": "a\udcff"}, {"search": "\udcff"}, {"columns": ["\udcff"]}, {"base": "\udcff"}]
)
def test_a_query_with_half_a_character_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(BadArgument, match="half a character"):
        memory.query(**given)


def test_a_view_needs_its_base(memory: Memory) -> None:
    with pytest.raises(BadArgument, match="A view is a part of a base; name the base, too"):
        memory.query(view="x")


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("file.hastag('x')", "No value has a function hastag(); did you mean hasTag()?"),
        ("titel.contians('x')", "No value has a function contians(); did you mean contains() or containsAny()?"),
        ("todya()", "There is no function todya(); did you mean today()?"),
    ],
)
def test_the_nearest_function_is_named(memory: Memory, expression: str, hint: str) -> None:
    with pytest.raises(BadArgument) as refused:
        memory.query(expression)
    assert str(refused.value) == hint


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("due.yaer", "'2026-12-24' (date) has no field 'yaer'; its fields are: year, month"),
        ("file.links.lenght", "(list) has no field 'lenght'; its fields are: length"),
        ("title.lenght", "'The tea' (string) has no field 'lenght'; its fields are: length"),
        ("file.file.nme", "'recipes/tea.md' (file) has no field 'nme'; its fields are: backlinks"),
        ("(1).x", "'1' (number) has no field 'x'; it has no fields"),
        ("due > 2026 - 11 - 20", "write a date in quotes"),
    ],
)
def test_a_field_that_is_not_there_is_told(memory: Memory, expression: str, problem: str) -> None:
    table = memory.query('file.name == "tea.md"', columns=[expression])
    assert table.rows[0].cells == [""]
    assert problem in table.remarks[0]


def test_a_summary_has_the_title_of_a_column_that_is_not_shown(tmp_path: pathlib.Path) -> None:
    base = "properties: {note.rating: {displayName: Stars}}\nviews: [{order: [x], summaries: {rating: Average}}]\n"
    memory = Memory(write(tmp_path, {"t.base": base, "n.md": "---\nrating: 4\n---\n"}))
    assert memory.query(base="t").summaries[0].title == "Stars"


# --- bases in notes

IN_NOTES = {
    "a.md": "---\nstatus: open\n---\n",
    "b.md": "---\nstatus: done\n---\n[[Board]]\n",
    "X.base": 'views:\n  - {type: table, name: Open, filters: status == "open"}\n'
    '  - {type: table, name: Done, filters: status == "done"}\n',
    "Board.md": "# Board\n\n## Mine\n\n> ```base\n> filters: file.hasLink(this.file)\n> views:\n>   - type: table\n"
    ">     name: Linking\n> ```\n\n## Theirs\n\n"
    "~~~~ base\nviews: [{name: Two, filters: 'status == \"open\"'}]\n~~~~\n\n```yaml\nviews: [{name: No}]\n```\n",
    "Embed.md": "![[X.base#Done]]\n",
}


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ("X.base#Done", ["b"]), ("X#Done", ["b"]), ("![[X.base#Done]]", ["b"]), ("[[X.base#done|shown]]", ["b"]),
        ("Board", ["b"]), ("Board.md", ["b"]), ("Board#Linking", ["b"]), ("Board#Two", ["a"]), ("Board#Theirs", ["a"]),
        ("[[Board#Two]]", ["a"]), ("Embed", ["b"]), ("Embed#Open", ["a"]), ("X.base", ["a"]),
    ],
)  # fmt: skip
def test_a_base_is_named_with_its_view_or_by_the_note_that_shows_it(
    tmp_path: pathlib.Path, base: str, wanted: list[str]
) -> None:
    memory = Memory(write(tmp_path, IN_NOTES))
    assert [row.note for row in memory.query(base=base).rows] == wanted


@pytest.mark.parametrize(
    ("base", "view", "message"),
    [
        ("X.base#No", None, "The base has no view 'No'; its views are: Open, Done"),
        ("X.base#Done", "Open", "names a view already"),
        ("Board#No", None, "The bases of 'Board' have no view 'No'; their views are: Linking, Two"),
        ("a", None, "The note 'a' has no code block `base`, and embeds no `.base` file"),
        ("[[a.base#Done]]", None, "There is no base 'a.base'; the bases are: X.base"),
        ("nothing", None, "There is no base 'nothing.base'; the bases are: X.base"),
        ("bad", None, "The base is not YAML: line 3: "),
    ],
)
def test_a_base_in_a_note_that_is_not_there_says_what_is(
    tmp_path: pathlib.Path, base: str, view: str | None, message: str
) -> None:
    memory = Memory(write(tmp_path, IN_NOTES | {"bad.md": "x\n```base\nviews: [\n```\n"}))
    with pytest.raises((BadArgument, UnknownBase), match=re.escape(message)):
        memory.query(base=base, view=view)


def test_a_view_is_found_beside_a_base_that_is_broken(tmp_path: pathlib.Path) -> None:
    first, last = "```base\nviews: [{name: Open}]\n```\n", "```base\nviews:\n  - {name: Late}\n```\n"
    broken = "# Broken\n> ```base\n> views:\n>   - name: A\n>    name: B\n> ```\n![[No.base]]\n# Last\n"
    files = {
        "n.md": f"---\nx: 1\n---\n{first}{broken}{last}",
        "No.base": "views: []\n x: [\n",
        "only.md": "![[No.base]]",
    }
    memory = Memory(write(tmp_path, files))
    for base in ("n", "n#Open", "n#Late", "n#Last"):
        assert memory.query(base=base).total == 2
    for base, message in (
        ("n#Broken", "The base is not YAML: line 11: "), ("n#None", "The base is not YAML: line 11: "),
        ("only", "![[No.base]]: The base is not YAML: line 2: "),
    ):  # fmt: skip
        with pytest.raises(BadArgument, match=f"^{re.escape(message)}"):
            memory.query(base=base)


def test_check_finds_the_faults_of_bases_in_notes_and_links_to_views_that_are_missing(tmp_path: pathlib.Path) -> None:
    bad = "---\nx: 1\n---\n```base\nviews: [\n```\n\n- ```base\n  formulas: {f: 'nope('}\n  ```\n\n"
    bad += "![[X.base#No]] [x](X.base#done)\n"
    memory = Memory(write(tmp_path, IN_NOTES | {"bad.md": bad}))
    found = [one for one in memory.check() if one.kind == "base"]
    assert [one.note for one in found] == ["bad"] * 3
    assert [one.detail.partition(": ")[0] for one in found] == [
        "The base is not YAML", "The code block in line 8", "![[X.base#No]]"
    ]  # fmt: skip
    assert found[2].detail.endswith("The base has no view 'No'; its views are: Open, Done.")
    memory.write("bad", "no base")
    assert [one for one in memory.check() if one.kind == "base"] == []


def test_of_very_many_code_blocks_the_first_hundred_are_bases(tmp_path: pathlib.Path) -> None:
    text = "---\na: b\n---\n" + "```base\n- no base\n```\n\n" * 300
    with Memory(write(tmp_path, {"a.md": text}), durable=False) as memory:
        found = [one.detail.partition(":")[0] for one in memory.check() if one.kind == "base"]
    assert sorted(found) == sorted(f"The code block in line {4 + 4 * number}" for number in range(100))


def test_a_caller_with_a_folder_runs_no_base_of_a_note_outside(tmp_path: pathlib.Path) -> None:
    files = {
        "in/a.md": "![[X.base]] ![[in/Y.base]]\n",
        "in/Y.base": "views: [{name: Y}]\n",
        "X.base": "views: [{name: X}]\n",
    }
    memory = Memory(write(tmp_path, files | {"out.md": "```base\nviews: []\n```\n![[in/Y.base#No]]\n"}))
    own = memory.restricted(Grant("in"))
    for base in ("out", "X.base#X"):
        with pytest.raises(UnknownBase):
            own.query(base=base)
    with pytest.raises(BadArgument, match="their views are: Y"):
        own.query(base="a#X")
    assert [row.note for row in own.query(base="in/a").rows] == ["in/a"]
    assert [one for one in own.check() if one.kind == "base"] == []
