"""Which note is a name's, and how a link to a name is spelled."""

from zkmem.errors import Taken
from zkmem.names import fold, is_note
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import encodings
from zkmem.toolsets.kg.graph import Graph


class NotePaths:
    """The places of names in one draft: what it gives to one name, no other name gets."""

    def __init__(self, draft: Draft, graph: Graph) -> None:
        self._draft = draft
        self._graph = graph
        self._given: dict[str, str] = {}  # names, by folded target
        self._targets: dict[str, str] = {}

    def note(self, name: str) -> str:
        """The path of the note for a name: its record's, the plain note's that has the name, or a free one in the root.

        Raises:
            Taken: when there is none.
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
            Taken: when there is none.
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
        """The file that would be taken for a note of this target."""
        return next(iter(self._draft.at(f"{part}.md")), None) or self._draft.resolve(part, sure=True)

    def _may_have(self, part: str, name: str) -> bool:
        """Whether a target is free for a name, which has it then."""
        free = self._graph.is_free(self._draft, part, name)
        return free and self._given.setdefault(fold(part), name) == name

    def _is_called(self, path: str, name: str) -> bool:
        page = self._draft.page(path) if is_note(path) else None
        return page is not None and page.name == name
