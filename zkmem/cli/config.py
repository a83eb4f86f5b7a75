"""The command `config`: show and change the settings in the user's own file and in the vault's file."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import click

from zkmem import config, trust
from zkmem.cli.commands import suggestion
from zkmem.cli.group import cli, given_vault_option, json_option, print_answer, without_effect
from zkmem.cli.vault_folder import vault_folder
from zkmem.clients import toml
from zkmem.clients.jsonc import NotParsed
from zkmem.errors import BadArgument, BadSettings, NoVault, Unwritable
from zkmem.memory import Memory
from zkmem.settings import Settings, about
from zkmem.util.portable import binary, opened
from zkmem.util.replacing import replace_file
from zkmem.util.spelling import printable
from zkmem.vault.git.remote import without_password
from zkmem.vault.journal.state import StateFolder, unwritable


class _File(NamedTuple):
    """A file of settings."""

    path: str
    shown: str  # in sentences
    root: str = ""  # of the vault whose file it is; "" for the user's own

    def read(self) -> str:
        """Return the text; "" if there is no file."""
        return config.text_of_vault(self.root) if self.root else config.text_of_user()

    def put(self, keys: tuple[str, ...], value: object) -> None:
        """Set a value; every other line stays. A table that is missing gets a header of its own."""
        with self._locked():
            text = self.read()
            is_new = len(keys) > 1 and toml.get(text, keys[:-1]) is None
            self._write(toml.put(text, keys[:-1], {keys[-1]: value}) if is_new else toml.put(text, keys, value))

    def drop(self, keys: tuple[str, ...]) -> None:
        """Remove a value, and the table of a vault that has no other; every other line stays."""
        if toml.get(self.read(), keys) is None:
            near = "" if keys[-1] in Settings._fields else suggestion(keys[-1], Settings._fields)
            raise BadArgument(f"{keys[-1]!r} is not set in {self.shown}; nothing was changed.{near}")
        with self._locked():
            rest, table = toml.drop(self.read(), keys), keys[:-1]
            self._write(toml.drop(rest, table) if table and toml.get(rest, table) == {} else rest)

    def _write(self, text: str) -> None:
        replace_file(self.path, text.encode(), like=self.path, opener=opened if self.root else binary)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the settings during this block. Turn an error into one that says why they cannot be changed."""
        from filelock import FileLock  # noqa: PLC0415 - only a change needs it

        try:
            os.makedirs(trust.folder(), mode=0o700, exist_ok=True)
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with FileLock(os.path.join(trust.folder(), "config.toml.lock")):
                yield
        except NotParsed as error:
            raise BadSettings(f"{self.shown} cannot be changed: line {error.line}: {error.reason}.") from error
        except OSError as error:
            if self.root:
                raise unwritable(error) from error
            raise Unwritable(f"{self.shown} cannot be written: {error.strerror or error}.") from error


def _of_vault(root: str) -> _File:
    """Return the vault's file, to change it."""
    StateFolder(root).check()
    return _File(os.path.join(root, config.FILE), config.FILE, root)


def turn_on(root: str, name: str) -> bool:
    """Set a setting to true in the vault's file and keep the other lines. Return whether the file has changed."""
    file = _of_vault(root)
    value = config.in_vault_file(root).get(name)
    if value is not None and value is not True:
        raise BadSettings(f"{config.FILE} gives {name} another value than true; change that line to: {name} = true")
    if value is None:
        file.put((name,), True)
    return value is None


def _names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in Settings._fields if name.startswith(incomplete)]


