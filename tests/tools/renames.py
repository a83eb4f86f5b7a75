"""Random renames, each checked against the whole graph: `python -m tests.tools.renames VAULT [COUNT [SEED]]`.

After a rename the graph must be the old one with one node renamed, and only files with a link that had to change may
have changed.
"""

import os
import random
import shutil
import sys
import tempfile

from tests.tools.inner import index_faults
from tests.tools.vaults import fresh_index, random_name, read
from zkmem.errors import BadName, Unwritable
from zkmem.index.graph import MISSING, UNCOUNTED
from zkmem.memory import Memory
from zkmem.names import name_of, new_path

Edges = set[tuple[str, str]]


def edges(root: str) -> Edges:
    """The edges of the graph of a vault, built from nothing."""
    return set(fresh_index(root).links.graph.edges)


def choose(rng: random.Random, notes: list[str]) -> tuple[str, str]:
    """A note and a free new path for it: a new name, a move to another folder, or the base name of another note."""
    old = rng.choice(notes)
    base = old.rpartition("/")[2]
    folder = rng.choice(["", "moved/", "a/b/", old.rpartition("/")[0] + "/" if "/" in old else ""])
    other = rng.choice(notes).rpartition("/")[2]
    new = rng.choice([random_name(rng) + ".md", folder + base, folder + other, "x/y/" + base])
    return old, new


def run(root: str, count: int, seed: int) -> tuple[int, int, int]:
    """Do `count` renames in the vault; returns how many files changed, how many names could not be, and wrong edges."""
    rng = random.Random(seed)
    memory = Memory(root)
    memory.load()
    before, changed, refused, wrong = edges(root), 0, 0, 0
    done = 0
    while done < count:
        files = read(root)
        notes = sorted(path for path in files if path.endswith(".md"))
        old, new = choose(rng, notes)
        if new.lower() in {path.lower() for path in notes}:
            continue
        try:
            new_path(name_of(new))
            result = memory.rename("/" + name_of(old), "/" + name_of(new), merge=True)
        except (BadName, Unwritable):
            assert read(root) == files, "a refused rename changed files"
            refused += 1
            continue
        done += 1
        after = edges(root)
        expected = {(new if a == old else a, new if b == old else b) for a, b in before}
        expected = resolved_by(expected, after, new)
        wrong += len(set(map(untied, after)) ^ set(map(untied, expected)))
        now = read(root)
        touched = {path for path in now if path != new and now[path] != files.get(path)}
        assert touched == {name + ".md" for name in result.relinked} - {new}, (old, new, touched, result.relinked)
        for path in touched:
            assert (path, old) in before or hijacked(path, new, before), f"{path} changed without need: {old} -> {new}"
        changed += len(touched)
        before = after
    assert not index_faults(memory)
    return changed, refused, wrong


def resolved_by(expected: Edges, after: Edges, new: str) -> Edges:
    """The edges, with links to nothing that the new name answers pointing at it: they are left alone, and found."""
    names = {new.rpartition("/")[2].lower(), name_of(new).rpartition("/")[2].lower()}
    found = {
        (a, b)
        for a, b in expected
        if is_nothing(b) and b[1:].rpartition("/")[2] in names and (a, b) not in after and (a, new) in after
    }
    return (expected - found) | {(a, new) for a, _ in found}


def is_nothing(node: str) -> bool:
    """Whether a node stands for a target without a file."""
    return node[0] in {MISSING, UNCOUNTED}


def untied(edge: tuple[str, str]) -> tuple[str, str]:
    """An edge to nothing without its folders: a relative link to nothing is left alone, and moves with its note."""
    source, target = edge
    return (source, target[0] + target[1:].rpartition("/")[2]) if is_nothing(target) else edge


def hijacked(path: str, new: str, before: Edges) -> bool:
    """Whether a file had a link that the new name could have taken over."""
    base = new.rpartition("/")[2].lower()
    return any(a == path and b.rpartition("/")[2].lower() == base for a, b in before)


def main() -> None:
    """Rename in copies of vaults and tell what happened."""
    vault, count, seed = sys.argv[1], int(([*sys.argv, "", ""][2]) or 200), int(([*sys.argv, "", "", ""][3]) or 1)
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "vault")
        shutil.copytree(vault, root, copy_function=shutil.copyfile)  # without the modes: it may be read-only
        changed, refused, wrong = run(root, count, seed)
    print(f"{vault}: {count} renames, {changed} files changed, {refused} names refused, {wrong} wrong edges")


if __name__ == "__main__":
    main()
