"""A caller with a folder meets a twin of it, which differs in case, in Unicode form or in its blanks alone.

Nothing of the twin may be told or changed, by any method of the door and by any operation of the API.
"""

import inspect
import itertools
import json
import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import engine, search_cache_path, search_of
from tests.tools.servers import http_server
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.cli.group import cli
from zkmem.cli.tokens import tokens_of
from zkmem.errors import Forbidden, UnknownNote, ZkError
from zkmem.hooks.answers import HookParts
from zkmem.memory import Memory
from zkmem.recall.as_of import Earlier, EarlierPage
from zkmem.recall.ranking import Order
from zkmem.serve.api.contract import Operation, operations
from zkmem.serve.api.exchange import Graphs

NFC, NFD = "m\u00fcller", "mu\u0308ller"
CANARY = "xyzzy"
LATER = "2999-12-31"
PAIRS = {
    "case": ("topics", "Topics"),
    "case, the other way": ("Topics", "topics"),
    "case of another letter": (NFC, NFC.upper()),
    "form": (NFC, NFD),
    "form, the other way": (NFD, NFC),
    "form and case": (NFC, NFD.upper()),
    "a folder above": ("work/topics", "Work/topics"),
    "the form of a folder above": (f"{NFC}/topics", f"{NFD}/topics"),
    "blanks": ("a b", "a\u00a0b"),
    "blanks, the other way": ("a\u00a0b", "a b"),
}
LEFT_OUT = {"form, the other way"}  # of two forms the index takes NFC
LEADS_OUT = {"blanks, the other way"}  # a link means plain blanks, whatever it is written with


def without_moment(found: Earlier | EarlierPage) -> tuple[Any, ...]:
    """Return a note without the moment: the numbers and times of edits differ from vault to vault."""
    return (found[0], *found[2:])


def own_notes(folder: str) -> dict[str, str]:
    return {
        f"{folder}/n.md": f"About [[{folder}/m]]. A passage.\n",
        f"{folder}/m.md": "# Part\n\nSee [[nowhere]] and word word.\n\n> [!conflict] there\n> word\n",
        f"{folder}/deep/o.md": "A word.\n",
        f"{folder}/own.png": "own picture",
    }


def foreign_notes(folder: str, own: str) -> dict[str, str]:
    return {
        f"{folder}/n.md": f"{CANARY} about [[{own}/n]] and [[{own}/deep/o]]. A passage. word\n",
        f"{folder}/m.md": f"---\naliases: [nowhere]\n---\n{CANARY} [[{own}/n]] word\n\n> [!conflict] {CANARY}\n",
        f"{folder}/{CANARY}-alone.md": f"{CANARY} [[{own}/n]] word\n",
        f"{folder}/deep/{CANARY}.md": f"{CANARY} word\n",
        f"{folder}/own.png": f"{CANARY} picture",
        f"{folder}/{CANARY}.png": f"{CANARY} picture",
    }


def files_below(folder: str | os.PathLike[str]) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        os.path.join(above, name): Path(above, name).read_bytes()
        for above, _, names in os.walk(folder)
        for name in names
    }


class Twins(NamedTuple):
    """A vault with two folders that are twins, and the memory of a caller that is confined to one of them."""

    vault: str
    whole: Memory
    memory: Memory
    own: str
    foreign: str
    alone: Memory  # of a vault with nothing but the caller's folder
    leads_out: bool = False  # links between the caller's notes mean those of the other folder

    def foreign_files(self) -> dict[str, bytes]:
        """What is in the other folder."""
        return files_below(os.path.join(self.vault, self.foreign))


@contextmanager
def made_twins(pair: str, tmp_path: Path) -> Iterator[Twins]:
    own, foreign = PAIRS[pair]
    mine = {} if pair in LEFT_OUT else own_notes(own)
    vault = write(tmp_path / "vault", {**own_notes(own), **foreign_notes(foreign, own)})
    if len(os.listdir(os.path.dirname(os.path.join(vault, own)))) < 2 and "/" not in own:
        pytest.skip("the file system takes the two for one")
    os.mkdir(tmp_path / "alone")
    whole = Memory(vault, durable=False)
    alone = Memory(write(tmp_path / "alone", mine), durable=False)
    if unicodedata.normalize("NFC", foreign) != unicodedata.normalize("NFC", own):
        whole.write(f"{foreign}/n", f"{CANARY} written [[{own}/n]] A passage. word\n")
        whole.restricted(Grant(proposes_as="bot")).write(f"{foreign}/n", f"{CANARY} proposed")
    for memory in (whole, alone):
        memory.load()
    # an event about each file there
    engine(whole).live.take_in([os.path.relpath(full, vault) for full in files_below(os.path.join(vault, foreign))])
    yield Twins(
        vault, whole, whole.restricted(Grant(own)), own, foreign, alone.restricted(Grant(own)), pair in LEADS_OUT
    )
    whole.close()
    alone.close()


@pytest.fixture(params=PAIRS)
def twins(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Twins]:
    with made_twins(request.param, tmp_path) as made:
        yield made


def hooked(memory: Memory, event: str, **values: str) -> bytes:
    """The answer to a hook of a session that has just begun."""
    data = {"session_id": str(next(SESSIONS)), **values}
    return memory.answer_hook(event, "claude-code", json.dumps(data).encode(), HookParts())


def with_words(memory: Memory, prompt: str) -> bytes:
    """The answer to a prompt, when the search index is complete."""
    memory.load_search()
    return hooked(memory, "prompt", prompt=prompt)


SESSIONS = itertools.count()

