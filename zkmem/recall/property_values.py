"""The properties of a note as a person reads them: lists, links, tags and web addresses are told apart from text."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.markdown.frontmatter import TAGS
from zkmem.markdown.links import whole_link
from zkmem.markdown.tags import listed_tags
from zkmem.names import is_attachment, is_note

_LONGEST = 500  # characters of an item
_MOST = 200  # items of a property
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


class PropertyItem(NamedTuple):
    """One value of a property. `target` is the name of a note, the path of a file, a tag, or an address.

    `written` is the target as the property has it.
    """

    text: str
    kind: Literal["text", "note", "missing", "file", "gone", "tag", "address"] = "text"
    target: str = ""
    subpath: str = ""
    written: str = ""

    def limited(self, reaches: Callable[[str], bool]) -> "PropertyItem":
        """Return the item for a reader who may know only of what `reaches` returns true for."""
        hidden = self.kind in {"note", "file"} and not reaches(self.target)
        return _missing(self.text, self.written) if hidden else self


class Property(NamedTuple):
    """A property: its key, whether it is a list, and its first 200 items."""

    key: str
    is_list: bool
    items: list[PropertyItem]

    def limited(self, reaches: Callable[[str], bool]) -> "Property":
        """Return the property for a reader who may know only of what `reaches` returns true for."""
        return self._replace(items=[item.limited(reaches) for item in self.items])


def property_values(catalog: Catalog, source: str, properties: Mapping[str, Any]) -> list[Property]:
    """Return the properties of the note at the path `source`."""
    return [_property(catalog, source, key, value) for key, value in properties.items()]


def _property(catalog: Catalog, source: str, key: str, value: Any) -> Property:
    if key.lower() in TAGS and (tags := listed_tags(value)):
        return Property(key, True, [PropertyItem(shortened(tag), "tag", tag) for tag in tags[:_MOST]])
    is_list = isinstance(value, list)
    items = [_item(catalog, source, one) for one in (value[:_MOST] if is_list else [value])]
    return Property(key, is_list, items)


def _item(catalog: Catalog, source: str, value: Any) -> PropertyItem:
    if not isinstance(value, str):
        return PropertyItem("" if value is None else shortened(json.dumps(value, ensure_ascii=False)))
    if _ADDRESS.fullmatch(value):
        return PropertyItem(shortened(value), "address", value)
    link = whole_link(value)
    if link is None:
        return PropertyItem(shortened(value))
    text = shortened((link.display or "").strip() or link.target + link.subpath)
    path = resolve(catalog, link.target, source).path
    if path is None:
        return _missing(text, link.target)
    if is_note(path):
        return PropertyItem(text, "note", name_for(catalog, path), link.subpath, link.target)
    return PropertyItem(text, "file", path, "", link.target)


def _missing(text: str, target: str) -> PropertyItem:
    """Return the item for a link to nothing: `gone` if it names a file that no note can be."""
    return PropertyItem(text, "gone" if is_attachment(target) else "missing", target, "", target)


def shown_value(value: Any) -> str:
    """Return the value of a property as one line of limited length."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return shortened(", ".join(value))
    return shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def shortened(text: str) -> str:
    """Return the beginning of a text, with dots if that is not all."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
