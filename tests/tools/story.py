"""A day in a vault that nobody looked at: 46 edits by two clients, by hand and by `git pull`. For tests and measures.

One note is deleted and one overwritten; two are merged, one gives a passage to another, three are renamed. Run
`python -m tests.tools.story FOLDER` to make the vault.
"""

import json
import os
import pathlib
import sys
import time

from tests.tools.inner import engine
from tests.tools.vaults import git, write
from zkmem.memory import Memory

CLAUDE, LATER, CODEX = "claude-code 2.1.330", "claude-code 2.1.332", "codex 0.46.0"
EDITS = 46
DELETED, OVERWRITTEN = "archive/lease contract", "plans/budget"
IN_THE_MIDDLE = 22
"""The number of an edit in the middle that changed one note, `plans/garden`, and that nothing has changed since."""

_WAIT_S = 30.0
_SUBJECTS = [
    "The kitchen",
    "Our landlord",
    "A neighbour",
    "The plumber",
    "My sister",
    "The bank",
    "The gardener",
    "The teacher",
]
_VERBS = ["promised", "forgot", "paid for", "measured", "described", "refused", "repaired", "borrowed"]
_OBJECTS = [
    "the old window",
    "a second key",
    "three copper pipes",
    "the winter coats",
    "an oak table",
    "every invoice",
    "two bicycles",
]
_WHEN = [
    "in early spring",
    "before the holidays",
    "after a long talk",
    "without a word",
    "on a wet Tuesday",
    "last September",
]


def prose(seed: int, sentences: int) -> str:
    """Return so many sentences of about eleven words; another seed gives others."""
    lists = (_SUBJECTS, _VERBS, _OBJECTS, _WHEN)

    def sentence(at: int) -> str:
        words = (one[(at * (3 + 2 * n) + at // 7) % len(one)] for n, one in enumerate(lists))
        return f"{' '.join(words)}, item {at}."

    return " ".join(map(sentence, range(seed * 31, seed * 31 + sentences)))


def note(title: str, seed: int, sentences: int = 12) -> str:
    """Return the text of a note with three sections."""
    parts = [f"## {name}\n\n{prose(seed + 100 * n, sentences)}\n" for n, name in enumerate(("Now", "Before", "Later"))]
    return f"# {title}\n\n{prose(seed + 7, 2)}\n\n" + "\n".join(parts)


def before() -> dict[str, str]:
    """Return the files of the vault before the day."""
    names = [
        "people/ann", "people/bert", "places/harbour", "places/mill", "inbox/tea", "inbox/bread", "kitchen/tea",
        "kitchen/bread", "reading/books", "plans/garden", "plans/roof", "plans/travel", "journal/log", DELETED,
        OVERWRITTEN, "home/heating", "home/insurance", "home/keys", "work/minutes", "work/contacts", "work/offers",
    ]  # fmt: skip
    files = {f"{name}.md": note(name.rpartition("/")[2].capitalize(), seed) for seed, name in enumerate(names)}
    files["hint.md"] = "".join(f"- [[{name}]]\n" for name in names)
    files["journal/log.md"] = "# Log\n\n- the day begins\n"
    return files


def story(folder: str | os.PathLike[str], ended: float | None = None) -> None:
    """Make the vault in an empty folder. `ended`: when the day was over, by default an hour ago."""
    root, other = pathlib.Path(folder), pathlib.Path(f"{os.fspath(folder)}-elsewhere")
    write(root, before())
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root.parent, "clone", "-q", str(root), str(other))
    with Memory(str(root)) as memory:
        _claude(memory.on_behalf(client=CLAUDE, tool="set_content"))
        _later(memory.on_behalf(client=LATER, tool="edit_content"))
        _codex(memory.on_behalf(client=CODEX, tool="set_content"))
    with Memory(str(root)) as memory:
        memory.start()
        memory.wait_ready()
        assert engine(memory).recorder.ready.wait(_WAIT_S)
        _by_hand(memory, root)
        _pulled(memory, root, other)
    _spread(root, ended or time.time() - 3_600)


def _claude(m: Memory) -> None:
    for number in range(6):
        m.write(f"projects/idea {number}", note(f"Idea {number}", 40 + number, 3))
    for number in range(10):
        m.append("journal/log", f"- {prose(60 + number, 1)}\n")
    m.rename("people/ann", "people/Ann Lee")  # edit 17
    m.write(OVERWRITTEN, "# Budget\n\nTo be done again from the bank's list.\n")
    m.extract("reading/books", f"## Later\n\n{prose(8 + 200, 12)}\n", "reading/essays")
    m.rename("inbox/tea", "kitchen/tea", merge=True)  # edit 20


def _later(m: Memory) -> None:
    for name in ("plans/roof", "plans/garden", "home/keys", "work/minutes"):  # edits 21 to 24
        text = m.read(name).text
        old = text.partition("## Now\n\n")[2].partition(". ")[0]
        m.write(name, "Everything waits until the ground is dry", old=old)


def _codex(m: Memory) -> None:
    for number in range(4):
        m.write(f"work/talk {number}", note(f"Talk {number}", 80 + number, 2))
    m.delete(DELETED)  # edit 29
    for name in ("home/heating", "home/insurance", "work/contacts", "places/mill", "people/bert", "plans/travel"):
        m.append(name, f"\n## Checked\n\n{prose(len(name), 1)}\n")
    m.rename("inbox/bread", "kitchen/bread", merge=True)  # edit 36
    m.rename("places/harbour", "places/old harbour")
    m.rename("work/offers", "work/quotes")
    for number in range(2):
        m.write(f"work/list {number}", f"# List {number}\n\n- {prose(90 + number, 1)}\n")
    for name in ("work/contacts", "places/mill"):
        m.append(name, f"\n{prose(len(name) + 5, 1)}\n")  # edits 41 and 42


def _by_hand(m: Memory, root: pathlib.Path) -> None:
    for path, text in (
        ("home/keys.md", (root / "home/keys.md").read_text() + "\nThe spare one is with Ann.\n"),
        ("home/cellar.md", "# Cellar\n\nDamp in the north corner.\n"),
        ("plans/roof.md", (root / "plans/roof.md").read_text().replace("## Later", "## Some day")),
    ):
        (root / path).write_text(text)
        m.wait_ready()
        m.log()  # which records the change


def _pulled(m: Memory, root: pathlib.Path, other: pathlib.Path) -> None:
    write(other, {"places/bakery.md": "# Bakery\n\nOpen on Sundays.\n", "places/tower.md": "# Tower\n\n211 steps.\n"})
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "two")
    git(root, "pull", "-q", "--ff-only", str(other), "main")
    m.wait_ready()
    m.log()


def _spread(root: pathlib.Path, ended: float) -> None:
    """Give the edits times from the evening before on, the last one at `ended`."""
    for name in ("log", "outside"):
        path = root / ".zkmem/versions" / name
        edits = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for edit in edits:
            number = edit["number"]
            edit["time"] = ended - (EDITS - number) * 120 - (36_000 if number <= 24 else 0)
        path.write_text("".join(json.dumps(edit, ensure_ascii=False) + "\n" for edit in edits), "utf-8")


if __name__ == "__main__":
    story(sys.argv[1])
