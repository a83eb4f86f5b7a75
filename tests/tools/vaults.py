"""Vaults for tests: written from a mapping, or made at random with every form of link in them."""

import os
import random
import re
import subprocess
from collections.abc import Mapping

from zkmem import trust
from zkmem.edit.journal import Journal, Planned
from zkmem.edit.plan import Move, Plan, Put, Remove
from zkmem.index.index import Index
from zkmem.vault.git.command import Git
from zkmem.vault.store import Store

_STATE = re.compile(r"\.zkmem/(\.gitignore|format|lock|turn|git\.lock|git-index|committed|versions/.*)")

Files = Mapping[str, str | bytes]


def write(root: str | os.PathLike[str], files: Files) -> str:
    """Write files below a folder; returns the folder."""
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
    return str(root)


def git(root: str | os.PathLike[str], *arguments: str) -> str:
    """Run git as a person with a name and an address; return its output."""
    person = ("-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *person, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def allow_git(root: str | os.PathLike[str]) -> None:
    """Allow the git repository of a vault, as `zkmem trust` does."""
    vault = os.path.realpath(root)
    trust.allow(vault, trust.trusted(vault)._replace(git=Git(vault, "").look().fingerprint))


def read(root: str | os.PathLike[str], *, hidden: bool = False) -> dict[str, bytes]:
    """The files below a folder, by path; hidden ones too, but for what the vault state holds when all is well.

    A symlink that leads nowhere is read as its target.
    """
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            if _STATE.fullmatch(path):
                continue
            if hidden or not any(part.startswith(".") for part in path.split(os.sep)):
                full = os.path.join(folder, name)
                if os.path.islink(full) and not os.path.exists(full):
                    found[path] = os.fsencode(os.readlink(full))
                    continue
                with open(full, "rb") as file:
                    found[path] = file.read()
    return found


def carry_out(root: str | os.PathLike[str], *steps: Put | Move | Remove) -> None:
    """Make an edit of these steps."""
    apply_plan(root, Plan("", "", steps))


def apply_plan(root: str | os.PathLike[str], plan: Plan) -> None:
    """Make an edit."""
    journal = Journal(Store(str(root)))
    with journal.hold():
        journal.apply([Planned(plan)])


def fresh_index(root: str) -> Index:
    """An index built from nothing."""
    index = Index(Store(root))
    index.build()
    return index


FOLDERS = ["", "", "a/", "a/b/", "日记/", "with blank/"]
WORDS = [
    "Note",
    "idea",
    "it's",
    "C sharp",
    "naïve",
    "卡片",
    "(draft)",
    "$cost",
    "v1.0",
    "100%",
    "A & B",
    "a_b",
    "50% off",
]


def random_name(rng: random.Random) -> str:
    """A name with blanks, quotes, parentheses, CJK or `$` in it, now and then one that others have too."""
    base = " ".join(rng.sample(WORDS, rng.choice([1, 1, 2])))
    return rng.choice(FOLDERS) + base + rng.choice(["", "", f" {rng.randrange(60)}"])


def random_link(rng: random.Random, name: str) -> str:
    """A link to a note, in one of the forms that people write."""
    base = name.rpartition("/")[2]
    shown = rng.choice(["", "", f"|{base}", "|shown", "|with [brackets]"])
    sub = rng.choice(["", "", "", "#Part", "#^id1"])
    wiki = rng.choice([base, base, name, "/" + name, base.upper(), name + ".md", f" {base} "])
    url = name.replace("%", "%25").replace(" ", "%20") + ".md"
    return rng.choice(
        [f"[[{wiki}{sub}{shown}]]"] * 4
        + [
            f"![[{wiki}{sub}]]",
            f"[text]({url})",
            f"[{base}](<{name}.md>)",
            f'[t]({url}{sub} "title")',
            f"| [[{wiki}\\|x]] |",
        ]
    )


def random_files(rng: random.Random, notes: int) -> dict[str, str]:
    """A vault of about `notes` notes with links in text, tables, code and frontmatter, and duplicate names."""
    names = {random_name(rng) for _ in range(notes)}
    names = {name for name in names if name.lower() not in {other.lower() for other in names - {name}}}
    ordered = sorted(names)
    files = {}
    for name in ordered:
        parts = [f"# Part\n\nText of {name}. ^id1\n"]
        for _ in range(rng.randrange(6)):
            link = random_link(rng, rng.choice([*ordered, "nowhere", "a/missing"]))
            parts.append(rng.choice([f"See {link} and more.\n", f"- {link}\n", f"> {link} {link}\n", f"`{link}`\n"]))
        if rng.random() < 0.2:
            quoted = rng.choice(ordered).replace("'", "''")
            parts.insert(0, f"---\nup: '[[{quoted}]]'\ntags: [x]\n---\n")
        files[name + ".md"] = rng.choice(["\n", "\n", "\r\n"]).join("".join(parts).split("\n"))
    return files
