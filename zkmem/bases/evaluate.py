"""Turn the tree of an expression into a function that computes its value for a note."""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import regex

from zkmem.bases import syntax
from zkmem.bases.functions import ANY, BY_TYPE, FIELDS, GLOBAL, MOST_ARGUMENTS, Function, bounded_list
from zkmem.bases.operators import ORDER, computed, negative
from zkmem.bases.rows import FILE_FIELDS, NoteValues
from zkmem.bases.values import File, NoValue, RegExp, Value, is_true, read_date, text_of, to_number, type_of
from zkmem.errors import BadArgument

_MOST_SHOWN = 10  # formulas of a circle
_MOST_LEVELS = 150  # of a tree; Python's own limit is some 300
_LONGEST_PATTERN, _MOST_GROUPS, _MOST_REPEATED = 500, 100, 1_000  # of a regular expression
_REPEATED = re.compile(r"\{(\d*)(,?)(\d*)\}|\)\+")
_VERBOSE = re.compile(r"\(\?[a-zA-Z0-9]*x")  # the flag that allows blanks and comments, also in `{9}`
_EACH = {"filter": 1, "map": 1, "reduce": 2}  # functions of lists that get an expression, and how many arguments
_VARIABLES = ("value", "index", "acc", "values")
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "u": 0, "g": 0, "y": 0}


class Evaluation(NamedTuple):
    """What an expression can refer to: a note, and the item of a list in `filter`, `map` and `reduce`."""

    row: NoteValues
    variables: Mapping[str, Value] = {}


Expression = Callable[[Evaluation], Value]


class ExpressionNames(NamedTuple):
    """What expressions may refer to beside properties: formulas, and the path of the file that `this` stands for."""

    formulas: Mapping[str, Expression] = {}
    this: str | None = None


def expression(text: str, names: ExpressionNames) -> Expression:
    """Return a function that computes the value of an expression."""
    return compiled(syntax.parse(text), names)


def compiled(node: syntax.Node, names: ExpressionNames) -> Expression:
    """Return a function that computes the value of the tree of an expression; errors as for `expression`."""
    return _Compiler(names).of(node, 0)


