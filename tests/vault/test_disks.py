"""Real disks that refuse: full, read-only, with a read-only file or folder among the files of an edit."""

import contextlib
import errno
import functools
import importlib
import json
import os
import pathlib
import pkgutil
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator

import pytest

import zkmem
from tests.tools.crashes import EDITS, die, in_child, make, snapshot, with_fault
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.cli.checks import vault as checks
from zkmem.cli.checks.target import CheckedVault, Trouble
from zkmem.errors import Unwritable, ZkError
from zkmem.memory import Memory
from zkmem.toolsets.table import chosen
from zkmem.vault.journal import log


@contextlib.contextmanager
def mounted(folder: pathlib.Path, options: str) -> Iterator[str]:
    """A file system in memory, for those who may mount one."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("no right to mount a file system")
    try:
        yield str(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _fill(root: str, leave: int) -> None:
    info = os.statvfs(root)
    with open(os.path.join(root, ".filler"), "wb") as file:
        file.write(b"x" * max(0, info.f_bavail * info.f_bsize - leave))


def test_a_path_that_the_disk_cannot_have_is_refused_and_stops_no_other_edit(tmp_path: pathlib.Path) -> None:
    deep = "/".join("d" * 200 for _ in range((3500 - len(str(tmp_path))) // 201))
    root = tmp_path / deep
    root.mkdir(parents=True)
    memory = Memory(str(root))
    memory.write("a", "one\n")
    name = "/".join("f" * 220 for _ in range(4))
    with pytest.raises(Unwritable, match=r"its path is too long for the disk; .* Nothing was changed"):
        memory.write(name, "x\n")
    with pytest.raises(Unwritable, match=r"its path is too long for the disk; .* Nothing was changed"):
        memory.rename("a", name)
    memory.write("a", "two\n")
    assert read(root) == {"a.md": b"two\n"}


def test_an_interrupted_edit_whose_paths_became_too_long_is_taken_back(tmp_path: pathlib.Path) -> None:
    """Somebody moves the vault deep down after a crash."""
    root, name = tmp_path / "vault", "/".join("f" * 220 for _ in range(4))
    write(root, {"a.md": "a\n"})
    with_fault(str(root), lambda m: m.rename("a", name), lambda _, call: die() if call == "rename_to_free" else None)
    assert list((root / ".zkmem/journal").glob("*.record"))
    deep = tmp_path / "/".join("d" * 200 for _ in range((3500 - len(str(tmp_path))) // 201))
    deep.parent.mkdir(parents=True)
    root.rename(deep)
    memory = Memory(str(deep))
    memory.write("b", "b\n")
    assert read(deep) == {"a.md": b"a\n", "b.md": b"b\n"}


@pytest.mark.parametrize("leave", [0, 4_096, 20_480, 61_440, 400_000])
@pytest.mark.parametrize("edit", ["rename", "merge", "extract", "set"])
def test_a_full_disk_refuses_all_of_an_edit(tmp_path: pathlib.Path, edit: str, leave: int) -> None:
    with mounted(tmp_path / "disk", "size=4m") as root:
        make(root, 40)
        _fill(root, leave)
        before = snapshot(root)
        try:
            EDITS[edit](Memory(root))
            refused = False
        except Unwritable as error:
            assert "No space left on device" in str(error)  # noqa: PT017 - whether it is refused depends on the file system
            refused = True
        assert refused or leave > 0
        assert not refused or snapshot(root) == before
        os.unlink(os.path.join(root, ".filler"))
        before.pop(".filler")
        if refused:
            EDITS[edit](Memory(root))
        assert snapshot(root) != before


def test_a_disk_that_is_mounted_read_only_serves_reads(tmp_path: pathlib.Path) -> None:
    with mounted(tmp_path / "disk", "size=4m") as root:
        make(root, 3)
        before = snapshot(root)
        subprocess.run(["mount", "-o", "remount,ro", root], check=True)
        memory = Memory(root)
        assert memory.read("note").text.startswith("# Note")
        with pytest.raises(Unwritable, match="on a read-only disk: notes can be read, not changed"):
            memory.rename("note", "other name")
        assert snapshot(root) == before


def test_a_file_that_may_not_grow_is_refused(tmp_path: pathlib.Path) -> None:
    """The limit on the size of files stands in for a quota, and needs no rights."""
    root = make(str(tmp_path), 3)
    before = snapshot(root)

    def work() -> None:
        memory = Memory(root)
        memory.load()
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        memory.write("note", "x" * 200_000)

    assert in_child(work) == 3
    assert snapshot(root) == before


def read_and_edit(root: str) -> list[str]:
    m = Memory(root)
    lines = [m.read("note").text, m.hints()[0].name]
    edits: list[Callable[[], object]] = [
        lambda: m.write("note", "x"),
        lambda: m.rename("note", "new"),
        lambda: m.rename("note", "other", merge=True),
    ]
    for edit in edits:
        try:
            edit()
        except ZkError as error:
            lines.append(f"{type(error).__name__}: {error}")
        else:
            lines.append("done")
    return lines


@pytest.fixture
def open_folder() -> Iterator[pathlib.Path]:
    """A folder that every user can enter. Each start of pytest closes the parent of ``tmp_path`` to other users."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


