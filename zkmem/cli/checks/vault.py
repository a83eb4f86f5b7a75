"""Checks of the vault: each one returns its finding, or raises Trouble with a way to fix the problem."""

import functools
import os
import shlex
import shutil
import tempfile
import time
from typing import TYPE_CHECKING

from zkmem import config, trust
from zkmem.cli.checks.target import CheckedVault, Trouble, Warned, few
from zkmem.cli.group import without_effect
from zkmem.cli.tokens import tokens_of
from zkmem.clients import launch
from zkmem.edit.journal import Journal
from zkmem.errors import BadSettings, Busy, ZkError
from zkmem.memory import Memory
from zkmem.names import page_of
from zkmem.serve.access.tokens import DOUBT, FILE, Tokens
from zkmem.serve.mcp.skills import wanted_names
from zkmem.settings import Settings
from zkmem.sync.report import SyncState
from zkmem.util.spelling import clock, number_of
from zkmem.vault import platform
from zkmem.vault.git.command import Git, GitTrouble, NotAllowed
from zkmem.vault.git.repository import Repository
from zkmem.vault.git.worktree import DETACHED
from zkmem.vault.journal.lock import VaultLock
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.store import Store

if TYPE_CHECKING:
    from mcp import Client

_LOCK_S = 1.0  # an edit holds the lock for milliseconds
_INDEX_S = 5.0  # as long as a client waits for the search index
_START_S = 30.0  # enough for a cold start on a slow disk
_STEPS = "several steps, and loses no save"


def vault(target: CheckedVault) -> str:
    """Check that the vault exists and its notes can be read."""
    if target.root is None:
        raise Trouble(target.fault, "make the folder with `zkmem init DIR`, or name another one with --vault DIR")
    scan = Store(target.root).scan()
    notes = [path for path in scan.stamps if path.endswith(".md")]
    unread = [path for path in notes if not os.access(f"{target.root}/{path}", os.R_OK)] + scan.unread
    if unread:
        sentence = f"{number_of(len(unread), 'file or folder', 'files or folders')} cannot be read: {few(unread)}"
        raise Trouble(f"{sentence}. Links in them are not updated", "give yourself the right to read them")
    left_out = f", {len(scan.faults)} left out (`zkmem check` names them)" if scan.faults else ""
    return f"{target.root}: {number_of(len(notes), 'note')} in {number_of(len(scan.folders) + 1, 'folder')}{left_out}"


def settings(target: CheckedVault) -> str:
    """Check the settings in the vault's file, the user's file and the environment."""
    try:
        values, ignored = config.load(target.vault, {}), config.without_effect(target.vault, {})
    except BadSettings as error:
        raise Trouble(str(error), "correct it there, or remove it") from error
    remark = f" {without_effect(target.vault, ignored)}" if ignored else ""
    if faults := config.faults(target.vault):
        raise Trouble(f"ignored: {' '.join(faults)}{remark}", "correct it there, or remove it")
    is_logseq = os.path.isfile(os.path.join(target.vault, "logseq", "config.edn"))
    pages = [path for path in Store(target.vault).scan().stamps if page_of(path)] if is_logseq else []
    if pages and not values.logseq_names:
        sentence = (
            f"this is a Logseq graph, and links to {number_of(len(pages), 'page')} such as {page_of(pages[0])[:-3]}"
        )
        raise Trouble(f"{sentence} count as missing", f"write `logseq_names = true` into {config.FILE}")
    changed = [name for name, value in values._asdict().items() if value != getattr(Settings(), name)]
    summary = f"{few(changed)} set" if changed else "all have their defaults"
    return f"{summary}.{remark}" if remark else summary


def reranker(target: CheckedVault) -> str:
    """Check that the model of `rerank_model` scores a text."""
    from zkmem.search.rerank import Reranker  # noqa: PLC0415 - no other check needs it

    folder = target.settings().rerank_model
    if not folder:
        return "none is set"
    try:
        Reranker(folder).scores("a query", ["a text"])
    except BadSettings as error:
        raise Trouble(
            str(error), "until then, each search with a word fails; to search without it, unset it"
        ) from error
    return f"{folder!r} scores texts"


