"""Run a command, and turn an error into a sentence and an exit code."""

import io
import json
import os
import re
import signal
import sys
from typing import TextIO

import click

from zkmem.cli.group import cli
from zkmem.errors import ZkError
from zkmem.util.portable import write_utf8

# the control characters C0 and C1 without tabs and line ends, and characters that reverse the text beside them
_CONTROL = re.compile("(?!\r?\n|\t)[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def main() -> None:
    """Run the command of this process. On an error, print a sentence to stderr and exit with the code of its class."""
    as_json = "--json" in sys.argv[1:]
    # Python has None for a stream that the shell has closed, with `>&-`
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    write_utf8(sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = guarded(sys.stdout), guarded(sys.stderr)
    try:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # in place of the handler of `__main__`
            signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main(prog_name="zkmem", standalone_mode=False, color=True)  # else click removes escapes from a pipe
        sys.stdout.flush()
    except ZkError as error:
        _fail(type(error).__name__, str(error), error.exit_code, as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _fail("BadArgument", error.format_message(), error.exit_code, as_json)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:  # the reader of the output has closed it
        os._exit(141)
    except OSError as error:
        click.echo(f"Error: {error}", err=True)  # most likely the disk that takes the output is full
        os._exit(5)  # a normal exit would write the rest of the buffer, and fail again


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _fail(kind: str, sentence: str, code: int, as_json: bool) -> None:
    click.echo(json.dumps({"error": kind, "message": sentence}) if as_json else f"Error: {sentence}", err=True)
    sys.exit(code)


class _Terminal(io.TextIOWrapper):
    r"""A text stream to a terminal that writes each control character as an escape (`\x1b`)."""

    def write(self, text: str) -> int:
        return super().write(_CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text))


def guarded(stream: TextIO) -> TextIO:
    """Return a stream that escapes control characters if `stream` is a terminal, else `stream` itself.

    A pipe or a file gets each byte as it is, since another program may need it.
    """
    if not (isinstance(stream, io.TextIOWrapper) and stream.isatty()):
        return stream
    return _Terminal(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
