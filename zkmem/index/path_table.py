"""A table of paths by a key that several may share, for example their last component."""

from collections.abc import Iterable, Iterator, Sequence

_FEW = 16


class PathTable:
    """Paths by key. A value is the only path (nearly always), a tuple of a few, or a dictionary with many as its keys.

    So a change takes the same time whether a key has one path or 100,000. A thread may look up a key while another
    changes it: it finds the paths from before or after the change, since both make one step.
    """

    def __init__(self) -> None:
        self._paths: dict[str, str | tuple[str, ...] | dict[str, None]] = {}
        self._many: dict[str, dict[str, None]] = {}  # the dictionaries; all other values are replaced, never changed

    def snapshot(self) -> "PathTable":
        """Return a copy that does not change."""
        other = PathTable()
        other._paths, other._many = dict(self._paths), {key: dict(paths) for key, paths in self._many.items()}
        other._paths.update(other._many)
        return other

    def __getitem__(self, key: str) -> Sequence[str]:
        """Return the paths under a key, in the order in which they were added."""
        paths = self._paths.get(key)
        if paths is None:
            return ()
        return (paths,) if isinstance(paths, str) else tuple(paths)

    def add(self, key: str, path: str) -> None:
        """Add a path that is not there yet."""
        paths = self._paths.get(key)
        if paths is None:
            self._paths[key] = path
        elif isinstance(paths, str):
            self._paths[key] = (paths, path)
        elif isinstance(paths, dict):
            paths[path] = None
        elif len(paths) < _FEW:
            self._paths[key] = (*paths, path)
        else:
            self._paths[key] = self._many[key] = dict.fromkeys((*paths, path))

    def discard(self, key: str, path: str) -> None:
        """Remove a path that is there."""
        paths = self._paths[key]
        if isinstance(paths, str):
            del self._paths[key]
        elif isinstance(paths, tuple):
            left = tuple([other for other in paths if other != path])
            self._paths[key] = left if len(left) > 1 else left[0]
        else:
            del paths[path]
            if len(paths) <= _FEW:
                self._paths[key] = tuple(self._many.pop(key))

    def keys(self) -> Iterable[str]:
        """Return all keys."""
        return self._paths.keys()

    def several(self) -> Iterator[Sequence[str]]:
        """Yield the paths under each key that has more than one."""
        return (tuple(paths) for paths in self._paths.values() if not isinstance(paths, str))
