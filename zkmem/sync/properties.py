"""Merge the frontmatter that two sides changed, key by key."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import yaml

from zkmem.markdown import frontmatter
from zkmem.markdown.dates import is_earlier

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


class MergedProperties(NamedTuple):
    """The source of the merged frontmatter, and the lines of one side that lost a conflict, for a callout."""

    source: str
    set_aside: list[str]


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
        wanted = {key for key in (*one.entries, *other.entries) if _stays(key, old.entries, one.entries, other.entries)}
        return merged if result is not None and set(result.entries) == wanted else None
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
