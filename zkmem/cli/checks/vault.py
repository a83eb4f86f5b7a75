"""Checks on the vault: each says what it found, or raises Trouble with how to fix it."""

import contextlib
import functools
import os
import shlex
import shutil
import tempfile

from zkmem import config, trust
from zkmem.cli.checks.target import Target, Trouble, few
from zkmem.cli.group import without_effect
from zkmem.cli.tokens import tokens_of
from zkmem.edit.journal import Journal
from zkmem.errors import BadSettings, Busy, ZkError
from zkmem.memory import Memory
from zkmem.serve.access.tokens import DOUBT, FILE, Tokens
from zkmem.settings import Settings
from zkmem.util.spelling import number_of
from zkmem.vault import atomic_rename
from zkmem.vault.git.command import Git, GitTrouble
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.state import State
from zkmem.vault.mounts import is_remote
from zkmem.vault.store import Store

_LOCK_S = 1.0  # an edit holds the lock for milliseconds
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def vault(place: Target) -> str:
    """The folder, and how much is in it."""
    if place.root is None:
        raise Trouble(place.fault, "make the folder with `zkmem init DIR`, or name another one with --vault DIR")
    found = Store(place.root).scan()
    notes = sum(path.endswith(".md") for path in found.stamps)
    unread = [path for path in found.stamps if path.endswith(".md") and not os.access(f"{place.root}/{path}", os.R_OK)]
    if unread:
        told = f"{number_of(len(unread), 'note')} cannot be read: {few(unread)}"
        raise Trouble(told, "give yourself the right to read them")
    left_out = f", {len(found.faults)} left out (`zkmem check` names them)" if found.faults else ""
    return f"{place.root}: {number_of(notes, 'note')} in {number_of(len(found.folders) + 1, 'folder')}{left_out}"


def settings(place: Target) -> str:
    """The vault's file and the environment."""
    try:
        found, vain = config.load(place.vault, {}), config.without_effect(place.vault, {})
    except BadSettings as error:
        raise Trouble(str(error), "correct it there, or remove it") from error
    changed = [name for name, value in found._asdict().items() if value != getattr(Settings(), name)]
    told = f"{few(changed)} set" if changed else "all as by default"
    return f"{told}. {without_effect(place.vault, vain)}" if vain else told


def file_system(place: Target) -> str:
    """Whether an edit can be made here, tried in a hidden folder that is removed again."""
    try:
        with tempfile.TemporaryDirectory(prefix=".zkmem-doctor-", dir=place.vault) as folder:
            found = _abilities(folder)
    except OSError as error:
        raise Trouble(
            f"the vault cannot be written ({error.strerror}): notes can be read, not changed",
            "give yourself the right to write to it, or free space on the disk",
        ) from error
    return f"can be written, {found}" + (", on a network drive" if is_remote(place.vault) else "")


def _abilities(folder: str) -> str:
    one, other, link = (os.path.join(folder, name) for name in ("one", "other", "link"))
    for path in (one, other):
        with open(path, "w", encoding="utf-8") as file:
            file.write(path)
    try:
        atomic_rename.exchange(one, other)
    except atomic_rename.Unsupported:
        try:
            os.link(one, link)
        except OSError:
            return "without swap and hard links: a save of yours in the instant of an edit could be lost"
        return "without swap: a save of yours within microseconds of an edit could be lost"
    return "files change places in one step"


def lock(place: Target) -> str:
    """Whether the lock can be had; nothing is made where there was no edit yet."""
    state = State(place.vault)
    if not os.path.isdir(state.folder):
        return "free: no edit has been made yet"
    try:
        with VaultLock(state, _LOCK_S).hold():
            return "free"
    except Busy as error:
        raise Trouble(str(error), "end the process that hangs; if there is none, start the clients anew") from error
    except ZkError as error:
        raise Trouble(str(error), "make .zkmem/ in the vault writable, or do what it says") from error


