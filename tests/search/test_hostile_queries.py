"""Queries that were found to fail, to take too long, or to lose rows: each has an answer, or a sentence."""

import itertools
import pathlib
from typing import Any

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument
from zkmem.memory import Memory

NOTE = (
    "---\nx: 5\nb: 99999999999999999999999999999999999999\nfirst: 0001-01-01\nlast: 9999-12-31\nborn: 1200-01-01\n"
    'author: "[[Ann|Annie]]"\nmark: ">5"\n---\n'
)


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, {"n.md": NOTE, "Ann.md": ""}))


def cell(memory: Memory, expression: str) -> str:
    (row,) = memory.query('file.name == "n.md"', columns=[expression]).rows
    return row.cells[0]


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("(1e300).floor()", "1e+300"), ("(1e999).ceil()", "inf"), ("(1e300).round(15)", "1e+300"),
        ("[1e999, -1e999].mean()", ""), ("duration('1M') * 1e999", ""), ("duration('1d') / 0", ""),
        ("b * b * b * b * b * b * b * b * b * b", "inf"), ("number(first)", ""), ("last.format('gggg')", ""),
        ("first.toString()", "0001-01-01"), ("-7 % 3", "-1"), ("5 % -3", "2"), ("(2.5).toFixed(0)", "3"),
        ("(1.005).toFixed(2)", "1.00"), ("number(true)", "1"), ("2 * duration('1d')", "2 days"),
        ('"\\ud83d\\ude00" == "\U0001f600"', "true"), ('"\\ud800"', "\ufffd"), ("b + 1", "1e+38"),
        ("((last - born) / 86400000).round()", "3214133"), ("(last - last) == 0", "true"),
        ("duration('1d') * 1.5", "1 day 12 hours"), ("duration('2M') * 2", "4 months"),
    ],
)  # fmt: skip
def test_a_value_beyond_all_bounds_has_a_cell(memory: Memory, expression: str, shown: str) -> None:
    assert cell(memory, expression) == shown


WITHOUT_BOUNDS = [
    '"a".repeat(40).split("").reduce([acc, acc], 1)',
    '"a".repeat(40).split("").reduce([acc, acc], 1) == "a".repeat(40).split("").reduce([acc, acc], 1)',
    '["a".repeat(40).split("").reduce([acc, acc], 1)].unique()',
    '"a".repeat(60000).replace(/a+/, "$&".repeat(30000))',
    '"a".repeat(60000).replace(/a/g, "$`$\'".repeat(9000))',
    '"a".repeat(60000).replace(/(?=(?<all>a*))/g, "$<all>".repeat(9000))',
    '"a".repeat(9000).split("").reduce([acc], 1)',
    '"a".repeat(60).split("").reduce(acc * acc, b)',
    '"b".repeat(5000).split("").filter("b".repeat(5000).split("").contains(1)).length',
    '"b".repeat(5000).split("").map("&".repeat(9999).reverse()).length',
]


@pytest.mark.parametrize(
    ("expression", "asked"),
    [*zip(WITHOUT_BOUNDS, itertools.cycle(["columns", "filter", "group", "sort"]), strict=False)],
)
def test_a_value_without_bounds_is_refused_or_empty(memory: Memory, expression: str, asked: str) -> None:
    query: dict[str, Any] = {asked: [expression] if asked in {"columns", "sort"} else expression}
    try:
        memory.query(**query)
    except BadArgument as error:
        assert "nested too deep" in str(error) or "take too long" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "pattern", ["(?:(?:a|b){65535}){65535}", "a" * 2000, "(" * 500 + "a" + ")" * 500, "a{1000}{1000}"]
)
def test_a_regular_expression_that_takes_long_to_read_is_refused(memory: Memory, pattern: str) -> None:
    with pytest.raises(BadArgument, match="is too large; use at most"):
        memory.query(f"/{pattern}/.matches(file.name)")


@pytest.mark.parametrize(
    "filter_",
    ["born > date('0500-01-01')", 'mark == ">5"', 'author == "[[Ann]]"', "b > (1e300).round() - 1e301",
     "list(mark).contains('>5')", "author == link('Ann').asFile().asLink()"],
)  # fmt: skip
def test_what_is_looked_up_is_what_is_evaluated(memory: Memory, filter_: str) -> None:
    assert [row.note for row in memory.query(f"if({filter_}, true, false)").rows] == ["n"]
    assert [row.note for row in memory.query(filter_).rows] == ["n"]


def test_links_mean_what_they_mean_below_the_folder_of_a_caller(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"A.md": "", "sub/A.md": "", "sub/n.md": '---\nx: "[[A|foo]]"\n---\n[[./A]]\n'})
    own = Memory(root).restricted(Grant("sub"))
    for filter_ in ('x == link("sub/A")', 'file.hasLink("./A")'):
        expected = own.query(f"if({filter_}, true, false)").rows
        assert own.query(filter_).rows == expected
    assert [row.note for row in own.query('x == link("sub/A")').rows] == ["sub/n"]


