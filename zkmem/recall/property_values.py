"""The properties of a note as a person reads them: lists, links, tags and web addresses are told apart from text."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from zkmem.index.catalog import Catalog
from zkmem.index.lookup import name_for
from zkmem.index.resolve import resolve
from zkmem.markdown.frontmatter import LISTS, TAGS
from zkmem.markdown.links import whole_link
from zkmem.markdown.tags import listed_tags
from zkmem.names import is_attachment, is_note

_LONGEST = 500  # characters of an item
_MOST = 200  # items of a property
_LONGEST_EDITED = 10_000  # characters of an item that is edited in a field
_LARGEST = 2**53  # a number that JavaScript keeps
_ALIASES = {"aliases", "alias"}
_DECLARED: Mapping[str, "PropertyType"] = {
    "number": "number", "checkbox": "checkbox", "date": "date", "datetime": "datetime",
}  # fmt: skip
_DATES: Mapping["PropertyType", re.Pattern[str]] = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "datetime": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?"),
}
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
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


PropertyType = Literal["text", "number", "checkbox", "date", "datetime", "list", "tags", "aliases", "other"]


class EditableValue(NamedTuple):
    """How a person edits a property: its type in Obsidian, and its whole value; None for `other`, edited as text."""

    type: PropertyType = "other"
    value: str | float | bool | list[str | float | bool] | None = None


def editable_value(key: str, value: Any, declared: str) -> EditableValue:
    """Return how a person edits a property with this value. `declared`: its type in Obsidian's settings, or empty.

    The declared type counts if the value is empty or can be of that type.
    """
    name, is_empty = key.lower(), value is None or value == ""
    if isinstance(value, str) and name in TAGS:
        value = listed_tags(value)
    elif not isinstance(value, list) and (name in LISTS or (declared == "multitext" and is_empty)):
        value = [] if is_empty else [value]
    if isinstance(value, list):
        kind: PropertyType = "tags" if name in TAGS else "aliases" if name in _ALIASES else "list"
        return EditableValue(kind, value) if len(value) <= _MOST and all(map(_is_short, value)) else EditableValue()
    if is_empty:
        return EditableValue(_DECLARED.get(declared, "text"), "")
    if not _is_short(value):
        return EditableValue()
    if isinstance(value, str):
        dates = [] if declared == "text" else [kind for kind, form in _DATES.items() if form.fullmatch(value)]
        return EditableValue(dates[0] if dates else "text", value)
    return EditableValue("checkbox" if isinstance(value, bool) else "number", value)


def _is_short(value: Any) -> bool:
    """Return whether a value is a scalar that a field of one line can show and give back."""
    if isinstance(value, str):
        return len(value) <= _LONGEST_EDITED and not _BREAKS.search(value)
    return isinstance(value, int | float) and abs(value) <= _LARGEST


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
