"""Checks of the machine: each one returns its finding, or raises Trouble with a way to fix the problem."""

import functools
import importlib
import importlib.metadata
import os
import re
import shlex
import shutil
import sqlite3
import sys

from zkmem import __version__
from zkmem.cli.checks.target import CheckedVault, Trouble, Warned
from zkmem.clients.entry import made
from zkmem.clients.install import Installation, installed
from zkmem.clients.install import InstalledFile as ClientEntry
from zkmem.clients.launch import NAME, command, parts
from zkmem.clients.table import CLIENTS, UserHome
from zkmem.errors import BadClientFile
from zkmem.index.store.database import Cache, NoCache, cache_file
from zkmem.util.spelling import number_of
from zkmem.vault import platform
from zkmem.vault.store import Store
from zkmem.vault.watch import Batch

# packages with compiled parts, which may not match this machine
_NATIVE = ("cryptography", "nh3", "pyromark", "regex", "rjieba", "yaml")
_HOME = UserHome(os.environ, sys.platform)
_LIMITS = "/proc/sys/fs/inotify"


def environment(_place: CheckedVault) -> str:
    """Check Python, the packages that zkmem needs, and SQLite's full-text search."""
    fix = "install zkmem again, in its own environment: pipx install zkmem, or uv tool install zkmem"
    missing, versions = [], []
    for name in _requirements():
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        raise Trouble(f"packages are missing: {', '.join(missing)}", fix)
    for name in _NATIVE:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise Trouble(f"the package {name} does not load: {error}", fix) from error
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    except sqlite3.OperationalError as error:
        raise Trouble(f"SQLite has no full-text search ({error})", "use a Python whose SQLite has FTS5") from error
    version = ".".join(map(str, sys.version_info[:3]))
    return f"zkmem {__version__}, Python {version} on {sys.platform}, {', '.join(versions)}"


def watcher(target: CheckedVault) -> str:
    """Check that the system reports changes of files, by watching the vault."""
    folders = len(Store(target.vault).scan().folders) + 1
    limits = {name: _limit(name) for name in ("max_user_watches", "max_user_instances")}
    shown_limits = ", ".join(f"{name} {value}" for name, value in limits.items() if value is not None)
    count = number_of(folders, "folder") + (f" ({shown_limits})" if shown_limits else "")
    if platform.current.is_remote(target.vault):
        return f"{count}: on a network drive, so zkmem compares the files at intervals"
    try:
        platform.current.watch(target.vault, Batch()).stop()
    except OSError as error:
        raise Trouble(
            f"{count} cannot be watched ({error.strerror or error}); zkmem compares the files at intervals",
            "raise the limits: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024"
            if shown_limits
            else "put the vault on a disk of this machine",
        ) from error
    return f"{count} can be watched"


def cache(target: CheckedVault) -> str:
    """Check that the cache can be written."""
    path = cache_file(target.vault)
    opened = Cache(path)
    try:
        opened.use(lambda connection: connection.execute("PRAGMA user_version").fetchone())
    except NoCache as error:
        raise Trouble(
            f"the cache cannot be made at {path} ({error}): each start reads all notes",
            "set XDG_CACHE_HOME to a folder on a disk of this machine to which you may write",
        ) from error
    except sqlite3.OperationalError as error:
        raise Trouble(f"{path} is held by another process ({error})", "end the process that hangs") from error
    finally:
        opened.close()
    return path


