"""The names that a note gives to its own parts: footnotes, reference labels and block ids.

Two texts that are merged may both use a name. `untangled` renames it in one of them. `structure` can be compared
before and after, to check that both are still read alike. All texts are bodies in UTF-8, without frontmatter.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pyromark

from zkmem.markdown.links import OPTIONS, events, is_parsed
from zkmem.markdown.rewrite import Splice
from zkmem.markdown.sections import Outline

_SHOWN = 3
BY_LABEL = {"Reference", "Collapsed", "Shortcut"}
"""The parser's kinds of links that name a label: `[text][label]`, `[label][]` and `[label]`."""

_COMMENT = {"", "#"}  # people write comments as `[//]: # (text)`; a text may define that label many times

Same = Callable[[str, str], bool]
"""(destination in the added text, destination in the other text) -> whether they mean the same."""


class NewNames(NamedTuple):
    """The names of a text that are renamed: old to new."""

    footnotes: Mapping[str, str]
    labels: Mapping[str, str]
    ids: Mapping[str, str]  # block ids, in lower case

    def splices(self, body: bytes, own: "_Labels | None" = None, outline: Outline | None = None) -> list[Splice]:
        """Return the changes that rename them in a text. `own`, `outline`: what was read of it already."""
        own, outline = own or _Labels(body), outline or Outline(body)
        definitions = ((own.definitions.get(old), new) for old, new in self.labels.items())
        return [
            *_renamed(own.footnotes_at, self.footnotes),
            *_renamed(own.uses, self.labels),
            *(_renamed_definition(body, definition, new) for definition, new in definitions if definition),
            *(Splice(one.start, one.end, self.ids[one.text].encode()) for one in outline.ids() if one.text in self.ids),
        ]


class Untangled(NamedTuple):
    """The changes after which a text has no name in common with another text."""

    splices: list[Splice]
    left_out: frozenset[str]  # labels whose definitions are removed, since the other text has them too
    names: NewNames
    remarks: list[str]  # what was renamed or left out

    @property
    def ids(self) -> Mapping[str, str]:
        """The renamed block ids: old to new, in lower case."""
        return self.names.ids


class _Label(NamedTuple):
    """A name in a text, and the range of its bytes."""

    text: str
    start: int
    end: int
    lead: bytes = b""  # bytes that a new name needs before and after it
    tail: bytes = b""


class _Labels:
    """The footnotes and reference labels of a body."""

    def __init__(self, body: bytes) -> None:
        self.definitions = _definitions(body)
        self.footnotes: dict[str, str] = {}  # by key, as written
        self.footnotes_at: list[_Label] = []
        self.footnote_texts: dict[str, bytes] = {}  # the definitions, by key
        self.uses: list[_Label] = []  # uses of reference labels
        for event, span in events(body.decode()):
            if type(event) is not dict:
                continue
            start = event.get("Start")
            footnote = event.get("FootnoteReference") or (type(start) is dict and start.get("FootnoteDefinition"))
            if footnote:
                at = body.index(b"[^", span["start"]) + 2
                if type(start) is dict:
                    self.footnote_texts[label_key(footnote)] = body[span["start"] : span["end"]].strip()
                self.footnotes[label_key(footnote)] = footnote
                self.footnotes_at.append(_Label(footnote, at, body.index(b"]", at)))
            elif type(start) is dict and (link := start.get("Link") or start.get("Image")):
                self.uses.extend(_use(body, link, span["start"], span["end"]))

    def define(self, other: bytes) -> Iterator[str]:
        """Yield the labels of this text that the other text would use if both were in one file."""
        stubs = [f"[^{label}]: x\n\n" for label in self.footnotes.values()]
        stubs += [f"[{each['label']}]: x\n\n" for each in self.definitions.values()]
        if stubs:
            text = other.rstrip(b"\n")
            both = _Labels(text + b"\n\n" + "".join(stubs).encode())
            yield from ("^" + label_key(each.text) for each in both.footnotes_at if each.start < len(text))
            yield from (label_key(each.text) for each in both.uses if each.start < len(text))


