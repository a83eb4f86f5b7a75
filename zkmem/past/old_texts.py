"""Read the texts that notes had: before and after edits, in revisions, and in the trash."""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import base_of, fold, name_of
from zkmem.past.earlier_files import COMMIT, HASH, EarlierFiles
from zkmem.past.earlier_texts import Texts, git_errors
from zkmem.past.files import FileState, edited_files, state_after, trail, written
from zkmem.past.moments import end_of, is_number
from zkmem.past.names import NOW
from zkmem.past.sizes import Compared
from zkmem.past.visible_edits import VisibleEdits
from zkmem.util.spelling import quoted
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Change, Edit, Log
from zkmem.vault.journal.outside import OutsideLog, by_number, newest
from zkmem.vault.journal.versions import Versions
from zkmem.vault.paths import TRASH, is_hidden
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from zkmem.vault.git.mirror import Mirror

_MOST_SEARCHED = 1_000  # edits to search for a deletion
_MOST_FOLLOWED = 10_000  # entries to search for the moment of a text whose bytes are known


def no_revision(path: str, rev: str) -> NoVersion:
    """Return the error about a revision that a note does not have, or whose text is gone.

    A caller who may not know of the revision gets the same error.
    """
    return NoVersion(f"{quoted(name_of(path))} has no revision {quoted(rev)}, or it is not kept any more. See the log.")


class OldText(NamedTuple):
    """A text that a note had: its bytes, a moment when the note had this text, and the path of the note then."""

    data: bytes
    path: str
    number: int  # the moment: the number of the last entry of the logs before it


