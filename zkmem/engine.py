"""The parts that work on one vault in a process: files, journal, index, search, ranking. All callers share them."""

import contextlib
import functools
import os
import sqlite3
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypedDict

from zkmem.edit.done import Done
from zkmem.edit.editor import Editor
from zkmem.edit.journal import Author, Journal
from zkmem.edit.plan import Planner
from zkmem.edit.proposed import ProposedJournal, proposed_by
from zkmem.edit.proposed_folders import ProposedWatch
from zkmem.edit.proposed_log import LogContent
from zkmem.edit.read_tracker import ReadTracker
from zkmem.edit.recorder import Recorder
from zkmem.errors import Closed, NotSynced
from zkmem.hooks.sessions import hooks_are_used
from zkmem.index.index import Progress
from zkmem.index.live import LiveIndex
from zkmem.index.session import Freshness, Session
from zkmem.index.store.database import NoCache
from zkmem.past.earlier_files import EarlierFiles
from zkmem.past.logged import Logged
from zkmem.past.revisions import Past
from zkmem.recall.as_of import AsOf
from zkmem.recall.name_table import NameTable
from zkmem.recall.ranking import SKIPPED, Order, Ranking
from zkmem.recall.reading import Reader
from zkmem.records.tables import Tables
from zkmem.sync.report import SyncState
from zkmem.util.locks import Rank, lock
from zkmem.vault.files import MOST_BYTES
from zkmem.vault.journal.log import Edit
from zkmem.vault.journal.seen import Seen
from zkmem.vault.journal.versions import Bounds
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.search.search import Search
    from zkmem.sync.exchange import Options as SyncOptions
    from zkmem.sync.report import Report
    from zkmem.vault.git.mirror import Mirror


class EngineOptions(TypedDict, total=False):
    """The options of an engine: see `Engine.__init__`."""

    max_chars: int | None
    max_note_bytes: int
    hints_order: Order
    suggestions_skip: Collection[str]
    logseq_names: bool
    durable: bool
    lock_timeout_s: float
    versions: Bounds
    git: bool
    git_allowed: str | None
    git_waits: str
    machine: str
    sync_origins: bool
    rerank_model: str


