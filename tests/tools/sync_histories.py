"""Make random histories of machines that share a vault through a git remote, and check what must hold at the end.

`python -m tests.tools.sync_histories 300 [FIRST] [--jobs 2] [--steps 20] [--moves 2]` runs so many of them, one for
each seed from FIRST on, and prints the faults by their kind, each with the seeds that have it.

Two to five machines work in the ways of `tests.sync.machines.WAYS`: with a server or commands, with git = true or
without, with `zkmem sync` or with plain git that merges or rebases. They write notes of several toolsets, edit, rename,
merge, extract and delete, by tools and by hand, and synchronise at random times. A note that was renamed by hand is
often edited before it is committed. In the end all synchronise until all have the same commit. Then all must have the
same files, and `tests.sync.ledger` must find no fault: no text is lost or stands twice, no callout has lines that only
one machine changed, and each link leads to the note that its writer meant.

At most two moves of a note are under way at a time; `--moves` sets another number. A move is a rename, a merge, an
extraction, a swap or a deletion that some machines do not have. If more than one is under way, somebody may move a note
without knowing where others have moved it. Then, about once in a few hundred histories, a note stands twice, a link is
missing, or a callout has a line that nobody contested. A lost text, and machines that do not agree, are always a fault.
"""

import argparse
import contextlib
import functools
import multiprocessing
import os
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.sync.ledger import LINE, NAMED, Fault, Ledger, Seen
from tests.sync.machines import WAYS, Machine, git
from tests.tools.vaults import fresh_index
from zkmem.errors import ZkError
from zkmem.index.resolve import resolve
from zkmem.names import name_of

POOL = ["tea", "coffee", "milk", "old/sugar", "old/salt", "kept/sugar"]
MEMORY_TYPES = ["core", "semantic", "episodic"]
_BEGIN = 1_800_000_000  # when the first commit is made
_ROUNDS = 10  # of synchronisations, after which all machines must have the same commit
_LETTERS = str.maketrans("0123456789", "abcdefghij")
_MOST_MOVES = 2  # of a note, that are under way at a time


class Move(NamedTuple):
    """A move of notes: their ids, the machine that made it, and the machines that have it."""

    ids: set[str]
    by: str
    known_to: set[str]


