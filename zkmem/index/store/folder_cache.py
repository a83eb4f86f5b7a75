"""Locate the search cache of one folder, and delete old ones.

A caller who may see only one folder searches a separate index, in a file beside the cache of the vault. If an index has
not been used for 30 days, for example because its token was removed, it is deleted when another one is opened.
"""

import contextlib
import glob
import hashlib
import os
import time

from zkmem.index.store.database import cache_file

_KEPT_S = 30 * 86_400
_PARTS = ("", "-wal", "-shm")  # the files of one database


def folder_cache(root: str, folder: str) -> str:
    """Return the path of the cache for a folder of the vault at `root`; delete old caches of other folders."""
    vault = cache_file(root).removesuffix(".sqlite3")
    key = hashlib.blake2b(folder.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    path = f"{vault}-{key}.sqlite3"
    with contextlib.suppress(OSError):  # there is none yet
        os.utime(path)
    for other in glob.iglob(f"{glob.escape(vault)}-*.sqlite3"):
        if _last_used(other) < time.time() - _KEPT_S:
            _remove(other)
    return path


def _last_used(path: str) -> float:
    """Return when a database was last opened or written, in seconds since 1970."""
    times = [0.0]
    for part in _PARTS:
        with contextlib.suppress(OSError):
            times.append(os.stat(path + part).st_mtime)
    return max(times)


def _remove(path: str) -> None:
    for part in _PARTS:
        with contextlib.suppress(OSError):
            os.remove(path + part)
