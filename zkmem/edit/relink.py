"""Keep the meaning of links: compute the new bytes of every file in which an edit would change the target of a link.

The rules are in docs/development/links.md, section 6.

A link is rewritten only if it would mean another file after the edit. It keeps its form (name alone, path, relative
path, with or without `.md`), and becomes the full path only if that form would not lead to the file. A Markdown link
that is correct relative to its file, as other programs read it, stays correct.
"""

import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.edit.plan import View
from zkmem.errors import Inexpressible, TooLarge
from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.resolve import anchored, cleaned, is_anchored, resolve
from zkmem.markdown import canvas, destinations
from zkmem.markdown.links import Link, body_links, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.rewrite import Splice, apply, retarget
from zkmem.names import base_of, fold, folder_of, is_note, name_of

Scan = Callable[[bytes], list[Link]]

Moves = Mapping[str, str]
"""Old path -> new path. If a file exists at the new path, the two are merged."""


class Aim(NamedTuple):
    """The target of a link: a file, and a part of it (a subpath such as `#Heading`) or "" for the whole file."""

    path: str
    subpath: str = ""


Parts = Callable[[Aim], Aim | None]
"""Returns the new target of a link to a part of a file; None if the part stays with its file."""


def _with_its_file(_: Aim) -> Aim | None:
    return None


class Relinker:
    """Computes the links of a vault after an edit."""

    def __init__(
        self, view: View, moves: Moves, born: Collection[str] = (), parts: Parts = _with_its_file, of: str | None = None
    ) -> None:
        """`born`: new files. `parts`: returns the new target of a link to a part of the file `of` that moves."""
        self.view = view
        self.parts = parts
        self._divided = of
        self.moves = moves
        self.born = born
        self.after = ProjectedCatalog(view.catalog, moves, born)

    def changed(self) -> dict[str, bytes]:
        """Return the new bytes, by present path, of every file to rewrite. Files that are too large are left out."""
        new = {}
        for path in sorted(self._affected()):
            try:
                data = self.view.read(path)
            except TooLarge:  # its links are not known; `check` lists it
                continue
            try:
                text = self.canvas(data, path) if path in self.view.catalog.canvases else self.text(data, path)
            except Inexpressible as error:
                error.path = path
                raise
            if text != data:
                new[path] = text
        return new

    def _affected(self) -> Iterable[str]:
        """Return the files with a link that could change its target, without files that are deleted or merged."""
        links, catalog = self.view.links, self.view.catalog
        paths: set[str] = {*self.moves, *catalog.canvases}
        for old in self.moves if self._divided is None else (*self.moves, self._divided):
            paths.update(links.backlinks(old))
        for new in (*self.moves.values(), *self.born):
            paths.update(filter(self._loses_meaning, links.who_could_mean(new, catalog) - paths))
        merged = {old for old, new in self.moves.items() if new not in self.after.come}
        return {path for path in paths - merged if is_note(path) or path in catalog.canvases}

    def _loses_meaning(self, path: str) -> bool:
        """Return whether a link of the note at `path` changes its target, or the note may have changed by hand."""
        row, facts = self.view.catalog.rows.get(path), self.view.catalog.facts(path)
        if row is None or row.racy or row.stamp != self.view.stamp(path):  # somebody may have edited it
            return True
        for target in (*facts.targets, *facts.others):
            was = resolve(self.view.catalog, target, path).path
            if was is not None and resolve(self.after, target, path).path != was:
                return True
        return False

    def text(self, data: bytes, path: str) -> bytes:
        """Return the bytes of the note at `path` with updated links."""
        return self.rewrite(data, path, self.moves.get(path) or path)

    def rewrite(self, data: bytes, source: str, to: str, skip: Collection[int] = (), scan: Scan = find_links) -> bytes:
        """Return a text with updated links. It is in the file `source` now, and in `to` after the edit.

        `skip` has the numbers, from 0, of links that must not change. `scan` is `body_links` for a part of a note.

        Raises:
            Inexpressible: when a link to the new name cannot be written in Markdown at its place.
        """
        links = scan(data)
        aims = [None if number in skip else self._aim(link, source) for number, link in enumerate(links)]
        splices = [
            splice
            for link, target in zip(links, aims, strict=True)
            if target is not None
            for splice in self._splices(data, link, source, to, target)
        ]
        new = apply(data, splices)
        if splices and not self._reads_back(scan(new), aims, to):
            raise Inexpressible(f"A link in {to!r} cannot be written in Markdown with this name; use a simpler name.")
        return new

    def canvas(self, data: bytes, path: str) -> bytes:
        """Return the bytes of a canvas with updated file nodes, and updated links in its text nodes."""
        splices = []
        for string in canvas.find_strings(data):
            if string.kind == "file":
                new = self._canvas_aim(string.value, string.beside).path
            elif string.kind == "subpath":
                new = self._canvas_aim(string.beside, string.value).subpath
            elif "[" in string.value:  # JSON can have half a surrogate pair, which must not change
                text = self.rewrite(string.value.encode(errors="surrogatepass"), path, self.moves.get(path) or path)
                new = text.decode(errors="surrogatepass")
            else:
                continue
            if new != string.value:
                splices.append(Splice(string.start, string.end, canvas.written(new)))
        return apply(data, splices)

    def _canvas_aim(self, path: str, subpath: str) -> Aim:
        """Return the new target of a file node of a canvas."""
        known = path if path in self.view.catalog.rows else next(iter(self.view.catalog.at(fold(path))), path)
        return (self.parts(Aim(known, subpath)) if subpath else None) or Aim(self.moves.get(known) or path, subpath)

    def _aim(self, link: Link, source: str) -> Aim | None:
        """Return the target of a link after the edit; None if the link has no file, or names a part of its own note."""
        was = resolve(self.view.catalog, link.target, source).path
        if was is None:
            return None
        part = self.parts(Aim(was, link.subpath)) if link.subpath else None
        return part or (Aim(self.moves.get(was, was), link.subpath) if link.target else None)

    def _splices(self, data: bytes, link: Link, source: str, to: str, aim: Aim) -> list[Splice]:
        subpath = aim.subpath if aim.subpath != link.subpath else None
        path_after = resolve(self.after, link.target, to).path
        path_before = resolve(self.view.catalog, link.target, source).path or aim.path
        form = _Form.of(link, path_before, source)
        if path_after == aim.path and (not link.target or not form.portable or _spells(link.target, to, aim.path)):
            return retarget(data, link, None, None, subpath) if subpath else []
        if not (form.names_all or self.view.has(aim.path)):
            raise Inexpressible(
                f"The link {link.raw} of {name_of(source)!r} leads out of the folder of your token, and "
                "would mean another note after this edit. Choose another name, or change the link first."
            )
        for path in form.spellings(aim.path, to):
            if resolve(self.after, path, to).path == aim.path:
                return retarget(data, link, path, _new_display(link, path_before, aim.path), subpath)
        raise Inexpressible(f"No link in {source!r} could mean {aim.path!r} after this edit.")

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
                aim = self._aim(link, path)
                expected = aim.path if aim else meaning(link, path)  # a broken link may lead to the new note
                left[expected] -= 1
                if left[expected] < 0:
                    error = Inexpressible(
                        f"The link {link.raw} of {name_of(path)!r} would no longer be a link in its new place: it "
                        "would be in code or a comment, or have no definition. Edit the text around it first."
                    )
                    error.path = path
                    raise error

    def _reads_back(self, links: list[Link], aims: list[Aim | None], to: str) -> bool:
        """Return whether each link, scanned again, has the target that it must have."""
        return len(links) == len(aims) and all(
            aim is None or Aim(resolve(self.after, link.target, to).path or "", link.subpath) == aim
            for link, aim in zip(links, aims, strict=True)
        )


