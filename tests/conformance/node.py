"""The commands from npm, in the versions of package-lock.json: installed once, in the user's cache folder."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import platformdirs

_OWN = pathlib.Path(__file__).parent
_PINNED = ("package.json", "package-lock.json")
# Found when this is imported: a session of tests has a cache folder of its own later, which ends with it.
_CACHE = platformdirs.user_cache_path("zkmem-conformance")


class NoNpm(Exception):
    """There is no npm to install the commands with."""


def installed() -> pathlib.Path:
    """The folder of the commands; they are installed if they are not yet.

    Raises:
        NoNpm: when there is no npm.
        CalledProcessError: when npm cannot install them.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise NoNpm("The conformance suite comes from npm, which is not here: install Node.js.")
    key = hashlib.blake2b(b"".join((_OWN / name).read_bytes() for name in _PINNED), digest_size=6).hexdigest()
    home = _CACHE / key
    if not home.exists():
        _install(npm, home)
    return home / "node_modules" / ".bin"


def _install(npm: str, home: pathlib.Path) -> None:
    """Install beside, then move: another process may do the same now, and half of it is never seen."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as beside:
        for name in _PINNED:
            shutil.copy(_OWN / name, beside)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([npm, "ci", *options, "--prefix", beside], check=True, stdout=subprocess.DEVNULL)
        whole = pathlib.Path(beside, "whole")
        whole.mkdir()
        pathlib.Path(beside, "node_modules").rename(whole / "node_modules")
        try:
            whole.rename(home)
        except OSError:  # the other process was first
            if not home.exists():
                raise


def run(command: str, *arguments: str, home: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """Run one of the commands; what it keeps for its user it keeps in `home`."""
    commands = installed()
    environment = os.environ | {"HOME": str(home), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [str(commands / command), *arguments], capture_output=True, text=True, env=environment, cwd=home, check=False
    )
