"""The class `Memory`: one vault, as one caller may use it. Servers, commands and toolsets use a vault through it.

Each method that takes or returns names of notes applies the rights of the caller (`rights.py`). Several threads may
use a memory at once.
"""

import contextlib
import datetime
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from zkmem.caller import Caller, Grant, OnEdit
from zkmem.edit.attach import folder_setting, plan_attach
from zkmem.edit.daily import Daily, day_of, plan_daily, settings
from zkmem.edit.done import Done
from zkmem.edit.extract import plan_extract
from zkmem.edit.links import plan_link, plan_repoint
from zkmem.edit.okf import Imported, plan_import
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.edit.properties import check_properties, plan_properties
from zkmem.edit.rename import plan_delete, plan_rename
from zkmem.edit.section import plan_section
from zkmem.edit.write import check_text, plan_resolve, plan_save, plan_write
from zkmem.errors import AmbiguousBase, BadArgument, UnknownBase, UnknownFile, Unreadable
from zkmem.index import lookup
from zkmem.index.catalog import Visible
from zkmem.index.live import Listener
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.index.sync import Index, Progress
from zkmem.markdown.note import read_text
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.section_edit import How
from zkmem.memory.past import PastEdits
from zkmem.memory.proposed import ProposedEdits
from zkmem.names import BASE_SUFFIX, folder_of, is_note, path_of
from zkmem.recall.attachment import read_attachment
from zkmem.recall.bases.table import Table
from zkmem.recall.overview import Overview, overview
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.reading import NoteText
from zkmem.recall.shape import Advice, advice_on
from zkmem.records.draft import Draft
from zkmem.records.outcome import Attached, Deleted, Edited, Extracted, PropertiesSet, Repointed
from zkmem.records.pages import Pages
from zkmem.sync import SYNC
from zkmem.sync.state import SyncState
from zkmem.util.waiting import check_may_wait
from zkmem.vault.paths import is_hidden

if TYPE_CHECKING:
    from zkmem.index.check import Finding
    from zkmem.index.copies import SyncCopy
    from zkmem.recall.bases.table_query import TableQuery
    from zkmem.recall.home import Home
    from zkmem.recall.mentions import Mentions
    from zkmem.recall.page import NotePage
    from zkmem.recall.search import Hits, Places
    from zkmem.sync.report import Report

_T = TypeVar("_T")

_LONG = 1_000  # characters of a name
_MOST_SET = 1_000  # notes whose properties are set at once


def _backlinks(index: Index, name: str, has: Callable[[str], bool]) -> tuple[str, set[str]]:
    """Return the path of a note, and those of the other notes that link to it."""
    path = lookup.known_note(index.catalog, name)
    return path, {one for one in index.links.leading(path) if one != path and has(one)}


