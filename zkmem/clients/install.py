"""Add, remove and find zkmem in a client's configuration files."""

import contextlib
import json
import os
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeVar

from zkmem.clients import entry, hooks
from zkmem.clients.files import ClientFile
from zkmem.clients.hooks import Groups
from zkmem.clients.jsonc import NotParsed
from zkmem.clients.launch import NAME, parts
from zkmem.clients.table import Client
from zkmem.errors import BadClientFile

_T = TypeVar("_T")


class Outcome(NamedTuple):
    """The result of a change to a configuration file."""

    change: str  # added, replaced, unchanged; removed, not there
    file: str
    backup: str | None  # the path of the copy of the old file, if there is one


class Writing(NamedTuple):
    """What is to be changed in one file: the names of values. A name is the keys of its value, joined by points."""

    file: str
    names: list[str]  # of those that are set
    removed: list[str]


class Wiring(NamedTuple):
    """The hooks to set in a file."""

    groups: Groups
    others: Collection[str] = ()  # vaults whose hooks of ours stay; the new hooks replace those of all other vaults


_NO_HOOKS = Wiring({})


class InstalledFile:
    """Our part of one configuration file of a client: the entry of a server under a name, our hooks, or both."""

    def __init__(self, client: Client, path: str, name: str, *, shared: bool = False, only_hooks: bool = False) -> None:
        """Read nothing yet. A new file is for its user alone, unless it is `shared`."""
        self.client = client
        self.name = name
        self._has_entry = not only_hooks
        self._has_hooks = only_hooks or (client.hooks is not None and client.hooks.file is None)
        self._file = ClientFile(path, shared=shared)

    def add(self, new_entry: dict[str, Any] | None, *, wiring: Wiring | None = None, force: bool = False) -> Outcome:
        """Add our entry, or set the command of an existing one; set the hooks, unless they are None."""
        was_there = self.is_there()
        changed = self._file.change(
            lambda text: self._read(lambda: self._with(text, new_entry, wiring, force=force)),
            backup=lambda text: not self._came_from_copy(text),
        )
        return self._outcome(("replaced" if was_there else "added") if changed else "unchanged")

    def remove(self, wiring: Wiring = _NO_HOOKS, *, force: bool = False) -> Outcome:
        """Remove our entry, and set the hooks. If nothing else has changed since `add`, the file is as before it."""
        restored = False

        def without(text: str | None) -> str | None:
            nonlocal restored
            if restored := text is not None and self._loses_all_hooks(text, wiring) and self._came_from_copy(text):
                return self._file.saved_copy()
            return self._without(text, wiring, force=force)

        changed = self._file.change(lambda text: self._read(lambda: without(text)), backup=lambda _: not restored)
        if changed and restored:
            self._file.forget()
        return self._outcome("removed" if changed else "not there")

    def to_add(self, new_entry: dict[str, Any] | None, *, wiring: Wiring | None = None, force: bool = False) -> Writing:
        """Return what `add` is going to write."""
        return self._writing(lambda text: self._with(text, new_entry, wiring, force=force))

    def to_remove(self, wiring: Wiring, *, force: bool = False) -> Writing:
        """Return what `remove` is going to write."""
        return self._writing(lambda text: self._without(text, wiring, force=force))

    @property
    def file(self) -> str:
        """The path of the file."""
        return self._file.path

    def is_there(self) -> bool:
        """Return whether the file has our entry, or, if it is a file only for hooks, our hooks."""
        return self.command() is not None if self._has_entry else bool(self.hooked_vaults())

    def hooked_vaults(self) -> set[str]:
        """Return the vaults of our hooks."""
        return self._read(lambda: hooks.vaults(self._file.read() or "")) if self._has_hooks else set()

    def names_us(self) -> bool:
        """Return whether the file has our name. If it has, it may have our hooks, even if it cannot be parsed."""
        return self._file.has(NAME)

    def hook_programs(self, vault: str) -> dict[str, list[str]]:
        """Return the program that our hook for a vault runs, for each event that has one."""
        if not self._has_hooks:
            return {}
        return self._read(lambda: hooks.programs(self._file.read() or "", vault), advice="")

    def check_hooks(self) -> None:
        """Check that the file can have our hooks, if it is the one for them."""
        if self._has_hooks and self.client.hooks:
            events = self.client.hooks.events.values()
            self._read(lambda: hooks.check(self._file.read() or "", events), advice="")

    def command(self) -> list[str] | None:
        """Return the command of our entry; None if there is none."""
        text = self._file.read() or ""
        return self._read(lambda: entry.command_of(text, self.client, self.name))

    def has_hooks_of_others(self) -> bool:
        """Return whether the file has hooks. Ask this only of a file that never has ours."""
        events = self._read(lambda: self.client.format.get(self._file.read() or "", (hooks.KEY,)))
        return isinstance(events, dict) and any(isinstance(groups, list) for groups in events.values())

    def plugin(self) -> str | None:
        """Return the name of our plug-in if this is a file with hooks, and turns it on."""
        return None if self._has_entry else self._read(lambda: hooks.plugin(self._file.read() or ""), advice="")

    def others(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return our other entries in the file by name: the program of each, and what it serves."""
        text = self._file.read() or ""
        words = self._read(
            lambda: {
                name: entry.command_of(text, self.client, name) or []
                for name in entry.ours(text, self.client)
                if name != self.name
            }
        )
        return {name: one for name, command in words.items() if (one := parts(command))[1]}

    def remark(self) -> str:
        """Return a sentence that says why the client does not read its file; "" if it reads it."""
        text = self._file.read()
        if not text or not (self.client.plain_json or not self._has_entry):
            return ""
        try:
            json.loads(text)  # it refuses a byte order mark first
        except json.JSONDecodeError as error:
            reason = f"line {error.lineno} has a comment, or a comma too many"
            if text.startswith("\ufeff"):
                reason = "it begins with a byte order mark"
            parts = "servers" if self._has_entry else "hooks"
            path = self._file.path
            return f"{self.client.title} does not read {path}, so its {parts} may be missing: {reason}."
        return ""

    def text_with(self, new_entry: dict[str, Any], wiring: Wiring) -> tuple[str, str]:
        """Return the path, and the text of a file that has nothing but the entry and the hooks."""
        return self._file.path, self._with("", new_entry, wiring, force=False) or ""

    def _loses_all_hooks(self, text: str, wiring: Wiring) -> bool:
        """Return whether all our hooks are to be removed from the file."""
        return not wiring.groups and not (self._has_hooks and hooks.vaults(text).intersection(wiring.others))

    def _came_from_copy(self, text: str) -> bool:
        """Return whether the text is the copy (an empty text if there is none) with our entry and hooks added."""
        try:
            base: str | None = self._file.saved_copy() or ""
            if self._has_entry:
                base = entry.copied(base or "", text, self.client, self.name)
            elif not hooks.vaults(text):
                return False
            if self._has_hooks and base is not None:
                base = hooks.copied(base, text)
        except (NotParsed, BadClientFile):  # the copy is no file that could be edited
            return False
        return base == text

    def _with(
        self, text: str | None, new_entry: dict[str, Any] | None, wiring: Wiring | None, *, force: bool
    ) -> str | None:
        new = text or ""
        if self._has_entry and new_entry is not None:
            new = entry.added(new, self.client, self.name, new_entry, force=force)
        if self._has_hooks and wiring is not None:
            new = hooks.added(new, *wiring, self._before())
        return new if new or text is not None else None

    def _without(self, text: str | None, wiring: Wiring, *, force: bool) -> str | None:
        if text is None:
            return None
        before = self._before()
        new = entry.removed(text, self.client, self.name, before, force=force) if self._has_entry else text
        return hooks.added(new, *wiring, before) if self._has_hooks else new

    def _before(self) -> str:
        """Return the text of the copy, which is from before `add`; "" if no copy can be read."""
        with contextlib.suppress(BadClientFile):
            return self._file.saved_copy() or ""
        return ""

    def _writing(self, work: Callable[[str | None], str | None]) -> Writing:
        old = self._file.read() or ""
        new = self._read(lambda: work(old)) or ""
        path = (self.client.key, self.name)
        writing = Writing(self._file.path, [], [])
        if self._has_entry and (value := self.client.format.get(new, path)) != self.client.format.get(old, path):
            (writing.removed if value is None else writing.names).append(".".join(path))
        if self._has_hooks:
            before, after = hooks.ours(old), hooks.ours(new)
            for event in dict.fromkeys(event for event, _ in (*before, *after)):
                then, now = ([group for one, group in groups if one == event] for groups in (before, after))
                if then != now:
                    (writing.removed if len(now) < len(then) else writing.names).append(f"{hooks.KEY}.{event}")
        if writing.names or writing.removed:
            self._file.check()
        return writing

    def _read(self, work: Callable[[], _T], *, advice: str | None = None) -> _T:
        if advice is None:
            other = ", or change the entry by hand (install --print shows it)" if self._has_entry else ""
            if not (self._has_entry or self.names_us()):
                other = ", or install with --no-hooks"
            advice = f" Nothing was changed: correct it and try again{other}."
        try:
            return work()
        except NotParsed as error:
            sentence = f"{self._file.path} cannot be read: line {error.line}: {error.reason}.{advice}"
            raise BadClientFile(sentence) from error

    def _outcome(self, change: str) -> Outcome:
        backup = self._file.backup if self._file.saved_copy() is not None else None
        return Outcome(change, self._file.path, backup)


class Installation:
    """Our entry and our hooks in the configuration of a client, in one file or in two."""

    def __init__(self, client: Client, path: str, name: str, *, hooks_path: str | None, shared: bool = False) -> None:
        """Read nothing yet. `hooks_path` is None if there are no hooks, or if they are in the file with the entry."""
        self.client = client
        self._folder = os.path.dirname(path)
        self.entry = InstalledFile(client, path, name, shared=shared)
        self._files = [self.entry]
        if hooks_path is not None:
            self._files.append(InstalledFile(client, hooks_path, name, shared=shared, only_hooks=True))

    def wiring(self, command: list[str], served: Sequence[str], *, hooked: bool) -> Wiring:
        """Return the hooks of a vault, or none. They replace our hooks for vaults that no other entry of ours serves.

        `served`: the vault, and the options of `zkmem serve` for it.
        """
        others, vault = self.entry.others(), os.path.normpath(served[0])
        names = [self.entry.name, *(name for name, (_, other) in others.items() if other[0] == vault)]
        own, row = self.client.hooks, self.client.name
        groups = hooks.made(row, own, sorted(names), command, served) if hooked and own is not None else {}
        return Wiring(groups, {other[0] for _, other in others.values()} - {vault})

    def hooked(self, vault: str) -> dict[str, list[str]]:
        """Return the program that our hook for a vault runs, for each of the client's events that has one."""
        return {event: program for each in self._files for event, program in each.hook_programs(vault).items()}

    def check_hooks(self) -> None:
        """Check that the client's files can have our hooks."""
        for each in self._files:
            each.check_hooks()

    def to_add(self, new_entry: dict[str, Any], wiring: Wiring, *, force: bool = False) -> list[Writing]:
        """Return what `add` is going to write. Raises the errors of `add`."""
        writings = (each.to_add(new_entry, wiring=wiring, force=force) for each in self._involved(wiring))
        return [one for one in writings if one.names or one.removed]

    def add(self, new_entry: dict[str, Any], wiring: Wiring, *, force: bool = False) -> list[Outcome]:
        """Add the entry, and set the hooks. The first outcome is that of the entry's file."""
        self.to_add(new_entry, wiring, force=force)  # so that no file is changed if another cannot be
        return [
            each.add(new_entry, wiring=wiring, force=force)
            if wiring.groups or each is self.entry
            else each.remove(wiring)
            for each in self._involved(wiring)
        ]

    def to_remove(self, *, force: bool = False) -> list[Writing]:
        """Return what `remove` is going to write. Raises the errors of `remove`."""
        wiring = self._unwired()
        writings = (each.to_remove(wiring, force=force) for each in self._involved(wiring))
        return [one for one in writings if one.names or one.removed]

    def remove(self, *, force: bool = False) -> list[Outcome]:
        """Remove the entry, and the hooks for each vault that no other entry of ours serves."""
        wiring = self._unwired()
        self.to_remove(force=force)
        return [each.remove(wiring, force=force) for each in self._involved(wiring)]

    def remark(self) -> str:
        """Return sentences that say why the client does not read a file; "" if it reads them."""
        files = self._files if self._is_hooked() else [self.entry]
        return " ".join(filter(None, (each.remark() for each in files)))

    def warning(self) -> str:
        """Return a warning if our plug-in is on, too, or if the file with our entry has other hooks; else ""."""
        with contextlib.suppress(BadClientFile):
            if plugin := self.plugin():
                problem, advice = self.doubled(plugin)
                return f"The {problem}; {advice}."
        if self._is_hooked() and self.entry.has_hooks_of_others():
            return f"{self.entry.file} has hooks, too. {self.client.title} runs both, and warns when it starts."
        return ""

    def doubled(self, plugin: str) -> tuple[str, str]:
        """Return what it means that our plug-in is on beside the entry, and what to do."""
        title, kind = self.client.title, self.client.plugin_kind
        group, does = (
            ("extensions", f"{title} starts the server of this entry in place of the extension's")
            if self.client.extension
            else ("plugin", f"{title} starts its server as well, and shows each tool twice")
        )
        name = "" if self.entry.name == NAME else f" --name {self.entry.name}"
        removals = f"`{self.client.command} {group} uninstall {plugin}`, or `zkmem uninstall {self.client.name}{name}`"
        return f"{kind} {plugin} is on, too: {does}", f"keep one: {removals}"

    def plugin(self) -> str | None:
        """Return the name of our plug-in or extension if the client has it and it is on; else None."""
        if self.client.extension and os.path.exists(os.path.join(self._folder, self.client.extension)):
            return NAME
        return next(filter(None, (each.plugin() for each in self._files)), None)

    def texts(self, new_entry: dict[str, Any], wiring: Wiring) -> dict[str, str]:
        """Return the text of each file, by its path, as it would be with our entry and our hooks alone."""
        whole = (each.text_with(new_entry, wiring) for each in self._files)
        return {path: text for path, text in whole if text}

    def _involved(self, wiring: Wiring) -> list[InstalledFile]:
        """Return the files to change, without one that is only for hooks if no hooks are set or removed in it."""
        return [each for each in self._files if wiring.groups or each is self.entry or each.names_us()]

    def _is_hooked(self) -> bool:
        """Return whether our hooks are in a file of their own."""
        with contextlib.suppress(BadClientFile):
            return any(each.hooked_vaults() for each in self._files[1:])
        return False

    def _unwired(self) -> Wiring:
        """Return the hooks that stay without our entry: those for the vaults that other entries of ours serve."""
        others, own = self.entry.others(), parts(self.entry.command() or [])[1][:1]
        sharing = sorted(name for name, (_, served) in others.items() if served[:1] == own)
        groups: Groups = {}
        if sharing and self.client.hooks:
            with contextlib.suppress(BadClientFile):  # the change of the file raises it, too
                hooked = self.hooked(own[0])
                own_groups = hooks.made(self.client.name, self.client.hooks, sharing, *others[sharing[0]])
                groups = {event: group for event, group in own_groups.items() if event in hooked}
        return Wiring(groups, {served[0] for _, served in others.values()}.difference(own))


def installed(client: Client, path: str) -> list[InstalledFile]:
    """Return every entry of ours in a configuration file."""
    text = ClientFile(path).read() or ""
    try:
        return [InstalledFile(client, path, name) for name in entry.ours(text, client)]
    except NotParsed as error:
        raise BadClientFile(f"{path} cannot be read: line {error.line}: {error.reason}.") from error
