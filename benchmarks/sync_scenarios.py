"""Compare three ways to bring two machines together that changed one vault: `zkmem sync`, git with rebase, git merge.

Each scenario of `sync_cases.py` is a vault that machines A and B have in common, and what each of them then does. The
edits are made once, in two clones of one bare repository, and the three clones are copied for each way. A way is right
if in the end both machines have the same files, every line that somebody wrote and nobody deleted is in a note, every
link leads where its writer meant, and what the scenario says is true, too. A conflict that git leaves to a person
is not right either, since a machine alone cannot go on; the tables show it as "conflict".
"""

import argparse
import contextlib
import fnmatch
import itertools
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from benchmarks.place import plain_environment
from benchmarks.sync_cases import SCENARIOS, Expected, Scenario
from tests.sync.edits import Clone, Edit
from zkmem.errors import ZkError
from zkmem.index.index import Index
from zkmem.index.resolve import resolve
from zkmem.markdown import canvas, frontmatter
from zkmem.markdown.callouts import conflict_titles
from zkmem.markdown.links import find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.names import is_note
from zkmem.vault.store import Store

Files = Mapping[str, bytes]
"""The files of a vault by path, without those that belong to one machine."""

NAMES = ("a", "b")
_HIDDEN = {".git", ".zkmem", ".trash"}
_BEGIN = 1_800_000_000  # when the common base was committed; the machines' edits come an hour and two hours later
_HOUR = 3600
_ROUNDS = 6  # after so many rounds, the scenario is wrong if the machines still differ
_RULE = "---"


class Wrong(Exception):
    """The result of a way is not right; the message says why."""


# Programs


