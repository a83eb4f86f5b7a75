"""Histories of a vault in which older texts come back: after each step, every link must lead to the note that it meant.

Tools, two clients, a person and git change notes; edits are undone, redone, restored, proposed and accepted; some steps
are killed. Each note has a line that says which one it is, and each link is followed by the number of the note that it
means, so it can be seen where the link must lead. `python -m tests.tools.histories 2000 [FIRST]` lives through so many.
"""

import collections
import contextlib
import functools
import pathlib
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable

from tests.tools.crashes import die, with_fault
from tests.tools.inner import catch_up, engine
from tests.tools.vaults import read
from zkmem.caller import Caller, Grant
from zkmem.errors import ZkError
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.markdown.links import find_links
from zkmem.memory import Memory
from zkmem.names import is_note, name_of
from zkmem.vault.files import etag
from zkmem.vault.journal.log import Edit, undone_numbers
from zkmem.vault.store import Store

_NAMES = ["tea", "cup", "pot", "leaf", "drinks/tea", "drinks/mate", "old/cup", "kitchen/pot"]
_IDENTITY = re.compile(r"^I am note (\d+)\.$", re.MULTILINE)
_LINKED = re.compile(r"(?P<line>Line \d+): (?P<link>\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)) means (?P<note>\d+)\.")


class Wrong(AssertionError):
    """A link that leads elsewhere, or an undo that was half made or used up."""


