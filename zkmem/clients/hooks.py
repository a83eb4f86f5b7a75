"""Find, set and remove our hooks in the text of a client's configuration.

A client has a list of groups for each event, and a group has a list of hooks. Others may have hooks for the same
events, even in a group of ours; they stay.
"""

import os
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.clients import jsonc
from zkmem.clients.launch import is_ours, line
from zkmem.clients.table import Hooks

KEY = "hooks"
Groups = Mapping[str, dict[str, Any]]
"""A group of hooks for each event, by the client's name of the event."""


class _Hook(NamedTuple):
    """A hook of ours in a text."""

    event: str
    group: int
    number: int  # in the group
    vault: str
    words: list[str]  # of its command
    alone: bool  # its group has no other hook

    @property
    def path(self) -> tuple[str | int, ...]:
        return (KEY, self.event, self.group, KEY, self.number)


def made(client: str, hooks: Hooks, names: Sequence[str], command: list[str], served: Sequence[str]) -> Groups:
    """Return the groups with which a client runs `zkmem hook`; `names` are those of its servers for this vault.

    `served`: the vault, and the options of `zkmem serve` for it. `command` has no options of zkmem: with one before
    `hook`, click would read the command, which ends with code 2 if it finds a fault, and that stops a prompt.
    """
    toolsets = value_of("--toolsets", served)
    groups: dict[str, dict[str, Any]] = {}
    for event, own_name in hooks.events.items():
        words = [*command, "hook", event, "--client", client, "--vault", os.path.normpath(served[0])]
        words += ["--toolsets", toolsets] if toolsets else []
        words += ["--read-only"] if "--read-only" in served else []
        hook = {"type": "command", "command": line(words), "timeout": hooks.timeout}
        tools = hooks.tools.format(names[0] if len(names) == 1 else f"({'|'.join(names)})")
        groups[own_name] = {**({"matcher": tools} if event == "tool-used" else {}), KEY: [hook]}
    return groups


def added(text: str, groups: Groups, others: Collection[str], before: str = "") -> str:
    """Return the text with these groups in place of our hooks, except those for other vaults.

    Remove lists and objects that become empty, but not those that are empty in the text `before`, which is without our
    hooks.
    """
    old = [one for one in _hooks_in(text) if one.vault not in others]
    for event, group in groups.items():
        replaced = next((one for one in old if one.event == event), None)
        if replaced is None:
            text = _appended(text, event, group)
            continue
        old.remove(replaced)
        command = group[KEY][0]["command"]
        folder = value_of("--folder", replaced.words)  # the user has limited the hook to it
        if folder and _vault_in(command) == replaced.vault:  # else the model would be given more
            command = f"{command} {line(['--folder', folder])}"
        text = jsonc.put(text, (*replaced.path, "command"), command)
        if "matcher" in group and replaced.alone:
            text = jsonc.put(text, (KEY, event, replaced.group, "matcher"), group["matcher"])
    for one in reversed(old):
        text = _without(text, one, before)
    return text


def copied(base: str, text: str) -> str | None:
    """Return the text `base` with our hooks from `text`; None if `base` has hooks of ours already."""
    if _hooks_in(base):
        return None
    for event, group in ours(text):
        base = _appended(base, event, group)
    return base


def ours(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the event and the group of each hook of ours."""
    return [(one.event, jsonc.get(text, one.path[:3])) for one in _hooks_in(text)]


def vaults(text: str) -> set[str]:
    """Return the vaults of our hooks."""
    return {one.vault for one in _hooks_in(text)}


def check(text: str, events: Iterable[str]) -> None:
    """Check that `added` can set hooks for these events of a client."""
    for event in events:
        jsonc.get(text, (KEY, event, 0))


def programs(text: str, vault: str) -> dict[str, list[str]]:
    """Return the program that our hook for a vault runs, by its event."""
    return {one.event: one.words[: one.words.index("hook")] for one in _hooks_in(text) if one.vault == vault}


def plugin(text: str) -> str | None:
    """Return the name of our plug-in if the settings of Claude Code turn it on; else None."""
    chosen = jsonc.get(text, ("enabledPlugins",))
    named = chosen.items() if isinstance(chosen, dict) else ()
    return next((name for name, is_on in named if name.startswith("zkmem@") and is_on is True), None)


def _hooks_in(text: str) -> list[_Hook]:
    events = jsonc.get(text, (KEY,))
    hits = []
    for event, groups in events.items() if isinstance(events, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            value = group.get(KEY) if isinstance(group, dict) else None
            group_hooks = value if isinstance(value, list) else []
            for index, hook in enumerate(group_hooks):
                command = hook.get("command") if isinstance(hook, dict) else None
                vault = _vault_in(command)
                if vault is not None:
                    hits.append(_Hook(event, number, index, vault, _words(command), alone=len(group_hooks) == 1))
    return hits


def _appended(text: str, event: str, group: dict[str, Any]) -> str:
    events = jsonc.get(text, (KEY,))
    groups = events.get(event) if isinstance(events, dict) else None
    return jsonc.put(text, (KEY, event, len(groups) if isinstance(groups, list) else 0), group)


def _vault_in(command: object) -> str | None:
    """Return the vault that a command of ours names; None for a command of others."""
    words = _words(command)
    named = value_of("--vault", words)
    return os.path.normpath(named) if named and is_ours(words, "hook") else None


def _words(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:  # a quote without an end
        return []


def value_of(option: str, words: Sequence[str]) -> str:
    """Return the value of an option in the words of a command; "" without one."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word.partition("=")[0] == option:
            return word.partition("=")[2] if "=" in word else after
    return ""


def _without(text: str, hook: _Hook, before: str) -> str:
    """Return the text without a hook, and without its group, its event and `hooks` if these have become empty."""
    text = jsonc.drop(text, hook.path[:3] if hook.alone else hook.path)
    for holder in ((KEY, hook.event), (KEY,)):
        text = jsonc.drop_emptied(text, holder, before)
    return text
