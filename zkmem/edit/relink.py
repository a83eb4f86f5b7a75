"""Keep the meaning of links: compute the new bytes of every file in which an edit would change the target of a link.

`fallout` finds the links to headings and blocks that an edit of a note breaks: those in the note, and those to it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from zkmem.edit.plan import Fallout, View
from zkmem.errors import Changed, Inexpressible, TooLarge, Unwritable
from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.parts import LARGEST, NamedPart, absent, meant, part_links
from zkmem.index.resolve import cleaned, resolve
from zkmem.index.respell import Meaning, Parts, Respeller, Scan, with_its_file
from zkmem.markdown import destinations
from zkmem.markdown.links import Link, as_utf8, body_links, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.names import fold, is_note, name_of

Moves = Mapping[str, str | None]
"""Old path -> new path. If a file exists at the new path, the two are merged. None: the file is removed."""
_MOST_TARGETS = 20  # linked notes that are read to check the links of the edited note
_MOST_SOURCES = 50  # notes that are read to check their links to the edited note


class Relinker:
    """Computes the links of a vault after an edit."""

    def __init__(
        self,
        view: View,
        moves: Moves,
        born: Collection[str] = (),
        parts: Parts = with_its_file,
        of: str | None = None,
        back: Mapping[str, str] = {},
    ) -> None:
        """`born`: new files. `parts`: returns the new target of a link to a part of the file `of` that moves.

        `back`: deleted files that the edit brings back at other paths: last path -> new path.
        """
        self.view = view
        self.moves = moves
        self.born = born
        self.after = ProjectedCatalog(view.catalog, moves, born)
        self._back = back
        self._with_deleted = ProjectedCatalog(view.catalog, {}, back)
        self._divided = of
        self._respeller = Respeller(self, self.after, parts, view.has)

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return the file that a link means before the edit, and its path after the edit; None if there is none."""
        was = resolve(self.view.catalog, link.target, source).path
        if was is None and self._back:
            was = resolve(self._with_deleted, link.target, source).path
        now = None if was is None else self._back.get(was) or self.moves.get(was, was)
        return None if was is None or now is None else Meaning(was, now)

    def of_file(self, path: str) -> Meaning:
        """Return the file that a path in a canvas means, and its path after the edit."""
        catalog = self.view.catalog
        was = path if path in catalog.rows else next(iter(catalog.at(fold(path))), path)
        return Meaning(was, self.moves.get(was) or path)

    def changed(self) -> dict[str, bytes]:
        """Return the new bytes, by present path, of every file to rewrite. Files that are too large are left out."""
        new = {}
        for path in sorted(self._affected()):
            try:
                data = self.view.read(path)
            except TooLarge:  # its links are not known; `check` lists it
                continue
            try:
                text = self.updated(data, path)
            except Inexpressible as error:
                error.path = path
                raise
            if text != data:
                new[path] = text
        return new

    def _affected(self) -> Iterable[str]:
        """Return the files with a link that could change its target, without files that are deleted or merged."""
        links, catalog = self.view.links, self.view.catalog
        paths: set[str] = {*self.moves, *catalog.canvases, *self.view.unindexed}
        for old in self.moves if self._divided is None else (*self.moves, self._divided):
            paths.update(links.backlinks(old))
        for new in filter(None, (*self.moves.values(), *self.born)):
            paths.update(filter(self._loses_meaning, links.who_could_mean(new, catalog) - paths))
        for old in self._back:
            paths.update(filter(self.view.has, links.who_could_mean(old, catalog)))  # elsewhere, the link stays missing
        merged = {old for old, new in self.moves.items() if new not in self.after.come}
        return {path for path in paths - merged if is_note(path) or path in catalog.canvases}

    def _loses_meaning(self, path: str) -> bool:
        """Return whether a link of the note at `path` changes its target, or the note may have changed by hand."""
        row, facts = self.view.catalog.rows.get(path), self.view.catalog.facts(path)
        if row is None or row.racy or row.stamp != self.view.store.stamp(path):  # somebody may have edited it
            return True
        for target in (*facts.targets, *facts.others):
            was = resolve(self.view.catalog, target, path).path
            if was is not None and resolve(self.after, target, path).path != was:
                return True
        return False

    def updated(self, data: bytes, path: str) -> bytes:
        """Return the bytes of the note or canvas at `path` with updated links."""
        return self._canvas(data, path) if path in self.view.catalog.canvases else self.text(data, path)

    def text(self, data: bytes, path: str) -> bytes:
        """Return the bytes of the note at `path` with updated links."""
        return self.rewrite(data, path, self.moves.get(path) or path)

    def _canvas(self, data: bytes, path: str) -> bytes:
        return self._respeller.canvas(data, path, self.moves.get(path) or path)

    def rewrite(self, data: bytes, source: str, to: str, skip: Collection[int] = (), scan: Scan = find_links) -> bytes:
        """Return a text with updated links: see `Respeller.rewrite`."""
        return self._respeller.rewrite(data, source, to, skip, scan)

    def check_kept(
        self,
        before: Iterable[tuple[str, bytes]],
        after: Iterable[tuple[str, bytes]],
        left_out: Callable[[str, Link], bool] = lambda _path, _link: False,
    ) -> None:
        """Check that text keeps its links when it moves to another note, where an open code fence may hide them.

        `before` and `after` are paths with bytes; properties are ignored. `left_out`: may the link be lost?

        Raises:
            Inexpressible: when a link of the texts before is not a link in the texts after.
        """

        def meaning(link: Link, path: str) -> str:
            return resolve(self.after, link.target, path).path or cleaned(link.target)

        left = Counter(meaning(link, path) for path, data in after for link in body_links(body_of(data)))
        for path, data in before:
            for link in body_links(body_of(data)):
                if not link.target or left_out(path, link):
                    continue
                aim = self._respeller.aim(link, path)
                expected = aim.path if aim else meaning(link, path)  # a broken link may lead to the new note
                left[expected] -= 1
                if left[expected] < 0:
                    error = Inexpressible(
                        f"The link {link.raw} of {name_of(path)!r} would no longer be a link in its new place: it "
                        "would be in code or a comment, or have no definition. Edit the text around it first."
                    )
                    error.path = path
                    raise error


