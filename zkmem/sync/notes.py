"""Merge the changes of two sides into one note. No line of the body that a side added or changed is lost.

The frontmatter is merged key by key.
"""

import itertools
import operator
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import yaml

from zkmem.edit.merge import merged
from zkmem.markdown import frontmatter
from zkmem.markdown.callouts import ABOVE, CalloutLines, find_callouts, with_callouts
from zkmem.markdown.dates import is_earlier
from zkmem.markdown.labels import NewNames, told_apart, untangled
from zkmem.markdown.links import as_utf8
from zkmem.markdown.note import Text, body_of, read_text, write_text
from zkmem.markdown.properties import parts
from zkmem.markdown.rewrite import apply
from zkmem.sync.additions import pieces_by_section
from zkmem.util.alignment import is_horizontal_rule
from zkmem.util.threeway import hunks
from zkmem.util.union import pieces

_T = TypeVar("_T")


class MergedNote(NamedTuple):
    """The bytes of a merged note, and whether it has a new conflict callout."""

    data: bytes
    in_conflict: bool = False


class MergedProperties(NamedTuple):
    """The source of the merged frontmatter, and the lines of one side that lost a conflict, for a callout."""

    source: str
    set_aside: list[str]


def merged_note(base: bytes, first: bytes, second: bytes, title: str) -> MergedNote:
    """Return a note with the changes of both sides since the base; an empty base stands for no note.

    Frontmatter is merged key by key and the body line by line: see `merged_properties` and `util.union.pieces`. If both
    sides changed the same lines, the note has the second side's lines, and below them a callout with this title and the
    first side's lines.

    The result depends on the arguments alone: machines that pass the same sides in the same order get the same note.
    """
    if second in {first, base}:
        return MergedNote(first)
    if base == first:
        return MergedNote(second)
    texts = [read_text(data) for data in (base, first, second)]
    sides = [parts(text) for text in texts]
    head = _merged_frontmatter(*(side.source for side in sides))
    bodies = [side.body for side in sides]
    bodies[1] = _told_apart(*bodies)
    lines, conflicts = _merged_lines(*map(_lines, bodies))
    if head.set_aside:
        conflicts.insert(0, CalloutLines(ABOVE, head.set_aside))
    body = with_callouts(lines, conflicts, title)
    ended = _changed_value(*(side.body.endswith("\n") for side in sides))
    like = Text("", _changed_value(*(text.bom for text in texts)), _changed_value(*(text.crlf for text in texts)))
    return MergedNote(_written(head.source, body, like, ended=ended), bool(conflicts))


def text_with_both(base: str, mine: str, theirs: str, title: str) -> str:
    """Return a text with the changes of both sides; see `merged_note`. Callouts have their lines of conflicts."""
    first, second, third = (text.encode() for text in (base, theirs, mine))
    return read_text(merged_note(first, second, third, title).data).shown


def joined_note(note: bytes, added: bytes, title: str) -> MergedNote:
    """Return two notes as one, as the tool that merges notes makes it: the text of `added` is below that of `note`.

    Footnotes, labels and block ids that both have are renamed in `added`. The lines of its frontmatter that the result
    lacks, because `note` has other values, stand in a callout with this title.
    """
    if note == added:
        return MergedNote(note)
    start = frontmatter.split(added)[2]
    splices = untangled(_readable(added), _readable(note), operator.eq).splices
    data = merged(note, added[:start] + apply(added[start:], splices))
    properties = merged_properties("", *(parts(read_text(each)).source for each in (added, note)))
    if properties is None or not properties.set_aside:
        return MergedNote(data)
    text = read_text(data)
    both = parts(text)
    lines = with_callouts(_lines(both.body), [CalloutLines(ABOVE, properties.set_aside)], title)
    return MergedNote(_written(both.source, lines, text, ended=both.body.endswith("\n")), in_conflict=True)


def as_merged(text: bytes, names: NewNames) -> bytes:
    """Return a note with the names that its footnotes, labels and block ids got when it was merged into another."""
    start = frontmatter.split(text)[2]
    return text[:start] + apply(text[start:], names.splices(_readable(text)))


def names_after_merge(lost: bytes, target: bytes) -> NewNames:
    """Return the names that the tool gives to the footnotes, labels and block ids of a note that it merges."""
    return untangled(_readable(lost), _readable(target), operator.eq).names


