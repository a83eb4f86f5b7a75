"""Commit each edit by a tool to the vault's git repository: one commit of exactly the files that the edit touched.

This module runs the `git` command, so that the repository's filters and the user's signing apply.
Hooks do not run: many of them change the files that they check, which a person may be editing. zkmem commits through
an index of its own. It applies a change to the file in the last commit, and to the file in the user's index. Its
commits therefore contain none of the user's own changes, staged or not.
"""

import contextlib
import os
import pathlib
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from zkmem.errors import NoVersion
from zkmem.names import is_note, name_of, spellings
from zkmem.util.threeway import merged_bytes
from zkmem.vault.files import MOST_BYTES, create, read
from zkmem.vault.git.attributes import encoding_refused, encodings, garbled
from zkmem.vault.git.command import TRANSFER_S, EncodingRefused, Git, GitTrouble
from zkmem.vault.git.displaced import is_version
from zkmem.vault.git.trees import Blob, has_forms, index_lines
from zkmem.vault.git.worktree import Private
from zkmem.vault.journal.log import MOST_S, printable_name
from zkmem.vault.journal.state import FOLDER, StateFolder
from zkmem.vault.paths import TRASH

_PLAIN = "100644"
_STAGES_IN_CONFLICT = {"1", "2", "3"}


class CommittedChange(NamedTuple):
    """The bytes of a file before and after an edit (None: there is no file), and the path it was moved from."""

    before: bytes | None
    after: bytes | None
    source: str | None = None


Before = Callable[[Mapping[str, bytes]], bool]
"""Gets the bytes of files that are in no commit, by path; returns whether it has committed something."""


def seconds_in(text: str) -> float:
    """Return a time that git prints, in seconds since 1970. A commit of others may have any time, or none."""
    return min(max(0.0, float(text or 0)), MOST_S)


class Commit(NamedTuple):
    """A commit that touched a file, the file's path in the commit, and all paths that the log lists for it."""

    rev: str
    time: float
    author: str
    machine: str  # that made it, as a trailer of zkmem names it; "" if there is none
    edit: str  # the number of the edit that is committed, as a trailer of zkmem names it; "" if there is none
    call: str  # the hash of the call that made this edit: see `vault/journal/origins.py`; "" if there is none
    subject: str
    path: str
    paths: tuple[str, ...] = ()


