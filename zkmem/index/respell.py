"""Respell links: rewrite the links of a text so that each still leads to its file after files were moved.

The rules are in docs/development/links.md, section 6.

A link is rewritten only if it would mean another file or another part. It keeps its form (name alone,
path, relative path, with or without `.md`), and becomes the full path only if that form would not lead to the file. A
Markdown link that is correct relative to its file, as other programs read it, stays correct.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from zkmem.errors import Inexpressible
from zkmem.index.catalog import Catalog, ProjectedCatalog
from zkmem.index.resolve import Files, anchored, cleaned, is_anchored, page_title, resolve
from zkmem.markdown import canvas
from zkmem.markdown.links import Link, find_links
from zkmem.markdown.rewrite import Splice, apply, retarget
from zkmem.names import base_of, fold, folder_of, is_note, name_of

Scan = Callable[[bytes], list[Link]]


class Aim(NamedTuple):
    """The target of a link: a file, and a part of it (a subpath such as `#Heading`) or "" for the whole file.

    A link that must lead to no file has the path "".
    """

    path: str
    subpath: str = ""


class Meaning(NamedTuple):
    """The file that a link meant when it was written, and the path that this file will have.

    A link to a file that will be gone must lead to no file; `path` is then the path at which the file is deleted.
    """

    was: str
    path: str
    is_gone: bool = False


class Meanings(Protocol):
    """The meanings of links. Each method returns None for a link that must stay as it is."""

    def of_link(self, link: Link, source: str) -> Meaning | None:
        """Return what a link in the file `source` means. A link without a target means that file."""

    def of_file(self, path: str) -> Meaning | None:
        """Return what a path in a canvas means."""


Parts = Callable[[Aim], Aim | None]
"""Returns the new target of a link to a part of a file; None if the part stays with its file."""


def with_its_file(_: Aim) -> Aim | None:
    """Return None: each part stays with its file."""
    return None


@dataclass(eq=False, slots=True)
class Respeller:
    """Respells the links of texts."""

    meanings: Meanings
    after: Files  # at their new paths
    parts: Parts = with_its_file
    has: Callable[[str], bool] = lambda _: True  # whether the caller may see the file at a path
    keeps_unwritable: bool = False  # a link that cannot be written stays as it is, instead of raising an error

    def rewrite(self, data: bytes, source: str, to: str, skip: Collection[int] = (), scan: Scan = find_links) -> bytes:
        """Return a text with respelled links. The text comes from the file `source` and will be in the file `to`.

        `skip`: the numbers, from 0, of the links that must not change. `scan`: finds the links; pass `body_links` if
        the text is only a part of a note.
        """
        links = scan(data)
        aims = [None if number in skip else self.aim(link, source) for number, link in enumerate(links)]
        splices = list[Splice]()
        for number, (link, target) in enumerate(zip(links, aims, strict=True)):
            try:
                splices += self._splices(data, link, source, to, target) if target is not None else ()
            except Inexpressible:
                if not self.keeps_unwritable:
                    raise
                aims[number] = None
        new = apply(data, splices)
        misread = self._misread(scan(new), aims, to) if splices else ()
        if misread and self.keeps_unwritable:
            return self.rewrite(data, source, to, {*skip, *misread}, scan)
        if misread:
            raise Inexpressible(f"A link in {to!r} cannot be written in Markdown with this name; use a simpler name.")
        return new

    def canvas(self, data: bytes, source: str, to: str) -> bytes:
        """Return the bytes of a canvas with respelled file nodes, and respelled links in its text nodes."""
        splices = []
        for string in canvas.find_strings(data):
            if string.kind == "file":
                new = self._canvas_aim(string.value, string.beside).path
            elif string.kind == "subpath":
                new = self._canvas_aim(string.beside, string.value).subpath
            elif "[" in string.value:  # a string in JSON can have half a surrogate pair, which must not change
                text = self.rewrite(string.value.encode(errors="surrogatepass"), source, to)
                new = text.decode(errors="surrogatepass")
            else:
                continue
            if new != string.value:
                splices.append(Splice(string.start, string.end, canvas.written(new)))
        return apply(data, splices)

    def _canvas_aim(self, path: str, subpath: str) -> Aim:
        """Return the new target of a file node of a canvas."""
        meant = self.meanings.of_file(path)
        if meant is None:
            return Aim(path, subpath)
        return (self.parts(Aim(meant.was, subpath)) if subpath else None) or Aim(meant.path, subpath)

    def aim(self, link: Link, source: str) -> Aim | None:
        """Return the new target of a link; None if it means no file, or a part that stays in its own note."""
        meant = self.meanings.of_link(link, source)
        if meant is None:
            return None
        part = self.parts(Aim(meant.was, link.subpath)) if link.subpath else None
        return part or (Aim("" if meant.is_gone else meant.path, link.subpath) if link.target else None)

    def _splices(self, data: bytes, link: Link, source: str, to: str, aim: Aim) -> list[Splice]:
        subpath = aim.subpath if aim.subpath != link.subpath else None
        meant = self.meanings.of_link(link, source) or Meaning(aim.path, aim.path)
        shown = aim.path or meant.path
        form = _Form.of(link, meant.was, source)
        is_spelled = not (link.target and form.portable and aim.path) or _spells(link.target, to, aim.path)
        if is_spelled and self._leads(link.target, to, aim, shown):
            return retarget(data, link, None, None, subpath) if subpath else []
        if not (form.names_all or self.has(shown)):
            raise Inexpressible(
                f"The link {link.raw} of {name_of(source)!r} leads out of the folder of your token, and "
                "would mean another note after this edit. Choose another name, or change the link first."
            )
        for path in (*self._titles(link, meant.was, shown), *form.spellings(shown, to)):
            if self._leads(path, to, aim, shown):
                return retarget(data, link, path, self._new_display(link, meant.was, shown), subpath)
        raise Inexpressible(f"No link in {source!r} could mean {shown!r} after this edit.")

    def _titles(self, link: Link, was: str, path: str) -> Iterator[str]:
        """Yield targets of a wikilink to a file that is or was a Logseq page: its title, or the end of its name."""
        if link.kind == "wiki" and not is_anchored(cleaned(link.target)):
            if title := page_title(self.after, path):
                yield title
            if fold(cleaned(link.target)) == fold(page_title(self.after, was) or "/"):
                yield base_of(name_of(path))

    def _new_display(self, link: Link, path_before: str, path: str) -> str | None:
        """Return the new display text of a link that shows the old name of its note; None if the display text stays."""
        old, new = base_of(name_of(path_before)), base_of(name_of(path))
        title = page_title(self.after, path_before)
        if title and link.display == title:
            old, new = title, page_title(self.after, path) or new
        return new if old != new and link.display == old and not link.embed else None

    def _leads(self, target: str, to: str, aim: Aim, shown: str) -> bool:
        """Return whether a target in the file `to` leads to the aim or, if its file is gone, would lead to `shown`."""
        if self._leads_to(target, to) != aim.path:
            return False
        return bool(aim.path) or resolve(ProjectedCatalog(Catalog(), {}, [shown]), target, to).path == shown

    def _leads_to(self, target: str, to: str) -> str:
        """Return the path of the file to which a target leads from the file `to`; "" if it leads to none."""
        return resolve(self.after, target, to).path or ""

    def _misread(self, links: list[Link], aims: list[Aim | None], to: str) -> list[int]:
        """Return the numbers of the links that do not have the right targets when the new text is scanned."""
        if len(links) != len(aims):
            return [*range(len(aims))]
        return [
            number
            for number, (link, aim) in enumerate(zip(links, aims, strict=True))
            if aim is not None and Aim(self._leads_to(link.target, to), link.subpath) != aim
        ]


class _Form(NamedTuple):
    """The form of a link: which parts of the path it has."""

    lead: str  # "/", "./" or "../" if the path begins with it, else ""
    parts: int  # the number of parts of the path; 0 for all of them
    suffix: bool  # whether it has the suffix of the file
    portable: bool  # whether it is correct relative to its file, as programs without vaults read it

    @property
    def names_all(self) -> bool:
        """Whether the link already shows the whole path, so that a rewritten link shows nothing new."""
        return bool(self.lead) or self.portable or not self.parts

    @classmethod
    def of(cls, link: Link, was: str, source: str) -> "_Form":
        """Return the form of a link to the file `was`. For a link without a path, that is the full path."""
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


def portable(files: Files, path: str, source: str, lead: str = "") -> str | None:
    """Return a target with which a Markdown link in the file `source` means the file at a path; None if none does.

    Other programs read it relative to its file. `lead`: `/`, `./` or `../`, to begin the target so if that is possible.
    """
    spelled = _Form(lead, 0, suffix=True, portable=not lead).spellings(path, source)
    return next((target for target in spelled if resolve(files, target, source) == (path, ())), None)


def _spells(target: str, source: str, path: str) -> bool:
    """Return whether a target is this path if it is read relative to its file, as other Markdown programs do."""
    spelled = anchored(cleaned(target), source) if not is_anchored(target) else path
    return spelled is not None and fold(spelled) in {fold(path), fold(name_of(path))}
