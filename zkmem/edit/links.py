"""Plan to turn a passage into a link, and to change where links lead: those with one target, and broken ones."""

import re
from collections.abc import Iterable

from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.write import base_text, plan_write, put, with_fallout
from zkmem.errors import BadArgument, BadName, Inexpressible, NoPassage, TooLarge
from zkmem.index.graph import MISSING
from zkmem.index.lookup import find_note, free_path, known_note, name_for, shortest
from zkmem.index.resolve import anchored, cleaned, is_anchored, missing_key, resolve
from zkmem.markdown.frontmatter import BOM
from zkmem.markdown.links import Link, find_links
from zkmem.markdown.note import read_text, write_text
from zkmem.markdown.rewrite import Splice, apply, has_bar, retarget
from zkmem.names import base_of, check_text, fold, is_note, name_of, path_of

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
    pattern = _BLANKS.pattern.join(map(re.escape, _BLANKS.split(passage)))  # a list of mentions shows each as one line
    match = re.match(pattern, data[start:].decode(errors="surrogateescape")) if passage else None
    if not match:
        raise NoPassage(f"{name_of(path)!r} does not have the passage {passage[:80]!r} there; read the note again.")
    passage, spelled = match[0], shortest_target(view, target, path)
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
    numbers = [
        number
        for number, one in enumerate(links)
        if fold(cleaned(one.target)) == fold(cleaned(target)) and resolve(view.catalog, one.target, path) != (aim, ())
    ]
    if not numbers:
        return None
    splices = [splice for number in numbers for splice in _splices(view, data, links[number], path, aim)]
    new = apply(data, splices)
    after = find_links(new)
    if len(after) != len(links) or any(_meant(view, after[number], path) != aim for number in numbers):
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


def plan_rename_missing(view: View, source: str, target: str, new_name: str) -> Plan:
    """Plan to give every link to a missing note another target: the name of a note, or of another missing one.

    `target`: that of a link in the note at `source`, which leads to no note.

    Raises:
        BadArgument: when the link leads to a file. AmbiguousName, BadName: when the new name does not mean exactly one
            note, or is not allowed. Inexpressible: when a link cannot be changed in place.
    """
    check_text(new_name, "the new name")
    if resolve(view.catalog, target, source).path is not None:
        raise BadArgument(f"There is a file {target!r} by now; try again.")
    to = find_note(view.catalog, new_name)
    name = name_of(to or free_path(view.catalog, new_name))
    if not to and view.catalog.pages:  # links have the title of the page, not the path of its file
        name = cleaned(name_of(new_name)).removeprefix("/")
    renaming = _MissingNote(view, missing_key(target, source), to, name)
    sources = {source, *view.links.leading(MISSING + renaming.key), *view.unindexed}
    return renaming.plan(sorted(filter(is_note, sources)))


def plan_create_missing(view: View, source: str, target: str) -> Plan:
    """Plan to create an empty note for the missing note that a link with this target in the note at `source` means.

    Raises:
        BadArgument: when the link leads to a file. BadName, Taken: when no note can have the name.
    """
    if resolve(view.catalog, target, source).path is not None:
        raise BadArgument(f"There is a file {target!r} by now; try again.")
    written = cleaned(target)
    path = anchored(written, source) if is_anchored(written) else written
    if path is None:
        raise BadName(target, "it leads out of the vault")
    is_title = view.catalog.pages and not is_anchored(written)
    return plan_write(view, name_of(path) if is_title else f"/{name_of(path)}", "")


class _MissingNote:
    """Changes the links to a missing note."""

    def __init__(self, view: View, key: str, to: str | None, name: str) -> None:
        """`key`: see `missing_key`; `to`: the path of the note that the links get, None if it is missing, too."""
        self._view, self.key, self._to, self._name = view, key, to, name

    def plan(self, sources: list[str]) -> Plan:
        """Return the plan to change the links of some notes."""
        steps = []
        for source in sources:
            try:
                data = self._view.read(source)
            except TooLarge:  # its links are not known; `check` lists it
                continue
            new = self._changed(data, source)
            if new != data:
                steps.append(Put(source, new, self._view.base(source)))
        about = steps[0].path if steps else ""
        return Plan(about, "changed" if steps else "unchanged", tuple(steps), tuple(step.path for step in steps))

    def _changed(self, data: bytes, source: str) -> bytes:
        links = find_links(data)
        numbers = [number for number, link in enumerate(links) if self._is_meant(link, source)]
        new = apply(data, [splice for number in numbers for splice in self._splices(data, links[number], source)])
        after = find_links(new)
        if len(after) != len(links) or not all(self._leads_there(after[number], source) for number in numbers):
            raise Inexpressible(f"A link of {name_of(source)!r} cannot be changed in place; edit the note by hand.")
        return new

    def _is_meant(self, link: Link, source: str) -> bool:
        is_missing = link.counts_when_missing and missing_key(link.target, source) == self.key
        return is_missing and resolve(self._view.catalog, link.target, source).path is None

    def _splices(self, data: bytes, link: Link, source: str) -> list[Splice]:
        written = shortest_target(self._view, self._to, source) if self._to else self._name
        is_named = link.display is not None and fold(link.display) == base_of(self.key)
        shown = base_of(self._name) if is_named and not link.embed else None
        return retarget(data, link, written if link.kind == "wiki" else path_of(written), shown)

    def _leads_there(self, link: Link, source: str) -> bool:
        path = resolve(self._view.catalog, link.target, source).path
        return path == self._to and (path is not None or missing_key(link.target, source) == fold(self._name))


def plan_other_part(view: View, path: str, target: str, subpath: str, new_subpath: str) -> Plan:
    """Plan to point the links of a note with this target and subpath to another heading or block of their note.

    Raises:
        BadArgument: when the note has no such link. Inexpressible: when one cannot be changed in place.
    """
    check_text(new_subpath, "the new heading")
    data = view.read(path)
    links = find_links(data)
    numbers = [number for number, link in enumerate(links) if (link.target, link.subpath) == (target, subpath)]
    if not numbers:
        raise BadArgument(f"{name_of(path)!r} has no link to {target + subpath!r} now; try again.")
    splices = [splice for number in numbers for splice in retarget(data, links[number], None, None, new_subpath)]
    new = apply(data, splices)
    after = find_links(new)
    if len(after) != len(links) or any(after[number].subpath != new_subpath for number in numbers):
        raise Inexpressible(f"A link of {name_of(path)!r} cannot be changed in place; edit the note by hand.")
    return Plan(path, "changed", (Put(path, new, view.base(path)),))
