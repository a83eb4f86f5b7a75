"""Raw and list memories against plain Python models, and any text and any name through a vault and back."""

import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.tools.vaults import read
from tests.toolsets.test_think import call, texts
from zkmem.errors import BadArgument, BadName, Damaged, ZkError
from zkmem.memory import Memory
from zkmem.toolsets.think.transfer import import_think, looks_like_think

Line = tuple[int, str]  # its identity, which a change of its text changes, and its text
Shown = list[tuple[int, int, str]]

short = st.text("ab \r\u2028中", max_size=4)
some_lines = st.lists(short, max_size=4).map("\n".join)
numbers = st.integers(-1, 12)
hows = st.sampled_from(["move", "rename", "both"])


class Vault(RuleBasedStateMachine):
    """A memory in a vault of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.memory = Memory(self.folder, durable=False)

    def teardown(self) -> None:
        self.memory.close()
        shutil.rmtree(self.folder)

    def ask(self, tool: str, **arguments: Any) -> Any:
        return call(self.memory, tool, **arguments)


class RawMachine(Vault):
    """A text as lines that know who they are; a summary lives as long as its lines stay what and where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = itertools.count()
        self.lines: list[Line] = []
        self.closed = False
        self.summaries: dict[tuple[int, ...], str] = {}
        self.ask("addRawMemory", name="r", description="", data="")

    def new(self, text: str) -> list[Line]:
        return [(next(self.ids), line) for line in self.split(text)]

    @staticmethod
    def split(text: str) -> list[str]:
        return text.removesuffix("\n").split("\n") if text else []

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines) + ("\n" if self.closed else "")

    def unified(self, text: str) -> tuple[bool, str]:
        """Whether all lines end with CR LF, which is taken off them then, and the text that is put in without it."""
        windows = self.text.count("\n") == self.text.count("\r\n") > 0
        if windows:
            count = len(self.lines) - (not self.closed)
            self.lines = [(one, line[: -(at < count) or None]) for at, (one, line) in enumerate(self.lines)]
        return windows, text.replace("\r\n", "\n") if windows else text

    def set(self, lines: list[Line], closed: bool, windows: bool = False) -> None:
        self.closed = bool(lines) and (closed or not lines[-1][1])
        count = len(lines) - (not self.closed) if windows else 0
        self.lines = [(one, line + "\r" * (at < count)) for at, (one, line) in enumerate(lines)]
        order = [one for one, _ in lines]
        self.summaries = {ids: text for ids, text in self.summaries.items() if self.place(ids, order) is not None}

    @staticmethod
    def place(ids: tuple[int, ...], order: list[int]) -> int | None:
        if ids[0] not in order:
            return None
        at = order.index(ids[0])
        return at if tuple(order[at : at + len(ids)]) == ids else None

    def valid(self, first: int, last: int) -> bool:
        return 0 <= first <= last < len(self.lines)

    def attempt(self, allowed: bool, tool: str, **arguments: Any) -> bool:
        if allowed:
            self.ask(tool, namePath="r", **arguments)
        else:
            with pytest.raises(BadArgument):
                self.ask(tool, namePath="r", **arguments)
        return allowed

    @rule(text=some_lines)
    def write(self, text: str) -> None:
        self.ask("writeRaw", namePath="r", data=text)
        new, old = self.new(text), self.lines
        most = min(len(new), len(old))
        head = next((at for at in range(most) if new[at][1] != old[at][1]), most)
        tail = next((at for at in range(most - head) if new[-1 - at][1] != old[-1 - at][1]), most - head)
        self.set([*old[:head], *new[head : len(new) - tail], *old[len(old) - tail :]], text.endswith("\n"))

    @rule(text=some_lines)
    def append(self, text: str) -> None:
        whole = self.text + text
        self.ask("writeRaw", namePath="r", data=text, isAppend=True)
        new = self.new(whole)
        kept = [old if old[1] == one[1] else one for old, one in zip(self.lines, new, strict=False)]
        self.set([*kept, *new[len(kept) :]], whole.endswith("\n"))

    @rule(at=numbers, text=some_lines)
    def insert(self, at: int, text: str) -> None:
        if self.attempt(0 <= at <= len(self.lines), "insertRawLines", lineNo=at, text=text):
            closed = self.closed if self.lines else text.endswith("\n")
            windows, text = self.unified(text)
            new = self.new(text) or [(next(self.ids), "")]
            self.set([*self.lines[:at], *new, *self.lines[at:]], closed, windows)

    @rule(first=numbers, last=numbers)
    def delete(self, first: int, last: int) -> None:
        if self.attempt(self.valid(first, last), "deleteRawLines", lineBeg=first, lineEnd=last):
            windows, _ = self.unified("")
            self.set([*self.lines[:first], *self.lines[last + 1 :]], self.closed, windows)

    @rule(first=numbers, last=numbers, text=some_lines)
    def replace(self, first: int, last: int, text: str) -> None:
        given = {"lineBeg": first, "lineEnd": last, "pattern": "", "text": text}
        if self.attempt(self.valid(first, last), "replaceRawLines", **given):
            windows, text = self.unified(text)
            new = self.new(text) or [(next(self.ids), "")]
            old = self.lines[first : last + 1]
            kept = old if [line for _, line in old] == [line for _, line in new] else new
            self.set([*self.lines[:first], *kept, *self.lines[last + 1 :]], self.closed, windows)

    @rule(first=numbers, last=numbers, by=some_lines)
    def substitute(self, first: int, last: int, by: str) -> None:
        part = self.lines[first : last + 1] if self.valid(first, last) else []
        found = any("a" in line for _, line in part)
        given = {"lineBeg": first, "lineEnd": last, "pattern": "a", "text": by}
        if self.attempt(found, "replaceRawLines", **given):
            by = by.replace("\r\n", "\n") if "\r\n" in self.text else by
            windows, _ = self.unified("")
            new = []
            for one in self.lines[first : last + 1]:
                tail = "\r" * one[1].endswith("\r")
                lines = [line + tail for line in re.sub("a", lambda _: by, one[1].removesuffix("\r")).split("\n")]
                same = lines == [one[1]]
                new += [one] if same else [(next(self.ids), line) for line in lines]
            self.set([*self.lines[:first], *new, *self.lines[last + 1 :]], self.closed, windows)

    @rule(first=numbers, last=numbers, text=short)
    def summarize(self, first: int, last: int, text: str) -> None:
        allowed = self.valid(first, last) and bool(text.strip())
        if self.attempt(allowed, "summarizeRawLines", lineBeg=first, lineEnd=last, text=text):
            self.summaries[tuple(one for one, _ in self.lines[first : last + 1])] = text

    @rule(first=numbers, last=numbers)
    def desummarize(self, first: int, last: int) -> None:
        if self.attempt(self.valid(first, last), "desummarizeRawLines", lineBeg=first, lineEnd=last):
            within = {one for one, _ in self.lines[first : last + 1]}
            self.summaries = {ids: text for ids, text in self.summaries.items() if not within.issuperset(ids)}

    @rule(first=numbers, last=numbers)
    def read_part(self, first: int, last: int) -> None:
        arguments = {"namePath": "r", "lineBeg": first, "lineEnd": last}
        if not self.valid(first, last):
            with pytest.raises(BadArgument, match="the text has"):
                self.ask("readRawLines", **arguments)
            return
        part = [line for _, line in self.lines[first : last + 1]]
        text = "\n".join(part) + ("\n" if last < len(self.lines) - 1 or self.closed else "")
        assert self.ask("readRawLines", **arguments) == {"data": text}
        told = self.ask("readRawLines", **arguments, summarize=True)
        overlapping = [one for one in self.shown() if one[0] <= last and first <= one[1]]
        assert shown(told["summaries"]) == overlapping
        covered = {line for one in overlapping for line in range(one[0], one[1] + 1)}
        assert ("data" in told) == (not covered.issuperset(range(first, last + 1)))
        assert told.get("data", text) == text

    def shown(self) -> Shown:
        order = [one for one, _ in self.lines]
        places = [(order.index(ids[0]), len(ids), text) for ids, text in self.summaries.items()]
        return sorted((at, at + length - 1, text) for at, length, text in places)

    @invariant()
    def same(self) -> None:
        told = self.ask("readRawLines", namePath="r", summarize=True)
        assert told.get("data", self.text) == self.text
        assert shown(told["summaries"]) == self.shown()
        (known,) = self.ask("searchMemory")["results"]
        assert (known["nLines"], known["nChars"]) == (len(self.lines), len(self.text))


