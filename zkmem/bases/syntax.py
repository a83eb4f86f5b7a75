"""Parse an expression of Obsidian's Bases, such as `status != "done" && file.hasTag("project")`.

The grammar is that of https://help.obsidian.md/bases/syntax. An expression becomes a tree of tuples; nothing is run.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from zkmem.errors import BadArgument

LONGEST = 10_000  # characters
_DEEPEST = 100  # nodes inside each other

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<mark>==|!=|>=|<=|&&|\|\||[-+*/%!<>().,\[\]{}:])
    )""",
    re.VERBOSE | re.DOTALL,
)
_REGEXP = re.compile(r"\s*/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_BINDING = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class Literal(NamedTuple):
    """A string, a number, `true`, `false` or `null`."""

    value: str | float | bool | None


class Pattern(NamedTuple):
    """A regular expression: `/pattern/flags`."""

    source: str
    flags: str


class Name(NamedTuple):
    """A property without a prefix, or a name such as `file`, `note`, `formula`, `this` or `value`."""

    name: str


class Field(NamedTuple):
    """`of.name`, and `of["name"]` if the name is written as a string."""

    of: "Node"
    name: str


class ItemAccess(NamedTuple):
    """`of[at]`."""

    of: "Node"
    at: "Node"


class Call(NamedTuple):
    """`name(...)`, or `of.name(...)`."""

    of: "Node | None"
    name: str
    arguments: tuple["Node", ...]


class OperatorCall(NamedTuple):
    """`left operator right`, or `operator right` if there is no left side."""

    operator: str
    left: "Node | None"
    right: "Node"


class ListOf(NamedTuple):
    """`[a, b]`."""

    items: tuple["Node", ...]


class ObjectOf(NamedTuple):
    """`{"a": b}`."""

    items: tuple[tuple[str, "Node"], ...]


Node = Literal | Pattern | Name | Field | ItemAccess | Call | OperatorCall | ListOf | ObjectOf


def parse(text: str) -> Node:
    """Return the tree of an expression."""
    if len(text) > LONGEST:
        raise BadArgument(f"The expression has {len(text):,} characters; write {LONGEST:,} at most.")
    return _Parser(text).whole()


class _Token(NamedTuple):
    kind: str  # "number", "name", "string", "regexp", "mark", or "end"
    text: str
    at: int


class _Parser:
    """A parser by operator precedence; each method returns the tree of what it reads."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0  # where the next token begins
        self._depth = 0
        self._token = self._next(operand=True)

    def whole(self) -> Node:
        """Read the whole text as one expression."""
        node = self._expression(0)
        if self._token.kind != "end":
            raise self._fault("an operator, or the end")
        return node

    def _next(self, *, operand: bool) -> _Token:
        """Return the next token. Where an operand may begin, `/` begins a regular expression."""
        if operand and (match := _REGEXP.match(self._text, self._at)):
            token = _Token("regexp", match[0].strip(), match.start())
        elif match := _TOKEN.match(self._text, self._at):
            token = _Token(match.lastgroup or "", match[match.lastgroup or 0], match.start(match.lastgroup or 0))
        elif self._text[self._at :].strip():
            at = len(self._text) - len(self._text[self._at :].lstrip())
            advice = {"=": " Write == to compare.", "&": " Write && for and.", "|": " Write || for or."}
            raise BadArgument(
                f"{self._text[at : at + 20]!r} at character {at + 1} of {self._shown()} is not understood."
                f"{advice.get(self._text[at], '')}"
            )
        else:
            return _Token("end", "", len(self._text))
        self._at = match.end()
        return token

    def _advance(self) -> _Token:
        token = self._token
        operand = token.kind == "mark" and token.text not in {")", "]", "}"}
        self._token = self._next(operand=operand)
        return token

    def _take(self, mark: str) -> bool:
        """Read a mark, if it comes next."""
        if self._token.kind != "mark" or self._token.text != mark:
            return False
        self._advance()
        return True

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise self._fault(f"{mark!r}")

    def _fault(self, wanted: str) -> BadArgument:
        got = repr(self._token.text) if self._token.kind != "end" else "the end"
        return BadArgument(
            f"Expected {wanted} at character {self._token.at + 1} of {self._shown()}, but there is {got}."
        )

    def _shown(self) -> str:
        return f"the expression {self._text!r:.120}"

    def _expression(self, binding: int) -> Node:
        """Read operands and the operators between them that bind more strongly than `binding`."""
        before = self._depth
        self._deepen()
        left = self._operand()
        while self._token.kind == "mark" and _BINDING.get(self._token.text, 0) > binding:
            operator = self._advance().text
            operands = [left, self._expression(_BINDING[operator])]
            while operator in {"&&", "||"} and self._take(operator):
                operands.append(self._expression(_BINDING[operator]))
            for _ in range((len(operands) - 1).bit_length()):  # all that stands before an operator is inside of it
                self._deepen()
            left = joined(operator, operands)
        self._depth = before
        return left

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadArgument(
                f"The expression {self._text!r:.120} is nested more than {_DEEPEST} levels deep; simplify it."
            )

    def _operand(self) -> Node:
        token = self._token
        if token.kind == "mark" and token.text in {"!", "-"}:
            before = self._depth
            self._deepen()
            self._advance()
            operand = self._operand()
            self._depth = before
            return OperatorCall(token.text, None, operand)
        return self._with_parts(self._primary())

    def _with_parts(self, node: Node) -> Node:
        """Read the fields, calls and items that follow an operand."""
        before = self._depth
        while True:
            self._deepen()
            if self._take("."):
                if self._token.kind != "name":
                    raise self._fault("a name")
                name = self._advance().text
                node = Call(node, name, self._arguments()) if self._take("(") else Field(node, name)
            elif self._take("["):
                at = self._expression(0)
                self._expect("]")
                is_name = isinstance(at, Literal) and isinstance(at.value, str)
                node = Field(node, str(at.value)) if isinstance(at, Literal) and is_name else ItemAccess(node, at)
            else:
                self._depth = before
                return node

    def _primary(self) -> Node:  # noqa: PLR0911 - one for each kind
        token = self._token
        if token.kind == "number":
            self._advance()
            return Literal(float(token.text))
        if token.kind == "string":
            self._advance()
            return Literal(_unquoted(token.text))
        if token.kind == "regexp":
            self._advance()
            source, _, flags = token.text[1:].rpartition("/")
            return Pattern(source, flags)
        if token.kind == "name":
            self._advance()
            if token.text in _WORDS:
                return Literal(_WORDS[token.text])
            return Call(None, token.text, self._arguments()) if self._take("(") else Name(token.text)
        if self._take("("):
            node = self._expression(0)
            self._expect(")")
            return node
        if self._take("["):
            return ListOf(tuple(self._until("]")))
        if self._take("{"):
            return ObjectOf(tuple(self._pairs()))
        raise self._fault("a value")

    def _arguments(self) -> tuple[Node, ...]:
        return tuple(self._until(")"))

    def _until(self, end: str) -> Iterator[Node]:
        """Read expressions with commas between them, and the mark after them."""
        if self._take(end):
            return
        yield self._expression(0)
        while self._take(","):
            yield self._expression(0)
        self._expect(end)

    def _pairs(self) -> Iterator[tuple[str, Node]]:
        if self._take("}"):
            return
        while True:
            if self._token.kind not in {"string", "name"}:
                raise self._fault("a key")
            token = self._advance()
            self._expect(":")
            yield _unquoted(token.text) if token.kind == "string" else token.text, self._expression(0)
            if not self._take(","):
                break
        self._expect("}")


def nodes_in(part: object) -> Iterator[Node]:
    """Yield a node and all nodes in it, or all nodes in a part of one."""
    if isinstance(part, tuple):
        if hasattr(part, "_fields"):
            yield cast("Node", part)
        for each in part:
            yield from nodes_in(each)


def joined(operator: str, nodes: Sequence[Node]) -> Node:
    """Return a balanced tree of operands. If there are more than two, the operator must be associative."""
    if len(nodes) == 1:
        return nodes[0]
    middle = len(nodes) // 2
    return OperatorCall(operator, joined(operator, nodes[:middle]), joined(operator, nodes[middle:]))


def _unquoted(text: str) -> str:
    """Return the string that is written in quotes, with escapes as in JavaScript."""

    def escaped(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if code[0] == "u" and len(code) > 1 else _ESCAPES.get(code, code)

    # Two escapes may stand for the halves of one character.
    return _ESCAPE.sub(escaped, text[1:-1]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def quoted(text: str) -> str:
    """Return a string as an expression has it."""
    return json.dumps(text, ensure_ascii=False)
