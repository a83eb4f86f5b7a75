"""Compare the constructs in the source of notes with those that the page shows; print what stays as it is written.

python -m tests.tools.rendered VAULT [NOTES] [SEED]
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

from zkmem.markdown.callouts import callout_head
from zkmem.markdown.frontmatter import split
from zkmem.markdown.links import body_links
from zkmem.markdown.sections import Outline, find_blocks, hidden, is_within
from zkmem.markdown.tags import inline_tags
from zkmem.memory import Memory
from zkmem.recall.page import NotePage

_NO_TEXT = {"code", "pre", "a", "summary"}
_VOID = {"br", "hr", "img", "input"}
_RAW = {
    "callout": re.compile(r"\[![\w-]+\]"),
    "comment": re.compile(r"%%"),
    "highlight": re.compile(r"(?<!=)==(?=\S)[^=]+(?<=\S)==(?!=)"),
    "link": re.compile(r"\[\["),
    "block id": re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$"),
    "footnote": re.compile(r"\[\^[^\]\s]+\]|\^\[[^\]]+\]"),
    "task": re.compile(r"^\[[ xX-]\] "),
    "address": re.compile(r"\bhttps?://\w"),
    "table": re.compile(r"\|[ ]*:?-{3,}"),
    "formula": re.compile(r"\$\$"),
}


class Texts(HTMLParser):
    """The texts of a page outside of code, links and formulas, and how many of each element it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines = [""]
        self.counts = Counter[str]()
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        kind = (about.get("class") or "").partition(" ")[0]
        self.counts.update([tag, f".{kind}"])
        if tag not in _VOID:
            self._open.append("code" if kind == "math" else tag)
        if tag not in {"em", "strong", "mark", "del", "a", "code", "span", "sup", "input"}:
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()
        if tag not in {"em", "strong", "mark", "del", "a", "code", "span", "sup"}:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        self.lines[-1] += "\N{OBJECT REPLACEMENT CHARACTER}" if _NO_TEXT & set(self._open) else data


def constructs(data: bytes) -> Counter[str]:
    """Return how many of each construct the source of a note has, outside of comments."""
    body = data[split(data)[2] :]
    blocks = find_blocks(body)
    comments = hidden(body, blocks)
    seen = [block for block in blocks if not is_within(comments, block.start)]
    links = [link for link in body_links(body) if not is_within(comments, link.start)]
    return Counter(
        {
            "callout": sum(one.kind == "BlockQuote" and bool(callout_head(body, one.start)) for one in seen),
            "comment": len(comments),
            "link": sum(not link.embed for link in links),
            "embed": sum(link.embed for link in links),
            "block id": sum(not is_within(comments, one.start) for one in Outline(body).ids()),
            "tag": len(inline_tags(body)),
            "code": sum(one.kind == "CodeBlock" for one in seen),
        }
    )


def raw(page: str) -> Iterator[tuple[str, str]]:
    """Yield each construct that a page shows as it is written, and the line that has it."""
    for line in Texts(page).lines:
        for kind, pattern in _RAW.items():
            if pattern.search(line.strip()):
                yield kind, line.strip()


def whole(memory: Memory, name: str) -> tuple[NotePage, str]:
    """Return the first part of a note, and the HTML of all its parts."""
    page = first = memory.page(name)
    html = page.html()
    while page.next_offset is not None:
        page = memory.page(name, 0, page.next_offset)
        html += page.html()
    return first, html


def main(vault: str, count: str = "100", seed: str = "1") -> None:
    """Print the figures of a sample of the notes of a vault, and each line that stays as it is written."""
    memory = Memory(vault)
    names = sorted(memory.graph().names)
    sample = random.Random(seed).sample(names, min(int(count), len(names)))
    source, shown = Counter[str](), Counter[str]()
    notes_with = Counter[str]()
    for name in sample:
        page, html = whole(memory, name)
        own, texts = constructs(page.text.encode()), Texts(html)
        source += own
        shown += Counter({"callout": texts.counts[".callout"], "block id": texts.counts[".block"]})
        shown += Counter({"code": texts.counts["pre"], "tag": len(set(re.findall(r'data-tag="([^"]*)"', html)))})
        for kind, line in raw(html):
            print(f"{name}: {kind}: {line[:150]}")
            notes_with[kind] += 1
    print(f"{len(sample)} notes; in the source {dict(source)}; shown {dict(shown)}; as written {dict(notes_with)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
