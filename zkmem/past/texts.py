"""Find the bytes with an etag: among the versions that are kept, or in a file that still has them."""

import contextlib

from zkmem.vault.files import etag
from zkmem.vault.journal.versions import Versions
from zkmem.vault.store import Store


class Texts:
    """The texts of one vault, by etag."""

    def __init__(self, store: Store, versions: Versions) -> None:
        self._store = store
        self._versions = versions

    def text(self, tag: str, *paths: str) -> bytes | None:
        """Return the bytes with an etag; None if they are neither kept nor in one of the files at these paths."""
        data = self._versions.text(tag)
        for path in paths:
            if data is not None:
                break
            with contextlib.suppress(OSError):
                present = self._store.read(path)[0]
                data = present if etag(present) == tag else None
        return data
