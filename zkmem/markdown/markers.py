"""Write the markers around expanded text, and collapse expanded text to the exact text before.

A block is `!` + the link + `start`, a blank line, the linked text, two blank lines, `!` + the link + `end`. It
replaces its link, or it stands on lines of its own right below a line of text, and its link stays further up. A
start marker ends its line; an end marker begins one. Expansion puts a backslash before text that looks like a marker,
and collapse removes that backslash, so that text and markers cannot be confused.
"""

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from zkmem.errors import EditedExpansion
from zkmem.markdown.links import whole_link

_MOST_TRIED = 8  # positions in a line where the link of a marker may begin or end
_ADVICE = "Replace the whole block by its link; to keep a marker as text, put a backslash before its `!`."

_LONGEST = 1_000  # characters of a link that can have markers
_LINK_BEGIN = re.compile(r"!(?=!?\[)")
_LINK_END = re.compile(r"(?:\]\]|\))(?=end)")

_MARKER_PARTS = ("]start", ")start", "]end", ")end")  # every marker has one of these, and looking for them is fast

_CUT_BEGIN = "(Cut here. "
_CUT = re.compile(r"\(Cut here\. Read on: get_content\(name=\".*\", offset=([0-9]{1,15})\)\)")


class Shown(NamedTuple):
    """The text that an expansion shows for a link."""

    note: str  # the path of the linked note
    text: str  # that note's text without frontmatter, or the part that the link names
    begins: int  # the offset of this text in the note, in characters


Lookup = Callable[[str, str], Shown | None]
"""(link as written, path of the note that has it) -> the text that an expansion shows, or None for no expansion."""


class _Token(NamedTuple):
    kind: str  # "start" or "end"
    at: int  # the start of the token, with the backslashes before it
    end: int
    escapes: int
    raw: str


def framed(raw: str, text: str) -> str:
    """Return the block that shows the text of a link, with its markers."""
    return f"!{raw}start\n\n{text}\n\n\n!{raw}end"


def cut_line(name: str, offset: int) -> str:
    """Return the last line of a block that shows only the beginning of a note; `offset` is in characters."""
    return f"{_CUT_BEGIN}Read on: get_content(name={json.dumps(name, ensure_ascii=False)}, offset={offset}))"


def cut_line_then(name: str, _offset: int) -> str:
    """Return the last line of a block that shows the beginning of a note of an earlier moment: see `cut_line`."""
    return f"{_CUT_BEGIN}It goes on under its own name: {json.dumps(name, ensure_ascii=False)})"


def is_below(text: bytes | bytearray, at: int, raw: bytes) -> bool:
    """Return whether a block of the link `raw` that begins at `at` of a text stands below its link.

    It does if it begins a line, the line before is not blank, and the link is somewhere before. Expansion calls this
    with the text before expansion, collapse with the text that it has restored: these are equal, so both agree.
    """
    if text[at - 1 : at] != b"\n":
        return False
    line_before = text[text.rfind(b"\n", 0, at - 1) + 1 : at - 1]
    return bool(line_before.strip(b" \t\r")) and text.rfind(raw, 0, at) >= 0


def escaped(text: str, *, begins_line: bool, ends_line: bool) -> str:
    """Return the text with a backslash before everything that looks like a marker.

    `begins_line`, `ends_line`: the text begins or ends at a line end, not beside an expanded link.
    """
    pieces, at = list[str](), 0
    for token in _tokens(text, begins_line, ends_line):
        pieces += [text[at : token.at], "\\"]
        at = token.at
    return "".join([*pieces, text[at:]])


def collapse(text: str, source: str, lookup: Lookup) -> str:
    """Return the text of the note `source` with every expanded block replaced by its link."""
    levels = [_Level("", Shown(source, "", 0))]
    at = 0
    for token in _tokens(text, True, True):
        levels[-1].add(text[at : token.at])
        at = token.end
        if token.escapes:
            levels[-1].add(text[token.at + 1 : token.end])
        elif token.kind == "end" and token.raw == levels[-1].raw:
            block = levels.pop()
            _check(block)
            levels[-1].take(block.raw)
        elif token.kind == "end":
            raise EditedExpansion(f"There is !{token.raw}end without its !{token.raw}start before it. {_ADVICE}")
        elif shown := lookup(token.raw, levels[-1].shown.note):
            levels.append(_Level(token.raw, shown))
        else:
            raise EditedExpansion(f"!{token.raw}start begins an expanded block, but means no note now. {_ADVICE}")
    if len(levels) > 1:
        raise EditedExpansion(f"!{levels[-1].raw}start has no !{levels[-1].raw}end after it. {_ADVICE}")
    levels[0].add(text[at:])
    return levels[0].text


