"""The methods of a memory for text editors, which make the edits themselves.

Each returns what the editor must change. Nothing is written: the editor shows the changes, and the person saves them.
`texts` are the texts of the documents that are open in the editor, by path; they count instead of those on the disk.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from zkmem.edit.extract import plan_extract_range
from zkmem.edit.files import plan_move_files
from zkmem.edit.links import plan_create_missing, plan_link_range, plan_other_part, plan_rename_missing, plan_repoint_at
from zkmem.edit.merge import plan_merge
from zkmem.edit.parts import Renamable, plan_rename_block, plan_rename_heading, plan_rename_titled, renamable_at
from zkmem.edit.plan import Plan, Planner, View
from zkmem.edit.preview import EditorEdit
from zkmem.edit.rename import plan_editor_moves, plan_rename_at
from zkmem.edit.write import plan_resolve
from zkmem.errors import CannotInEditor, UnknownNote
from zkmem.index.lookup import name_for
from zkmem.index.session import Freshness
from zkmem.markdown.callouts import CalloutRange, conflict_at
from zkmem.memory.base import MemoryBase
from zkmem.names import fold, is_note, name_of
from zkmem.recall import suggested
from zkmem.search.places import aliases, misspelt_alias
from zkmem.vault.files import Read

Texts = Mapping[str, bytes]

_MERGING = "write a link to it, and choose to merge this note into it in the actions for the link."
_ALIASES = 20  # the most that are compared with a target
_SUGGESTED = 3
_NONE: Texts = MappingProxyType({})


class EditorEdits(MemoryBase):
    """The edits that a text editor makes."""

    def renamable(self, path: str, data: bytes, offset: int, read: Read) -> Renamable | None:
        """Return what can be renamed at a byte of the note at `path`, which has the text `data`: see `renamable_at`."""
        return self._with_links(lambda index: renamable_at(index.catalog, path, data, offset, read), Freshness.EDITS)

    def rename(self, path: str, new_name: str, *, titles: bool = False, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that renames the note at a path to a free name, and updates every link.

        `titles`: also change its first heading and its property `title`, each if it is the name of the note.
        """

        def plan(view: View) -> Plan:
            note = _note(view, path)
            planner = plan_rename_titled if titles else plan_rename_at
            return planner(view, note, new_name, _MERGING)

        return self._for_editor(plan, texts, Freshness.FILES)

    def merge(self, path: str, into: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that appends the note at a path to another note, and moves its file to the trash."""
        return self._for_editor(
            lambda view: plan_merge(view, _note(view, path), _note(view, into)), texts, Freshness.FILES
        )

    def move(self, moves: Mapping[str, str], *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit of links that goes with moves of files and folders: old path -> new path."""
        return self._for_editor(lambda view: plan_editor_moves(view, moves), texts, Freshness.FILES)

    def rename_file(self, path: str, new_path: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that renames a file which is no note, and updates every link: see `plan_move_files`."""
        return self._for_editor(lambda view: plan_move_files(view, path, new_path), texts, Freshness.FILES)

    def resolve(self, path: str, number: int, *, other: bool, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that removes a conflict callout of a note: see `plan_resolve`."""

        def plan(view: View) -> Plan:
            name = name_for(view.catalog, _note(view, path))
            return plan_resolve(view, name, number, other=other, etag=None)

        return self._for_editor(plan, texts)

    @staticmethod
    def conflict_at(data: bytes, offset: int) -> CalloutRange | None:
        """Return the conflict callout at a byte of a text; None if there is none."""
        return conflict_at(data, offset)

    def rename_heading(self, path: str, number: int, text: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that gives a heading another text, and updates every link: see `plan_rename_heading`.

        `number`: of the heading among all headings of the note, from 0.
        """
        return self._for_editor(
            lambda view: plan_rename_heading(view, _note(view, path), number, text), texts, Freshness.FILES
        )

    def rename_block(self, path: str, block_id: str, new_id: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that gives a block of a note another id, and updates every link: see `plan_rename_block`."""
        return self._for_editor(
            lambda view: plan_rename_block(view, _note(view, path), block_id, new_id), texts, Freshness.FILES
        )

    def rename_missing(self, source: str, target: str, new_name: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that gives every link to a missing note another target: see `plan_rename_missing`."""
        return self._for_editor(
            lambda view: plan_rename_missing(view, source, target, new_name), texts, Freshness.FILES
        )

    def create_missing(self, source: str, target: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that creates the missing note which a link in the note at `source` stands for."""
        return self._for_editor(lambda view: plan_create_missing(view, source, target), texts)

    def extract(self, path: str, start: int, end: int, new_name: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that moves a range of a note's bytes to a new note: see `plan_extract_range`."""
        return self._for_editor(lambda view: plan_extract_range(view, _note(view, path), start, end, new_name), texts)

    def repoint(self, path: str, target: str, to: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that points the links of a note with one target to the note at `to`: see `plan_repoint_at`.

        The note with the links may be only in the editor.
        """

        def plan(view: View) -> Plan:
            source = path if path in view.unindexed else _note(view, path)
            return plan_repoint_at(view, [source], target, _note(view, to))

        return self._for_editor(plan, texts)

    def repoint_part(
        self, path: str, target: str, subpath: str, new_subpath: str, *, texts: Texts = _NONE
    ) -> EditorEdit:
        """Return the edit that points links of a note to another heading or block: see `plan_other_part`."""
        return self._for_editor(lambda view: plan_other_part(view, path, target, subpath, new_subpath), texts)

    def link(self, path: str, start: int, end: int, to: str, *, texts: Texts = _NONE) -> EditorEdit:
        """Return the edit that turns a range of bytes into a link to the note at `to`: see `plan_link_range`."""
        return self._for_editor(
            lambda view: plan_link_range(view, _note(view, path), start, end, _note(view, to)), texts
        )

    def notes_like(self, target: str) -> list[str]:
        """Return the paths of notes that a link to nothing may mean: its target is their alias, or misspells a name."""
        search = self._engine.search
        known = search.glance(lambda connection: aliases(connection, target, _ALIASES)) or []
        own = [one.name for one in known if fold(one.text) == fold(target)]
        alike = search.glance(lambda connection: misspelt_alias(connection, target, _SUGGESTED)) or []
        catalog, bases = self._with_names(lambda index: (index.catalog, list(index.catalog.bases())))
        paths = (*own, suggested.note_like(catalog, bases, target), *(one.name for one in alike))
        return list(dict.fromkeys(filter(None, paths)))[:_SUGGESTED]

    def namesakes(self, path: str) -> list[str]:
        """Return the paths of other notes whose names have the same last part as that of a note."""
        return self._with_names(lambda index: suggested.namesakes(index.catalog, path))

    def note_named(self, text: str) -> str | None:
        """Return the path of the only note that has a text as its name; None if there is none."""
        return self._with_names(lambda index: suggested.note_named(index.catalog, text))

    @staticmethod
    def part_like(data: bytes, subpath: str) -> str | None:
        """Return the subpath of the heading or block that a subpath to none probably means; or None."""
        return suggested.part_like(data, subpath)

    def passage_name(self, path: str, data: bytes, start: int, end: int) -> str:
        """Return a free name for a passage of a note's text: its heading or its first words."""
        return self._with_names(lambda index: suggested.passage_name(index.catalog, path, data, start, end))

    def take_in(self, paths: Collection[str]) -> None:
        """Compare some files and folders with the index at once, because another program says that it changed them."""
        self._engine.session.prepare(Freshness.LINKS, self._caller.progress)
        self._engine.live.take_in(paths)

    def _for_editor(self, planner: Planner, texts: Texts, freshness: Freshness = Freshness.EDITS) -> EditorEdit:
        with self._rights.errors():
            return self._engine.editor.for_editor(planner, texts, freshness)


def _note(view: View, path: str) -> str:
    """Return the path of a note."""
    if path in view.unindexed and path not in view.catalog:
        raise CannotInEditor(f"{path!r} is not saved yet; save it first.")
    if not is_note(path) or path not in view.catalog:
        raise UnknownNote(name_of(path), ())
    return path
