"""Write observations and relations as list items: plainly if that reads back unchanged, else as JSON."""

import functools
import json
import re
from typing import NamedTuple

from zkmem.names import base_of, name_of
from zkmem.records.encoded_names import decoded, is_digest
from zkmem.records.pages import links_in
from zkmem.toolsets.kg.layout import Layout
from zkmem.util.characters import has_half

_UNSEEN = "\x7f-\xa0\u200b-\u200f\u2028-\u202f\ufeff"
_BREAKING = re.compile(f"%%|<!--|\\$\\$|[{_UNSEEN}]+")  # would hide what comes after it, or cannot be seen
_MARKUP = re.compile(rf"[\[\]%<>`$|*~^#&@{_UNSEEN}]+")
_EXACT = re.compile(r" %%(\{.*\})%%\Z")
_SHOWABLE = re.compile(r"[^\[\]|\\%`$<>*_~^#\n\r\t]+")
_JSON_KIND, _JSON_TARGET = "relationType", "to"


class WrittenRelation(NamedTuple):
    """A relation in a note: its type, its link's target, and the other entity's name if the target does not show it."""

    kind: str
    target: str
    name: str | None = None


def observation(text: str) -> str:
    """Return an observation as a list item."""
    plain = _item(text)
    return plain if _reads_back(plain, text) else _item(_json(text, _BREAKING))


def read_observation(text: str) -> str:
    """Return the observation in the text of a list item."""
    if text.startswith('"') and text.endswith('"'):
        try:
            value = json.loads(text)
        except ValueError:
            return text
        if isinstance(value, str) and not has_half(value):
            return value
    return text


def called(target: str) -> str:
    """Return the entity name for a target, or for the path of a note without `.md`."""
    return decoded(base_of(name_of(target.rstrip("/"))))


def relation(kind: str, target: str, name: str) -> str:
    """Return a relation to `name` as a list item; `target` is the target of its link."""
    is_clear = called(target) == name
    is_shown = target != name and _shows(target, name)
    shown = f"[[{target}|{name}]]" if is_shown else f"[[{target}]]"
    exact = {} if is_clear or (is_shown and is_digest(called(target), name)) else {_JSON_TARGET: name}
    plain = f"- {kind} {shown}" + (f" %%{_json(exact, _MARKUP)}%%" if exact else "")
    written = WrittenRelation(kind, target, None if is_clear else name)
    if "\n" not in plain and not _MARKUP.search(kind) and "\\" not in kind and read_relation(plain[2:]) == written:
        return plain
    return f"- {shown} %%{_json({_JSON_KIND: kind} | exact, _MARKUP)}%%"


@functools.lru_cache(maxsize=10_000)  # an edit reads each line of a note three times
def read_relation(text: str) -> WrittenRelation | None:
    """Return the relation in a list item: words, one wikilink, nothing after it. Return None for any other item."""
    exact = _exact(text)
    plain = text[: exact.start()] if exact else text
    links = links_in(plain)
    if "\n" in text or len(links) != 1 or links[0].end != len(plain) or not plain.endswith("]]"):
        return None
    link = links[0]
    values = json.loads(exact[1]) if exact else {}
    kind, name = values.get(_JSON_KIND), values.get(_JSON_TARGET)
    if name is None and link.display and is_digest(called(link.target), link.display):
        name = link.display
    return WrittenRelation(plain[: link.start].strip() if kind is None else kind, link.target, name)


def _exact(text: str) -> re.Match[str] | None:
    match = _EXACT.search(text)
    try:
        data = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return None
    values = list(data.values()) if isinstance(data, dict) else [None]
    return match if all(isinstance(value, str) and not has_half(value) for value in values) else None


def _item(text: str) -> str:
    """Return a text as a list item: lines after the first are indented, unless they are empty."""
    first, *more = text.split("\n")
    return "\n".join([f"- {first}", *(f"  {line}" if line else "" for line in more)])


def _reads_back(item: str, text: str) -> bool:
    if _BREAKING.search(text) or any(line != line.rstrip() or not line.isprintable() for line in text.split("\n")):
        return False
    items = Layout.of(f"{item}\n- x").observations.items
    return len(items) == 2 and read_observation(items[0].text) == text


def _shows(target: str, name: str) -> bool:
    links = links_in(f"[[{target}|{name}]]") if _SHOWABLE.fullmatch(name) else []
    return len(links) == 1 and links[0].target == target and name == name.strip() and name.isprintable()


def _json(value: object, escaped: re.Pattern[str]) -> str:
    """Return a value as JSON in which the characters that match `escaped` are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return escaped.sub(lambda match: "".join(f"\\u{ord(char):04x}" for char in match[0]), text)
