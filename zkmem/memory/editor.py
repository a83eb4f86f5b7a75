"""The methods of a memory for a text editor: what the links and names in a text mean, which may not be saved yet."""

from zkmem.markdown.links import find_links
from zkmem.memory.access import Access
from zkmem.names import composed
from zkmem.recall.meant import Meant, meanings, part_of
from zkmem.vault.paths import is_hidden

__all__ = ["InEditor", "Meant"]


class InEditor(Access):
    """A vault as a text editor uses it. All methods take the paths of files in the vault, and the bytes of texts."""

    def wait(self, seconds: float = 0.0) -> bool:
        """Wait at most some seconds for the index, which `Memory.start` has begun; return whether it is complete."""
        return self._engine.live.wait_for_links(seconds)

    def path(self, spelled: str) -> str | None:
        """Return the path of a file that is spelled so on disk; None for one that is hidden, or has no valid name."""
        path = self._engine.store.adopt(spelled)
        return None if path is None or is_hidden(path) else path

    def full_path(self, path: str) -> str:
        """Return the full path of a file, as it is spelled on disk."""
        return self._engine.store.full(composed(path))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            OSError: when it cannot be read. LargeFile: when it is larger than a note may be.
        """
        return self._rights.read(path)

    def links(self, path: str, data: bytes) -> list[Meant]:
        """Return the links in a text of the file at a path, and what they lead to."""
        links = find_links(data)
        return self._with_names(lambda index: meanings(index.catalog, path, links)) if links else []

    @staticmethod
    def part(data: bytes, subpath: str, *, slugs: bool) -> tuple[int, int] | None:
        """Return the range of a heading with its section, or of a block, in a text; None if it has none."""
        return part_of(data, subpath, slugs=slugs)
