"""The report of a synchronisation, as lines for a person and as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from zkmem.names import name_of
from zkmem.sync.combining import Combined
from zkmem.util.spelling import number_of

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

    def add(self, combined: Combined) -> None:
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