def shown(summaries: list[dict[str, Any]]) -> Shown:
    return sorted((one["lineBeg"], one["lineEnd"], one["text"]) for one in summaries)


class ListMachine(Vault):
    """A list against a list."""

    def __init__(self) -> None:
        super().__init__()
        self.role = ""
        self.model: list[str] = []

    @initialize(role=st.sampled_from(["array", "deque", "stack"]))
    def begin(self, role: str) -> None:
        self.role = role
        self.ask("addListMemory", name="l", description="", role=role)

    def put(self, tool: str, at: int, data: str, description: str, roles: set[str], **more: Any) -> None:
        before = read(self.folder)
        if self.role not in roles or not 0 <= at <= len(self.model):
            with pytest.raises(BadArgument):
                self.ask(tool, name="l", data=data, description=description, **more)
            assert read(self.folder) == before
            return
        made = self.ask(tool, name="l", data=data, description=description, **more)
        self.model.insert(at, data)
        assert (made["index"], made["nElements"]) == (at, len(self.model))
        assert self.ask("readRawLines", namePath=f"l<::>{made['name']}") == {"data": data}

    def get(self, tool: str, at: int, roles: set[str], *, takes: bool, **more: Any) -> None:
        before = read(self.folder)
        if self.role not in roles or not 0 <= at < len(self.model):
            with pytest.raises(BadArgument):
                self.ask(tool, name="l", **more)
            assert read(self.folder) == before
            return
        found = self.ask(tool, name="l", **more)
        if "data" in found:
            assert (found["data"]["data"] if tool == "getListElement" else found["data"]) == self.model[at]
        if takes:
            del self.model[at]

    @rule(data=some_lines, description=short)
    def append(self, data: str, description: str) -> None:
        self.put("appendListElement", len(self.model), data, description, {"array", "deque"})

    @rule(data=some_lines, description=short)
    def push_stack(self, data: str, description: str) -> None:
        self.put("pushStackElement", len(self.model), data, description, {"stack"})

    @rule(data=some_lines, description=short, position=st.sampled_from(["front", "back"]))
    def push_deque(self, data: str, description: str, position: str) -> None:
        at = 0 if position == "front" else len(self.model)
        self.put("pushDequeElement", at, data, description, {"deque"}, position=position)

    @rule(data=some_lines, description=short, at=numbers)
    def insert(self, data: str, description: str, at: int) -> None:
        self.put("insertListElement", at, data, description, {"array"}, index=at)

    @rule(at=numbers)
    def delete(self, at: int) -> None:
        self.get("deleteListElement", at, {"array"}, takes=True, index=at)

    @rule(at=numbers)
    def get_one(self, at: int) -> None:
        self.get("getListElement", at, {"array", "deque", "stack"}, takes=False, index=at)

    @rule(takes=st.booleans())
    def end_of_stack(self, takes: bool) -> None:
        self.get("popStackElement" if takes else "peekStackElement", len(self.model) - 1, {"stack"}, takes=takes)

    @rule(takes=st.booleans(), position=st.sampled_from(["front", "back"]))
    def end_of_deque(self, takes: bool, position: str) -> None:
        at = 0 if position == "front" else len(self.model) - 1
        tool = "popDequeElement" if takes else "peekDequeElement"
        self.get(tool, at, {"deque"}, takes=takes, position=position)

    @precondition(lambda self: self.model)
    @rule(at=numbers, data=some_lines)
    def write_element(self, at: int, data: str) -> None:
        at %= len(self.model)
        self.ask("writeRaw", namePath=f"l<:{at}:>", data=data)
        self.model[at] = data

    @rule()
    def clear(self) -> None:
        self.ask("clearList", name="l")
        self.model = []

    @invariant()
    def same(self) -> None:
        if self.role:
            assert texts(self.memory) == self.model
            assert len(read(self.folder)) == 1 + len(self.model)


