"""Memories that servers are put to work on, and what their files tell: which tokens are there, and how often."""

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence

REFERRERS = [f"referrer {number}" for number in range(20)]
_TOKEN = re.compile(r"\b(?:p\d+|hand)-\d+\b")


class Notes:
    """A memory of Markdown notes in a folder, and what its files tell: which tokens are there, and how often."""

    shared = "log.md"  # the file that every append goes to

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, self.shared)

    def prepare(self, renames: Sequence[str]) -> None:
        """What is there before the first call."""
        make(self.path, "# Log\n")
        for token in renames:
            make(f"{self.folder}/was {token}.md", "A note.\n")
        for name in REFERRERS if renames else []:
            make(f"{self.folder}/{name}.md", "".join(f"- [[was {token}]]\n" for token in renames))

    def by_hand(self, token: str) -> str:
        """The line that a person adds to the shared file."""
        return token

    def appended(self, data: bytes) -> Counter[str]:
        """What was added to the shared file, by whomever."""
        return Counter(data.decode().splitlines())

    def created(self) -> Counter[str]:
        """The notes made: a token is the name of one, and all of its text."""
        paths = notes_in(f"{self.folder}/made")
        return Counter(token for path in paths if path.endswith(f"/{(token := read(path).decode().strip())}.md"))

    def renamed(self, tokens: Iterable[str]) -> Counter[str]:
        """The renames that are whole: the note has moved, and every referrer's link with it (once, or so often)."""
        texts = [read(f"{self.folder}/{name}.md").decode() for name in REFERRERS]
        linked = [Counter(re.findall(r"\[\[(.+?)]]", text)) for text in texts]
        notes = {os.path.basename(path) for path in notes_in(self.folder)}
        moved = [token for token in tokens if f"{token}.md" in notes and f"was {token}.md" not in notes]
        whole = [token for token in moved if all(links[token] and not links[f"was {token}"] for links in linked)]
        return Counter({token: max(links[token] for links in linked) for token in whole})


class Graph(Notes):
    """A memory of entities in one file, a line of JSON for each. What is appended is an observation."""

    shared = "memory.jsonl"

    def prepare(self, renames: Sequence[str]) -> None:
        assert not renames
        make(self.path, json.dumps({"type": "entity", "name": "log", "entityType": "note", "observations": []}))

    def by_hand(self, token: str) -> str:
        return json.dumps({"type": "entity", "name": token, "entityType": "note", "observations": [token]})

    def appended(self, data: bytes) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in data.decode().splitlines():
            with contextlib.suppress(ValueError):  # a line that cannot be read keeps nothing
                found.update(json.loads(line)["observations"])
        return found

    def created(self) -> Counter[str]:
        return self.appended(read(self.path))


class Records(Notes):
    """A vault in which a toolset keeps records: what was added is found by its tokens, wherever it stands."""

    text = ""  # of the shared note

    def prepare(self, renames: Sequence[str]) -> None:
        assert not renames
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        make(self.path, self.text)

    def by_hand(self, token: str) -> str:
        return f"- {token}"

    def appended(self, data: bytes) -> Counter[str]:
        return Counter(_TOKEN.findall(data.decode()))

    def created(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for folder, _, files in os.walk(self.folder):
            if "/.zkmem" not in folder:
                found.update({token for name in files for token in self.appended(read(os.path.join(folder, name)))})
        return found


class Entities(Records):
    """The notes of the toolset kg."""

    text = "---\nentityType: note\n---\n"


class Raws(Records):
    """The notes of the toolset think: a raw text, and a list whose elements count if the list names them."""

    text = "---\ntype: raw\ndescription: log\n---\n"

    def prepare(self, renames: Sequence[str]) -> None:
        super().prepare(renames)
        make(f"{self.folder}/made.md", "---\ntype: list\nrole: array\ndescription: made\n---\n")

    def created(self) -> Counter[str]:
        named = read(f"{self.folder}/made.md").decode()
        paths = [path for path in notes_in(f"{self.folder}/made") if os.path.basename(path)[:-3] in named]
        return Counter(token for path in paths for token in {*self.appended(read(path))})


class Memories(Records):
    """The notes of the toolset mirix: every memory is a note, also one that begins like others."""


class Agents(Records):
    """The notes of the toolset text."""

    shared = "agents/log/relationship.md"
    text = "# Agent Relationship\n\n## Memory Points\n"


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def make(path: str, text: str) -> None:
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def notes_in(folder: str) -> list[str]:
    """The notes in a folder, if there is one."""
    return [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".md")] if os.path.isdir(folder) else []