Call = Callable[[Memory, str, str], Any]
READS: dict[str, list[Call]] = {
    "reaches": [lambda memory, own, _: memory.reaches(f"{own}/n")],
    "page": [lambda memory, own, _: memory.page(f"{own}/n", 2), lambda memory, own, _: memory.page(f"{own}/m").html()],
    "graph": [
        lambda memory, own, _: memory.graph(),
        lambda memory, own, _: memory.graph(own),
        lambda memory, own, _: memory.graph(around=f"{own}/n"),
        lambda memory, own, _: memory.graph(around=f"{own}/m"),
    ],
    "tree": [lambda memory, own, _: memory.tree(["", own], 100), lambda memory, own, _: memory.tree([own], 1)],
    "hints": [lambda memory, own, _: memory.hints(100)],
    "entries": [lambda memory, own, _: (memory.counts(), memory.entries(100, wait_s=0))],
    "suggestions": [lambda memory, own, _: memory.suggestions(9e9, 100)],
    "hint_state": [lambda memory, own, _: memory.hint_state()],
    "draft_hint": [lambda memory, own, _: memory.draft_hint()],
    "unlinked": [lambda memory, own, _: memory.unlinked(100), lambda memory, own, _: memory.unlinked(1, folder=own)],
    "conflicts": [lambda memory, own, _: memory.conflicts(100), lambda memory, own, _: memory.conflicts(0, folder=own)],
    "linked": [
        lambda memory, own, _: memory.linked([(f"{own}/n.md", ""), (f"{own}/m.md", "")], 100),
        lambda memory, _, other: memory.linked([(f"{other}/n.md", ""), (f"{other}/m.md", "")], 100),
    ],
    "search": [
        lambda memory, own, _: memory.search("word"),
        lambda memory, own, _: memory.search("passage about", folders=[own]),
        lambda memory, own, _: memory.search("word", limit=1),
        lambda memory, own, _: memory.search(CANARY),
        lambda memory, own, _: memory.search("word", without=[f"{own}/deep"]),
    ],
    "answer_hook": [
        lambda memory, own, _: hooked(memory, "session-start", cwd=f"/{own}"),
        lambda memory, _, __: with_words(memory, "A passage about the word, alone"),
    ],
    "query": [
        lambda memory, own, _: memory.query(columns=["file.backlinks", "file.links", "file.tags", "file.size"]),
        lambda memory, own, _: memory.query('file.hasLink("n") || file.hasTag("x")', search="word"),
        lambda memory, own, _: memory.query(
            f'file.inFolder("{own}") && file.backlinks.length > 0', group="file.folder"
        ),
        lambda memory, own, _: memory.query(columns=["file.links.map(value.asFile().size)"]),
    ],
    "path": [lambda memory, own, _: memory.path(f"{own}/n"), lambda memory, _, __: memory.path("n")],
    "exists": [lambda memory, own, _: memory.exists(f"{own}/n"), lambda memory, _, __: memory.exists("n")],
    "links": [lambda memory, own, _: memory.links(f"{own}/n"), lambda memory, _, __: memory.links("n")],
    "backlinks": [lambda memory, own, _: memory.backlinks(f"{own}/n"), lambda memory, _, __: memory.backlinks("n")],
    "properties": [lambda memory, own, _: memory.properties(f"{own}/n")],
    "bases": [lambda memory, _, __: memory.bases()],
    "daily_name": [lambda memory, _, __: memory.daily_name("2026-11-20")],
    "preview_properties": [
        lambda memory, own, _: memory.preview_properties({"x": 1}, [f"{own}/n"]),
        lambda memory, own, _: memory.preview_properties({"x": 1}, filter="file.size > 0"),
    ],
    "check": [lambda memory, own, _: memory.check(), lambda memory, own, _: memory.check(known=True)],
    "secrets": [lambda memory, own, _: memory.secrets(), lambda memory, own, _: memory.secrets(own)],
    "names": [lambda memory, own, _: memory.names(), lambda memory, own, _: memory.names(folder=own)],
    "complete": [lambda memory, own, _: memory.complete(""), lambda memory, own, _: memory.complete("n")],
    "in_use": [
        lambda memory, own, _: memory.in_use(),
        lambda memory, own, _: memory.in_use("", key="tags"),
        lambda memory, own, _: memory.in_use("", key="rank"),
    ],
    "places": [
        lambda memory, own, _: memory.places("part"),
        lambda memory, own, _: memory.places("n"),
        lambda memory, own, _: memory.places(""),
    ],
    "counts": [lambda memory, own, _: memory.counts()],
    "has_folder": [lambda memory, own, _: memory.has_folder(f"{own}/deep")],
    "read": [
        lambda memory, own, _: memory.read("n", 3),
        lambda memory, own, _: memory.read(f"{own}/n", 3),
        lambda memory, own, _: memory.read("deep/o"),
        lambda memory, own, _: memory.read(f"{own.swapcase()}/m"),
        lambda memory, own, _: memory.read("alone"),
    ],
    "read_file": [lambda memory, own, _: memory.read_file(f"{unicodedata.normalize('NFC', own)}/own.png")],
    "copies": [lambda memory, _, __: memory.copies()],
    "log": [lambda memory, own, _: memory.log(), lambda memory, own, _: memory.log(f"{own}/n")],
    "diff": [lambda memory, own, _: memory.diff(f"{own}/n")],
    "show": [lambda memory, own, _: memory.show(f"{own}/n", "1")],
    "read_earlier": [
        lambda memory, own, _: without_moment(memory.read_earlier(f"{own}/n", LATER, 3, backlinks=True)),
        lambda memory, _, __: without_moment(memory.read_earlier("n", LATER, 3)),
    ],
    "page_earlier": [lambda memory, own, _: without_moment(memory.page_earlier(f"{own}/n", LATER, 2))],
    "target_earlier": [lambda memory, own, _: memory.target_earlier("m", f"{own}/n", LATER)],
    "preview_rename": [lambda memory, own, _: memory.preview_rename(f"{own}/deep/o", f"{own}/o")],
    "preview_extract": [lambda memory, own, _: memory.preview_extract(f"{own}/n", "A passage.", f"{own}/new")],
}
"""By method: calls whose answers must be those of a vault that holds the caller's folder alone."""