class OldTexts(VisibleEdits):
    """The older texts of notes: from the versions, and from git if that is used."""

    def __init__(
        self,
        store: Store,
        log: Log,
        outside: OutsideLog,
        versions: Versions,
        mirror: "Mirror | None",
        earlier: EarlierFiles,
    ) -> None:
        """`outside`: the changes by other programs; `earlier`: the files of the vault at earlier moments."""
        super().__init__(log, outside)
        self._earlier = earlier
        self._store = store
        self._texts = Texts(store, versions)
        self._mirror = mirror
        self.compared = Compared()

    def text(self, path: str, rev: str) -> OldText:
        """Return the text that a note had in a revision: a date, the number of an edit, an etag or a revision of git.

        If the revision deleted the note, return the text that was deleted. The path and the number are those at the
        moment when the text was written, because another program may have renamed files since without updating links.
        """
        if end_of(rev) is not None:
            text = self._at_date(path, rev)
            if text is None:
                raise NoVersion(f"{quoted(name_of(path))} did not exist at that time ({rev}).")
        else:
            text = self._deleted_text(path, rev) or self._text(path, rev)
        return OldText(text.data, *written(self.entries(), FileState(text.path, etag(text.data)), text.number))

    def entries(self) -> Iterator[Edit]:
        """Yield the entries of both logs, the newest first."""
        return by_number(self._log.backwards(), self._outside.backwards())

    def _text(self, path: str, rev: str) -> OldText:
        text = self._by_number(path, int(rev)) if is_number(rev) else None
        if text is None and (data := self._texts.text(rev)) is not None:
            text = OldText(data, *(self._place_of(path, rev) or (path, self._last())))
        if text is None and (data := self._in_git(path, rev)) is not None:
            number = self._earlier.instant(rev).traced  # the commit may still have the text from before an edit by hand
            text = OldText(data, *(self._place_of(path, etag(data), until=number) or (path, number)))
        if text is None:
            raise no_revision(path, rev)
        return text

    def _place_of(self, path: str, tag: str, most: int | None = None, until: int = NOW) -> tuple[str, int] | None:
        """Return the path of a note when it had an etag, and the last moment up to `until` at which it had this etag.

        `most`: how many entries to search. Return None if none of them has it.
        """
        earliest: FileState | None = None
        for edit, file in trail(itertools.islice(self.entries(), most), path):
            for state, number in ((file.after, edit.number), (file.before, edit.number - 1)):
                if state.etag == tag and number <= until:
                    return state.path, number
            earliest = file.before
        return (earliest.path, until) if earliest and earliest.etag == tag else None

    def _last(self) -> int:
        """Return the number of the last entry of both logs."""
        last = newest(self._log.last(), self._outside.last())
        return last.number if last else 0

    def with_etag(self, path: str, tag: str, data: bytes | None = None) -> OldText | None:
        """Return the text with an etag that the note at a path had, also under an earlier name; None if not kept.

        `data`: its bytes, if they are known. Then only the last entries are searched, to find the moment of the text.
        """
        is_known = data is not None
        data = data if is_known else self._texts.text(tag)
        place = None if data is None else self._place_of(path, tag, _MOST_FOLLOWED if is_known else None)
        if data is None or not (is_known or place or self.version(path, tag)):
            return None
        return OldText(data, *(place or (path, self._last())))

    def _at_date(self, path: str, date: str) -> OldText | None:
        """Return the text that a note had when a date was over; None if it did not exist then."""
        earlier = self._earlier
        instant = earlier.instant(date)
        for old_path in earlier.places(instant, path, is_there=self._store.taken(path)):
            version = earlier.version(instant, old_path) if self._has(old_path) else None
            if version is not None:
                return OldText(earlier.text(instant, old_path, version), old_path, instant.traced)
        return None

    def renamed(self, path: str) -> str | None:
        """Return the present path of the note that was at a path last; None if it was not renamed, or is gone."""
        logged = self._earlier.logged
        logged.update()
        now = logged.names.renamed(path)
        return now if now is not None and not is_hidden(now) and self._has(now) else None

    def _deleted_text(self, path: str, rev: str) -> OldText | None:
        """Return the text that a note had before a revision deleted it; None if the revision did not."""
        if not is_number(rev):
            data = self._in_git(path, rev, "~1") if self._is_deleted(path, rev) else None
            return None if data is None else OldText(data, path, self._earlier.instant(rev).traced - 1)
        tag = self._deleted_etag(path, int(rev))
        data = None if tag is None else self._texts.text(tag)
        if tag is not None and data is None:
            raise NoVersion(
                f"Change {rev} deleted {quoted(name_of(path))}, and the text that it had before is not kept."
            )
        return None if data is None else OldText(data, path, int(rev) - 1)

    def _is_deleted(self, path: str, rev: str) -> bool:
        """Return whether a revision may have deleted a note: whether it did not exist after that."""
        if is_number(rev):
            return self._deleted_etag(path, int(rev)) is not None
        return self._texts.text(rev) is None and self._in_git(path, rev) is None

    def _deleted_etag(self, path: str, number: int) -> str | None:
        """Return the etag of a note before the edit, or change by another program, with a number deleted it."""
        edits = self.entries()
        edit = next(itertools.dropwhile(lambda edit: edit.number > number, edits), None)
        if edit is None or edit.number != number or not self._has(path):
            return None
        return next((one.before.etag for one in edited_files(edit) if one.before.path == path and one.is_deleted), None)

    def _in_git(self, path: str, rev: str, step: str = "") -> bytes | None:
        """Return the bytes that a note had in a revision of git; None without git, or if it did not exist then.

        `step`: from the revision to another one, such as "~1". A caller who may not see all paths can only give the
        hash of a commit.
        """
        if self._mirror is None:
            return None
        if not (COMMIT if self._is_whole else HASH).fullmatch(rev):
            more = ", a branch, a tag or HEAD, each also with ~1" if self._is_whole else ""
            raise NoVersion(
                f"{quoted(rev)} is no revision: give a number or commit from the log, a date, an etag{more}."
            )

        def earlier(commit: str) -> str | None:
            return self._earlier.earlier_path(self._earlier.instant(commit), path)

        with git_errors(str(no_revision(path, rev))):
            return self._mirror.history.text(rev + step, path, self._has, earlier)

    def _by_number(self, path: str, number: int) -> OldText | None:
        if number > self._last():
            return None
        changes = self.entries()
        try:
            old_path, old_etag = state_after(changes, path, number)
        except NoVersion:  # the message of `text` does not say whether there was an edit with this number
            return None
        if not self._has(old_path):
            return None
        if old_etag is None:
            before = f", called {quoted(name_of(old_path))} before," if old_path != path else ""
            other = self._namesake(path, number)
            more = f" For the other note of that name, give {quoted('/' + name_of(other))}." if other else ""
            raise NoVersion(f"{quoted(name_of(path))}{before} did not exist after edit {number}.{more}")
        if self._earlier.logged.update() and self._earlier.logged.entry(number):
            instant = self._earlier.instant(str(number))
            version = self._earlier.version(instant, old_path)
            is_answer = self._mirror is None or instant.commit  # git may know none of that time
            # another program may have written the text of `old_etag` later
            if is_answer and version is not None and version.etag != old_etag:
                return OldText(self._earlier.text(instant, old_path, version), old_path, number)
        data = self._texts.text(old_etag, path, old_path)
        return None if data is None else OldText(data, old_path, number)

    def _namesake(self, path: str, number: int) -> str | None:
        """Return the path of another file whose last component was equal and that was there before or after an edit."""
        logged = self._earlier.logged
        logged.update()
        names = logged.names
        others = sorted((one for one in names.named(base_of(fold(path))) if one != path and self._has(one)), key=len)
        last = ((other, names.steps_until(other, number)[0]) for other in others)
        return next((other for other, step in last if step and (step.after or step.number == number)), None)

    def _left_by(self, path: str, rev: str) -> bytes:
        """Return the bytes of a note in a revision; none if the revision deleted it, or it did not exist at a date."""
        if end_of(rev) is not None:
            text = self._at_date(path, rev)
            return text.data if text else b""
        if not self._is_deleted(path, rev):
            return self._text(path, rev).data
        if not is_number(rev) and self._in_git(path, rev, "~1") is None:
            raise no_revision(path, rev)
        return b""

    def deleted(self, path: str) -> tuple[Edit, Change] | None:
        """Return the edit and the change that moved the note at `path`, or one whose path ends with it, to the trash.

        Return None if the file is no longer in the trash, or if none of the last 1,000 edits moved it there.
        """
        ending, touched = "/" + fold(path), set[str]()
        for edit in itertools.islice(self._log.backwards(), _MOST_SEARCHED):
            for change in reversed(edit.changes):
                paths = {change.path, change.to or change.path}
                if touched.isdisjoint(paths) and self._is_deletion(change, ending):
                    return edit, change
                touched |= paths
        return None

    def _is_deletion(self, change: Change, ending: str) -> bool:
        """Return whether a change moved a note whose path has this ending to the trash, and its file is still there."""
        to = change.to or ""
        matches = to.startswith(TRASH + "/") and ("/" + fold(change.path)).endswith(ending)
        return matches and self._has(change.path) and self._store.stamp(to) is not None

    def version(self, path: str, old_etag: str) -> bytes | None:
        """Return the text with an etag that the note at this path had before or after an edit; None if not kept."""
        edits = self.entries()
        wanted = FileState(path, old_etag)
        is_known = any(wanted in (one.before, one.after) for edit in edits for one in edited_files(edit))
        return self._texts.text(old_etag) if is_known else None

    def kept(self) -> Callable[[str], bytes | None]:
        """Return a function that returns the bytes with an etag; None if they are not kept, or not for the caller.

        A caller who may not see all paths gets a text if a file had it at a path that the caller may see.
        """
        if self._is_whole:
            return self._texts.text
        may_see = self._may_see(())
        return lambda tag: self._texts.text(tag) if may_see(tag) else None

    def _may_see(self, edits: Iterable[Edit]) -> Callable[[str], bool]:
        """Return a function that tells whether the caller may see the text with an etag: see `kept`.

        The function reads the logs when it gets an etag that is not in `edits`.
        """
        tags = self._tags(edits)

        @functools.cache
        def every_tag() -> set[str | None]:
            return self._tags(self.entries())

        return lambda tag: tag in tags or tag in every_tag()

    def _tags(self, edits: Iterable[Edit]) -> set[str | None]:
        """Return the etags that files had before or after some edits at paths that the caller may see."""
        states = (state for edit in edits for one in edited_files(edit) for state in (one.before, one.after))
        return {state.etag for state in states if self._has(state.path)}

    def texts_of(self, edits: Iterable[Edit]) -> Callable[[str, str], bytes | None]:
        """Return a function for the texts before and after some edits that the caller may see.

        It returns the bytes with an etag that the note at a path had; None if they are not kept, or if the caller may
        not see them: see `kept`.
        """
        may_see = (lambda _: True) if self._is_whole else self._may_see(edits)

        return lambda path, tag: self._texts.text(tag, path) if may_see(tag) else None
