"""Resolve a link to the file that it means. Rules: docs/development/links.md, section 3."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from zkmem.names import base_of, fold, folder_of, name_of, normal, page_of

PAGE = "\0"  # begins the key in `Files.named` of a file that has the title of a page in Logseq

_UNLINKABLE = frozenset("#^[]|")


class Files(Protocol):
    """The methods that the resolver needs: a catalog has them, and so has a catalog as an edit will leave it."""

    @property
    def pages(self) -> bool:
        """Whether a link may also mean a file by the title of its page in Logseq."""

    def at(self, folded: str) -> Sequence[str]:
        """Return the paths that fold to this path: one, or several that differ in case."""

    def named(self, folded: str) -> Sequence[str]:
        """Return the paths whose last component folds to this one."""


class Resolution(NamedTuple):
    """The file that a link means, and the other files that it could mean."""

    path: str | None
    rivals: tuple[str, ...] = ()


_NOWHERE = Resolution(None)


def resolve(files: Files, target: str, source: str) -> Resolution:
    """Return the file that the target of a link in the file `source` means.

    If the last component of the target contains a dot, it is first read as a file name with its suffix. Only the suffix
    `.md` may be left out. An empty target means the source itself.
    """
    if not target:
        return Resolution(source)
    written = cleaned(target)
    last = base_of(written)
    if "." in last:
        resolution = _look_up(files, written, source)
        if resolution.path is not None:
            return resolution
    resolution = _look_up(files, written + ".md", source) if last else _NOWHERE
    return _page(files, written, source) if resolution.path is None and files.pages else resolution


def is_same_everywhere(target: str, resolution: Resolution) -> bool:
    """Return whether a target with this resolution means the same file wherever it is written."""
    return bool(target) and not resolution.rivals and not is_anchored(cleaned(target))


def cleaned(target: str) -> str:
    """Return a target in the form in which names are stored, with single slashes between its components."""
    target = normal(target).strip()
    if "\\" in target:
        target = target.replace("\\", "/")
    while "//" in target:
        target = target.replace("//", "/")
    return target


def anchored(target: str, source: str) -> str | None:
    """Return the path that a cleaned target with `./`, `../` or a leading `/` means; None if it leaves the vault."""
    if target.startswith("/"):
        return target[1:]
    parts = folder_of(source).split("/") if "/" in source else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def is_anchored(target: str) -> bool:
    """Return whether a target begins at the root or at its own folder, so that it is not looked up by name."""
    return target.startswith(("/", "./", "../"))


def _page(files: Files, title: str, source: str) -> Resolution:
    """Return the file that has the title of a page in Logseq."""
    matches = files.named(f"{PAGE}{fold(title).removesuffix('.md')}.md")
    return _nearest(matches, title, source) if matches else _NOWHERE


def page_title(files: Files, path: str) -> str:
    """Return the title by which a wikilink means a file as a page of Logseq; "" if it has none."""
    title = page_of(path)[:-3] if files.pages else ""
    return "" if _UNLINKABLE.intersection(title) or is_anchored(title) else title


def plain_name(files: Files, path: str) -> str:
    """Return the title of a note as a page of Logseq; if it has none, the last part of its name."""
    return page_title(files, path) or base_of(name_of(path))


def _look_up(files: Files, written: str, source: str) -> Resolution:
    if is_anchored(written):
        path = anchored(written, source)
        return _exact(files.at(fold(path)), path) if path is not None else _NOWHERE
    folded = fold(written)
    exact = files.at(folded)
    if exact:
        return _exact(exact, written)
    matches = files.named(base_of(folded))
    if "/" in folded:
        ending = "/" + folded
        matches = [path for path in matches if fold(path).endswith(ending)]
    if len(matches) < 2:
        return Resolution(matches[0]) if matches else _NOWHERE
    return _nearest(matches, written, source)


def _exact(paths: Sequence[str], written: str) -> Resolution:
    """Return the path that is spelled as written, of several that differ only in case."""
    if len(paths) < 2:
        return Resolution(paths[0]) if paths else _NOWHERE
    best = min(paths, key=lambda path: (path != written, path))
    return Resolution(best) if best == written else _ranked(paths, best)


def _nearest(paths: Sequence[str], written: str, source: str) -> Resolution:
    """Return a path in or below the source's folder, else the shortest; of equal ones, the one spelled as written."""
    folder = folder_of(source)
    own = folder + "/" if folder else ""
    best = min(paths, key=lambda path: (not path.startswith(own), len(path), not path.endswith(written), path))
    return _ranked(paths, best)


def _ranked(paths: Sequence[str], best: str) -> Resolution:
    return Resolution(best, tuple(sorted(path for path in paths if path != best)))


def missing_key(target: str, source: str) -> str:
    """Return the key of a link to nothing, which is equal for links to one note: its folded path without `.md`."""
    written = cleaned(target)
    path = anchored(written, source) if is_anchored(written) else written
    return fold(written if path is None else path).removesuffix(".md")