ABOUT_FOREIGN: dict[str, list[Call]] = {
    "reaches": [lambda memory, _, other: memory.reaches(f"{other}/{CANARY}-alone")],
    "page": [lambda memory, _, other: memory.page(f"{other}/n", 2)],
    "graph": [lambda memory, _, other: memory.graph(other), lambda memory, _, other: memory.graph(around=f"{other}/n")],
    "tree": [lambda memory, _, other: memory.tree([other])],
    "hints": [lambda memory, _, other: memory.hints(100, folder=other)],
    "entries": [lambda memory, *_: (memory.counts(), memory.entries(100, wait_s=0))],
    "unlinked": [lambda memory, _, other: memory.unlinked(100, folder=other)],
    "suggestions": [lambda memory, _, other: memory.suggestions(9e9, 100, folder=other)],
    "hint_state": [lambda memory, *_: memory.hint_state()],
    "draft_hint": [lambda memory, *_: memory.draft_hint()],
    "propose_hint": [lambda memory, *_: memory.propose_hint()],
    "conflicts": [lambda memory, _, other: memory.conflicts(100, folder=other)],
    "linked": [
        lambda memory, _, other: memory.linked([(f"{other}/n.md", ""), (f"{other}/{CANARY}-alone.md", "")], 100),
    ],
    "search": [lambda memory, _, other: memory.search("word", folders=[other])],
    "answer_hook": [
        lambda memory, _, other: hooked(memory, "session-start", cwd=f"/{other}"),
        lambda memory, _, other: hooked(memory, "session-start", cwd=f"/{CANARY}-alone"),
        lambda memory, _, other: hooked(memory, "prompt", prompt=f"Where is {CANARY} alone?"),
    ],
    "given": [lambda memory, *_: memory.given()],
    "query": [
        lambda memory, _, other: memory.query(f'file.inFolder("{other}")'),
        lambda memory, _, other: memory.query(f'file.hasLink("{other}/n")'),
        lambda memory, _, other: memory.query(columns=[f'file("{other}/n").properties']),
        lambda memory, _, other: memory.query(base=f"{other}/views"),
    ],
    "path": [lambda memory, _, other: memory.path(f"{other}/n")],
    "exists": [lambda memory, _, other: memory.exists(f"{other}/n")],
    "links": [lambda memory, _, other: memory.links(f"{other}/n")],
    "backlinks": [lambda memory, _, other: memory.backlinks(f"{other}/n")],
    "append": [lambda memory, _, other: memory.append(f"{other}/n", "more")],
    "properties": [lambda memory, _, other: memory.properties(f"{other}/n")],
    "bases": [],
    "set_properties": [
        lambda memory, _, other: memory.set_properties({"x": 1}, [f"{other}/n"]),
        lambda memory, _, other: memory.set_properties({"x": 1}, filter=f'file.inFolder("{other}")'),
        lambda memory, own, _: memory.set_properties({"x": 1}, filter="file.size > 0"),
    ],
    "preview_properties": [lambda memory, _, other: memory.preview_properties({"x": 1}, [f"{other}/n"])],
    "edit_section": [
        lambda memory, _, other: memory.edit_section(f"{other}/n", "New", "gone", "append", create=True),
        lambda memory, _, other: memory.edit_section(f"{other}/new", "New", "gone", "append", create=True),
        lambda memory, own, _: memory.edit_section(f"{own}/n", "New", "mine", "append", create=True),
    ],
    "daily_name": [lambda memory, _, __: memory.daily_name()],
    "write_daily": [lambda memory, _, __: memory.write_daily("2026-11-20", "mine")],
    "load_search": [lambda memory, _, __: memory.load_search()],
    "check": [],
    "secrets": [lambda memory, _, other: memory.secrets(other)],
    "advice": [lambda memory, _, other: memory.advice(folder=other)],
    "names": [lambda memory, _, other: memory.names(folder=other)],
    "complete": [
        lambda memory, _, other: memory.complete(other),
        lambda memory, _, other: memory.complete("", folder=other),
    ],
    "in_use": [lambda memory, _, __: memory.in_use(CANARY), lambda memory, _, __: memory.in_use(key="tags")],
    "places": [lambda memory, _, __: memory.places(CANARY), lambda memory, _, __: memory.places("part")],
    "copies": [lambda memory, _, __: memory.copies()],
    "merge_copy": [
        lambda memory, _, other: memory.merge_copy(f"{other}/n"),
        lambda memory, own, _: memory.merge_copy(f"{own}/n"),
    ],
    "counts": [lambda memory, _, other: memory.counts(folder=other)],
    "has_folder": [lambda memory, _, other: memory.has_folder(other)],
    "read": [
        lambda memory, _, other: memory.read(f"{other}/n", 2),
        lambda memory, _, other: memory.read(f"/{other}/n"),
        lambda memory, _, other: memory.read(f"{other}/n.md", bounded=False),
        lambda memory, _, other: memory.read(f"{other}/alone"),
        lambda memory, own, _: memory.read(f"{own}/alone"),
    ],
    "read_file": [
        lambda memory, _, other: memory.read_file(f"{other}/own.png"),
        lambda memory, own, _: memory.read_file(f"{own}/{CANARY}.png"),
        lambda memory, own, _: memory.read_file(f"{unicodedata.normalize('NFC', own)}/{CANARY}.png"),
    ],
    "log": [lambda memory, _, other: memory.log(f"{other}/n")],
    "diff": [
        lambda memory, _, other: memory.diff(f"{other}/n"),
        lambda memory, _, other: memory.diff(f"{other}/n", "1"),
    ],
    "show": [lambda memory, _, other: memory.show(f"{other}/n", "1")],
    "read_earlier": [
        lambda memory, _, other: memory.read_earlier(f"{other}/n", LATER),
        lambda memory, _, other: memory.read_earlier(f"{other}/n", LATER, then_first=True),
    ],
    "page_earlier": [lambda memory, _, other: memory.page_earlier(f"{other}/n", LATER)],
    "target_earlier": [lambda memory, own, other: memory.target_earlier(f"{other}/n", f"{own}/n", LATER)],
    "preview_rename": [
        lambda memory, own, other: memory.preview_rename(f"{own}/n", f"{other}/n"),
        lambda memory, own, other: memory.preview_rename(f"{other}/n", f"{own}/stolen"),
        lambda memory, own, _: memory.preview_rename(f"{own}/n", f"{own}/renamed"),  # which the others link to
    ],
    "preview_extract": [
        lambda memory, own, other: memory.preview_extract(f"{own}/n", "A passage.", f"{other}/m"),
        lambda memory, own, other: memory.preview_extract(f"{own}/n", "A passage.", f"{other}/new"),
        lambda memory, own, other: memory.preview_extract(f"{other}/n", "A passage.", f"{own}/stolen"),
    ],
    "write": [
        lambda memory, _, other: memory.write(f"{other}/n", "gone"),
        lambda memory, _, other: memory.write(f"{other}/new", "gone"),
        lambda memory, _, other: memory.write(f"{other}/n", "gone", append=True),
        lambda memory, own, _: memory.write(f"{own}/alone", "x", old="y"),
        lambda memory, own, _: memory.write(f"{own}/{CANARY[:4]}", "x", old="y"),
        lambda memory, own, _: memory.write(f"{own}/new", "mine"),
    ],
    "save": [
        lambda memory, _, other: memory.save(f"{other}/n", "gone", None),
        lambda memory, _, other: memory.save(f"{other}/n", "gone", "0" * 12),
        lambda memory, _, other: memory.save(f"{other}/saved", "gone", None),
        lambda memory, own, _: memory.save(f"{own}/saved", "mine", None),
    ],
    "attach": [
        lambda memory, _, other: memory.attach(f"{other}/n", "x", b"GIF89a"),
        lambda memory, _, other: memory.attach(f"{other}/new", "x", b"GIF89a"),
        lambda memory, own, _: memory.attach(f"{own}/n", "x", b"GIF89a"),
    ],
    "detach": [
        lambda memory, _, other: memory.detach([f"{other}/n.md"]),
        lambda memory, own, other: memory.detach([f"{own}/../{other}/n.md"]),
        lambda memory, own, _: memory.detach([f"{own}/n.md", f"{own}/m.md"]),
    ],
    "resolve": [
        lambda memory, _, other: memory.resolve(f"{other}/m"),
        lambda memory, own, _: memory.resolve(f"{own}/n"),
        lambda memory, own, _: memory.resolve(f"{own}/m", other=True),
    ],
    "rename": [
        lambda memory, own, other: memory.rename(f"{own}/n", f"{other}/n"),
        lambda memory, own, other: memory.rename(f"{own}/deep/o", f"{other}/o"),
        lambda memory, own, other: memory.rename(f"{other}/n", f"{own}/stolen"),
        lambda memory, own, _: memory.rename(f"{own}/n", f"{own}/renamed"),
    ],
    "extract": [
        lambda memory, own, other: memory.extract(f"{own}/n", "A passage.", f"{other}/m"),
        lambda memory, own, other: memory.extract(f"{other}/n", "A passage.", f"{own}/stolen"),
        lambda memory, own, _: memory.extract(f"{own}/n", "A passage.", f"{own}/extracted"),
    ],
    "delete": [lambda memory, _, other: memory.delete(f"{other}/n"), lambda memory, own, _: memory.delete(f"{own}/n")],
    "restore": [
        lambda memory, _, other: memory.restore(f"{other}/n", "1"),
        lambda memory, own, _: memory.restore(f"{own}/n", "1"),
    ],
    "undo": [
        lambda memory, own, _: memory.undo(9),
        lambda memory, own, _: memory.undo(),
        *(lambda memory, own, _, number=number: memory.undo(edit=number) for number in range(1, 9)),
        lambda memory, own, _: memory.undo(edit=1, sitting=True, partial=True),
        lambda memory, own, _: memory.undo(edit=1, sitting=True),
    ],
    "why": [
        lambda memory, own, _: memory.why(f"{own}/n"),
        lambda memory, _, other: memory.why(f"{other}/n"),
        lambda memory, own, _: memory.why(f"{own}/n:1"),
    ],
    "edits_of_session": [lambda memory, _, __: memory.edits_of_session("s")],
    "preview_undo": [
        lambda memory, own, _: memory.preview_undo(),
        *(lambda memory, own, _, number=number: memory.preview_undo(edit=number) for number in range(1, 9)),
        lambda memory, own, _: memory.preview_undo(edit=1, sitting=True, partial=True),
    ],
    "undo_line": [
        *(lambda memory, own, _, number=number: memory.undo_line(f"{own}/n", number) for number in range(1, 9)),
        *(
            lambda memory, own, _, number=number: memory.undo_line(f"{own}/n", number, passage=0)
            for number in range(1, 9)
        ),
        *(lambda memory, _, other, number=number: memory.undo_line(f"{other}/n", number) for number in range(1, 9)),
    ],
    "preview_undo_line": [
        *(lambda memory, own, _, number=number: memory.preview_undo_line(f"{own}/n", number) for number in range(1, 9)),
        *(
            lambda memory, _, other, number=number: memory.preview_undo_line(f"{other}/n", number)
            for number in range(1, 9)
        ),
    ],
    "previewed_notes": [
        *(
            lambda memory, own, _, number=number: memory.previewed_notes(memory.preview_undo(edit=number))
            for number in range(1, 9)
        ),
    ],
    "preview_redo": [lambda memory, own, _: memory.preview_redo(), lambda memory, own, _: memory.preview_redo(edit=1)],
    "redo": [lambda memory, own, _: memory.redo(), lambda memory, own, _: memory.redo(edit=1)],
    "review": [lambda memory, own, _: memory.review()],
    "mentions": [
        lambda memory, own, _: memory.mentions(f"{own}/n"),
        lambda memory, _, other: memory.mentions(f"{other}/n"),
    ],
    "home": [lambda memory, own, _: memory.home()],
    "files": [
        lambda memory, own, _: memory.files(own),
        lambda memory, _, other: memory.files(other),
        lambda memory, _, __: memory.files(""),
    ],
    "text_of": [
        lambda memory, _, other: memory.text_of(f"{other}/n.md"),
        lambda memory, own, other: memory.text_of(f"{own}/../{other}/n.md"),
    ],
    "data_of": [
        lambda memory, _, other: memory.data_of(f"{other}/n.md"),
        lambda memory, own, other: memory.data_of(f"{own}/../{other}/n.md"),
    ],
    "create_files": [
        lambda memory, _, other: memory.create_files({f"{other}/n.md": b"new"}),
        lambda memory, own, other: memory.create_files({f"{own}/new.md": b"", f"{other}/new.txt": b"new"}),
        lambda memory, own, other: memory.create_files({f"{own}/../{other}/new.txt": b"new"}),
    ],
    "rewrite_file": [lambda memory, _, other: memory.rewrite_file(f"{other}/n.md", str.upper)],
    "delete_files": [
        lambda memory, _, other: memory.delete_files(f"{other}/n.md"),
        lambda memory, _, other: memory.delete_files(other),
    ],
    "move_files": [
        lambda memory, own, other: memory.move_files(f"{other}/n.md", f"{own}/new.md"),
        lambda memory, own, other: memory.move_files(f"{own}/n.md", f"{other}/n.md"),
        lambda memory, own, other: memory.move_files(f"{own}/n.md", f"{other}/new.md"),
        lambda memory, own, other: memory.move_files(own, f"{other}/new"),
        lambda memory, own, other: memory.move_files(other, f"{own}/new"),
    ],
    "link": [
        lambda memory, own, other: memory.link(f"{own}/n", "n", 0, f"{other}/n", ""),
        lambda memory, own, other: memory.link(f"{other}/n", "n", 0, f"{own}/n", ""),
    ],
    "repoint": [
        lambda memory, own, other: memory.repoint([f"{own}/n"], "n", f"{other}/n"),
        lambda memory, own, other: memory.repoint([f"{other}/n"], "n", f"{own}/n"),
        lambda memory, own, _: memory.repoint([f"{own}/n"], "n", f"{own}/n"),
    ],
    "brief": [
        lambda memory, own, _: memory.brief(),
        *(lambda memory, own, _, number=number: memory.brief(sitting=number) for number in range(1, 9)),
    ],
    "replay": [
        lambda memory, own, _: memory.replay(),
        lambda memory, own, _: memory.replay(since="3"),
        *(lambda memory, own, _, number=number: memory.replay(sitting=number) for number in range(1, 9)),
    ],
    "change": [
        *(lambda memory, own, _, number=number: memory.change(f"{own}/n", number, first=1) for number in range(1, 9)),
        *(lambda memory, _, other, number=number: memory.change(f"{other}/n", number) for number in range(1, 9)),
        *(lambda memory, own, _, number=number: memory.change(None, number, first=1) for number in range(1, 9)),
    ],
    "mark_viewed": [
        *(
            lambda memory, own, _, number=number: memory.mark_viewed("x", [(f"{own}/n", 1, number)])
            for number in range(1, 9)
        ),
        *(
            lambda memory, _, other, number=number: memory.mark_viewed("x", [(f"{other}/n", number, number)])
            for number in range(1, 9)
        ),
    ],
    "mark_seen": [*(lambda memory, own, _, number=number: memory.mark_seen("x", number) for number in range(1, 9))],
    "mark_unseen": [lambda memory, own, _: memory.mark_unseen("x", [(1, 9)])],
    "proposed": [lambda memory, own, _: memory.proposed()],
    "blocked": [lambda memory, own, _: memory.blocked("bot")],
    "proposed_changes": [
        *(lambda memory, own, _, number=number: memory.proposed_changes("bot", [number]) for number in range(1, 9)),
        lambda memory, own, _: memory.proposed_changes("bot"),
    ],
    "proposed_versions": [
        *(lambda memory, own, _, number=number: memory.proposed_versions("bot", number) for number in range(1, 9)),
    ],
    "proposed_numbers": [lambda memory, own, _: memory.proposed_numbers("bot")],
    "proposed_diff": [lambda memory, own, _: memory.proposed_diff("bot")],
    "accept": [
        *(lambda memory, own, _, number=number: memory.accept("bot", [number]) for number in range(1, 9)),
        lambda memory, own, _: memory.accept("bot", as_new=True),
    ],
    "drop": [lambda memory, own, _: memory.drop("bot", [1]), lambda memory, own, _: memory.drop("bot")],
    "look": [lambda memory, own, _: memory.look(lambda pages: pages.below(""))],
    "edit_each": [lambda memory, _, other: memory.edit_each([lambda draft: draft.write(f"{other}/n.md", {}, "gone")])],
    "edit": [lambda memory, _, other: memory.edit(lambda draft: draft.write(f"{other}/n.md", {}, "gone"))],
    "last_author": [lambda memory, _, other: memory.on_behalf(client=CANARY).last_author([f"{other}/n"])],
    "proposes": [lambda memory, _, __: memory.proposes],
    "reads_only": [lambda memory, _, __: memory.reads_only],
    "person": [lambda memory, _, __: memory.person],
    "on_behalf": [lambda memory, _, other: memory.on_behalf(tool="x").read(f"{other}/n")],
    "restricted": [
        lambda memory, _, other: memory.restricted(Grant()).read(f"{other}/n"),
        lambda memory, _, other: memory.restricted(Grant(other)).read(f"{other}/n"),
    ],
    "in_editor": [lambda memory, _, other: memory.in_editor().read(f"{other}/n.md")],
    "sync": [lambda memory, _, __: memory.sync(dry_run=True)],
    "sync_state": [lambda memory, _, __: memory.sync_state()],
    "version": [],
    "vault": [],
    "set_up": [],
    "start": [],
    "load": [lambda memory, own, _: memory.load()],
    "wait_ready": [lambda memory, own, _: memory.wait_ready()],
    "load_names": [lambda memory, own, _: memory.load_names()],
    "listen": [],  # has a test of its own
    "listen_to_proposed": [],  # gives no data; who may get the event is tested with the API
    "close": [],
    "stop": [],
}
"""By method: calls that are about the other folder, or could touch it."""