def _definitions(body: bytes) -> dict[str, Any]:
    if not is_parsed(body):
        return {}
    definitions = pyromark.reference_definitions(body.decode(), options=OPTIONS)
    return {label_key(label): {**each, "label": label} for label, each in definitions.items()}


def label_key(label: str) -> str:
    """Return the form in which labels are compared."""
    return " ".join(label.split()).casefold()


def _use(body: bytes, link: dict[str, Any], start: int, end: int) -> Iterator[_Label]:
    """Yield the use of a reference label by a link or image: `[text][label]`, `[label][]` or `[label]`."""
    kind, label = link["link_type"], link["id"]
    if str(kind) not in BY_LABEL:
        return
    if kind == "Reference":
        yield _Label(label, body.rindex(b"[", start, end) + 1, end - 1)
    elif kind == "Collapsed":  # the parser's range may leave out the brackets at the end
        at = end if body.startswith(b"[]", end) else end - 2
        yield _Label(label, at + 1, at + 1)
    else:
        yield _Label(label, end, end, b"[", b"]")


def untangled(added: bytes, kept: bytes, same: Same) -> Untangled:
    """Return the changes to the text `added` after which it has no name in common with `kept`.

    If both define a reference label with the same meaning, only the definition in `kept` stays.
    """
    mine, theirs = _Labels(added), _Labels(kept)
    shared = set(mine.define(kept)) | {"^" + one for one in theirs.footnotes} | set(theirs.definitions)
    footnotes = _new_names([one for one in mine.footnotes if "^" + one in shared], mine.footnotes, theirs.footnotes)
    alike = {one for one in mine.definitions if one in theirs.definitions and _alike(mine, theirs, one, same)}
    clashing = [one for one in mine.definitions if one in shared and one not in alike]
    labels = _new_names(clashing, mine.definitions, theirs.definitions)
    outline = Outline(added)
    own_ids, their_ids = (dict.fromkeys(one.text for one in each.ids()) for each in (outline, Outline(kept)))
    ids = _new_names([one for one in own_ids if one in their_ids], own_ids, their_ids)
    comments = {one for one in alike if mine.definitions[one]["dest"] in _COMMENT}
    names = NewNames(footnotes, labels, ids)
    splices = [
        *names.splices(added, mine, outline),
        *(_without(added, mine.definitions[one]) for one in alike - comments),
    ]
    remarks = [
        *_remark("footnote", "^", footnotes),
        *_remark("label", "", labels),
        *_remark("block id", "^", ids),
    ]
    return Untangled(splices, frozenset(mine.definitions[one]["label"] for one in alike), names, remarks)


def told_apart(first: bytes, second: bytes, base: bytes) -> list[Splice]:
    """Return the changes to a text after which it has no name in common with another text that means something else.

    Only names count that both texts have since `base`, such as two new footnotes `[^1]`.
    """
    mine, theirs, old = (_Labels(text) for text in (first, second, base))
    footnotes = _new_names(
        [
            one
            for one, text in mine.footnote_texts.items()
            if one not in old.footnotes and theirs.footnote_texts.get(one, text) != text
        ],
        *(each.footnotes for each in (mine, theirs, old)),
    )
    labels = _new_names(
        [
            one
            for one in mine.definitions
            if one in theirs.definitions and one not in old.definitions and _meaning(mine, one) != _meaning(theirs, one)
        ],
        *(each.definitions for each in (mine, theirs, old)),
    )
    outlines = [Outline(text) for text in (first, second, base)]
    own_ids, their_ids, old_ids = ({one.text: one for one in outline.ids()} for outline in outlines)
    clashing = [
        name
        for name, one in own_ids.items()
        if name in their_ids and name not in old_ids and _line(first, one.start) != _line(second, their_ids[name].start)
    ]
    names = NewNames(footnotes, labels, _new_names(clashing, own_ids, their_ids, old_ids))
    return names.splices(first, mine, outlines[0])


