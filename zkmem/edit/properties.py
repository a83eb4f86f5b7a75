"""Plan to set properties of notes; all other bytes of them stay."""

from collections.abc import Iterable, Mapping
from typing import Any

from zkmem.edit.plan import Plan, Put, View
from zkmem.errors import BadArgument, Unwritable
from zkmem.markdown.note import read_text, write_text
from zkmem.markdown.properties import changed, parts, typed_properties
from zkmem.names import check_text, name_of

_LONGEST = 100_000  # characters of all values
_LARGEST = 1e100  # a larger number has an exponent of three digits, which is not read as a number


def check_properties(properties: Mapping[str, Any]) -> None:
    """Check new values of properties: texts, numbers, true, false, lists of these, or None, which removes a property.

    Raises:
        BadArgument: when a value is something else, or a name is empty.
    """
    if not properties:
        raise BadArgument('`properties` is empty; give at least one, such as {"status": "done"}.')
    for name, value in properties.items():
        check_text(name, "the name of a property")
        if not name.strip() or "\n" in name:
            raise BadArgument(f"A property cannot have the name {name!r}; give a name of one line that is not blank.")
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
    if len(str(properties)) > _LONGEST:
        raise BadArgument(f"The properties have more than {_LONGEST:,} characters.")


def plan_properties(view: View, paths: Iterable[str], properties: Mapping[str, Any]) -> Plan:
    """Plan to set some properties of the notes at some paths; None removes one.

    The case of a name does not count, as in Obsidian. The note keeps the case that it has.

    Raises:
        Unwritable: when the frontmatter of a note cannot be changed; the message names the note.
    """
    check_properties(properties)
    steps = []
    for path in paths:
        data = view.read(path)
        text = read_text(data)
        try:
            own = _spelled(properties, parts(text).properties or {})
            new = changed(text, own)
            _check_types(new, own)
        except Unwritable as error:
            raise Unwritable(f"The note {name_of(path)!r} cannot be edited. {error}") from None
        if (written := write_text(new, text)) != data:
            steps.append(Put(path, written, view.base(path)))
    return Plan(steps[0].path, "changed", tuple(steps)) if steps else Plan("", "unchanged", ())


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
