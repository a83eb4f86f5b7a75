"""Make random histories of machines that share a vault through a git remote, and check what must hold at the end.

`python -m tests.sync.machines COUNT [SEED]` runs many of them.

Each note has a line with an id that never changes (`id 7`), and each other line has a number of its own (`w 12`). The
machines write, edit, rename, merge, extract and delete, by tools, by hand and with plain git, and synchronise at random
times. In the end all synchronise until all have the same commit. Then:

- all machines have the same commit and the same files;
- each line that somebody wrote and nobody deleted or edited is in some note;
- each link leads to the note that it meant when it was written;
- there is no conflict if no line was edited, no line was extracted twice, and no new note got a name that a note had.
"""

import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tools.inner import engine
from zkmem.errors import ZkError
from zkmem.index.resolve import resolve
from zkmem.index.session import Freshness
from zkmem.memory import Memory
from zkmem.names import is_note, name_of

LINE = re.compile(r"\bw \d+\b")
NAMED = re.compile(r"\bid \d+\b")
LINK = re.compile(r"(w \d+) \[\[([^\]|#]+)")
POOL = ["tea", "coffee", "milk", "old/sugar", "old/salt", "kept/sugar"]


def git(root: str | Path, *arguments: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


class Machine:
    """One clone of the shared vault."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name = root, name
        self.memory = self._opened()

    def _opened(self) -> Memory:
        return Memory(str(self.root), git=True, machine=self.name, durable=False)

    def finish_commits(self) -> None:
        """Wait for the commits of the tools, which may be made in the background."""
        self.memory.close()
        self.memory = self._opened()

    def notes(self) -> dict[str, str]:
        """Return the text of each note, by path."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            folders[:] = [one for one in folders if not one.startswith(".")]
            for file in files:
                full = Path(folder, file)
                if is_note(file):
                    found[str(full.relative_to(self.root))] = full.read_text()
        return found

    def meaning(self, target: str, source: str) -> str | None:
        """Return the path of the file that a link means; None if there is none."""
        session = engine(self.memory).session
        return session.read(lambda index: resolve(index.catalog, target, source).path, Freshness.FILES)

    def sync(self) -> None:
        """Synchronise once."""
        self.memory.sync()

    def head(self) -> str:
        """Return the commit that is checked out."""
        return git(self.root, "rev-parse", "HEAD").strip()


class History:
    """A random history."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.number = 0
        self.written: set[str] = set()
        self.gone: set[str] = set()
        self.meant: dict[str, str] = {}  # line -> the id of the note that its link meant
        self.edits_lines = self.random.random() < 0.5
        self.extracted: list[str] = []  # the passages
        self.merged: dict[str, set[str]] = {}  # id of a note -> the ids in the notes that it was merged into
        self.used: set[str] = set()  # the paths of all notes so far
        self.reuses_name = False  # whether a new note got a name that another note had
        self.told: list[str] = []
        remote = folder / "remote.git"
        git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
        first = folder / "m0"
        first.mkdir()
        git(first, "init", "-q", "-b", "main")
        git(first, "remote", "add", "origin", str(remote))
        (first / ".gitignore").write_text(".trash/\n.zkmem/\n")
        self.machines = [Machine(first, "m0")]
        for name in self.random.sample(POOL, 3):
            self.create(self.machines[0], name)
        self.remember_links(self.machines[0])
        self.machines[0].sync()
        for number in range(1, self.random.choice([2, 2, 3, 4, 5])):
            root = folder / f"m{number}"
            git(folder, "clone", "-q", str(remote), str(root))
            self.machines.append(Machine(root, root.name))

    def new(self, kind: str) -> str:
        self.number += 1
        return f"{kind} {self.number}"

    def line(self, machine: Machine) -> str:
        """Return a new line, which may have a link to a note."""
        text = self.new("w")
        self.written.add(text)
        notes = machine.notes()
        if notes and self.random.random() < 0.6:
            name = name_of(self.random.choice(sorted(notes)))
            short = name.rpartition("/")[2]
            return f"{text} [[{self.random.choice([name, short])}]]"
        return text

    def remember_links(self, machine: Machine) -> None:
        """Remember the notes that the new links of a machine mean on that machine."""
        notes = machine.notes()
        for path, text in notes.items():
            for line, target in LINK.findall(text):
                if line not in self.meant:
                    means = machine.meaning(target, path)
                    named = NAMED.findall(notes[means]) if means in notes else []
                    self.meant[line] = named[0] if named else ""

    def create(self, machine: Machine, name: str) -> None:
        lines = [self.new("id"), "", *(self.line(machine) for _ in range(self.random.randint(1, 4)))]
        self.written.add(lines[0])
        machine.memory.write(name, "\n\n".join(lines) + "\n")

    def step(self) -> None:
        """Let a random machine do one random thing."""
        machine = self.random.choice(self.machines)
        kinds = ["create", "append", "append", "hand_append", "rename", "hand_rename", "merge", "extract", "delete"]
        kinds += ["edit"] * 2 if self.edits_lines else []
        kinds += ["folder", "sync", "sync", "sync", "git_commit"]
        kind = self.random.choice(kinds)
        notes = machine.notes()
        if not notes and kind not in {"sync", "create"}:
            return
        if kind in {"folder", "hand_rename"} and len({Path(path).name for path in notes}) < len(notes):
            return  # nobody can know which of two notes a short link meant before one of them was moved by hand
        self.used |= notes.keys()
        path = self.random.choice(sorted(notes)) if notes else ""
        before = {line for text in notes.values() for line in (*LINE.findall(text), *NAMED.findall(text))}
        self.told.append(f"{machine.name} {kind} {path}")
        with contextlib.suppress(ZkError):
            getattr(self, f"do_{kind}")(machine, path, notes)
        self.remember_links(machine)
        if kind not in {"sync", "git_commit"}:
            after = {line for text in machine.notes().values() for line in (*LINE.findall(text), *NAMED.findall(text))}
            self.gone |= before - after

    def do_create(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        free = [name for name in [*POOL, f"n{self.number}"] if f"{name}.md" not in notes]
        name = self.random.choice(free)
        self.reuses_name |= f"{name}.md" in self.used
        self.told[-1] += f" -> {name}"
        self.create(machine, name)

    def do_append(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        machine.memory.write(name_of(path), "\n" + self.line(machine) + "\n", append=True)

    def do_hand_append(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        (machine.root / path).write_text(notes[path] + "\n" + self.line(machine) + "\n")

    def do_edit(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        lines = notes[path].split("\n")
        places = [number for number, line in enumerate(lines) if LINE.match(line)]
        if places:
            lines[self.random.choice(places)] = self.line(machine)
            (machine.root / path).write_text("\n".join(lines))

    def do_rename(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        new = self.random.choice([f"r{self.number}", f"old/r{self.number}", *POOL])
        self.number += 1
        if f"{new}.md" not in notes:
            self.told[-1] += f" -> {new}"
            machine.memory.rename(name_of(path), new, merge=False)

    def do_hand_rename(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        """Rename as a plain user of git does: no link is updated."""
        self.do_git_commit(machine, path, notes)
        new = f"h{self.number}.md"
        self.number += 1
        self.told[-1] += f" -> {new}"
        (machine.root / path).rename(machine.root / new)
        self.do_git_commit(machine, path, notes)
        machine.sync()  # it updates the links before another step changes what they mean

    def do_merge(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        other = self.random.choice(sorted(notes))
        if other != path:
            self.told[-1] += f" -> {other}"
            machine.memory.rename(name_of(path), name_of(other))
            for named in NAMED.findall(notes[path]):
                self.merged.setdefault(named, set()).update(NAMED.findall(notes[other])[:1])

    def do_extract(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        lines = [line for line in notes[path].split("\n") if LINE.match(line)]
        if lines:
            passage, name = self.random.choice(lines), f"x{self.number}"
            named = self.new("id")
            self.extracted.append(LINE.findall(passage)[0])
            self.told[-1] += f" {passage} -> {name}"
            machine.memory.extract(name_of(path), passage, name)
            self.written.add(named)
            machine.memory.write(name, f"\n{named}\n", append=True)

    def do_delete(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        machine.memory.delete(name_of(path))

    def do_folder(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        """Move the notes of a folder by hand, to a new folder or to one that is there already."""
        old, new = machine.root / "old", machine.root / self.random.choice([f"folder{self.number}", "kept"])
        self.number += 1
        if old.is_dir():
            self.do_git_commit(machine, path, notes)
            new.mkdir(exist_ok=True)
            for note in old.iterdir():
                if not (new / note.name).exists():
                    note.rename(new / note.name)
            machine.sync()

    def do_git_commit(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        machine.finish_commits()
        git(machine.root, "add", "-A")
        git(machine.root, "-c", "user.name=plain", "-c", "user.email=p@x", "commit", "-qm", "plain", "--allow-empty")

    def do_sync(self, machine: Machine, path: str, notes: dict[str, str]) -> None:
        machine.sync()

    def finish(self) -> None:
        """Synchronise until nothing changes, and check what must hold."""
        for _ in range(8):
            for machine in self.machines:
                machine.sync()
            if len({machine.head() for machine in self.machines}) == 1:
                break
        heads = {machine.head() for machine in self.machines}
        assert len(heads) == 1, f"the machines do not agree: {heads}"
        trees = [machine.notes() for machine in self.machines]
        assert all(tree == trees[0] for tree in trees)
        for machine in self.machines:
            assert not git(machine.root, "status", "--porcelain"), machine.name
        everything = "\n".join(trees[0].values())
        present = {*LINE.findall(everything), *NAMED.findall(everything)}
        lost = self.written - self.gone - present
        assert not lost, f"lost: {sorted(lost)}"
        may_conflict = self.edits_lines or self.reuses_name or len(set(self.extracted)) < len(self.extracted)
        assert may_conflict or "[!conflict]" not in everything, "a conflict where no line was edited"
        for path, text in trees[0].items():
            for line, target in LINK.findall(text):
                self.check_link(path, line, target, trees[0])

    def check_link(self, path: str, line: str, target: str, notes: dict[str, str]) -> None:
        named = self.meant.get(line, "")
        alive = named and any(re.search(rf"\b{named}\b", text) for text in notes.values())
        if not alive or named in self.gone:
            return
        means = self.machines[0].meaning(target, path)
        assert means in notes, f"{line} [[{target}]] in {path} leads nowhere; it meant {named}"
        # if two machines merged one note into different notes, a link may lead to each of the two
        apart = any(len(into) > 1 for into in self.merged.values())
        ids = {named, *(self.merged.get(named, ()) if apart else ())}
        assert ids & {*NAMED.findall(notes[means])}, f"{line} [[{target}]] in {path} leads to {means}, not {named}"

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
        self.finish()


def check(seed: int, steps: int = 14) -> None:
    """Run one history and check its end. An error lists the steps."""
    folder = Path(tempfile.mkdtemp(prefix="zkmem-history-"))
    history = None
    try:
        history = History(folder, seed)
        history.run(steps)
    except BaseException as error:
        error.add_note(f"seed {seed} in {folder}:\n" + "\n".join(history.told if history else []))
        raise
    finally:
        for machine in history.machines if history else ():
            machine.memory.close()
    shutil.rmtree(folder)


def main() -> None:
    """Run many histories; print the seeds that fail."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = []
    for seed in range(first, first + count):
        try:
            check(seed)
        except Exception as error:  # noqa: BLE001 - the other histories must run, too
            failed.append(seed)
            print(seed, type(error).__name__, error, *getattr(error, "__notes__", ()), sep="\n", flush=True)
    print(f"{count} histories, {len(failed)} failed: {failed}")


if __name__ == "__main__":
    main()
