"""Bytes kept: reading changes nothing, and a rename changes the spans of links and nothing else.

Notes are put together from pieces that know whether they are links: what a rename makes of a note is told from that,
without the scanner.
"""

import contextlib
import io
import itertools
import os
import re
import runpy
import sys
import tempfile
from collections.abc import Mapping
from typing import NamedTuple
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.memory import Memory

OLD, NEW = ["b", "d/b", "with blank", "d/卡片", "naïve (1)"], ["neu", "e/neu", "新 name", "e/f/née"]

PATH = "<path>"  # where a link has the note's path: in full, or bare if it was bare
FULL = "<full>"  # its path from the root
BASE = "<base>"  # the last part of it
URL = "<url>"  # the path from the root, in a Markdown link

LINKS = [
    f"[[{PATH}]]", f"![[{PATH}]]", f"[[{PATH}#Part]]", f"[[{PATH}#^id|shown]]", f"[[{PATH}|{BASE}]]", f"[[ {PATH} ]]",
    f"[[{PATH}|with [brackets]]]", f"![[{PATH}|100]]", f"[[/{FULL}]]", f"[[{PATH}.md]]", f"%%[[{PATH}]]%%",
    f"[[{BASE}]]", f"[text]({URL}.md)", f"![text]({URL}.md)", f'[text]({URL}.md#Part "title")', f"[text](<{FULL}.md>)",
    f"**[[{PATH}]]**", f"[[{PATH}|naïve \u200d x]]", f"[[{PATH}]][[{PATH}]]", f"| [[{PATH}\\|cell]] |",
]  # fmt: skip
FAKES = [
    f"`[[{PATH}]]`", f"``[[{PATH}]] ` [[{BASE}]]``", f"$[[{PATH}]]$", f"w <!-- [[{PATH}]] -->", f"\\[[{PATH}]]",
    "[[gone]]", f"[[{PATH}", f"[[{PATH}x]]", f"[[x{BASE}]]", f"[ [{PATH}] ]",
    f"[text](https://host/{URL}.md)", "[[#Part]]", f"<a href='{URL}.md'>", f"[[elsewhere/{BASE}]]", "[[other]]",
    "![[p.png]]",
]  # fmt: skip
BLOCKS = [
    f"```\n[[{PATH}]]\n\n![[{PATH}]]\n```", f"~~~ md\r\n[[{PATH}]] [t]({URL}.md)\r\n~~~",
    f"***\n\n    [[{PATH}]] indented", f"$$\n[[{PATH}]]\n$$", f"<!--\n[[{PATH}]]\n\n[[{PATH}]]\n-->",
    f"<pre>\n[[{PATH}]]\n</pre>", "# Part", "- - -", "***", f"````\n```\n[[{PATH}]]\n````", "\t", " ", "> quoted",
    "- item\n\t- item",
]  # fmt: skip
ODD = [
    b"word", b"caf\xc3\xa9", b"\xff\xfe", b"caf\xe9", b"\xed\xa0\x80", b"\xc3", b"\x00", b"a\x00b", b"\x00\x00",
    b"\x1b[0m", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"trailing  ", b"\ttab", b"\r", b"one\rtwo", b"\\", b"&amp;",
    b"\xf0\x9f\x98\x80", b"!", b"\x0c", b"\x85", b"w*", b"_a_", b"a | b",
]  # fmt: skip
PROPERTIES = [
    f'up: "[[{PATH}]]"', f"up: '[[{PATH}|x]]'  # [[<was path>]]", f"odd:   'kept'\nto:\n- \"[[{PATH}]]\"\nz: ''",
    f'date: {{{{date}}}}\nto: "[[{PATH}#Part]]"', f"to: |-\n  [[{PATH}]]\nz:   1", "to: |\n  [[<was path>]]\n",
    "a: 1\na: 2", "to: [\n  [[<was path>]]", "\ttab: [[<was path>]]", "# [[<was path>]]", "", "a: &x [*x]",
    "[[<was path>]]: key",
]  # fmt: skip


def kept(text: str) -> str:
    """The text with its places such as a rename leaves alone."""
    return re.sub("<(path|base|url)>", r"<was \1>", text)


def made(source: bytes, was: str, now: str) -> bytes:
    """The bytes of a note: in its links a note is called `now`, in what only looks like links to it `was`."""
    for name, prefix in ((was, "was "), (now, "")):
        base = name.rpartition("/")[2]
        places = {"path": name if "/" in was else base, "full": name, "base": base, "url": name.replace(" ", "%20")}
        for place, written in places.items():
            source = source.replace(f"<{prefix}{place}>".encode(), written.encode())
    return source


