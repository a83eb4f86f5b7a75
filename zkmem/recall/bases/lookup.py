"""Find the notes that may pass an expression, without evaluating it: from the facts of the search index.

The answer may have notes too many, but never lacks one.
"""

import sqlite3
from collections.abc import Callable

from zkmem.index.store.filters import Filter, passing
from zkmem.index.store.fulltext import MANY
from zkmem.index.store.retrieval import Scope, numbers_in
from zkmem.recall.bases.syntax import Call, Field, Literal, Name, Node, Operation
from zkmem.recall.bases.values import read_date

_FILE = Name("file")
_COMPARISONS = {"==", "<", ">", "<=", ">="}
_NO_PROPERTY = {"file", "note", "formula", "this", "value", "index", "acc"}


def may_pass(connection: sqlite3.Connection, node: Node, linking: Callable[[str], set[int] | None]) -> set[int] | None:
    """Return the numbers of the notes that may pass an expression; None if that is not known.

    `linking` returns the numbers of the notes that link to a note; None if it is not known which note is meant.
    """
    found = _found(connection, node, linking)
    if found is None:
        return None
    many = connection.execute("SELECT id FROM search_facts WHERE key = ?", (MANY[0],))
    return found | {number for (number,) in many}


def _found(  # noqa: PLR0911 - one for each kind of node
    connection: sqlite3.Connection, node: Node, linking: Callable[[str], set[int] | None]
) -> set[int] | None:
    if isinstance(node, Operation) and node.left is not None and node.operator in {"&&", "||"}:
        left, right = _found(connection, node.left, linking), _found(connection, node.right, linking)
        if node.operator == "&&":
            return right if left is None else left if right is None else left & right
        return None if left is None or right is None else left | right
    if isinstance(node, Operation) and node.left is not None and node.operator in _COMPARISONS:
        return _of_comparison(connection, node)
    if isinstance(node, Call) and node.of == _FILE:
        return _of_file(connection, node, linking)
    if isinstance(node, Call) and node.name == "contains" and len(node.arguments) == 1:
        return _of_contains(connection, node)
    if (name := _property(node)) is not None:
        return passing(connection, Filter("property", "", name))
    return None


def _of_comparison(connection: sqlite3.Connection, node: Operation) -> set[int] | None:
    """Return the notes for a comparison with a property: it must be there and, for `==`, have the value."""
    left, right = (node.left, node.right) if _property(node.left) is not None else (node.right, node.left)
    name = _property(left)
    if name is None or not isinstance(right, Literal) or right.value is None or right.value == "":
        return None
    value = _exact(right) if node.operator == "==" else ""
    return passing(connection, Filter("property", value, name))


def _exact(literal: Literal) -> str:
    """Return the text by which the facts have a literal; "" if the same value may be written in other ways."""
    value = literal.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "" if read_date(value) or not value.strip() or value.startswith("[[") else value
    return ""


def _of_file(connection: sqlite3.Connection, node: Call, linking: Callable[[str], set[int] | None]) -> set[int] | None:
    texts = [each.value for each in node.arguments if isinstance(each, Literal) and isinstance(each.value, str)]
    if len(texts) != len(node.arguments) or not texts:
        return None
    if node.name == "hasTag":
        wanted = [text for text in texts if text.strip("#/ ")]
        return set().union(*(passing(connection, Filter("tag", text)) for text in wanted))
    if node.name == "inFolder":
        folder = texts[0].strip("/")
        return numbers_in(connection, Scope([folder])) if folder else None
    if node.name == "hasProperty":
        return passing(connection, Filter("property", "", texts[0]))
    return linking(texts[0]) if node.name == "hasLink" else None


def _of_contains(connection: sqlite3.Connection, node: Call) -> set[int] | None:
    """Return the notes for `list(property).contains("text")` and `file.tags.contains("#tag")`; others are unknown."""
    (argument,) = node.arguments
    if not isinstance(argument, Literal) or not isinstance(argument.value, str):
        return None
    if node.of == Field(_FILE, "tags"):
        return passing(connection, Filter("tag", argument.value)) if argument.value.strip("#/ ") else set()
    if isinstance(node.of, Call) and node.of.of is None and node.of.name == "list" and len(node.of.arguments) == 1:
        name, value = _property(node.of.arguments[0]), _exact(argument)
        return passing(connection, Filter("property", value, name)) if name is not None else None
    return None


def _property(node: Node | None) -> str | None:
    """Return the name of the property that a node stands for; None if it is something else."""
    if isinstance(node, Name):
        return None if node.name in _NO_PROPERTY else node.name
    return node.name if isinstance(node, Field) and node.of == Name("note") else None
