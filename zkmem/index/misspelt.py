"""Find the note that the target of a link to nothing misspells."""

from collections.abc import Iterable, Iterator

from zkmem.names import base_of, fold, name_of
from zkmem.util.likeness import Likeness, numbers


class Misspelt:
    """The notes that targets of links may misspell."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._named: dict[str, list[str]] = {}  # the paths of the notes by the last parts of their names
        self._likeness = Likeness(self._new_names(paths))

    def _new_names(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            paths_there = self._named.setdefault(last_part(path), [])
            paths_there.append(path)
            if len(paths_there) == 1:
                yield last_part(path)

    def note(self, target: str) -> str | None:
        """Return the path of the only note that a target misspells, or names with a wrong folder; None if none is."""
        wanted = last_part(target)
        name = wanted if wanted in self._named else self._likeness.meant(wanted)
        paths = self._named[name] if name is not None else []
        known = numbers(target)
        has_numbers = len(paths) == 1 and (not known or numbers(name_of(paths[0]))[-len(known) :] == known)
        return paths[0] if has_numbers else None


def last_part(target: str) -> str:
    """Return the last part of a path or a target in the form in which it is compared: without a folder and `.md`."""
    return fold(base_of(name_of(target)))
