"""The commands and conversations in the documents, run anew.

`python -m tests.tools.transcripts [PAGE...]` writes into the pages what they answer; a test compares.

A page is run from top to bottom in a home folder of its own, with real processes. The home holds `zkmem/sample_vault`,
as a clone would. Two kinds of fenced blocks are run, all others are not:

- `console`: a line `$ ...` is a command for bash, and lines `> ...` right below go on with it. What follows is what it
  prints, errors too. If the last line of a block is `^C`, the command is ended when it has printed the lines above.
- `mcp COMMAND`: a conversation with the server that COMMAND starts, over stdio. Lines `> tool(name="value")` are a
  call, and what follows is its answer; that of a refused call begins with `refused: `. The first call waits until the
  server knows all notes, since what an answer tells of links depends on that.

What differs from run to run: the home is shown as `/home/you` and a port as 13809. Times and hashes of commits (7, 10
or 40 hex digits; an etag has 12) are compared as if they were all the same.
"""

import ast
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation, TextContent

from tests.tools.forked import zkmem_program

ROOT = pathlib.Path(__file__).parents[2]
_FENCE = re.compile(r"^```(console|mcp [^\n]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"\$ ")
_CALL = re.compile(r"> \w+\(")
_ASSISTANT = Implementation(name="assistant", version="1.0")
_MARK = "\x1e"
_PATIENCE_S = 300
_VARYING = (
    (re.compile(r"20\d\d-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?(\.\d+)?Z?)?"), "TIME"),
    (re.compile(r"\b([0-9a-f]{40}|[0-9a-f]{10}|[0-9a-f]{7})\b"), "HASH"),
)


class Step(NamedTuple):
    """A command or a call as the page has it, lines of its text without their prompts, and the lines of its answer."""

    asked: list[str]
    answer: list[str]


def pages() -> list[pathlib.Path]:
    """The documents that have something to run."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in every if _FENCE.search(page.read_text("utf-8"))]


def steps(body: str, begins: re.Pattern[str]) -> list[Step]:
    """The commands or calls of a block."""
    found: list[Step] = []
    for line in body.splitlines():
        if begins.match(line):
            found.append(Step([line[2:]], []))
            continue
        assert found, f"a block begins with {line!r}, which is no command and no call"
        if not found[-1].answer and (line == ">" or line.startswith("> ")):
            found[-1].asked.append(line[2:])
        else:
            found[-1].answer.append(line)
    return found


def rerun(text: str) -> str:
    """The text of a page with the answers that its commands and calls give now; where those are alike, as it was."""
    with tempfile.TemporaryDirectory() as folder, _House(folder) as house:
        return _FENCE.sub(lambda match: _block(house, match), text)


def _block(house: "_House", match: re.Match[str]) -> str:
    kind, body = match[1], match[2]
    if kind == "console":
        new = _console(house, steps(body, _COMMAND))
    else:
        new = anyio.run(_conversation, house, kind.removeprefix("mcp "), steps(body, _CALL))
    return f"```{kind}\n{new}```"


def _console(house: "_House", found: Sequence[Step]) -> str:
    lines = []
    for asked, answer in found:
        command = "\n".join(asked)
        goes_on = answer[-1:] == ["^C"]
        said = [*house.started(command, len(answer) - 1), "^C"] if goes_on else house.run(command)
        lines += [f"$ {asked[0]}", *(f"> {line}".rstrip() for line in asked[1:]), *_same(answer, said)]
    return "".join(f"{line}\n" for line in lines)


async def _conversation(house: "_House", command: str, found: Sequence[Step]) -> str:
    program, *arguments = shlex.split(command)
    server = StdioServerParameters(
        command=str(house.programs / program), args=arguments, env=dict(house.environ), cwd=str(house.home)
    )
    lines = []
    with anyio.fail_after(_PATIENCE_S):
        async with Client(server, mode="auto", client_info=_ASSISTANT) as client:
            if "get_hints" in {tool.name for tool in (await client.list_tools()).tools}:
                await client.call_tool("get_hints", {})  # which waits
            for asked, answer in found:
                result = await client.call_tool(*_call("\n".join(asked)))
                said = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
                shown = house.settled(("refused: " if result.is_error else "") + said).rstrip("\n").split("\n")
                before = answer[:-1] if answer[-1:] == [""] else answer
                lines += [*(f"> {line}".rstrip() for line in asked), *_same(before, shown), ""]
    return "".join(f"{line}\n" for line in lines[:-1])


def _call(text: str) -> tuple[str, dict[str, object]]:
    """A call as Python would write it: the tool and its arguments."""
    call = ast.parse(text.strip(), mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    assert not call.args, f"arguments have names: {text}"
    return call.func.id, {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}


def _same(shown: list[str], real: list[str]) -> list[str]:
    """What the page shows if that is alike, else what is real."""
    return shown if [_alike(line) for line in shown] == [_alike(line) for line in real] else real


def _alike(line: str) -> str:
    for varying, word in _VARYING:
        line = varying.sub(word, line)
    return line.rstrip()


class _House:
    """A home folder with a shell in it, in which `zkmem` is a command."""

    def __init__(self, folder: str) -> None:
        self.home = pathlib.Path(folder).resolve() / "home"
        self.programs = pathlib.Path(zkmem_program()).parent
        shutil.copytree(ROOT / "sample_vault", self.home / "zkmem" / "sample_vault")
        self.environ: Mapping[str, str] = {
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "ZKMEM_PORT": "0",  # the default may be taken
            "ZKMEM_HOOK_MS": "10000",  # the machine may be busy
            "ZKMEM_SYNC_MACHINE": "desktop",  # else the host's name
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def __enter__(self) -> "_House":
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=self.home, env=dict(self.environ), text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self._end = threading.Timer(_PATIENCE_S, os.killpg, (self._shell.pid, signal.SIGKILL))
        self._end.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._shell.communicate()
        self._end.cancel()

    def run(self, command: str) -> list[str]:
        """The lines that a command prints."""
        self._say(f"{{ {command}\n}} </dev/null; printf '{_MARK}\\n'")
        return list(self._until_mark())

    def started(self, command: str, count: int) -> list[str]:
        """The first lines that a command prints that goes on until it is ended."""
        self._say(f"{{ exec {command}\n}} </dev/null &")
        lines = [self._line() for _ in range(count)]
        self._say(f"kill $!; wait $! 2>/dev/null; printf '{_MARK}\\n'")
        for _ in self._until_mark():  # what it says in the end
            pass
        return lines

    def settled(self, text: str) -> str:
        """A text with what belongs to this run alone shown as the pages show it."""
        return re.sub(r"(//[\w.]+):\d{4,5}\b", r"\1:13809", text.replace(str(self.home), "/home/you"))

    def _say(self, line: str) -> None:
        assert self._shell.stdin
        self._shell.stdin.write(line + "\n")
        self._shell.stdin.flush()

    def _line(self) -> str:
        assert self._shell.stdout
        line = self._shell.stdout.readline()
        assert line, "the shell was ended: does a command wait, or print fewer lines than are shown above ^C?"
        return self.settled(line.rstrip("\n"))

    def _until_mark(self) -> Iterator[str]:
        while not (line := self._line()).endswith(_MARK):
            yield line
        if line != _MARK:  # the last line had no end
            yield line.removesuffix(_MARK)


def _write(names: Sequence[str]) -> None:
    for page in [pathlib.Path(name) for name in names] or pages():
        text = page.read_text("utf-8")
        new = rerun(text)
        if new != text:
            page.write_text(new, "utf-8")
            print(f"rewrote {page}")


if __name__ == "__main__":
    _write(sys.argv[1:])
