"""Keep files out of git that it ignores, even if a `.gitignore` from another machine ignores them no longer."""

import contextlib
import os
import re
from collections.abc import Iterator

from zkmem.util.replacing import replace_file
from zkmem.vault.files import read
from zkmem.vault.git.command import TRANSFER_S, Git, GitTrouble

_SPECIAL = re.compile(r"[\\*?\[!# ]")


@contextlib.contextmanager
def kept_ignored(git: Git) -> Iterator[list[str]]:
    """Keep every file ignored that git ignores now, although the block changes `.gitignore` files.

    The files that git would ignore no longer are added to `.git/info/exclude`, which belongs to this machine alone.
    If the process is killed in the block, all ignored files are in it, which changes nothing for git.

    Yields a list. After the block it has the added files; the name of a folder stands for all its files.
    """
    place = os.path.join(git.where().common, "info", "exclude")
    before = _text(place)
    ignored = _listed(git, "--exclude-standard")
    added: list[str] = []
    _write(place, before, ignored)
    try:
        yield added
        still = set(_listed(git, "--exclude-per-directory=.gitignore"))
        added += [path for path in ignored if path not in still]
    finally:
        _write(place, before, added)


def _listed(git: Git, rules: str) -> list[str]:
    """Return the files and folders that git ignores by some rules. Paths count from the top of the repository."""
    options = ("--others", "--ignored", "--directory", "--full-name", "-z")
    found = git.run("ls-files", *options, rules, top=True, patience_s=TRANSFER_S).split("\0")
    return [path for path in found if path]


def _text(place: str) -> str:
    try:
        return read(place)[0].decode(errors="surrogateescape")
    except FileNotFoundError:
        return ""


def _write(place: str, before: str, paths: list[str]) -> None:
    """Write the text of the file before, and a pattern for each path."""
    if any("\n" in path for path in paths):
        raise GitTrouble("git ignores a file with a line break in its name; rename it")
    lines = "".join("/" + _SPECIAL.sub(r"\\\g<0>", path) + "\n" for path in paths)
    text = before if not lines or before.endswith("\n") or not before else before + "\n"
    if text + lines != _text(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        replace_file(place, (text + lines).encode(errors="surrogateescape"), durable=False)