TestRaw = RawMachine.TestCase
TestRaw.settings = settings(max_examples=25, stateful_step_count=30)
TestList = ListMachine.TestCase
TestList.settings = settings(max_examples=25, stateful_step_count=20)


# --- a list and a raw memory that are moved and renamed


class MovedMachine(Vault):
    """A list and a raw memory, moved and renamed by tools and by hand. No element is ever taken for another one.

    Each element has a text of its own, by which its note is known wherever it is. `ambiguous` says exactly which lines
    can mean several notes: these are missing, and a person corrects them before a tool changes the list.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count()
        self.role, self.list, self.raw = "array", "A", "novel"  # paths, without `.md`
        self.model: list[str] = []
        self.ask("addRawMemory", name="novel", description="", data="text")
        self.ask("addListMemory", name="A", description="", role="array")
        self.append("one")
        self.append("last")
        self.list_by_tool("rename")
        self.append("last")  # now two folders have a note of this name

    @staticmethod
    def name(path: str) -> str:
        return path.rpartition("/")[2]

    def new(self, path: str, how: str) -> str:
        """A free path: in another folder, of another name, or both."""
        number, (folder, _, name) = next(self.numbers), path.rpartition("/")
        folder = folder if how == "rename" else f"{folder}/d{number}" if number % 3 else f"d{number}"
        return f"{folder}/{name if how == 'move' else f'n{number}'}".removeprefix("/")

    def move(self, old: str, new: str) -> None:
        there = pathlib.Path(self.folder, new)
        there.parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(self.folder, old).rename(there)
        for folder in sorted(pathlib.Path(self.folder).rglob("*"), reverse=True):
            if folder.is_dir() and ".zkmem" not in folder.parts and not any(folder.iterdir()):
                folder.rmdir()
        self.memory.wait_ready()

    def element_folders(self) -> list[str]:
        known = {self.list + ".md", self.raw + ".md"}
        return sorted({path.rpartition("/")[0] for path in read(self.folder) if path not in known} - {""})

    def lines(self) -> list[str]:
        """The targets of the list's lines."""
        return re.findall(r"^- \[\[(.*)\]\]$", read(self.folder)[f"{self.list}.md"].decode(), re.MULTILINE)

    def path_of(self, text: str) -> str:
        """The path of the note of an element, without `.md`."""
        (path,) = (
            path[:-3] for path, data in read(self.folder).items() if data.rpartition(b"---\n")[2] == text.encode()
        )
        return path

    def ambiguous(self) -> list[set[str]]:
        """For each element, the notes that its line can mean, if those are several; none if it can mean but one."""
        notes = {path[:-3] for path in read(self.folder)} - {self.list}
        lines = [line.lstrip("/") for line in self.lines()]
        left = notes - set(lines)  # without those that a line names
        folders = {path.rpartition("/")[0] for path in left} - {""}
        found = []
        for line, text in zip(lines, self.model, strict=True):
            folder, _, base = line.rpartition("/")
            group = [self.name(other) for other in lines if other.rpartition("/")[0] == folder]
            likely = {path for path in left if path.endswith("/" + line)}
            likely |= {f"{home}/{base}" for home in folders if left.issuperset(f"{home}/{name}" for name in group)}
            means = {line} if line in notes else likely
            assert self.path_of(text) in means
            found.append(means if len(means) > 1 else set())
        return found

    def settle(self) -> None:
        """Correct the lines that are ambiguous, as the error says, and append an element, which mends the others."""
        note = pathlib.Path(self.folder, self.list + ".md")
        text = note.read_text("utf-8")
        for line, element, several in zip(self.lines(), self.model, self.ambiguous(), strict=True):
            if several:
                text = text.replace(f"[[{line}]]", f"[[{self.path_of(element)}]]")
        note.write_text(text, "utf-8")
        self.memory.wait_ready()
        self.append("last")

    @rule(how=hows)
    def list_by_tool(self, how: str) -> None:
        if any(self.ambiguous()):
            self.settle()  # a rename keeps what a line links to, which may be another note than the element
        new = self.new(self.list, how)
        self.memory.rename("/" + self.list, new, merge=True)
        self.list = new

    @rule(how=hows, folder=st.booleans())
    def list_by_hand(self, how: str, folder: bool) -> None:
        old, self.list = self.list, self.new(self.list, how)
        if folder and pathlib.Path(self.folder, old).is_dir():
            self.move(old, self.list)
        self.move(f"{old}.md", f"{self.list}.md")

    @rule(how=hows, at=numbers)
    def folder_by_hand(self, how: str, at: int) -> None:
        if folders := self.element_folders():
            folder = folders[at % len(folders)]
            inside = {path for path in (self.list, self.raw) if path.startswith(folder + "/")}
            if not inside and not any(other.startswith(folder + "/") for other in folders):
                self.move(folder, self.new(folder, how))

    @rule(how=hows, by_hand=st.booleans())
    def raw_moves(self, how: str, by_hand: bool) -> None:
        old, self.raw = self.raw, self.new(self.raw, how)
        if by_hand:
            self.move(f"{old}.md", f"{self.raw}.md")
        else:
            self.memory.rename("/" + old, self.raw, merge=True)

    @precondition(lambda self: self.model)
    @rule(how=hows, at=numbers)
    def element_by_tool(self, how: str, at: int) -> None:
        self.settle()
        path = self.path_of(self.model[at % len(self.model)])
        self.memory.rename("/" + path, self.new(path, how), merge=True)

    @rule(name=st.sampled_from(["last", "one"]))
    def append(self, name: str) -> None:
        if any(self.ambiguous()):
            self.settle()
        text = f"text {next(self.numbers)}"
        self.ask("appendListElement", name=self.name(self.list), data=text, description=name)
        self.model.append(text)

    @precondition(lambda self: self.model)
    @rule(at=numbers)
    def delete(self, at: int) -> None:
        at %= len(self.model)
        self.ask("deleteListElement", name=self.name(self.list), index=at)
        del self.model[at]

    @rule()
    def write_raw(self) -> None:
        self.ask("writeRaw", namePath=self.name(self.raw), data="text")

    @invariant()
    def both_are_there(self) -> None:
        name, faults = self.name(self.list), []
        for index, (text, line, several) in enumerate(zip(self.model, self.lines(), self.ambiguous(), strict=True)):
            if several:
                may_be = ", ".join(f"[[{path}]]" for path in sorted(several)[:5])
                with pytest.raises(Damaged) as error:
                    self.ask("readRawLines", namePath=f"{name}<:{index}:>")
                start = f"Element {index} of '{name}' is [[{line}]], a missing note, but may be one of these: {may_be}"
                assert str(error.value).startswith(start)
                faults.append(f"{index} {error.value}")
            else:
                assert self.ask("readRawLines", namePath=f"{name}<:{index}:>") == {"data": text}
        told = self.ask("searchListElements", name=name)
        there = [text for text, several in zip(self.model, self.ambiguous(), strict=True) if not several]
        assert [one["data"]["data"] for one in told["results"]] == there
        assert told.get("faults", []) == faults
        assert self.ask("readRawLines", namePath=self.name(self.raw)) == {"data": "text"}
        known = {one["name"] for one in self.ask("searchMemory")["results"]}
        assert known >= {name, self.name(self.raw)}
        fresh = Memory(self.folder, durable=False)
        assert {one["name"] for one in call(fresh, "searchMemory")["results"]} == known
        fresh.close()