class History:
    """A random history."""

    def __init__(self, folder: Path, seed: int, moves: int = _MOST_MOVES) -> None:
        self.random = random.Random(seed)
        self.most_moves = moves
        self.moves: list[Move] = []
        self.sent: set[int] = set()  # numbers of the moves that the remote has
        self.ledger = Ledger()
        self.number = 0
        self.time = _BEGIN
        self.freed: set[str] = set()  # names that nobody uses again: nobody could know which note they mean
        self.observed: set[str] = set()  # numbers of the observations in the knowledge graph
        self.weights = self._weights()
        remote, first = folder / "remote.git", folder / "m0"
        git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
        git(folder, "init", "-q", "-b", "main", str(first))
        git(first, "remote", "add", "origin", str(remote))
        (first / ".gitignore").write_text(".trash/\n.zkmem/\n")
        self.machines = [Machine(first, WAYS["commands"])]
        self.told = [f"m0: {WAYS['commands']}"]
        names = self.random.sample(POOL[:-1], 3)
        for name in names:
            self._act(self.machines[0], "create_by_hand", name)
        self._act(self.machines[0], "sync")
        for number in range(1, self.random.choice([2, 2, 3, 4, 5])):
            git(folder, "clone", "-q", str(remote), str(folder / f"m{number}"))
            ways = self.random.choice([*WAYS.values()])
            self.machines.append(Machine(folder / f"m{number}", ways))
            self.told.append(f"m{number}: {ways}")
            self._act(self.machines[-1], "sync")  # from now on, each edit gets a commit of its own, if only a late one
        if self.rebases():
            self.freed |= {*names, *map(_base, names)}

    def _weights(self) -> dict[str, int]:
        """Return how often each step is made in this history."""
        chance = self.random.random
        weights = {
            "append": 3, "append_by_hand": 4, "create": 3, "create_by_hand": 2, "rename": 4, "rename_by_hand": 5,
            "move_folder": 1, "swap_by_hand": 1, "merge": 2, "extract": 2, "delete": 1, "delete_by_hand": 1,
            "commit": 1, "sync": 9,
        }  # fmt: skip
        weights |= {"edit": 2, "edit_by_hand": 2} if chance() < 0.5 else {}
        weights |= {"tick": 5} if chance() < 0.4 else {}
        weights |= {"add_entity": 2, "observe": 3, "relate": 2, "forget": 1} if chance() < 0.35 else {}
        for step in ("add_element", "remember", "write_topic"):
            weights |= {step: 4} if chance() < 0.25 else {}
        return weights

    # The course of a history

    def step(self) -> None:
        """Let a random machine do one random thing."""
        machine = self.random.choice(self.machines)
        kind = self.random.choices([*self.weights], [*self.weights.values()])[0]
        if machine.ways.tools or kind in {"sync", "commit", "tick", "move_folder"} or kind.endswith("by_hand"):
            self._act(machine, kind)

    def _act(self, machine: Machine, kind: str, *details: str) -> None:
        self._pass_time(self.random.choice([0, 1, 20, 600]))
        before = machine.notes()
        self.told.append(f"{machine.name} {kind}")
        with contextlib.suppress(ZkError):
            getattr(self, f"do_{kind}")(machine, *details)
        machine.settle()
        self.ledger.follow(before, machine.notes())
        if kind not in {"sync", "swap_by_hand"}:  # these also bring what others have written
            self.ledger.step(before, machine.notes())

    def _tell(self, text: str) -> None:
        self.told[-1] += f" {text}"

    def _pass_time(self, seconds: int) -> None:
        """Let time pass for git: too little real time passes to order the commits."""
        self.time += seconds
        os.environ |= {f"GIT_{role}_DATE": f"@{self.time} +0000" for role in ("AUTHOR", "COMMITTER")}

    def run(self, steps: int) -> list[Fault]:
        """Make some random steps and the last exchange; return the faults at the end."""
        for _ in range(steps):
            self.step()
        for _ in range(_ROUNDS):
            for machine in self.machines:
                self._act(machine, "sync")
            if len({machine.head() for machine in self.machines}) == 1:
                break
        root, notes = str(self.machines[0].root), self.machines[0].notes()
        catalog = fresh_index(root).catalog
        found = [*self._disagreements(), *self._graph_faults()]
        self._record_plain_merges()
        return [*found, *self.ledger.faults(notes, lambda target, source: resolve(catalog, target, source).path)]

    def _disagreements(self) -> Iterator[Fault]:
        heads = {machine.head() for machine in self.machines}
        if len(heads) > 1:
            yield Fault("disagree", f"{len(heads)} heads after {_ROUNDS} rounds")
        for machine in self.machines:
            if machine.notes() != self.machines[0].notes():
                yield Fault("disagree", f"{machine.name} has other notes")
            if changed := git(machine.root, "status", "--porcelain"):
                yield Fault("not committed", f"{machine.name}: {changed}")

    def _record_plain_merges(self) -> None:
        """Tell the ledger which lines plain git has mixed or doubled in merges: it knows no extractions or renames."""
        root, ledger = self.machines[0].root, self.ledger
        for revs in git(root, "log", "--merges", "--invert-grep", "--grep=^Zkmem-", "--format=%H %P").splitlines():
            merge, *parents = (Seen.of({"": git(root, "grep", "-h", "", rev)}) for rev in revs.split())
            for number, versions in merge.standing.items():
                is_new = not any(versions <= parent.standing.get(number, set()) for parent in parents)
                ledger.mixed.update([number] if len(versions) > 1 and is_new else [])
            before = [parent.counts() for parent in parents]
            doubled = (name for name, count in merge.counts().items() if count > max(one[name] for one in before))
            ledger.doubled.update(name for name in doubled if all(one[name] for one in before))

    def _graph_faults(self) -> Iterator[Fault]:
        """Yield the observations and relations that the tools of the knowledge graph do not find."""
        graph = self.machines[0].tool("read_graph")
        texts = {one["name"]: "\n".join(one["observations"]) for one in graph["entities"]}
        known = {found["number"] for text in texts.values() for found in LINE.finditer(text)}
        yield from (Fault("observation", f"w {number}") for number in self.observed - self.ledger.gone - known)
        names = {named: name for name, text in texts.items() for named in NAMED.findall(text)}
        relations = {(one["relationType"], one["from"], one["to"]) for one in graph["relations"]}
        for number, ids in self.ledger.relations.items():
            ends = [names.get(one, one) for one in ids]
            is_alive = self.ledger.gone.isdisjoint({number, *(f"id {one}" for one in ids)})
            if is_alive and (f"w {number}", *ends) not in relations:
                yield Fault("relation", f"w {number} from {' to '.join(ends)}")

    # What a step is about

    def new(self) -> str:
        """Return a number that was not used yet."""
        self.number += 1
        return str(self.number)

    def note(self, machine: Machine, *, any_kind: bool = False) -> str:
        """Return the path of a random note; without `any_kind`, of one that no toolset has a form for.

        Raises:
            ZkError: when there is none.
        """
        notes = {path: text for path, text in machine.notes().items() if any_kind or text.startswith(("id", "---\nal"))}
        if not notes:
            raise ZkError("there is no note")
        path = self.random.choice(sorted(notes))
        self._tell(path)
        return path

    def moved(self, machine: Machine, *paths: str) -> None:
        """Record that a machine is about to move some notes.

        Raises:
            ZkError: when too many moves of one of them are under way.
        """
        notes = machine.notes()
        ids = {named for path in paths for named in NAMED.findall(notes[path])}
        under_way = [move for move in self.moves if len(move.known_to) < len(self.machines) and move.ids & ids]
        if any(sum(one in move.ids for move in under_way) >= self.most_moves for one in ids):
            raise ZkError("too many moves of this note are under way")
        self.moves.append(Move(ids, machine.name, {machine.name}))

    def synchronise(self, machine: Machine) -> None:
        """Let a machine receive what others have sent, and send what it has."""
        machine.sync()
        self.sent |= {number for number, move in enumerate(self.moves) if move.by == machine.name}
        for number in self.sent:
            self.moves[number].known_to.add(machine.name)

    def line(self, machine: Machine, number: str = "", version: str = "") -> str:
        """Return a new line, or a new version of a line, which may have a link to a note."""
        notes = machine.notes()
        number = number or self.new()
        own = number.translate(_LETTERS)  # of letters: a merge takes 'tea8' for the words 'tea' and '8'
        text = f"w {number}{version} tea{own} milk{own} salt{own}"  # versions are alike, other lines are not
        named = [(path, ids[0]) for path, note in sorted(notes.items()) if len(ids := NAMED.findall(note)) == 1]
        if not named or self.random.random() < 0.3:
            return text
        path, means = self.random.choice(named)
        is_unique = [_base(one) for one in notes].count(_base(path)) == 1
        name = _base(name_of(path)) if is_unique and self.random.random() < 0.7 else name_of(path)
        return f"{text} [[{name}|{means}]]"

    def text(self, machine: Machine) -> str:
        """Return the text of a new note. It is long enough that git sees a rename of a note with a small edit."""
        named = self.new()
        lines = [self.line(machine) for _ in range(self.random.randint(1, 4))]
        tasks = [f"- [ ] w {self.new()}\n" for _ in range(5)] if "tick" in self.weights else []
        about = "".join(f"about {named}.{number} {self.random.random()}\n" for number in range(8))
        return f"id {named}\n\n{about}\n{''.join(tasks)}\n" + "\n\n".join(lines) + "\n"

    def free(self, machine: Machine, names: list[str]) -> str:
        """Return one of some names that no note of a machine has, and that none had until it was renamed by hand."""
        there = machine.notes()
        free = [one for one in names if f"{one}.md" not in there and self.freed.isdisjoint({one, _base(one)})]
        if not free:
            raise ZkError("no name is free")
        name = self.random.choice(free)
        self._tell(f"-> {name}")
        if self.rebases():
            self.freed |= {name, _base(name)}
        return name

    def new_name(self, machine: Machine) -> str:
        """Return a name for a new note. A short link to another note must not mean the new one."""
        bases = {_base(name_of(path)) for path in machine.notes()}
        return self.free(machine, [one for one in [*POOL, f"n{self.number}"] if _base(one) not in bases])

    def check_unique(self, machine: Machine) -> None:
        """Check that no two notes have one name: nobody could know which a short link meant before one was moved.

        Raises:
            ZkError.
        """
        names = [Path(path).name for path in machine.notes()]
        if len({*names}) < len(names):
            raise ZkError("two notes have one name")

    def check_known(self, machine: Machine, path: str) -> None:
        """Check that a note can be moved by hand.

        Raises:
            ZkError: when a link has the note's name, but no commit has the note: nothing shows what the link meant.
        """
        is_committed = git(machine.root, "ls-tree", "HEAD", path)
        if not is_committed and any(f"{_base(name_of(path))}|" in text for text in machine.notes().values()):
            raise ZkError("a link has a name that was never committed")

    def rebases(self) -> bool:
        """Return whether a machine rebases. Nothing shows what its links meant if their names mean other notes now."""
        return any(machine.ways.pulls == "rebase" for machine in self.machines)

    # Notes of any kind

    def do_create(self, machine: Machine) -> None:
        machine.memory.write(self.new_name(machine), self.text(machine))

    def do_create_by_hand(self, machine: Machine, name: str = "") -> None:
        machine.put(f"{name or self.new_name(machine)}.md", self.text(machine))

    def do_append(self, machine: Machine, path: str = "") -> None:
        name = name_of(path or self.note(machine))
        machine.memory.read(name)  # a client knows the names of the texts that it has read
        machine.memory.write(name, f"\n{self.line(machine)}\n", append=True)

    def do_append_by_hand(self, machine: Machine, path: str = "") -> None:
        path = path or self.note(machine)
        machine.put(path, f"{machine.notes()[path]}\n{self.line(machine)}\n")

    def do_edit(self, machine: Machine, path: str = "") -> None:
        path = path or self.note(machine)
        machine.memory.read(name_of(path))
        old, new = self._edited(machine, path)
        machine.memory.write(name_of(path), f"{new}\n", old=f"{old}\n")

    def do_edit_by_hand(self, machine: Machine, path: str = "") -> None:
        path = path or self.note(machine)
        old, new = self._edited(machine, path)
        machine.put(path, machine.notes()[path].replace(f"{old}\n", f"{new}\n"))

    def _edited(self, machine: Machine, path: str) -> tuple[str, str]:
        """Return a line of a note, and a new version of it."""
        lines = [line for line in machine.notes()[path].split("\n") if line.startswith("w ")]
        if not lines:
            raise ZkError("there is no line to edit")
        line = self.random.choice(lines)
        found = LINE.match(line)
        assert found
        self._tell(line)
        return line, self.line(machine, found["number"], f" v{self.new()}")

    def do_tick(self, machine: Machine) -> None:
        """Tick one or two tasks that stand together."""
        path = self.note(machine)
        text = machine.notes()[path]
        for _ in range(self.random.choice([1, 2])):
            tasks = [line for line in text.split("\n") if line.startswith("- [ ] w")]
            if tasks:
                line = self.random.choice(tasks)
                self._tell(line)
                text = text.replace(f"{line}\n", f"{line.replace('[ ]', '[x]')}\n")
        if machine.ways.tools and self.random.random() < 0.5:
            machine.memory.read(name_of(path))
            machine.memory.write(name_of(path), text)
        else:
            machine.put(path, text)

    def do_rename(self, machine: Machine, path: str = "") -> None:
        path = path or self.note(machine, any_kind=True)
        self.moved(machine, path)
        new = self.free(machine, [f"r{self.number}", f"old/r{self.number}", *POOL])
        machine.memory.rename(name_of(path), f"/{new}", merge=False)

    def do_rename_by_hand(self, machine: Machine) -> None:
        """Rename one to three notes. Often one of them is edited before anybody commits, by a tool or by hand."""
        self.check_unique(machine)
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            path = self._renamed_by_hand(machine, self.note(machine, any_kind=True))
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            kinds = ["append_by_hand", "edit_by_hand", "again"]
            kinds += ["append", "append", "edit", "rename", "extract"] if machine.ways.tools else []
            kind = self.random.choice(kinds)
            if path not in machine.notes() or (kind != "again" and not machine.notes()[path].startswith("id")):
                return
            machine.settle()
            self._tell(f"+ {kind}")
            if kind == "again":
                path = self._renamed_by_hand(machine, path)
            else:
                getattr(self, f"do_{kind}")(machine, path)

    def _renamed_by_hand(self, machine: Machine, path: str) -> str:
        """Rename a note by hand; return its new path."""
        self.check_known(machine, path)
        self.moved(machine, path)
        new = self.random.choice(["", "", "old/", "deep/er/"]) + f"h{self.new()}.md"
        self._move(machine, path, new)
        self._tell(f"=> {new}")
        return new

    def _move(self, machine: Machine, path: str, new: str) -> None:
        (machine.root / new).parent.mkdir(parents=True, exist_ok=True)
        (machine.root / path).rename(machine.root / new)
        self.freed |= {name_of(path), _base(name_of(path))}

    def do_move_folder(self, machine: Machine) -> None:
        """Move the notes of a folder by hand, to a new folder or to one that is there already."""
        self.check_unique(machine)
        new = self.random.choice([f"folder{self.new()}", "kept"])
        moved = {path: path.replace("old", new, 1) for path in machine.notes() if path.startswith("old/")}
        moved = {old: to for old, to in moved.items() if not (machine.root / to).exists()}
        for old in moved:
            self.check_known(machine, old)
        if moved:
            self.moved(machine, *moved)
        for old, to in moved.items():
            self._move(machine, old, to)

    def do_swap_by_hand(self, machine: Machine) -> None:
        """Give two notes the names of each other."""
        self.check_unique(machine)
        if self.rebases() or machine.ways.pulls:
            return
        self.synchronise(machine)  # nobody could know whether links in no commit were written before or after
        one, other = self.note(machine), self.note(machine)
        if one != other:
            self.moved(machine, one, other)
            texts = machine.notes()
            machine.put(one, texts[other])
            machine.put(other, texts[one])
            self.synchronise(machine)

    def do_merge(self, machine: Machine) -> None:
        path, other = self.note(machine), self.note(machine)
        if path != other:
            self.moved(machine, path, other)
            texts = machine.notes()
            machine.memory.rename(name_of(path), f"/{name_of(other)}", merge=True)
            for named in NAMED.findall(texts[path]):
                self.ledger.merged[named].update(NAMED.findall(texts[other])[:1])

    def do_extract(self, machine: Machine, path: str = "") -> None:
        path = path or self.note(machine)
        lines = [line for line in machine.notes()[path].split("\n") if line.startswith("w ")]
        if lines:
            self.moved(machine, path)
            passage, name = self.random.choice(lines), f"x{self.new()}"
            self._tell(f"{passage} -> {name}")
            machine.memory.extract(name_of(path), passage, name)
            self.ledger.extracted += [found["number"] for found in LINE.finditer(passage)]
            machine.memory.write(name, f"\nid {self.new()}\n", append=True)

    def do_delete(self, machine: Machine) -> None:
        path = self.note(machine, any_kind=True)
        self.moved(machine, path)
        machine.memory.delete(name_of(path))

    def do_delete_by_hand(self, machine: Machine) -> None:
        path = self.note(machine)
        self.moved(machine, path)
        (machine.root / path).unlink()

    def do_commit(self, machine: Machine) -> None:
        machine.commit()

    def do_sync(self, machine: Machine) -> None:
        if machine.ways.pulls == "rebase":
            self._pass_time(1)  # within one second, nothing shows that the commit of a tool was rebased
        self.synchronise(machine)

    # Notes of toolsets

    def do_add_entity(self, machine: Machine) -> None:
        named, number = self.new(), self.new()
        entity = {"name": f"k{named}", "entityType": "thing", "observations": [f"id {named}", f"w {number}"]}
        machine.tool("create_entities", entities=[entity])
        self.observed.add(number)

    def _entities(self, machine: Machine) -> dict[str, str]:
        """Return the id of each entity, by name.

        Raises:
            ZkError: when there is none.
        """
        found = {}
        for one in machine.tool("read_graph")["entities"]:
            if ids := NAMED.findall("\n".join(one["observations"])):
                found[one["name"]] = ids[0]
        if not found:
            raise ZkError("there is no entity")
        return found

    def do_observe(self, machine: Machine) -> None:
        name, number = self.random.choice([*self._entities(machine)]), self.new()
        self._tell(f"w {number} of {name}")
        machine.tool("add_observations", observations=[{"entityName": name, "contents": [f"w {number}"]}])
        self.observed.add(number)

    def do_relate(self, machine: Machine) -> None:
        entities, number = self._entities(machine), self.new()
        ends = self.random.choices([*entities], k=2)
        self._tell(f"w {number} from {' to '.join(ends)}")
        relation = {"from": ends[0], "to": ends[1], "relationType": f"w {number}"}
        machine.tool("create_relations", relations=[relation])
        self.ledger.relations[number] = (entities[ends[0]], entities[ends[1]])

    def do_forget(self, machine: Machine) -> None:
        name = self.random.choice([*self._entities(machine)])
        (entity,) = (one for one in machine.tool("read_graph")["entities"] if one["name"] == name)
        texts = [text for text in entity["observations"] if LINE.fullmatch(text)]
        if texts:
            text = self.random.choice(texts)
            self._tell(f"{text} of {name}")
            machine.tool("delete_observations", deletions=[{"entityName": name, "observations": [text]}])

    def do_add_element(self, machine: Machine) -> None:
        lists = sorted(path for path in machine.notes() if Path(path).name.startswith("list"))
        if not lists or self.random.random() < 0.3:
            named = self.new()
            machine.tool("addListMemory", name=f"list{named}", description=f"id {named}", role="array")
            return
        path, named = self.random.choice(lists), self.new()
        list_id = NAMED.findall(machine.notes()[path])[0]
        self._tell(f"id {named} of {path}")
        machine.tool("appendListElement", name=name_of(path), data=f"id {named}", description=f"element {named}")
        self.ledger.elements[list_id].add(named)

    def do_remember(self, machine: Machine) -> None:
        content = f"id {self.new()}\n\n{self.line(machine)}"
        machine.tool("memory_add", content=content, memory_type=self.random.choice(MEMORY_TYPES))

    def do_write_topic(self, machine: Machine) -> None:
        line, number = self.line(machine), self.random.choice([1, 2])
        self._tell(line)
        calls: list[tuple[str, dict[str, str]]] = [
            ("create_topic", {"topic": f"topic {number}", "content": line}),
            ("update_profile", {"section": f"part {number}", "content": line}),
            ("add_agent_memory", {"agent_id": f"agent{number}", "memory": line}),
        ]
        tool, arguments = self.random.choice(calls)
        machine.tool(tool, **arguments)


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def faults_of(seed: int, steps: int = 20, moves: int = _MOST_MOVES) -> tuple[list[Fault], list[str]]:
    """Run one history; return the faults at its end, and what its machines did. Its folder stays if it has faults."""
    folder = Path(tempfile.mkdtemp(prefix=f"zkmem-history-{seed}-"))
    before = dict(os.environ)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    history = None
    try:
        history = History(folder, seed, moves)
        faults = history.run(steps)
    except Exception as error:  # noqa: BLE001 - any error is a fault of the history
        faults = [Fault(type(error).__name__, str(error))]
    finally:
        os.environ.clear()
        os.environ |= before
        for machine in history.machines if history else ():
            machine.close()
    if not faults:
        shutil.rmtree(folder)
    return faults, [str(folder), *(history.told if history else ())]


def check(seed: int, steps: int = 20) -> None:
    """Check that one history has no faults at its end. An error lists them, and what the machines did."""
    faults, told = faults_of(seed, steps)
    assert not faults, "\n".join([f"seed {seed}", *map(str, faults), *told])


def main() -> None:
    """Run many histories; print their faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("first", type=int, nargs="?", default=0)
    for name, usual in (("jobs", 2), ("steps", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--moves", type=int, default=_MOST_MOVES)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    by_kind: dict[str, list[int]] = defaultdict(list)
    failed = 0
    run = functools.partial(faults_of, steps=options.steps, moves=options.moves)
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for seed, (faults, told) in zip(seeds, pool.imap(run, seeds), strict=True):
            failed += bool(faults)
            for kind in {fault.kind for fault in faults}:
                by_kind[kind].append(seed)
            if faults:
                print(f"seed {seed}", *faults, *told, "", sep="\n", flush=True)
    print(f"{failed} of {len(seeds)} histories have faults")
    for kind, some in sorted(by_kind.items()):
        print(f"{len(some):5} {kind}: {some}")


if __name__ == "__main__":
    main()
