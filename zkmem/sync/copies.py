"""Plan to merge the conflict copies of synchronisation services into their notes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher

from zkmem.edit.plan import Move, Plan, Put, TrashPaths, View
from zkmem.edit.relink import Relinker
from zkmem.errors import BadArgument, Inexpressible, UnknownNote
from zkmem.index.copies import find_copies, named_copy
from zkmem.index.lookup import known_note
from zkmem.index.resolve import cleaned, resolve
from zkmem.markdown.links import body_links
from zkmem.markdown.note import Text, body_of, read_text
from zkmem.markdown.properties import parts
from zkmem.names import name_of
from zkmem.sync.notes import merged_note
from zkmem.util.hunks import Hunk
from zkmem.util.threeway import hunks
from zkmem.vault.journal.log import Pair

_SIMILAR = 0.6  # if two lines have a larger share of equal characters, one counts as a change of the other
_MOST_EDITS = 50  # edits of a note, and commits, whose texts are compared with a copy
_IN_DISPUTE = "\0"  # stands in the base for a line that the copy changed

Texts = Callable[[str, int], Iterable[bytes]]
"""Returns the texts that the note at a path had before and after its last edits, and in its last commits.

The number says how many edits, and how many commits.
"""


def plan_copy(view: View, name: str, texts: Texts, has: Callable[[str], bool], of: str) -> Plan:
    """Plan to merge a conflict copy into its note, to update links to the copy, and to move the copy to the trash.

    The base of the merge is the kept version of the note that is most similar to the copy: see `_base`. `has`: returns
    whether the caller may read a note. `of`: the note that the copy belongs to; "" to find it by comparing the texts.
    Name it if a merge may have changed that note since.
    """
    path = known_note(view.catalog, name)
    if of:
        copy = named_copy(path, known_note(view.catalog, of), view.catalog)
    else:
        copies = find_copies(view.catalog, view.read, lambda one: filter(has, view.links.backlinks(one)), [path])
        copy = next(copies, None)
    if copy is None:
        raise BadArgument(f"{name_of(path)!r} is not a conflict copy of a synchronisation service.")
    if copy.is_orphan:
        raise UnknownNote(name_of(copy.of), [name_of(copy.path)])
    relinker = Relinker(view, {copy.path: copy.of})
    changed = relinker.changed()
    text, other = changed.pop(copy.of, view.read(copy.of)), relinker.text(view.read(copy.path), copy.path)
    merged = merged_note(_base(texts(copy.of, _MOST_EDITS), text, other), other, text, copy.title)
    _check_links(relinker, copy.of, (text, other), merged.data)
    puts = [Put(path, data, view.base(path)) for path, data in changed.items()]
    if merged.data != view.read(copy.of):
        puts.insert(0, Put(copy.of, merged.data, view.base(copy.of)))
    move = Move(copy.path, TrashPaths(view).choose(copy.path), view.base(copy.path))
    remarks = ("a callout shows the lines that have other words in the copy",) if merged.in_conflict else ()
    return Plan(copy.of, "merged", (*puts, move), tuple(changed), remarks=remarks, merges=(Pair(copy.path, copy.of),))


def _check_links(relinker: Relinker, path: str, texts: Iterable[bytes], merged: bytes) -> None:
    """Check that all links of both texts are links of the merged note, with the same meaning."""
    link_counts = _meanings(relinker, path, merged)
    for text in texts:
        if lost := _meanings(relinker, path, text) - link_counts:
            raise Inexpressible(
                f"The link to {name_of(next(iter(lost)))!r} would be lost: one of the texts has code, a comment or a "
                "label that hides or changes links of the other. Merge the two by hand."
            )


def _meanings(relinker: Relinker, path: str, data: bytes) -> Counter[str]:
    """Return how many links of the note at a path lead to each file, or to each missing target."""
    links = (link.target for link in body_links(body_of(data)) if link.target)
    return Counter(resolve(relinker.after, target, path).path or cleaned(target) for target in links)


def _base(versions: Iterable[bytes], text: bytes, copy: bytes) -> bytes:
    """Return the base for the merge of a copy into a note.

    No service says from which text a copy was made, so the base is a guess: the older version that is most similar to
    the copy, or the note's present text if no version is kept. The merge must lose nothing if the guess is wrong.
    Therefore the base lacks the lines that the copy lacks, so that they stay in the note. It has a mark in place of
    each line that the copy changed, so that a callout shows the copy's line. It has no frontmatter if the copy changed
    the frontmatter. A version with all lines of both texts is no base: it may be an earlier merge of the two that was
    undone.

    `text`: the present text of the note.
    """
    other = read_text(copy).text
    both = {*read_text(text).text.split("\n"), *other.split("\n")}
    best, share = "", 0.0
    for data in versions:
        version = read_text(data).text
        if both.issubset(version.split("\n")):
            continue
        if data != text and (now := _share(version.split("\n"), other.split("\n"))) > share:
            best, share = version, now
    old, new = parts(Text(best or read_text(text).text)), parts(Text(other))
    base, lines = old.body.split("\n"), new.body.split("\n")
    result, at = [], 0
    for hunk in hunks(base, lines):
        result += base[at : hunk.start]
        result += [_IN_DISPUTE] * (hunk.end - hunk.start) if _rewords(base, hunk) else []
        at = hunk.end
    head = f"---\n{old.source}---\n" if old.source and old.source == new.source else ""
    return (head + "\n".join([*result, *base[at:]])).encode(errors="surrogateescape")


def _share(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of equal lines in two texts: 1 if all are equal."""
    equal = len(one) - sum(hunk.end - hunk.start for hunk in hunks(one, other))
    return 2 * equal / (len(one) + len(other))


def _rewords(base: Sequence[str], hunk: Hunk) -> bool:
    """Return whether a hunk changes lines, each into a similar one."""
    old = base[hunk.start : hunk.end]
    return len(old) == len(hunk.lines) and all(
        SequenceMatcher(None, *pair).quick_ratio() > _SIMILAR for pair in zip(old, hunk.lines, strict=True)
    )
