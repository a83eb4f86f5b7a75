"""Read the fields of a note, by which queries filter and sort: its tags, properties and date."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import yaml

from zkmem.markdown.dates import Dated, dated
from zkmem.markdown.properties import typed
from zkmem.markdown.tags import KEYS, inline_tags, listed_tags


class Fields(NamedTuple):
    """The fields of a note."""

    date: Dated
    tags: list[str]  # without `#`, as written, each once whatever its case; those of the properties first
    properties: Mapping[str, Any]  # with JSON's types


def fields_of(path: str, tree: yaml.Node | None, length: int, body: bytes) -> Fields:
    """Return the fields of a note. `tree`, `length`: the YAML of its frontmatter, and the characters of its source."""
    properties = typed(tree, length)
    listed = (listed_tags(value) for name, value in properties.items() if name.lower() in KEYS)
    once: dict[str, str] = {}
    for tag in [*chain.from_iterable(listed), *inline_tags(body)]:
        once.setdefault(tag.lower(), tag)
    return Fields(dated(path, tree), list(once.values()), properties)
