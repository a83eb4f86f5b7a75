"""Make edits: plan each one from the present vault, carry it out, and plan it again if a file changed meanwhile.

Edits that wait at the same time are made together. One thread plans them one after the other, each from the state that
the one before it leaves, and carries them out in one transaction: a few flushes of the disk make all of them durable.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.edit.done import Done
from zkmem.edit.journal import Author, Journal, Planned
from zkmem.edit.plan import Plan, Planner, Put, View
from zkmem.edit.preview import EditorEdit, Preview
from zkmem.edit.read_tracker import ReadTracker
from zkmem.edit.recorder import Recorder
from zkmem.errors import Busy
from zkmem.index.index import Index
from zkmem.index.session import Freshness, Session
from zkmem.markdown import frontmatter
from zkmem.names import is_note, name_of
from zkmem.past.old_texts import OldTexts
from zkmem.util.locks import Rank, lock
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.store import Store
from zkmem.vault.watch import own_edits

_MOST_TOGETHER = 32  # edits: readers wait meanwhile
_LONGEST_S = 1.0  # for planning edits that are made together; shorter than the default of `lock_timeout`


class EditRequest:
    """An edit that a thread has asked for: how to plan it, and its author. Later it has a result, or an error."""

    def __init__(self, planner: Planner, by: Author) -> None:
        self.planner = planner
        self.by = by
        self.wake = threading.Event()  # set when the request is answered, or when its thread is to lead
        self.outcome: Done | BaseException | None = None

    @property
    def answered(self) -> bool:
        """Whether the edit was made, or has failed."""
        return self.outcome is not None

    def succeed(self, done: Done) -> None:
        """Tell the thread of the request that its edit is made."""
        self.outcome = done
        self.wake.set()

    def fail(self, error: BaseException) -> None:
        """Raise an error in the thread of the request."""
        self.outcome = error
        self.wake.set()

    def result(self) -> Done:
        """Return the result, or raise the error."""
        if isinstance(self.outcome, Done):
            return self.outcome
        raise self.outcome or RuntimeError("the edit was not made")


class Requests:
    """The edits that wait. One thread at a time leads: it answers the requests that wait, the others wait for it."""

    def __init__(self, vault: VaultLock) -> None:
        """`vault` is the lock that a thread takes to answer requests."""
        self._vault = vault
        self._lock = lock(Rank.LEAF)
        self._waiting: deque[EditRequest] = deque()
        self._more: deque[EditRequest] = deque()  # further requests of the leading thread
        self._taken: list[EditRequest] = []  # the requests that the leading thread has taken
        self._has_leader = False
        self._rounds = 0  # how often a thread has led

    def __len__(self) -> int:
        """Return the number of requests that no thread has taken."""
        return len(self._waiting)

    @contextlib.contextmanager
    def turn(self, request: EditRequest, more: Sequence[EditRequest] = ()) -> Iterator[bool]:
        """Queue a request, and wait until another thread has answered it or this thread is the leader.

        Yield whether this thread is the leader. If it is, the block takes requests with `next`, that of this thread
        first, then those in `more`, and answers all that it takes. The caller repeats those that nobody took.

        Raises:
            Busy: when another thread has led for longer than the time-out of the lock, and has not taken the request.
        """
        self._vault.expect()
        with self._lock:
            self._waiting.append(request)
            leads, self._has_leader = not self._has_leader, True
        if not leads:
            self._wait(request)
        if request.answered:
            yield False
            return
        self._more = deque(more)
        try:
            yield True
        except BaseException as error:
            for each in self._taken:
                if not each.answered:
                    each.fail(error)
            raise
        finally:
            self._hand_over(request)

    def _wait(self, request: EditRequest) -> None:
        """Wait until a request is answered, or its thread is to lead."""
        before = self._rounds
        while not request.wake.wait(self._vault.timeout_s):
            with self._lock:
                is_stuck = self._rounds == before and request in self._waiting
                before = self._rounds
                if is_stuck:
                    self._waiting.remove(request)
            if is_stuck:
                raise self._vault.busy()

    def next(self) -> EditRequest | None:
        """Take the request that has waited longest, or one of the leading thread; None if no request waits."""
        with self._lock:
            queue = self._more if self._taken and self._more else self._waiting
            request = queue.popleft() if queue else None
        if request is not None:
            self._taken.append(request)
        return request

    def fail(self, error: BaseException) -> None:
        """Raise an error in all threads that wait."""
        self._more.clear()
        while (request := self.next()) is not None:
            request.fail(error)

    def _hand_over(self, request: EditRequest) -> None:
        """Have the next thread lead, if one waits."""
        self._taken = []
        self._more.clear()
        with self._lock:
            self._rounds += 1
            if request in self._waiting:  # the block failed before it took any
                self._waiting.remove(request)
            self._has_leader = bool(self._waiting)
            following = self._waiting[0] if self._waiting else None
        if following:
            following.wake.set()


class _Member(NamedTuple):
    """An edit that is planned, and not made yet."""

    request: EditRequest
    view: View
    plan: Plan
    targets: frozenset[str]  # paths that the edited notes link to before the edit


class Editor:
    """Makes edits in one vault, one after the other."""

    def __init__(
        self,
        store: Store,
        session: Session,
        journal: Journal,
        served: ReadTracker,
        past: OldTexts,
        recorder: Recorder,
    ) -> None:
        self._store = store
        self._session = session
        self._journal = journal
        self._served = served
        self._past = past
        self._recorder = recorder
        self._requests = Requests(journal.lock)

    @property
    def waiting(self) -> int:
        """How many edits wait."""
        return len(self._requests)

    def apply(self, planner: Planner, by: Author, freshness: Freshness = Freshness.EDITS) -> Done:
        """Plan an edit and carry it out. If a file changed meanwhile, repeat both from the new state."""
        return self._session.repeated(lambda: self._carried_out(EditRequest(planner, by)), freshness)

    def apply_all(self, edits: Sequence[tuple[Planner, Author]]) -> list[Done | BaseException]:
        """Carry out edits that do not depend on each other, many in one transaction.

        Return the result of each, or the error with which it failed. No edit is planned again.
        """
        requests = [EditRequest(planner, by) for planner, by in edits]
        self._session.prepare(Freshness.EDITS)
        while waiting := [one for one in requests if not one.answered]:
            with self._requests.turn(waiting[0], waiting[1:]) as leads:
                if leads:
                    self._lead()
        return [one.outcome for one in requests if one.outcome]

    def _carried_out(self, request: EditRequest) -> Done:
        """Carry out an edit, or wait until another thread has; return its result or raise its error."""
        with self._requests.turn(request) as leads:
            if leads:
                self._lead()
        return request.result()

    def _lead(self) -> None:
        """Make the edits that wait."""
        try:
            with self._journal.hold(), self._session.held(Freshness.EDITS):
                self._make(self._gathered())
        except Busy as error:  # the others have waited as long
            self._requests.fail(error)
            raise
        finally:
            self._store.unstage()

    def _gathered(self) -> list[_Member]:
        """Plan edits that wait, to be made in one transaction.

        Only edits that write files can be made together. One that moves a file, or is computed from the log of edits,
        needs the files and the log as the others leave them: then those before it are made here, and it is returned
        alone. A process that waits for the vault gives up if one hold of it takes too long, so no more are planned.
        """
        first = self._requests.next()
        members = self._alone(first) if first else []
        until = time.monotonic() + _LONGEST_S
        while members and members[-1].plan.only_writes and len(members) < _MOST_TOGETHER and time.monotonic() < until:
            request = self._requests.next()
            if request is None:
                break
            member = self._joined(members[-1].plan, request)
            if member is None:
                self._make(members)
                return self._alone(request)
            members.append(member)
        return members

    def _joined(self, before: Plan, request: EditRequest) -> _Member | None:
        """Plan an edit from the state that the plan `before` leaves; None if the two cannot be made together."""
        self._stage(before)
        with contextlib.suppress(Exception):  # it is planned again, after the others are made
            member = self._member(request)
            if member.plan.only_writes:
                return member
        return None

    def _alone(self, request: EditRequest) -> list[_Member]:
        """Plan an edit that joins no others. If that fails, tell the thread of the request, and return no edit."""
        try:
            return [self._member(request)]
        except Exception as error:  # noqa: BLE001 - the thread of the request raises it
            request.fail(error)
            return []

    def _member(self, request: EditRequest) -> _Member:
        view = self.view(request.by.reader)
        plan = self._plan(request.planner, view)
        return _Member(request, view, plan, frozenset(view.links.targets(plan.paths())))

    def _stage(self, plan: Plan) -> None:
        """Let the next edit be planned from the state that this plan leaves."""
        texts = {step.path: step.data for step in plan.steps if isinstance(step, Put)}
        self._session.live.stage(self._store.stage(texts))

    def _make(self, members: Sequence[_Member]) -> None:
        """Carry out edits in one transaction. If that fails, make each one alone: none may take others with it."""
        self._store.unstage()
        if not members:
            return
        paths = list(dict.fromkeys(path for one in members for path in one.plan.paths()))
        with own_edits.hold():
            self._recorder.before_edit(step for one in members for step in one.plan.steps)
            try:
                done = self._journal.apply([Planned(one.plan, one.request.by, one.view.versions()) for one in members])
            except Exception as error:  # noqa: BLE001 - the thread of the request raises it
                self._after_refusal(members, paths, error)
                return
            written = {path: each for one in members for path, each in one.plan.written(done.stamps).items()}
            with self._recorder.own(done.edits):
                self._session.live.take_in(paths, written)
        for (request, view, plan, targets), edit in zip(members, done.edits, strict=True):
            done_edit = Done(plan, view, edit, list(plan.remarks), targets)
            request.succeed(self._served.edited(done_edit, request.by.reader))

    def _after_refusal(self, members: Sequence[_Member], paths: Sequence[str], error: Exception) -> None:
        """Make each edit of a refused transaction alone; if it had only one, raise the error in that edit's thread."""
        if len(members) == 1:
            members[0].request.fail(error)
            return
        self._session.live.take_in(paths)  # as the files are on the disk
        for one in members:
            self._make(self._alone(one.request))

    def preview(self, planner: Planner, freshness: Freshness = Freshness.EDITS) -> Preview:
        """Return what an edit would change."""

        def preview(_: Index) -> Preview:
            view = self.view()
            return Preview.of(self._plan(planner, view), view)

        return self._session.read(preview, freshness)

    def for_editor(
        self, planner: Planner, texts: Mapping[str, bytes], freshness: Freshness = Freshness.EDITS
    ) -> EditorEdit:
        """Plan an edit for a text editor to make. `texts`: the texts of the files that are open in it, by path."""

        def edit(_: Index) -> EditorEdit:
            view = self.view().with_open(texts)
            return EditorEdit.of(self._plan(planner, view), view)

        return self._session.read(edit, freshness)

    def check(self, planner: Planner, freshness: Freshness = Freshness.EDITS) -> None:
        """Plan an edit only to get its errors."""
        self._session.read(lambda _: self._plan(planner, self.view()), freshness)

    def _plan(self, planner: Planner, view: View) -> Plan:
        plan = planner(view)
        plan.check_sizes(self._store.most_bytes)
        return plan._replace(remarks=(*plan.remarks, *_unreadable(plan, view)))

    def view(self, reader: Hashable = None) -> View:
        """Return the present view of the vault, for planners. `reader`: the session that makes the edit."""
        index = self._session.live.index
        return View(
            index,
            self._store,
            self._journal.versions,
            self._past,
            self._served,
            reader,
        )


def _unreadable(plan: Plan, view: View) -> Iterator[str]:
    """Yield a remark for each note whose properties cannot be read after an edit, unless it left them as they were."""
    for step in plan.steps:
        if not isinstance(step, Put) or not is_note(step.path) or step.path in plan.relinked:
            continue
        fault = frontmatter.fault(step.data)
        before = view.read(step.path) if fault and step.base else None
        if fault and (before is None or not frontmatter.fault(before) or _head(before) != _head(step.data)):
            yield f"the properties of {name_of(step.path)} cannot be read now ({fault}): mend them"


def _head(data: bytes) -> bytes:
    return data[: frontmatter.split(data)[2]]