def journal(place: Target) -> str:
    """Edits that were interrupted, and those that could not be read."""
    if not os.path.isdir(State(place.vault).folder):
        return "empty"
    damaged = Journal(Store(place.vault)).faults()
    if damaged:
        raise Trouble(
            f"interrupted edits that cannot be read were put aside: {few(damaged)}",
            "look whether the notes are as they should be (`zkmem log`), then remove these folders",
        )
    try:
        with VaultLock(State(place.vault), _LOCK_S).hold():
            left = os.listdir(State(place.vault).path("journal"))
    except ZkError:
        return "not looked at: the lock cannot be had"
    if left:
        raise Trouble(
            "an edit was interrupted",
            "run `zkmem check`, which finishes it or takes it back before it reads",
            functools.partial(_recover, place.vault),
        )
    return "empty"


def _recover(vault: str) -> str:
    with contextlib.closing(Memory(vault)) as memory:
        memory.load()
    return "the interrupted edit was finished or taken back"


def tokens(place: Target) -> str:
    """Whether a server over HTTP can know its callers."""
    try:
        tokens = tokens_of(place.vault)
        held = tokens.load()
    except BadSettings as error:
        what, _, fix = str(error).partition("; ")
        raise Trouble(
            f"{what}: no server over HTTP starts, and one that runs refuses everybody",
            fix or "do that",
            functools.partial(_close, tokens) if tokens.is_open_to_others else None,
        ) from error
    if not held.is_allowed:
        raise Trouble(f"{DOUBT}: over HTTP none of them lets anybody in", tokens.remedy)
    if not held.tokens:
        return "none: over HTTP nobody on this machine is asked for one"
    expired = sum(one.is_expired for one in held.tokens)
    count = number_of(len(held.tokens), "token") + f", {expired} expired" * bool(expired)
    return f"{count} (`zkmem token list` names them)"


def _close(tokens: Tokens) -> str:
    tokens.close_to_others()
    return f"only you can read and change {FILE} now"


def git(place: Target) -> str:
    """Where each edit is to be a commit: whether git can make one."""
    if not place.settings().git:
        if "git" in config.without_effect(place.vault, {}):
            return f"not used: git = true in {config.FILE} has no effect until `{_trust(place)}` allows it"
        return "not used (git = false)"
    if shutil.which("git") is None:
        raise Trouble("git = true, but the command git is not installed", "install git, or set git = false")
    try:
        found = Git(place.vault, "").look()
        trusted = trust.trusted(place.vault).git == found.fingerprint
    except GitTrouble as error:
        raise Trouble(f"git = true, but {error}", "correct that, or set git = false") from error
    if found.outside and not trusted:
        raise Trouble(f"git = true, but {found.outside[0]!a}", f"see `{_trust(place)}`")
    under_way = [name for name in _UNDER_WAY if os.path.exists(os.path.join(found.folder, name))]
    if under_way:
        raise Trouble(f"a merge or the like is under way ({under_way[0]})", "finish it, or abort it, with git")
    if os.path.exists(os.path.join(found.folder, "index.lock")):
        raise Trouble("the index is locked", f"if no git is at work, remove {found.folder}/index.lock")
    if not found.knows_user:
        raise Trouble(
            "git does not know who you are: commits are by zkmem",
            "git config --global user.email you@example.org, and user.name",
        )
    left_out = f"; some settings of the repository itself have no effect (`{_trust(place)}` shows and allows them)"
    return f"commits go to {found.folder}" + left_out * bool(found.asks and not trusted)


def _trust(place: Target) -> str:
    return f"zkmem trust {shlex.quote(place.vault)}"


def hints(place: Target) -> str:
    """Return the order of the hints, with advice where another one would serve the vault better."""
    order = place.settings().hints_order
    try:
        with contextlib.closing(Memory(place.vault, hints_order=order)) as memory:
            advice = memory.advice()
    except ZkError as error:
        return f"not checked: {error}"
    return f"hints_order = {order}" + (f"; {advice.sentence}" if advice else "")
