"""Read and write trees of a repository, for a merge of two histories.

Paths count from the vault and are spelled as in the catalog, unless a docstring says that they count from the top of
the repository. Only `save` writes to the work tree: the file that its caller names.
"""

import contextlib
import functools
import os
import re
import secrets
import tempfile
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zkmem.names import composed, folders_of, is_note, spellings
from zkmem.vault import platform
from zkmem.vault.git.command import TRANSFER_S, Git, GitTrouble
from zkmem.vault.git.commit_graph import MOST_LOG, PULL, CommitGraph
from zkmem.vault.git.displaced import PathTexts, is_version, moved_onto_files
from zkmem.vault.git.objects import FilteredFiles, Objects
from zkmem.vault.journal.log import Pair
from zkmem.vault.paths import is_hidden

_RENAMED = ("-z", "-M50%", "-l3000", "--no-rename-empty")
"""A deleted and a new file count as a rename if half of the text is equal. git compares at most 3,000 files."""

_SURROGATE = re.compile("[\ud800-\udfff]")  # stands for a byte that is not UTF-8
_MOST_PATHS = 100_000_000  # bytes of the paths of all files of a commit
_PART = 1 << 20  # bytes of a file to read at once
_AT_ONCE = 500  # paths in the arguments of one command


class Blob(NamedTuple):
    """A file in a tree: its mode, and the hash of its bytes."""

    mode: str
    hash: str

    @property
    def is_plain(self) -> bool:
        """Whether it is a regular file, not a symbolic link or a repository of its own."""
        return self.mode.startswith("100")


class NewFile(NamedTuple):
    """A file that is in no tree yet: its mode and bytes."""

    mode: str
    data: bytes


class Diff(NamedTuple):
    """A file in two trees; None for a tree that does not have it."""

    before: Blob | None
    after: Blob | None


class Arrivals(NamedTuple):
    """The files that a commit renamed, as far as the texts show it, and those that it added or changed."""

    renamed: list[Pair]
    added: list[str]
    changed: list[str]  # with the others