TestMoved = pytest.mark.slow(pytest.mark.long(MovedMachine.TestCase))
TestMoved.settings = settings(max_examples=12, stateful_step_count=15)


def test_two_folders_of_a_list_that_were_renamed_by_hand_are_not_mixed_up() -> None:
    machine = MovedMachine()
    machine.folder_by_hand(at=0, how="rename")  # of A
    machine.both_are_there()
    machine.folder_by_hand(at=0, how="both")
    machine.both_are_there()
    assert [len(notes) for notes in machine.ambiguous()] == [0, 0, 2]  # only one folder has both notes of A
    machine.list_by_hand(how="both", folder=False)
    machine.both_are_there()
    machine.settle()
    machine.both_are_there()
    assert not any(machine.ambiguous())
    machine.teardown()


def test_a_line_whose_folder_was_renamed_takes_no_note_of_another_line() -> None:
    machine = MovedMachine()
    machine.list_by_tool(how="move")
    machine.append("last")
    line = machine.lines()[2]
    assert machine.lines()[3].endswith("/" + line)  # without its own note, the line would link to the other element
    machine.folder_by_hand(at=machine.element_folders().index(line.rpartition("/")[0]), how="both")
    machine.both_are_there()
    assert not any(machine.ambiguous())
    machine.list_by_tool(how="both")
    machine.element_by_tool(at=3, how="rename")
    machine.both_are_there()
    machine.teardown()


