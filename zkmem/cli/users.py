"""The command `user`: add, list and remove the people who may sign in to a server with --public-url."""

import sys
import time

import click

from zkmem.cli.commands import Suggesting
from zkmem.cli.group import cli, open_memory, print_answer, vault_command
from zkmem.cli.tokens import audit_ends, check_secrets, yes_option
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.signin.store import Right, SignInStore, User
from zkmem.serve.access.signin.users import SHORTEST, Ended, Users, ended
from zkmem.serve.access.tokens import described, folder_of_right
from zkmem.util.spelling import number_of, printable
from zkmem.vault.journal.state import StateFolder


@cli.group(cls=Suggesting)
def user() -> None:
    """Name the people who may sign in to a server with --public-url.

    A user signs in with a name and a password, and so gives a client access to the vault. A user of several vaults has
    one password. On the page, a user can add passkeys, which serve as well.
    """


@vault_command(group=user)
@click.argument("name")
@click.option("--vault-path", "folder", default="", metavar="FOLDER", help="Allow only the notes below FOLDER.")
@click.option("--read-only", is_flag=True, help="Allow reading only.")
@yes_option
def add(vault: str, as_json: bool, name: str, folder: str, read_only: bool, yes: bool) -> None:
    """Add the user NAME to the vault.

    The command asks for a password; without a terminal, it reads the first line of standard input. If notes look as if
    they hold a key or a password, this names them and asks first; without a terminal, it needs --yes.
    """
    root, users = _users(vault)
    right = Right(folder_of_right(root, folder), read_only)
    check_secrets(Memory(root), right.folder, yes=yes)
    is_known = users.has_password(name)
    users.add(name, None if is_known else _password(), right)
    note = "; the password is the one of the other vaults" if is_known else ""
    print_answer(as_json, {"added": name}, f"added {name}{note}")


@vault_command(group=user)
@click.argument("name")
def password(vault: str, as_json: bool, name: str) -> None:
    """Set a new password for NAME; removes the user's passkeys and ends the user's sign-ins.

    The command asks for the password; without a terminal, it reads the first line of standard input.
    """
    root, users = _users(vault)
    ended_access = users.set_password(name, _password())
    _audit(root, name, ended_access, "a new password was set with zkmem user password")
    _done(as_json, {"changed": name}, f"changed the password of {name}", ended_access)


@vault_command(group=user)
@click.argument("name")
def remove(vault: str, as_json: bool, name: str) -> None:
    """Remove the user NAME, and end the user's sign-ins."""
    root, users = _users(vault)
    ended_access = users.remove(name)
    _audit(root, name, ended_access, "its user was removed with zkmem user remove")
    _done(as_json, {"removed": name}, f"removed {name}", ended_access)


@vault_command("list", group=user)
def listed(vault: str, as_json: bool) -> None:
    """List the users of the vault and what each may do."""
    root, users = _users(vault)
    rows = [(one, one.vaults[root]) for one in users.all()]
    values = [
        {"name": one.name, "created": one.created, "passkeys": len(one.passkeys), **right._asdict()}
        for one, right in rows
    ]
    print_answer(as_json, {"users": values}, *(printable(_line_of(one, right)) for one, right in rows))
    if not (rows or as_json):
        click.echo("No users exist. To add one: zkmem user add NAME", err=True)


def _line_of(one: User, right: Right) -> str:
    since = time.strftime("%Y-%m-%d", time.localtime(one.created))
    passkeys = f", {number_of(len(one.passkeys), 'passkey')}" if one.passkeys else ""
    return f"{one.name}: {described(right.folder, read_only=right.read_only)} (since {since}{passkeys})"


def _audit(root: str, name: str, ended_access: Ended, reason: str) -> None:
    """Add ended sign-ins to the audit logs of their vaults, and removed passkeys to the audit log of this vault."""
    audit_ends(ended_access.signins, reason)
    for one in ended_access.passkeys:
        Audit(StateFolder(root)).add_event("", "", "passkey removed", user=name, passkey=one.name, reason=reason)


def _done(as_json: bool, values: dict[str, object], sentence: str, ended_access: Ended) -> None:
    """Print the result of a command that has ended sign-ins and removed passkeys."""
    counts = {"ended": len(ended_access.signins), "passkeys_removed": len(ended_access.passkeys)}
    passkeys = f"{number_of(len(ended_access.passkeys), 'passkey')} removed" if ended_access.passkeys else ""
    line = "; ".join(filter(None, (sentence, passkeys, ended(counts["ended"]))))
    print_answer(as_json, {**values, **counts}, line)


def _users(vault: str) -> tuple[str, Users]:
    root = open_memory(vault)[0].vault
    return root, Users(SignInStore(), root)


def _password() -> str:
    """Return a password from the terminal, or from the first line of standard input."""
    if sys.stdin is not None and sys.stdin.isatty():
        hint = f"Password (at least {SHORTEST} characters)"
        text: str = click.prompt(hint, hide_input=True, confirmation_prompt="Once more", err=True)
        return text
    line = sys.stdin.readline().rstrip("\r\n") if sys.stdin else ""
    if not line:
        raise BadArgument("Give the password on standard input, or run the command in a terminal, which asks for it.")
    return line