def _environment(home: str) -> dict[str, str]:
    """Return an environment in which git and zkmem know no settings but those made here."""
    with open(os.path.join(home, ".gitconfig"), "w", encoding="utf-8") as file:
        file.write("[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n")
    kept = {name: value for name, value in plain_environment().items() if not name.startswith("GIT_")}
    own = {
        "HOME": home,
        "GIT_CONFIG_GLOBAL": os.path.join(home, ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
        "XDG_CONFIG_HOME": os.path.join(home, "config"),
        "XDG_CACHE_HOME": os.path.join(home, "cache"),
    }
    return kept | own


def _run(command: Sequence[str], folder: str) -> tuple[int, str]:
    """Run a command to its end; return its exit code and what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    return done.returncode, done.stdout + done.stderr


def _git(folder: str, *arguments: str) -> str:
    """Run a git command that must succeed; return what it printed."""
    code, output = _run(["git", *arguments], folder)
    if code:
        raise RuntimeError(f"git {' '.join(arguments)}: {output}")
    return output.strip()


@contextlib.contextmanager
def _at(hour: int) -> Iterator[None]:
    """Let commits be made at an hour after the beginning: the order of the two sides must not be left to chance."""
    os.environ["GIT_COMMITTER_DATE"] = f"{_BEGIN + hour * _HOUR} +0000"
    try:
        yield
    finally:
        del os.environ["GIT_COMMITTER_DATE"]


def _commit(folder: str) -> None:
    """Commit all edits by hand, as a user of plain git does."""
    _git(folder, "add", "-A")
    if _git(folder, "status", "--porcelain"):
        _git(folder, "commit", "-q", "-m", "edits by hand")


# Two machines


class Pair(NamedTuple):
    """Two clones of one bare repository, below a folder."""

    folder: str
    scenario: Scenario
    hours: Mapping[str, int]  # when each machine made its edits

    @classmethod
    def make(cls, folder: str, scenario: Scenario, *, swapped: bool) -> "Pair":
        """Make the clones with the common base of a scenario. `swapped`: the edits of B are the older ones."""
        pair = cls(folder, scenario, {"a": 2, "b": 1} if swapped else {"a": 1, "b": 2})
        os.mkdir(folder)
        _git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
        os.makedirs(pair.vault("a"))
        with _at(0):
            _git(pair.top("a"), "init", "-q", "-b", "main")
            for path, text in scenario.outside.items():
                Clone(pair.top("a"), "a").put(path, text)
            for path, data in {".gitignore": ".trash/\n.zkmem/\n", **scenario.base}.items():
                Clone(pair.vault("a"), "a").put(path, data)
            _commit(pair.top("a"))
        _git(pair.top("a"), "remote", "add", "origin", "../remote.git")
        _git(pair.top("a"), "push", "-q", "-u", "origin", "HEAD:main")
        _git(folder, "clone", "-q", "remote.git", "b")
        return pair

    def top(self, name: str) -> str:
        """Return the folder of a clone."""
        return os.path.join(self.folder, name)

    def vault(self, name: str) -> str:
        """Return the vault of a clone."""
        return os.path.join(self.folder, name, self.scenario.below).rstrip(os.sep)

    def edit(self) -> None:
        """Let both machines make their edits."""
        edits: dict[str, Sequence[Edit]] = {"a": self.scenario.a, "b": self.scenario.b}
        for name in NAMES:
            with _at(self.hours[name]), contextlib.closing(Clone(self.vault(name), f"machine {name.upper()}")) as clone:
                for edit in edits[name]:
                    edit(clone)

    def copied(self, folder: str) -> "Pair":
        """Return a copy of both clones and their remote."""
        shutil.copytree(self.folder, folder, symlinks=True)
        copy = self._replace(folder=folder)
        for name in NAMES:
            _git(copy.top(name), "remote", "set-url", "origin", os.path.join(folder, "remote.git"))
        return copy

    def files(self, name: str) -> Files:
        """Return the files of a vault."""
        return _files(self.vault(name))

    def heads(self) -> set[str]:
        """Return the commits that the machines and the remote have."""
        remote = _git(os.path.join(self.folder, "remote.git"), "rev-parse", "main")
        return {remote, *(_git(self.top(name), "rev-parse", "HEAD") for name in NAMES)}


def _files(vault: str) -> Files:
    found = {}
    for folder, folders, names in os.walk(vault):
        folders[:] = [name for name in folders if name not in _HIDDEN]
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                found[os.path.relpath(full, vault)] = file.read()
    return found


# The three ways


def with_zkmem(pair: Pair) -> None:
    """Run `zkmem sync` on both machines in turns, until nothing changes any more.

    Raises:
        Wrong: when it fails.
    """
    before: set[str] = set()
    for _ in range(_ROUNDS):
        for name in NAMES:
            with _at(pair.hours[name]):
                _sync(pair.vault(name), name)
        heads = pair.heads()
        if len(heads) == 1 and heads == before:
            break
        before = heads
    else:
        raise Wrong(f"the machines still had different commits after {_ROUNDS} rounds")
    for name in NAMES:
        if left := _git(pair.top(name), "status", "--porcelain", "--untracked-files=all"):
            raise Wrong(f"not committed: {left}")


def _sync(vault: str, name: str) -> None:
    with Memory(vault, git=True, machine=f"machine {name.upper()}") as memory:
        try:
            report = memory.sync()
        except ZkError as error:
            raise Wrong(f"zkmem sync: {error}") from error
    if report.offline or report.remarks:
        raise Wrong("; ".join(filter(None, ("zkmem sync", report.offline, *report.remarks))))


def with_rebase(pair: Pair) -> None:
    """Run `git pull --rebase` and `git push` on both machines.

    Raises:
        Wrong: when there is a conflict.
    """
    _with_git(pair, "--rebase", "rebase")


def with_merge(pair: Pair) -> None:
    """Run `git pull --no-rebase` and `git push` on both machines.

    Raises:
        Wrong: when there is a conflict.
    """
    _with_git(pair, "--no-rebase", "merge")


def _with_git(pair: Pair, option: str, operation: str) -> None:
    for name in NAMES:
        with _at(pair.hours[name]):
            _commit(pair.top(name))
    for name in (*NAMES, NAMES[0]):
        with _at(pair.hours[name]):
            code, output = _run(["git", "pull", "-q", option, "--no-edit"], pair.top(name))
        if code:
            unmerged = _git(pair.top(name), "-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U")
            _run(["git", operation, "--abort"], pair.top(name))
            raise Wrong(f"conflict: {', '.join(unmerged.splitlines()) or output.strip().splitlines()[-1]}")
        _git(pair.top(name), "push", "-q", "origin", "HEAD:main")


WAYS: Mapping[str, Callable[[Pair], None]] = {"zkmem": with_zkmem, "rebase": with_rebase, "merge": with_merge}


# What is right


class Written(NamedTuple):
    """The lines that must be in the notes in the end, and how often each may stand there."""

    wanted: Counter[str]
    most: Counter[str]

    @classmethod
    def by(cls, base: Files, one: Files, other: Files) -> "Written":
        """Return the lines that two machines wrote: each line of the base that both kept, and each new line."""
        old, first, second = _lines(base), _lines(one), _lines(other)
        wanted = ((first | second) - old) + (old & first & second)
        most = Counter(
            {line: max(first[line], second[line], first[line] + second[line] - old[line]) for line in wanted}
        )
        return cls(Counter(dict.fromkeys(wanted, 1)), most)


def _lines(files: Files) -> Counter[str]:
    """Return the lines of all notes, without frontmatter and quote marks; each link is replaced by `[]`."""
    found: Counter[str] = Counter()
    for path, data in files.items():
        if is_note(path):
            found.update(_plain_lines(body_of(data)))
    return found


def _plain_lines(body: bytes) -> Iterator[str]:
    plain, at = b"", 0
    for link in find_links(body):
        plain += body[at : link.start] + b"[]"
        at = link.end
    for line in (plain + body[at:]).decode().splitlines():
        text = line.strip().removeprefix(">").strip()
        if text and text != _RULE and not text.startswith("[!conflict]"):
            yield text


def check(pair: Pair, written: Written) -> None:
    """Check what both machines have in the end.

    Raises:
        Wrong: when something is not right; with the first reason.
    """
    files = pair.files("a")
    differ = sorted(path for path, _ in _files(pair.top("a")).items() ^ _files(pair.top("b")).items())
    if differ:
        raise Wrong(f"the machines differ: {', '.join(dict.fromkeys(differ))}")
    expected = pair.scenario.expected
    ends = [expected] if isinstance(expected, Expected) else expected
    reasons = [_first_fault(pair.vault("a"), files, end) for end in ends]
    if all(reasons):
        raise Wrong(reasons[0])
    found = _lines(files)
    for line in written.wanted:
        if not found[line]:
            raise Wrong(f"lost: {line!r}")
        if found[line] > written.most[line] and line not in pair.scenario.may_be_doubled:
            raise Wrong(f"doubled: {line!r}")


def _first_fault(vault: str, files: Files, expected: Expected) -> str:
    """Return the first thing that is not as expected; "" if everything is."""
    return next(filter(None, _faults(vault, files, expected)), "")


def _faults(vault: str, files: Files, expected: Expected) -> Iterator[str]:
    yield from _faults_of_files(files, expected)
    index = Index(Store(vault))
    index.build()
    for path, data in sorted(files.items()):
        links = _links(index, path, data)
        for written, target in links:
            if target is None and written not in expected.dangling:
                yield f"{path}: the link to {written!r} leads nowhere"
        wanted = expected.links.get(path)
        leads = sorted(str(target) for _, target in links if target)
        if wanted is not None and not _match(leads, sorted(wanted)):
            yield f"{path}: its links lead to {leads}, not to {sorted(wanted)}"
    for path, passages in expected.texts.items():
        text = _matching(files, path).decode().replace("\r\n", "\n")
        for passage in passages:
            times = text.count(passage)
            yield "" if times == 1 else f"{path} has {passage!r} {times} times"
    for path, passages in expected.lacks.items():
        text = _matching(files, path).decode()
        yield from (f"{path} still has {passage!r}" for passage in passages if passage in text)
    for path, properties in expected.properties.items():
        yield from _faults_of_properties(path, _matching(files, path), properties)
    for path, data in files.items():
        marked = is_note(path) and bool(conflict_titles(data))
        if marked != any(fnmatch.fnmatchcase(path, one) for one in expected.conflicts):
            yield f"{path}: {'a callout without a conflict' if marked else 'no callout for the conflict'}"


def _faults_of_files(files: Files, expected: Expected) -> Iterator[str]:
    own = {path for path in files if not path.startswith(".")}
    for pattern in expected.files:
        if not fnmatch.filter(own, pattern):
            yield f"there is no {pattern}, but {', '.join(sorted(own))}" if len(own) < 9 else f"there is no {pattern}"
    for path in sorted(own):
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in expected.files):
            yield f"{path} should not exist"


def _faults_of_properties(path: str, data: bytes, wanted: Mapping[str, object]) -> Iterator[str]:
    start, end, _ = frontmatter.split(data)
    found = yaml.safe_load(data[start:end]) or {}
    for key, value in wanted.items():
        has = found.get(key)
        same = (
            sorted(map(str, has)) == sorted(value)
            if isinstance(has, list) and isinstance(value, list)
            else has == value
        )
        yield "" if same else f"{path}: {key} is {has!r}, not {value!r}"


def _match(names: Sequence[str], patterns: Sequence[str]) -> bool:
    pairs = itertools.zip_longest(names, patterns, fillvalue="")
    return all(fnmatch.fnmatchcase(name, pattern) for name, pattern in pairs)


def _matching(files: Files, pattern: str) -> bytes:
    return next((data for path, data in sorted(files.items()) if fnmatch.fnmatchcase(path, pattern)), b"")


def _links(index: Index, path: str, data: bytes) -> list[tuple[str, str | None]]:
    """Return the links of a note or canvas: each target as written, and the file and part that it leads to, or None."""
    if is_note(path):
        found = [(link.target, link.subpath) for link in find_links(data)]
    elif path.endswith(".canvas"):
        found = []
        for string in canvas.find_strings(data):
            if string.kind == "file":
                found.append(("/" + string.value, ""))
            elif string.kind == "text":
                found += [(link.target, link.subpath) for link in find_links(string.value.encode())]
    else:
        return []
    return [(target, _led(index, path, target, subpath)) for target, subpath in found if "://" not in target]


def _led(index: Index, path: str, target: str, subpath: str) -> str | None:
    led = resolve(index.catalog, target, path).path
    if led is None or not subpath:
        return led
    part = Outline(body_of(index.store.read(led)[0])).find(subpath)
    return f"{led}{subpath}" if part else None


# The table


def run(
    scenario: Scenario, folder: str, *, swapped: bool = False, kept: bool = True, ways: Iterable[str] = WAYS
) -> dict[str, Any]:
    """Run a scenario in some ways; return for each why it is wrong, or "" if it is right."""
    pair = Pair.make(os.path.join(folder, "made"), scenario, swapped=swapped)
    base = pair.files("a")
    pair.edit()
    written = Written.by(base, pair.files("a"), pair.files("b"))
    row: dict[str, Any] = {"scenario": scenario.name}
    for name in ways:
        copy = pair.copied(os.path.join(folder, name))
        try:
            WAYS[name](copy)
            check(copy, written)
            row[name] = ""
        except Wrong as reason:
            row[name] = str(reason)
        if not kept:
            shutil.rmtree(copy.folder)
    return row


def rows(scenarios: Sequence[Scenario], folder: str, *, swapped: bool, kept: bool) -> Iterator[dict[str, Any]]:
    """Run scenarios, each in a folder of its own."""
    home = os.path.join(folder, "home")
    os.mkdir(home)
    environment = _environment(home)
    os.environ.clear()
    os.environ.update(environment)
    for number, scenario in enumerate(scenarios):
        place = os.path.join(folder, f"{number:02}")
        os.mkdir(place)
        yield run(scenario, place, swapped=swapped, kept=kept)
        if not kept:
            shutil.rmtree(place)


def _print(found: Iterator[dict[str, Any]], width: int) -> dict[str, int]:
    """Print rows as they come; return how many each way has right."""
    right = dict.fromkeys(WAYS, 0)
    count = 0
    print(f"{'':{width}}", *(f"{name:8}" for name in WAYS), "what is wrong", sep="  ")
    for row in found:
        count += 1
        states = [_cell(row[name]).strip("*") for name in WAYS]
        reasons = [f"{name}: {row[name]}" for name in WAYS if row[name]]
        print(
            f"{row['scenario']:{width}}", *(f"{state:8}" for state in states), "; ".join(reasons), sep="  ", flush=True
        )
        for name in WAYS:
            right[name] += not row[name]
    print(f"\n{'right, of ' + str(count):{width}}", *(f"{right[name]:<8}" for name in WAYS), sep="  ")
    return right


def table(found: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table of rows."""
    yield from ("| two machines | `zkmem sync` | `git pull --rebase` | `git merge` |", "|---|---|---|---|")
    for row in found:
        yield f"| {row['scenario']} | {' | '.join(_cell(row[name]) for name in WAYS)} |"


def _cell(reason: str) -> str:
    """Return "right", "conflict" if a person must go on, or "wrong" if the way reported success."""
    return ("conflict" if reason.startswith("conflict") else "**wrong**") if reason else "right"


def main() -> None:
    """Run the scenarios that the command line names."""
    parser = argparse.ArgumentParser(description="Compare zkmem sync with git pull --rebase and git merge.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only scenarios with this in their names")
    parser.add_argument("--swapped", action="store_true", help="let the edits of B be older than those of A")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the clones in this new folder")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    arguments = parser.parse_args()
    wanted = [one for one in SCENARIOS if not arguments.names or any(name in one.name for name in arguments.names)]
    if not wanted:
        parser.error("there is no such scenario.")
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {_git('.', '--version')}"
    with contextlib.ExitStack() as ends:
        if arguments.keep:
            os.mkdir(arguments.keep)
            folder = os.path.abspath(arguments.keep)
        else:
            folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="zkmem-bench-"))
        found = rows(wanted, folder, swapped=arguments.swapped, kept=bool(arguments.keep))
        if arguments.json:
            listed = list(found)
            right = {name: sum(not row[name] for row in listed) for name in WAYS}
            print(json.dumps({"machine": machine, "right": right, "of": len(listed), "rows": listed}, indent=2))
        elif arguments.markdown:
            print("\n".join(table(found)))
        else:
            print(f"{machine}\n")
            _print(found, max(len(one.name) for one in wanted))


if __name__ == "__main__":
    main()
