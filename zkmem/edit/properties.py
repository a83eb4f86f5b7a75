"""Plan to set properties of notes; all other bytes of them stay."""

from collections.abc import Iterable, Mapping
from typing import Any

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.write import base_version
from zkmem.errors import BadArgument, StaleEtag, Unwritable
from zkmem.markdown.note import Text, read_text, write_text
from zkmem.markdown.properties import changed, parts, typed_properties, with_name
from zkmem.names import check_text, name_of

_LONGEST = 100_000  # characters of all values
_LARGEST = 1e100  # a larger number has an exponent of three digits, which is not read as a number


def check_properties(properties: Mapping[str, Any], renames: Mapping[str, str] = {}) -> None:
    """Check new values of properties: texts, numbers, true, false, lists of these, or None, which removes a property.

    `renames`: new names of other properties, by the old ones.

    Raises:
        BadArgument: when a value is something else, or a name is empty.
    """
    if not properties and not renames:
        raise BadArgument('`properties` is empty; give at least one, such as {"status": "done"}.')
    for name in (*properties, *renames, *renames.values()):
        check_text(name, "the name of a property")
        if not name.strip() or "\n" in name:
            raise BadArgument(f"A property cannot have the name {name!r}; give a name of one line that is not blank.")
    for name, value in properties.items():
        if [other.lower() for other in properties].count(name.lower()) > 1:
            raise BadArgument(f"Two names differ only in case: {name!r}. Give one of them.")
        for one in value if isinstance(value, list) else [value]:
            if not (isinstance(one, str | int | float) or (one is None and not isinstance(value, list))):
                raise BadArgument(
                    f"The value of {name!r} must be a text, a number, true, false, null or a list of these."
                )
            if isinstance(one, int | float) and not abs(one) < _LARGEST:
                raise BadArgument(f"The value of {name!r} is too large a number; write it as a text.")
            if isinstance(one, str):
                check_text(one, name)
    if len(str(properties)) + len(str(renames)) > _LONGEST:
        raise BadArgument(f"The properties have more than {_LONGEST:,} characters.")


def plan_properties(
    view: View,
    paths: Iterable[str],
    properties: Mapping[str, Any],
    renames: Mapping[str, str] = {},
    etag: str | None = None,
) -> Plan:
    """Plan to set some properties of the notes at some paths, and to rename others; None removes one.

    The case of a name does not count, as in Obsidian. The note keeps the case that it has. With an `etag`, the
    properties must have the values of the text with it.

    Raises:
        BadArgument: when a note has a property with a new name already. StaleEtag: when a property has changed since.
        Unwritable: when the frontmatter of a note cannot be changed; the message names the note.
    """
    steps = []
    for path in paths:
        data = view.read(path)
        text = read_text(data)
        if etag is not None:
            _check_unchanged(view, path, etag, [*properties, *renames])
        try:
            own = _spelled(properties, parts(text).properties or {})
            new = changed(_renamed(text, renames), own)
            _check_types(new, own)
        except (BadArgument, Unwritable) as error:
            raise type(error)(f"The note {name_of(path)!r} cannot be edited. {error}") from None
        if (written := write_text(new, text)) != data:
            steps.append(Put(path, written, view.base(path)))
    return Plan(steps[0].path, "changed", tuple(steps)) if steps else Plan("", "unchanged", ())


def _check_unchanged(view: View, path: str, etag: str, names: Iterable[str]) -> None:
    """Check that some properties of a note have the values that they had in the text with an etag."""
    was, now = (_folded(typed_properties(data)) for data in (base_version(view, path, etag).data, view.read(path)))
    for name in names:
        if was.get(name.lower()) != now.get(name.lower()):
            raise StaleEtag(
                f"The property {name!r} of {name_of(path)!r} has another value since; look at it, and change it again.",
                view.base(path),
            )


def _folded(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name.lower(): value for name, value in properties.items()}


def _renamed(text: Text, renames: Mapping[str, str]) -> Text:
    """Return the text of a note in which some properties have other names, at the same places."""
    for old, new in renames.items():
        known = parts(text).properties or {}
        [own] = _spelled({old: None}, known)
        if own not in known:
            raise BadArgument(f"It has no property {old!r}.")
        if any(name != own and name.lower() == new.lower() for name in known):
            raise BadArgument(f"It has a property {new!r} already; choose another name.")
        text = text._replace(text=with_name(text, own, new))
    return text


def _spelled(properties: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return properties under the names that a note has for them already."""
    exact, any_case = set(known), {name.lower(): name for name in known}
    return {name if name in exact else any_case.get(name.lower(), name): value for name, value in properties.items()}


def _check_types(text: str, properties: Mapping[str, Any]) -> None:
    """Check that a text has the new values, with their types."""
    known = typed_properties(text.encode(errors="surrogateescape"))
    for name, value in properties.items():
        if known.get(name) != value:
            raise Unwritable(f"Its property {name!r} cannot be set; edit it by hand.")