def alike(catalog: Catalog, source: str, other_source: str) -> Callable[[str, str], bool]:
    """Return a function that compares destinations in two files, and returns whether they mean the same."""

    def are_alike(dest: str, other_dest: str) -> bool:
        one, other = destinations.parts(dest), destinations.parts(other_dest)
        if one is None or other is None:
            return dest == other_dest
        paths = resolve(catalog, one[0], source).path, resolve(catalog, other[0], other_source).path
        return paths[0] == paths[1] and one[1] == other[1] and (paths[0] is not None or one[0] == other[0])

    return are_alike


def fallout(view: View, path: str, data: bytes, before: bytes | None) -> Fallout:
    """Return the missing headings and blocks that a note links to, and the linked ones that the edit removes from it.

    `data` are the note's new bytes; `before` are its present ones, if the edit may remove something. Large notes are
    not checked. Of the others, at most `_MOST_TARGETS` and `_MOST_SOURCES` are.
    """
    if len(data) > LARGEST:
        return Fallout()
    absent_parts = tuple(_absent(view, path, data))
    sources = [source for source in view.links.backlinks(path) if source != path and view.has(source)] if before else []
    if not before or not sources or len(before) > LARGEST:
        return Fallout(absent=absent_parts)
    old, new = Outline(as_utf8(body_of(before))), Outline(as_utf8(body_of(data)))
    if not _may_lose(old, new):
        return Fallout(absent=absent_parts)
    lost: dict[str, dict[str, None]] = {}
    checked = 0
    for source in sources[:_MOST_SOURCES]:
        text = _text(view, source)
        checked += text is not None
        for target, (subpath, slugs) in meant(view.catalog, source, part_links(text or b"")):
            if target == path and old.has(subpath, slugs=slugs) and not new.has(subpath, slugs=slugs):
                lost.setdefault(subpath, {})[source] = None
    cut_off = {subpath: tuple(notes) for subpath, notes in lost.items()}
    return Fallout(absent=absent_parts, cut_off=cut_off, unchecked=len(sources) - checked)


def _absent(view: View, path: str, data: bytes) -> Iterator[str]:
    """Yield the missing headings and blocks that a note links to: `Note#Heading`, or `#Heading` for its own."""
    by_target: dict[str, list[NamedPart]] = {}
    for target, part in meant(view.catalog, path, part_links(data)):
        by_target.setdefault(target, []).append(part)
    for target in list(by_target)[:_MOST_TARGETS]:
        text = data if target == path else _text(view, target) if view.has(target) else None
        if text is not None:
            missing = absent(text, by_target[target])
            name = "" if target == path else name_of(target)
            yield from (name + part.subpath for part in by_target[target] if part in missing)


def _may_lose(old: Outline, new: Outline) -> bool:
    """Return whether links to parts of a text may break: its headings have changed, or it has block ids.

    A block id stays in the text, but names no block any more, if the edit adds text after it in its paragraph.
    """
    before, after = (_levels_and_texts(outline) for outline in (old, new))
    old_headings = set(before)
    return any(True for _ in old.ids()) or [heading for heading in after if heading in old_headings] != before


def _levels_and_texts(outline: Outline) -> list[tuple[int, str]]:
    """Return the level and the text of each heading, each pair once."""
    return list(dict.fromkeys((heading.level, heading.text) for heading in outline.headings))


def _text(view: View, path: str) -> bytes | None:
    """Return the bytes of a note to check; None if the note is large or cannot be read."""
    row = view.catalog.rows.get(path)
    if row is None or row.stamp.size > LARGEST:
        return None
    try:
        return view.read(path)
    except (Changed, TooLarge, Unwritable):
        return None