def clients(_place: CheckedVault) -> str:
    """Check, for each client to which zkmem was added, that the command and the vault in its entry exist.

    Check its hooks, too. Warn if none are set, which may be by choice, and if a client has an entry and our plug-in.
    """
    entries, without_hooks, doubled = [], [], []
    for row in CLIENTS.values():
        path = row.file(_HOME)
        try:
            targets = installed(row, path)
        except BadClientFile as error:
            raise Trouble(str(error), f"correct the file; {row.title} may not read it either") from error
        for target in targets:
            _expect_runnable(target, target.command() or [], f"{row.name} --name {target.name}")
            if remark := _installation(target).remark():
                raise Trouble(
                    remark, "save the file as plain JSON in UTF-8, without a byte order mark, comment or surplus comma"
                )
            entries.append(f"{row.title} ({target.name})")
            if not _has_hooks(target):
                without_hooks.append(target)
        installation = _installation(targets[0] if targets else ClientEntry(row, path, NAME))
        try:
            plugin = installation.plugin()
        except BadClientFile as error:
            raise Trouble(str(error), f"correct the file; {row.title} may not read it either") from error
        if plugin:
            entries.append(f"{row.title} ({row.plugin_kind} {plugin})")
            if targets:
                doubled.append(installation.doubled(plugin))
    problems, fixes = [f"the {problem}" for problem, _ in doubled], [advice for _, advice in doubled]
    if without_hooks:
        problems.append(f"no hooks: {', '.join(f'{one.client.title} ({one.name})' for one in without_hooks)}")
        commands = "`, `".join(map(_install_command, without_hooks))
        fixes.append(f"so that the model is given notes before it asks, run `{commands}`")
    if problems:
        raise Warned("; ".join([", ".join(entries), *problems]), "; ".join(fixes))
    return ", ".join(entries) if entries else "zkmem was added to no client: see `zkmem install`"


def _has_hooks(target: ClientEntry) -> bool:
    """Check the hooks for the vault of an entry. Return False if there are none where there should be some."""
    client, installation = target.client, _installation(target)
    start, served = parts(target.command() or [])
    if client.hooks is None or not served or "--per-project" in served:
        return True
    try:
        installation.check_hooks()
        hooked, plugin = installation.hooked(served[0]), installation.plugin()
        others = installation.entry.others().values()
    except BadClientFile as error:
        raise Trouble(
            f"{error} {client.title} may run no hooks of this file",
            f"correct the file, then run `{_install_command(target)}`",
        ) from error
    # entries for one vault share its hooks, which run the program of one of them
    programs = [start, *(program for program, other in others if other[0] == served[0])]
    wrong = [event for event in client.hooks.events.values() if hooked.get(event) not in programs]
    if hooked and wrong:
        raise Trouble(
            f"hooks of {client.title} for {served[0]} are missing, or run another program than the entry "
            f"{target.name}: {', '.join(wrong)}",
            f"run `{_install_command(target)}`",
            functools.partial(_repair, target, start),
        )
    return bool(hooked or plugin)


def _install_command(target: ClientEntry) -> str:
    """Return the command that writes an entry and its hooks again."""
    _, served = parts(target.command() or [])
    return shlex.join(["zkmem", "install", target.client.name, "--name", target.name, "--vault", *served])


def _expect_runnable(target: ClientEntry, words: list[str], options: str) -> None:
    title = target.client.title
    if words and shutil.which(words[0]) is None:
        raise Trouble(
            f"{title} runs {words[0]}, which does not exist",
            f"run `zkmem install {options} --vault DIR` again",
            functools.partial(_repair, target, command()) if "serve" in words else None,
        )
    served = words[words.index("serve") + 1 :][:1] if "serve" in words else []
    if served and not served[0].startswith("-") and not os.path.isdir(os.path.expanduser(served[0])):
        raise Trouble(
            f"{title} serves {served[0]}, which is not a folder", f"run `zkmem install {options} --vault DIR`"
        )


def _installation(target: ClientEntry) -> Installation:
    hooks_file = target.client.hooks_file(_HOME)
    return Installation(target.client, target.file, target.name, hooks_path=hooks_file)


def _repair(target: ClientEntry, program: list[str]) -> str:
    """Make an entry and its hooks run a program of zkmem, with the same vault and options as before."""
    words = target.command() or []
    start = [*program, *(["--any-folder"] if "--any-folder" in words else [])]
    installation, (_, served) = _installation(target), parts(words)
    hooked = bool(served and installation.hooked(served[0]))
    wiring = installation.wiring(program, served or [""], hooked=hooked)
    installation.add(made(target.client, [*start, *words[words.index("serve") :]]), wiring)
    return f"{target.client.title} runs {program[0]} now ({target.file})"


def _requirements() -> list[str]:
    listed = importlib.metadata.requires("zkmem") or []
    return [re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in listed if "extra ==" not in line]


def _limit(name: str) -> int | None:
    try:
        with open(os.path.join(_LIMITS, name), encoding="utf-8") as file:
            return int(file.read())
    except OSError:
        return None
