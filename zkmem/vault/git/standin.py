"""Make a stand-in for the shared part of a git repository: its objects and branches, with zkmem's own configuration.

git reads the configuration, and looks for hooks, in the folder that GIT_COMMON_DIR names. If the stand-in is that
folder, the repository's own configuration has no effect, even if a later git can start more programs from it.
"""

import contextlib
import functools
import hashlib
import os
import shutil

from zkmem.util.replacing import replace_file
from zkmem.vault.git.repository import Place

_FILES = ("packed-refs", "shallow")  # git may create these later
_FOLDERS = ("objects", "refs", "logs", "info", "reftable")


def standin(place: Place) -> str:
    """Return the stand-in for a repository's shared part; make or repair it first if needed.

    It is a folder in the user's cache folder, where no other user can write.
    """
    import platformdirs  # noqa: PLC0415 - only a commit needs it

    key = hashlib.blake2b(os.fsencode(place.common), digest_size=16).hexdigest()
    folder = platformdirs.user_cache_dir("zkmem", appauthor=False)
    for part in ("", "git", key):
        folder = os.path.join(folder, part)
        os.makedirs(folder, mode=0o700, exist_ok=True)  # the mode is for the last folder of a path alone
    for name in (*_FILES, *_FOLDERS):
        target, link = os.path.join(place.common, name), os.path.join(folder, name)
        if name in _FILES or os.path.isdir(target):
            _link(target, link)
    _write(os.path.join(folder, "config"), _config(place))
    return folder


@functools.lru_cache(maxsize=16)
def _config(place: Place) -> str:
    """Return the text of zkmem's configuration, which describes only how the repository is stored."""
    formats = {one.key: one.value for one in place.values if one.local}
    version = formats.get("core.repositoryformatversion", "0")
    lines = ["[core]", f"\trepositoryformatversion = {int(version) if version.isdecimal() else 0}", "\tbare = false"]
    kinds = {key: formats.get(f"extensions.{key.lower()}") for key in ("objectFormat", "refStorage")}
    known = {key: value for key, value in kinds.items() if value in {"sha1", "sha256", "files", "reftable"}}
    lines += ["[extensions]"] * bool(known) + [f"\t{key} = {value}" for key, value in known.items()]
    return "\n".join(lines) + "\n"


def _link(target: str, link: str) -> None:
    with contextlib.suppress(OSError):
        if os.readlink(link) == target:
            return
    new = f"{link}.zkmem-new"
    with contextlib.suppress(FileExistsError):  # a process that was killed left this link, or another one makes it now
        os.symlink(target, new)
    if os.path.isdir(link) and not os.path.islink(link):  # git made a folder where there was none
        shutil.rmtree(link, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):  # another process has put it there
        os.replace(new, link)


def _write(path: str, text: str) -> None:
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        if file.read() == text:
            return
    replace_file(path, text.encode(), durable=False)
