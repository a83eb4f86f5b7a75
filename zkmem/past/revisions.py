"""List the revisions of notes, with their authors, and compare the texts of two."""

import contextlib
import itertools
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import BadArgument, NoVersion, UnknownEdit, Unreadable
from zkmem.markdown.note import read_text
from zkmem.names import NOTE_SUFFIX, is_note, name_of
from zkmem.past.files import edited_files, trail
from zkmem.past.old_texts import OldTexts
from zkmem.past.sizes import SizeReader
from zkmem.util.spelling import quoted
from zkmem.util.threeway import unified
from zkmem.vault.journal.log import Edit, client_name, client_version, origin, undone_numbers
from zkmem.vault.journal.words import as_title, in_words
from zkmem.vault.paths import is_hidden

if TYPE_CHECKING:
    from zkmem.vault.git.commits import Commit

_MOST_SEARCHED = 1_000  # edits to search for the edits of commits
_MOST_COMPARED = 200  # notes whose texts are compared for one list
_MOST_FILES = 20  # notes of one edit that are compared
_NOTHING = "nothing"

_log = logging.getLogger(__name__)


class Revision(NamedTuple):
    """An edit by a tool, a change by another program, or a commit, for which only the first six fields are known."""

    rev: str  # the name of the revision, for `show` and `restore`
    time: float  # seconds since 1970
    author: str  # a client, by its name
    what: str  # the tool and the notes, or the subject of the commit
    words: str  # what it did, as a title
    notes: tuple[str, ...] = ()  # the notes that it changed
    tool: str = ""
    moves: tuple[tuple[str, str], ...] = ()  # the notes that it renamed: old and new name
    undoes: tuple[str, ...] = ()  # the `rev` of each edit that it undoes
    outside: str = ""  # if another program made the change, its kind: see `Edit`
    version: str = ""  # of the client
    undone: bool = False  # whether the edit is undone now

    @property
    def line(self) -> str:
        """Return the revision as a line of a list, in local time."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        who = origin(self.outside) or self.author
        about = ", ".join(filter(None, (who, "undone" if self.undone else "")))
        return f"{self.rev}  {when}  {self.words}" + (f"  ({about})" if about else "")


class Past(OldTexts):
    """The history of one vault: from git if that is used, else from the log of edits and the versions."""

    def revisions(self, path: str | None, count: int, by: str = "all") -> list[Revision]:
        """Return the last `count` changes, or those of one note under all its names; the newest first.

        `by`: whose changes: those by "tools", those by "others", which are other programs, or "all". With git, all are
        the edits that are not committed yet, then the commits. A caller who may not see all paths gets the edits that
        changed nothing else.
        """
        kinds = {"all": self.changes, "tools": self.backwards, "others": self._outside_changes}
        if by not in kinds:
            raise BadArgument(f"Changes by {quoted(by)} cannot be listed; give one of: {', '.join(kinds)}.")
        if by != "all" or not self._is_whole or self._mirror is None:
            return self._listed(kinds[by](), path, count)
        commits = list(self._commits(self._logged(path, count)))
        if not commits:
            return self._listed(self.changes(), path, count)
        return [*self._listed(self._mirror.pending(), path, count), *commits][:count]

    def commits(self, path: str, count: int) -> list[tuple[Revision, str]]:
        """Return the last `count` commits of a note, each with the hash of its call, as far as the commit has it.

        There are none without git, or if the caller may not see all paths.
        """
        commits = self._logged(path, count) if self._is_whole else []
        return list(zip(self._commits(commits), (one.call for one in commits), strict=True))

    def _logged(self, path: str | None, count: int) -> list["Commit"]:
        """Return the last `count` commits; none without git, or if it cannot be asked."""
        from zkmem.vault.git.command import GitTrouble, NotAllowed  # noqa: PLC0415 - only git needs it

        try:
            return self._mirror.history.log(path, count) if self._mirror else []
        except NotAllowed as error:
            _log.warning("%s", error)
        except GitTrouble:
            pass  # for example, there is no repository
        return []

    def numbered(self, number: int) -> Revision:
        """Return the edit, or the change by another program, with this number."""
        for edit in self.changes():
            if edit.number <= number:
                if edit.number == number:
                    return self._listed([edit], None, 1)[0]
                break
        raise UnknownEdit(number)

    def _listed(self, edits: Iterable[Edit], path: str | None, count: int) -> list[Revision]:
        """Return the first `count` of `edits`, which come newest first; with a `path`, only edits of the note there."""
        own = edits if path is None else (edit for edit, _ in trail(edits, path))
        chosen = list(itertools.islice(own, count))
        undone = self._undone_from(chosen[-1].number) if chosen else set[int]()
        sizes = SizeReader(self.compared, self.texts_of(()), _MOST_COMPARED)
        overwritten = {edit.number: overwritten_by(edit, sizes) for edit in chosen}
        return [_revision_of(edit, overwritten[edit.number])._replace(undone=edit.number in undone) for edit in chosen]

    def words(self, edits: Sequence[Edit]) -> dict[int, str]:
        """Return what each of some edits did, by their numbers. Of many, the texts of few notes are compared."""
        sizes = SizeReader(self.compared, self.texts_of(edits), _MOST_COMPARED)
        return {edit.number: in_words(edit, overwritten_by(edit, sizes)) for edit in edits}

    def _undone_from(self, number: int) -> set[int]:
        """Return the numbers of the edits from this one on that are undone, and of some before it."""
        return undone_numbers(itertools.takewhile(lambda edit: edit.number > number, self.backwards()))

    def _commits(self, commits: list["Commit"]) -> Iterator[Revision]:
        """Yield commits as revisions, each with what its edit did, or with its subject if the log lacks that edit."""
        subjects = {one.edit: one.subject for one in commits if one.edit}
        edits = itertools.islice(self._log.backwards(), _MOST_SEARCHED) if subjects else iter(())
        known = [edit for edit in edits if subjects.get(str(edit.number)) == edit.title()]
        revisions = {one.rev: one for one in self._listed(known, None, len(known))}
        for one in commits:
            edit = revisions.get(one.edit)
            yield Revision(
                rev=one.rev[:10],
                time=one.time,
                author=self._author(one),
                what=one.subject,
                words=edit.words if edit else one.subject,
                notes=_notes(one.paths),
                version=client_version(one.author),
                undone=edit is not None and edit.undone,
            )

    def _author(self, commit: "Commit") -> str:
        """Return the author of a commit, with the machine if it is another one."""
        here, author = self._mirror.machine if self._mirror is not None else "", client_name(commit.author)
        return f"{author} on {commit.machine}" if commit.machine not in {"", here} else author

    def texts(self, path: str, count: int) -> Iterator[bytes]:
        """Yield the texts that the note at a path had before and after its last `count` edits and commits."""
        files = (one for edit in self._log.backwards() for one in edited_files(edit))
        pairs = ((one.after, one.before) for one in files if path in (one.after.path, one.before.path))
        for pair in itertools.islice(pairs, count):
            for state in pair:
                is_here = state.path == path and state.etag is not None
                if is_here and (data := self._texts.text(state.etag or "")) is not None:
                    yield data
        for one in self.revisions(path, count) if self._mirror else ():
            with contextlib.suppress(NoVersion):
                yield self.text(path, one.rev).data

    def difference(self, path: str, rev: str | None, other: str | None) -> str:
        """Return a unified diff of a note, from the revision `rev` to `other`; None stands for the current text.

        If `rev` is None, the diff begins before the last edit of the note.
        """
        if rev is None:
            files = (file for _, file in trail(self._log.backwards(), path))
            state = next((one.before for one in files if one.before.etag != one.after.etag), None)  # moves do not count
            if state is None or not self._has(state.path):
                raise NoVersion(f"No edit that changed {quoted(name_of(path))} is known; name a revision.")
            rev = state.etag or _NOTHING
        before = b"" if rev == _NOTHING else self._left_by(path, rev)
        after = self._left_by(path, other) if other else self._now(path)
        names = f"{name_of(path)}@{rev}", f"{name_of(path)}@{other}" if other else name_of(path)
        return difference(read_text(before).shown, read_text(after).shown, names)

    def _now(self, path: str) -> bytes:
        """Return the bytes of a note on disk; none if it is gone."""
        try:
            return self._store.read(path)[0] if self._store.taken(path) else b""
        except OSError as error:
            raise Unreadable(f"{quoted(name_of(path))} cannot be read: {error.strerror or error}.") from error


def overwritten_by(edit: Edit, sizes: SizeReader) -> list[str]:
    """Return the paths of the notes that an edit has overwritten: see `sizes.py`."""
    joined = {path for pair in (*edit.merged, *edit.extracted) for path in pair}
    files = (one for one in edited_files(edit) if is_note(one.after.path) and one.before.path not in joined)
    texts = (one for one in files if one.was_there and one.is_there and one.segments and not one.is_relinked)
    found = ((one, sizes.sizes([one])) for one in itertools.islice(texts, _MOST_FILES))
    return [one.before.path for one, size in found if size and size.is_overwriting]


def _revision_of(edit: Edit, overwritten: Collection[str]) -> Revision:
    return Revision(
        rev=str(edit.number),
        time=edit.time,
        author=client_name(edit.client),
        what=edit.title(),
        words=as_title(edit, overwritten),
        notes=_notes(edit.paths()),
        tool=edit.tool,
        moves=tuple(
            (name_of(one.path), name_of(one.to))
            for one in edit.changes
            if one.to and _is_note(one.path) and _is_note(one.to)
        ),
        undoes=tuple(map(str, edit.undoes)),
        outside=edit.outside,
        version=client_version(edit.client),
    )


def _notes(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the notes among some paths."""
    return tuple(name_of(path) for path in paths if _is_note(path))


def _is_note(path: str) -> bool:
    return path.endswith(NOTE_SUFFIX) and not is_hidden(path)


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """Return a unified diff of two texts; an empty text if they are equal."""
    lines = unified(before.splitlines(keepends=True), after.splitlines(keepends=True), names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
