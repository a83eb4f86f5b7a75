"""Find the note for the name of an entity, and the target of a link to it."""

from zkmem.errors import Taken
from zkmem.names import fold, is_note
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import encodings
from zkmem.toolsets.kg.graph import Graph


class NotePaths:
    """The note paths and link targets of names in one draft. Each name gets its own."""

    def __init__(self, draft: Draft, graph: Graph) -> None:
        self._draft = draft
        self._graph = graph
        self._given: dict[str, str] = {}  # names, by folded target
        self._targets: dict[str, str] = {}

    def note(self, name: str) -> str:
        """Return the path of the note for a name: its record, else a plain note of that name, else a free path.

        Raises:
            Taken: when no path is free.
        """
        if records := self._graph.named(name):
            return records[0].path
        for part in encodings(name):
            there = self._there(part)
            if there is None and self._may_have(part, name):
                return f"{part}.md"
            if there is not None and self._is_called(there, name):
                return there
        raise Taken(f"Other notes have every path that the entity {name!r} could be kept at; rename one of them.")

    def target(self, name: str) -> str:
        """Return the target of a link to a name.

        Raises:
            Taken: when every possible target leads to another note.
        """
        if name not in self._targets:
            self._targets[name] = self._target(name)
        return self._targets[name]

    def _target(self, name: str) -> str:
        if records := self._graph.named(name):
            return self._draft.link(records[0].path)
        for part in encodings(name):
            there = self._there(part)
            if there is None and self._may_have(part, name):
                return part
            if there is not None and self._is_called(there, name):
                return self._draft.link(there)
        raise Taken(f"No link could mean {name!r}: notes with other names take every spelling; rename one of them.")

    def _there(self, part: str) -> str | None:
        """Return the existing file that a note `part` would collide with, or that a link `part` would lead to."""
        return next(iter(self._draft.at(f"{part}.md")), None) or self._draft.resolve(part, sure=True)

    def _may_have(self, part: str, name: str) -> bool:
        """Return whether a target is free for a name, and reserve it if so."""
        free = self._graph.is_free(self._draft, part, name)
        return free and self._given.setdefault(fold(part), name) == name

    def _is_called(self, path: str, name: str) -> bool:
        page = self._draft.page(path) if is_note(path) else None
        return page is not None and page.name == name
