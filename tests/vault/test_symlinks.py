"""No symbolic link in a vault is followed, though it be put there in the middle of a call."""

import ast
import contextlib
import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import zkmem
from tests.tools.inner import engine
from tests.tools.vaults import read, write
from zkmem import config
from zkmem.cli.config import turn_on
from zkmem.edit.journal import Author
from zkmem.edit.plan import Plan, View
from zkmem.edit.rename import plan_rename
from zkmem.errors import NoVault, Taken, Unwritable, ZkError
from zkmem.index.reader import Job, row_of
from zkmem.memory import Memory
from zkmem.settings import Settings
from zkmem.vault import files, platform
from zkmem.vault.files import Stamp
from zkmem.vault.journal.step import StepOnDisk
from zkmem.vault.platform.posix import Posix
from zkmem.vault.store import Store

CANARY = b"xyzzy"
_OPENED, _READ, _NONBLOCK = 0x20, 0x01, 0o4000  # of inotify


def opened_by_parts(full: str, flags: int, mode: int = 0o666) -> int:
    """Open a file as a system without `openat2` does."""
    return Posix().opened(full, flags, mode)


def opened_by_folder(full: str, flags: int, mode: int = 0o666) -> int:
    """Open a file as an edit of many files does."""
    with platform.current.folders_kept():
        return platform.current.opened(full, flags, mode)


