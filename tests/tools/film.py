"""The four pictures of how a note reaches a model, in docs/how-to/hooks.md, drawn from what real commands print.

`python -m tests.tools.pictures` draws them; a test compares. What the model answers is an example: no model is asked.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from tests.tools.vaults import write

FILE = pathlib.Path(__file__).parents[2] / "docs" / "pictures" / "hooks.svg"
_NOTES = {
    "hint.md": "Start here. People: [[Anna]], [[Marek]]. The project at work is [[heron]].\n",
    "Anna.md": "Anna is allergic to walnuts. She likes plum cake, and comes on Fridays.\n",
    "Marek.md": "Marek runs the cluster [[heron]].\n",
    "heron.md": "The staging cluster. Only [[Marek]] may restart it, by `make restart`.\n",
}
_QUESTION = "Which cake does Anna like? Are there walnuts in it?"
_ANSWER = "Plum cake, according to your notes. Bake it without walnuts: Anna is allergic to them."
_WIDTH, _HEIGHTS, _LINE, _LETTERS = 600, (305, 170), 19, 72
_TIME = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d")
_STYLE = """
.ground { fill: #ffffff } .card { fill: #f6f8fb; stroke: #c4cedb } text { fill: #222222 } .title { fill: #3b6fb6 }
.person { fill: #222222 } .given { fill: #7a4b00 } .faint { fill: #666666 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .card { fill: #161b22; stroke: #30363d } text { fill: #e6e6e6 } .title { fill: #6f9fe0 }
.person { fill: #e6e6e6 } .given { fill: #e0b070 } .faint { fill: #a0a0a0 }
}
"""


class _Part(NamedTuple):
    """A text in a picture: who says it, and the class of its style."""

    who: str
    text: str
    style: str


class _Picture(NamedTuple):
    title: str
    parts: Sequence[_Part]


def _pictures() -> list[_Picture]:
    """Start a session in a vault, send a prompt, and list what was given."""
    with tempfile.TemporaryDirectory() as folder:
        vault = write(f"{folder}/notes", _NOTES)
        os.mkdir(f"{vault}/.zkmem")
        environ = {**os.environ, "HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "ZKMEM_HOOK_MS": "10000"}

        def run(*words: str, data: dict[str, str] | None = None) -> str:
            command = [sys.executable, "-m", "zkmem", *words, "--vault", vault]
            text = json.dumps(data) if data else None
            return subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=environ).stdout

        def hook(event: str, **data: str) -> tuple[str, str]:
            """Return what the model gets, and what the person sees."""
            answer = json.loads(run("hook", event, "--client", "claude-code", data={"session_id": "film", **data}))
            return answer["hookSpecificOutput"]["additionalContext"], answer.get("systemMessage", "")

        run("search", "cake")  # builds the index
        start, shown = hook("session-start", source="startup", cwd="/src/heron")
        prompt, _ = hook("prompt", prompt=_QUESTION)
        log = _TIME.sub("2026-11-30 09:00", run("log", "--given"))
    return [
        _Picture(
            "A session starts", [_Part("Claude Code shows", shown, "faint"), _Part("The model gets", start, "given")]
        ),
        _Picture("You send a prompt", [_Part("You", _QUESTION, "person"), _Part("The model gets", prompt, "given")]),
        _Picture("The model answers", [_Part("An example", _ANSWER, "person")]),
        _Picture("What was given", [_Part("$ zkmem log --given", log, "faint")]),
    ]


def drawn() -> str:
    """Return the four pictures as one SVG."""
    body = "\n".join(line for number, each in enumerate(_pictures()) for line in _card(number, each))
    size = f'width="{2 * _WIDTH}" height="{sum(_HEIGHTS)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {sum(_HEIGHTS)}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="14">\n<title>How a note reaches a model</title>\n'
        f'<style>{_STYLE}</style>\n<rect class="ground" {size}/>\n{body}\n</svg>\n'
    )


def _card(number: int, picture: _Picture) -> Iterator[str]:
    row, column = divmod(number, 2)
    left, top = column * _WIDTH + 10, sum(_HEIGHTS[:row]) + 10
    yield f'<rect class="card" x="{left}" y="{top}" width="{_WIDTH - 20}" height="{_HEIGHTS[row] - 20}" rx="8"/>'
    title = f"{number + 1}. {escape(picture.title)}"
    yield f'<text class="title" x="{left + 14}" y="{top + 26}" font-weight="600">{title}</text>'
    y = top + 26
    for part in picture.parts:
        y += _LINE + 6
        yield f'<text class="faint" x="{left + 14}" y="{y}" font-size="12">{escape(part.who)}</text>'
        for line in part.text.strip().splitlines():
            for piece in textwrap.wrap(line, _LETTERS) or [""]:
                y += _LINE
                yield f'<text class="{part.style}" x="{left + 14}" y="{y}">{escape(piece)}</text>'