def _readable(note: bytes) -> bytes:
    """Return the body of a note as UTF-8 of the same length."""
    return as_utf8(body_of(note))


def _written(source: str, lines: Sequence[str], like: Text, *, ended: bool) -> bytes:
    """Return the bytes of a note. `source`: its frontmatter; `ended`: whether the last line has a line end."""
    rest = "\n".join(lines) + "\n" * bool(lines and ended)
    text = f"---\n{source}---\n{rest}" if source else rest
    if not source and parts(Text(rest)).body != rest:  # it would be read as frontmatter
        text = f"---\n---\n{rest}"
    return write_text(text, like)


def _told_apart(base: str, first: str, second: str) -> str:
    """Return the first body, in which new footnotes, labels and block ids of both have other names."""
    if not all("^" in body or "]:" in body for body in (first, second)):
        return first
    data = [body.encode(errors="surrogateescape") for body in (first, second, base)]
    return apply(data[0], told_apart(*map(as_utf8, data))).decode(errors="surrogateescape")


def _merged_frontmatter(base: str, first: str, second: str) -> MergedProperties:
    """Return the merged frontmatter. If it cannot be read key by key, it is one value."""
    merged = merged_properties(base, first, second)
    if merged is None:
        source = _changed_value(base, first, second)
        both = first not in {base, second} and second != base
        merged = MergedProperties(source, first.rstrip().split("\n") if both and first.strip() else [])
    return merged


def _merged_lines(
    base: Sequence[str], first: Sequence[str], second: Sequence[str]
) -> tuple[list[str], list[CalloutLines]]:
    """Return the merged lines and the conflicts. Each conflict is at the last of the second side's lines.

    A conflict callout is one unit: if one side removed or moved it and the other edited it, all of it stays.
    """
    sides = [_units(lines) for lines in (base, first, second)]
    _merge_edited_callouts(*sides)
    neighbours = {pair for units in sides for pair in itertools.pairwise(units)}
    lines: list[str] = []
    conflicts: list[CalloutLines] = []
    last = ""
    for piece in pieces_by_section(*sides):
        for unit in piece.lines:
            are_new_neighbours = last.strip() and unit.strip() and (last, unit) not in neighbours
            if are_new_neighbours and ("\n" in last + unit or is_horizontal_rule(unit)):
                lines.append("")  # a callout would take up the line below it; `---` makes a heading of the line above
            lines += unit.split("\n")
            last = unit
        if any(unit.strip() for unit in piece.first_lines):
            conflicts.append(CalloutLines(len(lines) - 1, "\n".join(piece.first_lines).split("\n")))
    return lines, conflicts


def _units(lines: Sequence[str]) -> list[str]:
    """Return the lines; the lines of each conflict callout are one string, joined by line ends."""
    units: list[str] = []
    at = 0
    for callout in find_callouts(lines):
        units += [*lines[at : callout.lines.start], "\n".join(lines[callout.lines.start : callout.lines.stop])]
        at = callout.lines.stop
    return [*units, *lines[at:]]


def _merge_edited_callouts(base: list[str], first: list[str], second: list[str]) -> None:
    """Merge the lines of each callout that both sides edited, and put the result into all three texts.

    A callout whose lines are in conflict is left as each side has it.
    """
    if not any("\n" in unit for unit in base):
        return
    others = _edited_callouts(base, second)
    for at, number in _edited_callouts(base, first).items():
        if at in others:
            units = (base[at], first[number], second[others[at]])
            merged = pieces(*(unit.split("\n") for unit in units), levels={})
            if not any(piece.first_lines for piece in merged):
                lines = [line for piece in merged for line in piece.lines]
                base[at] = first[number] = second[others[at]] = "\n".join(lines)