# --- summaries, and edits by hand

word = st.sampled_from(["a", "b", ""])
place = st.integers(0, 5)
by_hand = st.tuples(st.just("hand"), st.lists(word, max_size=6), st.booleans())
by_tool = st.tuples(st.sampled_from(["insert", "delete", "summarize"]), place, place)


@pytest.mark.slow
@given(lines=st.lists(word, min_size=1, max_size=6), steps=st.lists(by_hand | by_tool, max_size=8))
@settings(max_examples=75)
def test_a_summary_is_stale_if_its_lines_are_not_those_that_were_summarized(lines: list[str], steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory, note = Memory(folder, durable=False), pathlib.Path(folder, "r.md")

        def now() -> list[str]:
            text = call(memory, "readRawLines", namePath="r")["data"].replace("\r\n", "\n")
            return text.removesuffix("\n").split("\n") if text else []

        call(memory, "addRawMemory", name="r", description="", data="".join(f"{line}\n" for line in lines))
        for what, first, last in steps:
            there, span = now(), {"lineBeg": first, "lineEnd": last}
            if what == "hand":
                head = note.read_text("utf-8").partition("---\n")[2].partition("---\n")[0]
                text = f"---\n{head}---\n" + "".join(f"{line}\n" for line in first)
                note.write_bytes(text.replace("\n", "\r\n" if last else "\n").encode())
            elif what == "insert":
                call(memory, "insertRawLines", namePath="r", lineNo=min(first, len(there)), text="c\n")
            elif first <= last < len(there) and what == "delete":
                call(memory, "deleteRawLines", namePath="r", **span)
            elif first <= last < len(there):
                call(memory, "summarizeRawLines", namePath="r", **span, text=json.dumps(there[first : last + 1]))
            told, there, fresh = call(memory, "readRawLines", namePath="r", summarize=True), now(), set[int]()
            for one in told["summaries"]:
                covered = range(one["lineBeg"], one["lineEnd"] + 1)
                same = json.loads(one["text"]) == [there[at] for at in covered]
                assert one.get("stale", False) == (not same)
                fresh |= set(covered) if same else set()
            assert ("data" in told) == (not fresh.issuperset(range(len(there))))


# --- any text, any name

anything = st.text(st.characters(exclude_categories=["Cs"]))
mostly_odd = st.text(" \t\r\n\x85\u2028\ufeff-:#'\"[]{}|%/.~aé中\U0001f600\x00", max_size=12)


@pytest.mark.slow
@settings(max_examples=75)
@given(data=anything | mostly_odd, description=anything | mostly_odd, summary=anything | mostly_odd)
@example(data="---\na\n---\n", description="---", summary="")
@example(data="\ufeff\r\n\r\n", description="\ufeff", summary="x\r\n")
@example(data="a\r\nb\n\rc", description="a: b # c", summary="- x")
def test_any_text_comes_back_exactly(data: str, description: str, summary: str) -> None:
    summary = summary if summary.strip() else f"said: {summary}"
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(folder, durable=False)
        call(memory, "addRawMemory", name="r", description=description, data=data)
        if data:
            call(memory, "summarizeRawLines", namePath="r", lineBeg=0, lineEnd=0, text=summary)
        call(memory, "addListMemory", name="l", description=description, role="stack")
        pushed = call(memory, "pushStackElement", name="l", data=data, description=description)
        assert read(folder)["r.md"].endswith(data.encode())
        fresh = Memory(folder)
        assert call(fresh, "readRawLines", namePath="r") == {"data": data}
        told = call(fresh, "readRawLines", namePath="r", summarize=True)
        assert [one["text"] for one in told["summaries"]] == ([summary] if data else [])
        top = call(fresh, "peekStackElement", name="l")
        assert (top["name"], top["data"], top["description"]) == (pushed["name"], data, description)
        assert [one["description"] for one in call(fresh, "searchMemory")["results"]] == [description] * 2


NAMES = ["", " ", "con", "CON", "a/b", "a%2Fb", "../x", ".hidden", "x.md", "X.md", "é", "e\u0301", "a\nb", "x" * 400,
         "<:", "[[a]]", "a|b#c^d", "nul.txt", "%", "%%", "~", "A", "a", "l"]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=30)