def file_system(target: CheckedVault) -> str:
    """Check that the vault can be edited: write files to a hidden folder, and remove the folder again."""
    try:
        with tempfile.TemporaryDirectory(prefix=".zkmem-doctor-", dir=target.vault) as folder:
            abilities = _abilities(folder)
    except OSError as error:
        raise Trouble(
            f"the vault cannot be written ({error.strerror}): notes can be read, not changed",
            "give yourself the right to write to it, or free space on the disk",
        ) from error
    return f"can be written, {abilities}" + (", on a network drive" if platform.current.is_remote(target.vault) else "")


def _abilities(folder: str) -> str:
    one, other, link = (os.path.join(folder, name) for name in ("one", "other", "link"))
    for path in (one, other):
        with open(path, "w", encoding="utf-8") as file:
            file.write(path)
    try:
        platform.current.exchange(one, other)
    except platform.Unsupported:
        if _refuses_taken_names(one, link):
            return f"can swap files in {_STEPS}"
        return "cannot swap files, and a rename replaces files: a save within microseconds of an edit could be lost"
    return f"can swap files in {'one step' if platform.current.swaps_in_one_step else _STEPS}"


def _refuses_taken_names(one: str, free: str) -> bool:
    """Return whether a rename or a hard link to a free name works; both fail if the name is taken."""
    try:
        platform.current.rename_to_free(one, free)
    except platform.Unsupported:
        try:
            platform.current.link(one, free)
        except OSError:
            return False
    return True


def lock(target: CheckedVault) -> str:
    """Check that the lock can be taken. Before the first edit, do not make its file."""
    state = StateFolder(target.vault)
    if not os.path.isdir(state.folder):
        return "free: no edit has been made yet"
    try:
        with VaultLock(state, _LOCK_S).hold():
            return "free"
    except Busy as error:
        raise Trouble(str(error), "end the process that hangs; if there is none, restart the clients") from error
    except ZkError as error:
        raise Trouble(str(error), "make .zkmem/ in the vault writable, or do what the error says") from error


def journal(target: CheckedVault) -> str:
    """Check that no edit was interrupted, and that none was put aside because it could not be read."""
    if not os.path.isdir(StateFolder(target.vault).folder):
        return "empty"
    damaged = Journal(Store(target.vault)).faults()
    if damaged:
        raise Trouble(
            f"interrupted edits that cannot be read were put aside: {few(damaged)}",
            "compare the notes with the last edits (`zkmem log`), then remove these folders",
        )
    try:
        with VaultLock(StateFolder(target.vault), _LOCK_S).hold():
            entries = os.listdir(StateFolder(target.vault).path("journal"))
    except ZkError:
        return "not checked: the lock cannot be taken"
    if entries:
        raise Trouble(
            "an edit was interrupted",
            "run `zkmem check`, which finishes or undoes it first",
            functools.partial(_recover, target.vault),
        )
    return "empty"


def _recover(vault: str) -> str:
    with Memory(vault) as memory:
        memory.load()
    return "the interrupted edit was finished or undone"


def tokens(target: CheckedVault) -> str:
    """Check that a server over HTTP can read its tokens, and that they are valid."""
    try:
        tokens = tokens_of(target.vault)
        file = tokens.load()
    except BadSettings as error:
        problem, _, fix = str(error).partition("; ")
        raise Trouble(
            f"{problem}: no server over HTTP starts, and a running one refuses every request",
            fix or "correct the file, or remove it",
            functools.partial(_close, tokens) if tokens.is_open_to_others else None,
        ) from error
    if not file.is_allowed:
        raise Trouble(f"{DOUBT}: over HTTP a server refuses all of them", tokens.remedy)
    if not file.tokens:
        return "none: over HTTP, callers on this machine need none"
    expired = sum(one.is_expired for one in file.tokens)
    count = number_of(len(file.tokens), "token") + f", {expired} expired" * bool(expired)
    return f"{count} (`zkmem token list` names them)"


def _close(tokens: Tokens) -> str:
    tokens.close_to_others()
    return f"only you can read and change {FILE} now"