def _edited_callouts(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    """Return the callouts that a side edited: index of the unit in the base -> index in the side.

    If a hunk has more callouts on one side than on the other, a callout is known by its title, unless another one there
    has the same title. All others stay whole.
    """
    edited: dict[int, int] = {}
    removed: list[int] = []
    added: list[int] = []
    grown = 0  # how many more units the side has than the base, up to here
    for hunk in hunks(base, side):
        old = [at for at in range(hunk.start, hunk.end) if "\n" in base[at]]
        new = [at for at, unit in enumerate(hunk.lines, hunk.start + grown) if "\n" in unit]
        if len(old) == len(new):
            edited |= zip(old, new, strict=True)
        else:
            removed += old
            added += new
        grown += len(hunk.lines) - (hunk.end - hunk.start)
    places = _by_title(side, added)
    return edited | {at: places[title] for title, at in _by_title(base, removed).items() if title in places}


def _by_title(units: Sequence[str], places: Sequence[int]) -> dict[str, int]:
    """Return the callouts at some places by their titles, without those that have equal titles."""
    titles = [units[at].partition("\n")[0] for at in places]
    return {title: at for title, at in zip(titles, places, strict=True) if titles.count(title) == 1}


def _lines(body: str) -> list[str]:
    """Return the lines of a body without their line ends. After the last line end there is no other line."""
    return body.removesuffix("\n").split("\n") if body else []


def _changed_value(base: _T, first: _T, second: _T) -> _T:
    """Return the value of the side that changed it; the second side's if both did."""
    return first if second == base else second


_ANCHOR = re.compile(r"(?:^|[\s\[{,:?-])[&*]\w", re.MULTILINE)  # or an alias: a few of them can make a huge value
_MOST_ITEMS = 1_000  # a longer list is merged as one value


class _Entry(NamedTuple):
    """A key of a frontmatter, with its value."""

    source: str  # with all lines up to the next key
    below: str  # the comments below the value
    key: str  # as written
    node: yaml.Node  # of the value

    @property
    def value(self) -> object:
        return frontmatter.value_of(self.node)

    @property
    def scalar(self) -> str | None:
        """The value as it is written, "" if it is null or empty; None for a list or a mapping."""
        if not self.node.value or self.node.tag == "tag:yaml.org,2002:null":
            return ""
        return self.node.value if isinstance(self.node, yaml.ScalarNode) else None

    @property
    def is_plain_list(self) -> bool:
        """Whether the value is a list of moderate length without comments between its items."""
        is_list = isinstance(self.node, yaml.SequenceNode) and len(self.node.value) <= _MOST_ITEMS
        return is_list and "#" not in self.source.removesuffix(self.below)


class _Source(NamedTuple):
    """A frontmatter: the comments above the first key, and the entries by key."""

    lead: str
    entries: Mapping[object, _Entry]


def merged_properties(base: str, first: str, second: str) -> MergedProperties | None:
    """Return the frontmatter with the changes of both sides; None if one of the three cannot be read key by key.

    - A list has each value once; items that a side added are added, and items that a side removed are removed.
    - A key that one side removed and the other changed stays as changed.
    - If both sides set a key to different values, or changed its comments, `source` has the lines of one side, and
      `set_aside` those of the other.
    """
    try:
        sides = [_read(source) for source in (base, first, second)]
        old, one, other = sides
        if old is None or one is None or other is None:
            return None
        merged = _merged(old, one, other)
        result = _read(merged.source)
        kept_keys = {
            key for key in (*one.entries, *other.entries) if _stays(key, old.entries, one.entries, other.entries)
        }
        return merged if result is not None and set(result.entries) == kept_keys else None
    except RecursionError:  # the values are nested very deep
        return None


def gives_way(key: str, value: str, other: str) -> bool:
    """Return whether one side's value of a new key gives way to the other side's, so that they are no conflict.

    An empty value does, and of two times at which a note was created the later one.
    """
    return not value.strip() or is_earlier(key, other, value)


def _merged(base: _Source, first: _Source, second: _Source) -> MergedProperties:
    old, one, other = base.entries, first.entries, second.entries
    source, lost = _chosen(base.lead, first.lead, second.lead)
    for key in dict.fromkeys((*old, *one, *other)):
        if not _stays(key, old, one, other):
            continue
        was, mine, theirs = old.get(key), one.get(key), other.get(key)
        if mine is None or theirs is None:
            source += "".join(entry.source for entry in (mine, theirs) if entry)
        elif _are_lists(was, mine, theirs):
            source += _merged_list(was, mine, theirs)
        else:
            stands, gone = _one_of(was, mine, theirs)
            source += stands.source
            lost += gone.source.rstrip().split("\n") if gone else []
    return MergedProperties(source, lost)


def _stays(
    key: object, old: Mapping[object, _Entry], one: Mapping[object, _Entry], other: Mapping[object, _Entry]
) -> bool:
    """Return whether a key is in the merged frontmatter: both sides have it, or one does and has changed it.

    A new comment at the key is a change; another spelling of the same value is not.
    """
    present, was = [side[key] for side in (one, other) if key in side], old.get(key)
    if len(present) != 1:
        return bool(present)
    has_comment = "#" in present[0].source and (was is None or present[0].source != was.source)
    return has_comment or not _same(was, present[0])


def _are_lists(was: _Entry | None, first: _Entry, second: _Entry) -> bool:
    """Return whether both sides changed a list, in different ways."""
    plain = all(entry is None or entry.is_plain_list for entry in (was, first, second))
    return plain and not (_same(was, first) or _same(was, second) or _same(first, second))


def _one_of(was: _Entry | None, first: _Entry, second: _Entry) -> tuple[_Entry, _Entry | None]:
    """Return the entry that stays in the frontmatter, and the other entry if its changes would be lost, else None.

    The entry of the side that changed the value stays; if both did, the second side's. See also `gives_way`.
    """
    old = was.source if was else ""
    by_first = _same(was, second) and not (_same(first, second) and second.source != old)
    by_first |= not _same(first, second) and _gives_way(was, second, first)
    stands, other = (first, second) if by_first else (second, first)
    alike = (_same(first, second) or _gives_way(was, other, stands)) and "#" not in other.source
    return stands, None if alike or other.source in {old, stands.source} else other


def _gives_way(was: _Entry | None, entry: _Entry, other: _Entry) -> bool:
    """Return whether an entry of a new key gives way to the other side's."""
    return was is None and entry.scalar is not None and gives_way(entry.key, entry.scalar, other.scalar or "")


def _chosen(base: str, first: str, second: str) -> tuple[str, list[str]]:
    """Return the text of the side that changed it. If both did, return the second side's and the first's lines."""
    if second == base:
        return first, []
    return second, first.rstrip().split("\n") if first not in {base, second} and first.strip() else []


def _read(source: str) -> _Source | None:
    """Return a frontmatter; None unless it is a block mapping with different keys and without anchors."""
    source = source if not source or source.endswith("\n") else source + "\n"
    root = None if _ANCHOR.search(source) else frontmatter.compose(source)
    if root is None and frontmatter.is_comment(source):
        return _Source(source, {})
    if not isinstance(root, yaml.MappingNode) or root.flow_style or root.start_mark.column:
        return None
    starts = [key.start_mark.index for key, _ in root.value]
    entries: dict[object, _Entry] = {}
    for (key, node), start, end in zip(root.value, starts, [*starts[1:], len(source)], strict=True):
        whole = source[start:end]
        name = source[key.start_mark.index : key.end_mark.index]
        entries[frontmatter.value_of(key)] = _Entry(whole, frontmatter.comments_below(whole), name, node)
    return _Source(source[: starts[0]], entries) if len(entries) == len(root.value) else None


def _same(one: _Entry | None, other: _Entry | None) -> bool:
    return (one and one.value) == (other and other.value)


def _merged_list(was: _Entry | None, first: _Entry, second: _Entry) -> str:
    """Return the source of a list that both sides changed."""
    old, one, other = (_items(entry) for entry in (was, first, second))
    values = [value for value in other if value not in old or value in one]
    values += [value for value in one if value not in old and value not in other]
    items = [frontmatter.one_line((other | one)[value]) or "null" for value in values]
    flow = not items or (isinstance(second.node, yaml.SequenceNode) and second.node.flow_style)
    text = f" [{', '.join(items)}]\n" if flow else "\n" + "".join(f"  - {item}\n" for item in items)
    return f"{second.key}:{text}{second.below or first.below}"


def _items(entry: _Entry | None) -> dict[object, yaml.Node]:
    """Return the items of a list by their values; none for any other value."""
    items: Sequence[yaml.Node] = entry.node.value if entry and isinstance(entry.node, yaml.SequenceNode) else ()
    return {frontmatter.value_of(item): item for item in items}
