"""The `git` command, run for a vault: what it prints, or its own sentence when it fails."""

import os
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

_PATIENCE_S = 10.0
_LONGEST = 300  # characters of what git says


class GitTrouble(Exception):
    """git could not do it; the sentence is git's own where it gave one."""


class Place(NamedTuple):
    """What there is to know of a repository, once for each process."""

    folder: str  # .git
    prefix: str  # the vault's path in the work tree, with a "/" at its end, or ""
    signs: bool  # whether commits are to be signed
    knows_user: bool
    digits: int  # of a hash


class Git:
    """The git command for one vault, which is a repository or in one."""

    def __init__(self, root: str, index: str) -> None:
        """Nothing is run yet; `index` is the file of an index of our own."""
        self.root = root
        self.index = index
        self._place: Place | None = None

    def where(self) -> Place:
        """Where the repository is.

        Raises:
            GitTrouble: when there is none.
        """
        if self._place is None:
            told = self.run("rev-parse", "--absolute-git-dir", "--show-object-format", "--show-prefix").split("\n")
            signs = self.run("config", "--type=bool", "commit.gpgsign", failing=True).strip() == "true"
            email = self.run("config", "user.email", failing=True).strip() or os.environ.get("GIT_COMMITTER_EMAIL")
            digits = 64 if told[1] == "sha256" else 40
            self._place = Place(told[0], told[2], signs=signs, knows_user=bool(email), digits=digits)
        return self._place

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        own_index: bool = False,
        top: bool = False,
        failing: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """What a git command prints; with `failing`, nothing where it fails.

        It works on the user's index or our `own_index`, and runs in the vault or at the `top` of the work tree.

        Raises:
            GitTrouble: when it fails, and that was not expected.
        """
        more = dict(environment or {}) | ({"GIT_INDEX_FILE": self.index} if own_index else {})
        done = self.call(["-C", self.top(), *arguments] if top else list(arguments), data, more)
        if done.returncode and not failing:
            told = done.stderr.decode(errors="replace").strip()
            raise GitTrouble(" ".join(told.split())[-_LONGEST:] if told else f"git {arguments[0]} failed")
        return done.stdout.decode(errors="surrogateescape") if not done.returncode else ""

    def top(self) -> str:
        """The top of the work tree."""
        return os.path.join(self.root, "/".join([".."] * self.where().prefix.count("/")))

    def call(
        self, arguments: list[str], data: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a git command in the vault, as the user would but for what its environment says of repositories.

        Raises:
            GitTrouble: when there is no git, or it takes too long.
        """
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "_COMMITTER" in name
        }
        kept |= {
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            **(environment or {}),
        }
        try:
            return subprocess.run(  # noqa: S603 - no shell, and paths stand after "--" or in the input
                ["git", *arguments],  # noqa: S607 - which git is the user's choice
                cwd=self.root,
                env=kept,
                input=data,
                capture_output=True,
                check=False,
                timeout=_PATIENCE_S,
            )
        except FileNotFoundError:
            raise GitTrouble("the command git is not installed") from None
        except subprocess.TimeoutExpired:
            raise GitTrouble(f"git {arguments[0]} took longer than {_PATIENCE_S:g} s") from None
