"""Merge a canvas that two sides changed, by its nodes and edges."""

import json
from collections.abc import Mapping
from typing import Any

_LISTS = {"nodes", "edges"}


def merged_canvas(base: bytes, first: bytes, second: bytes) -> bytes:
    """Return a canvas with the changes of both sides.

    If both changed a node or an edge, the result has the second side's version. If one side removed it and the other
    changed it, it stays. If both sides changed the text and one of them is not a canvas, return the other, or the first
    side's text if neither is a canvas.
    """
    if first in {second, base} or second == base:
        return first if second == base else second
    old, one, other = (_read(data) for data in (base, first, second))
    if one is None or other is None:
        return second if other is not None else first
    result = _merged(old or {}, one, other)
    for key in _LISTS & result.keys():
        items = [_by_id(canvas.get(key)) for canvas in (old or {}, one, other)]
        if any(by_id is None for by_id in items):
            continue
        result[key] = list(_merged(*(by_id or {} for by_id in items)).values())
    return json.dumps(result, ensure_ascii=False, indent="\t").encode(errors="surrogatepass")


def _merged(base: Mapping[str, Any], first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
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
        canvas = json.loads(data.decode("utf-8-sig")) if data else {}
    except (ValueError, RecursionError):
        return None
    return canvas if isinstance(canvas, dict) else None


def _by_id(items: object) -> dict[str, Any] | None:
    """Return nodes or edges by their ids; None if one has no id, or two have the same id."""
    if items is None:
        return {}
    if not isinstance(items, list):
        return None
    found = {one["id"]: one for one in items if isinstance(one, dict) and isinstance(one.get("id"), str)}
    return found if len(found) == len(items) else None
