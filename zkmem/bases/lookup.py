"""Find the notes that may pass an expression, without evaluating it: from the facts of the search index.

The answer may include notes that do not pass, but it has every note that passes.
"""

import datetime
import sqlite3
from collections.abc import Iterable, Mapping

from zkmem.bases.evaluate import Evaluation, ExpressionNames, compiled
from zkmem.bases.rows import Notes, NoteValues
from zkmem.bases.syntax import Call, Field, Literal, Name, Node, OperatorCall, nodes_in
from zkmem.bases.values import Date, File, LinkValue, NoValue, Value, read_date, text_of
from zkmem.errors import BadArgument
from zkmem.search.entry import TRUNCATED, fact_key
from zkmem.search.filters import Filter, has_property, meeting
from zkmem.search.retrieval import Scope, numbers_in

_FILE = Name("file")
_COMPARISONS = {"==", "<", ">", "<=", ">="}
_NO_PROPERTY = {"file", "note", "formula", "this", "value", "index", "acc"}


def may_pass(notes: Notes, node: Node) -> set[int] | None:
    """Return the numbers of the notes that may pass an expression; None if that is not known."""
    numbers = _candidates(notes, node)
    if numbers is None:
        return None
    many = notes.connection.execute("SELECT id FROM search_facts WHERE key = ?", (TRUNCATED[0],))
    return numbers | {number for (number,) in many}


def _candidates(notes: Notes, node: Node) -> set[int] | None:  # noqa: PLR0911 - one for each kind of node
    if isinstance(node, OperatorCall) and node.left is not None and node.operator in {"&&", "||"}:
        left, right = _candidates(notes, node.left), _candidates(notes, node.right)
        if node.operator == "&&":
            return right if left is None else left if right is None else left & right
        return None if left is None or right is None else left | right
    if isinstance(node, OperatorCall) and node.left is not None and node.operator in _COMPARISONS:
        return _of_comparison(notes, node)
    if isinstance(node, Call) and node.of == _FILE:
        return _of_file(notes, node)
    if isinstance(node, Call) and node.name == "contains" and len(node.arguments) == 1:
        return _of_contains(notes, node)
    if (name := _property(node)) is not None:
        return meeting(notes.connection, Filter("property", "", name))
    return None


def _of_comparison(notes: Notes, node: OperatorCall) -> set[int] | None:
    """Return the notes for a comparison of a property with a constant: the property must be there, and have a value."""
    operator, left, right = node.operator, node.left, node.right
    if _property(left) is None:
        operator, left, right = _TURNED.get(operator, operator), right, left
    name = _property(left)
    if name is None or right is None or not _is_constant(right):
        return None
    try:
        value = compiled(right, ExpressionNames())(Evaluation(NoteValues(_NoNotes(), "")))
    except (NoValue, BadArgument, ArithmeticError, ValueError):  # the evaluation says what is wrong
        return None
    if value is None or value == "" or isinstance(value, list | Mapping | File):
        return None
    if operator == "==":
        return _equal(notes, name, value)
    return _beyond(notes.connection, name, operator, value)


def _equal(notes: Notes, name: str, value: Value) -> set[int] | None:
    if isinstance(value, LinkValue):
        written = meeting(notes.connection, Filter("property", value.target, name))
        linking = notes.linking(value.target)
        return None if linking is None else linking | written
    if isinstance(value, bool) or (isinstance(value, str) and value.strip() and not _is_special(value)):
        return meeting(notes.connection, Filter("property", text_of(value), name))
    return meeting(notes.connection, Filter("property", "", name))  # numbers and dates may be written in several ways


def _is_special(text: str) -> bool:
    """Return whether a text is written in several ways, or means something else in a filter."""
    return read_date(text) is not None or text[0] in "<>" or any(mark in text for mark in ("[[", "#", "|"))