def as_quotes(text: str) -> str:
    """Return expanded text for a person: without markers, and with each block as a quote below its link."""
    levels, at = [""], 0
    for token in _tokens(text, True, True):
        levels[-1] = _after(levels[-1], text[at : token.at])
        at = token.end
        if token.escapes:
            levels[-1] += text[token.at + 1 : token.end]
        elif token.kind == "start":
            levels.append(token.raw.removeprefix("!"))
        elif len(levels) > 1:
            block = levels.pop().rstrip()
            rest, _, last = block.rpartition("\n")
            lines = (f"{rest}\n…" if last.startswith(_CUT_BEGIN) else block).splitlines()
            levels[-1] = levels[-1].rstrip() + "\n\n" + "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"
    return _after("".join(levels), text[at:])


def _after(before: str, text: str) -> str:
    """Return two texts together, with no second blank line between them."""
    return before + (text.lstrip("\n") if before.endswith("\n\n") else text)


class _Level:
    """A block that is being collapsed: its link, what it should show, and its text so far."""

    def __init__(self, raw: str, shown: Shown) -> None:
        self.raw, self.shown = raw, shown
        self._text = bytearray()  # quick to append to and to search

    @property
    def text(self) -> str:
        return self._text.decode(errors="surrogatepass")

    def add(self, text: str) -> None:
        self._text += text.encode(errors="surrogatepass")

    def take(self, raw: str) -> None:
        """Put the link of a block where the block stood, or nothing if the block stood below its link."""
        if is_below(self._text, len(self._text), raw.encode()):
            del self._text[-1:]
        else:
            self.add(raw)


def _check(block: _Level) -> None:
    if not _is_shown(block.text.strip("\r\n"), block.shown):
        raise EditedExpansion(
            f"The expanded block of {block.raw} does not hold the text of {block.shown.note.removesuffix('.md')!r} any "
            f"more. Edit that note by its own name, and leave {block.raw} here."
        )


def _is_shown(text: str, shown: Shown) -> bool:
    """Return whether an expansion shows this text: all of it, or its beginning and the line "Cut here"."""
    if text == shown.text.strip("\r\n"):
        return True
    beginning, _, last = text.rpartition("\n")
    cut = _CUT.fullmatch(last)
    end = int(cut[1]) - shown.begins if cut else 0
    return 0 < end < len(shown.text) and beginning.strip("\r\n") == shown.text[:end].strip("\r\n")


def _tokens(text: str, begins_line: bool, ends_line: bool) -> Iterator[_Token]:
    """Yield everything that has the form of a marker, in order."""
    if not any(part in text for part in _MARKER_PARTS):
        return
    at = 0
    while at <= len(text):
        newline = text.find("\n", at)
        stop = len(text) if newline < 0 else newline
        done = at
        if (at or begins_line) and (token := _end_token(text, at, stop)):
            yield token
            done = token.end
        if (newline >= 0 or ends_line) and (token := _start_token(text, done, stop)):
            yield token
        if newline < 0:
            return
        at = newline + 1


def _end_token(text: str, at: int, stop: int) -> _Token | None:
    bang = at
    while text.startswith("\\", bang, stop):
        bang += 1
    if not text.startswith("!", bang, stop):
        return None
    for match in itertools.islice(_LINK_END.finditer(text, bang + 1, min(stop, bang + _LONGEST + 3)), _MOST_TRIED):
        if _is_link(raw := text[bang + 1 : match.end()]):
            return _Token("end", at, match.end() + len("end"), bang - at, raw)
    return None


def _start_token(text: str, at: int, stop: int) -> _Token | None:
    if text.startswith("\r", stop - 1):
        stop -= 1
    word = stop - len("start")
    if word < at or not text.startswith("start", word):
        return None
    if text[word - 1] not in "])":
        return None
    begins = [match.start() for match in _LINK_BEGIN.finditer(text, max(at, word - _LONGEST), word)]
    for bang in begins[-_MOST_TRIED:]:
        if _is_link(raw := text[bang + 1 : word]):
            first = bang
            while first > at and text[first - 1] == "\\":
                first -= 1
            return _Token("start", first, stop, bang - first, raw)
    return None


@functools.lru_cache(maxsize=4096)  # it calls the slow parser, and many notes have the same links
def is_framable(raw: str) -> bool:
    """Return whether markers of this link would be read back as written; its label may look like a marker itself."""
    if not _is_link(raw):
        return False
    if "end" not in raw and "start" not in raw and "!" not in raw[1:]:
        return True
    opening, closing = f"!{raw}start", f"!{raw}end"
    first, last = _start_token(opening, 0, len(opening)), _end_token(closing, 0, len(closing))
    return first is not None and last is not None and first.raw == last.raw == raw


def _is_link(raw: str) -> bool:
    """Return whether the text is one link on one line, nothing else, and short enough for a marker."""
    return len(raw) < _LONGEST and raw.startswith(("[", "![")) and "\n" not in raw and whole_link(raw) is not None
