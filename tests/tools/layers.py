"""The picture of the layers in docs/development/, drawn from the import contracts in pyproject.toml."""

import pathlib
import tomllib
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
FILE = ROOT / "docs" / "development" / "pictures" / "layers.svg"
_WIDTH, _LAYER, _LINE, _LEFT = 640, 38, 19, 76
_STYLE = """
.ground { fill: #ffffff } .part { fill: #eaf0f9; stroke: #3b6fb6 } text { fill: #222222 } .faint { fill: #666666 }
.arrow { stroke: #666666 } .head { fill: #666666 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .part { fill: #172a45; stroke: #6f9fe0 } text { fill: #e6e6e6 } .faint { fill: #a0a0a0 }
.arrow { stroke: #a0a0a0 } .head { fill: #a0a0a0 }
}
"""


def contracts() -> list[dict[str, Any]]:
    """Return the import contracts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return found


def layers_of_parts() -> list[list[str]]:
    """Return the parts of each layer, the highest layer first."""
    (layers,) = (one["layers"] for one in contracts() if one["type"] == "layers")
    return [[part.strip() for part in layer.split("|")] for layer in layers]


def drawn() -> str:
    """Return the picture as SVG."""
    stack = layers_of_parts()
    others = [one["name"] for one in contracts() if one["type"] != "layers"]
    bottom = 20 + len(stack) * _LAYER
    height = bottom + 16 + len(others) * _LINE
    body = "\n".join([*_rooms(stack), *_arrow(bottom), *_lines(others, bottom + 20)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13">\n<title>The layers of zkmem</title>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="ground" width="{_WIDTH}" height="{height}"/>\n{body}\n</svg>\n'
    )


def _rooms(stack: Sequence[Sequence[str]]) -> Iterator[str]:
    """Draw a row of boxes for each layer."""
    for number, parts in enumerate(stack):
        width = (_WIDTH - _LEFT - 20) / len(parts)
        top = 14 + number * _LAYER
        yield f'<text class="faint" x="{_LEFT - 12}" y="{top + 20}" text-anchor="end">{len(stack) - number}</text>'
        for column, part in enumerate(parts):
            left = _LEFT + column * width
            yield f'<rect class="part" x="{left:.1f}" y="{top}" width="{width - 8:.1f}" height="{_LAYER - 8}" rx="4"/>'
            yield f'<text x="{left + width / 2 - 4:.1f}" y="{top + 20}" text-anchor="middle">{escape(part)}</text>'


def _arrow(bottom: int) -> Iterator[str]:
    """Draw the direction of imports."""
    middle = bottom / 2
    yield f'<path class="arrow" d="M36 16V{bottom - 14}"/><path class="head" d="M31 {bottom - 16}h10l-5 9z"/>'
    turned = f'text-anchor="middle" transform="rotate(-90 24 {middle})"'
    yield f'<text class="faint" x="24" y="{middle}" {turned}>imports</text>'


def _lines(names: Sequence[str], top: int) -> Iterator[str]:
    """Write the names of the other contracts below the layers."""
    for number, name in enumerate(names):
        yield f'<text class="faint" x="{_LEFT}" y="{top + number * _LINE}">{escape(name)}.</text>'
