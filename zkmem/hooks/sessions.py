"""Remember what each session of a client was given and has used, in `.zkmem/sessions/`: a small file for each session.

The log of what was given, `.zkmem/given.jsonl`, is for the person: see `given`.
"""

import contextlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.clients.events import END
from zkmem.errors import Busy
from zkmem.hooks.request import HookEvent
from zkmem.util.replacing import replace_file
from zkmem.vault import platform
from zkmem.vault.files import read, read_part, write_all
from zkmem.vault.journal.lock import LockFile
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.origins import Conversation, Conversations
from zkmem.vault.journal.state import StateFolder, unwritable

_FOLDER, _LOCK, _GIVEN = "sessions", "sessions.lock", "given.jsonl"
_AGAIN_S = 10.0  # a second hook for the same event within this time gets no answer
_PATIENCE_S = 0.2  # how long to wait for another hook's lock
_LONG_PATIENCE_S = 10.0  # how long a command waits for a hook
_MOST_SESSIONS = 200
_MOST_NAMES = 500  # of each kind in a session
_LONGEST_TITLE = 60  # characters
_LAST_TIME = 253_402_300_800  # the end of the year 9999
_MOST_BYTES = 1_000_000  # of a session's file, and of the log, which is then cut to its newer half


COMPACTION = "compaction"
"""In the log, the start of a session that goes on with a summary of itself."""


class HookSession(NamedTuple):
    """What is known of a session."""

    answered: Mapping[str, float] = {}  # when each event was last answered, in seconds since 1970
    began: float = 0.0
    prompts: int = 0
    given: tuple[str, ...] = ()  # the names of notes, in order; so are the next two
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    was_shown: bool = False  # whether the person was shown the line about what was given
    was_asked: bool = False  # whether the model was asked if something should be kept
    title: str = ""  # the beginning of the person's first message, without secrets
    said: str = ""  # that of the last one

    @classmethod
    def of(cls, data: bytes) -> "HookSession":
        """Return the session in a file."""
        one = cls(**json.loads(data))
        given, used, written = (tuple(map(str, part)) for part in (one.given, one.read, one.written))
        times = {str(key): float(when) for key, when in one.answered.items()}
        flags = bool(one.was_shown), bool(one.was_asked)
        about = float(one.began), int(one.prompts), given, used, written
        return cls(times, *about, *flags, str(one.title), str(one.said))

    def heard(self, said: str) -> "HookSession":
        """Return the session after a message of the person, of which `said` is kept; "" for no message."""
        return self._replace(title=self.title or said[:_LONGEST_TITLE], said=said or self.said)


class Given(NamedTuple):
    """Something that a session was given."""

    time: float  # seconds since 1970
    client: str
    session: str  # the hash of its name
    event: str  # one of `clients.events.EVENTS`, or `COMPACTION`
    notes: list[str]  # their names
    characters: int  # of the text


