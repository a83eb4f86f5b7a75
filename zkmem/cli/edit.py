"""The command `edit`: change a note in the editor of the user."""

import contextlib
import os
import shlex
import signal
import tempfile
import time
from collections.abc import Iterator

import click

from zkmem.cli.group import cli, load, name_argument, open_memory, print_result, text_of, vault_option
from zkmem.errors import BadArgument, TooLarge, UnknownNote, ZkError
from zkmem.toolsets.edits import written

_AT_ONCE_S = 0.5  # nobody closes an editor sooner
_ENDED_AT_ONCE = (
    "The editor ended at once. If its window is still open, what you save there is lost: name an editor that waits, "
    "such as EDITOR='code --wait'."
)


@cli.command()
@vault_option
@name_argument
def edit(vault: str, name: str) -> None:
    """Edit a note in your editor.

    The variable VISUAL names the editor, or else EDITOR. The editor gets a copy of the note, or an empty file for a new
    one. Once it has ended, the text is saved and merged with what others have changed meanwhile. If it cannot be saved,
    the command says where your text is.
    """
    with open_memory(vault, max_chars=None)[0] as memory:
        acting = memory.on_behalf(client="command line")
        before, etag = "", None
        with contextlib.suppress(UnknownNote):
            note = acting.read(name, bounded=False, subpath="")
            if note.large:
                raise TooLarge(
                    f"{note.name!r} is larger than max_note_mb. Raise that setting, or edit the file that `zkmem path` "
                    "names."
                )
            name, before, etag = note.name, note.text, note.etag
        began = time.monotonic()
        with _edited(before) as text:
            if text == before:
                click.echo("Nothing was changed.")
                if time.monotonic() - began < _AT_ONCE_S:
                    click.echo(_ENDED_AT_ONCE, err=True)
                return
            if not text.strip():
                advice = f" To delete the note, use: zkmem rm {shlex.quote(name)}" if etag else ""
                raise BadArgument(f"The text is empty; nothing was changed.{advice}")
            load(memory)
            print_result(written(acting.save(name, text, etag)), as_json=False)


@contextlib.contextmanager
def _edited(before: str) -> Iterator[str]:
    """Let the user edit a text in a temporary file, and yield the new text.

    If the block fails or is interrupted, and the user has written another text, the file is kept and named.
    """
    handle, file = tempfile.mkstemp(prefix="zkmem-", suffix=".md")
    old = before.encode(errors="surrogateescape")
    with open(handle, "wb") as stream:
        stream.write(old)
    try:
        _run_editor(file)
        yield text_of(file)
    except (ZkError, KeyboardInterrupt) as error:
        with open(file, "rb") as stream:
            new = stream.read()
        kept = f"Your text is kept in {file}"
        if new == old or not new.strip():
            os.remove(file)
        elif isinstance(error, ZkError):
            error.args = (f"{error}\n{kept}",)
        else:
            click.echo(kept, err=True)
        raise
    os.remove(file)


def _run_editor(file: str) -> None:
    interrupt = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the editor
    try:
        click.edit(filename=file)
    except click.ClickException as error:
        raise BadArgument(
            f"The editor failed; nothing was changed. Name another one in EDITOR. ({error.format_message()})"
        ) from error
    finally:
        signal.signal(signal.SIGINT, interrupt)
