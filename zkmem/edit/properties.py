"""Plan to set properties of notes; all other bytes of them stay."""

from collections.abc import Iterable, Mapping
from typing import Any

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.write import check_text
from zkmem.errors import BadArgument, Unwritable
from zkmem.markdown import frontmatter
from zkmem.markdown.note import read_text, write_text
from zkmem.markdown.properties import changed, parts, typed
from zkmem.names import name_of

_LONGEST = 100_000  # characters of all values


def check_properties(properties: Mapping[str, Any]) -> None:
    """Check new values of properties: texts, numbers, true, false, lists of these, or None, which removes a property.

    Raises:
        BadArgument: when a value is something else, or a name is empty.
    """
    if not properties:
        raise BadArgument('`properties` is empty; give at least one, such as {"status": "done"}.')
    if len(str(properties)) > _LONGEST:
        raise BadArgument(f"The properties have more than {_LONGEST:,} characters.")
    for name, value in properties.items():
        check_text(name, "the name of a property")
        if not name.strip() or "\n" in name:
            raise BadArgument(f"{name!r} is no name for a property.")
        for one in value if isinstance(value, list) else [value]:
            if not (isinstance(one, str | int | float) or (one is None and not isinstance(value, list))):
                raise BadArgument(
                    f"The value of {name!r} must be a text, a number, true, false, null or a list of these."
                )
            if isinstance(one, str):
                check_text(one, name)


def plan_properties(view: View, paths: Iterable[str], properties: Mapping[str, Any]) -> Plan:
    """Plan to set some properties of the notes at some paths; None removes one.

    Raises:
        Unwritable: when the frontmatter of a note cannot be changed; the message names the note.
    """
    check_properties(properties)
    steps = []
    for path in paths:
        data = view.read(path)
        text = read_text(data)
        try:
            new = changed(text, properties)
            _check_types(new, properties)
        except Unwritable as error:
            raise Unwritable(f"The note {name_of(path)!r} cannot be edited. {error}") from None
        if (written := write_text(new, text)) != data:
            steps.append(Put(path, written, view.base(path)))
    return Plan(steps[0].path, "changed", tuple(steps)) if steps else Plan("", "unchanged", ())


def _check_types(text: str, properties: Mapping[str, Any]) -> None:
    """Check that a text has the new values, with their types.

    Raises:
        Unwritable: when it has not.
    """
    source = parts(read_text(text.encode(errors="surrogateescape"))).source
    known = typed(frontmatter.compose(source) if source.strip() else None, len(source))
    for name, value in properties.items():
        if known.get(name) != (None if value == [] else value):
            raise Unwritable(f"Its property {name!r} cannot be set; edit it by hand.")