class History:
    """One vault, the callers that change it, and what is known of its notes."""

    def __init__(self, root: pathlib.Path, seed: int) -> None:
        self.root, self.rng = root, random.Random(seed)
        self.git = self.rng.random() < 0.15
        self.count = 0  # notes that were ever made
        self.lines = 0
        self.last_paths: dict[int, str] = {}  # of each note, also of one that is gone
        self.done = collections.Counter[str]()
        self.told: list[str] = []
        self.there: Collection[int] = ()  # the notes that were there at the last look
        self.snapshots: dict[int, dict[str, bytes]] = {}  # the notes after an edit
        self.link_updates: set[str] = set()  # notes in which the person updated links after a renaming
        self.captured: set[str] = set()  # lines whose link led to another note once its own was gone
        self.mixed: set[str] = set()  # restored lines of commits whose text was never on disk
        self.seen: dict[str, bool] = {}  # line with a link -> whether its note was gone at the last look
        self.present: set[str] = set()  # lines with a link that were there at the last look
        self._open()
        self.memory.set_up(git=self.git, settings=".zkmem/config.toml")
        self.clients = [self.memory.on_behalf(client=client) for client in ("one", "two")]
        for _ in range(3):
            self.write_new()

    def _open(self) -> None:
        self.memory = Memory(str(self.root), git=self.git, durable=False)
        self.memory.start()
        self.memory.wait_ready()
        assert engine(self.memory).recorder.ready.wait(30)
        self.clients = [self.memory.on_behalf(client=client) for client in ("one", "two")]

    def close(self) -> None:
        self.memory.close()

    def live(self, steps: int) -> None:
        """Do so many steps, and look at the links after each one."""
        turns: list[tuple[int, Callable[[], object]]] = [
            (3, self.write_new), (6, self.write_link), (4, self.remove_link), (5, self.rename), (2, self.merge),
            (3, self.delete), (1, self.extract), (3, self.edit_by_hand), (2, self.rename_by_hand),
            (7, self.undo), (3, self.redo), (2, self.undo_sitting), (5, self.restore), (2, self.propose),
            (2, self.accept), (1, self.kill), (1, self.restart), (1, self.read_earlier), (3, self.write_older),
        ]  # fmt: skip
        weights, calls = zip(*turns, strict=True)
        for _ in range(steps):
            call = self.rng.choices(calls, weights)[0] if len(self.notes()) > 1 else self.write_new
            self.told.append(call.__name__)
            try:
                call()
                self.done[call.__name__] += 1
            except ZkError as error:
                self.done[f"{call.__name__} refused"] += 1
                self.told[-1] += f" refused: {error}"
            self.memory.wait_ready()  # what the person has changed may not be reported yet
            catch_up(self.memory)  # compares the files, and records what it finds
            self.check()

    # --- what is there

    def texts(self) -> dict[str, str]:
        return {path: data.decode() for path, data in read(self.root).items() if is_note(path)}

    def notes(self) -> list[str]:
        """Return the paths of the notes that say which one they are."""
        return sorted(path for path, text in self.texts().items() if _IDENTITY.search(text))

    def note(self) -> str:
        return self.rng.choice(self.notes())

    def client(self) -> Memory:
        return self.rng.choice(self.clients)

    def free_name(self) -> str:
        """Return a name that no note has now: often one that another note had before."""
        taken = {name_of(path) for path in self.texts()}
        names = [name for name in (*_NAMES, *map(name_of, self.last_paths.values())) if name not in taken]
        return "/" + self.rng.choice(names) if names else f"/note {self.count}"

    def link(self, path: str, memory: Memory | None = None) -> str:
        """Return a line with a link from one note to another, and with the number of the note that it means."""
        memory = memory or self.memory
        index, target = self.index(), self.note()
        if memory is not self.memory:  # a client that proposes sees other names
            index = engine(memory).live.need_links()
            target = self.rng.choice([path for path in index.catalog.notes() if self.numbers_in(memory, path)])
        name = name_of(target)
        forms = [
            f"[[{name}]]",
            f"[[{name}|shown]]",
            f"[[{name.rpartition('/')[2]}]]",
            f"[x](/{name.replace(' ', '%20')}.md)",
        ]
        self.lines += 1
        for form in self.rng.sample(forms, len(forms)):
            link = find_links(form.encode())[0]
            if resolve(index.catalog, link.target, path).path == target:
                return f"Line {self.lines}: {form} means {self.numbers_in(memory, target)[0]}.\n"
        return f"Line {self.lines}: [[/{name}]] means {self.numbers_in(memory, target)[0]}.\n"

    def numbers_in(self, memory: Memory, path: str) -> list[str]:
        return _IDENTITY.findall(memory.read("/" + name_of(path)).text)

    def index(self) -> Index:
        index = Index(Store(str(self.root)))
        index.build()
        return index

    # --- the steps

    def write_new(self) -> None:
        name = self.free_name()
        self.client().write(name, f"I am note {self.count + 1}.\n\nSome words.\n")
        self.count += 1

    def write_link(self) -> None:
        path = self.note()
        text, line = self.texts()[path], self.link(path)
        if self.rng.random() < 0.5:
            self._write(path, line, append=True)
        else:
            lines = text.splitlines(keepends=True)
            lines.insert(self.rng.randrange(1, len(lines) + 1), line)
            self._write(path, "".join(lines))

    def remove_link(self) -> None:
        path = self.note()
        lines = self.texts()[path].splitlines(keepends=True)
        linked = [number for number, line in enumerate(lines) if _LINKED.search(line)]
        if linked:
            number = self.rng.choice(linked)
            lines[number : number + 1] = self.rng.choice([[], [self.link(path)]])
            self._write(path, "".join(lines))

    def _write(self, path: str, text: str, *, append: bool = False) -> None:
        """Write a note with a client that has read the present text, and thus knows the present names."""
        client = self.client()
        client.read("/" + name_of(path))
        client.write("/" + name_of(path), text, append=append)

    def rename(self) -> None:
        self.client().rename("/" + name_of(self.note()), self.free_name(), merge=False)

    def merge(self) -> None:
        one, other = self.note(), self.note()
        if one != other and len(self.texts()) > 3:
            self.client().rename("/" + name_of(one), "/" + name_of(other), merge=True)

    def delete(self) -> None:
        if len(self.texts()) > 2:
            self.client().delete("/" + name_of(self.note()))

    def extract(self) -> None:
        path = self.note()
        linked = [line for line in self.texts()[path].splitlines() if _LINKED.search(line)]
        if linked:
            self.count += 1
            name, passage = self.free_name(), self.rng.choice(linked)
            self.client().write("/" + name_of(path), f"{passage}\nI am note {self.count}.\n", old=passage)
            self.client().extract("/" + name_of(path), f"{passage}\nI am note {self.count}.", name)
            # the link that stays in place of the passage means the new note, which no line says

    def edit_by_hand(self) -> None:
        path = self.note()
        self.lines += 1
        with open(self.root / path, "a", encoding="utf-8") as file:
            file.write(self.rng.choice([f"Line {self.lines} by hand.\n", self.link(path)]))

    def rename_by_hand(self) -> None:
        """Rename a note as Obsidian does: it updates the links of all notes a little later."""
        path, new = self.note(), self.free_name().removeprefix("/") + ".md"
        index, texts = self.index(), self.texts()

        def respelled(match: re.Match[str], source: str) -> str:
            link = find_links(match["link"].encode())[0]
            leads = resolve(index.catalog, link.target, source).path
            return match[0].replace(match["link"], f"[[/{name_of(new)}]]") if leads == path else match[0]

        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(self.root / new)
        self.memory.wait_ready()
        self.memory.log()
        for other, text in texts.items():
            changed = _LINKED.sub(functools.partial(respelled, source=other), text)
            if changed != text:
                self.link_updates.add(new if other == path else other)
                (self.root / (new if other == path else other)).write_text(changed, "utf-8")

    def undo(self) -> None:
        number = self.rng.choice(self.undoable()[: self.rng.choice([2, 6, 100])]).number
        self._taken_back(number, lambda: self.client().undo(edit=number))

    def undo_sitting(self) -> None:
        number = self.rng.choice([one for one in self.edits() if not one.outside]).number
        self.client().undo(edit=number, sitting=True, partial=self.rng.random() < 0.5)

    def redo(self) -> None:
        undos = [one.number for one in self.edits() if one.tool == "undo"]
        if undos:
            number = self.rng.choice(undos[:5])
            self._taken_back(number, lambda: self.client().redo(edit=number))

    def _taken_back(self, number: int, call: Callable[[], object]) -> None:
        """Undo or redo an edit: if that is refused, nothing has changed, and the edit is not used up."""
        before, undone = read(self.root), self.undone()
        self.told[-1] += f" {number}"
        try:
            call()
        except ZkError as error:
            if read(self.root) != before or self.undone() != undone:
                raise Wrong(f"edit {number} was refused and changed something: {error}") from error
            raise
        if number not in self.undone():
            raise Wrong(f"edit {number} was undone, and does not count as undone")

    def edits(self) -> list[Edit]:
        """Return the edits, and the changes by hand, the newest first."""
        return list(engine(self.memory).past.changes())

    def undoable(self) -> list[Edit]:
        """Return the edits, but none that updated links by hand: its undo would bring back what the person mended."""
        return [one for one in self.edits() if not one.outside or self.link_updates.isdisjoint(one.paths())]

    def undone(self) -> set[int]:
        return undone_numbers(self.edits())

    def restore(self) -> None:
        path = self.rng.choice([*self.texts(), *self.last_paths.values()])
        name, texts = "/" + name_of(path), self.texts()
        if revisions := self.memory.log(name, limit=50):
            rev = self.rng.choice(revisions).rev
            self.told[-1] += f" {path}@{rev}"
            others = _IDENTITY.findall("".join(text for other, text in texts.items() if other != path))
            shown = self.memory.show(name, rev)
            old = _IDENTITY.findall(shown)
            own = (
                _IDENTITY.findall(texts[path])
                if path in texts
                else [n for n in old if self.last_paths.get(int(n)) == path]
            )
            if old and old == own and not set(old) & set(others):
                if all(shown.encode() not in notes.values() for notes in self.snapshots.values()):
                    self.mixed.update(match["line"] for match in _LINKED.finditer(shown))
                self.client().restore(name, rev)

    def propose(self) -> None:
        bot = Memory(str(self.root), Caller(Grant(proposes_as="bot"), client="bot"), durable=False)
        with bot:
            for _ in range(self.rng.randrange(1, 3)):
                kind = self.rng.choice(["link", "link", "rename", "delete", "new"])
                notes = sorted(engine(bot).live.need_links().catalog.notes())
                named = [path for path in notes if self.numbers_in(bot, path)]
                if not named:
                    break
                path = self.rng.choice(named)
                with contextlib.suppress(ZkError):
                    if kind == "link":
                        bot.write("/" + name_of(path), self.link(path, bot), append=True)
                    elif kind == "rename":
                        bot.rename("/" + name_of(path), self.free_name(), merge=False)
                    elif kind == "delete":
                        bot.delete("/" + name_of(path))
                    else:
                        self.count += 1
                        name = self.free_name()
                        bot.write(name, f"I am note {self.count}.\n")
                        bot.write(name, self.link(f"{name[1:]}.md", bot), append=True)

    def accept(self) -> None:
        if self.memory.proposed():
            if self.rng.random() < 0.2:
                self.memory.drop("bot")
            else:
                self.memory.accept("bot")

    def kill(self) -> None:
        """Undo something in a process that is killed in the middle; the next one finishes it or takes it back."""
        fatal, number = self.rng.randrange(1, 40), self.rng.choice(self.undoable()).number
        self.close()

        def happens(count: int, _: str) -> None:
            if count == fatal:
                die()

        with_fault(str(self.root), lambda memory: memory.undo(edit=number), happens)
        self._open()

    def restart(self) -> None:
        self.close()
        self._open()

    def read_earlier(self) -> None:
        """Compare the notes as they were after an edit with what was seen then."""
        if self.snapshots:
            number = self.rng.choice(sorted(self.snapshots))
            for path, data in self.snapshots[number].items():
                note = self.memory.read_earlier("/" + name_of(path), str(number), then_first=True, bounded=False)
                if note.note.text != data.decode():
                    raise Wrong(f"{path} as of edit {number} has another text")

    def write_older(self) -> None:
        """Write a text that was made from an older one of a note: with its etag, or after a client has read it."""
        if not self.snapshots:
            return
        path, number = self.note(), self.rng.choice(sorted(self.snapshots))
        own = _IDENTITY.findall(self.texts()[path])
        for old, data in self.snapshots[number].items():
            if _IDENTITY.findall(data.decode()) != own:
                continue
            self.lines += 1
            client, text = self.client(), data.decode() + f"More words {self.lines}.\n"
            self.told[-1] += f" {path} from {old} as of {number}"
            if self.rng.random() < 0.5:
                client.write("/" + name_of(path), text, etag=etag(data))
            elif client.read_earlier("/" + name_of(old), str(number), then_first=True).now == name_of(path):
                client.write("/" + name_of(path), text)

    # --- what must hold

    def unsure(self, where: dict[int, str], texts: Iterable[str]) -> set[int]:
        """Return the notes of which it is not known where links to them must lead.

        They are there twice, because somebody has restored one that an undo then brought back from the trash, too; they
        were parts of one note when the link was written; or they were gone, and came back as a part of another note.
        """
        counts = collections.Counter(int(number) for text in texts for number in _IDENTITY.findall(text))
        places = collections.defaultdict(set)
        for number, path in self.last_paths.items():
            places[path].add(number)
        parted = (group for group in places.values() if len({where.get(number) for number in group}) > 1)
        shared = collections.Counter(where.values())
        back = {number for number, path in where.items() if number not in self.there and shared[path] > 1}
        return {number for number, count in counts.items() if count > 1}.union(back, *parted)

    def check(self) -> None:
        """Look where each link leads."""
        index, texts, present = self.index(), self.texts(), set[str]()
        where = {int(number): path for path, text in texts.items() for number in _IDENTITY.findall(text)}
        unsure = self.unsure(where, texts.values())
        self.last_paths |= where
        self.there = where.keys()
        for path, text in texts.items():
            for found in _LINKED.finditer(text):
                meant = int(found["note"])
                leads = resolve(index.catalog, find_links(found["link"].encode())[0].target, path).path
                is_back = found["line"] not in self.present  # a note may have got the name while the line was gone
                is_unknown = self.seen.get(found["line"]) or found["line"] in self.mixed
                if meant in unsure or (is_back and leads and is_unknown):
                    self.captured.add(found["line"])
                present.add(found["line"])
                self.seen[found["line"]] = meant not in where
                if meant not in where and leads and found["line"] not in self.captured:
                    self.captured.add(found["line"])
                if meant in where and leads != where[meant] and found["line"] not in self.captured:
                    if self.told[-1] == "rename_by_hand":  # nobody cares for the links that now lead to the note
                        self.captured.add(found["line"])
                        continue
                    raise Wrong(f"{path}: {found[0]} leads to {leads}, and note {meant} is {where[meant]}")
        self.present = present
        if edits := self.edits():
            self.snapshots[edits[0].number] = read(self.root)


def main() -> None:
    count, first = (int(one) for one in (*sys.argv[1:], "0")[:2])
    failed, done, began = collections.Counter[str](), collections.Counter[str](), time.monotonic()
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            history = History(pathlib.Path(folder), seed)
            try:
                history.live(30)
            except (Wrong, AssertionError) as error:
                kind = history.told[-1].split()[0]
                failed[kind] += 1
                print(f"seed {seed}, step {len(history.told)}: {history.told[-1]}\n  {error}", flush=True)
            finally:
                history.close()
            done.update(history.done)
    print(dict(done.most_common()))
    print(f"{sum(failed.values())} of {count} histories failed {dict(failed)} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
