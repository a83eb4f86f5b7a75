"""The one resolver: which file a link means. Rules: docs/development/links.md, section 3."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from zkmem.names import base_of, fold, folder_of, normal


class Files(Protocol):
    """What the resolver asks of a catalog, or of a catalog as an edit will leave it."""

    def at(self, folded: str) -> Sequence[str]:
        """The paths that fold to this path: one, or several that differ in case."""

    def named(self, folded: str) -> Sequence[str]:
        """The paths whose last component folds to this one."""


class Resolution(NamedTuple):
    """The file a link means, and the others it could have meant."""

    path: str | None
    rivals: tuple[str, ...] = ()


_NOWHERE = Resolution(None)


def resolve(files: Files, target: str, source: str) -> Resolution:
    """The file that the path part of a link, written in the file `source`, means.

    A target whose last part holds a dot is first a file name with its suffix; `.md` is the only suffix that may be
    left out. An empty target is the source itself.
    """
    if not target:
        return Resolution(source)
    written = cleaned(target)
    last = base_of(written)
    if "." in last:
        found = _look_up(files, written, source)
        if found.path is not None:
            return found
    return _look_up(files, written + ".md", source) if last else _NOWHERE


def is_same_everywhere(target: str, found: Resolution) -> bool:
    """Whether a target that resolves so does not depend on the file it is written in."""
    return bool(target) and not found.rivals and not is_anchored(cleaned(target))


def cleaned(target: str) -> str:
    """A target with `/` between its parts, once, in the form names are stored in."""
    target = normal(target).strip()
    if "\\" in target:
        target = target.replace("\\", "/")
    while "//" in target:
        target = target.replace("//", "/")
    return target


def anchored(target: str, source: str) -> str | None:
    """The vault path that a cleaned target with `./`, `../` or a leading `/` spells out; None if it climbs out."""
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
    """Whether a target says where it starts, so that it is never looked up by name."""
    return target.startswith(("/", "./", "../"))


def _look_up(files: Files, written: str, source: str) -> Resolution:
    if is_anchored(written):
        path = anchored(written, source)
        return _exact(files.at(fold(path)), path) if path is not None else _NOWHERE
    folded = fold(written)
    exact = files.at(folded)
    if exact:
        return _exact(exact, written)
    found = files.named(base_of(folded))
    if "/" in folded:
        ending = "/" + folded
        found = [path for path in found if fold(path).endswith(ending)]
    if len(found) < 2:
        return Resolution(found[0]) if found else _NOWHERE
    return _nearest(found, written, source)


def _exact(paths: Sequence[str], written: str) -> Resolution:
    """The path spelled as written where several differ only in case."""
    if len(paths) < 2:
        return Resolution(paths[0]) if paths else _NOWHERE
    best = min(paths, key=lambda path: (path != written, path))
    return Resolution(best) if best == written else _ranked(paths, best)


def _nearest(paths: Sequence[str], written: str, source: str) -> Resolution:
    """The path in the source's own folder or below it, else the shortest; ties by spelling, then in order."""
    folder = folder_of(source)
    own = folder + "/" if folder else ""
    best = min(paths, key=lambda path: (not path.startswith(own), len(path), not path.endswith(written), path))
    return _ranked(paths, best)


def _ranked(paths: Sequence[str], best: str) -> Resolution:
    return Resolution(best, tuple(sorted(path for path in paths if path != best)))


def missing_key(target: str, source: str) -> str:
    """What two links to nothing have in common when they mean the same note: its folded path without `.md`."""
    written = cleaned(target)
    path = anchored(written, source) if is_anchored(written) else written
    return fold(written if path is None else path).removesuffix(".md")
