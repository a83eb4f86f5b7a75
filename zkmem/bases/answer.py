"""Answer a query: filter, group and sort the notes, and compute the columns of the requested rows."""

import functools
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from zkmem.bases.base_file import Order, TableQuery, is_name, property_of
from zkmem.bases.evaluate import Evaluation, Expression, ExpressionNames, compiled, expression
from zkmem.bases.lookup import may_pass, unknown_properties
from zkmem.bases.rows import Notes, NoteValues
from zkmem.bases.syntax import Field, Name, Node, parse
from zkmem.bases.table import Group, Row, Summary, Table
from zkmem.bases.values import Date, Duration, NoValue, Value, sort_key, text_of, type_of
from zkmem.errors import BadArgument
from zkmem.index.index import Progress
from zkmem.search.query import matches, read_query
from zkmem.search.retrieval import Scope
from zkmem.search.search import Search
from zkmem.util.spelling import number_of

_LAST = sort_key(None)[0]  # where null and empty values are sorted
_T = TypeVar("_T")

_SHOWN = 200  # characters of a cell
_MOST_HITS = 10_000  # by words
_MOST_REMARKS = 5
_MOST_COLUMNS = 100


def _numbers(values: list[Value]) -> list[float]:
    return [value for value in values if type_of(value) == "number"]


def _moments(values: list[Value]) -> list[Date]:
    return sorted((value for value in values if isinstance(value, Date)), key=lambda date: date.moment)


def _of_numbers(function: Callable[[list[float]], float]) -> Callable[[list[Value]], Value]:
    return lambda values: function(numbers) if (numbers := _numbers(values)) else None


def _range_of(values: list[Value]) -> Value:
    """Return the largest number minus the smallest; without numbers, the time from the first date to the last."""
    if numbers := _numbers(values):
        return max(numbers) - min(numbers)
    if moments := _moments(values):
        return Duration((moments[-1].moment - moments[0].moment).total_seconds() * 1000)
    return None


def _empty_count(values: list[Value]) -> int:
    return sum(sort_key(value)[0] == _LAST for value in values)


BUILT_IN_SUMMARIES: dict[str, Callable[[list[Value]], Value]] = {
    "Average": _of_numbers(statistics.fmean),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(sum),
    "Range": _range_of,
    "Median": _of_numbers(statistics.median),
    "Stddev": _of_numbers(statistics.pstdev),
    "Earliest": lambda values: next(iter(_moments(values)), None),
    "Latest": lambda values: next(reversed(_moments(values)), None),
    "Checked": lambda values: sum(value is True for value in values),
    "Unchecked": lambda values: sum(value is False for value in values),
    "Empty": _empty_count,
    "Filled": lambda values: len(values) - _empty_count(values),
    "Unique": lambda values: len({(type_of(value), text_of(value)) for value in values}),
}
"""The summaries that every base has, by name; None stands for no value."""


def formula(name: str, text: str, names: ExpressionNames) -> Expression:
    """Return the function that computes a formula."""
    try:
        return expression(text, names)
    except BadArgument as error:
        raise BadArgument(f"The formula {name!r}: {error}") from error


def _formulas(texts: Mapping[str, str], names: ExpressionNames) -> dict[str, Expression]:
    """Return formulas, each compiled when it is first needed: a broken one matters only where it is used."""
    compiled_once = functools.cache(lambda name: formula(name, texts[name], names))

    def run(name: str, context: Evaluation) -> Value:
        return compiled_once(name)(context)

    return {name: functools.partial(run, name) for name in texts}


class QueryPlan:
    """The functions of a query's expressions, and remarks on names in it that do not exist."""

    def __init__(self, query: TableQuery) -> None:
        """Compile all expressions but the formulas, which are compiled when they are first needed."""
        self.remarks = [
            f"There is no summary {name!r}; the built-in ones are: {', '.join(BUILT_IN_SUMMARIES)}."
            for name in dict.fromkeys(query.summaries.values())
            if name not in BUILT_IN_SUMMARIES and name not in query.summary_formulas
        ]
        self.nodes: list[Node] = list(query.filters)  # of all but the formulas
        formulas: dict[str, Expression] = {}
        self.names = ExpressionNames(formulas, query.this)
        formulas.update(_formulas(query.formulas, self.names))
        self.filters = [compiled(node, self.names) for node in query.filters]
        self.columns = {text: self._column(text) for text in query.columns}
        self.sort = [(self._column(order.property), order.descending) for order in query.sort]
        self.group = self._column(query.group.property) if query.group else None
        self.summaries = {column: (name, self._column(column)) for column, name in query.summaries.items()}
        self.summary = _formulas(query.summary_formulas, self.names)

    def _column(self, text: str) -> Expression:
        """Return the function of a column: a property, whose name may have blanks and hyphens, or any expression."""
        if text.startswith("formula.") and is_name(text[8:]):
            if text[8:] not in self.names.formulas:
                self.remarks.append(f"There is no formula {text[8:]!r}.")
                return _nothing
            return compiled(Field(Name("formula"), text[8:]), self.names)
        name = property_of(text)
        node = parse(text) if name is None else Field(Name("note"), name)
        self.nodes.append(node)
        return compiled(node, self.names)


