"""A terminal with a program in it: keys go in, and the screen can be read."""

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 30
_KEY = re.compile(r"<([^<>]+)>")
_SIZE = ("-x", "110", "-y", "40")

TMUX = shutil.which("tmux")


class Terminal:
    """A terminal that `opened` has opened."""

    def __init__(self, socket: Path) -> None:
        self._tmux = [TMUX or "tmux", "-S", str(socket), "-f", "/dev/null"]

    def type(self, keys: str) -> None:
        """Type a text, with the names that tmux gives to other keys in angle brackets: `find<Enter><C-x>`."""
        for number, part in enumerate(_KEY.split(keys)):
            if part:
                self._run("send-keys", *(("--",) if number % 2 else ("-l", "--")), part)

    def screen(self) -> str:
        """Return what the screen shows, without blanks at the ends of lines."""
        return self._run("capture-pane", "-p")

    def until(self, text: str) -> str:
        """Wait until the screen shows a text; return the screen."""
        end = time.monotonic() + PATIENCE_S
        while text not in (screen := self.screen()):
            assert time.monotonic() < end, f"{text!r} is not on the screen:\n{screen}"
        return screen

    def type_until(self, keys: str, text: str) -> str:
        """Type keys, again every three seconds, until the screen shows a text: a server may not be ready at first."""
        end = time.monotonic() + PATIENCE_S
        while True:
            self.type(keys)
            again = min(time.monotonic() + 3, end)
            while time.monotonic() < again:
                if text in (screen := self.screen()):
                    return screen
            assert time.monotonic() < end, f"{text!r} is not on the screen:\n{screen}"

    def start(self, command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
        """Start a program in the terminal."""
        variables = [f"{name}={value}" for name, value in environ.items()]
        self._run("new-session", "-d", *_SIZE, "-c", str(folder), shlex.join(["env", "-i", *variables, *command]))

    def end(self) -> None:
        """End the terminal, and the program in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True, timeout=PATIENCE_S)
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
