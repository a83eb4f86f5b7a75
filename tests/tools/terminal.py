"""A terminal with a program in it: keys go in, and the screen can be read."""

import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_S = 30
_SIZE = ("-x", "110", "-y", "40")

TMUX = shutil.which("tmux")


class Terminal:
    """A terminal that `opened` has opened."""

    def __init__(self, socket: Path) -> None:
        self._tmux = [TMUX or "tmux", "-S", str(socket), "-f", "/dev/null"]

    def keys(self, *keys: str) -> None:
        """Press keys, by the names that tmux gives them, such as `Enter` or `C-x`."""
        self._run("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self._run("send-keys", "-l", text)

    def screen(self) -> str:
        """Return what the screen shows, without blanks at the ends of lines."""
        return self._run("capture-pane", "-p")

    def until(self, text: str) -> str:
        """Wait until the screen shows a text; return the screen."""
        end = time.monotonic() + _PATIENCE_S
        while text not in (screen := self.screen()):
            assert time.monotonic() < end, f"{text!r} is not on the screen:\n{screen}"
        return screen

    def start(self, command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
        """Start a program in the terminal."""
        variables = [f"{name}={value}" for name, value in environ.items()]
        self._run("new-session", "-d", *_SIZE, "-c", str(folder), shlex.join(["env", "-i", *variables, *command]))

    def end(self) -> None:
        """End the terminal, and the program in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True, timeout=_PATIENCE_S)
        return done.stdout


@contextmanager
def opened(command: Sequence[str], folder: Path, environ: Mapping[str, str], socket: Path) -> Iterator[Terminal]:
    """Open a terminal with a program in it. It gets only the given environment."""
    terminal = Terminal(socket)
    terminal.start(command, folder, environ)
    try:
        yield terminal
    finally:
        terminal.end()
