"""Plan to change links that lead to no note, or to no heading or block of a note."""

from zkmem.edit.links import shortest_target
from zkmem.edit.plan import Plan, Put, View
from zkmem.edit.write import check_text, plan_write
from zkmem.errors import BadArgument, BadName, Inexpressible, TooLarge
from zkmem.index.graph import MISSING
from zkmem.index.lookup import find_note, free_path
from zkmem.index.resolve import anchored, cleaned, is_anchored, missing_key, resolve
from zkmem.markdown.links import Link, find_links
from zkmem.markdown.rewrite import Splice, apply, retarget
from zkmem.names import base_of, fold, is_note, name_of, path_of


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
    """Plan to create, empty, the missing note that a link with this target in the note at `source` stands for.

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
        wanted = [number for number, link in enumerate(links) if self._is_meant(link, source)]
        new = apply(data, [splice for number in wanted for splice in self._splices(data, links[number], source)])
        after = find_links(new)
        if len(after) != len(links) or not all(self._leads_there(after[number], source) for number in wanted):
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
    wanted = [number for number, link in enumerate(links) if (link.target, link.subpath) == (target, subpath)]
    if not wanted:
        raise BadArgument(f"{name_of(path)!r} has no link to {target + subpath!r} now; try again.")
    splices = [splice for number in wanted for splice in retarget(data, links[number], None, None, new_subpath)]
    new = apply(data, splices)
    after = find_links(new)
    if len(after) != len(links) or any(after[number].subpath != new_subpath for number in wanted):
        raise Inexpressible(f"A link of {name_of(path)!r} cannot be changed in place; edit the note by hand.")
    return Plan(path, "changed", (Put(path, new, view.base(path)),))