def test_every_method_of_the_door_has_calls_here() -> None:
    assert {name for name in dir(Memory) if not name.startswith("_")} == set(ABOUT_FOREIGN)
    assert set(READS) <= set(ABOUT_FOREIGN)


def told(call: Call, memory: Memory, own: str, foreign: str) -> Any:
    """What a call answers: its result, or its refusal."""
    try:
        return call(memory, own, foreign)
    except ZkError as error:
        return type(error).__name__, str(error)


def test_each_answer_is_that_of_a_vault_with_the_folder_alone(twins: Twins) -> None:
    if twins.leads_out:
        pytest.skip("what links lead to is in the other folder")
    for method, calls in READS.items():
        for call in calls:
            answer = told(call, twins.memory, twins.own, twins.foreign)
            assert answer == told(call, twins.alone, twins.own, twins.foreign), method
            assert CANARY not in repr(answer).replace(CANARY, "", "search" in repr(call)), method


@pytest.mark.parametrize("pair", PAIRS)
def test_no_call_shows_or_changes_the_twin(tmp_path: Path, pair: str) -> None:
    methods = list(ABOUT_FOREIGN)
    while methods:
        with made_twins(pair, tmp_path / str(len(methods))) as twins:
            before, foreign_before = files_below(twins.vault), twins.foreign_files()
            while methods and files_below(twins.vault) == before:  # else the next method gets a vault of its own
                method = methods.pop()
                for call in ABOUT_FOREIGN[method]:
                    answer = told(call, twins.memory, twins.own, twins.foreign)
                    given = inspect.getsource(call).count("CANARY")
                    assert CANARY not in repr(answer).replace(CANARY, "", given), (method, answer)
                assert twins.foreign_files() == foreign_before, method