@cli.command("config")
@click.argument("name", required=False, shell_complete=_names)
@click.argument("value", required=False)
@given_vault_option
@json_option
@click.option("--unset", is_flag=True, help="Remove NAME from the file.")
@click.option("--here", is_flag=True, help="Change your own file for this vault alone.")
@click.option("--shared", is_flag=True, help="Change the vault's file, which goes with the vault to other machines.")
def config_(
    name: str | None, value: str | None, vault: str | None, as_json: bool, unset: bool, here: bool, shared: bool
) -> None:
    """List the settings, or print or change one.

    Each is printed with its value and the place that the value comes from. With VALUE, NAME is set in your own file,
    for all vaults; a list is one text with commas. Comments and the other lines of the file stay.
    """
    changes = value is not None or unset
    if name is None and unset:
        raise BadArgument("--unset needs the NAME of a setting.")
    if value is not None and unset:
        raise BadArgument("Give either a VALUE or --unset.")
    if here and shared:
        raise BadArgument("Give either --here or --shared.")
    if (here or shared) and not changes:
        raise BadArgument("--here and --shared say where to write; give a VALUE, or --unset.")
    root = _root(vault, needed=here or shared)
    if name is not None and name not in Settings._fields and not unset:
        near = suggestion(name, Settings._fields, "zkmem config ")
        raise BadArgument(f"There is no setting {name!r}.{near} `zkmem config` lists the settings.")
    if name is not None and changes:
        file = _change(root, name, value, here=here, shared=shared)
        _say_what_decides(root, name, value, file, as_json=as_json)
        return
    rows = [_row(one, *found) for one, found in config.sources(root).items() if name in (None, one)]
    print_answer(as_json, {"settings": rows} if name is None else rows[0], *map(_line, rows))


def _root(vault: str | None, *, needed: bool) -> str:
    """Return the real path of the vault. If no vault is named or near, return "", or raise NoVault if `needed`."""
    try:
        folder = vault_folder(vault)
    except NoVault:
        if needed or vault is not None:
            raise
        return ""
    return Memory(folder).vault


def _change(root: str, name: str, value: str | None, *, here: bool, shared: bool) -> str:
    """Write a value, or remove the setting if it is None; return the file as it is shown."""
    if shared and value is not None and about(name).in_vault_file == "never":
        raise BadArgument(f"A vault's file cannot set {name}; leave out --shared.")
    keys: tuple[str, ...] = (name,)
    if shared:
        file = _of_vault(root)
    else:
        shown = config.user_file()
        file = _File(os.path.realpath(shown), shown)
        keys = (config.VAULTS, _table(file, root), name) if here else keys
    try:
        if value is None:
            file.drop(keys)
        else:
            given = config.value_of(name, value, "zkmem config")
            data = list(given) if isinstance(given, tuple) else given
            file.put(keys, data)
    except NotParsed as error:
        raise BadSettings(f"{file.shown} cannot be changed: line {error.line}: {error.reason}.") from error
    return file.shown


def _table(file: _File, root: str) -> str:
    """Return the name of the vault's table in the user's own file; the vault's path if it has none."""
    tables = toml.get(file.read(), (config.VAULTS,))
    return next((one for one in tables or () if config.is_of_vault(one, root)), root)


def _say_what_decides(root: str, name: str, value: str | None, file: str, *, as_json: bool) -> None:
    """Print what was changed and, if the settings can be read, the value that has effect."""
    row: dict[str, object] = {"name": name}
    try:
        if root and name in (ignored := config.without_effect(root, {})):
            click.echo(without_effect(root, {name: ignored[name]}), err=True)
        row = _row(name, *config.sources(root)[name]) if name in Settings._fields else row
    except BadSettings as error:  # another setting in the user's file is wrong
        click.echo(str(error), err=True)
    lines = [printable(f"{name} was {'removed from' if value is None else 'written to'} {file}")]
    lines += [f"in effect: {_line(row)}"] if "value" in row else []
    print_answer(as_json, {**row, "changed": file}, *lines)


def _row(name: str, value: object, place: str) -> dict[str, object]:
    """Return a setting to be shown, without the name and the password in an address."""
    if isinstance(value, str) and about(name).address:
        parts = urlsplit(value)
        if "@" in parts.netloc:
            value = parts._replace(netloc="***@" + parts.netloc.rpartition("@")[2]).geturl()
    elif isinstance(value, str):  # a remote may be an address, which git reads in its own way
        value = without_password(value, "***@")
    return {"name": name, "value": value, "from": place}


def _line(row: dict[str, object]) -> str:
    return printable(f"{row['name']} = {json.dumps(row['value'], ensure_ascii=False)}  # {row['from']}")
