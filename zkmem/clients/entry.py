"""Read, write and remove one server's entry in the text of a client's configuration."""

from typing import Any

from zkmem.clients import jsonc
from zkmem.clients.launch import is_ours
from zkmem.clients.table import Client
from zkmem.errors import ForeignEntry


def made(client: Client, command: list[str]) -> dict[str, Any]:
    """Return the entry that makes a client run a command."""
    first, others = client.words
    words: dict[str, Any] = {first: command[0], others: command[1:]} if others else {first: command}
    return {**client.also, **words}


def added(text: str, client: Client, name: str, entry: dict[str, Any], *, force: bool = False) -> str:
    """Return the text with the entry: a new one, or ours with a new command and its other settings unchanged."""
    path = (client.key, name)
    old = client.format.get(text, path)
    if not _runs_us(client, old):
        if old is not None and not force:
            raise _foreign(client, name)
        return client.format.put(text, path, entry)
    for key, value in entry.items():
        if key not in old or (key in client.words and old[key] != value):
            text = client.format.put(text, (*path, key), value)
    return text


def removed(text: str, client: Client, name: str, before: str, *, force: bool = False) -> str:
    """Return the text without the entry. Remove the object of the servers, too, if it is empty, but not `before`."""
    path = (client.key, name)
    old = client.format.get(text, path)
    if old is not None and not force and not _runs_us(client, old):
        raise _foreign(client, name)
    remaining = client.format.drop(text, path)
    return (
        jsonc.drop_emptied(remaining, path[:1], before) if remaining != text and client.format is jsonc else remaining
    )


def command_of(text: str, client: Client, name: str) -> list[str] | None:
    """Return the command of our entry with this name; None if there is none, or it is not ours."""
    entry = client.format.get(text, (client.key, name))
    return _words(client, entry) if _runs_us(client, entry) else None


def copied(base: str, text: str, client: Client, name: str) -> str | None:
    """Return the text `base` with our entry from `text`; None if `base` has our entry already, or `text` has none."""
    path = (client.key, name)
    entry = client.format.get(text, path)
    if not _runs_us(client, entry) or _runs_us(client, client.format.get(base, path)):
        return None
    return client.format.put(base, path, entry)


def ours(text: str, client: Client) -> list[str]:
    """Return the names of all entries that are ours."""
    servers = client.format.get(text, (client.key,))
    return [name for name, entry in servers.items() if _runs_us(client, entry)] if isinstance(servers, dict) else []


def _words(client: Client, entry: object) -> list[str] | None:
    """Return the command of an entry, if it is written as this client has it."""
    if not isinstance(entry, dict):
        return None
    first, others = client.words
    rest = entry.get(others) if others else []
    command = [entry.get(first)] if others else entry.get(first)
    return [*command, *rest] if isinstance(command, list) and isinstance(rest, list) else None


def _runs_us(client: Client, entry: object) -> bool:
    return is_ours(_words(client, entry))


def _foreign(client: Client, name: str) -> ForeignEntry:
    return ForeignEntry(
        f"{client.title} has a server called {name!r} already that does not run zkmem; nothing was changed. Choose "
        "another name with --name, or --force to put ours in its place or remove it."
    )
