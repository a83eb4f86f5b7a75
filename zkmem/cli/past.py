"""The commands on the history of notes, one for each tool."""

import sys
from typing import TYPE_CHECKING, Any

import click

from zkmem.caller import own_clients
from zkmem.cli.group import (
    call,
    loaded,
    note_names,
    note_versions,
    open_memory,
    print_answer,
    print_result,
    vault_command,
)
from zkmem.errors import BadArgument
from zkmem.toolsets.history import session_edits
from zkmem.toolsets.tool import Result
from zkmem.util.spelling import clock, number_of, printable, quoted
from zkmem.vault.journal.words import KINDS

if TYPE_CHECKING:
    from zkmem.memory import Preview


@vault_command()
@click.argument("name", required=False, shell_complete=note_names)
@click.option("-n", "--count", default=10, show_default=True, help="How many edits.")
@click.option(
    "--by",
    type=click.Choice(["all", "tools", "others"]),
    default="all",
    show_default=True,
    help="Who made them: tools, or others, by hand or with git.",
)
@click.option("--given", is_flag=True, help="List what hooks have given to models, not the edits.")
def log(vault: str, as_json: bool, name: str | None, count: int, by: str, given: bool) -> None:
    """List the last edits by tools, by hand and by git.

    Changes by hand and by git are recorded while a server is running, and when it starts. With NAME, list only what
    changed that note. Each number can be given to undo, show, diff and restore. With git on, the list has the commits
    instead, unless you give --by.

    With --given, list which notes `zkmem hook` has given to which session of which client, and when.
    """
    if given:
        _list_given(vault, as_json, name, count)
        return
    call(vault, as_json, "log", {"name": name, "count": count, "by": by})


@vault_command()
@click.option("--since", metavar="WHEN", help="Tell of all edits since a date, such as yesterday, or after edit WHEN.")
@click.option("--kind", type=click.Choice(KINDS), help="List only notes to which this happened.")
@click.option("--client", default="", help="List only what this client did; also: hand, 'git pull'.")
@click.option("--folder", default="", help="List only notes below this folder.")
@click.option("-n", "--count", default=50, show_default=True, type=click.IntRange(0), help="How many notes.")
@click.option("-q", "--quiet", is_flag=True, help="Print one sentence, and nothing if nothing is new.")
@click.option("--exit-code", is_flag=True, help="End with 1 if anything that is wanted is new.")
@click.option("--seen", is_flag=True, help="Mark all edits as seen.")
@click.option("--person", default="", metavar="NAME", help="Whose marks to use: the name of a user or a token.")
def review(
    vault: str,
    as_json: bool,
    since: str | None,
    kind: str | None,
    client: str,
    folder: str,
    count: int,
    quiet: bool,
    exit_code: bool,
    seen: bool,
    person: str,
) -> None:
    """Print what became of the notes since you last looked.

    What destroys text comes first. The marks are those of the page, which are kept for each user, or for each token;
    without tokens, there is one person. With --since, seen edits and your own on the page count, too.
    """
    is_filtered = bool(kind or client or folder)
    if seen and is_filtered:
        raise BadArgument("--seen marks all edits as seen; leave out --kind, --client and --folder.")
    memory, settings = open_memory(vault)
    with memory:
        if person and not settings.oauth_issuer:
            _check_person(memory.vault, person)
        own = own_clients(person)
        brief = memory.brief(
            person, own, kind=kind or "", client=client, folder=folder, since=since, viewed=False,
            limit=0 if quiet else count,
        )  # fmt: skip
        if seen and brief.last:
            memory.mark_seen(person, brief.last, earlier=True)
    is_new = brief.total > 0
    lines = [brief.sentence] if is_new or not quiet else []
    if is_filtered and lines:
        lines += [f"Of these, {number_of(brief.total, 'note')} {'passes' if brief.total == 1 else 'pass'} the filters."]
    lines += [printable(line.in_words) for line in brief.lines]
    left = brief.total - len(brief.lines)
    more = [f"and {number_of(left, 'more note')}; -n {brief.total} lists all"] if left and not quiet else []
    rows = {key: [one._asdict() for one in getattr(brief, key)] for key in ("clients", "counts", "lines")}
    print_answer(as_json, brief._asdict() | rows | {"sentence": brief.sentence}, *lines, *more)
    sys.exit(1 if exit_code and is_new else 0)


def _check_person(vault: str, person: str) -> None:
    """Raise BadArgument if a vault has no user and no token with a name."""
    from zkmem.cli.tokens import tokens_of  # noqa: PLC0415 - few commands need them
    from zkmem.serve.access.signin.store import SignInStore  # noqa: PLC0415
    from zkmem.serve.access.signin.users import Users  # noqa: PLC0415

    users = Users(SignInStore(), vault).all()
    names = {token.name for token in tokens_of(vault).load().tokens} | {user.name for user in users}
    if person not in names:
        have = f"; there are {', '.join(sorted(names))}" if names else ", and there are none"
        raise BadArgument(f"No user and no token of this vault is called {quoted(person)}{have}.")


def _list_given(vault: str, as_json: bool, name: str | None, count: int) -> None:
    """Print what was given to sessions. This needs no index."""
    if name is not None:
        raise BadArgument("--given lists what all sessions were given; leave out the name of the note.")
    with open_memory(vault)[0] as memory:
        entries = memory.given(count)
    lines = [
        f"{clock(one.time)} {one.client} {one.session}: "
        f"{one.event} ({number_of(one.characters, 'character')}): {', '.join(one.notes) or 'no note'}"
        for one in entries
    ]
    given = [one._asdict() for one in entries]
    print_answer(as_json, {"given": given}, *map(printable, lines or ["No session was given anything."]))


