"""Plan to turn a passage into a link, and to point links with one target to another note."""

import re
from collections.abc import Iterable

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.write import base_text, check_text, put, with_fallout
from zkmem.errors import BadArgument, Inexpressible, NoPassage
from zkmem.index.lookup import known_note, name_for, shortest
from zkmem.index.resolve import cleaned, resolve
from zkmem.markdown.frontmatter import BOM
from zkmem.markdown.links import Link, find_links
from zkmem.markdown.note import read_text, write_text
from zkmem.markdown.rewrite import Splice, apply, has_bar, retarget
from zkmem.names import base_of, fold, name_of, path_of

_BLANKS = re.compile(r"[^\S\n]+")


def plan_link(view: View, name: str, passage: str, start: int, to: str, etag: str) -> Plan:
    """Plan to turn a passage, which begins at the byte `start` of a note's text, into a link to the note `to`.

    The note may have other blanks between the words of the passage.

    Raises:
        UnknownNote, AmbiguousName: when a name does not mean exactly one note. StaleEtag: as for `plan_write`.
        NoPassage: when the text does not have the passage there. Inexpressible: when a link cannot stand there.
    """
    check_text(passage, "passage")
    path, target = known_note(view.catalog, name), known_note(view.catalog, to)
    base = base_text(view, path, etag)
    data = base.text.shown.encode()
    wanted = _BLANKS.pattern.join(map(re.escape, _BLANKS.split(passage)))  # a list of mentions shows each as one line
    found = re.match(wanted, data[start:].decode(errors="surrogateescape")) if passage else None
    if not found:
        raise NoPassage(f"{name_of(path)!r} does not have the passage {passage[:80]!r} there; read the note again.")
    passage, spelled = found[0], shortest_target(view, target, path)
    bar = "\\|" if has_bar(data, start) else "|"  # in a row of a table, a bar ends the cell
    link = f"[[{spelled}]]" if passage == spelled else f"[[{spelled}{bar}{passage}]]"
    new = apply(data, [Splice(start, start + len(passage.encode()), link.encode())])
    if not any(one.start == start and _meant(view, one, path) == target for one in find_links(new)):
        raise Inexpressible(f"A link is impossible at this place in {name_of(path)!r}; edit the note by hand.")
    plan = put(view, path, base, new.decode(), "changed")
    return with_fallout(view, plan, view.read(path))


def plan_link_range(view: View, path: str, start: int, end: int, to: str) -> Plan:
    """Plan to turn the bytes `start`..`end` of the note at `path` into a link to the note at `to`: see `plan_link`."""
    data, crlf = view.read(path), read_text(view.read(path)).crlf
    before, passage = (part.replace(b"\r\n", b"\n") if crlf else part for part in (data[:start], data[start:end]))
    source, aim = (name_for(view.catalog, one) for one in (path, to))
    at = len(before.removeprefix(BOM))
    return plan_link(view, source, passage.decode(errors="replace"), at, aim, view.base(path))


def plan_repoint(view: View, names: Iterable[str], target: str, to: str) -> Plan:
    """Plan to point the links of some notes from `target` to the note `to`. A link keeps its display text.

    Raises:
        UnknownNote, AmbiguousName: when a name does not mean exactly one note. BadArgument: when no link has the
            target. Inexpressible: when a link cannot be changed in place.
    """
    check_text(target, "target")
    aim = known_note(view.catalog, to)
    return plan_repoint_at(view, dict.fromkeys(known_note(view.catalog, name) for name in names), target, aim)


def plan_repoint_at(view: View, paths: Iterable[str], target: str, aim: str) -> Plan:
    """Plan what `plan_repoint` does in notes at some paths, which may not be saved yet. `aim`: the path of a note."""
    steps = [step for path in paths if (step := _repointed(view, path, target, aim))]
    if not steps:
        raise BadArgument(f"None of these notes has a link to {target!r} that could mean another note; look again.")
    return Plan(steps[0].path, "changed", tuple(steps), relinked=tuple(step.path for step in steps))


def _repointed(view: View, path: str, target: str, aim: str) -> Put | None:
    """Return the step that changes the links of one note; None if it has no such link."""
    text = read_text(view.read(path))
    data = text.shown.encode()
    links = find_links(data)
    wanted = [
        number
        for number, one in enumerate(links)
        if fold(cleaned(one.target)) == fold(cleaned(target)) and resolve(view.catalog, one.target, path) != (aim, ())
    ]
    if not wanted:
        return None
    splices = [splice for number in wanted for splice in _splices(view, data, links[number], path, aim)]
    new = apply(data, splices)
    after = find_links(new)
    if len(after) != len(links) or any(_meant(view, after[number], path) != aim for number in wanted):
        raise Inexpressible(f"A link of {name_of(path)!r} cannot be changed in place; edit the note by hand.")
    return Put(path, write_text(new.decode(), text), view.base(path))


def _splices(view: View, data: bytes, link: Link, path: str, aim: str) -> list[Splice]:
    spelled = shortest_target(view, aim, path)
    if link.kind != "wiki":
        return retarget(data, link, path_of(spelled))
    is_plain = link.display is None and not link.subpath and not link.embed and not has_bar(data, link.start)
    shown = f"|{link.target}" if is_plain and fold(base_of(link.target)) != fold(base_of(spelled)) else ""
    return retarget(data, link, spelled + shown)


def shortest_target(view: View, path: str, source: str) -> str:
    """Return the shortest target that means the file at a path, in the note at `source`.

    Raises:
        Inexpressible: when no target means it.
    """
    spelled = shortest(view.catalog, path, source)
    if spelled is not None:
        return spelled
    name = name_of(path)
    raise Inexpressible(f"No link in {name_of(source)!r} could mean {name!r}; rename one of the two notes.")


def _meant(view: View, link: Link, source: str) -> str | None:
    return resolve(view.catalog, link.target, source).path