def test_news_are_of_the_folder_and_not_of_its_twin(twins: Twins) -> None:
    heard: list[str] = []
    twins.memory.listen(heard.extend)
    Path(twins.vault, twins.foreign, "n.md").write_text("changed by hand\n")
    engine(twins.whole).live.take_in([f"{twins.foreign}/n.md"])
    twins.whole.wait_ready()
    assert heard == []
    for folder in (twins.own, twins.foreign):
        Path(twins.vault, folder, "n.md").write_text("changed again by hand\n")
    engine(twins.whole).live.take_in([f"{twins.own}/n.md", f"{twins.foreign}/n.md"])
    twins.whole.wait_ready()
    assert heard == ([f"{twins.own}/n"] if twins.alone.counts()[0] else []), "the folder that the index has is heard"


def test_attachments_of_a_twin_that_came_later_are_not_read(tmp_path: Path) -> None:
    """A spelling that was learnt once must not lead into the folder that had the name before."""
    vault = write(tmp_path / "vault", {f"{NFD}/secret.png": CANARY, f"{NFD}/secret.md": CANARY})
    memory = Memory(vault, durable=False)
    memory.load()
    assert memory.read_file(f"{NFC}/secret.png") == CANARY.encode(), "the only one is found by its path in NFC"
    write(vault, {f"{NFC}/own.md": "own\n"})
    memory.wait_ready()
    assert memory.graph().names == [f"{NFC}/own"]
    with pytest.raises(ZkError):
        memory.read_file(f"{NFC}/secret.png")
    assert memory.restricted(Grant(NFD)).counts() == (0, 0)
    memory.close()