class Trees(contextlib.AbstractContextManager["Trees"]):
    """The trees of the repository that a vault is in. Use it in a `with` block, which ends its process."""

    def __init__(self, git: Git, most_bytes: int) -> None:
        """`most_bytes`: larger files are not read into memory."""
        self._git = git
        self._spellings: dict[str, set[str]] = {}  # path that is not ASCII -> its spellings in the trees read so far
        self._objects = Objects(git, most_bytes)
        self.commits = CommitGraph(git, self._objects)
        # commits never change
        self.arrivals = functools.cache(self._arrivals_since)
        self.raw_diffs = functools.cache(self._raw_diffs)

    def __exit__(self, *_: object) -> None:
        """End the process that reads objects, if one was started."""
        self._objects.__exit__()

    def empty(self) -> str:
        """Return the hash of the tree without files."""
        return self._git.where().hasher(0, "tree").hexdigest()  # git knows it, even if nobody has stored it

    def tree(self, commit: str) -> str:
        """Return the hash of a commit's tree."""
        tree_hash = self._objects.hash(commit + "^{tree}")
        if not tree_hash:
            raise GitTrouble(f"the commit {commit} cannot be read; `git fsck` shows whether the repository is damaged")
        return tree_hash

    def _raw_diffs(self, base: str, head: str) -> Mapping[str, Diff]:
        """Return the files that differ between two commits or trees, by path from the top of the repository."""
        output = self._git.run("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", base, head)
        fields = output.split("\0")
        diffs: dict[str, Diff] = {}
        for about, path in zip(fields[:-1:2], fields[1::2], strict=False):
            mode, new_mode, hash_, new_hash, _ = about[1:].split()
            sides = (Blob(mode, hash_), Blob(new_mode, new_hash))
            diffs[path] = Diff(*(side if int(side.hash, 16) else None for side in sides))
        return diffs

    def brought(self, head: str, theirs: str) -> Iterator[tuple[str, str, bytes]]:
        """Yield the path in the vault, the hash and the bytes of each note that only the history of `head` has.

        `theirs`: a commit, or "" for none. A note that had several texts comes several times.
        """
        prefix = self._git.where().prefix
        revs = (head, f"^{theirs}") if theirs else (head,)
        listed = self._git.read(
            "rev-list", "--objects", "--no-object-names", *revs, "--", most_bytes=MOST_LOG, remedy=PULL
        )
        new = set(listed.split())
        options = ("--no-show-signature", "--format=", "-c", "--root", "--raw", "--no-abbrev", "--no-renames", "-z")
        fields = iter(self._git.read("log", *options, *revs, "--", most_bytes=MOST_LOG, remedy=PULL).split("\0"))
        changes = ((about.split(" ")[-2], next(fields)) for about in fields if about.strip())
        paths = dict[str, str]()
        for hash_, path in changes:  # a text may be at several paths, of which only some are those of notes
            if hash_ in new and is_note(path) and is_in_vault(path, prefix):
                paths.setdefault(hash_, path)
        hashes = list(paths)
        for hash_, data in zip(hashes, self._objects.files(hashes), strict=True):
            if data is not None:  # else it is larger than a note may be
                yield self._adopted(paths[hash_], prefix), hash_, data

    def in_vault(self, diffs: Mapping[str, Diff]) -> dict[str, Diff]:
        """Return the files that are in the vault, by their path in it. `diffs`: as from `raw_diffs`.

        A file that only got another spelling, such as NFC instead of NFD, is one file.
        """
        prefix = self._git.where().prefix
        in_vault_diffs: dict[str, Diff] = {}
        for path, diff in diffs.items():
            if is_in_vault(path, prefix):
                adopted = self._adopted(path, prefix)
                other = in_vault_diffs.get(adopted, diff)
                in_vault_diffs[adopted] = Diff(diff.before or other.before, diff.after or other.after)
        return in_vault_diffs

    def outside(self, diffs: Mapping[str, Diff]) -> dict[str, Diff]:
        """Return the files that are not in the vault, by path from the top of the repository."""
        prefix = self._git.where().prefix
        return {path: diff for path, diff in diffs.items() if not is_in_vault(path, prefix)}

    def equal_in_nfc(self, commit: str, paths: Iterable[str]) -> list[str]:
        """Return two files or folders of a commit whose paths are equal in NFC; an empty list if there are none.

        Only `paths`, and the folders above them, are compared with the commit; `paths` count from the repository's top.
        """
        asked = {composed(one) for path in paths if has_forms(path) for one in (path, *folders_of(path))}
        if not asked:
            return []
        found: dict[str, str] = {}
        for path in self._git.run("ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", commit).split("\0"):
            one = composed(path)
            if one in asked and found.setdefault(one, path) != path:
                return [found[one], path]
        return []

    def renames(self, base: str, head: str) -> list[Pair]:
        """Return all renames that git detects, as old and new paths from the top of the repository."""
        options = ("-r", *_RENAMED, "--diff-filter=R", "--name-status")
        fields = self._git.run("diff-tree", *options, base, head).split("\0")
        return [Pair(*pair) for pair in zip(fields[1::3], fields[2::3], strict=False)]

    def _arrivals_since(self, bases: tuple[str, ...], head: str) -> dict[str, Arrivals]:
        """Return the files that each commit since the bases added or renamed, by the commit's hash; no merges."""
        options = ("--no-merges", "--no-show-signature", "--raw", "--no-abbrev", *_RENAMED)
        since = (head, *(f"^{base}" for base in bases))
        mark = secrets.token_hex(8)  # a name may contain any text
        output = self._git.run("log", *options, f"--format={mark}%H", *since, *self._only(), top=True)
        records = (record.partition("\0") for record in output.split(mark)[1:])
        return {rev: self._arrivals(rest.lstrip("\n\0")) for rev, _, rest in records}

    def moves(self, base: str, head: str) -> list[Pair]:
        """Return the files of the vault that were moved between two commits or trees, as far as the texts show it."""
        options = ("-r", "--raw", "--no-abbrev", *_RENAMED)
        return self._arrivals(self._git.run("diff-tree", *options, base, head, *self._only(), top=True)).renamed

    def _only(self) -> list[str]:
        prefix = self._git.where().prefix
        return ["--", prefix] if prefix else ["--"]

    def _arrivals(self, output: str) -> Arrivals:
        """Return the added and renamed files in an output of `--raw -z`.

        No hidden file counts as renamed: no link leads there, and the settings of two plugins, say, are similar.
        """
        prefix, fields = self._git.where().prefix, iter(output.split("\0"))
        renamed, added, changes = dict[str, str](), list[str](), dict[str, PathTexts]()
        for about in filter(None, fields):
            _, _, before, after, status = about.split(" ")
            before, after = (hash_ if int(hash_, 16) else "" for hash_ in (before, after))
            old = self._adopted(next(fields), prefix)
            path = self._adopted(next(fields), prefix) if status.startswith("R") else old
            is_hidden_file = is_hidden(old) or is_hidden(path)
            if not before or (old != path and is_hidden_file):
                added.append(path)
            elif old != path:
                renamed[path] = old
            if not is_hidden_file:
                changes[old] = PathTexts(before, after if old == path else "")
                changes[path] = PathTexts(before if old == path else "", after)
        moved = moved_onto_files(changes, self._are_versions)
        known = {*moved, *moved.values()}
        renamed = {new: old for new, old in renamed.items() if known.isdisjoint({new, old})} | moved
        return Arrivals(
            [Pair(old, new) for new, old in renamed.items()],
            [path for path in added if path not in moved],
            [path for path, texts in changes.items() if texts.after],
        )

    def _are_versions(self, one: str, other: str) -> bool:
        """Return whether the files with two hashes are versions of one text."""
        texts = self._objects.file(one), self._objects.file(other)
        return texts[0] is not None and texts[1] is not None and is_version(texts[0], texts[1])

    def check_size(self, commit: str) -> None:
        """Check that a commit does not have too many files: a few objects may stand for billions."""
        command = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        try:
            self._git.read(*command, most_bytes=_MOST_PATHS)
        except GitTrouble as error:
            remedy = "if it has very many, remove them where they were added"
            raise GitTrouble(f"the files of the commit {commit[:10]} cannot be listed ({error}); {remedy}") from error

    def paths(self, commit: str) -> list[str]:
        """Return the paths of all files of a commit, from the top of the repository."""
        return self._git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")[:-1]

    def blobs(self, commit: str, paths: Collection[str]) -> dict[str, Blob]:
        """Return the files at some paths that a commit or tree has, by path."""
        prefix, found = self._git.where().prefix, {}
        wanted = sorted({spelling for path in paths for spelling in spellings(path)})
        for start in range(0, len(wanted), _AT_ONCE):
            part = [prefix + path for path in wanted[start : start + _AT_ONCE]]
            output = self._git.run("ls-tree", "-z", "--full-tree", commit, "--", *part)
            for line in output.split("\0")[:-1]:
                about, _, path = line.partition("\t")
                mode, _, hash_ = about.split()
                found[self._adopted(path, prefix)] = Blob(mode, hash_)
        return found

    def _adopted(self, path: str, prefix: str) -> str:
        """Return a path in the vault, as the catalog spells it."""
        path = path.removeprefix(prefix)
        adopted = composed(path)
        if not path.isascii():
            self._spellings.setdefault(adopted, set()).add(path)
        return adopted

    def whole(self, path: str) -> str:
        """Return the path from the top of the repository of a path in the vault, as git spells it."""
        return self._git.where().prefix + self.spelled(path)

    def spelled(self, path: str) -> str:
        """Return a path in the vault as git spells it: in NFC if any tree that was read has it so."""
        spellings = self._spellings.get(path, {path})
        return path if path in spellings else min(spellings)

    def write_tree(
        self, onto: str, files: Mapping[str, Blob | NewFile | None], outside: Mapping[str, Blob | None]
    ) -> str:
        """Write a tree that is `onto`, a commit or tree, with some files changed; return its hash. None removes a file.

        `outside`: files outside of the vault, by path from the top of the repository.
        """
        prefix = self._git.where().prefix
        new = {path: file for path, file in files.items() if isinstance(file, NewFile)}
        hashes = dict(zip(new, self._stored([file.data for file in new.values()]), strict=True))
        gone = "0" * self._git.where().digits
        entries = {
            path: Blob(file.mode, hashes[path]) if isinstance(file, NewFile) else file for path, file in files.items()
        }
        whole: dict[str, Blob | None] = {
            prefix + path: None for one in entries for path in self._spellings.get(one, ())
        }
        whole |= {prefix + self.spelled(path): entry for path, entry in entries.items()} | dict(outside)
        data = index_lines(whole, gone)
        with self._git.index_for("merge") as index:
            self._git.run("read-tree", "--no-recurse-submodules", onto, index=index)
            self._git.run("update-index", "-z", "--index-info", data=data, index=index)
            return self._git.run("write-tree", index=index).strip()

    def _stored(self, texts: Sequence[bytes]) -> list[str]:
        """Store texts in the repository without filters, and return their hashes."""
        if not texts:
            return []
        with tempfile.TemporaryDirectory(prefix="zkmem-") as folder:
            paths = [os.path.join(folder, str(number)) for number in range(len(texts))]
            for path, data in zip(paths, texts, strict=True):
                with open(path, "wb") as file:
                    file.write(data)
            names = "\n".join(paths).encode()
            return self._git.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=names).split()

    def text_at(self, tree: str, path: str) -> bytes:
        """Return the bytes of the file at a path, from the top of the repository, in a commit or tree.

        Return no bytes if there is no file, or if it is larger than a note may be.
        """
        return self._objects.file_at(f"{tree}:{path}")

    def data(self, blob: Blob) -> bytes | None:
        """Return the bytes of a file; None if it is larger than a note may be."""
        return self._objects.file(blob.hash)

    def filtered(self) -> FilteredFiles:
        """Return a reader of files as they would be on disk. `whole` gives it the paths."""
        return self._objects.filtered()

    def is_on_disk(self, blob: Blob, path: str, full: str) -> bool:
        """Return whether git would store the file `full` as this blob, with the filters for a path of the vault."""
        return self.hash_on_disk(full, self._git.where().prefix + self.spelled(path), {blob.hash}) == blob.hash

    def _plain_hash(self, full: str) -> str:
        """Return the hash that git gives the bytes of a file if it does not convert them."""
        with open(platform.current.opened(full, os.O_RDONLY), "rb") as file:
            digest = self._git.where().hasher(os.fstat(file.fileno()).st_size)
            while part := file.read(_PART):
                digest.update(part)
        return digest.hexdigest()

    def hash_on_disk(self, full: str, path: str, known: Collection[str | None]) -> str:
        """Return the hash that the file `full` would have in git. `path`: its path from the top of the repository.

        If its bytes as they are have one of the hashes `known`, return that one: they are what git stored, although
        settings that changed since, such as line ends, may make git store them in another way now.
        """
        if known and (plain := self._plain_hash(full)) in known:
            return plain
        options = ["hash-object", f"--path={path}", "--", full]
        return self._git.run(*options, top=True, patience_s=TRANSFER_S).strip()


def is_in_vault(path: str, prefix: str) -> bool:
    """Return whether a file of the repository is in the vault at `prefix`, and zkmem can have its name.

    Return False for a name that is not UTF-8, and for one that NFC turns into an ASCII name: another file may have it.
    """
    if not path.startswith(prefix):
        return False
    names = [] if path.isascii() else [name for name in path.split("/") if not name.isascii()]
    return not any(_SURROGATE.search(name) or composed(name).isascii() for name in names)


def has_forms(path: str) -> bool:
    """Return whether a path can be written in several Unicode forms."""
    return not path.isascii() and not (
        unicodedata.is_normalized("NFD", path) and unicodedata.is_normalized("NFC", path)
    )


def index_lines(entries: Mapping[str, Blob | None], gone: str) -> bytes:
    """Return the input of `update-index -z --index-info` for some files; `gone` is the hash that stands for no file."""
    lines = [f"{one.mode} {one.hash}\t{path}\0" if one else f"0 {gone}\t{path}\0" for path, one in entries.items()]
    lines.sort(key=lambda line: not line.startswith("0 "))  # removed files first: a folder may get the path of one
    return "".join(lines).encode(errors="surrogateescape")
