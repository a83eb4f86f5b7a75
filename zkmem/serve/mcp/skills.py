"""Skills: commands for a model, made of the prompts of the toolsets, and of notes that say `skill: true`.

A note is offered only if the user has allowed that for its vault (`zkmem trust`), since a skill instructs a model. The
extension of the protocol is SEP-2640, `io.modelcontextprotocol/skills`.
"""

import contextlib
import hashlib
import itertools
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote

from zkmem import trust
from zkmem.errors import AmbiguousName, BadName, Forbidden, UnknownNote, Unreadable
from zkmem.markdown.note import body_of
from zkmem.markdown.one_line import opening
from zkmem.markdown.private import is_private
from zkmem.memory import Memory
from zkmem.names import base_of
from zkmem.toolsets.toolset import Prompt
from zkmem.util.words import folded, plain
from zkmem.vault.files import etag, read

FOLDER = "skills"
SCHEME = "skill://"
_MAIN = "SKILL.md"
_MOST = 100  # skills of notes
_MOST_FILES = 100  # of one skill, beside its own text
_MOST_BYTES = 1_000_000  # of one skill; hosts accept 16 MiB
_MOST_FILES_IN_ALL, _MOST_BYTES_IN_ALL = 1_000, 4_000_000  # of all skills in a list
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 1_000  # characters; hosts accept 64 and 1,024
_WAIT_S = 5.0  # that a client waits for the search index
_NO_WORDS = re.compile("[^a-z0-9]+")
_JOINERS = "\u200c\u200d"  # of letters and of emoji
_NO_NOTE = (UnknownNote, AmbiguousName, BadName, Unreadable)  # it is gone, or no longer the only one of its name


class SkillFile(NamedTuple):
    """A file of a skill."""

    uri: str
    text: str

    @property
    def entry(self) -> dict[str, object]:
        """The file as the entry of a skill lists it."""
        data = self.text.encode()
        return {"uri": self.uri, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}


class Skill(NamedTuple):
    """A command for a model."""

    name: str
    description: str
    text: str
    notes: Mapping[str, str] = {}  # path of a linked note -> its text

    @property
    def uri(self) -> str:
        """The address of the skill's main file."""
        return f"{SCHEME}{self.name}/{_MAIN}"

    @property
    def frontmatter(self) -> dict[str, str]:
        """The properties of the main file: no others, so that a note cannot ask for rights of the client's tools."""
        return {"name": self.name, "description": self.description}

    @property
    def files(self) -> list[SkillFile]:
        """The main file, and a file for each linked note."""
        head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in self.frontmatter.items())
        others = {path: f"notes/{quote(path)}" for path in self.notes}
        index = "".join(f"- [{path}]({place})\n" for path, place in others.items())
        text = f"---\n{head}---\n\n{self.text}" + (f"\n\nThe notes that it links to:\n\n{index}" if index else "")
        folder = self.uri.removesuffix(_MAIN)
        return [
            SkillFile(self.uri, text),
            *(SkillFile(folder + others[path], note) for path, note in self.notes.items()),
        ]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(len(file.text.encode()) for file in self.files)

    @property
    def entry(self) -> dict[str, object]:
        """The skill as `skills/list` and `skills/get` show it."""
        resources = [file.entry for file in self.files]
        return {"uri": self.uri, "frontmatter": self.frontmatter, "resources": resources}


class Skills:
    """The skills that a server offers: those of its prompts, and those of the notes that a caller may see."""

    def __init__(self, prompts: Iterable[Prompt], folder: str = FOLDER) -> None:
        """`folder`: the folder of the vault whose notes are skills."""
        self._prompts = {prompt.name: prompt for prompt in prompts if isinstance(prompt.text, str)}
        self._folder = folder

    def may_be(self, name: str) -> bool:
        """Return whether a note is in the folder of skills."""
        return name.startswith(f"{self._folder}/")

    def all(self, memory: Memory, *, notes_only: bool = False, with_links: bool = True) -> list[Skill]:
        """Return the skills, as many as fit; if not `with_links`, without the notes that they link to."""
        return self.listed(memory, notes_only=notes_only, with_links=with_links)[0]

    def listed(self, memory: Memory, *, notes_only: bool = False, with_links: bool = True) -> tuple[list[Skill], str]:
        """Return the skills, as many as fit, and a sentence about the others; "" if there are none."""
        skills = [] if notes_only else [self._of_prompt(memory, prompt) for prompt in self._prompts.values()]
        reader, files, size = _reader(memory), len(skills), sum(skill.size for skill in skills)
        for command, name in commands(note_names(memory, self._folder), self._prompts).items():
            skill = self._of_note(reader, command, name, with_links=with_links)
            if skill is None:
                continue
            files += len(skill.files)
            size += skill.size
            if files > _MOST_FILES_IN_ALL or size > _MOST_BYTES_IN_ALL:
                return skills, (
                    f"The skill {command!r} and those after it were left out, since all together may have at most "
                    f"{_MOST_FILES_IN_ALL} files and {_MOST_BYTES_IN_ALL} bytes; each can be read by its name."
                )
            skills.append(skill)
        return skills, ""

    def get(self, memory: Memory, command: str) -> Skill | None:
        """Return a skill by its name; None if there is none."""
        if prompt := self._prompts.get(command):
            return self._of_prompt(memory, prompt)
        name = commands(note_names(memory, self._folder), self._prompts).get(command)
        return self._of_note(_reader(memory), command, name, with_links=True) if name else None

    def get_at(self, memory: Memory, uri: str) -> Skill | None:
        """Return the skill that a file belongs to; None if the URI is that of no skill's file."""
        skill = self.get(memory, uri.removeprefix(SCHEME).partition("/")[0]) if uri.startswith(SCHEME) else None
        return skill if skill and any(file.uri == uri for file in skill.files) else None

    @staticmethod
    def _of_prompt(memory: Memory, prompt: Prompt) -> Skill:
        return Skill(prompt.name, prompt.description, prompt.render(memory, {}))

    @staticmethod
    def _of_note(memory: Memory, command: str, name: str, *, with_links: bool) -> Skill | None:
        note = _read(memory, name)
        if note is None:
            return None
        described = "".join(_shown(char) for char in opening(note.data, _LONGEST_DESCRIPTION)).strip()
        linked = dict(_linked(memory, name, _MOST_BYTES - len(note.data))) if with_links else {}
        return Skill(command, described or base_of(name), body_of(note.data).decode().strip(), linked)