class Engine:
    """The parts that work on one vault. Callers use them through a `Memory`, which applies their rights.

    A client that proposes its edits has an engine of its own, whose store shows the vault with these edits.
    """

    def __init__(
        self,
        vault: str | os.PathLike[str],
        *,
        max_chars: int | None = 24_000,
        max_note_bytes: int = MOST_BYTES,
        hints_order: Order = "weight",
        suggestions_skip: Collection[str] = SKIPPED,
        logseq_names: bool = False,
        durable: bool = True,
        lock_timeout_s: float = 10.0,
        versions: Bounds = Bounds(),
        git: bool = False,
        git_allowed: str | None = None,
        git_waits: str = "",
        machine: str = "",
        sync_origins: bool = False,
        rerank_model: str = "",
        proposer: str = "",
        as_of: AsOf | None = None,
    ) -> None:
        """Open a vault; nothing is read yet.

        `max_chars`: the most characters of one read; `max_note_bytes`: the largest note that is indexed, searched and
        edited (a larger one is read in parts); `suggestions_skip`: patterns of notes that are not suggested;
        `logseq_names`: whether a link may also mean a file by the title of its page in Logseq; `durable`: whether
        acknowledged edits survive a power cut; `lock_timeout_s`: seconds that an edit waits for
        other processes; `versions`: bounds of the old texts that are kept; `git`: whether edits are committed to the
        vault's repository, which may then start the programs that it names; `git_allowed`: the fingerprint of the
        repository's own configuration that the user has allowed, without which git does not run; None if the caller
        answers for the repository; `git_waits`: the reason why no edit is committed yet (only without `git`). A later
        process with `git` commits these edits, too. `machine`: the name of this machine in commits (default: the
        host's). `sync_origins`: whether a synchronisation sends from which conversations edits came. `rerank_model`:
        the folder of a model that scores the hits of a search again; "" for none. `proposer`: the client whose edits
        are proposed, and not made in the vault; "" if edits are made. `as_of`: reads earlier moments; a new one by
        default. The engine of a client with proposed edits shares that of the vault.

        Raises:
            NoVault: when it is not a folder.
        """
        self.max_chars, self.git, self.closed = max_chars, git, False
        self.store: Store = Store(os.fspath(vault), max_note_bytes)
        self.journal = Journal(self.store, durable=durable, lock_timeout_s=lock_timeout_s, bounds=versions)
        self.proposer, self._proposing = proposer, dict[str, Engine]()
        self._proposed_logs = dict[str, LogContent]()  # by client
        self.proposed_watch = ProposedWatch(self.journal.state)
        self._options: EngineOptions = {
            "max_chars": max_chars, "max_note_bytes": max_note_bytes, "hints_order": hints_order,
            "suggestions_skip": suggestions_skip, "logseq_names": logseq_names, "durable": durable,
            "lock_timeout_s": lock_timeout_s, "rerank_model": rerank_model,
        }  # fmt: skip
        if proposer:
            proposed = ProposedJournal(
                self.store, self.journal, proposer, durable=durable, lock_timeout_s=lock_timeout_s
            )
            self.store, self.journal = proposed.store, proposed
        self.live = LiveIndex(self.store, self.journal.recover, pages=logseq_names)
        self.live.each_second(self.proposed_watch.look)
        self._words_version = -1  # of the index when the words of all notes were last looked at for hooks
        if not proposer:
            self.live.each_second(self._keep_words)
        least = Freshness.EDITS if proposer else Freshness.NAMES  # a person may have dropped a proposed edit just now
        self.session = Session(self.live, self.journal.log, self.store.check, least)
        self.tables = Tables(self.session, self.read)
        self.ranking = Ranking(self.live, hints_order, suggestions_skip)
        self._search: Search | None = None
        self._search_lock = self._proposing_lock = lock(Rank.LEAF)
        self._watch: bool | None = None  # whether the vault is watched; None before the start
        self._rerank_model = rerank_model
        self.read_tracker = ReadTracker()
        log, outside = self.journal.log, self.journal.outside
        texts, state = self.journal.versions, self.journal.state
        self._mirror = self._mirror_of(git_allowed, git_waits, machine, sync_origins) if git or git_waits else None
        used = self._mirror if git else None
        earlier = EarlierFiles(self.store, Logged(log, outside), texts, state.path("recorder"), used)
        self.as_of = as_of or AsOf(self.session, earlier, max_chars)
        self.past = Past(self.store, log, outside, texts, used, self.as_of.files)
        self.recorder = Recorder(self.store, self.journal, self.live)
        self.seen = Seen(state, self.journal.lock)
        self.reader = Reader(self.session, self.store, self.ranking, self.read_tracker, max_chars)
        self.editor = Editor(self.store, self.session, self.journal, self.read_tracker, self.past, self.recorder)

    def _mirror_of(self, allowed: str | None, waits: str, machine: str, shares_origins: bool) -> "Mirror":
        """Return what commits the edits: see `Engine`."""
        from zkmem.vault.git.mirror import Mirror  # noqa: PLC0415 - only git needs it

        journal, texts = self.journal, self.journal.versions
        return Mirror(
            self.store, journal.state, journal.log, journal.outside, texts, journal.hold, allowed, waits, machine,
            shares_origins=shares_origins,
        )  # fmt: skip

    @property
    def search(self) -> "Search":
        """The search over all notes; it is made when it is first used."""
        from zkmem.search.rerank import Reranker  # noqa: PLC0415 - slow to import, and most commands do not search
        from zkmem.search.search import Search  # noqa: PLC0415

        with self._search_lock:
            if self._search is None:
                reranker = Reranker(self._rerank_model) if self._rerank_model else None
                self._search = Search(self.session, self.store, reranker=reranker)
        return self._search

    @functools.cached_property
    def names(self) -> NameTable:
        """The table of all names, for completion; it is made when it is first used."""
        return NameTable(self.session, self.ranking.weights)

    @property
    def vault(self) -> str:
        """The vault's folder, absolute and without symlinks."""
        return self.store.watched

    def proposing(self, client: str) -> "Engine":
        """Return the engine of a client whose edits are proposed."""
        if client == self.proposer:
            return self
        if client not in self._proposing:
            engine = Engine(self.vault, proposer=client, as_of=self.as_of, **self._options)
            engine.live.listen(lambda _: self.proposed_watch.look())
            with self._proposing_lock:
                engine = self._proposing.setdefault(client, engine)
            if self._watch is not None:
                engine.start(watch=self._watch)
        return self._proposing[client]

    def proposed_by(self, client: str) -> ProposedJournal:
        """Return the edits that a client has proposed."""
        known = self._proposed_logs.get(client) or LogContent()
        journal = proposed_by(self.store, self.journal, client, known)
        self._proposed_logs[client] = known
        return journal

    def read(self, path: str) -> bytes:
        """Return the bytes of the file at a path."""
        return self.store.read(path)[0]

    def start(self, *, watch: bool = True) -> None:
        """Start a thread that builds the index, and one that updates it after edits by hand; return at once.

        With git, also commit the edits that a killed process left without a commit.
        """
        self._watch = watch
        if watch and not self.proposer:
            self.recorder.start()
        self.live.start(watch=watch)
        if self._mirror:
            self._mirror.start(self.journal.recover)

    def _keep_words(self) -> None:
        """Keep the search index in the cache up to date if hooks are used in this vault: a hook does not update it."""
        version = self.live.version
        if version != self._words_version and self.live.index.ready and hooks_are_used(self.journal.state):
            with contextlib.suppress(Closed, NoCache, OSError, sqlite3.Error):
                if self.search.glance(lambda _: True):
                    self._words_version = version

    def stop(self) -> None:
        """Make long work, such as the build of an index, end soon; return at once. Call `close` afterwards."""
        self.live.stop()
        for engine in list(self._proposing.values()):
            engine.stop()

    def close(self) -> None:
        """Stop watching, and wait for the threads."""
        self.closed = True
        for engine in list(self._proposing.values()):
            engine.close()
        self.live.close()
        self.recorder.close()
        if self._search:
            self._search.close()
        if self._mirror:
            self._mirror.close()

    def apply(self, planner: Planner, by: Author, freshness: Freshness, progress: Progress | None) -> Done:
        """Make an edit: see `Editor.apply`. `progress` gets the number of notes read, and the number to read."""
        self.session.prepare(Freshness.LINKS, progress)
        if self._mirror:
            self._mirror.begin()
        return self.editor.apply(planner, by, freshness)

    def apply_all(self, edits: Sequence[tuple[Planner, Author]]) -> list[Done | BaseException]:
        """Make edits that do not depend on each other: see `Editor.apply_all`."""
        self.session.prepare(Freshness.LINKS)
        if self._mirror:
            self._mirror.begin()
        return self.editor.apply_all(edits)

    def sync(self, options: "SyncOptions", progress: Progress | None) -> "Report":
        """Synchronise the vault with a git remote once: see `Exchange.run`. This needs `git`."""
        from zkmem.sync.exchange import Exchange  # noqa: PLC0415 - no other work needs it
        from zkmem.sync.writing import EngineParts  # noqa: PLC0415

        if not self._mirror:
            raise NotSynced("The vault is synchronised through git, which is switched off here; open it with git=True.")
        self._mirror.begin()
        parts = EngineParts(self.store, self.journal, self.session, self.editor, self._mirror)
        return Exchange(parts, options, progress).run()

    def sync_state(self) -> SyncState | None:
        """Return the result of the last synchronisation; None if there was none. With `git`, count what waits now."""
        state = SyncState.load(self.journal.state)
        return state.counted(self._mirror.history.git) if state and self._mirror else state

    def commit(self, edit: Edit | None) -> str:
        """Commit an edit if git is used. Return the reason if that fails, else an empty text."""
        return self._mirror.commit(edit) if self._mirror and edit else ""
