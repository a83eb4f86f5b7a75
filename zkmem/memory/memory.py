"""The class `Memory`: one vault, as one caller may use it. Servers, commands and toolsets use a vault through it.

Each method that takes or returns names of notes applies the rights of the caller (`rights.py`). Several threads may
use a memory at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from zkmem.edit.done import Done
from zkmem.edit.plan import Plan, Planner, View
from zkmem.errors import Unwritable, ZkError
from zkmem.hooks.answers import HookParts, answer_json
from zkmem.hooks.sessions import Given, HookSessions
from zkmem.hooks.vault import HookVault
from zkmem.index.index import Progress
from zkmem.index.live import Listener
from zkmem.index.session import Freshness
from zkmem.memory.entry import EntryNote
from zkmem.memory.files import VaultFiles
from zkmem.memory.past import PastEdits
from zkmem.memory.reviewing import Reviewing
from zkmem.memory.sharing import Sharing
from zkmem.records.draft import Draft
from zkmem.records.pages import Page, Pages

if TYPE_CHECKING:
    from zkmem.memory.editor import InEditor

_T = TypeVar("_T")

_ALL = 100_000  # more than the log of what sessions were given has
_MEANT = {
    "get": "read", "open": "read", "load_note": "read", "create": "write", "add": "write", "update": "write",
    "set": "write", "put": "write", "remove": "delete", "move": "rename", "merge": "rename", "find": "search",
    "list": "names", "notes": "names", "keys": "names", "count": "counts", "history": "log",
}  # fmt: skip
"""What other libraries call a method, and its name here."""


class Memory(EntryNote, Sharing, PastEdits, Reviewing, VaultFiles):
    """The memory in one vault, as one caller may use it. A `with` block closes it at its end."""

    def __enter__(self) -> Self:
        """Return the memory, which is closed at the end of the `with` block.

        Raises:
            Closed: when it is closed already.
        """
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the memory."""
        self.close()

    def __repr__(self) -> str:
        """Return the call that opens the vault."""
        return f"Memory({self.vault!r})"

    def __bool__(self) -> bool:
        """Return True, also for a vault without notes."""
        return True

    def __contains__(self, name: str) -> bool:
        """Return whether a note has this name: see `exists`."""
        return self.exists(name)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the notes, as they are at the beginning."""
        return iter(self.names())

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self.names())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            """Raise an error; for a name that a method has in other libraries, it says which method to use."""
            meant = f": use `{_MEANT[name]}`" if name in _MEANT else ""
            raise AttributeError(f"A memory has no `{name}`{meant}.", name=name, obj=self)

    def in_editor(self) -> "InEditor":
        """Return the methods for a text editor, whose user may read and change the whole vault.

        Raises:
            Forbidden: when the caller may not use all notes.
        """
        from zkmem.memory.editor import InEditor  # noqa: PLC0415 - only a language server needs it

        self._rights.check_whole()
        return InEditor(self._engine, self._caller)

    @property
    def version(self) -> int:
        """Return a number that grows whenever the index changes. It starts at 0 in each process."""
        return self._engine.live.version

    @property
    def proposes(self) -> bool:
        """Whether the edits of the caller are proposed, and not made."""
        return bool(self._caller.grant.proposes_as)

    @property
    def reads_only(self) -> bool:
        """Whether the caller may change nothing."""
        return self._caller.grant.read_only

    @property
    def person(self) -> str:
        """The person whose marks on edits are used; "" if the server needs no tokens."""
        return self._caller.person

    @property
    def vault(self) -> str:
        """The vault's folder, absolute and without symlinks."""
        return self._engine.vault

    def set_up(self, *, git: bool, settings: str) -> list[str]:
        """Make the folder `.zkmem` and, with `git`, a repository unless the vault is in one; return what was done.

        `settings`: the path of the file that the first commit of a new repository contains.
        """
        root, state = self._engine.store.root, self._engine.journal.state
        state.ensure()
        done = [f"the vault {root} is ready"]
        if git:
            from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only git needs it
            from zkmem.vault.git.commits import History  # noqa: PLC0415

            try:
                is_new = History(root, state).init(settings)
            except GitTrouble as error:
                raise Unwritable(f"There is no git repository: {error}.") from error
            done.append("a git repository was made" if is_new else "the vault is in a git repository already")
        return done

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

    def look(self, work: Callable[[Pages], _T]) -> _T:
        """Return the result of `work` on the pages. `work` may be called several times, so it must not change anything.

        Raises:
            Forbidden: when the caller may not use all notes. Toolsets derive their data from all of them.
        """
        self._rights.check_whole()
        read, stamp, tables = self._rights.read, self._engine.store.stamp, self._engine.tables
        tracker, reader = self._engine.read_tracker, self._caller.reader

        def saw(page: Page) -> None:
            tracker.keep(page.path, page.etag, page.data)
            tracker.glimpse(reader, page.path, page.etag)

        return self._with_links(lambda index: work(Pages(index.catalog, read, stamp, tables, saw)), Freshness.EDITS)

    def edit(self, work: Callable[[Draft], _T]) -> _T:
        """Apply everything that `work` writes to a draft, or nothing; return the result of `work`.

        `work` is called again if a note changes meanwhile.
        """
        self._rights.check_whole()
        results: list[_T] = []

        def plan(view: View) -> Plan:
            draft = Draft(view, self._engine.tables)
            results[:] = [work(draft)]
            return draft.plan()

        for remark in self._apply(plan, Done.warn):
            if self._caller.on_remark:
                self._caller.on_remark(remark)
        return results[0]

    def edit_each(self, works: Sequence[Callable[[Draft], object]], calls: Sequence[str] = ()) -> list[ZkError | None]:
        """Make an edit of each work's draft, as `edit` does; return for each None, or the error with which it failed.

        The works must not depend on each other: many edits are made in one transaction. Each is called once. `calls`:
        the hash of the call that makes each edit, by which its conversation is known; by default, that of the caller.
        """
        self._rights.check_whole()

        def planner(work: Callable[[Draft], object]) -> Planner:
            def plan(view: View) -> Plan:
                draft = Draft(view, self._engine.tables)
                work(draft)
                return draft.plan()

            return plan

        authors = [self._caller.author(call=call) for call in calls or [""] * len(works)]
        errors = list[ZkError | None]()
        for done in self._apply_all([(planner(work), by) for work, by in zip(works, authors, strict=True)]):
            if isinstance(done, BaseException) and not isinstance(done, ZkError):
                raise done
            errors.append(done if isinstance(done, ZkError) else None)
        return errors

    def answer_hook(self, event: str, client: str, data: bytes, parts: HookParts) -> bytes:
        """Return the JSON that answers a hook of a client, as the client reads it; empty if there is nothing to say.

        `event`: one of `clients.events.EVENTS`; `data`: what the client sent. This never waits for the index.

        Raises:
            BadArgument: when the event or the client is unknown, or the data is no JSON object.
            Busy: when there is no index to search, or another thread uses it.
            Unwritable: when the event cannot be written to the disk; the start of a session is answered all the same.
        """
        rights = self._rights
        vault = HookVault(self._engine.vault, rights.folder, rights.search.glance, rights.read)
        return answer_json(event, client, data, vault, parts)

    def given(self, limit: int = 10) -> list[Given]:
        """Return what sessions were given last, the newest first; for a caller with a folder, only from that folder."""
        rights, sessions = self._rights, HookSessions(self._engine.vault)
        if rights.sees_all:
            return sessions.given(limit)
        return [one for one in sessions.given(_ALL) if one.notes and all(map(rights.reaches, one.notes))][:limit]