def _beyond(connection: sqlite3.Connection, name: str, operator: str, value: Value) -> set[int]:
    """Return the notes with a value of a property that may be less, or greater, than a number or a date."""
    is_less = operator[0] == "<"
    if isinstance(value, int | float) and not isinstance(value, bool):
        rows = connection.execute(_SMALL if is_less else _LARGE, (fact_key(name), value))
        return {number for (number,) in rows}
    date = value if isinstance(value, Date) else read_date(value) if isinstance(value, str) else None
    if date is None:
        return meeting(connection, Filter("property", "", name))
    try:  # a time in another zone may be on the day before or after
        moment = date.moment + datetime.timedelta(days=1 if is_less else -1)
    except OverflowError:
        return meeting(connection, Filter("property", "", name))
    rows = connection.execute(_EARLY if is_less else _LATE, (fact_key(name), moment.date().isoformat()))
    return {number for (number,) in rows}


# The comparisons with booleans and with texts that are no dates are left to the evaluation.
_SMALL = "SELECT id FROM search_facts WHERE key = ? AND (CAST(value AS REAL) <= ? OR value IN ('true', 'false'))"
_LARGE = _SMALL.replace("<=", ">=")
_EARLY = (
    "SELECT id FROM search_facts"
    " WHERE key = ? AND (substr(value, 1, 10) <= ? OR value NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-*')"
)
_LATE = _EARLY.replace("<=", ">=")
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _is_constant(node: Node) -> bool:
    """Return whether a node has the same value for all notes."""
    if isinstance(node, Literal):
        return True
    if isinstance(node, OperatorCall):  # whether links are equal depends on the notes
        known = node.operator not in {"==", "!="}
        return known and (node.left is None or _is_constant(node.left)) and _is_constant(node.right)
    if isinstance(node, Call):
        known = node.name not in {"asFile", "linksTo"} if node.of is not None else node.name in _CONSTANT
        return known and (node.of is None or _is_constant(node.of)) and all(map(_is_constant, node.arguments))
    return False


_CONSTANT = {"date", "duration", "link", "now", "number", "today"}


class _NoNotes(Notes):
    """A vault without notes, to compute constants."""

    def __init__(self) -> None:
        self.now = datetime.datetime.now()
        self._steps = 0


def _of_file(notes: Notes, node: Call) -> set[int] | None:
    texts = [each.value for each in node.arguments if isinstance(each, Literal) and isinstance(each.value, str)]
    if len(texts) != len(node.arguments) or not texts:
        return None
    if node.name == "hasTag":
        wanted = [text for text in texts if text.strip("#/ ")]
        return set().union(*(meeting(notes.connection, Filter("tag", text)) for text in wanted))
    if node.name == "inFolder":
        folder = texts[0].strip("/")
        return numbers_in(notes.connection, Scope([folder])) if folder else None
    if node.name == "hasProperty":
        return meeting(notes.connection, Filter("property", "", texts[0]))
    return notes.linking(texts[0]) if node.name == "hasLink" else None


def _of_contains(notes: Notes, node: Call) -> set[int] | None:
    """Return the notes for `list(property).contains("text")` and `file.tags.contains("#tag")`; others are unknown."""
    (argument,) = node.arguments
    if not isinstance(argument, Literal) or not isinstance(argument.value, str):
        return None
    if node.of == Field(_FILE, "tags"):
        return meeting(notes.connection, Filter("tag", argument.value)) if argument.value.strip("#/ ") else set()
    if isinstance(node.of, Call) and node.of.of is None and node.of.name == "list" and len(node.of.arguments) == 1:
        name = _property(node.of.arguments[0])
        return _equal(notes, name, argument.value) if name is not None else None
    return None


def unknown_properties(connection: sqlite3.Connection, nodes: Iterable[Node]) -> list[str]:
    """Return the properties that some expressions refer to and no note has."""
    parts = (part for node in nodes for part in nodes_in(node))
    names = dict.fromkeys(name for part in parts if (name := _property(part)) is not None)
    return [name for name in names if not has_property(connection, name)]


def _property(node: Node | None) -> str | None:
    """Return the name of the property that a node stands for; None if it is something else."""
    if isinstance(node, Name):
        return None if node.name in _NO_PROPERTY else node.name
    return node.name if isinstance(node, Field) and isinstance(node.of, Name) and node.of.name == "note" else None