@vault_command()
@click.argument("name", metavar="NAME[#HEADING | :LINE]", required=False, shell_complete=note_names)
@click.option("--session", metavar="ID", help="List the edits of a conversation with a client, instead.")
def why(vault: str, as_json: bool, name: str | None, session: str | None) -> None:
    """Say which edit wrote each passage of a note.

    If the client's hooks are installed (zkmem install), it also says in which conversation that was. To undo the edits
    of a conversation: zkmem undo --session ID.
    """
    if (name is None) == (session is None):
        raise BadArgument("Give either the name of a note or --session ID.")
    if session is not None:
        with loaded(vault) as memory:
            print_result(session_edits(memory, session), as_json)
    else:
        call(vault, as_json, "why", {"name": name})


@vault_command()
@click.argument("name_at_rev", shell_complete=note_versions)
def show(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Print an older text of a note.

    REV in NAME@REV is a number or commit from the log, an etag, or a date: 2026-05-01 stands for the end of that day,
    2026-05-01T14:30 for a time. With git on, it can be a branch, a tag or HEAD~1. To print the note with the notes
    around it as they were then: zkmem get NAME --at REV --depth 1. There, REV cannot be an etag.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "show", {"name": name, "rev": rev}, nl=False)


@vault_command()
@click.argument("name_at_rev", metavar="NAME[@REV]", shell_complete=note_versions)
@click.option("--to", help="The revision to compare with (default: the current text).")
def diff(vault: str, as_json: bool, name_at_rev: str, to: str | None) -> None:
    """Show the changes of a note since REV, or in its last edit."""
    name, rev = _at(name_at_rev) if "@" in name_at_rev else (name_at_rev, None)
    call(vault, as_json, "diff", {"name": name, "rev": rev, "to": to}, nl=False)


@vault_command()
@click.argument("name_at_rev", shell_complete=note_versions)
def restore(vault: str, as_json: bool, name_at_rev: str) -> None:
    """Restore the text that a note had in REV.

    A deleted note is created again. With the old name of a renamed note, a second note is created under that name.
    """
    name, rev = _at(name_at_rev)
    call(vault, as_json, "restore", {"name": name, "rev": rev})


class _Edit(click.IntRange):
    """The number of an edit. The error for anything else says where the numbers are."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter as error:
            raise BadArgument(
                f"{value!r} is not the number of an edit; `zkmem log` lists the numbers. "
                "Without a number, the last edit is meant."
            ) from error


_EDIT = click.argument("edit", required=False, type=_Edit(1))
_LAST = click.option(
    "--last", default=1, show_default=True, type=click.IntRange(1, 100), help="How many; not with EDIT."
)


@vault_command()
@_LAST
@click.option(
    "--sitting", is_flag=True, help="Undo the sitting of EDIT: what its client did without a pause of 15 minutes."
)
@click.option(
    "--session", metavar="ID", help="Undo the edits of a conversation with a client: see zkmem why --session."
)
@click.option(
    "--partial", is_flag=True, help="With --sitting or --session: leave the edits that cannot be undone, and name them."
)
@click.option("--dry-run", is_flag=True, help="Print what would change, and change nothing.")
@_EDIT
def undo(
    vault: str,
    as_json: bool,
    last: int,
    sitting: bool,
    session: str | None,
    partial: bool,
    dry_run: bool,
    edit: int | None,
) -> None:
    """Undo the last edit by a tool, or edit number EDIT.

    What later edits wrote stays; if they changed the same lines, nothing is undone.
    """
    if dry_run:
        with loaded(vault) as memory:
            preview = memory.preview_undo(last, edit, sitting=sitting, partial=partial, session=session)
            print_result(_previewed(preview), as_json)
    else:
        arguments = {"count": last, "edit": edit, "sitting": sitting}
        call(vault, as_json, "undo", arguments, {"partial": partial, "session": session})


@vault_command()
@_LAST
@_EDIT
def redo(vault: str, as_json: bool, last: int, edit: int | None) -> None:
    """Redo the edits of the last undo, or of undo number EDIT."""
    call(vault, as_json, "redo", {"count": last, "edit": edit})


def _previewed(preview: "Preview") -> Result:
    """Return what an undo would change, as the result of a tool."""
    moves = [f"{one.path} -> {one.to}" for one in preview.changes if one.to]
    texts = [one.diff for one in preview.changes if one.diff]
    changes = [one._asdict() for one in preview.changes]
    left = [one.reason for one in preview.left]
    shown = "\n".join([*moves, *preview.remarks, *left, *texts]) or "Nothing would change."
    data = {"changes": changes, "remarks": preview.remarks, "left": [one._asdict() for one in preview.left]}
    return Result((shown,), data)


def _at(name_at_rev: str) -> tuple[str, str]:
    name, at, rev = name_at_rev.rpartition("@")
    if not at or not name or not rev:
        raise BadArgument(
            f"{name_at_rev!r} names no revision; give NAME@REV, with a date or a REV from: zkmem log NAME. "
            "To bring a deleted note back, undo its deletion: zkmem undo EDIT"
        )
    return name, rev
