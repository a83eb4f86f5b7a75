"""Read the fields of a note, by which queries filter and sort: its tags, properties, date and boxes of tasks."""

import re
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyromark

from zkmem.markdown.dates import Dated, dated
from zkmem.markdown.frontmatter import TAGS
from zkmem.markdown.links import OPTIONS, as_text, body_links, events
from zkmem.markdown.properties import typed
from zkmem.markdown.tags import inline_tags, listed_tags

if TYPE_CHECKING:
    import yaml

_BOX = re.compile(rb"\[[ xX]\]\s")
_WITH_TASKS = OPTIONS | pyromark.Options.ENABLE_TASKLISTS


class Fields(NamedTuple):
    """The fields of a note."""

    date: Dated
    tags: list[str]  # without `#`, as written, each once whatever its case; those of the properties first
    properties: Mapping[str, Any]  # with JSON's types
    tasks: int  # boxes, `[ ]` or `[x]`
    open_tasks: int  # empty boxes
    embeds: list[str]  # the targets of its embeds, each once


def fields_of(path: str, nodes: "Mapping[str, yaml.Node]", length: int, body: bytes) -> Fields:
    """Return the fields of a note. `nodes`: the values of its properties; `length`: the characters of their source."""
    properties = typed(nodes, length)
    listed = (listed_tags(value) for name, value in properties.items() if name.lower() in TAGS)
    once: dict[str, str] = {}
    for tag in [*chain.from_iterable(listed), *inline_tags(body)]:
        once.setdefault(tag.lower(), tag)
    boxes = _boxes(body)
    return Fields(dated(path, nodes), list(once.values()), properties, len(boxes), boxes.count(False), _embeds(body))


def _embeds(body: bytes) -> list[str]:
    if b"![" not in body:
        return []
    return list(dict.fromkeys(link.target for link in body_links(body) if link.embed))


def _boxes(body: bytes) -> list[bool]:
    """Return whether each box of a task in a body is ticked."""
    if not _BOX.search(body):
        return []
    parsed = events(as_text(body), _WITH_TASKS)
    return [event["TaskListMarker"] for event, _ in parsed if isinstance(event, dict) and "TaskListMarker" in event]