def test_a_folder_in_nfd_is_used_by_the_path_in_nfc(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", own_notes(NFD))
    memory = Memory(vault, durable=False).restricted(Grant(NFD))
    assert memory.read_file(f"{NFC}/own.png") == b"own picture"
    assert [hit.name for hit in memory.search("passage")] == [f"{NFC}/n"]
    assert memory.write(f"{NFC}/new", "[[n]]\n").outcome == "created"
    assert memory.rename(f"{NFC}/n", f"{NFC}/p").relinked == [f"{NFC}/new"]
    assert memory.read("p").linked_from == [f"{NFC}/new"]
    assert memory.delete("p").name == f"{NFC}/p"
    assert memory.undo(3).notes
    assert os.listdir(vault).count(NFC) == 0
    assert memory.counts()[0] == 3


@pytest.mark.parametrize(("own", "there"), [(NFC, NFD), ("topics", "Topics"), (NFC, NFC.upper()), ("a b", "a\u00a0b")])
def test_a_folder_that_is_not_there_is_not_its_twin(tmp_path: Path, own: str, there: str) -> None:
    vault = write(tmp_path / "vault", {f"{there}/{CANARY}.md": f"{CANARY}\n", f"{there}/n.md": f"{CANARY}\n"})
    for calls in (*READS.values(), *ABOUT_FOREIGN.values()):
        for call in calls:  # each the first of a process, when nothing has been read yet
            whole = Memory(vault, durable=False)
            answer, source = repr(told(call, whole.restricted(Grant(own)), own, there)), inspect.getsource(call)
            assert CANARY not in answer.replace(CANARY, "", source.count("CANARY")), answer
            assert there not in answer.replace(there, "", source.count("other") + source.count("swapcase")), answer
            whole.close()
    memory = Memory(vault, durable=False).restricted(Grant(own))
    with pytest.raises(Forbidden):  # it would be a twin
        memory.write(f"{own}/new", "x")
    assert sorted(os.listdir(vault)) == sorted([".zkmem", there])


def test_a_note_that_was_deleted_by_hand_is_unknown_without_names_of_others(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", {"topics/plann.md": "x\n", "topics/plans.md": "y\n", f"plan-{CANARY}.md": "z\n"})
    memory = Memory(vault, durable=False).restricted(Grant("topics"))
    memory.load()
    os.unlink(os.path.join(vault, "topics/plann.md"))
    with pytest.raises(UnknownNote) as refusal:
        memory.read("plann")
    assert CANARY not in str(refusal.value)


def test_names_of_the_folder_are_proposed_however_many_others_are_like_it(tmp_path: Path) -> None:
    notes = {f"elsewhere/plan {number}.md": "" for number in range(80)}
    vault = write(tmp_path / "vault", {**notes, "topics/a plan that is mine.md": ""})
    with pytest.raises(UnknownNote, match="a plan that is mine"):
        Memory(vault).restricted(Grant("topics")).read("plan")


def test_a_name_means_the_note_of_the_folder_though_one_outside_has_it_exactly(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", {"plan.md": CANARY, "topics/plan.md": "mine\n", "x/topics/new.md": CANARY})
    memory = Memory(vault, durable=False).restricted(Grant("topics"))
    assert memory.read("plan").text == "mine\n"
    assert memory.write("topics/new", "mine\n").outcome == "created"


# --- search and ranking ---

WORDS = ["alpha", "beta", "gamma", "delta", "word", "word"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
targets = st.lists(st.sampled_from(["topics/a", "topics/b", "topics/deep/c", "nowhere"]), max_size=3)
notes = st.tuples(texts, targets)
mine = st.dictionaries(
    st.sampled_from(["topics/a", "topics/b", "topics/deep/c", "topics/alpha beta", "topics/word"]), notes, max_size=5
)
others = st.dictionaries(
    st.sampled_from(["Topics/a", "topics2/b", "alpha", "x/beta", "Topics/deep/c", "word", "y/topics/b"]),
    notes,
    max_size=7,
)


def files_of(notes: Mapping[str, tuple[str, list[str]]], known: Mapping[str, object]) -> dict[str, str]:
    """The files of some notes, with those of their links that lead to a known note or to none."""
    return {
        f"{name}.md": text + "".join(f" [[{one}]]" for one in links if one in known or one == "nowhere")
        for name, (text, links) in notes.items()
    }


def observed(memory: Memory) -> dict[str, Any]:
    """All that a caller can learn of an order, a score or a count."""
    found: dict[str, Any] = {
        f"{query} {limit}": memory.search(query, limit=limit)
        for query in ("alpha", "word", "alpha beta", "gamma word delta")
        for limit in (1, 2, 10)
    }
    found |= {f"in deep: {query}": memory.search(query, folders=["topics/deep"]) for query in ("word", "alpha")}
    found |= {f"without deep: {query}": memory.search(query, without=["topics/deep"]) for query in ("word", "alpha")}
    found |= {f"hints {count}": memory.hints(count) for count in (1, 2, 100)}
    found |= {f"suggestions {count}": memory.suggestions(9e9, count) for count in (1, 2, 100)}
    found |= {f"complete {text}": memory.complete(text) for text in ("", "a", "word")}
    return found | {
        "graph": memory.graph(),
        "counts": memory.counts(),
        "check": [memory.check(), memory.check(known=True)],
    }


@settings(max_examples=15)
@given(own=mine, foreign=others, late=others, order=st.sampled_from(["weight", "links"]))
def test_scores_and_orders_come_from_the_notes_of_the_folder_alone(
    tmp_path_factory: pytest.TempPathFactory,
    own: Mapping[str, tuple[str, list[str]]],
    foreign: Mapping[str, tuple[str, list[str]]],
    late: Mapping[str, tuple[str, list[str]]],
    order: Order,
) -> None:
    folder = tmp_path_factory.mktemp("v")
    mixed, alone = folder / "mixed", folder / "alone"
    for root, files in ((mixed, {**own, **foreign}), (alone, own)):
        root.mkdir()
        write(root, files_of(files, own))
    whole, part = (Memory(str(root), durable=False, hints_order=order) for root in (mixed, alone))
    expected = observed(part.restricted(Grant("topics")))
    confined = whole.restricted(Grant("topics"))
    assert observed(confined) == expected
    write(mixed, files_of(late, own))
    whole.wait_ready()
    assert observed(confined) == expected
    whole.close()
    part.close()


def test_ties_of_hints_are_broken_by_what_the_caller_can_see(tmp_path: Path) -> None:
    files = {
        "topics/a.md": "",
        "topics/b.md": "",
        "topics/c.md": "[[topics/a]]",
        "x.md": "[[topics/b]]",
        "y.md": "[[topics/b]]",
    }
    for order in ("weight", "links", "pagerank"):
        memory = Memory(write(tmp_path / order, files), hints_order=order)
        names = [hint.name for hint in memory.restricted(Grant("topics")).hints()]
        assert names.index("topics/a") < names.index("topics/b"), order


def test_callers_of_one_folder_share_one_search_and_others_have_their_own(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"a/x.md": "word", "b/y.md": "word"}))
    searches = [search_of(memory.restricted(Grant(folder))) for folder in ("a", "a", "b", "")]
    assert searches[0] is searches[1]
    assert len(set(map(id, searches))) == 3
    assert searches[3] is engine(memory).search
    for folder in "ab":
        assert [hit.path[0] for hit in memory.restricted(Grant(folder)).search("word")] == [folder]
    places = {search_cache_path(search) for search in searches}
    assert len(places & set(map(str, Path(os.environ["XDG_CACHE_HOME"], "zkmem").iterdir()))) == 2
    memory.close()


def test_the_cache_of_a_folder_that_nobody_searches_any_more_is_deleted(tmp_path: Path) -> None:
    vault = write(tmp_path, {"a/x.md": "word", "b/y.md": "word", "c/z.md": "word"})
    memory = Memory(vault)
    caches: dict[str, str] = {}
    for folder in "abc":
        confined = memory.restricted(Grant(folder))
        if folder == "c":
            engine(memory).search.close()
            os.utime(caches["a"], (0, 0))
        confined.search("word")
        caches[folder] = search_cache_path(search_of(confined))
    assert [os.path.exists(caches[folder]) for folder in "abc"] == [False, True, True]
    memory.close()


# --- over HTTP ---


def bodies(own: str, other: str, operation: str) -> list[dict[str, Any]]:
    """What is sent with an operation."""
    found: dict[str, list[dict[str, Any]]] = {
        "saveNote": [{"content": "gone"}],
        "renameNote": [
            {"name": f"{own}/n", "new_name": f"{other}/n", "preview": True},
            {"name": f"{other}/n", "new_name": f"{own}/stolen"},
            {"name": f"{own}/n", "new_name": f"{other}/n"},
        ],
        "extractPassage": [
            {"name": f"{own}/n", "content": "A passage.", "new_name": f"{other}/n", "preview": True},
            {"name": f"{other}/n", "content": "A passage.", "new_name": f"{own}/stolen"},
        ],
        "restoreRevision": [{"name": f"{other}/n", "rev": "1"}],
        "undoEdits": [{}],
        "redoEdits": [{}],
    }
    return found.get(operation, [{}])


def requests(own: str, other: str) -> Iterator[tuple[Operation, str, str, dict[str, Any]]]:
    """Requests for each operation of the API, about both folders."""
    for path, methods in operations().items():
        for method, operation in methods.items():
            for folder, note in ((own, "n"), (other, "n"), (own, "alone"), (own, "")):
                values = {
                    "q": "word",
                    "name": f"{folder}/{note}",
                    "rev": "1",
                    "folder": folder,
                    "depth": "2",
                    "threshold": "9999",
                }
                place = path.replace("{name}", quote(f"{folder}/{note}")).replace("{path}", quote(f"{folder}/own.png"))
                query = {key: values[key] for key in operation.query if key in values}
                headers: list[dict[str, str]] = [{}]
                if operation.id in {"saveNote", "deleteNote"}:
                    headers = [{"If-Match": '"000000000000"'}, {"If-None-Match": "*"}]
                for body in bodies(own, other, operation.id):
                    for header in headers:
                        options: dict[str, Any] = {"params": query, "headers": header}
                        if operation.body:
                            options["json"] = body
                        yield operation, method, "/api" + place, options


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["case", "case of another letter", "form", "form, the other way", "blanks"])
def test_no_operation_of_the_api_tells_of_the_twin_or_changes_it(tmp_path: Path, pair: str) -> None:
    own, foreign = PAIRS[pair]
    vault = write(tmp_path / "vault", {**own_notes(own), **foreign_notes(foreign, own)})
    before = files_below(Path(vault, foreign))
    headers = {"Authorization": f"Bearer {tokens_of(vault).add('own', folder=own)}"}
    asked = set()
    with http_server(vault, "zettel", ZKMEM_RATE="100000") as url, httpx2.Client(timeout=30) as client:
        base = url.removesuffix("/mcp")
        with client.stream("GET", f"{base}/api/events", headers=headers) as news:
            lines = news.iter_lines()
            assert next(lines) == "event: hello"
            for operation, method, path, options in requests(own, foreign):
                asked.add(operation.id)
                if operation.id == "listen":
                    continue
                given = options | {"headers": {**headers, **options["headers"]}}
                answer = client.request(method, base + path, **given)
                assert answer.status_code < 500, (path, options, answer.text)
                assert CANARY not in answer.text, (path, options, answer.text)
            Path(vault, foreign, "n.md").write_text("changed by hand\n")
            made = httpx2.put(
                f"{base}/api/notes/{quote(own)}/last", json={"content": "x"}, headers={**headers, "If-None-Match": "*"}
            )
            if made.status_code == 201:
                heard = ""
                for line in lines:
                    heard += line
                    if "last" in line:
                        break
                assert CANARY not in heard
                assert foreign == unicodedata.normalize("NFD", own) or f'"{foreign}/' not in heard
    assert asked == {operation.id for methods in operations().values() for operation in methods.values()}
    Path(vault, foreign, "n.md").write_text(foreign_notes(foreign, own)[f"{foreign}/n.md"])
    after = files_below(Path(vault, foreign))
    assert after == before


def test_graphs_that_are_kept_for_sending_are_not_those_of_a_twin(twins: Twins) -> None:
    graphs = Graphs()
    for folder in (twins.foreign, twins.own):
        graph = graphs.get(twins.whole.restricted(Grant(folder)), Grant(folder))
    assert CANARY.encode() not in graph.body


# --- tokens ---


def token(vault: str, folder: str) -> tuple[str, list[str]]:
    """Make a token on the command line: why it was refused, and the folders of all tokens."""
    done = CliRunner().invoke(cli, ["token", "add", "x", "--vault", vault, "--vault-path", folder])
    return str(done.exception or ""), [one.folder for one in tokens_of(vault).load().tokens]


@pytest.mark.parametrize(
    ("there", "given", "becomes"),
    [
        ([NFD], NFC, NFD),
        ([NFD], NFD, NFD),
        ([NFC], NFD, NFC),
        ([], NFD, NFC),
        (["topics", "Topics"], "Topics", "Topics"),
        ([f"{NFD}/deep"], f"{NFC}/deep/new", f"{NFD}/deep/new"),
        (["topics"], "topics/n.md/below", "topics/n.md/below"),
    ],
)
def test_a_token_names_its_folder_as_it_is_on_disk(tmp_path: Path, there: list[str], given: str, becomes: str) -> None:
    for folder in there:
        write(tmp_path, {f"{folder}/n.md": "own\n"})
    assert token(str(tmp_path), given) == ("", [becomes])
    if there and not becomes.endswith("below"):
        memory = Memory(str(tmp_path)).restricted(Grant(becomes))
        assert memory.counts()[0] == (1 if becomes in there else 0)


@pytest.mark.parametrize(
    ("there", "given", "reason"),
    [
        ([NFC, NFD], NFC, "two folders"),
        ([NFC, NFD], NFD, "two folders"),
        (["Topics"], "topics", "'Topics'"),
        (["a\u00a0b"], "a b", "spell it like that"),
        ([], "a//b", "give the path of a folder"),
    ],
)
def test_a_token_for_a_folder_in_doubt_is_refused(tmp_path: Path, there: list[str], given: str, reason: str) -> None:
    for folder in there:
        write(tmp_path, {f"{folder}/n.md": ""})
    said, folders = token(str(tmp_path), given)
    assert reason in said
    assert folders == []