ENDS = st.sampled_from([b"\n", b"\r\n"])
BLANKS = st.sampled_from([b" ", b"  ", b"\n", b"\r\n", b"\r", b"", b"\xff", b"\x00"])
PIECES = st.sampled_from([*(text.encode() for text in LINKS), *(kept(text).encode() for text in FAKES), *ODD])
SINGLE = st.sampled_from([kept(text).encode() for text in BLOCKS])


@st.composite
def paragraphs(draw: st.DrawFn) -> bytes:
    """Some pieces, each after a blank, a line end of any kind, an odd byte or nothing."""
    pieces = [draw(BLANKS) + piece + b" w" for piece in draw(st.lists(PIECES, max_size=6))]
    return b"".join([b"w", *pieces])


@st.composite
def frontmatters(draw: st.DrawFn) -> bytes:
    """A frontmatter, as odd as they come."""
    end = draw(ENDS)
    lines = ["---", *draw(st.sampled_from(PROPERTIES)).split("\n"), "---"]
    return b"".join(line.encode() + end for line in lines)


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """A note: maybe a BOM, maybe properties, blocks apart by blank lines of any kind, maybe no newline at its end."""
    source = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + draw(st.one_of(st.just(b""), frontmatters()))
    for block in draw(st.lists(st.one_of(paragraphs(), paragraphs(), SINGLE), max_size=6)):
        source += block + draw(ENDS) * 2 + draw(st.sampled_from([b"", b"\n", b"\r\n"]))
    return source + draw(st.sampled_from([b"", b"end", b"end\r"]))


class Stamp(NamedTuple):
    """What tells that a file was written, or is another one."""

    mtime_ns: int
    inode: int
    size: int
    mode: int


def stamps(root: str) -> dict[str, Stamp]:
    """Everything below a folder, folders and hidden files included."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in [".", *folders, *names]:
            info = os.lstat(os.path.join(folder, name))
            found[os.path.relpath(os.path.join(folder, name), root)] = Stamp(
                info.st_mtime_ns, info.st_ino, info.st_size, info.st_mode
            )
    return found


def contents(root: str, paths: Mapping[str, object]) -> dict[str, bytes]:
    """The bytes of files."""
    found = {}
    for path in paths:
        with open(os.path.join(root, path), "rb") as file:
            found[path] = file.read()
    return found


def vault_of(root: str, old: str, notes: list[bytes]) -> dict[str, bytes]:
    """Write a vault: a note called `old`, notes that may link to it, and files that are no notes."""
    others = {f"n{number}.md": made(source, old, old) for number, source in enumerate(notes)}
    rest = {
        "other.md": b"# Part\r\nother \xff",
        "p.png": b"\x89PNG [[b]]",
        "d/keep.txt": b"[[b]]\r",
        "m.canvas": b'{"nodes":[]}',
    }
    files = {f"{old}.md": b"\xef\xbb\xbf# Part\r\n\xff text ^id\r", **rest, **others}
    write(root, files)
    return files


notes = st.lists(sources(), min_size=1, max_size=3)


@settings(max_examples=30)
@given(st.sampled_from(OLD), st.sampled_from(NEW), notes)
def test_a_rename_changes_the_spans_of_links_and_no_other_byte(old: str, new: str, sources: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as root:
        files = vault_of(root, old, sources)
        expected = {f"{new}.md" if path == f"{old}.md" else path: data for path, data in files.items()}
        expected |= {f"n{number}.md": made(source, old, new) for number, source in enumerate(sources)}
        before = stamps(root)
        Memory(root).rename(old, f"/{new}")
        assert contents(root, expected) == expected
        after = stamps(root)
        assert f"{old}.md" not in after
        same = [path for path, data in files.items() if expected.get(path) == data]
        assert {path: after[path] for path in same} == {path: before[path] for path in same}
        assert after[f"{new}.md"] == before[f"{old}.md"]


def read_in_every_way(root: str, names: list[str]) -> None:
    memory = Memory(root, max_chars=2000)
    memory.load()
    memory.hints()
    memory.suggestions()
    memory.check()
    memory.counts()
    for beginning in ("", "n", "d/"):
        memory.complete(beginning)
    for name, depth in itertools.product(names, range(4)):
        memory.read(name, depth)
    for options in ([], ["--depth", "2"], ["--json", "--backlinks"]):
        command = ["zkmem", "get", "-C", root, names[0], *options]
        with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(io.StringIO()) as out:
            runpy.run_module("zkmem", run_name="__main__")
        assert out.getvalue()


@settings(max_examples=30)
@given(st.sampled_from(OLD), notes)
def test_reading_changes_no_byte_and_no_stamp_and_makes_no_file(old: str, sources: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as root:
        files = vault_of(root, old, sources)
        before = stamps(root)
        read_in_every_way(root, [*(f"n{number}" for number in range(len(sources))), old, "other"])
        assert stamps(root) == before
        assert contents(root, files) == files
