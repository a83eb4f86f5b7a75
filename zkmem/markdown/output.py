"""The HTML that is being written, the elements that are open in it, and its footnotes."""

import re
from dataclasses import dataclass
from unicodedata import bidirectional

# the direction of a block, or of the first item of a list
_SETTLED = re.compile(r'\s*(?:<[uo]l[^>]*>\s*)?<\w+[^>]* dir="(ltr|rtl)"')
_MANY = 500  # pieces
_TEXT = re.compile(r"(?:^|>)([^<]+)")
_LITERAL = {"CodeBlock", "HtmlBlock", "Image"}


@dataclass(eq=False, slots=True)
class Frame:
    """An open element: its kind, what closes it, and the marks in it that may still find their partners."""

    kind: str
    closing: str
    at: int  # the place in the output where its content begins
    default: str = ""  # the text of a title that is empty
    is_new: bool = True  # whether it is still empty
    highlight: int | None = None  # the place in the output of an unpaired `==`
    note: int | None = None  # the place in the output of an unpaired `^[`
    brackets: int = 0  # how many brackets are open in it


class Output:
    """The pieces of HTML that are written so far."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._outer: list[list[str]] = []  # the pieces around a footnote
        self._frames = [Frame("", "", 0)]
        self._inside = {"Link": 0, "Image": 0}  # how many of each are open

    def __str__(self) -> str:
        return "".join(self._pieces)

    @property
    def top(self) -> Frame:
        """The innermost open element."""
        return self._frames[-1]

    @property
    def outer(self) -> Frame:
        """The element around the innermost one."""
        return self._frames[-2]

    @property
    def is_in_link(self) -> bool:
        """Whether a link is open."""
        return self._inside["Link"] > 0

    @property
    def is_in_image(self) -> bool:
        """Whether an image is open: its text is an attribute."""
        return self._inside["Image"] > 0

    @property
    def is_literal(self) -> bool:
        """Whether text has no marks here."""
        return self.top.kind in _LITERAL or self.is_in_image

    @property
    def is_empty(self) -> bool:
        """Whether the innermost element has no content."""
        return len(self._pieces) == self.top.at

    def put(self, text: str) -> None:
        """Write some HTML."""
        if text:
            self._pieces.append(text)

    def push(self, kind: str, opening: str, closing: str, default: str = "") -> None:
        """Open an element."""
        self.put(opening)
        self._frames.append(Frame(kind, closing, len(self._pieces), default))
        if kind in self._inside:
            self._inside[kind] += 1

    def pop(self) -> Frame:
        """Return the innermost element, which is not open any more. What closes it is not written."""
        frame = self._frames.pop()
        if frame.kind in self._inside:
            self._inside[frame.kind] -= 1
        return frame

    def since(self, at: int) -> str:
        """Return what is written since a place."""
        return "".join(self._pieces[at:])

    def take(self, at: int) -> str:
        """Return what is written since a place, and remove it."""
        text = self.since(at)
        del self._pieces[at:]
        return text

    def close_paragraph(self, lone: str) -> None:
        """Close a paragraph; one without content is removed. If its only content begins with `lone`, hide it."""
        frame = self.pop()
        if len(self._pieces) == frame.at:
            del self._pieces[-1]
            return
        if len(self._pieces) == frame.at + 1 and self._pieces[-1].startswith(lone):
            self._pieces[frame.at - 1] = frame.default
        self.put(frame.closing)

    def settle_direction(self, auto: str) -> None:
        """Replace `auto` in the innermost element by the direction of its first letter, if it has many pieces.

        A browser that has to find this letter looks for it again for each child of the element: quadratic work.
        """
        at = self.top.at
        if len(self._pieces) - at > _MANY and at and auto in self._pieces[at - 1]:
            inner = _SETTLED.match("".join(self._pieces[at : at + 3]))  # both begin with the same letter
            direction = inner[1] if inner else _direction("".join(self._pieces[at : at + _MANY]))
            self._pieces[at - 1] = self._pieces[at - 1].replace(auto, f' dir="{direction}"')

    def between(self, block: str) -> None:
        """Write a block inside a paragraph: end the paragraph before it, and begin another one after it."""
        frame = self.top
        opening = self._pieces[frame.at - 1]
        if self.is_empty:
            del self._pieces[-1]
        else:
            self.put(frame.closing)
        self._pieces += [block, opening]
        frame.at, frame.highlight, frame.note = len(self._pieces), None, None

    def begin_aside(self, kind: str) -> None:
        """Begin a text that stands elsewhere: a footnote."""
        self._outer.append(self._pieces)
        self._pieces = []
        self.push(kind, "", "")

    def end_aside(self) -> str:
        """Return the text that stands elsewhere."""
        self.pop()
        text, self._pieces = str(self), self._outer.pop()
        return text

    def highlight(self, *, may_open: bool, may_close: bool) -> None:
        """Write a mark `==`. If it closes a highlight, the mark that opened it becomes an element, too."""
        top = self.top
        if may_close and top.highlight is not None and top.highlight < len(self._pieces) - 1:
            self._pieces[top.highlight] = "<mark>"
            self.put("</mark>")
            top.highlight = None
            return
        if may_open:
            top.highlight = len(self._pieces)
        self.put("==")

    def begin_note(self) -> None:
        """Write `^[`, which begins a footnote if it is closed in the same element."""
        self.top.note, self.top.brackets = len(self._pieces), 0
        self.put("^[")

    def end_note(self, at: int) -> str:
        """Return the footnote in the text that began at a place, and remove it there."""
        top = self.top
        top.note = None
        if top.highlight is not None and top.highlight >= at:
            top.highlight = None
        return self.take(at).removeprefix("^[")


def _direction(html: str) -> str:
    """Return the direction of the first letter that has one, else from left to right."""
    for text in _TEXT.findall(html):
        for letter in text:
            kind = bidirectional(letter)
            if kind in {"L", "R", "AL"}:
                return "ltr" if kind == "L" else "rtl"
    return "ltr"


class Footnotes:
    """Collects references and definitions; `secret` begins the value of each attribute that the page acts upon."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._numbers: dict[str, int] = {}  # by label, in the order of the first references
        self._references: dict[str, int] = {}
        self._definitions: dict[str, str] = {}

    def reference(self, label: str) -> str:
        """Return the HTML of a reference: a number that leads to the footnote."""
        key = label.lower()
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        count = self._references[key] = self._references.get(key, 0) + 1
        here = f' data-anchor="{self._secret}reference-{number}"' if count == 1 else ""
        return (
            f'<sup><a class="{self._secret}footnote" data-jump="{self._secret}note-{number}"{here}>{number}</a></sup>'
        )

    def inline(self, inside: str) -> str:
        """Return the HTML of the reference to a footnote that is written in the text, `^[inside]`."""
        label = f"\n{len(self._definitions)}"  # no label of a definition has a line end
        self._definitions[label] = inside
        return self.reference(label)

    def define(self, label: str, inside: str) -> None:
        """Keep the HTML of a footnote. The first one with its label counts; others are shown without a number."""
        key = label.lower()
        self._definitions[f"{key}\n{len(self._definitions)}" if key in self._definitions else key] = inside

    def html(self) -> str:
        """Return the list of footnotes: first those that a reference leads to, each with a link back to it."""
        if not self._definitions:
            return ""
        numbered = [(label, number) for label, number in self._numbers.items() if label in self._definitions]
        rows = [self._row(number, self._definitions[label]) for label, number in numbered]
        others = [f"<li>{inside}</li>\n" for label, inside in self._definitions.items() if label not in self._numbers]
        return f'<ol class="{self._secret}footnotes">\n{"".join([*rows, *others])}</ol>\n'

    def _row(self, number: int, inside: str) -> str:
        back = (
            f'<a class="{self._secret}back" data-jump="{self._secret}reference-{number}" title="Back to the text">↩</a>'
        )
        text = inside.removesuffix("</p>\n")  # the link stands at the end of the last paragraph
        end = inside[len(text) :]
        return f'<li value="{number}" data-anchor="{self._secret}note-{number}">{text} {back}{end}</li>\n'