_NOT_NEEDED = ("__main__", "win", "macos", "zkmem.serve", "zkmem.lsp", "zkmem.cli.", "zkmem.anthropic")


@functools.cache
def _import_all() -> None:
    """Import what work in `_as_nobody` may need: the other user may not be able to read the files of modules."""
    for one in pkgutil.walk_packages(zkmem.__path__, "zkmem."):
        if not any(part in one.name for part in _NOT_NEEDED):
            importlib.import_module(one.name)
    for name in ("filelock", "networkx"):
        importlib.import_module(name)


def _as_nobody(root: str, work: Callable[[str], list[str]] = read_and_edit) -> list[str]:
    """Return the lines that `work` returns in a process of another user, since permissions do not stop root."""
    _import_all()
    with tempfile.TemporaryFile("w+") as output:

        def run() -> None:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            json.dump(work(root), output)
            output.flush()

        assert in_child(run) == 0
        output.seek(0)
        lines: list[str] = json.load(output)
        return lines


def _give_all(root: str) -> None:
    for folder, _, names in os.walk(root):
        os.chmod(folder, 0o777)
        for name in names:
            os.chmod(os.path.join(folder, name), 0o666)


@pytest.mark.parametrize(("path", "mode"), [("d", 0o555), ("d/note 1.md", 0o444)])
def test_a_read_only_folder_or_file_among_the_referrers_refuses_all_of_an_edit(
    open_folder: pathlib.Path, path: str, mode: int
) -> None:
    root = make(str(open_folder / "vault"), 5)
    _give_all(root)
    os.chmod(os.path.join(root, path), mode)
    before = snapshot(root) | {"note.md": b"x"}
    lines = _as_nobody(root)
    os.chmod(os.path.join(root, path), 0o777)
    assert lines[2] == "done"
    assert [answer.partition(":")[0] for answer in lines[3:]] == ["Unwritable", "Unwritable"]
    assert all("d/note" in answer and "Nothing was changed" in answer for answer in lines[3:])
    assert snapshot(root) == before


def edit_and_check(root: str) -> list[str]:
    tools = {tool.name: tool for tool in chosen(["zettel", "history"]).tools}
    m = Memory(root)
    calls: list[tuple[str, dict[str, object]]] = [
        ("rename_content", {"name": "tea", "new_name": "green tea"}),
        ("extract_content", {"name": "green tea", "content": "A passage.", "new_name": "passage"}),
        ("rename_content", {"name": "other", "new_name": "hint"}),
        ("delete_content", {"name": "passage"}),
        ("undo", {}),
        ("set_content", {"name": "new", "content": "[[tea]]"}),
    ]
    lines = [tools[name].call(m, given).texts[0] for name, given in calls]
    lines.append(tools["rename_content"].call(m.restricted(Grant("in")), {"name": "in/a", "new_name": "b"}).texts[0])
    lines.append(", ".join(f"{one.kind}: {one.note}" for one in m.check()))
    try:
        lines.append(checks.vault(CheckedVault(root)))
    except Trouble as error:
        lines.append(error.problem)
    return lines