def test_a_property_after_very_many_links_is_found(tmp_path: pathlib.Path) -> None:
    members = "".join(f'  - "[[Note {number}]]"\n' for number in range(600))
    memory = Memory(write(tmp_path, {"map.md": f"---\nmembers:\n{members}zed: 1\n---\n"}))
    assert [row.note for row in memory.query("zed == 1").rows] == ["map"]
    assert memory.query("zed == 1").remarks == []


def test_groups_that_differ_in_case_stay_together(tmp_path: pathlib.Path) -> None:
    values = ["Open", "open", "Open", "open", "1", "true", "1"]
    memory = Memory(write(tmp_path, {f"{at}.md": f"---\ns: {value}\n---\n" for at, value in enumerate(values)}))
    groups = [row.group for row in memory.query(group="s").rows]
    assert [group for at, group in enumerate(groups) if not at or groups[at - 1] != group] == list(
        dict.fromkeys(groups)
    )


def test_a_key_that_is_a_list_is_no_property_and_takes_no_memory(tmp_path: pathlib.Path) -> None:
    laughs = "".join(f"a{level + 1}: &a{level + 1} [{', '.join([f'*a{level}'] * 10)}]\n" for level in range(9))
    memory = Memory(write(tmp_path, {"a.md": f"---\na0: &a0 [x]\nz: 1\n{laughs}? *a9\n: 1\n? [a, b]\n: 1\n---\n"}))
    assert memory.properties("a")["z"] == 1
    assert not any("Node" in name for name in memory.properties("a"))


def test_filters_of_the_search_mean_what_they_say(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"Caf\u00e9.md": "---\nx: inf\ny: 3\n---\n", "b.md": "---\nx: 1_000\ny: 2\n---\n"}))
    assert [hit.name for hit in memory.search("name:cafe")] == ["Caf\u00e9"]
    assert memory.search("[x:>5]") == []
    assert [hit.name for hit in memory.search("[y:>=3]")] == ["Caf\u00e9"]
    assert [hit.name for hit in memory.search("[y:<=2]")] == ["b"]


def test_a_base_of_two_documents_is_refused(tmp_path: pathlib.Path) -> None:
    bases = {"two.base": "filters: x > 7\n---\nviews: []\n", "list.base": "- x > 7\n"}
    memory = Memory(write(tmp_path, {"n.md": NOTE, **bases}))
    for path in bases:
        with pytest.raises(BadArgument, match="must be one YAML mapping"):
            memory.query(base=path)
    assert len([finding for finding in memory.check() if finding.kind == "base"]) == 2


def test_the_name_of_a_column_is_found_with_and_without_note(tmp_path: pathlib.Path) -> None:
    base = "properties: {note.x: {displayName: Ex}, b: {displayName: Be}}\nviews: [{order: [x, note.b]}]\n"
    assert Memory(write(tmp_path, {"n.md": NOTE, "t.base": base})).query(base="t").columns == ["Ex", "Be"]


@pytest.mark.parametrize("column", ["file.name", "file.basename"])
def test_a_base_names_the_column_of_the_notes(tmp_path: pathlib.Path, column: str) -> None:
    base = f"properties: {{{column}: {{displayName: Ti|tle}}}}\nviews: [{{order: [{column}, x]}}]\n"
    table = Memory(write(tmp_path, {"n.md": NOTE, "t.base": base})).query(base="t")
    assert table.text().splitlines()[1] == "Ti\\|tle | x"
    assert table.data()["title"] == "Ti|tle"


def test_a_table_with_very_many_columns_is_refused(memory: Memory) -> None:
    with pytest.raises(BadArgument, match="has 101 columns; give 100 at most"):
        memory.query(columns=[f"x + {number}" for number in range(101)])


@pytest.mark.parametrize(("first", "most"), [(-1, 10), (0, -1)])
def test_rows_are_counted_from_nought(memory: Memory, first: int, most: int) -> None:
    with pytest.raises(BadArgument, match="must be 0 or more"):
        memory.query(first=first, limit=most)


class TestDailyNotes:
    def vault(self, root: pathlib.Path, template: str) -> Memory:
        settings = f'{{"template": "{template}"}}'
        return Memory(write(root, {".obsidian/daily-notes.json": settings, ".obsidian/hidden.md": "SECRET"}))

    def test_a_template_that_is_hidden_is_not_read(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(BadArgument, match="cannot be read"):
            self.vault(tmp_path, ".obsidian/hidden").write_daily("2026-11-20", "x")

    def test_a_note_that_is_there_needs_no_template(self, tmp_path: pathlib.Path) -> None:
        memory = self.vault(tmp_path, "gone")
        memory.write("2026-11-20", "here\n")
        memory.write_daily("2026-11-20", "x")
        assert memory.read("2026-11-20").text == "here\n\nx"

    @pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
    def test_a_day_at_the_end_of_the_calendar_is_refused(self, tmp_path: pathlib.Path, day: str) -> None:
        with pytest.raises(BadArgument, match="is no day"):
            self.vault(tmp_path, "").write_daily(day, "x")

    def test_odd_settings_fail_with_a_sentence(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(BadArgument, match="cannot be read"):
            self.vault(tmp_path, "\\ud800").write_daily("2026-11-20", "x")