class _Compiler:
    def __init__(self, names: ExpressionNames) -> None:
        self._names = names

    def of(self, node: syntax.Node, level: int) -> Expression:  # noqa: PLR0911 - one for each kind of node
        """Return a function that computes the value of a node."""
        if level > _MOST_LEVELS:
            raise BadArgument(f"An expression is nested more than {_MOST_LEVELS} levels deep; simplify it.")
        level += 1
        match node:
            case syntax.Literal(value):
                return _constant(value)
            case syntax.Pattern(source, flags):
                return _constant(_pattern(source, flags))
            case syntax.Name(name):
                return self._name(name)
            case syntax.Field(of, name):
                return self._field(of, name, level)
            case syntax.ItemAccess(of, at):
                return _item(self.of(of, level), self.of(at, level))
            case syntax.Call():
                return self._call(node, level)
            case syntax.OperatorCall(operator, left, right):
                return self._operation(operator, left, right, level)
            case syntax.ListOf(items):
                return _list_of([self.of(item, level) for item in items])
            case syntax.ObjectOf(pairs):
                fields = {key: self.of(item, level) for key, item in pairs}
                return lambda context: {key: item(context) for key, item in fields.items()}

    def _name(self, name: str) -> Expression:
        if name == "file":
            return lambda context: context.row.file
        if name == "note":
            return lambda context: context.row.properties
        if name == "this":
            return _constant(File(self._this()))
        if name == "formula":
            return lambda context: {key: _formula(context, key, run) for key, run in self._names.formulas.items()}
        if name in _VARIABLES:
            return lambda context: context.variables[name] if name in context.variables else context.row.property(name)
        return lambda context: context.row.property(name)

    def _this(self) -> str:
        if self._names.this is None:
            raise BadArgument(
                "An expression uses `this`, but no note is given for it. Give the argument `this` (--this), or a base."
            )
        return self._names.this

    def _field(self, of: syntax.Node, name: str, level: int) -> Expression:
        root = of.name if isinstance(of, syntax.Name) else ""  # not `==`: the tuples of a text and of a name are equal
        if root == "note":
            return lambda context: context.row.property(name)
        if root == "formula":
            if name not in self._names.formulas:
                known = ", ".join(sorted(self._names.formulas))
                has = f"the formulas are: {known}" if known else "only a base has formulas, and this query has none"
                raise BadArgument(f"There is no formula {name!r}; {has}.")
            return lambda context: _formula(context, name, self._names.formulas[name])
        if root == "this" and name == "note":
            this = File(self._this())
            return lambda context: context.row.notes.properties(this)
        if (root == "this" and name != "file") or of == syntax.Field(syntax.Name("this"), "note"):
            this = File(self._this())
            return lambda context: context.row.notes.property(this, name)
        if root == "file" and name not in FILE_FIELDS:
            raise BadArgument(f"`file.{name}` is not supported; the fields are {', '.join(FILE_FIELDS)}.")
        value = self.of(of, level)
        return lambda context: _field_of(value(context), name, context)

    def _call(self, node: syntax.Call, level: int) -> Expression:
        name, given = node.name, len(node.arguments)
        if node.of is None and name == "if":
            _check_count("if", given, 2, 3)
            condition, then, *other = (self.of(each, level) for each in node.arguments)
            return lambda context: (
                then(context) if is_true(condition(context)) else other[0](context) if other else None
            )
        arguments = [self.of(each, level) for each in node.arguments]
        if node.of is None:
            if name not in GLOBAL:
                raise _unknown(f"There is no function {name}()", name, ["if", *GLOBAL])
            function = GLOBAL[name]
            _check_count(name, given, function.least, function.most)

            def run(context: Evaluation) -> Value:
                context.row.notes.spend(1)
                return function.run(context.row, None, *(each(context) for each in arguments))

            return run
        value = self.of(node.of, level)
        if name in _EACH:
            _check_count(name, given, _EACH[name], _EACH[name])
            return _each(name, value, arguments)
        having = {kind: table[name] for kind, table in [*BY_TYPE.items(), ("any", ANY)] if name in table}
        if not having:
            known = {*_EACH, *ANY, *(each for table in BY_TYPE.values() for each in table)}
            raise _unknown(f"No value has a function {name}()", name, known)
        _check_count(name, given, min(one.least for one in having.values()), max(one.most for one in having.values()))
        return lambda context: _called(value(context), name, having, [each(context) for each in arguments], context)

    def _operation(  # noqa: PLR0911 - one for each group of operators
        self, operator: str, left: syntax.Node | None, right: syntax.Node, level: int
    ) -> Expression:
        second = self.of(right, level)
        if left is None:
            if operator == "!":
                return lambda context: not is_true(second(context))
            return lambda context: negative(second(context))
        first = self.of(left, level)
        if operator == "&&":
            return lambda context: second(context) if is_true(value := first(context)) else value
        if operator == "||":
            return lambda context: value if is_true(value := first(context)) else second(context)
        if operator in {"==", "!="}:
            is_equality = operator == "=="
            return lambda context: context.row.notes.same(first(context), second(context)) == is_equality
        if operator in ORDER:
            order = ORDER[operator]
            return lambda context: order(first(context), second(context))
        return lambda context: computed(operator, first(context), second(context), context.row)


def _constant(value: Value) -> Expression:
    return lambda _: value


def _list_of(parts: Sequence[Expression]) -> Expression:
    def run(context: Evaluation) -> Value:
        context.row.notes.spend(len(parts))
        return [part(context) for part in parts]

    return run