class Memory(PastEdits, ProposedEdits):
    """The memory in one vault, as one caller may use it. A `with` block closes it at its end."""

    def __enter__(self) -> Self:
        """Return the memory, which is closed at the end of the `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the memory."""
        self.close()

    def on_behalf(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        progress: Progress | None = None,
        on_edit: OnEdit | None = None,
    ) -> "Memory":
        """Return this memory for one tool or one client, with the same rights.

        While a call waits for the index, `progress` is called with the number of notes read, and the number to read.
        `on_edit` is called with each edit that is made.
        """
        known = self._caller
        return Memory(
            self._engine,
            Caller(
                known.grant,
                tool or known.tool,
                client or known.client,
                progress or known.progress,
                on_edit or known.on_edit,
            ),
        )

    def restricted(self, grant: Grant) -> "Memory":
        """Return this memory for a caller who has only the rights that both the grant and this caller have.

        Raises:
            Forbidden: when the grant is for a folder outside of this caller's.
        """
        return Memory(self._engine, self._caller._replace(grant=self._caller.grant.restricted(grant)))

    @property
    def version(self) -> int:
        """Return a number that grows whenever the index changes. It starts at 0 in each process."""
        return self._engine.live.version

    @property
    def proposes(self) -> bool:
        """Whether the edits of the caller are proposed, and not made."""
        return bool(self._caller.grant.proposes_as)

    @property
    def vault(self) -> str:
        """The vault's folder, absolute and without symlinks."""
        return self._engine.vault

    def set_up(self, *, git: bool, settings: str) -> list[str]:
        """Make the folder `.zkmem` and, with `git`, a repository unless the vault is in one; return what was done.

        `settings`: the path of the file that the first commit of a new repository contains.
        """
        return self._engine.set_up(git=git, settings=settings)

    def start(self, *, watch: bool = True) -> None:
        """Start a thread that builds the index, and one that updates it after edits by hand; return at once.

        With git, also commit the edits that a killed process left without a commit.
        """
        self._engine.start(watch=watch)

    def load(self, progress: Progress | None = None) -> None:
        """Build the index in this thread, or wait until another thread has built it."""
        self._engine.session.prepare(Freshness.LINKS, progress)

    def wait_ready(self) -> None:
        """Wait until the index is complete and includes every change of the files that was made before this call.

        Without `start`, this thread builds the index.

        Raises:
            Closed: when the memory is closed before that.
        """
        self._with_links(lambda _: None, Freshness.FILES)

    def load_names(self) -> None:
        """Read the names of all files in this thread. They show whether the target of a link exists."""
        self._engine.session.prepare(Freshness.NAMES)

    def stop(self) -> None:
        """Make long work, such as the build of an index, end soon; return at once. Call `close` afterwards."""
        self._engine.stop()

    def close(self) -> None:
        """Stop watching, and wait for the threads."""
        self._engine.close()

    def listen(self, listener: Listener) -> None:
        """Call `listener` with the names of notes that any program has changed. The call may come from any thread."""
        self._engine.live.listen(self._rights.listener(listener))

    def read(
        self, name: str, depth: int = 0, offset: int = 0, *, bounded: bool = True, subpath: str | None = None
    ) -> NoteText:
        """Return the text of a note from the character `offset` on, expanded `depth` levels deep.

        If `bounded`, the text has at most `max_chars` characters; otherwise it goes on to the end of the note. A note
        of more than `max_note_bytes` always comes in parts, and `offset` counts its bytes. `subpath`: return only the
        part of the note under this `#heading`, or this `#^block`; by default, the one that follows the name in `name`.

        Raises:
            UnknownNote: when there is none, with the nearest names. AmbiguousName: when there are several.
            NoSection: when the note has no such heading or block.
        """
        if depth or subpath or "#" in name or len(name) > _LONG:  # many notes, a parser, or a long search
            check_may_wait()
        rights = self._rights
        name, subpath = rights.part(name, subpath)
        with rights.errors():
            note = self._engine.reader.text(rights.read, name, depth, offset, bounded=bounded, subpath=subpath)
        return rights.note_text(note)

    def page(self, name: str, depth: int = 0, offset: int = 0) -> "NotePage":
        """Return a note for a person: its text, properties and links, and one part for HTML, from the byte `offset` on.

        The expansion adds at most `max_chars` characters. The next part begins at `NotePage.next_offset`. If the note
        is too large to be read whole, the result has one part of its text, and neither properties nor links.
        """
        rights, progress = self._rights, self._caller.progress
        name, seen = rights.note(name), rights.folder
        with rights.errors():
            page = self._engine.reader.page(rights.read, name, depth, offset, seen=seen, progress=progress)
        return rights.note_page(page)

    def mentions(self, name: str, *, wait_s: float | None = None) -> "Mentions":
        """Return the first sentences that link to a note, and some that name it or an alias without a link.

        `wait_s`: about how long to wait for the search index, as for `search`.
        """
        from zkmem.recall.mentions import MOST_SEARCHED, Searcher  # noqa: PLC0415 - only the page needs it

        rights, name = self._rights, self._rights.note(name)
        with rights.errors():
            path, sources = self._with_links(lambda index: _backlinks(index, name, rights.has))
            data = rights.read(path)

        def leads(targets: Sequence[str], source: str) -> list[bool]:
            return self._with_names(lambda index: [resolve(index.catalog, one, source).path == path for one in targets])

        def spelled(paths: Sequence[str]) -> list[str]:
            return self._with_names(lambda index: [lookup.name_for(index.catalog, one) for one in paths])

        searcher = Searcher(path, data, sources, rights.read, spelled, leads)
        return searcher.found([self.search(one, limit=MOST_SEARCHED, wait_s=wait_s) for one in searcher.queries])

    def home(self, count: int = 10) -> "Home":
        """Return the notes to start from and those that changed last, at most `count` of each, with first lines."""
        from zkmem.recall.home import home  # noqa: PLC0415 - only the page needs it

        rights, folder = self._rights, self._rights.folder
        catalog, hints = self._with_links(
            lambda index: (index.catalog, self._engine.ranking.hints(count, folder, seen=folder))
        )
        return self._with_names(lambda _: home(catalog, hints, folder, rights.read, count))

    def graph(self, folder: str = "") -> Overview:
        """Return the notes below a folder (by default, all notes) with their weights and links."""
        folder, ranking = self._rights.below(folder), self._engine.ranking
        catalog, following, weights = self._with_links(
            lambda index: (index.catalog, index.links.copy(folder), ranking.weights().copy())
        )
        return overview(catalog, following, weights)

    def read_file(self, path: str) -> bytes:
        """Return the bytes of an attachment: a file that is neither a note nor hidden."""
        return read_attachment(self._engine.store, self._rights.file(path))

    def hints(self, count: int = 10, *, folder: str = "") -> list[Hint]:
        """Return the best notes to start reading from, in the vault or below a folder."""
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: self._engine.ranking.hints(count, folder, seen=seen))

    def suggestions(self, threshold: float = 0.001, count: int = 10, *, folder: str = "") -> list[Suggestion]:
        """Return the notes that are worth tidying, in the vault or below a folder: those with the lowest values."""
        folder = self._rights.below(folder)
        return self._with_links(lambda _: self._engine.ranking.suggestions(threshold, count, folder))

    def unlinked(self, count: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most `count` names of notes that no other note links to, and the number of all such notes.

        They are in the order of `suggestions`. The entry note, `hint`, is not among them.
        """
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: self._engine.ranking.unlinked(count, folder, seen))

    def conflicts(self, count: int = 10, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most `count` names of notes with a conflict callout, and the number of all such notes."""
        folder = self._rights.below(folder)
        return self._with_links(lambda _: self._engine.ranking.conflicts(count, folder))

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        folders: Collection[str] | None = None,
        without: Collection[str] = (),
        filters: bool = True,
        wait_s: float | None = None,
    ) -> "Hits":
        """Return at most `limit` notes that contain any word of the query and pass its filters, the best first.

        The filters are `"a phrase"`, `-word`, `tag:x`, `path:x`, `name:x`, `[property:value]`, `before:2026` and
        `after:2026-11-20`; with `filters` False, they are plain words. Search only below `folders` (None: everywhere),
        and not below the folders `without`. The first search of a vault reads all notes; `wait_s` is about how many
        seconds it waits for that at most (None: until all are read), and a remark says if notes are left.

        Raises:
            BadArgument: when a filter of the query is wrong.
        """
        folders, search, progress = self._rights.folders(folders), self._rights.search, self._caller.progress
        self._with_links(lambda _: None, Freshness.EDITS)
        return search.find(
            query, limit=limit, folders=folders, without=without, filters=filters, progress=progress, wait_s=wait_s
        )

    def places(self, text: str, *, limit: int = 20, wait_s: float | None = None) -> "Places":
        """Return aliases of notes, headings in notes, and tags that contain a text: at most `limit` of each.

        `wait_s`: as for the method `search`. A heading whose words are in very many notes may be missing.
        """
        check_text(text, "text")
        search, progress = self._rights.search, self._caller.progress
        self._with_links(lambda _: None, Freshness.EDITS)
        is_seen = self._rights.folders(None) is None  # otherwise the folder has another Unicode form on disk
        return search.places(text, limit if is_seen else 0, progress, wait_s)

    def query(
        self,
        filter: str = "",  # noqa: A002 - the word for it in Bases
        *,
        search: str = "",
        base: str = "",
        view: str | None = None,
        this: str = "",
        columns: Sequence[str] = (),
        sort: Sequence[str] = (),
        group: str = "",
        first: int = 0,
        limit: int = 100,
        wait_s: float | None = None,
    ) -> Table:
        """Return a table of the notes that pass a filter: at most `limit` rows, from the row `first` on.

        `filter`: an expression of Bases; `search`, `wait_s`: as the query and `wait_s` of the method `search`;
        `columns`, `sort`, `group`: properties or expressions, and a `-` before one of `sort` and `group` reverses the
        order; `base`: the path or name of a `.base` file, whose `view` (default: its first) the query adds to; `this`:
        the name of the note that the word `this` means in the base (default: the base itself).

        Raises:
            UnknownBase, AmbiguousBase: when `base` does not mean exactly one base. BadArgument: when the base cannot be
                read, has no such view, or when an expression is wrong or takes too long.
        """
        from zkmem.recall.bases.table_query import TableQuery, extended  # noqa: PLC0415 - slow to import, seldom needed

        texts = {"filter": filter, "search": search, "base": base, "view": view or "", "this": this, "group": group}
        for name, text in [*texts.items(), *(("columns", one) for one in columns), *(("sort", one) for one in sort)]:
            check_text(text, name)
        if view and not base:
            raise BadArgument("A view is a part of a base; name the base, too.")
        query = extended(filter, search, columns, sort, group, self._view(base, view) if base else TableQuery())
        if this:
            note = self._rights.note(this)
            path = self._with_names(lambda index: lookup.known_note(index.catalog, note))
            query = query._replace(this=path)
        self._with_links(lambda _: None, Freshness.EDITS)
        folders, progress = self._rights.folders(None), self._caller.progress
        return self._rights.search.table(query, first, limit, folders=folders, progress=progress, wait_s=wait_s)

    def bases(self) -> list[tuple[str, list[str]]]:
        """Return the path of each `.base` file, and the names of its views; none if it cannot be read."""
        return [(path, self._view_names(path)) for path in self._bases()]

    def _bases(self) -> list[str]:
        paths = self._with_names(lambda index: [path for path in index.catalog.rows if path.endswith(BASE_SUFFIX)])
        return sorted(filter(self._rights.has, paths))

    def _view_names(self, base: str) -> list[str]:
        from zkmem.recall.bases.base_file import read_base  # noqa: PLC0415 - slow to import, seldom needed

        with contextlib.suppress(BadArgument, UnknownFile, Unreadable):
            return [view.name for view in read_base(self.read_file(base).decode(errors="replace")).views]
        return []

    def _view(self, base: str, view: str | None) -> "TableQuery":
        from zkmem.recall.bases.table_query import of_base  # noqa: PLC0415 - slow to import, seldom needed

        written = base if base.endswith(BASE_SUFFIX) else base + BASE_SUFFIX
        path, rivals = self._with_names(lambda index: resolve(Visible(index.catalog, self._rights.has), written, ""))
        if path is None:
            raise UnknownBase(written, self._bases())
        if rivals and path != written.removeprefix("/"):
            raise AmbiguousBase(written, sorted([path, *rivals]))
        return of_base(self.read_file(path).decode(errors="replace"), view, path)

    def load_search(self) -> None:
        """Index the words of all notes in this thread, or wait until another thread has."""
        self._rights.search.load(self._caller.progress)

    def has_folder(self, folder: str) -> bool:
        """Return whether the caller may know of any file below a folder. Case does not matter in the folder's name."""
        paths = self._with_names(lambda index: lookup.files_below(index.catalog, folder))
        return not folder.strip("/") or any(map(self._rights.has, paths))

    def check(self) -> "list[Finding]":
        """Return the findings about the vault that a person should look at."""
        from zkmem.index.check import Properties, check  # noqa: PLC0415 - slow to import, seldom needed
        from zkmem.recall.bases.check import broken  # noqa: PLC0415

        rights, tables, pause = self._rights, self._engine.tables, self._engine.live.pause
        damaged = rights.faults()

        def findings(index: Index) -> "tuple[list[Finding], list[str]]":
            bases = [path for path in index.catalog.rows if path.endswith(BASE_SUFFIX) and rights.has(path)]
            found = check(index, tables.of(Properties), rights.read, damaged, rights.has, pause)
            return found, sorted(bases)

        found, bases = self._with_links(findings)
        return [*broken(bases, self.read_file), *found]

    def advice(self, *, folder: str = "") -> Advice | None:
        """Return advice to use another order of hints; None if the present order suits the vault, or the folder."""
        folder, seen = self._rights.below(folder), self._rights.folder
        return self._with_links(lambda _: advice_on(self._engine.ranking, folder, seen))

    def complete(self, beginning: str, *, folder: str = "") -> tuple[list[str], int]:
        """Return at most 100 names that contain `beginning`, and the number of all such names."""
        folder = self._rights.below(folder)
        return self._with_names(lambda index: lookup.complete(index.catalog, beginning, folder=folder))

    def counts(self, *, folder: str = "") -> tuple[int, int]:
        """Return the number of notes in the vault or below a folder, and the number of their distinct links."""
        folder = self._rights.below(folder)
        return self._with_links(lambda index: (index.catalog.note_count(folder), index.links.link_count(folder)))

    def write(
        self, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
    ) -> Edited:
        """Create or replace a note. With `old`, replace that passage alone; with `append`, add to the end."""
        name = self._rights.place(name)
        plan = functools.partial(plan_write, name=name, content=content, old=old, append=append, etag=etag)
        return self._rights.edited(self._apply(plan, Edited.by))

    def edit_section(
        self, name: str, section: str, content: str, how: How, *, create: bool = False, etag: str | None = None
    ) -> Edited:
        """Change the text below a heading of a note, or at a block id: see `plan_section`."""
        name = self._rights.place(name) if create else self._rights.note(name)
        plan = functools.partial(
            plan_section, name=name, section=section, content=content, how=how, create=create, etag=etag
        )
        return self._rights.edited(self._apply(plan, Edited.by))

    def properties(self, name: str) -> dict[str, Any]:
        """Return the properties of a note: texts, numbers, booleans, None, lists and mappings.

        Raises:
            UnknownNote, AmbiguousName: when `name` does not mean exactly one note.
        """
        name = self._rights.note(name)
        with self._rights.errors():
            path = self._with_names(lambda index: lookup.known_note(index.catalog, name))
            return typed_properties(self._rights.read(path))

    def set_properties(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str] = (),
        filter: str = "",  # noqa: A002
    ) -> PropertiesSet:
        """Set properties of some notes, and of those that pass a filter of Bases, in one edit; None removes one.

        Raises:
            BadArgument: when a value has a wrong type, or when more than 1,000 notes pass.
            Unwritable: when the frontmatter of a note cannot be changed; no note is changed then.
        """
        return self._apply(self._setting(properties, names, filter), PropertiesSet.by)

    def preview_properties(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str] = (),
        filter: str = "",  # noqa: A002
    ) -> Preview:
        """Return what `set_properties` would change."""
        return self._preview(self._setting(properties, names, filter))

    def _setting(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str],
        filter: str,  # noqa: A002
    ) -> Callable[[View], Plan]:
        """Return the planner that sets properties."""
        check_properties(properties)
        names = [self._rights.note(name) for name in names]
        found = self.query(filter, limit=_MOST_SET + 1) if filter.strip() else None
        rows, remarks = (found.rows, found.remarks) if found else ([], [])
        if len(names) + len(rows) > _MOST_SET:
            raise BadArgument(f"More than {_MOST_SET:,} notes match; set the properties of fewer at once.")

        def plan(view: View) -> Plan:
            paths = [lookup.known_note(view.catalog, name) for name in names]
            there = (row.path for row in rows if row.path in view.catalog)
            return plan_properties(view, dict.fromkeys([*paths, *there]), properties)._replace(remarks=tuple(remarks))

        return plan

    def daily_name(self, day: str = "") -> str:
        """Return the name of the daily note of a day: `today` (the default), `yesterday`, `tomorrow` or 2026-11-20.

        Raises:
            BadArgument: when the text means no day.
        """
        return self._daily().name(day_of(day, datetime.date.today())).removeprefix("/")

    def write_daily(self, day: str, content: str, section: str = "", *, etag: str | None = None) -> Edited:
        """Add to the daily note of a day, at its end or below a heading; create it from its template if needed."""
        now = datetime.datetime.now()
        daily, date = self._daily(), day_of(day, now.date())
        name = self._rights.place(daily.name(date))
        is_new = self._with_names(lambda index: lookup.find_note(index.catalog, name)) is None
        template = (
            daily.rendered(self._template(daily.template), date, now, self._engine.read)
            if daily.template and is_new
            else ""
        )
        plan = functools.partial(plan_daily, name=name, template=template, section=section, content=content, etag=etag)
        return self._rights.edited(self._apply(plan, Edited.by))

    def _daily(self) -> Daily:
        """Return the settings of daily notes; those of Obsidian only for a caller who may know the whole vault."""
        if self._rights.sees_all:
            return settings(self._engine.read)
        return Daily(folder=self._rights.folder)

    def _template(self, name: str) -> str:
        """Return the text of a template."""
        reason = "there is none"
        try:
            if not is_hidden(path_of(name)):
                template = self._rights.read(path_of(name))
                template.decode()
                return read_text(template).text
        except OSError as error:
            reason = error.strerror or reason
        except UnicodeDecodeError:
            reason = "it is not UTF-8"
        raise BadArgument(
            f"The template {name!r} of the daily notes cannot be read: {reason}. "
            "Mend the settings of daily notes in Obsidian."
        )

    def save(self, name: str, content: str, etag: str | None) -> Edited:
        """Replace the whole text of a note for a caller who has read all of it; without an etag, create the note."""
        name = self._rights.place(name)
        return self._rights.edited(self._apply(lambda view: plan_save(view, name, content, etag), Edited.by))

    def attach(self, note: str, title: str, data: bytes) -> Attached:
        """Store a picture as an attachment of a note, which need not exist yet, under a free name like `title`.

        Raises:
            BadArgument: when it is not a PNG, JPEG, GIF, WebP or AVIF. TooLarge: when it has more than 16 MB.
        """
        check_text(title, "title")
        note, now = self._rights.place(note), datetime.datetime.now()
        setting = folder_setting(self._engine.read) if self._rights.sees_all else ""
        return self._apply(lambda view: plan_attach(view, note, title, data, setting, now), Attached.by, tool="attach")

    def resolve(self, name: str, number: int = 0, *, other: bool = False, etag: str | None = None) -> Edited:
        """Remove a note's conflict callout of this number (from 0); with `other`, put its lines in place of the note's.

        `etag`: of the text that the number is about. Later changes are merged, as `save` does.

        Raises:
            NoConflict: when there is no such callout, or, with `other`, when its place in the note is not certain.
        """
        name = self._rights.note(name)
        plan = functools.partial(plan_resolve, name=name, number=number, other=other, etag=etag)
        return self._rights.edited(self._apply(plan, Edited.by))

    def link(self, name: str, passage: str, start: int, to: str, etag: str) -> Edited:
        """Turn a passage, which begins at the byte `start` of a note's text, into a link to the note `to`.

        `etag`: of the text that `start` is about. Later changes are merged, as `save` does.

        Raises:
            NoPassage: when the text does not have the passage there. Inexpressible: when no link can stand there.
        """
        name, to = self._rights.note(name), self._rights.note(to)
        plan = functools.partial(plan_link, name=name, passage=passage, start=start, to=to, etag=etag)
        return self._rights.edited(self._apply(plan, Edited.by))

    def repoint(self, names: Sequence[str], target: str, to: str) -> Repointed:
        """Point the links of some notes from `target` to the note `to`, in one edit.

        Raises:
            BadArgument: when none of the notes has such a link. Inexpressible: when one cannot be changed in place.
        """
        names, to = [self._rights.note(name) for name in names], self._rights.note(to)
        plan = functools.partial(plan_repoint, names=names, target=target, to=to)
        return self._apply(plan, Repointed.by)

    def delete(self, name: str, etag: str | None = None) -> Deleted:
        """Move a note to the trash. With an `etag`, refuse if the note has another etag now."""
        name = self._rights.note(name)
        return self._rights.deleted(self._apply(lambda view: plan_delete(view, name, etag), Deleted.by))

    def rename(self, name: str, new_name: str, *, merge: bool = True) -> Edited:
        """Rename a note, or merge it into the note that has the new name, and update every link.

        Raises:
            Taken: when another note has the new name and `merge` is false.
        """
        name, new_name = self._rights.note(name), self._rights.new_name(new_name)
        plan = functools.partial(plan_rename, name=name, new_name=new_name, merge=merge)
        # every file is compared first: a link that was written by hand a moment ago must be updated, too
        return self._rights.edited(self._apply(plan, Edited.by, Freshness.FILES))

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage of a note to a new or an existing note, and leave a link in its place."""
        name, new_name = self._rights.note(name), self._rights.new_name(new_name)
        done = self._apply(lambda view: plan_extract(view, name, content, new_name), Extracted.by)
        return self._rights.extracted(done)

    def export_okf(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the bytes of each file of the vault as a bundle of the Open Knowledge Format."""
        from zkmem.recall.okf import exported  # noqa: PLC0415 - seldom needed

        rights = self._rights
        catalog = self._with_links(lambda index: index.catalog.snapshot())
        paths = sorted(filter(rights.has, catalog.rows))
        return exported(paths, Visible(catalog, rights.has), rights.read)

    def import_okf(self, files: Mapping[str, bytes]) -> Imported:
        """Add the files of a bundle of the Open Knowledge Format, by path, in one edit. Existing files stay."""
        from zkmem.markdown.okf import is_listing, unpacked  # noqa: PLC0415 - seldom needed

        wanted: dict[str, bytes] = {}
        faults: list[str] = []
        for path, document in files.items():
            data, name = unpacked(document) if is_note(path) else (document, None)
            if is_listing(path, document):
                continue
            place = path if name is None else f"{folder_of(path)}/{name}.md".removeprefix("/")
            if place in wanted:
                faults.append(f"{path}: another file of the bundle is in its place, {place}")
            else:
                wanted[place] = data
        results: list[Imported] = []

        def plan(view: View) -> Plan:
            found, done = plan_import(view, wanted)
            results[:] = [done]
            return found

        self._apply(plan, Done.warn)
        return results[0]._replace(faults=[*faults, *results[0].faults])

    def check_okf(self) -> "list[Finding]":
        """Return what keeps the vault from being a bundle of the Open Knowledge Format."""
        from zkmem.recall.okf import findings  # noqa: PLC0415 - seldom needed

        rights = self._rights
        paths = self._with_links(lambda index: sorted(filter(rights.has, index.catalog.notes())))
        return list(findings(paths, rights.read))

    def copies(self) -> "list[SyncCopy]":
        """Return the conflict copies of synchronisation services in the vault."""
        from zkmem.index.copies import find_copies  # noqa: PLC0415 - seldom needed

        has, read = self._rights.has, self._rights.read

        def copies(index: Index) -> "list[SyncCopy]":
            return list(find_copies(index.catalog, read, filter(has, index.catalog.notes())))

        return self._with_links(copies)

    def merge_copy(self, name: str, of: str = "") -> Edited:
        """Merge a conflict copy into the note that it belongs to, and move the copy to the trash.

        `of`: that note, if `copies` has told it; else it is found out from the name and the text of the copy.

        Raises:
            BadArgument: when the note is not a conflict copy. UnknownNote: when its note does not exist.
        """
        from zkmem.sync.copies import plan_copy  # noqa: PLC0415 - seldom needed

        name, past = self._rights.note(name), self._rights.past
        of = self._rights.note(of) if of else ""
        plan = functools.partial(plan_copy, name=name, texts=past.texts, of=of)
        return self._rights.edited(self._apply(plan, Edited.by, tool=SYNC))

    def sync(
        self,
        remote: str = "origin",
        branch: str = "",
        *,
        accept_deletions: bool = False,
        accept_rewritten: bool = False,
        accept_unrelated: bool = False,
        dry_run: bool = False,
    ) -> "Report":
        """Synchronise the vault with a git remote: commit, fetch, merge notes and links, push. Return what was done.

        `remote`: the name of a remote of the vault's repository, or an address; `branch`: its branch (default: the one
        that is checked out). The memory must have been opened with `git`.

        Raises:
            NotSynced: when that is impossible; edits may have been committed or merged already, and none is lost.
            SyncRefused: when it would delete many notes, when the remote's history was rewritten, or when the remote
                has no commit in common with the vault, without `accept_deletions`, `accept_rewritten` or
                `accept_unrelated`.
        """
        from zkmem.sync.exchange import Options as SyncOptions  # noqa: PLC0415 - no other method needs it

        self._rights.check_whole()
        self._rights.check_edit()
        may = (accept_deletions, accept_rewritten, accept_unrelated, dry_run)
        return self._engine.sync(SyncOptions(remote, branch, *may), self._caller.progress)

    def sync_state(self) -> SyncState | None:
        """Return the result of the last synchronisation; None if there was none, or if the caller has a folder."""
        return SyncState.load(self._engine.journal.state) if self._rights.sees_all else None

    def preview_rename(self, name: str, new_name: str) -> Preview:
        """Return what `rename` would change."""
        name, new_name = self._rights.note(name), self._rights.new_name(new_name)
        return self._preview(lambda view: plan_rename(view, name, new_name), Freshness.FILES)

    def preview_extract(self, name: str, content: str, new_name: str) -> Preview:
        """Return what `extract` would change."""
        name, new_name = self._rights.note(name), self._rights.new_name(new_name)
        return self._preview(lambda view: plan_extract(view, name, content, new_name))

    def look(self, work: Callable[[Pages], _T]) -> _T:
        """Return the result of `work` on the pages. `work` may be called several times, so it must not change anything.

        Raises:
            Forbidden: when the caller may not use all notes. Toolsets derive their data from all of them.
        """
        self._rights.check_whole()
        read, stamp, tables = self._rights.read, self._engine.store.stamp, self._engine.tables
        return self._with_links(lambda index: work(Pages(index.catalog, read, stamp, tables)), Freshness.EDITS)

    def edit(self, work: Callable[[Draft], _T]) -> _T:
        """Apply everything that `work` writes to a draft, or nothing; return the result of `work`.

        `work` is called again if a note changes meanwhile.

        Raises:
            Forbidden: as for `look`.
        """
        self._rights.check_whole()
        results: list[_T] = []

        def plan(view: View) -> Plan:
            draft = Draft(view, self._engine.tables)
            results[:] = [work(draft)]
            return draft.plan()

        self._apply(plan, Done.warn)
        return results[0]

    def reaches(self, name: str) -> bool:
        """Return whether the caller may know of the note that has this name, or of the file at this path."""
        return self._rights.reaches(name)
