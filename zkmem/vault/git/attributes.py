"""Find the files that git converts between the repository and the work tree."""

import contextlib
import functools
import os
import secrets
import shlex
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from zkmem.names import base_of, below, folder_of, folders_of, is_note
from zkmem.vault.git.command import TRANSFER_S, Git
from zkmem.vault.git.trees import Diff, Trees

_ENCODING = "working-tree-encoding"
_CONVERTING = ("filter", _ENCODING)
_UTF8 = {"utf-8", "utf8"}
_NO_VALUE = {"unspecified", "unset"}
_RULES = ".gitattributes"
_ASCII = bytes(range(32, 127))
_MOST_RULES = 1_000_000  # bytes: git compares the path of each file with each rule


def encodings(git: Git, paths: Iterable[str]) -> dict[str, str]:
    """Return the encodings other than UTF-8 that the `.gitattributes` files on disk give these files, by path."""
    data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
    fields = git.run("check-attr", "-z", "--stdin", _ENCODING, data=data, top=True, patience_s=TRANSFER_S).split("\0")
    values = zip(fields[::3], fields[2::3], strict=False)
    return {path: value for path, value in values if value not in _NO_VALUE and value.lower() not in _UTF8}


def garbled(git: Git, encodings: Mapping[str, str], texts: Iterable[tuple[str, bytes]]) -> set[str]:
    """Return those notes that are in UTF-8 in spite of their encoding: git would store another text than zkmem reads.

    `encodings`: as `encodings` returns them; `texts`: these notes with their bytes. No more than one text is kept.
    """
    keeps_ascii = functools.cache(lambda value: _keeps_ascii(git, value))
    return {path for path, data in texts if _is_utf8(data) and not (data.isascii() and keeps_ascii(encodings[path]))}


def _is_utf8(data: bytes) -> bool:
    """Return whether a text is in UTF-8. A zero byte is a sign of UTF-16."""
    with contextlib.suppress(UnicodeDecodeError):
        return "\0" not in data.decode()
    return False


def encoding_refused(path: str) -> str:
    """Return a sentence about a file that is not committed, because it is in another encoding than a rule says."""
    return (
        f"{path!r} is not in the encoding that a .gitattributes file gives it (`git check-attr {_ENCODING} "
        f"{shlex.quote(path)}` shows it), so git could not store it as it is; remove that rule, or convert the file"
    )


Conversions = Mapping[str, tuple[str, ...]]
"""The filter and the encoding of each file that has one, by path from the top of the repository."""


def conversions(git: Git, trees: Trees, paths_by_tree: Mapping[str, Collection[str]]) -> dict[str, Conversions]:
    """Return how files of some trees are converted, by tree, according to the `.gitattributes` files in that tree.

    What only this machine has, such as `.git/info/attributes`, does not count, so that all machines decide the same.
    Usually no tree has attributes, or all have the same ones; then no process is started, or one.
    """
    folders = {folder for paths in paths_by_tree.values() for path in paths for folder in ("", *folders_of(path))}
    names = sorted(f"{folder}/{_RULES}" if folder else _RULES for folder in folders if "\n" not in folder)
    known: dict[tuple[tuple[str, bytes], ...], Conversions] = {}
    result: dict[str, Conversions] = {}
    everything = {path for paths in paths_by_tree.values() for path in paths}
    for tree in paths_by_tree:
        rules = tuple((name, data) for name in names if (data := trees.text_at(tree, name)))
        if rules not in known:
            known[rules] = _conversions(git, rules, everything) if rules else {}
        result[tree] = known[rules]
    return result


def is_rules(path: str) -> bool:
    """Return whether a file has the rules by which git converts others."""
    return base_of(path) == _RULES


class Reconverted(NamedTuple):
    """The files of a commit that are converted in another way than before, by path from the top of the repository."""

    new: Conversions  # how they are converted now; without a value for those that are not
    other_encodings: frozenset[str]  # those that are in another encoding on disk now


def reconverted(git: Git, trees: Trees, head: str, commit: str, changed: Collection[str]) -> Reconverted:
    """Return the files that are converted in another way in a commit than in the commit `head`.

    `changed`: the files that differ between the two.
    """
    above = [folder_of(path) for path in changed if is_rules(path)]
    if not above:
        return Reconverted({}, frozenset())
    paths = [path for path in trees.paths(commit) if any(below(path, folder) for folder in above)]
    head = head or trees.empty()
    both = conversions(git, trees, {head: paths, commit: paths})
    before, after = ({path: both[tree].get(path, ()) for path in paths} for tree in (head, commit))
    new = {path: after[path] for path in paths if before[path] != after[path]}
    return Reconverted(new, frozenset(path for path in new if _encoding(before[path]) != _encoding(new[path])))


class BadRule(NamedTuple):
    """A rule of a commit with which files could not be read or committed."""

    rules: str  # the path of the file `.gitattributes` that has it
    value: str  # working-tree-encoding=NAME; "" if the file is too large to be read
    path: str  # of a file that it is about; "" for every new note in the folder


