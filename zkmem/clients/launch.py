"""Find the command that starts this zkmem, by absolute paths: a client started by a desktop has a short PATH."""

import json
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence

NAME = "zkmem"
_UV_FOLDERS = {"archive-v0", "environments-v2"}  # in uv's cache, which it may empty: what is there has no lasting path


def command(argv: Sequence[str] = tuple(sys.argv), prefix: str = sys.prefix) -> list[str]:
    """Return the words that start zkmem: the running executable, or `uvx zkmem` if uvx runs it from its cache."""
    if _UV_FOLDERS & set(prefix.split(os.sep)) and (uvx := _uvx()):
        return [uvx, *_source(), NAME]
    started = argv[0] if argv else ""
    if os.path.splitext(os.path.basename(started))[0] == NAME and os.access(started, os.X_OK):
        return [os.path.abspath(started)]
    script = os.path.join(sysconfig.get_path("scripts"), NAME + (".exe" if os.name == "nt" else ""))
    return [script] if os.access(script, os.X_OK) else [sys.executable, "-m", NAME]


def is_ours(words: object, subcommand: str = "serve") -> bool:
    """Return whether the words of a command start a zkmem with this subcommand."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return False
    before = words[: words.index(subcommand)] if subcommand in words else []
    return any(os.path.splitext(word.replace("\\", "/").rpartition("/")[2])[0] == NAME for word in before)


def parts(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the program of a command `zkmem serve`, and the vault with the options after it; [] if it names no vault.

    The option of `zkmem` itself, `--any-folder`, is left out.
    """
    at = words.index("serve") if "serve" in words else len(words)
    served = words[at + 1 :]
    if not served or served[0].startswith("-"):
        served = []
    else:
        served[0] = os.path.normpath(os.path.expanduser(served[0]))
    return [word for word in words[:at] if word != "--any-folder"], served


def line(words: Sequence[str]) -> str:
    """Return a command as one line for a shell."""
    # Git Bash drops backslashes; PowerShell runs a path with slashes, too, but no path in quotes
    return shlex.join(word.replace("\\", "/") if os.name == "nt" else word for word in words)


def _uvx() -> str | None:
    """Return the path of uvx: beside the uv that runs us, or on the PATH."""
    beside = os.path.join(os.path.dirname(os.environ.get("UV", "")), "uvx" + (".exe" if os.name == "nt" else ""))
    return beside if os.path.isabs(beside) and os.access(beside, os.X_OK) else shutil.which("uvx")


def _source() -> list[str]:
    """Return the source from which uvx installed zkmem, if that is not the package index."""
    import importlib.metadata  # noqa: PLC0415 - 10 ms that no other command needs

    try:
        origin = importlib.metadata.distribution(NAME).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        origin = None
    if not origin:
        return []
    source = json.loads(origin)
    vcs = source.get("vcs_info", {})
    revision = vcs.get("requested_revision")
    url = (f"{vcs['vcs']}+" if vcs else "") + source["url"] + (f"@{revision}" if revision else "")
    return ["--from", url]