@pytest.fixture
def closed(open_folder: pathlib.Path) -> Iterator[str]:
    """A vault with a folder that may not be listed, one whose files may not be opened, and a note that may not."""
    files = {
        "tea.md": "Tea. A passage.\n", "hint.md": "[[tea]] [[other]]\n", "other.md": "Other.\n", "in/a.md": "A.\n",
        "secret/diary.md": "[[tea]]\n", "in/secret/diary.md": "[[tea]]\n", "listed/n.md": "[[tea]]\n",
        "listed/p.png": "", "closed.md": "[[tea]]\n",
    }  # fmt: skip
    root = write(open_folder / "vault", files)
    _give_all(root)
    modes = {"secret": 0o000, "in/secret": 0o000, "listed": 0o444, "closed.md": 0o000}
    for path, mode in modes.items():
        os.chmod(os.path.join(root, path), mode)
    yield root
    for path in modes:
        os.chmod(os.path.join(root, path), 0o777)


def test_what_cannot_be_read_is_named_by_every_edit_that_updates_links(closed: str) -> None:
    *edits, new, own, check, doctor = _as_nobody(closed, edit_and_check)
    unread = "not checked, unreadable: closed, in/secret/, listed/n, secret/"
    assert [edit.partition(" ")[0] for edit in edits] == ["moved", "created", "merged", "moved", "undid"]
    for edit in edits:
        assert unread in edit
    assert "unreadable" not in new
    assert "not checked, unreadable: in/secret/" in own
    assert not any(part in own for part in ("closed", "listed", " secret"))
    for path in ("closed", "in/secret", "listed/n.md", "secret"):
        assert f"unreadable: {path}" in check
    assert "5 files or folders cannot be read: closed.md, in/secret/, listed/n.md and 2 more" in doctor


def test_a_vault_that_may_not_be_written_serves_reads(open_folder: pathlib.Path) -> None:
    root = make(str(open_folder / "vault"), 1)
    _give_all(root)
    subprocess.run(["rm", "-r", os.path.join(root, ".zkmem")], check=True)
    os.chmod(root, 0o555)
    before = snapshot(root)
    lines = _as_nobody(root)
    os.chmod(root, 0o755)
    assert lines[0].startswith("# Note")
    assert lines[2:] == ["Unwritable: The vault's folder .zkmem/ cannot be written: Permission denied."] * 3
    assert snapshot(root) == before


def test_an_edit_of_many_files_on_a_slow_disk_has_few_of_them_open(tmp_path: pathlib.Path) -> None:
    root = make(str(tmp_path), 300)

    def work() -> None:
        memory = Memory(root)
        memory.load()
        fsync = os.fsync

        def slow(handle: int) -> None:
            time.sleep(0.01)
            fsync(handle)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", slow)
            most = len(os.listdir("/proc/self/fd")) + 180  # other tests may have files open
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            EDITS["rename"](memory)

    assert in_child(work) == 0


def _refused_log(patch: pytest.MonkeyPatch, name: str, left: int) -> None:
    """Make a function that the log writes with fail, once it has written all bytes but some."""

    def fails(*arguments: object, **_: object) -> None:
        if isinstance(arguments[0], int) and isinstance(arguments[1], bytes):
            os.write(arguments[0], arguments[1][: len(arguments[1]) - left])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patch.setattr(log, name, fails)


def test_the_log_has_no_edit_that_was_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(str(tmp_path))
    memory.write("a", "one")
    with monkeypatch.context() as patch:
        _refused_log(patch, "write_all", 1)  # all but the line end
        with pytest.raises(Unwritable, match="No space left on device"):
            memory.write("a", "two")
    assert memory.read("a").text == "one"
    assert [edit.rev for edit in memory.log()] == ["1"]
    memory.undo()


def test_an_edit_is_made_though_the_log_cannot_be_cut(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(str(tmp_path))
    memory.write("a", "one")
    with monkeypatch.context() as patch:
        patch.setattr(log, "_MOST", 10)
        _refused_log(patch, "create", 0)
        memory.write("a", "two")
    assert memory.read("a").text == "two"
    memory.undo()
    assert memory.read("a").text == "one"