def bad_rule(
    git: Git, trees: Trees, base: str, commit: str, changed: Mapping[str, Diff], prefix: str
) -> BadRule | None:
    """Return a rule of a commit that gives a file an encoding unknown to git, or a note another one than UTF-8.

    zkmem reads and writes UTF-8: it could not read such a note, and git would refuse to commit it. The notes that count
    are those that had no such rule in `base`, and each new one at the top of the vault or in a folder with notes.
    Rules for other files do no harm. `changed`: the files that the commit changes since `base`; `prefix`: the path of
    the vault.
    """
    rules = {path: diff.after for path, diff in changed.items() if is_rules(path)}
    if not rules:
        return None
    texts = {path: trees.data(blob) for path, blob in rules.items() if blob and blob.is_plain}
    if large := next((path for path, text in texts.items() if text is None or len(text) > _MOST_RULES), ""):
        return BadRule(large, "", "")
    paths = [path for path in trees.paths(commit) if any(below(path, folder_of(one)) for one in rules)]
    notes = {path for path in paths if is_note(path) and path.startswith(prefix)}
    probe = f"{secrets.token_hex(8)}.md"  # the name of a new note, which no rule can be made for
    folders = {folder for path in notes for folder in folders_of(path)} | {prefix.rstrip("/")}
    probes = {f"{folder}/{probe}".removeprefix("/") for folder in folders if f"{folder}/".startswith(prefix)}
    moved = {diff.before for diff in changed.values() if not diff.after}
    known_notes = [
        path for path in notes if path not in changed or changed[path].before or changed[path].after in moved
    ]
    by_tree = conversions(git, trees, {base: known_notes, commit: [*probes, *paths]})
    readable = probes.union(path for path in known_notes if not _encoding(by_tree[base].get(path, ())))
    given = {path: value for path, values in by_tree[commit].items() for value in _encoding(values)}
    known = {value: _is_known(git, value) for value in {*given.values()}}
    for path, value in sorted(given.items(), key=lambda item: (item[0] not in probes, item)):
        if not known[value] or (path in readable and value.partition("=")[2].lower() not in _UTF8):
            # the commit may also have removed a file that overruled the rule of an older one
            files = [one for one in texts if below(path, folder_of(one))] or trees.paths(commit)
            above = (one for one in files if is_rules(one) and below(path, folder_of(one)))
            return BadRule(max(above, key=len), value, "" if path in probes else path)
    return None


def _is_known(git: Git, value: str) -> bool:
    """Return whether git can write a file in an encoding; `value`: as in `Conversions`."""
    with _scratch([(_RULES, f"x {value}\n".encode())]) as (options, environment):
        blob = git.run(*options, "hash-object", "-w", "--stdin", data=b"x", environment=environment).strip()
        done = git.call([*options, "cat-file", "--filters", "--path=x", blob], environment=environment)
    return not done.returncode and not done.stderr


def _keeps_ascii(git: Git, encoding: str) -> bool:
    """Return whether git stores a file that has only ASCII characters unchanged if a rule gives it this encoding."""
    with _scratch([(_RULES, f"x {_ENCODING}={encoding}\n".encode())]) as (options, environment):
        hashes = {
            git.call([*options, "hash-object", "-w", "--stdin", option], data=_ASCII, environment=environment).stdout
            for option in ("--path=x", "--no-filters")
        }  # without -w, git gives a file that it refuses the hash of its bytes
    return len(hashes) == 1


def _encoding(values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(_ENCODING)]


def _conversions(git: Git, rules: Iterable[tuple[str, bytes]], paths: Iterable[str]) -> Conversions:
    """Return how files are converted according to some `.gitattributes` files, given by their paths and bytes."""
    with _scratch(rules) as (options, environment):
        data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
        command = [*options, "check-attr", "-z", "--stdin", *_CONVERTING]
        output = git.run(*command, data=data, environment=environment, patience_s=TRANSFER_S)
    fields, values = output.split("\0"), dict[str, tuple[str, ...]]()
    for path, key, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value not in _NO_VALUE:
            values[path] = (*values.get(path, ()), f"{key}={value}")
    return values


@contextlib.contextmanager
def _scratch(rules: Iterable[tuple[str, bytes]]) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Make a repository without settings that has some `.gitattributes` files; remove it after the block.

    Yield the options and the environment with which git uses it.
    """
    with tempfile.TemporaryDirectory(prefix="zkmem-") as top:
        own = os.path.join(top, ".git")
        for folder in ("objects", "refs"):
            os.makedirs(os.path.join(own, folder))
        for name, data in (*rules, (".git/HEAD", b"ref: refs/heads/main\n")):
            os.makedirs(os.path.join(top, folder_of(name)), exist_ok=True)
            with open(os.path.join(top, name), "wb") as file:
                file.write(data)
        options = ["-C", top, "-c", f"core.attributesFile={os.devnull}", "-c", "core.ignoreCase=false"]
        yield options, {"GIT_DIR": own, "GIT_COMMON_DIR": own, "GIT_WORK_TREE": top, "GIT_ATTR_NOSYSTEM": "1"}