def _meaning(labels: _Labels, label: str) -> tuple[str, str]:
    definition = labels.definitions[label]
    return ("", "") if definition["dest"] in _COMMENT else (definition["dest"], definition["title"])


def _line(body: bytes, at: int) -> bytes:
    """Return the line at an offset."""
    return body[body.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]


def _alike(mine: _Labels, theirs: _Labels, label: str, same: Same) -> bool:
    one, other = mine.definitions[label], theirs.definitions[label]
    if one["dest"] in _COMMENT and other["dest"] in _COMMENT:
        return True
    return bool(one["title"] == other["title"]) and same(one["dest"], other["dest"])


def _new_names(names: Iterable[str], *taken: Iterable[str]) -> dict[str, str]:
    """Return an unused name for each of these names; for a number, the next unused number."""
    used = set(itertools.chain(*taken))
    new: dict[str, str] = {}
    for name in names:
        new[name] = next(one for one in _like(name) if one not in used)
        used.add(new[name])
    return new


def _like(name: str) -> Iterator[str]:
    if name.isascii() and name.isdecimal():
        yield from map(str, itertools.count(int(name) + 1))
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _renamed(labels: list[_Label], new: Mapping[str, str]) -> Iterator[Splice]:
    for one in labels:
        if label := new.get(label_key(one.text)):
            yield Splice(one.start, one.end, one.lead + label.encode() + one.tail)


def _renamed_definition(body: bytes, definition: Mapping[str, Any], label: str) -> Splice:
    at = body.index(b"[", definition["span"]["start"]) + 1
    return Splice(at, body.index(b"]:", at), label.encode())


def _without(body: bytes, definition: Mapping[str, Any]) -> Splice:
    """Return the splice that removes a definition, and its line if nothing else is on it."""
    start, end = definition["span"]["start"], definition["span"]["end"]
    line_end = body.find(b"\n", end)
    alone = not body[body.rfind(b"\n", 0, start) + 1 : start].strip() and not body[end:line_end].strip()
    if line_end >= 0 and alone:
        end = line_end + 1
    return Splice(start, end, b"")


def _remark(what: str, mark: str, renamed: Mapping[str, str]) -> Iterator[str]:
    if renamed:
        shown = [f"{mark}{old} is now {mark}{new}" for old, new in itertools.islice(renamed.items(), _SHOWN)]
        more = f" and {len(renamed) - _SHOWN} more" if len(renamed) > _SHOWN else ""
        yield f"{what}{'s' if len(renamed) > 1 else ''} {', '.join(shown)}{more}"


def structure(body: bytes, meaning: Callable[[str], Hashable]) -> list[Hashable]:
    """Return the elements of a body without their text, so that bodies of the same structure compare equal.

    `meaning` resolves the destination of a reference label. A use of a footnote is returned as the distance to its
    definition.
    """
    result: list[Any] = []
    defined: dict[str, int] = {}
    for event, _ in events(body.decode()):
        kind, about = _kind(event)
        if kind in {"Link", "Image"}:
            result.append((kind, meaning(about["dest_url"]) if str(about["link_type"]) in BY_LABEL else None))
        elif kind == "FootnoteDefinition":
            defined.setdefault(label_key(about), len(result))
            result.append(kind)
        elif kind == "FootnoteReference":
            result.append((kind, label_key(about)))
        elif kind not in {"Text", "SoftBreak"}:
            result.append((kind, about["level"]) if kind == "Heading" else kind)
    return [
        (one[0], defined.get(one[1], at) - at) if one[0] == "FootnoteReference" else one
        for at, one in enumerate(result)
    ]


def _kind(event: Any) -> tuple[str, Any]:
    """Return the kind of an event, or of the element that the event begins, and its other data."""
    if type(event) is dict and "Start" in event:
        event = event["Start"]
    return next(iter(event.items())) if type(event) is dict else (event, None)