WAYS: dict[str, Callable[[str, int, int], int]] = {
    "at once": platform.current.opened,
    "by parts": opened_by_parts,
    "by folder": opened_by_folder,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("linked", ["a", "a/b", "a/b/c.md"])
def test_a_link_on_any_part_of_a_path_is_refused(tmp_path: Path, way: str, linked: str) -> None:
    write(tmp_path, {"vault/a/b/c.md": "text", "vault/a/b/new/x": ""})
    full = str(tmp_path / "vault/a/b/c.md")
    handle = WAYS[way](full, os.O_RDONLY, 0)
    assert os.read(handle, 9) == b"text"
    assert not os.get_inheritable(handle)
    os.close(handle)
    os.rename(tmp_path / "vault" / linked, tmp_path / "away")
    os.symlink(tmp_path / "away", tmp_path / "vault" / linked)
    for path, flags in ((full, os.O_RDONLY), (full, os.O_WRONLY | os.O_CREAT), (full + "2", os.O_WRONLY | os.O_CREAT)):
        if linked == "a/b/c.md" and path != full:
            continue
        with pytest.raises(OSError, match="symbolic link") as refusal:
            WAYS[way](path, flags, 0o600)
        assert refusal.value.filename == path
    assert not [name for _, _, names in os.walk(tmp_path / "away") for name in names if name == "c.md2"]


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_opened_is_told_as_ever(tmp_path: Path, way: str) -> None:
    write(tmp_path, {"file": ""})
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_CREAT):
        for path, error in (("none", FileNotFoundError), ("no/ne", FileNotFoundError), ("file/x", NotADirectoryError)):
            if (path, flags) == ("none", os.O_WRONLY | os.O_CREAT):
                continue  # that one can be made
            with pytest.raises(error) as refusal:
                WAYS[way](str(tmp_path / path), flags, 0o600)
            assert refusal.value.filename == str(tmp_path / path)
    with pytest.raises(FileExistsError):
        WAYS[way](str(tmp_path / "file"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def handles_below(folder: Path) -> int:
    """How many handles of this process are for something below a folder."""
    targets = []
    for handle in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            targets.append(os.readlink(f"/proc/self/fd/{handle}"))
    return sum(target.startswith(f"{folder}/") for target in targets)


def test_kept_folders_are_bounded_and_closed(tmp_path: Path) -> None:
    for number in range(200):
        write(tmp_path, {f"{number}/x": f"{number}"})
    with platform.current.folders_kept():
        for number in [*range(200), *range(200)]:
            assert files.read(str(tmp_path / f"{number}/x"))[0] == b"%d" % number
            assert 1 <= handles_below(tmp_path) <= 64
        with pytest.raises(FileNotFoundError), platform.current.folders_kept():
            files.read(str(tmp_path / "none/x"))
        assert files.read(str(tmp_path / "7/x"))[0] == b"7"
    assert handles_below(tmp_path) == 0


@pytest.mark.parametrize("kept", [platform.current.folders_kept, contextlib.nullcontext])
def test_what_takes_the_place_of_a_folder_is_not_followed(
    tmp_path: Path, kept: Callable[[], contextlib.AbstractContextManager[None]]
) -> None:
    write(tmp_path, {"vault/a/x": "mine", "outside/x": "theirs"})
    full = str(tmp_path / "vault/a/x")
    with kept():
        assert files.read(full)[0] == b"mine"
        os.rename(tmp_path / "vault/a", tmp_path / "away")
        os.symlink(tmp_path / "outside", tmp_path / "vault/a")
        with suppress(OSError):
            assert files.read(full)[0] == b"mine"
        with suppress(OSError):
            assert platform.current.info(full).st_size == len("mine")
        with suppress(OSError):
            platform.current.rename(full, full + "2")
    assert (tmp_path / "outside/x").read_text() == "theirs"


def test_the_stat_of_a_link_is_its_own_and_below_a_linked_folder_there_is_none(tmp_path: Path) -> None:
    write(tmp_path, {"d/x": "12345"})
    os.symlink("d/x", tmp_path / "link")
    os.symlink("d", tmp_path / "folder")
    assert platform.current.info(str(tmp_path / "d/x")).st_size == 5
    assert platform.current.info(str(tmp_path / "link")).st_size == len("d/x")
    with pytest.raises(OSError, match="symbolic link"):
        platform.current.info(str(tmp_path / "folder/x"))
    with pytest.raises(OSError, match="not a regular file"):
        files.create(str(tmp_path / "new"), b"", like=str(tmp_path / "link"), durable=False)
    assert not (tmp_path / "new").exists()


@contextmanager
def watched(file: Path) -> Iterator[Callable[[], bool]]:
    """Tells, by the system's own account, whether a file was opened or read."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "inotify_init1"):
        pytest.skip("only Linux tells who opens a file")
    handle = library.inotify_init1(_NONBLOCK)
    assert library.inotify_add_watch(handle, os.fsencode(file), _OPENED | _READ) >= 0

    def was_opened() -> bool:
        with suppress(BlockingIOError):
            return bool(os.read(handle, 4_096))
        return False

    try:
        yield was_opened
    finally:
        os.close(handle)


def test_the_watch_of_these_tests_sees_what_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(CANARY)
    with watched(file) as was_opened:
        assert not was_opened()
        file.read_bytes()
        assert was_opened()


def test_a_rename_that_is_taken_back_does_not_read_what_a_link_leads_to(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path / "vault", {"a.md": "text", "c.md": "[[a]]"}), durable=False)
    outside = tmp_path / "outside.md"
    outside.write_bytes(CANARY)
    link = tmp_path / "vault/b.md"

    def planner(view: View) -> Plan:
        plan = plan_rename(view, "a", "b")
        with suppress(FileExistsError):
            link.symlink_to(outside)  # after the plan was made, before it is carried out
        return plan

    with watched(outside) as was_opened:
        with pytest.raises(Taken):
            engine(memory).editor.apply(planner, Author())
        assert not was_opened()
    assert link.is_symlink()
    assert (tmp_path / "vault/a.md").read_text() == "text"
    assert (tmp_path / "vault/c.md").read_text() == "[[a]]"


READS: dict[str, Callable[[Store], object]] = {
    "read": lambda store: store.read("d/n.md"),
    "look": lambda store: store.look("d/n.md"),
    "expect": lambda store: store.expect("d/n.md", files.etag(b"own")),
    "scan": lambda store: store.scan("d").stamps.keys() - {"d/n.md"},
    "row": lambda store: row_of(Job(store.full("d/n.md"), Stamp(0, 0, 0, 0))).etag,
    "create": lambda store: files.create(store.full("d/made.md"), CANARY, durable=False),
    "exchange": lambda store: files.exchange(store.full("slot"), store.full("d/n.md")),
    "move": lambda store: files.move(store.full("slot"), store.full("d/moved.md")),
}


@pytest.mark.parametrize("how", READS)
def test_a_folder_that_becomes_a_link_and_back_all_the_time_is_not_followed(tmp_path: Path, how: str) -> None:
    store = Store(write(tmp_path / "vault", {"d/n.md": "own", "slot": "slot"}))
    outside = Path(write(tmp_path / "outside", {"n.md": CANARY * 99, "secret.md": ""}))
    link, stopped = tmp_path / "vault/link", threading.Event()
    link.symlink_to(outside)

    def work() -> None:
        for _ in itertools.takewhile(lambda _: not stopped.is_set(), range(1_000_000)):
            platform.current.exchange(str(link), f"{store.root}/d")

    seen = set()
    swapper = threading.Thread(target=work)
    swapper.start()
    try:
        for _ in range(1_500):
            with suppress(OSError, ZkError):
                seen.add(repr(READS[how](store)))
    finally:
        stopped.set()
        swapper.join()
    assert sorted(os.listdir(outside)) == ["n.md", "secret.md"], "nothing is made there"
    assert (outside / "n.md").read_bytes() == CANARY * 99
    told = " ".join(seen)
    assert "xyzzy" not in told
    assert "secret" not in told
    assert files.etag(CANARY * 99) not in told
    assert f"size={len(CANARY * 99)}" not in told


def test_settings_are_neither_read_nor_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("max_chars = 5\n")
    folder = tmp_path / "vault/.zkmem"
    folder.mkdir(parents=True)
    (folder / "config.toml.zkmem-new").symlink_to(outside)
    with pytest.raises(Unwritable, match="symbolic link"):
        turn_on(str(tmp_path / "vault"), "git")
    (folder / "config.toml").symlink_to(outside)
    assert config.load(str(tmp_path / "vault"), {}) == Settings()
    assert [fault for fault in config.faults(str(tmp_path / "vault")) if "symbolic link" in fault]
    assert outside.read_text() == "max_chars = 5\n"


ELSEWHERE = {
    "vault/platform/posix.py", "vault/platform/linux.py", "vault/platform/macos.py",
    "index/store/database.py", "config.py", "trust.py", "util/locks.py",
    "vault/git/repository.py", "util/replacing.py",
}  # fmt: skip
"""What opens by itself: that function, what opens no note (git's files, say), and the settings, which cannot import."""


def _plain_opens(module: Path) -> list[int]:
    """The lines of a module in which a file is opened in another way than by `opened`."""
    lines = []
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"open", "os.open", "io.open"}:
            openers = [ast.unparse(each.value) for each in node.keywords if each.arg == "opener"]
            if openers != ["platform.current.opened"]:
                lines.append(node.lineno)
    return lines


def test_all_opens_below_the_vault_go_through_one_function() -> None:
    house = Path(zkmem.__file__).parent
    found = {
        str(module.relative_to(house)): lines
        for room in ("vault", "index", "recall", "edit", "serve", ".")
        for module in (house / room).glob("*.py")
        if (lines := _plain_opens(module))
    }
    assert found.keys() <= ELSEWHERE


def test_a_vault_that_was_moved_behind_a_link_is_no_empty_memory(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path / "here/vault", {"a.md": "alpha\n"}))
    memory.load()
    os.rename(tmp_path / "here", tmp_path / "there")
    os.symlink(tmp_path / "there", tmp_path / "here")
    with pytest.raises(NoVault, match="was moved"):
        memory.wait_ready()
    with pytest.raises(NoVault, match="was moved"):
        memory.hints()
    os.unlink(tmp_path / "here")
    os.rename(tmp_path / "there", tmp_path / "here")
    assert [hint.name for hint in memory.hints()] == ["a"]


@pytest.mark.parametrize("instead", ["nothing", "a folder", "a link"])
@pytest.mark.parametrize("moment", ["hub.md", "d/a.md", "z.md"])
def test_an_edit_is_made_anew_when_a_folder_is_taken_away_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instead: str, moment: str
) -> None:
    root, away = tmp_path / "vault", tmp_path / "away"
    write(root, {"hub.md": "Hub.", "d/a.md": "[[hub]]", "d/b.md": "B", "z.md": "[[hub]]"})
    do = StepOnDisk.do

    def step(self: StepOnDisk) -> None:
        do(self)
        if self.step.path == moment and not away.exists():
            (root / "d").rename(away)
            if instead == "a folder":
                write(root, {"d/b.md": "B"})
            elif instead == "a link":
                (root / "d").symlink_to(away)

    monkeypatch.setattr(StepOnDisk, "do", step)
    memory = Memory(str(root))
    with suppress(ZkError) if instead == "a link" else contextlib.nullcontext():
        memory.rename("hub", "d/centre")
    assert read(away) == {"a.md": b"[[hub]]", "b.md": b"B"}
    name, link = ("hub.md", b"[[hub]]") if instead == "a link" else ("d/centre.md", b"[[centre]]")
    assert (root / name).read_bytes() == b"Hub."
    assert (root / "z.md").read_bytes() == link
    assert not os.listdir(root / ".zkmem/journal")