@given(names=st.lists(st.sampled_from(NAMES) | anything | mostly_odd, unique=True, max_size=6))
@example(names=NAMES)
@example(names=["0", "/0", "./0", "0/", "x/../0", "//0"])
def test_any_names_are_kept_apart_and_come_back_exactly(names: list[str]) -> None:
    assume(not any(re.search("<:[^<>]*:>", name) for name in names))
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(folder, durable=False)
        for number, name in enumerate(names):
            if number % 2:
                call(memory, "addListMemory", name=name, description="", role="array")
                call(memory, "appendListElement", name=name, data=str(number), description=name)
            else:
                call(memory, "addRawMemory", name=name, description="", data=str(number))
        fresh = Memory(folder)
        assert [one["name"] for one in call(fresh, "searchMemory")["results"]] == sorted(names)
        for number, name in enumerate(names):
            path = f"{name}<:0:>" if number % 2 else name
            assert call(fresh, "readRawLines", namePath=path) == {"data": str(number)}
        assert [finding.kind for finding in fresh.check() if finding.kind not in {"missing", "ambiguous"}] == []
        for name in names:
            call(fresh, "deleteMemory", name=name)
        assert read(folder) == {}


# --- import


junk = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.none()) | st.just("\ud800")


def fields(**known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of these fields, some of them missing or junk."""
    sound = st.fixed_dictionaries(known)
    return sound | sound | st.fixed_dictionaries({}, optional={name: one | one | junk for name, one in known.items()})


names = st.sampled_from(["a", "A", "b/c", "", "a<::>b"]) | short
a_summary = fields(lineBeg=numbers, lineEnd=numbers, text=short)
a_raw = fields(
    name=names, type=st.just("raw"), description=short, data=some_lines, summaries=st.lists(a_summary, max_size=2)
)
a_list = fields(
    name=names,
    type=st.just("list"),
    description=short,
    role=st.sampled_from(["array", "deque", "stack"]),
    list=st.lists(a_raw | junk, max_size=3),
)
an_edge = fields(
    **{"name": names, "from": names, "to": names, "data": short, "weight": numbers, "bidir": st.booleans()}
)
a_graph = fields(
    name=names,
    type=st.just("graph"),
    description=short,
    roleSettings=fields(role=st.sampled_from(["graph", "tree"]), root=names),
    nodes=st.lists(a_raw, max_size=3),
    edges=st.lists(an_edge | junk, max_size=2),
)
memories = st.lists(a_raw | a_list | a_graph | junk, max_size=5)
a_file = (
    memories
    | st.fixed_dictionaries({"memories": memories})
    | st.dictionaries(names, a_raw | a_list, max_size=3)
    | a_raw
    | junk
).map(json.dumps)


@pytest.mark.slow
@given(text=st.text() | a_file | a_file | a_file)
@settings(max_examples=100)
def test_a_second_import_of_the_same_file_changes_nothing(text: str) -> None:
    looks_like_think(text)
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = import_think(Memory(folder, durable=False), text)
        except BadArgument:
            assert read(folder) == {}
            return
        before = read(folder)
        again = import_think(Memory(folder, durable=False), text)
        assert (again.added, again.unchanged) == (0, done.added + done.unchanged)
        assert again.faults == done.faults
        assert read(folder) == before


FILE = [
    {"name": "r", "type": "raw", "description": "d", "data": "a\nb", "nLines": 2, "nChars": 3, "summaries": [
        {"lineBeg": 0, "lineEnd": 1, "text": "both"}, {"lineBeg": 0, "lineEnd": 2, "text": "too far"}]},
    "junk",
    {"name": "x", "type": "table"},
    {"name": "l", "type": "list", "description": "", "role": "stack", "list": [
        {"name": "e", "data": "1"}, {"data": 2}, {"name": "", "data": "3 4"}, {"name": "e", "data": "5"}]},
    {"name": "bad", "type": "list", "role": "heap"},
    {"name": "g", "type": "graph", "description": "", "roleSettings": {"role": "tree", "root": "v"},
     "nodes": [{"name": "u", "data": "U"}, {"name": "v", "data": "V"}],
     "edges": [{"from": "v", "to": "u", "data": "E", "weight": 2, "bidir": False}, {"from": "v", "to": "w"}]},
]  # fmt: skip


@pytest.mark.parametrize("document", [FILE, {"memories": FILE}, {"data": FILE}], ids=["list", "memories", "data"])
def test_what_is_good_in_a_file_is_imported_and_what_is_bad_is_listed_with_its_place(
    tmp_path: pathlib.Path, document: Any
) -> None:
    seen: list[tuple[int, int]] = []
    memory = Memory(str(tmp_path))
    done = import_think(memory, json.dumps(document), lambda *progress: seen.append(progress))
    assert (done.added, done.unchanged, seen) == (3, 0, [(6, 6)])
    assert [fault.partition(":")[0] for fault in done.faults] == [
        "entry 1 ('r'), summary 2", "entry 2", "entry 3", "entry 4 ('l'), element 2", "entry 5 ('bad')",
        "entry 6 ('g'), edge 2",
    ]  # fmt: skip
    told = call(memory, "readRawLines", namePath="r", summarize=True)
    assert shown(told["summaries"]) == [(0, 1, "both")]
    assert texts(memory) == ["1", "3 4", "5"]
    assert call(memory, "readRawLines", namePath="l<::>3 4") == {"data": "3 4"}
    for path, data in [("g<:ROOT:>", "V"), ("g<:EDGE:>v<:TO:>u", "E"), ("g<:VERTEX:>u", "U")]:
        assert call(memory, "readRawLines", namePath=path) == {"data": data}


def test_an_imported_summary_that_counts_a_line_after_the_final_newline_ends_at_the_last_line(
    tmp_path: pathlib.Path,
) -> None:
    ranges = {
        "a\nb\n": [(0, 2), (1, 2), (1, 1), (2, 2), (0, 3)],
        "a\nb": [(0, 2)],
        "\n": [(0, 1)],
        "": [(0, 0), (0, 1)],
    }
    raws = [
        {"name": f"r{number}", "data": data, "summaries": [
            {"lineBeg": first, "lineEnd": last, "text": f"{first}-{last}"} for first, last in given]}
        for number, (data, given) in enumerate(ranges.items())
    ]  # fmt: skip
    file = json.dumps(
        [
            *({**raw, "type": "raw"} for raw in raws),
            {"name": "l", "type": "list", "role": "stack", "list": raws},
            {"name": "g", "type": "graph", "roleSettings": {"role": "graph"}, "nodes": raws},
        ]
    )
    done = import_think(Memory(str(tmp_path)), file)
    memory = Memory(str(tmp_path))
    for place in ("r{}", "l<:{}:>", "g<:VERTEX:>r{}"):
        kept = [shown(call(memory, "readRawLines", namePath=place.format(number), summarize=True)["summaries"])
                for number in range(4)]  # fmt: skip
        assert kept == [[(0, 1, "0-2"), (1, 1, "1-1"), (1, 1, "1-2")], [], [(0, 0, "0-1")], []]
    assert [fault.partition(":")[0].rpartition(", ")[2] for fault in done.faults] == 3 * [
        "summary 4", "summary 5", "summary 1", "summary 1", "summary 2"
    ]  # fmt: skip
    again = import_think(memory, file)
    assert (again.added, again.unchanged, again.faults) == (0, 6, done.faults)


def test_what_is_there_with_other_content_is_left_as_it_is(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    call(memory, "addRawMemory", name="r", description="", data="mine")
    done = import_think(memory, json.dumps({entry["name"]: entry for entry in FILE if isinstance(entry, dict)}))
    assert done.added == 2
    assert done.faults[-1] == (
        "entry 1 ('r'): there is a note of that name with other content already; it was left as it is"
    )
    assert call(memory, "readRawLines", namePath="r") == {"data": "mine"}


def test_many_memories_are_imported_a_few_at_a_time(tmp_path: pathlib.Path) -> None:
    file = {f"r{number:03}": {"type": "raw", "data": str(number)} for number in range(120)}
    seen: list[tuple[int, int]] = []
    done = import_think(Memory(str(tmp_path)), json.dumps(file), lambda *progress: seen.append(progress))
    assert (done.added, done.faults, seen) == (120, [], [(50, 120), (100, 120), (120, 120)])


def test_the_command_imports_a_file_of_either_kind(tmp_path: pathlib.Path) -> None:
    file, vault = tmp_path / "current.db", tmp_path / "vault"
    vault.mkdir()
    command = [sys.executable, "-m", "zkmem", "import", "-C", str(vault), str(file)]
    file.write_text(json.dumps(FILE), "utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "added 3, unchanged 0, not imported 6\n")
    assert done.stderr.splitlines()[1].startswith("entry 2: it is no memory")
    before = read(vault)
    file.write_text(
        json.dumps([FILE[0], FILE[5]]).replace('"lineEnd": 2', '"lineEnd": 1').replace('"w"', '"u"'), "utf-8"
    )
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "other content" in again.stderr
    assert read(vault) == before


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        (json.dumps(FILE), True),
        (json.dumps({"memories": FILE}, indent=2), True),
        ('{"name": "a", "type": "raw"}', True),
        ('{"a": {"type": "raw", "data": ""}}', True),
        ("[]", True),
        ('{"type": "entity", "name": "a", "entityType": "t", "observations": []}', False),
        ('{"type": "entity", "name": "a"}\n{"type": "entity", "name": "b"}', False),
        ("", False),
        ("text", False),
        ("5", False),
        ("[" * 100_000, False),
    ],
)
def test_a_file_is_known_by_its_shape(text: str, looks: bool) -> None:
    assert looks_like_think(text) == looks


def test_a_name_that_reads_as_a_path_is_refused(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    for name in ("a<::>b", "<:0:>", "a<:TOP:>"):
        with pytest.raises(BadName) as error:
            call(memory, "addRawMemory", name=name, description="", data="")
        assert isinstance(error.value, ZkError)