def _unknown(what: str, name: str, known: Iterable[str]) -> BadArgument:
    """Return the error for the name of a function that is not known; it names the nearest ones, or all."""
    folded = {each.lower(): each for each in known}
    near = [f"{folded[each]}()" for each in difflib.get_close_matches(name.lower(), folded, 2)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"the functions are: {', '.join(sorted(folded.values()))}."
    return BadArgument(f"{what}; {hint}")


def _check_count(name: str, given: int, least: int, most: int) -> None:
    if not least <= given <= most:
        count = f"{least}" if least == most else f"{least} or more" if most == MOST_ARGUMENTS else f"{least} to {most}"
        raise BadArgument(f"The function {name}() takes {count} argument{'s' * (count != '1')}, not {given}.")


def _pattern(source: str, flags: str) -> RegExp:
    if unknown := set(flags) - set(_FLAGS):
        raise BadArgument(
            f"The regular expression /{source}/{flags} has an unknown flag {min(unknown)!r}; the flags are "
            f"{', '.join(_FLAGS)}."
        )
    number = 0
    for flag in flags:
        number |= _FLAGS[flag]
    if _VERBOSE.search(source):
        raise BadArgument(
            f"The regular expression /{source[:60]}/ has the flag x; write it without blanks and comments."
        )
    # The time to compile a pattern grows with the product of all its repetitions. Before a search, `regex` makes a
    # table of a plain string in the pattern: the time for that grows with the cube of its length, and has no limit.
    repeated = math.prod(map(_copies, _REPEATED.finditer(source)))
    if len(source) > _LONGEST_PATTERN or source.count("(") > _MOST_GROUPS or repeated > _MOST_REPEATED:
        raise BadArgument(
            f"The regular expression /{source[:60]}/ is too large; use at most {_LONGEST_PATTERN:,} characters, "
            f"{_MOST_GROUPS} groups and {_MOST_REPEATED:,} repetitions."
        )
    try:
        return RegExp(regex.compile(source, number), "g" in flags)
    except (regex.error, RecursionError, OverflowError) as error:
        raise BadArgument(f"/{source}/ is no regular expression: {error}.") from error


def _copies(repetition: re.Match[str]) -> int:
    """Return how many copies `regex` makes of what is repeated at most: with `+` or `{2,}`, one more than the least."""
    least, comma, most = repetition.groups()
    if most or (least and not comma):
        return max(1, int(least or 1)) * max(1, int(most or 1))
    return int(least or 1) + 1


def _formula(context: Evaluation, name: str, run: Expression) -> Value:
    row = context.row
    if name not in row.formulas:
        if name in row.computing:
            raise circular([*row.computing[row.computing.index(name) :], name])
        row.computing.append(name)
        try:
            row.formulas[name] = run(Evaluation(row))
        finally:
            row.computing.pop()
    return row.formulas[name]


def circular(names: Sequence[str]) -> BadArgument:
    """Return the error for formulas that refer to each other: the first and the last name are the same."""
    shown = names if len(names) <= _MOST_SHOWN else [*names[: _MOST_SHOWN - 1], "…", names[-1]]
    return BadArgument(f"The formula {names[0]!r} refers to itself: {' → '.join(shown)}.")


def _field_of(value: Value, name: str, context: Evaluation) -> Value:
    """Return a field of a value; None for an object without it, and for null."""
    if isinstance(value, File) and name in FILE_FIELDS:
        return context.row.notes.field(value, name)
    if value is None:
        return None
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, str) and name not in FIELDS["string"] and (date := read_date(value)):
        value = date
    fields = FIELDS.get(type_of(value), FILE_FIELDS if isinstance(value, File) else {})
    if name not in fields:
        known = f"its fields are: {', '.join(fields)}" if fields else "it has no fields"
        raise NoValue(f"{text_of(value)!r:.60} ({type_of(value)}) has no field {name!r}; {known}")
    return FIELDS[type_of(value)][name](value)


def _item(of: Expression, at: Expression) -> Expression:
    def run(context: Evaluation) -> Value:
        value, place = of(context), at(context)
        if isinstance(value, Mapping):
            return value.get(text_of(place))
        if isinstance(value, list | str) and isinstance(place, int | float) and 0 <= place < len(value):
            return value[int(place)]
        return None

    return run


def _each(name: str, value: Expression, arguments: Sequence[Expression]) -> Expression:
    body = arguments[0]

    def run(context: Evaluation) -> Value:
        items = value(context)
        if items is None:
            return None
        if not isinstance(items, list):
            raise NoValue(f"{name}() is a function of lists, not of a {type_of(items)}")
        context.row.notes.spend(len(items))
        acc = arguments[1](context) if name == "reduce" else None
        results = []
        for index, item in enumerate(items):
            inner = {**context.variables, "value": item, "index": index}
            if name == "reduce":
                acc = body(Evaluation(context.row, {**inner, "acc": acc}))
            else:
                results.append(body(Evaluation(context.row, inner)))
        if name == "reduce":
            return acc
        if name == "map":
            return bounded_list(results)
        return [item for item, kept in zip(items, results, strict=True) if is_true(kept)]

    return run


def _called(
    value: Value, name: str, having: Mapping[str, Function], given: Sequence[Value], context: Evaluation
) -> Value:
    """Call a function of a value. A function of null returns null, except those in `ANY`."""
    kind = type_of(value)
    function = having.get(kind)
    if function is None and kind == "string" and "date" in having and (date := read_date(value)):
        value, function = date, having["date"]
    if function is None and kind == "duration" and "number" in having:  # of milliseconds, which is what Obsidian has
        value, function = to_number(value), having["number"]
    function = function or having.get("any")
    if function is None:
        if value is None:
            return None
        kinds = " or ".join(having)
        raise NoValue(f"{name}() is a function of a {kinds}, not of a {kind}: {text_of(value)!r:.60}")
    if not function.least <= len(given) <= function.most:
        raise NoValue(f"{name}() of a {kind} takes {function.least} to {function.most} arguments, not {len(given)}")
    size = len(value) if isinstance(value, list) else len(value) // 100 if isinstance(value, str) else 0
    context.row.notes.spend(1 + size)
    return function.run(context.row, value, *given)