def _nothing(_: Evaluation) -> Value:
    return None


_FAILURES = (NoValue, ArithmeticError, ValueError)


def _reason(error: Exception) -> str:
    """Return why an expression has no value. Python's numbers and dates have bounds."""
    return str(error) if isinstance(error, NoValue) else "a number or a date is too large or too small"


class _Problems:
    """The expressions that had no value for some notes, and why."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def value(self, run: Expression, row: NoteValues, what: str) -> Value:
        """Return the value of an expression for a note. If it has none, remember why and return None."""
        return self.attempt(lambda: run(Evaluation(row)), None, row.file.path, what)

    def attempt(self, work: Callable[[], _T], default: _T, path: str, what: str) -> _T:
        """Return what `work` returns. If it fails, remember why and return the default."""
        try:
            return work()
        except _FAILURES as error:
            self._count[what] = self._count.get(what, 0) + 1
            self._first.setdefault(what, f"in {path}: {_reason(error)}")
        except RecursionError as error:
            raise BadArgument(f"{what} is nested too deeply; simplify it.") from error
        return default

    def remarks(self) -> list[str]:
        """Return sentences for the reader."""
        return [
            f"{what} has no value for {number_of(count, 'note')}. For example, {self._first[what]}."
            for what, count in list(self._count.items())[:_MOST_REMARKS]
        ]


def answer(
    search: Search, query: TableQuery, first: int, most: int, progress: Progress | None, wait_s: float | None
) -> Table:
    """Return the rows of a query, from the number `first` on, at most `most`. `wait_s`: see `Search.find`."""
    table, remarks = search.read(
        lambda connection: _answer(Notes(connection, search.session, search.folder), query, first, most),
        progress,
        wait_s,
    )
    return table._replace(remarks=[*table.remarks, *remarks])


def _answer(notes: Notes, query: TableQuery, first: int, most: int) -> Table:
    if first < 0 or most < 0:
        raise BadArgument("The first row and the number of rows must be 0 or more.")
    if len(query.columns) > _MOST_COLUMNS:
        raise BadArgument(f"The table has {len(query.columns):,} columns; give {_MOST_COLUMNS} at most.")
    plan, problems = QueryPlan(query), _Problems()
    remarks: list[str] = []
    if query.words:
        hits, remarks = matches(notes.connection, read_query(query.words), _MOST_HITS, Scope())
        paths: Iterable[str] = [hit.path for hit in hits]
    else:
        paths = sorted(notes.paths(_candidates(notes, query.filters)))
    rows = [row for row in (NoteValues(notes, path) for path in paths) if _passes(plan, row, problems)]
    rows = _sorted(rows, plan, problems)
    groups: list[Group] = []
    of_group: dict[str, str] = {}
    if query.group and plan.group:
        rows, groups, of_group = _grouped(rows, plan.group, query.group, problems)
    rows = rows[: query.limit]
    names = {key.removeprefix("note."): name for key, name in query.names.items()}
    summaries = list(_summaries(plan, notes, rows, names, problems))
    page = rows[first : first + most]
    lines = []
    for row in page:
        shown = [
            problems.attempt(functools.partial(_shown, run, row), ("", "null"), row.file.path, f"The column {text!r}")
            for text, run in plan.columns.items()
        ]
        cells, types = [cell for cell, _ in shown], [kind for _, kind in shown]
        lines.append(Row(notes.name(row.file), row.file.path, cells, types, of_group.get(row.file.path, "")))
    titles = [names.get(text.removeprefix("note."), text.removeprefix("note.")) for text in plan.columns]
    if unknown := unknown_properties(notes.connection, plan.nodes):
        remarks.append(f"No note has the {'property' if len(unknown) == 1 else 'properties'} {', '.join(unknown)}.")
    remarks += [*dict.fromkeys(plan.remarks), *problems.remarks()]
    return Table(titles, list(plan.columns), lines, groups, summaries, first, len(rows), remarks, query.title)


def _candidates(notes: Notes, filters: Iterable[Node]) -> set[int] | None:
    """Return the numbers of the notes that may pass all filters; None for all notes."""
    possible: set[int] | None = None
    for node in filters:
        numbers = may_pass(notes, node)
        if numbers is not None:
            possible = numbers if possible is None else possible & numbers
    return possible


def _passes(plan: QueryPlan, row: NoteValues, problems: _Problems) -> bool:
    return all(bool(problems.value(run, row, "A filter")) for run in plan.filters)


def _sorted(rows: list[NoteValues], plan: QueryPlan, problems: _Problems) -> list[NoteValues]:
    """Return the rows in the order of the query; notes without a value come last."""
    for run, descending in reversed(plan.sort):
        keys = {row.file.path: _key(run, row, problems, "A value to sort by") for row in rows}
        rows = _sorted_by(rows, lambda row, keys=keys: keys[row.file.path], descending=descending)  # type: ignore[misc]
    return rows


def _key(run: Expression, row: NoteValues, problems: _Problems, what: str) -> tuple[int, Any]:
    return problems.attempt(lambda: sort_key(run(Evaluation(row))), sort_key(None), row.file.path, what)


def _sorted_by(
    rows: list[NoteValues], key_of: Callable[[NoteValues], tuple[int, Any]], *, descending: bool
) -> list[NoteValues]:
    keyed = [(key_of(row), row) for row in rows]
    with_value = [pair for pair in keyed if pair[0][0] < _LAST]
    with_value.sort(key=lambda pair: pair[0], reverse=descending)
    return [row for _, row in with_value] + [row for key, row in keyed if key[0] == _LAST]


def _grouped(
    rows: list[NoteValues], run: Expression, order: Order, problems: _Problems
) -> tuple[list[NoteValues], list[Group], dict[str, str]]:
    """Return the rows by group, the groups, and the group of each path."""
    no_group = sort_key(None), ""
    values = {
        row.file.path: problems.attempt(
            functools.partial(_grouping, run, row), no_group, row.file.path, "A value to group by"
        )
        for row in rows
    }
    first: dict[str, tuple[int, Any]] = {}  # of each group: values of different types may have the same text
    for key, text in values.values():
        first.setdefault(text, key)

    def key_of(row: NoteValues) -> tuple[int, Any]:  # rows of groups that differ only in case must not alternate
        _, text = values[row.file.path]
        return (first[text][0], (first[text][1], text)) if first[text][0] < _LAST else first[text]

    rows = _sorted_by(rows, key_of, descending=order.descending)
    of_group = {row.file.path: values[row.file.path][1] for row in rows}
    counts: dict[str, int] = {}
    for group in of_group.values():
        counts[group] = counts.get(group, 0) + 1
    return rows, [Group(value, count) for value, count in counts.items()], of_group


def _summaries(
    plan: QueryPlan, notes: Notes, rows: list[NoteValues], titles: Mapping[str, str], problems: _Problems
) -> Iterator[Summary]:
    """Yield the summaries of the columns. A formula of the base replaces a built-in summary of the same name.

    `titles`: those that the base gives to columns.
    """
    keys = {key.removeprefix("note."): key for key in plan.columns}
    for column, (name, run) in plan.summaries.items():
        key = column.removeprefix("note.")
        what = f"The summary of {column!r}"
        values = [problems.value(run, row, what) for row in rows]

        def computed(name: str = name, values: list[Value] = values) -> str:
            own = name in plan.summary
            context = Evaluation(NoteValues(notes, ""), {"values": values})
            return _cell(plan.summary[name](context) if own else BUILT_IN_SUMMARIES[name](values))

        if name not in plan.summary and name not in BUILT_IN_SUMMARIES:
            continue
        try:
            yield Summary(keys.get(key, column), titles.get(key, key), name, computed())
        except _FAILURES as error:
            plan.remarks.append(f"{what} has no value: {_reason(error)}.")
        except RecursionError as error:
            raise BadArgument(f"{what} is nested too deeply; simplify it.") from error


def _shown(run: Expression, row: NoteValues) -> tuple[str, str]:
    """Return the cell of a column for a note, and the type of its value."""
    value = run(Evaluation(row))
    return _cell(value), type_of(value)


def _grouping(run: Expression, row: NoteValues) -> tuple[tuple[int, Any], str]:
    """Return the sort key and the text of a note's group."""
    value = run(Evaluation(row))
    return sort_key(value), _cell(value)


def _cell(value: Value) -> str:
    """Return a value as one line."""
    text = " ".join(text_of(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