def note_names(memory: Memory, folder: str) -> list[str]:
    """Return the names of the notes that are skills, if the user has allowed them for the vault: 100 at most."""
    return wanted_names(memory, folder, _WAIT_S) if trust.trusted(memory.vault).skills else []


def wanted_names(memory: Memory, folder: str, wait_s: float | None = None) -> list[str]:
    """Return the names of the notes that are to be skills, in alphabetical order: 100 at most.

    Those are the notes below a folder, without those that say `skill: false`, and others that say `skill: true`.
    `wait_s`: about how long to wait for the search index, which knows the others.
    """
    inside: list[str] = []
    with contextlib.suppress(Forbidden):  # the caller may not know of the folder
        inside = [name for name in memory.names(folder)[:_MOST] if _property(memory, name) is not False]
    hits = memory.search("[skill:true]", _MOST, wait_s=wait_s)
    named = [hit.name for hit in hits if _property(memory, hit.name) is True]
    return sorted({*inside, *named})[:_MOST]


def commands(names: Iterable[str], taken: Container[str]) -> dict[str, str]:
    """Return the notes by their commands: words in small letters, with hyphens.

    If two notes would get the same command, the second gets one from its whole path. None gets a command in `taken`.
    """
    notes: dict[str, str] = {}
    for name in names:
        unique = f"note-{hashlib.sha256(name.encode()).hexdigest()[:8]}"  # also for names without Latin letters
        short = _command(base_of(name))
        numbered = (f"{unique}-{number}" for number in itertools.count(2))  # another note may be called `unique`
        options = itertools.chain((short, _command(name)) if short else (), (unique,), numbered)
        command = next(one for one in options if one not in taken and one not in notes)
        notes[command] = name
    return notes


def _command(name: str) -> str:
    return _NO_WORDS.sub("-", folded(plain(name)))[:_LONGEST_NAME].strip("-")


def _reader(memory: Memory) -> Memory:
    """Return the memory for reading skills: so that the model counts as having read none of the notes."""
    return memory.on_behalf(session="skills")


def _property(memory: Memory, name: str) -> object:
    """Return the value of the property `skill`; None without one."""
    with contextlib.suppress(*_NO_NOTE):
        return memory.properties(name).get("skill")
    return None


class _Note(NamedTuple):
    path: str
    data: bytes


def _read(memory: Memory, name: str) -> _Note | None:
    """Return a note; None if it is private, very long, only proposed or gone."""
    with contextlib.suppress(*_NO_NOTE):
        whole = memory.read(name, bounded=False)
        note = _Note(memory.path(name), whole.text.encode())
        is_fit = not whole.large and len(note.data) <= _MOST_BYTES and not is_private(*note)
        if is_fit and not (memory.proposes and _is_proposed(memory, note.path, whole.etag)):
            return note
    return None


def _is_proposed(memory: Memory, path: str, tag: str) -> bool:
    """Return whether nobody has accepted this text of a note yet: a model must not instruct the next one with it."""
    try:
        return etag(read(f"{memory.vault}/{path}")[0]) != tag
    except OSError:
        return True


def _linked(memory: Memory, name: str, room: int) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each note that a note links to, as many as fit."""
    names: list[str] = []
    with contextlib.suppress(*_NO_NOTE):
        names = memory.links(name)[:_MOST_FILES]
    for note in filter(None, (_read(memory, other) for other in names)):
        if (room := room - len(note.data)) >= 0:
            yield note.path, note.data.decode()


def _shown(char: str) -> str:
    """Return a character of a description; a space for one that YAML cannot hold, or that changes what is shown."""
    return char if char.isprintable() or char in _JOINERS else " "