class History:
    """Reads and makes the commits of a vault."""

    def __init__(self, root: str, state: StateFolder, most_bytes: int = MOST_BYTES, allowed: str | None = None) -> None:
        """Read no file of more than `most_bytes`, neither on disk nor in a commit. `allowed`: see `Git`."""
        self.git = Git(root, state.path("git-index"), allowed)
        self.most_bytes = most_bytes
        self.private = Private(self.git, state)
        self._index_of: str | None = None  # the commit that zkmem's index equals

    @property
    def prefix(self) -> str:
        """The path of the vault in the repository, with a "/" at its end, or ""."""
        return self.git.where().prefix

    def init(self, settings: str) -> bool:
        """Make a repository of the vault unless it is in one already; return whether one was made.

        The first commit holds the `.gitignore` files and the file of settings, `settings`.
        """
        with contextlib.suppress(GitTrouble):
            self.git.look()
            return False
        self.git.init()
        with contextlib.suppress(FileExistsError):
            create(os.path.join(self.git.root, ".gitignore"), f"{TRASH}/\n".encode(), durable=False)
        files = {path: self._read(path) for path in (".gitignore", f"{FOLDER}/.gitignore", settings)}
        self.commit(
            {path: CommittedChange(None, data) for path, data in files.items() if data is not None}, "zkmem", "zkmem"
        )
        return True

    def commit(
        self, changes: Mapping[str, CommittedChange], message: str, author: str | None, before: Before = lambda _: False
    ) -> list[str]:
        """Commit some changes, by path; return a sentence for each file that was left out.

        A file is left out if its change cannot be separated from the user's own changes. `author`: None for the user.
        `before`: commits first what the user has done to files that the edit has found and that are in no commit.
        """
        place = self.git.where()
        if reason := place.in_use():
            raise GitTrouble(reason)
        head, _, old_tree = self.git.run("rev-parse", "HEAD^{commit}", "HEAD^{tree}", failing=True).partition("\n")
        here = {
            place.prefix + path: change._replace(source=place.prefix + (change.source or path))
            for path, change in changes.items()
            if not self._in_other_repository(path)
        }
        here = self._as_in(head, here)
        paths = list(dict.fromkeys(path for new, change in here.items() for path in (new, change.source or new)))
        if not paths:
            return []
        committed = _plain(self._listed("ls-tree", "-z", "--full-tree", head, "--", *paths) if head else {})
        listing = ("--literal-pathspecs", "ls-files", "-z", "--stage", "--full-name")
        staged = _plain(self._listed(*listing, "--", *paths, top=True))
        here = self._shared(here, committed, staged)
        entries, left_out, strange = self._entries(here, committed)
        if strange and before({path.removeprefix(place.prefix): data for path, data in strange.items()}):
            return self.commit(changes, message, author)
        tree = self._tree(head, entries)
        # a commit without changes names a move that the user has committed: git may not detect the move itself,
        # because another file has the old path
        is_move = any(here[path].source != path and here[path].source in committed for path in entries)
        if not entries or (tree == old_tree.strip() and not is_move):
            return left_out
        new = self.git.commit_tree(tree, head, message, author)
        # the user's index first: if it lacked this change, the user's next commit would undo it
        self._update_index(self._onto_staged(here, entries, committed, staged))
        self.git.run("update-ref", "-m", f"zkmem: {message.splitlines()[0]}", "HEAD", new, head)
        self._index_of = new
        return left_out

    def _as_in(self, head: str, changes: dict[str, CommittedChange]) -> dict[str, CommittedChange]:
        """Return changes with the paths as a commit spells them: some of its names may be in NFD."""
        paths = {path for new, change in changes.items() for path in (new, change.source or new) if has_forms(path)}
        forms = {spelling: path for path in paths for spelling in spellings(path)}
        committed = self._listed("ls-tree", "-z", "--full-tree", head, "--", *forms) if head and forms else {}
        spelled = {forms[path]: path for path in committed}
        return {
            spelled.get(path, path): change._replace(source=spelled.get(change.source or path, change.source))
            for path, change in changes.items()
        }

    def _in_other_repository(self, path: str) -> bool:
        """Return whether a path is in a submodule, or in another repository inside this one."""
        folder = os.path.dirname(path)
        while folder:
            if os.path.lexists(os.path.join(self.git.root, folder, ".git")):
                return True
            folder = os.path.dirname(folder)
        return False

    def _tree(self, head: str, entries: Mapping[str, Blob | None]) -> str:
        """Write the tree of the commit `head` with some entries changed; return its hash."""
        pathlib.Path(self.git.index + ".lock").unlink(
            missing_ok=True
        )  # a process that died left it: only zkmem uses it
        if self._index_of != head or not os.path.exists(self.git.index):
            self.git.run("read-tree", "--no-recurse-submodules", head or "--empty", index=self.git.index)
        self._index_of = None
        self._update_index(entries, self.git.index)
        return self.git.run("write-tree", index=self.git.index).strip()

    def _entries(
        self, changes: Mapping[str, CommittedChange], onto: Mapping[str, Blob]
    ) -> tuple[dict[str, Blob | None], list[str], dict[str, bytes]]:
        """Return the entries that apply the changes onto the entries `onto`, keeping other changes in the same files.

        Also return a sentence about each file that is left out, because the change conflicts with the file in `onto` or
        git cannot store it. The third result has the texts before the changes that are no version of the file in
        `onto`, by the path that they had. A moved note gets its new path even if its change conflicts; it keeps the
        text that it has in `onto`. Otherwise, a new note at the old path would be taken for the moved one.
        """
        files: dict[str, bytes] = {}
        made: dict[str, Blob | None] = {}
        left_out, strange = list[str](), dict[str, bytes]()
        for path, (before, after, source) in changes.items():
            entry = onto.get(source or path)
            if before is not None and entry is None:
                strange[source or path] = before
            if after is None:
                made |= {path: None} if path in onto else {}
                continue
            there = before
            if entry and before is not None and self.git.where().plain_hash(before) != entry.hash:
                there = self._blob(entry.hash, path)
            is_other = before is not None and there is not None and not is_version(before, there)
            now = self._blob(onto[path].hash, path) if entry and source != path and path in onto else None
            if now is not None and (now == after or (is_other and is_version(now, after))):
                made |= {path: onto[path]}  # the user has committed the move already; another file has the old path
                continue
            strange |= {source or path: before} if before is not None and is_other else {}
            merged = after if there == before else merged_bytes(before or b"", after, there or b"")
            if merged is None:
                left_out.append(f"changes of yours that are not committed are in the same lines of {path!r}")
                made |= {path: entry} if entry and source != path else {}
            else:
                files[path] = merged
        modes = {path: onto.get(change.source or path, Blob(_PLAIN, "")).mode for path, change in changes.items()}
        blobs, refused = self._stored(files)
        made |= {path: Blob(modes[path], blob) for path, blob in blobs.items()}
        return made, left_out + refused, strange

    def _onto_staged(
        self,
        changes: Mapping[str, CommittedChange],
        entries: Mapping[str, Blob | None],
        known: Mapping[str, Blob],
        staged: Mapping[str, Blob],
    ) -> dict[str, Blob | None]:
        """Return the entries for the user's index. Changes that the user has staged in the same files stay staged."""

        def differs(path: str) -> bool:
            return path in known and path in staged and known[path] != staged[path]

        own = {path: changes[path] for path in entries if differs(changes[path].source or path)}
        removed = {path for path in entries if path in known and path not in staged}
        ours = {path: entry for path, entry in entries.items() if path not in removed}
        merged, _, _ = self._entries(own, staged)
        return {path: entry for path, entry in ours.items() if path not in own} | merged

    def _listed(self, *arguments: str, top: bool = False) -> dict[str, Blob]:
        """Return the files that `ls-tree` or `ls-files --stage` prints, by path; refuse conflicts."""
        files: dict[str, Blob] = {}
        for line in self.git.run(*arguments, top=top).split("\0")[:-1]:
            about, _, path = line.partition("\t")
            mode, one, other = about.split()  # the mode, the type and the hash, or the mode, the hash and the stage
            if other in _STAGES_IN_CONFLICT:
                raise GitTrouble("the index has a conflict; resolve it, then run `git add`")
            files[path] = Blob(mode, one if other == "0" else other)
        return files

    def _update_index(self, entries: Mapping[str, Blob | None], index: str = "") -> None:
        data = index_lines(entries, "0" * self.git.where().digits)
        self.git.run("update-index", "-z", "--index-info", data=data, index=index)

    def _stored(self, files: Mapping[str, bytes]) -> tuple[dict[str, str], list[str]]:
        """Store files in git as `_blobs` does; leave out those in another encoding than a rule gives them.

        Return the hashes by path, and a sentence about each file that is left out: it must not keep the others back.
        """
        blobs, refused = dict[str, str](), set[str]()
        try:
            blobs |= self._blobs(files)
        except EncodingRefused:
            for path, data in files.items():
                try:
                    blobs |= self._blobs({path: data})
                except EncodingRefused:
                    refused.add(path)
        if converted := [path for path, blob in blobs.items() if self.git.where().plain_hash(files[path]) != blob]:
            encodings_of = encodings(self.git, converted)
            refused |= garbled(self.git, encodings_of, ((path, files[path]) for path in filter(is_note, encodings_of)))
        stored = {path: blob for path, blob in blobs.items() if path not in refused}
        return stored, [encoding_refused(path) for path in files if path in refused]

    def _blobs(self, files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
        """Store the bytes of files in git, with the filters for their paths; yield each path and its hash.

        One command stores all files whose bytes are on disk already.
        """
        on_disk = [path for path, data in files.items() if _is_plain(path) and self._read(path, len(data)) == data]
        if on_disk:
            hashes = self.git.run("hash-object", "-w", "--stdin-paths", data="\n".join(on_disk).encode(), top=True)
            yield from zip(on_disk, hashes.split(), strict=True)
        for path in files.keys() - set(on_disk):
            yield (
                path,
                self.git.run("hash-object", "-w", "--path", path, "--stdin", data=files[path], top=True).strip(),
            )

    def _blob(self, blob: str, path: str) -> bytes:
        """Return the bytes of a blob as they would be on disk at a path."""
        fits = (self._size(blob) or 0) <= self.most_bytes
        done = self.git.call(["cat-file", "--filters", f"--path={path}", blob]) if fits else None
        if done is None or done.returncode:
            raise GitTrouble(
                f"{path!r} cannot be read from the last commit; `git fsck` shows whether the repository is damaged"
            )
        return done.stdout

    def _read(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        try:
            return read(os.path.join(self.git.where().top, path), most)[0]
        except OSError:
            return None

    def _shared(
        self, changes: Mapping[str, CommittedChange], known: Mapping[str, Blob], staged: Mapping[str, Blob]
    ) -> dict[str, CommittedChange]:
        """Return the changes without those of files that git ignores, and of private files. A moved file stays private.

        `known`: the files of the last commit; `staged`: those of the user's index.
        """
        is_private = self.private.test()
        private = {
            path
            for path, change in changes.items()
            for source in (change.source or path, path)
            if source not in known and source not in staged and is_private(source)
        }
        if moved := [path for path in private if not is_private(path)]:
            self.private.add(moved)
        changes = {path: change for path, change in changes.items() if path not in private}
        new = "".join(path + "\0" for path, change in changes.items() if path not in known and change.after is not None)
        text = self.git.run("check-ignore", "-z", "--stdin", data=new.encode(), failing=True, top=True) if new else ""
        ignored = set(text.split("\0"))
        return {path: change for path, change in changes.items() if path not in ignored}

    def log(self, path: str | None, count: int) -> list[Commit]:
        """Return the last commits, last first; with `path`, the commits of that file under each name it had."""
        mark = secrets.token_hex(8)  # a commit of others may contain any text
        machine = "%(trailers:key=Zkmem-Machine,valueonly,separator=%x20)"
        edit = "%(trailers:key=Zkmem-Edit,valueonly,separator=%x20)"
        call = "%(trailers:key=Zkmem-Call,valueonly,separator=%x20)"
        form = f"--format={mark}%H%x00%at%x00%an%x00{machine}%x00{edit}%x00{call}%x00%s"
        only = ["--follow", "--", path] if path else ["--", "."]
        output = self.git.run(
            "--literal-pathspecs",
            "log",
            "--no-show-signature",
            "-z",
            f"-{count}",
            form,
            "--name-only",
            "--relative",
            *only,
            failing=True,
        )
        commits = []
        for record in output.split(mark)[1:]:
            rev, when, author, machine, edit, call, subject, *names = record.split("\0")
            names = [name for name in (name.removeprefix("\n") for name in names) if name]
            first = names[0] if names else path or ""
            machine = printable_name(machine)
            commits.append(Commit(rev, seconds_in(when), author, machine, edit, call, subject, first, tuple(names)))
        return commits

    def text(
        self,
        rev: str,
        path: str,
        has: Callable[[str], bool] = lambda _: True,
        earlier: Callable[[str], str | None] = lambda _: None,
    ) -> bytes | None:
        """Return the bytes that a file had in a revision, under any name it had; None if either does not exist.

        `has`: returns whether a name may be used; `earlier`: returns the name of the file in a commit that the log of
        the file may lack, because git follows no file into both branches of a merge.
        """
        full = self.git.rev(rev)
        if not full:
            return None
        result = self._at(full, path)
        if result is None:
            names = (one.path for one in self.log(path, 10_000) if one.rev == full and has(one.path))
            result = next((data for name in names if (data := self._at(full, name)) is not None), None)
        if result is None and (name := earlier(full)) and has(name):
            result = self._at(full, name)
        return result

    def _at(self, commit: str, path: str) -> bytes | None:
        """Return the bytes that a file had in a commit; None if it was not there."""
        name = f"{commit}:./{path}"
        size = self._size(name)
        if size is None:
            return None
        if size > self.most_bytes:
            raise NoVersion(
                f"{name_of(path)!r} was larger than max_note_mb in this revision. To read its text, raise max_note_mb."
            )
        done = self.git.call(["cat-file", "--filters", name])
        return done.stdout if done.returncode == 0 else None

    def _size(self, blob: str) -> int | None:
        """Return the size of the blob of a name in bytes; None if there is none."""
        size = self.git.run("cat-file", "-s", blob, failing=True).strip()
        return int(size) if size.isdecimal() else None

    def last_message(self) -> str:
        """Return the message of the last commit; "" if there is none."""
        return self.git.run("log", "--no-show-signature", "-1", "--format=%B", failing=True)

    def absent(self, paths: Collection[str], rev: str = "HEAD") -> set[str]:
        """Return those paths at which a commit has no file."""
        whole = [self.prefix + path for path in paths]
        committed = self._listed("ls-tree", "-z", "--full-tree", rev, "--", *whole) if whole else {}
        return {path for path in paths if self.prefix + path not in committed}

    def before_replaced(self, old: str, new: str, since: str) -> str:
        """Return the parent of the commit that removed the file `old` and added `new`; "" if there is none.

        Only the commits after `since` are searched.
        """
        options = ["--no-show-signature", "--no-renames", "--diff-filter=A", "--format=%H", f"{since}..HEAD"]
        paths = ("--", self.prefix + new)
        added = self.git.run("--literal-pathspecs", "log", *options, *paths, top=True).split()[-1:]
        return next((f"{rev}^" for rev in added if self.absent([old], rev) and not self.absent([old], f"{rev}^")), "")

    def had(self, path: str, data: bytes, rev: str) -> bool:
        """Return whether a file had some bytes in a commit, or in one before it."""
        blob = self.git.run("hash-object", "--stdin", data=data).strip()
        options = ["--no-show-signature", "-1", "--format=%H", f"--find-object={blob}", rev]
        return bool(self.git.run("--literal-pathspecs", "log", *options, "--", self.prefix + path, top=True).strip())

    def changed(self) -> list[str]:
        """Return the files of the last commit that are changed or gone."""
        head = self.git.rev("HEAD")
        options = ("-z", "--name-only", "--no-renames", "--ignore-submodules", "--diff-filter=a")
        output = self.git.run("diff-index", *options, head, "--", ".", patience_s=TRANSFER_S) if head else ""
        return [path.removeprefix(self.prefix) for path in output.split("\0")[:-1]]

    def tree(self, onto: str, texts: Mapping[str, bytes]) -> str:
        """Write a tree with the files of the tree `onto` and the files `texts`; return its hash."""
        blobs = self._blobs({self.prefix + path: data for path, data in texts.items()})
        return self._tree(onto, {path: Blob(_PLAIN, blob) for path, blob in blobs})

    def unchanged(self, paths: Collection[str]) -> set[str]:
        """Return the files that have the same bytes on disk and in the last commit."""
        if not paths or not self.git.rev("HEAD"):
            return set()
        prefix = self.git.where().prefix
        here = [prefix + path for path in paths if _is_plain(prefix + path)]
        committed = self._listed("ls-tree", "-z", "--full-tree", "HEAD", "--", *here)
        hashes = self.git.run("hash-object", "--stdin-paths", data="\n".join(here).encode(), top=True).split()
        same = zip(here, hashes, strict=True)
        return {path.removeprefix(prefix) for path, blob in same if path in committed and committed[path].hash == blob}


def _plain(entries: Mapping[str, Blob]) -> dict[str, Blob]:
    """Return the entries that are files. A note takes the place of a link, a folder or another repository."""
    return {path: entry for path, entry in entries.items() if entry.is_plain}


def _is_plain(path: str) -> bool:
    """Return whether `hash-object --stdin-paths` accepts a path without quoting."""
    return "\n" not in path and not path.startswith('"')