def alike(catalog: Catalog, source: str, other_source: str) -> Callable[[str, str], bool]:
    """Return a function that compares destinations in two files, and returns whether they mean the same."""

    def are_alike(dest: str, other_dest: str) -> bool:
        one, other = destinations.parts(dest), destinations.parts(other_dest)
        if one is None or other is None:
            return dest == other_dest
        paths = resolve(catalog, one[0], source).path, resolve(catalog, other[0], other_source).path
        return paths[0] == paths[1] and one[1] == other[1] and (paths[0] is not None or one[0] == other[0])

    return are_alike


class _Form(NamedTuple):
    """The form of a link: which parts of the path it has."""

    lead: str  # "/", "./" or "../" if the path begins with it, else ""
    parts: int  # the number of parts of the path; 0 for all of them
    suffix: bool  # whether it has the suffix of the file
    portable: bool  # whether it is correct relative to its file, as programs without vaults read it

    @property
    def names_all(self) -> bool:
        """Return whether the link already shows the whole path, so that another form of it reveals nothing new."""
        return bool(self.lead) or self.portable or not self.parts

    @classmethod
    def of(cls, link: Link, was: str, source: str) -> "_Form":
        """Return the form of a link to the file `was`. The form of a link without a path is the full path."""
        if not link.target:
            return cls("", 0, link.kind != "wiki", link.kind != "wiki")
        written = cleaned(link.target)
        lead = next((lead for lead in ("/", "./", "../") if written.startswith(lead)), "")
        suffix = base_of(fold(written)) == base_of(fold(was))
        full = fold(written if suffix else written + ".md") == fold(was)
        portable = link.kind != "wiki" and not lead and _spells(written, source, was)
        return cls(lead, 0 if full and "/" in written else written.count("/") + 1, suffix, portable)

    def spellings(self, path: str, source: str) -> Iterator[str]:
        """Yield ways to write `path` in the file `source`, the one closest to this form first."""
        text = path if self.suffix or not is_note(path) else name_of(path)
        relative = posixpath.relpath("/" + text, "/" + folder_of(source))
        if self.lead == "/":
            yield "/" + text
        elif self.lead:
            yield relative if relative.startswith("../") else "./" + relative
        elif self.portable:
            yield relative
            yield "./" + relative
        else:
            yield "/".join(text.split("/")[-self.parts :])
        yield text
        yield "/" + text
        yield path  # needed if a file without `.md` has the same name as the note
        yield "/" + path


def _spells(target: str, source: str, path: str) -> bool:
    """Return whether a target, read relative to its file as other Markdown programs do, is the path."""
    spelled = anchored(cleaned(target), source) if not is_anchored(target) else path
    return spelled is not None and fold(spelled) in {fold(path), fold(name_of(path))}


def _new_display(link: Link, path_before: str, path: str) -> str | None:
    """Return the new display text of a link that shows the old name of its note; None if the display text stays."""
    old, new = base_of(name_of(path_before)), base_of(name_of(path))
    return new if old != new and link.display == old and not link.embed else None
