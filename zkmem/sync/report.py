"""The report of a synchronisation, as lines for a person and as JSON, and its result, saved in `.zkmem/sync.json`."""

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from zkmem.names import name_of
from zkmem.util.replacing import replace_file
from zkmem.util.spelling import number_of
from zkmem.vault import platform
from zkmem.vault.files import read
from zkmem.vault.journal.log import MALFORMED
from zkmem.vault.journal.state import StateFolder

if TYPE_CHECKING:
    from zkmem.sync.combining import Combined
    from zkmem.vault.git.command import Git

_MOST = 5


@dataclass
class Report:
    """What was fetched, merged and pushed. Notes and other files are given by their names."""

    remote: str = ""
    branch: str = ""
    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)  # also those that were only here, if their links were updated
    renamed: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    machines: list[str] = field(
        default_factory=list
    )  # whose commits were fetched; for one without a machine, its author
    merged: list[str] = field(default_factory=list)  # notes that both sides had changed
    conflicts: list[str] = field(default_factory=list)  # notes with a new callout
    kept: list[str] = field(default_factory=list)  # files that one side deleted and the other edited
    beside: list[str] = field(default_factory=list)  # files of which both versions are kept
    pushed: int = 0  # commits; in a dry run, those that would be pushed
    ahead: int = 0  # commits that are only here
    behind: int = 0  # commits that are only on the remote
    offline: str = ""  # why the remote could not be reached
    remarks: list[str] = field(default_factory=list)  # what else the user should know
    uncommitted: list[str] = field(default_factory=list)  # in a dry run: files edited or deleted by hand here
    dry_run: bool = False

    def add(self, combined: "Combined") -> None:
        """Add the details of a merge."""
        tree = combined.tree
        if tree is None:
            return
        for names, paths in (
            (self.merged, combined.changed_by_both),
            (self.conflicts, tree.conflicts),
            (self.kept, tree.kept),
            (self.beside, tree.beside),
        ):
            names += [name_of(path) for path in paths if name_of(path) not in names]

    def to_json(self) -> Mapping[str, Any]:
        """Return the report as an object of JSON."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """Yield the lines for a person."""
        came = self._came()
        if came:
            yield self._about_notes(came)
        if self.merged or self.conflicts:
            conflicts = f"; conflicts: {_listed(self.conflicts)} (see the callouts)" if self.conflicts else ""
            merged = "would be merged" if self.dry_run else "merged here"
            yield f"{merged}: {number_of(len(self.merged), 'note')}{conflicts}"
        if self.kept:
            yield f"edited by one side, so not deleted: {_listed(self.kept)}"
        if self.beside:
            yield f"both versions kept: {_listed(self.beside)}"
        yield from self.remarks
        if self.offline:
            waiting = f"; {number_of(self.ahead, 'commit')} will be pushed later" if self.ahead else ""
            yield f"offline: {self.offline}{waiting}"
        elif self.dry_run:
            if self.uncommitted:
                yield f"would be committed: edits by hand in {_listed(self.uncommitted)}"
            if self.pushed:
                yield f"would be pushed: {number_of(self.pushed, 'commit')}"
            elif not came:
                yield "up to date"
        elif self.pushed:
            later = f"; {number_of(self.ahead, 'commit')} made meanwhile will be pushed next time"
            yield f"pushed: {number_of(self.pushed, 'commit')}{later * bool(self.ahead)}"
        elif not came:
            yield "up to date"

    def _about_notes(self, came: str) -> str:
        """Return the line about the notes that changed here."""
        if not self.machines:  # there was nothing to fetch; somebody has merged with plain git, for example
            return f"links {'would be ' if self.dry_run else ''}updated in {_listed(self.changed)}"
        return f"{'would come from' if self.dry_run else 'from'} {self.remote}: {came}, by {_listed(self.machines)}"

    def _came(self) -> str:
        parts = [
            f"{number_of(len(names), 'note') if number == 0 else len(names)} {what}"
            for number, (names, what) in enumerate(
                (names, what)
                for names, what in (
                    (self.created, "new"),
                    (self.changed, "changed"),
                    (self.renamed, "renamed"),
                    (self.deleted, "deleted"),
                )
                if names
            )
        ]
        return ", ".join(parts) or ("only files that are no notes changed" if self.machines else "")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


class SyncState(NamedTuple):
    """The result of the last synchronisation."""

    time: float  # seconds since 1970
    succeeded: float  # the time of the last one that succeeded; 0 if there was none
    remote: str
    branch: str
    ahead: int  # commits that were only here; see `counted`
    behind: int  # commits that were only on the remote
    offline: str  # why the remote could not be reached; "" if it was reached
    trouble: str  # why it failed for another reason; "" if it did not fail for one

    @classmethod
    def after(cls, report: Report, trouble: str, before: "SyncState | None") -> Self:
        """Return the state after a synchronisation. `trouble`: why it failed; `before`: the state before it."""
        now = time.time()
        failed = trouble or report.offline
        succeeded = (before.succeeded if before else 0.0) if failed else now
        return cls(now, succeeded, report.remote, report.branch, report.ahead, report.behind, report.offline, trouble)

    @classmethod
    def load(cls, state: StateFolder) -> Self | None:
        """Return the state that was saved last; None if there is none."""
        with contextlib.suppress(OSError, *MALFORMED):
            saved = cls(**json.loads(read(state.path("sync.json"))[0]))
            if [type(value) for value in saved] == [float, float, str, str, int, int, str, str]:
                return saved
        return None

    def counted(self, git: "Git") -> Self:
        """Return the state with the numbers of commits that wait now; those on the remote are from the last fetch.

        If git cannot tell, the numbers stay as they were saved. `git`: the git command for the vault.
        """
        from zkmem.vault.git.command import GitTrouble  # noqa: PLC0415 - only a vault that was synchronised needs git
        from zkmem.vault.git.remote import Address, Remote  # noqa: PLC0415

        tracking = Remote(git, Address(self.remote, "", self.branch)).tracking
        with contextlib.suppress(GitTrouble):
            ahead, behind = git.run("rev-list", "--count", "--left-right", f"HEAD...{tracking}", "--").split()
            return self._replace(ahead=int(ahead), behind=int(behind))
        return self

    def save(self, state: StateFolder) -> None:
        """Save the state. If the process is killed meanwhile, the file has the old or the new state."""
        data = json.dumps(self._asdict(), ensure_ascii=False).encode() + b"\n"
        replace_file(state.path("sync.json"), data, durable=False, opener=platform.current.opened)
