"""Notes that are never given to a model which has not asked for them."""

from typing import Any

from zkmem.markdown import frontmatter
from zkmem.markdown.properties import typed_properties

_PROPERTY = "private"
_SECRET = "knowledge_vault"  # noqa: S105 - the type of MIRIX's memories of credentials, and their folder


def is_private(path: str, data: bytes) -> bool:
    """Return whether a note has the property `private`, or is a secret of MIRIX, by its type or its folder.

    `private: false` and `private:` without a value do not count. A note whose properties cannot be read is private if
    they mention either word.
    """
    if _SECRET in path.lower().split("/")[:-1]:
        return True
    first, last, _ = frontmatter.split(data)
    head = data[first:last].decode(errors="replace").lower()
    if frontmatter.is_unclosed(data):
        head = data.decode(errors="replace").lower()
    if _PROPERTY not in head and _SECRET not in head:
        return False
    if frontmatter.fault(data) is not None:
        return True
    properties = {name.lower(): value for name, value in typed_properties(data).items()}
    return _says_yes(properties.get(_PROPERTY)) or _SECRET in _words(properties.get("type"))


def _says_yes(value: Any) -> bool:
    return value not in (None, False, "", []) and str(value).strip().lower() not in ("false", "no", "off")


def _words(value: Any) -> list[str]:
    return [str(one).strip().lower() for one in (value if isinstance(value, list) else [value])]
