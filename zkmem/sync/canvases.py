"""Merge a canvas that two sides changed, by its nodes and edges."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

_LISTS = {"nodes", "edges"}


def merged_canvas(base: bytes, first: bytes, second: bytes) -> bytes | None:
    """Return a canvas with the changes of both sides; None if that cannot be read or written without a loss.

    If both changed a node or an edge, the result has the second side's version. If one side removed it and the other
    changed it, it stays. Nodes and edges are known by their ids. One whose id is missing or not unique is known by its
    whole content: if both sides changed it, the result has both versions.
    """
    if first in {second, base} or second == base:
        return first if second == base else second
    canvases = [_read(data) for data in (base, first, second)]
    if any(canvas is None for canvas in canvases):
        return None
    old, one, other = (canvas or {} for canvas in canvases)
    result = _merged(old, one, other)
    for key in _LISTS & result.keys():
        items = [canvas.get(key, []) for canvas in (old, one, other)]
        if not all(isinstance(each, list) for each in items):
            return None
        result[key] = list(_merged(*_by_key(items)).values())
    try:
        # half of a character stays escaped
        return json.dumps(result, ensure_ascii=False, allow_nan=False, indent="\t").encode(errors="backslashreplace")
    except (ValueError, RecursionError):  # a number such as 1e400, which JSON can hold and a float cannot
        return None


def _merged(base: Mapping[Any, Any], first: Mapping[Any, Any], second: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a mapping with the changes of both sides."""
    result = {}
    for key in dict.fromkeys((*base, *first, *second)):
        values = [side[key] for side in (first, second) if key in side]
        if len(values) == 1 and key in base and values[0] == base[key]:
            continue  # one side removed it, and the other did not change it
        if values:
            result[key] = values[0] if key in base and values[-1] == base[key] else values[-1]
    return result


def _read(data: bytes) -> dict[str, Any] | None:
    """Return the canvas; None if the text is not one."""
    try:
        canvas = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_members) if data else {}
    except (ValueError, RecursionError):
        return None
    return canvas if isinstance(canvas, dict) else None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is there twice")
    return members


def _by_key(lists: list[list[Any]]) -> Iterator[dict[object, Any]]:
    """Yield the nodes or edges of the base and of both sides by their id, or by their content and a number."""
    ids = [Counter(map(_id, items)) for items in lists]
    old, one, other = ({_id(item): item for item in items} for items in lists)
    clash = {key for key in one.keys() & other.keys() - old.keys() if one[key] != other[key]}
    shared = {key for count in ids for key in count if count[key] > 1} | clash | {None}
    for items in lists:
        by_key: dict[object, Any] = {}
        seen: Counter[str] = Counter()
        for item in items:
            key: object = _id(item)
            if key in shared:
                text = json.dumps(item, sort_keys=True)
                key = (text, seen[text])
                seen[text] += 1
            by_key[key] = item
        yield by_key


def _id(item: object) -> str | None:
    """Return the id of a node or an edge; None if it has none."""
    item_id = item.get("id") if isinstance(item, dict) else None
    return item_id if isinstance(item_id, str) else None