class HookSessions:
    """The sessions of one vault."""

    def __init__(self, vault: str) -> None:
        """Remember the vault's real path; read nothing yet."""
        self._state = StateFolder(vault)

    def begin(self, request: HookEvent, said: str = "") -> HookSession | None:
        """Return the session of a request, and count the request; None if the same event was answered just now.

        `said`: what to keep of the person's message.
        """
        with self._locked():
            now = time.time()
            session = self._load(request.session)
            key = (
                f"{request.key} {session.prompts}" if request.event == END else request.key
            )  # two turns may end quickly one after the other
            if abs(now - session.answered.get(key, 0)) < _AGAIN_S:
                return None
            lately = {key: when for key, when in session.answered.items() if abs(now - when) < _AGAIN_S}
            session = session._replace(
                answered=lately | {key: now},
                began=session.began or now,
                prompts=session.prompts + bool(request.prompt),
            ).heard(said)
            self._save(request.session, session)
            return session

    def take_back(self, request: HookEvent) -> None:
        """Forget a request that has got no answer, so that another process may answer it."""
        self.change(
            request,
            lambda now: now._replace(
                answered={key: when for key, when in now.answered.items() if key != request.key},
                prompts=now.prompts - bool(request.prompt),
            ),
        )

    def change(
        self,
        request: HookEvent,
        change: Callable[[HookSession], HookSession],
        given: Given | None = None,
        *,
        log_name: str = "",
    ) -> None:
        """Change what is known of the session of a request, and log what it was given.

        `log_name`: how the client's name begins in the log, to keep that the call of the request was made in this
        session.
        """
        with self._locked():
            session = change(self._load(request.session))
            self._save(request.session, session)
            if given:
                self._log(given)
            if log_name and request.call:
                about = request.call, time.time(), log_name, request.session, session.title, session.said
                Conversations(self._state).add(Conversation(*about))

    def keep(self, conversations: Iterable[Conversation]) -> None:
        """Keep conversations that are imported."""
        with self._locked(_LONG_PATIENCE_S):
            Conversations(self._state).add(*conversations)

    def given(self, count: int) -> list[Given]:
        """Return the last `count` entries of the log of what was given, the newest first."""
        try:
            data, _ = read_part(self._state.path(_GIVEN), 0, 2 * _MOST_BYTES)
        except OSError:
            return []
        entries = []
        for line in reversed(data.split(b"\n")):
            with contextlib.suppress(*MALFORMED):
                entries.append(_given(json.loads(line)))
            if len(entries) == count:
                break
        return entries

    def used_since(self, time: float) -> tuple[int, set[str]]:
        """Return how many sessions began after a time and used notes, and the names of these notes, as given."""
        full, used, count = self._state.path(_FOLDER), set[str](), 0
        with contextlib.suppress(OSError), platform.current.listed(full) as entries:
            for entry in itertools.islice(entries, 2 * _MOST_SESSIONS):
                session = self._load(entry.name.removesuffix(".json"))
                if session.began > time and (session.read or session.written):
                    count += 1
                    used.update(session.read, session.written)
        return count, used

    @contextlib.contextmanager
    def _locked(self, patience_s: float = _PATIENCE_S) -> Iterator[None]:
        """Hold the lock of the sessions during the block."""
        self._state.ensure()
        lock = LockFile(self._state.path(_LOCK))
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._state.path(_FOLDER))
            if not lock.acquire(patience_s):
                raise Busy("Another hook keeps the lock of the sessions.")
            try:
                yield
            finally:
                lock.release()
        except OSError as error:
            raise unwritable(error) from error

    def _file(self, key: str) -> str:
        return self._state.path(_FOLDER, f"{key}.json")

    def _load(self, key: str) -> HookSession:
        with contextlib.suppress(OSError, *MALFORMED):
            return HookSession.of(read(self._file(key), _MOST_BYTES)[0])
        return HookSession()

    def _save(self, key: str, session: HookSession) -> None:
        full = self._file(key)
        if not platform.current.exists(full):
            self._forget_oldest()
        data = json.dumps(session._asdict(), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        replace_file(full, data + b"\n", mode=0o600, durable=False, opener=platform.current.opened)

    def _forget_oldest(self) -> None:
        """Remove the files of the sessions that were used least recently, so that there is room for one more."""
        with platform.current.listed(self._state.path(_FOLDER)) as entries:
            files = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.is_file()]
        for _, name in sorted(files)[: max(0, len(files) - _MOST_SESSIONS + 1)]:
            platform.current.unlink(self._state.path(_FOLDER, name))

    def _log(self, given: Given) -> None:
        full, how = self._state.path(_GIVEN), os.O_RDWR | os.O_CREAT | os.O_APPEND
        handle = platform.current.opened(full, how, 0o600)
        try:
            write_all(handle, json.dumps(given._asdict(), separators=(",", ":")).encode() + b"\n")
            size = platform.current.info_of(handle).st_size
        finally:
            os.close(handle)
        if size > _MOST_BYTES:
            data, _ = read_part(full, size // 2, size)
            replace_file(full, data[data.index(b"\n") + 1 :], like=full, durable=False, opener=platform.current.opened)


def hooks_are_used(state: StateFolder) -> bool:
    """Return whether hooks have been used in a vault."""
    return os.path.isdir(state.path(_FOLDER))


def with_names(names: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """Return names with more of them, each once. If there are too many, the oldest are left out."""
    return tuple(dict.fromkeys((*names, *more)))[-_MOST_NAMES:]


def _given(values: dict[str, object]) -> Given:
    """Return the entry that a JSON object describes."""
    one = Given(**values)  # type: ignore[arg-type]
    texts = (one.client, one.session, one.event, *one.notes)
    if not all(type(text) is str for text in texts) or type(one.notes) is not list:
        raise ValueError("a text is of another type")
    if not 0 <= (when := float(one.time)) < _LAST_TIME:
        raise ValueError("no calendar has this time")
    return one._replace(time=when, characters=int(one.characters))
