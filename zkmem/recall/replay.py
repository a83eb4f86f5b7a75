"""Replay edits on the map: which notes and links came and went with each of them.

A copy of the index goes back to the files before the first edit, and takes one edit after the other. It resolves links
as the index of the present does, and at the end it is as the vault is now.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.index.catalog import CatalogRow
from zkmem.index.graph import MANY, MISSING, counts, is_missing
from zkmem.index.index import Index
from zkmem.index.lookup import name_for
from zkmem.index.resolve import missing_key
from zkmem.markdown.note import parse
from zkmem.names import is_note, name_of
from zkmem.past.sizes import TextOf
from zkmem.vault.files import Stamp
from zkmem.vault.journal.log import Edit, client_name
from zkmem.vault.paths import is_hidden

MOST_STEPS = 1_000
"""The most edits of one replay."""

_MOST_LINKS = 50_000  # that came or went
_MOST_BYTES = 50_000_000  # of older texts whose links are read
_NO_STAMP = Stamp(0, 0, 0, 0)


class ReplayNode(NamedTuple):
    """A note, or a target without a note."""

    name: str
    missing: bool


class ReplayStep(NamedTuple):
    """What came and went with an edit, as indices of the nodes.

    A step without an edit has what other edits did: those between two edits of a sitting, or those after the last one.
    """

    edit: int | None  # its number
    edits: int  # how many edits the step stands for
    time: float  # of the last one, in seconds since 1970
    client: str
    outside: str  # see `Edit`
    words: str  # what it did; "" for other edits
    new: list[int]
    gone: list[int]
    changed: list[int]  # notes whose texts changed, but not those in which only links were updated
    renamed: list[int]  # old, new, old, new, ...
    links: list[int]  # source, target, source, target, ...: those that came
    cut: list[int]  # those that went


class Replay(NamedTuple):
    """Some edits in their order. Notes and links that no step names were there before, and are there now."""

    edits: int  # how many there are; of very many, the steps have the last ones
    steps: list[ReplayStep]
    nodes: list[ReplayNode]


def replay(
    index: Index,
    edits: Sequence[Edit],
    chosen: Mapping[int, str],
    text: TextOf,
    has: Callable[[str], bool],
) -> Replay:
    """Return what came and went with each of the `chosen` edits, and what others did meanwhile and since.

    `index`: a copy of the index of the present, which is changed; `edits`: all edits from the first chosen one on, in
    order; `chosen`: what each of the chosen ones did, in words; `has`: whether the caller may know of the file at a
    path.
    """
    replayer = _Replayer(index, edits, text, has)
    *runs, since = _runs(edits, chosen)
    steps = [replayer.step(run, chosen.get(run[0].number, "")) for run in runs]
    if edits and (last := replayer.end(since, edits[-1].time)):
        steps.append(last)
    return Replay(len(chosen), steps, replayer.nodes)


def _runs(edits: Iterable[Edit], chosen: Collection[int]) -> Iterator[list[Edit]]:
    """Yield each chosen edit by itself, and the others between two of them together; the last ones may be none."""
    others: list[Edit] = []
    for edit in edits:
        if edit.number not in chosen:
            others.append(edit)
            continue
        if others:
            yield others
        yield [edit]
        others = []
    yield others


class _Replayer:
    """An index that goes from one edit to the next, and the nodes that its steps have named."""

    def __init__(self, index: Index, edits: Iterable[Edit], text: TextOf, has: Callable[[str], bool]) -> None:
        self.nodes: list[ReplayNode] = []
        self._index, self._text, self._has = index, text, has
        self._links_left, self._bytes_left = _MOST_LINKS, _MOST_BYTES
        self._numbers: dict[str, int] = {}  # of the nodes
        rows = index.catalog.rows
        self._present = index.catalog.snapshot()
        self._facts = {row.etag: row.facts for row in rows.values() if row.etag and row.facts}
        self._changed = index.links.follow()
        before = _states_before(edits)
        self._touched = set(before)
        self._put(self._rows(before))
        self._changed.clear()

    def step(self, edits: Sequence[Edit], words: str) -> ReplayStep:
        """Go on by one chosen edit, which has words, or by some others; return what came and went."""
        states: dict[str, str | None] = {}
        for edit in edits:
            states |= edit.etags()
        last, moves = edits[-1], [(one.path, one.to) for one in edits[-1].changes if one.to]
        step = self._taken(self._rows(states), moves if words else [])._replace(edits=len(edits), time=last.time)
        if not words:
            return step
        changed = [self._number(path) for path in _changed_notes(last) if self._shows(path)]
        client = client_name(last.client)
        return step._replace(edit=last.number, client=client, outside=last.outside, words=words, changed=changed)

    def end(self, since: Sequence[Edit], time: float) -> ReplayStep | None:
        """Go to the present; return None if the vault is there already. `since`: the edits after those chosen."""
        rows = self._present.rows
        step = self._taken({path: rows.get(path) for path in self._touched})
        is_seen = since or step.new or step.gone or step.links or step.cut
        return step._replace(edits=len(since), time=time) if is_seen else None

    def _rows(self, states: Mapping[str, str | None]) -> dict[str, CatalogRow | None]:
        """Return rows of files with these etags, or None for a file that is not there."""
        return {path: self._row(path, tag) if tag else None for path, tag in states.items() if not is_hidden(path)}

    def _row(self, path: str, tag: str) -> CatalogRow:
        """Return the row of a file with an etag. If its text is not kept, the row has the links of another time."""
        now = self._present.rows.get(path)
        if not is_note(path) or (now and now.etag == tag):
            return now or CatalogRow(_NO_STAMP)
        if tag not in self._facts and self._bytes_left > 0 and (data := self._text(path, tag)) is not None:
            self._bytes_left -= len(data)
            self._facts[tag] = parse(data)
        other = self._index.catalog.rows.get(path) or now
        facts = self._facts.get(tag) or (other.facts if other else None)
        return CatalogRow(_NO_STAMP, facts, unread=facts is None, etag=tag)

    def _taken(self, rows: Mapping[str, CatalogRow | None], moves: Iterable[tuple[str, str]] = ()) -> ReplayStep:
        """Put rows into the index; return which notes and links came and went. `moves`: the paths of renamed files."""
        there = self._index.catalog.rows
        before = {path: there.get(path) for path in rows}
        self._put(rows)
        new = [path for path, row in before.items() if row is None and path in there and self._shows(path)]
        gone = [path for path, row in before.items() if row and path not in there and self._shows(path)]
        renamed = [pair for pair in moves if pair[0] in gone and pair[1] in new]
        moved = {path for pair in renamed for path in pair}
        links, cut = self._links(before)
        return ReplayStep(
            edit=None, edits=0, time=0.0, client="", outside="", words="", changed=[],
            new=[self._number(path) for path in new if path not in moved],
            gone=[self._number(path) for path in gone if path not in moved],
            renamed=[self._number(path) for pair in renamed for path in pair],
            links=links, cut=cut,
        )  # fmt: skip

    def _put(self, rows: Mapping[str, CatalogRow | None]) -> None:
        there = self._index.catalog.rows
        self._index.put({path: row for path, row in rows.items() if row or path in there})

    def _links(self, before: Mapping[str, CatalogRow | None]) -> tuple[list[int], list[int]]:
        """Return the links that came and those that went. `before`: the earlier rows of the files that have changed."""
        changed, links, cut = self._changed, list[int](), list[int]()
        following, rows = self._index.links.graph.following, self._index.catalog.rows
        if len(changed) <= MANY:
            for source, old in changed.items():
                had, has = set(old or ()), set(following.get(source, ()))
                row = rows.get(source)
                links += self._pairs(source, has - had, row)
                cut += self._pairs(source, had - has, before.get(source) or row)
        changed.clear()
        return links, cut

    def _pairs(self, source: str, targets: Collection[str], row: CatalogRow | None) -> list[int]:
        """Return those of some links that the caller sees, as numbers. `row`: that of the source with these links."""
        if not targets or is_missing(source) or not self._shows(source):
            return []
        written = row.facts.targets if row and row.facts else ()
        seen = sorted(node for node in targets if node != source and counts(node) and self._shows(node))
        seen = seen[: self._links_left]
        self._links_left -= len(seen)
        return [number for node in seen for number in (self._number(source), self._number(node, source, written))]

    def _shows(self, node: str) -> bool:
        return counts(node) and (is_missing(node) or self._has(node))

    def _number(self, node: str, source: str = "", targets: Iterable[str] = ()) -> int:
        """Return the number of a node. `targets`: those of a note that links to it, as written."""
        if node not in self._numbers:
            self._numbers[node] = len(self.nodes)
            if is_missing(node):
                key = node.removeprefix(MISSING)
                name = next((one for one in targets if missing_key(one, source) == key), key)
            else:
                name = name_for(self._present, node) if node in self._present.rows else name_of(node)
            self.nodes.append(ReplayNode(name, is_missing(node)))
        return self._numbers[node]


def _states_before(edits: Iterable[Edit]) -> dict[str, str | None]:
    """Return the etag of each file before the first edit that has changed it; None if it was not there."""
    states: dict[str, str | None] = {}
    for edit in edits:
        for change in edit.changes:
            states.setdefault(change.path, change.before)
            if change.to:
                states.setdefault(change.to, None)
    return {path: tag for path, tag in states.items() if not is_hidden(path)}


def _changed_notes(edit: Edit) -> list[str]:
    """Return the paths of the notes of whose texts an edit has changed more than links."""
    texts = (one for one in edit.changes if one.to is None and one.before and one.after and one.before != one.after)
    return list(dict.fromkeys(one.path for one in texts if not edit.relinks(one)))
