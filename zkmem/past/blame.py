"""Find the edit that wrote each word of a note: follow the words back through the entries of the logs.

Text that moved within a note, or between notes in one edit (merges and extractions), belongs to the edit that wrote it.
So does text that an undo or a restore has brought back, and text in which only links were updated for a renamed note.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from zkmem.markdown.note import read_text
from zkmem.past.files import BRING_BACK, EditedFile, edited_files
from zkmem.past.flow import MarkedLine, MarkedText, StepBack, follow_moved
from zkmem.vault.journal.log import AWAY, Edit

_MOST_TEXTS = 4_000  # that are read for one note
_MOST_SOURCES = 20  # notes of one edit that are searched for moved text

UNSEEN = Edit(0, 0.0, "", "", (), outside=AWAY)
"""Stands for a change that no entry of the logs has."""

ReadText = Callable[[str, str], bytes | None]
"""Returns the text with an etag that the note at a path had; None if it is not known."""


class WordOrigin(NamedTuple):
    """The edit that wrote some words; no edit if they are older than the logs."""

    edit: Edit | None
    path: str  # the note in which it wrote them, as it was called then
    earliest: int | None = None  # if an earlier edit may have written them: the number of the earliest, 0 if unknown
    commit: str = ""  # of what a synchronisation brought: the commit that wrote it, as far as git knows it


class _File:
    """A file as it was after some edit, as the walk back has come to it."""

    def __init__(self, text: MarkedText, tag: str | None, skipped: Edit | None = None) -> None:
        """`skipped`: the newest edit after which the text is not known; `text` is that after later edits, then."""
        self.text = text
        self.tag = tag
        self.skipped = skipped


class _Lost(NamedTuple):
    """A line that an edit has brought back, and the edits that may have removed it; None for any."""

    line: MarkedLine
    removed_by: frozenset[int] | None
    origin: WordOrigin


class Blame:
    """The way back from the present text of a note."""

    def __init__(self, path: str, tag: str, text: MarkedText, read: ReadText, has: Callable[[str], bool]) -> None:
        """`text`: its words are marked with numbers from 0 on; `has`: whether the file at a path may be looked at."""
        self._read_bytes, self._has = read, has
        self._files = {path: _File(text, tag)}
        self._lost: dict[str, list[_Lost]] = {}
        self._left = sum(len(word) for marks in text.marks for word in marks or ())
        self._texts_left = _MOST_TEXTS
        self.origins: dict[int, WordOrigin] = {}

    @property
    def is_done(self) -> bool:
        """Whether the origin of all words is known."""
        return self._left == 0

    def finish(self) -> None:
        """Give the words that are left an origin: they are older than the logs, or than the texts that are kept."""
        for path, file in self._files.items():
            edit = file.skipped
            self._assign(file.text.part(0, len(file.text.lines)), WordOrigin(edit, path, 0 if edit else None))
        for lost in (one for some in self._lost.values() for one in some):
            self._assign([lost.line], lost.origin)

    def back(self, edit: Edit) -> None:
        """Go back to the moment before an edit. Edits come newest first."""
        if not any(path in self._files or path in self._lost for path in edit.paths()):
            return
        files = [file for file in edited_files(edit) if file.is_note]
        later = [self._files.pop(file.after.path, None) for file in files]
        for file in files:
            if (other := self._files.pop(file.before.path, None)) is not None:  # nothing says how it came there
                self._assign(other.text.part(0, len(other.text.lines)), WordOrigin(UNSEEN, file.before.path))
        steps = dict[int, StepBack]()
        new = dict[int, list[MarkedLine]]()
        for number, (file, now) in enumerate(zip(files, later, strict=True)):
            if now is not None and (step := self._step(edit, file, now)):
                steps[number], new[number] = step, step.new
        if any(new.values()):
            self._add_sources(edit, files, steps)
            for number, lines in new.items():
                new[number] = steps[number].follow_words(follow_moved(lines, list(steps.values())))
        self._find_lost(edit, files, steps)
        for number, lines in new.items():
            self._bring_home(edit, files[number], later[number], lines)
        for number, step in steps.items():
            before = files[number].before
            if (known := self._files.get(before.path)) is not None:  # other words of this text are followed already
                known.text.add_all(step.before)
            elif before.etag is not None and any(step.before.marks):
                self._files[before.path] = _File(step.before, before.etag)

    def _step(self, edit: Edit, file: EditedFile, now: _File) -> StepBack | None:
        """Return the way back over an edit of a file; None if its text stayed, or if the text before is not known."""
        self._fill_gap(file, now)
        before = file.before
        if before.etag == file.after.etag:
            self._files[before.path] = now
            return None
        now.text.keys = now.text.lines
        text = self._text(before.path, before.etag, now.text) if self._has(before.path) else MarkedText("")
        if text is None:
            now.skipped, now.tag = now.skipped or edit, before.etag
            self._files[before.path] = now
            return None
        if file.is_relinked and now.skipped is None and len(text.lines) == len(now.text.lines):
            text.keys = now.text.keys
        elif edit.merged or edit.extracted or edit.undoes or edit.tool in BRING_BACK:
            text.compare_moved()
            now.text.compare_moved()
        return StepBack(text, now.text)

    def _fill_gap(self, file: EditedFile, now: _File) -> None:
        """Go back over a change between this edit of a file and the next one, which no entry of the logs has."""
        after = file.after
        if now.tag == after.etag:
            return
        text = self._text(after.path, after.etag, now.text)
        if text is None:
            now.skipped = now.skipped or UNSEEN
            return
        step = StepBack(text, now.text)
        origin = WordOrigin(now.skipped or UNSEEN, after.path, None if now.skipped is None else 0)
        self._assign(step.follow_words(follow_moved(step.new, [step])), origin)
        now.text, now.skipped = text, None

    def _text(self, path: str, tag: str | None, like: MarkedText | None = None) -> MarkedText | None:
        """Return the text with an etag; an empty one without an etag, when there was no file."""
        if tag is None:
            return MarkedText("")
        self._texts_left -= 1
        data = self._read_bytes(path, tag) if self._texts_left >= 0 else None
        return None if data is None else MarkedText(read_text(data).shown, like)

    def _add_sources(self, edit: Edit, files: Sequence[EditedFile], steps: dict[int, StepBack]) -> None:
        """Add the steps of other notes from which the edit may have moved text."""
        for number, file in enumerate(files):
            is_source = number not in steps and (file.before.etag != file.after.etag or file.is_deleted)
            if is_source and len(steps) < _MOST_SOURCES and (step := self._other_step(edit, file)):
                steps[number] = step

    def _other_step(self, edit: Edit, file: EditedFile) -> StepBack | None:
        """Return the way back over an edit of a file of which no words are followed yet."""
        known = self._files.get(file.before.path)
        if file.before.etag is None or not self._has(file.before.path) or (known and known.skipped):
            return None
        before, after = self._text(file.before.path, file.before.etag), None
        if file.is_there and self._has(file.after.path):
            after = self._text(file.after.path, file.after.etag)
        if before is None:
            return None
        if edit.merged or edit.extracted or edit.undoes:
            before.compare_moved()
            if after is not None:
                after.compare_moved()
        return StepBack(before, after)

    def _find_lost(self, edit: Edit, files: Sequence[EditedFile], steps: dict[int, StepBack]) -> None:
        """Find the lines that later edits have brought back in the texts before this edit, which removed them."""
        for number, file in enumerate(files):
            if file.after.path != file.before.path and file.after.path in self._lost:
                self._lost.setdefault(file.before.path, []).extend(self._lost.pop(file.after.path))
            lost = self._lost.get(file.before.path, [])
            fit = [one.line for one in lost if one.removed_by is None or edit.number in one.removed_by]
            if fit and number not in steps and (step := self._other_step(edit, file)):
                steps[number] = step
            if fit and number in steps:
                left = set(map(id, follow_moved(fit, [StepBack(steps[number].before, None)])))
                found = {id(line) for line in fit} - left
                self._lost[file.before.path] = [one for one in lost if id(one.line) not in found]

    def _bring_home(self, edit: Edit, file: EditedFile, now: _File | None, lines: Sequence[MarkedLine]) -> None:
        """Give words that an edit wrote their origin, or look for them further back if it brought them back."""
        skipped = now.skipped if now else None
        origin = WordOrigin(skipped or edit, file.after.path, edit.number if skipped else None)
        if edit.tool not in BRING_BACK or skipped:
            self._assign(lines, origin)
            return
        removed_by = frozenset(edit.undoes) or None
        self._lost.setdefault(file.before.path, []).extend(_Lost(line, removed_by, origin) for line in lines)

    def _assign(self, lines: Iterable[MarkedLine], origin: WordOrigin) -> None:
        for word in (number for line in lines for numbers in line.marks or () for number in numbers):
            self.origins[word] = origin
            self._left -= 1


def commit_origins(
    text: MarkedText, origins: Mapping[int, WordOrigin], texts: Iterable[tuple[str, bytes]]
) -> dict[int, WordOrigin]:
    """Return the origins of the words that a synchronisation brought, with the commits that wrote them.

    `text`: the present text, marked; `texts`: the commits of the note and its text in each, the newest first.
    """
    synchronised = {word for word, one in origins.items() if one.edit is not None and one.edit.commit}
    text.marks = [
        tuple(tuple(synchronised.intersection(word)) for word in marks) if marks else None for marks in text.marks
    ]
    commits, later = dict[int, WordOrigin](), ""
    for commit, data in texts if synchronised else ():
        before = MarkedText(read_text(data).shown, text)
        step = StepBack(before, text)
        left = step.follow_words(follow_moved([line for line in step.new if any(line.marks or ())], [step]))
        words = (word for line in left for marks in line.marks or () for word in marks)
        commits |= {word: origins[word]._replace(commit=later) for word in words}
        text, later = before, commit
    rest = (word for marks in text.marks for numbers in marks or () for word in numbers)
    return commits | {word: origins[word]._replace(commit=later) for word in rest}