def git(target: CheckedVault) -> str:
    """If each edit is to be a commit, check that git can make one."""
    if not target.settings().git:
        if "git" in config.without_effect(target.vault, {}):
            return f"not used: git = true in {config.FILE} has no effect until `{_trust(target)}` allows it"
        return "not used (git = false)"
    if shutil.which("git") is None:
        raise Trouble("git = true, but the command git is not installed", "install git, or set git = false")
    try:
        repository = Git(target.vault, "", trust.trusted(target.vault).git).look_if_allowed()
    except NotAllowed as error:
        problem, _, fix = str(error).partition("; ")
        raise Trouble(f"git = true, but {problem}", fix) from error
    except GitTrouble as error:
        raise Trouble(f"git = true, but {error}", "correct that, or set git = false") from error
    reason = repository.in_use() or (DETACHED if _is_detached(repository) else "")
    if reason:
        problem, _, fix = reason.partition("; ")
        raise Trouble(problem, fix)
    if not repository.knows_user:
        raise Trouble(
            "git does not have your name and address: zkmem is the author of the commits",
            "git config --global user.email you@example.org, and the same for user.name",
        )
    return f"commits go to {repository.folder}"


def _is_detached(repository: Repository) -> bool:
    """Return whether no branch is checked out."""
    with open(os.path.join(repository.folder, "HEAD"), encoding="utf-8") as file:
        return not file.read().startswith("ref:")


def sync(target: CheckedVault) -> str:
    """Return the result of the last synchronisation, and how far the vault and the remote are apart."""
    state = SyncState.load(StateFolder(target.vault))
    if state is None:
        return "no result is known (`zkmem sync` shares the vault with other machines)"
    state = state.counted(Git(target.vault, "", trust.trusted(target.vault).git))
    last = f"last with {state.remote}: {clock(state.succeeded) if state.succeeded else 'never'}"
    waits = [f"{number_of(state.ahead, 'commit')} to push"] * bool(state.ahead)
    waits += [f"{number_of(state.behind, 'commit')} to fetch"] * bool(state.behind)
    apart = "; ".join(waits) or "nothing waits"
    if state.trouble:
        sentence = f"{last}; {apart}; it failed at {clock(state.time)}: {state.trouble}"
        raise Trouble(sentence, "solve that, then run `zkmem sync`")
    return f"{last}; {apart}" + (f"; offline at {clock(state.time)}: {state.offline}" if state.offline else "")


def _trust(target: CheckedVault) -> str:
    return f"zkmem trust {shlex.quote(target.vault)}"


def hints(target: CheckedVault) -> str:
    """Return the order of the hints; warn if another order would suit the vault better."""
    order = target.settings().hints_order
    try:
        with Memory(target.vault, hints_order=order) as memory:
            advice = memory.advice()
    except ZkError as error:
        return f"not checked: {error}"
    if advice:
        raise Warned(advice.sentence, f'put hints_order = "{advice.hints_order}" into {config.FILE}')
    return f"hints_order = {order}"


def skills(target: CheckedVault) -> str:
    """Count the notes that are skills, or would be if the user allowed it."""
    try:
        with Memory(target.vault) as memory:
            names = wanted_names(memory, target.settings().skills_folder, _INDEX_S)
    except ZkError as error:
        return f"not checked: {error}"
    count = f"{number_of(len(names), 'note')}: {few(names)}" if names else "no note"
    waits = names and not trust.trusted(target.vault).skills
    return count + f"; none is a skill until `{_trust(target)}` allows that" * bool(waits)


def handshake(target: CheckedVault) -> str:
    """Start a server on the vault, connect to it over stdio and list its tools."""
    import anyio  # noqa: PLC0415 - no other command needs these
    from mcp import Client  # noqa: PLC0415
    from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415

    command = [*launch.command(), "serve", target.vault, "--mode", "stdio"]
    answers: list[str] = []

    async def connect() -> None:
        with anyio.fail_after(_START_S):
            parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
            async with Client(parameters) as client:
                answers.append(await _tools(client))

    fix = f"read its error: {' '.join(command)} < /dev/null"
    began = time.monotonic()
    try:
        anyio.run(connect)
    except TimeoutError as error:
        raise Trouble(f"the server gave no answer in {_START_S:g} s", fix) from error
    except Exception as error:  # any reason why a server does not start is the finding
        raise Trouble(f"the server does not answer: {_reason(error)}", fix) from error
    finding = f"{answers[0]} after {time.monotonic() - began:.1f} s"
    if (mode := os.environ.get("ZKMEM_MODE", "stdio")) != "stdio":
        raise Warned(
            f"{finding} over stdio, but a client that is started here gets no answer, because ZKMEM_MODE is {mode!r}",
            "set ZKMEM_MODE only for the server",
        )
    return finding


async def _tools(client: "Client") -> str:
    listed = await client.list_tools()
    names = [tool.name for tool in listed.tools]
    return f"{number_of(len(names), 'tool')} over protocol {client.protocol_version}"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
