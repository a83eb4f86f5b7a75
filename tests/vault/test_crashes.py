"""All or nothing: edits that are killed, or refused by the disk, at every system call."""

import errno
import json
import logging
import os
import pathlib
import shutil
from collections.abc import Callable, Collection
from typing import NamedTuple

import pytest

from tests.tools.crashes import (
    CALLS,
    EDITS,
    arm,
    at_every_call,
    calls_of,
    die,
    in_child,
    killed,
    make,
    recovered,
    snapshot,
    states,
    with_fault,
)
from tests.tools.vaults import carry_out, read, write
from zkmem.edit.plan import Move, Put
from zkmem.errors import Unwritable
from zkmem.memory import Memory
from zkmem.vault import platform
from zkmem.vault.files import etag


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make(str(tmp_path_factory.mktemp("template")), 3)


@pytest.mark.parametrize("edit", EDITS)
def test_killed_at_every_call_the_vault_is_the_old_one_or_the_new_one(
    template: str, tmp_path: pathlib.Path, edit: str
) -> None:
    found = dict(at_every_call(template, EDITS[edit], str(tmp_path)))
    assert set(found.values()) == {"old", "new"}
    assert found[1] == "old"
    assert found[max(found)] == "new"


def take_away_swaps(monkeypatch: pytest.MonkeyPatch, *, links: bool) -> None:
    """Let no file be swapped, nor renamed only to a free name. `links`: whether there are hard links."""

    def unsupported(source: str, to: str) -> None:
        raise platform.Unsupported

    def no_links(source: str, to: str, **_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(platform.current, "exchange", unsupported)
    monkeypatch.setattr(platform.current, "rename_to_free", unsupported)
    if not links:
        monkeypatch.setattr(os, "link", no_links)


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def no_swaps(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Run a test on a file system that cannot swap files, with hard links and without."""
    take_away_swaps(monkeypatch, links=request.param)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.usefixtures("no_swaps")
@pytest.mark.parametrize("edit", ["rename", "merge", "undo"])
def test_the_same_on_a_file_system_that_cannot_swap(template: str, tmp_path: pathlib.Path, edit: str) -> None:
    found = dict(at_every_call(template, EDITS[edit], str(tmp_path)))
    assert set(found.values()) == {"old", "new"}


@pytest.mark.parametrize(
    "edit", ["rename", *(pytest.param(edit, marks=pytest.mark.slow) for edit in ("delete", "merge", "create"))]
)
def test_an_empty_note_has_no_twin_where_a_new_name_must_be_claimed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, edit: str
) -> None:
    """Without hard links, an empty file claims the new name, and it looks like the note."""
    template = write(tmp_path / "template", {"note.md": "", "other.md": ""})
    Memory(template).write("index", "[[note]]\n")
    take_away_swaps(monkeypatch, links=False)
    edits = EDITS | {"create": lambda memory: memory.write("new", "")}
    assert set(dict(at_every_call(template, edits[edit], str(tmp_path))).values()) == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("edit", ["rename", "merge"])
def test_killed_at_some_calls_of_an_edit_of_many_files(tmp_path: pathlib.Path, edit: str) -> None:
    big = make(str(tmp_path / "big"), 200)
    found = dict(at_every_call(big, EDITS[edit], str(tmp_path), step=193))
    assert set(found.values()) == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("edit", ["rename", "extract"])
def test_a_recovery_that_is_killed_too_is_recovered(template: str, tmp_path: pathlib.Path, edit: str) -> None:
    before, after = states(template, EDITS[edit], str(tmp_path))
    seen = set()
    for fatal in range(12, 110, 7):
        root = shutil.copytree(template, tmp_path / str(fatal))
        killed(str(root), EDITS[edit], fatal)
        for again in range(1, 40, 4):

            def recover(root: pathlib.Path = root, again: int = again) -> None:
                arm(lambda count, _: die() if count == again else None)
                Memory(str(root)).load()

            if in_child(recover) == 0:  # nothing is left to recover
                break
        found = recovered(str(root))
        assert found in (before, after)
        seen.add(found == after)
        shutil.rmtree(root)
    assert seen == {True, False}


class Fault(NamedTuple):
    """A fault of the disk: it refuses calls of some kinds, from one call on, or only at that call if `once`."""

    error: int
    calls: Collection[str]
    once: bool = False

    def at(self, first: int) -> Callable[[int, str], None]:
        """Return a function that raises the error at a call if the fault begins at the call `first`."""

        def happens(count: int, call: str) -> None:
            if (count == first if self.once else count >= first) and call in self.calls:
                raise OSError(self.error, os.strerror(self.error))

        return happens


SWAPS = ("exchange", "rename_to_free")
FAULTS = {
    "full": Fault(errno.ENOSPC, ("open", "write", "mkdir", "link")),  # names can still be changed
    "no swaps": Fault(errno.EIO, SWAPS),  # not even to take an edit back
    "once": Fault(errno.EIO, (*CALLS, *SWAPS), once=True),
}


def check_refusals(template: str, folder: pathlib.Path, edit: str, fault: Fault) -> None:
    """Check that a fault that begins at any of the calls that it concerns leaves the old vault or the new one."""
    before, after = states(template, EDITS[edit], str(folder))
    refused = 0
    calls = calls_of(str(shutil.copytree(template, folder / "counted")), EDITS[edit])
    for fatal, call in enumerate(calls, 1):
        if call in fault.calls:
            root = str(shutil.copytree(template, folder / str(fatal)))
            code = with_fault(root, EDITS[edit], fault.at(fatal))
            assert recovered(root) == (before if code else after), fatal
            refused += code != 0
            shutil.rmtree(root)
    assert refused


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit != "together"])  # see tests/edit/test_together.py
def test_a_disk_that_refuses_at_any_call_changes_nothing(
    template: str, tmp_path: pathlib.Path, edit: str, fault: str
) -> None:
    check_refusals(template, tmp_path, edit, FAULTS[fault])


@pytest.mark.slow
@pytest.mark.usefixtures("no_swaps")
@pytest.mark.parametrize("fault", ["full", "once"])
def test_a_disk_that_cannot_swap_and_refuses_once_or_is_full_changes_nothing(
    template: str, tmp_path: pathlib.Path, fault: str
) -> None:
    check_refusals(template, tmp_path, "undo", FAULTS[fault])


class TestAPersonBetweenCrashAndRecovery:
    """Nothing that was changed by hand after a crash is overwritten, and nobody else's links are left in between."""

    @pytest.fixture
    def crashed(self, template: str, tmp_path: pathlib.Path) -> pathlib.Path:
        """A rename that died after it had swapped two of the files."""
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        swaps = 0

        def happens(_: int, call: str) -> None:
            nonlocal swaps
            swaps += call in {"exchange", "rename_to_free"}
            if swaps == 4:
                die()

        assert with_fault(str(root), EDITS["rename"], happens) < 0
        return root

    def test_a_file_that_was_to_be_changed_still(
        self, template: str, crashed: pathlib.Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        pending = [path for path in crashed.glob("d/*.md") if "new name" not in path.read_text()]
        pending[0].write_text("by hand [[note]]\n")
        with caplog.at_level(logging.WARNING):
            found = recovered(str(crashed))
        assert "taken back" in caplog.text
        expected = snapshot(template)
        expected[str(pending[0].relative_to(crashed))] = b"by hand [[note]]\n"
        assert found == expected

    def test_a_file_that_was_changed_already(
        self, template: str, tmp_path: pathlib.Path, crashed: pathlib.Path
    ) -> None:
        done = [path for path in crashed.glob("d/*.md") if "new name" in path.read_text()]
        done[0].write_text("by hand [[new name]]\n")
        found = recovered(str(crashed))
        _, expected = states(template, EDITS["rename"], str(tmp_path))
        expected[str(done[0].relative_to(crashed))] = b"by hand [[new name]]\n"
        assert found == expected

    def test_an_edit_that_is_in_the_log_stays(self, template: str, tmp_path: pathlib.Path) -> None:
        calls = calls_of(str(shutil.copytree(template, tmp_path / "counted")), EDITS["rename"])
        logged = 0  # how often the edit was in the log, and its record was left
        for fatal in range(len(calls) - 12, len(calls)):
            root = pathlib.Path(shutil.copytree(template, tmp_path / str(fatal)))
            assert killed(str(root), EDITS["rename"], fatal)
            if (root / ".zkmem/versions/log").read_text().count("\n") == 4:
                os.rename(root / "moved/here/new name.md", root / "mine.md")
                assert "new name" in recovered(str(root))["d/note 1.md"].decode()
                logged += 1
        assert logged > 3

    def test_both(self, template: str, crashed: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
        done = [path for path in crashed.glob("d/*.md") if "new name" in path.read_text()]
        pending = [path for path in crashed.glob("d/*.md") if "new name" not in path.read_text()]
        done[0].write_text("one by hand\n")
        pending[0].write_text("two by hand\n")
        with caplog.at_level(logging.WARNING):
            found = recovered(str(crashed))
        assert f"{str(done[0].relative_to(crashed))!r} was changed meanwhile and was left as it is" in caplog.text
        expected = snapshot(template)
        expected[str(done[0].relative_to(crashed))] = b"one by hand\n"
        expected[str(pending[0].relative_to(crashed))] = b"two by hand\n"
        assert found == expected

    def test_a_note_that_was_renamed_by_hand(self, template: str, tmp_path: pathlib.Path) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        with_fault(str(root), EDITS["rename"], lambda _, call: die() if call == "rename_to_free" else None)
        os.rename(root / "note.md", root / "mine.md")
        found = recovered(str(root))
        expected = snapshot(template)
        expected["mine.md"] = expected.pop("note.md")
        assert found == expected

    def test_a_folder_that_was_renamed_by_hand(self, template: str, tmp_path: pathlib.Path) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        with_fault(str(root), EDITS["rename"], lambda _, call: die() if call == "exchange" else None)
        os.rename(root / "d", root / "elsewhere")
        found = recovered(str(root))
        assert found["note.md"] == snapshot(template)["note.md"]
        Memory(str(root)).write("note", "writable\n")

    def test_a_file_where_a_folder_was_to_be(self, template: str, tmp_path: pathlib.Path) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        with_fault(str(root), EDITS["rename"], lambda _, call: die() if call == "mkdir" else None)
        write(root, {"moved": "a file"})
        assert recovered(str(root)) == snapshot(template) | {"moved": b"a file"}

    def test_a_new_file_where_the_note_was_to_go(self, template: str, tmp_path: pathlib.Path) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        with_fault(str(root), EDITS["rename"], lambda _, call: die() if call == "rename_to_free" else None)
        write(root, {"moved/here/new name.md": "mine"})
        found = recovered(str(root))
        assert found == snapshot(template) | {"moved/": b"", "moved/here/": b"", "moved/here/new name.md": b"mine"}


class TestDamage:
    def test_a_damaged_record_is_put_aside_and_the_vault_served_as_it_is(
        self, template: str, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        for name, record in (("one", b"{"), ("two", b'{"steps": 3}'), ("three", b"[]"), ("four", b'{"a": "\xff"}')):
            write(root, {f".zkmem/journal/{name}.record": record, f".zkmem/journal/{name}.0": "kept"})
        with caplog.at_level(logging.WARNING):
            memory = Memory(str(root))
            memory.load()
        assert caplog.text.count("put aside") == 4
        assert [path.read_text() for path in root.glob(".zkmem/damaged-one-*/one.0")] == ["kept"]
        memory.write("note", "still writable\n")
        findings = [finding for finding in memory.check() if finding.kind == "damaged"]
        assert [finding.note[:17] for finding in findings] == [
            f".zkmem/damaged-{name}"[:17] for name in ("four", "one", "three", "two")
        ]

    @pytest.mark.parametrize(
        "path", ["../out.md", "/etc/x.md", ".git/hooks/post-commit", ".zkmem/config.toml", "a/.b/c.md"]
    )
    def test_a_record_that_leads_elsewhere_is_not_followed(
        self, template: str, tmp_path: pathlib.Path, path: str
    ) -> None:
        root = pathlib.Path(shutil.copytree(template, tmp_path / "vault"))
        about = [9, 0.0, "set_content", "", [], []]
        record = {"about": about, "made": [], "steps": [[path, None, etag(b"evil"), None]]}
        write(root, {".zkmem/journal/x.record": json.dumps(record), ".zkmem/journal/x.0": "evil"})
        recovered(str(root))
        assert [path.read_text() for path in root.glob(".zkmem/damaged-x-*/x.0")] == ["evil"]
        assert not (root / path).exists()

    @pytest.mark.parametrize(
        "nonsense",
        ["[" * 100_000, '{"about":[1e999,0,"","",[],[]],"made":[],"steps":[]}', '{"about":1,"made":[],"steps":[]}'],
    )
    def test_nonsense_in_record_and_log_stops_nothing(self, tmp_path: pathlib.Path, nonsense: str) -> None:
        carry_out(tmp_path, Put("a.md", b"1", None))
        write(tmp_path, {".zkmem/journal/x.record": nonsense, ".zkmem/journal/folder/y": "z"})
        with open(tmp_path / ".zkmem/versions/log", "a") as file:
            file.write(nonsense + "\n" + '{"number":1e999,"time":0,"tool":"","client":"","changes":[],"undoes":[]}\n')
        memory = Memory(str(tmp_path))
        memory.load()
        memory.write("a", "2")
        memory.undo()
        assert read(tmp_path) == {"a.md": b"1"}
        assert os.listdir(tmp_path / ".zkmem/journal") == []

    @pytest.mark.parametrize("link", ["journal", "versions", "versions/log", "format", "turn"])
    def test_a_state_folder_that_leads_elsewhere_in_part_is_not_used(self, tmp_path: pathlib.Path, link: str) -> None:
        outside, root = tmp_path / "outside", tmp_path / "vault"
        write(outside, {"taxes.txt": "mine", "0123456789ab": "mine"})
        write(root, {"a.md": "x", ".zkmem/config.toml": ""})
        os.makedirs((root / ".zkmem" / link).parent, exist_ok=True)
        (root / ".zkmem" / link).symlink_to(outside if "/" not in link and link != "format" else outside / "taxes.txt")
        before = snapshot(str(outside))
        memory = Memory(str(root))
        assert memory.read("a").text == "x"
        with pytest.raises(Unwritable, match="is a symbolic link"):
            memory.write("a", "y")
        assert snapshot(str(outside)) == before

    def test_a_log_that_ends_in_a_torn_line_goes_on(self, tmp_path: pathlib.Path) -> None:
        carry_out(tmp_path, Put("a.md", b"1", None))
        with open(tmp_path / ".zkmem/versions/log", "ab") as file:
            file.write(b'{"number":2,"ti')
        carry_out(tmp_path, Put("a.md", b"2", etag(b"1")))
        memory = Memory(str(tmp_path))
        assert [revision.rev for revision in memory.log()] == ["2", "1"]
        memory.undo()
        assert read(tmp_path) == {"a.md": b"1"}


def test_what_is_recovered_is_in_the_log_once(template: str, tmp_path: pathlib.Path) -> None:
    for fatal in range(20, 60, 3):
        root = shutil.copytree(template, tmp_path / str(fatal))
        killed(str(root), EDITS["rename"], fatal)
        memory = Memory(str(root))
        memory.load()
        done = (root / "moved").exists()
        assert [edit.rev for edit in memory.log(limit=100)] == ["4", "3", "2", "1"][0 if done else 1 :]
        if done:
            memory.undo()
        assert read(root, hidden=True) == read(template, hidden=True)
        shutil.rmtree(root)


def test_everything_is_durable_before_the_next_step_relies_on_it(
    template: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order that a power cut asks for: bytes, then the record, then the names, then their folders."""
    trace: list[tuple[str, str]] = []
    root = str(shutil.copytree(template, tmp_path / "vault"))
    memory = Memory(root)
    memory.load()

    def traced(name: str) -> None:
        real = getattr(os, name)

        def wrapper(*arguments: object, **named: object) -> object:
            about = arguments[0]
            folder = named.get("dst_dir_fd", named.get("dir_fd"))
            if isinstance(about, int):
                target = os.readlink(f"/proc/self/fd/{about}")
            else:
                target = os.path.join(os.readlink(f"/proc/self/fd/{folder}") if folder else "", str(arguments[-1]))
            trace.append((name, target.replace(root, "")))
            return real(*arguments, **named)

        monkeypatch.setattr(os, name, wrapper)

    for name in ("fsync", "rename", "unlink"):
        traced(name)
    for name in ("exchange", "rename_to_free"):
        real = getattr(platform.current, name)

        def wrapper(one: str, other: str, real: Callable[[str, str], None] = real, name: str = name) -> None:
            trace.append((name, other.replace(root, "")))
            real(one, other)

        monkeypatch.setattr(platform.current, name, wrapper)
    EDITS["rename"](memory)
    names = [name for name, _ in trace]
    (written,) = [path for name, path in trace if name == "rename" and path.endswith(".record")]
    base, record = written.removesuffix(".record"), trace.index(("rename", written))
    synced = [path for name, path in trace[:record] if name == "fsync"]
    assert sorted(synced) == sorted([*(f"{base}.{n}" for n in range(1, 5)), f"{written}.new"])
    swaps = [number for number, name in enumerate(names) if name in ("exchange", "rename_to_free")]
    assert ("fsync", "/.zkmem/journal") in trace[record : swaps[0]]
    gone = trace.index(("unlink", written))
    assert {("fsync", path) for path in ("", "/d", "/moved", "/moved/here")} <= set(trace[swaps[-1] : gone])
    kept = min(number for number, (name, _) in enumerate(trace) if name == "rename" and number > gone)
    assert ("fsync", "/.zkmem/journal") in trace[gone:kept]


def test_without_durability_nothing_waits_for_the_disk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(handle: int) -> None:
        raise AssertionError(handle)

    monkeypatch.setattr(os, "fsync", never)
    memory = Memory(str(tmp_path), durable=False)
    memory.write("a", "[[b]]")
    memory.write("b", "x")
    memory.rename("b", "c")
    assert read(tmp_path) == {"a.md": b"[[c]]", "c.md": b"x"}


def test_a_step_that_is_blocked_takes_the_others_back(template: str, tmp_path: pathlib.Path) -> None:
    root = str(shutil.copytree(template, tmp_path / "vault"))
    os.chmod(os.path.join(root, "d/note 1.md"), 0o444)
    with pytest.raises(Unwritable, match="read-only"):
        EDITS["rename"](Memory(root))
    assert snapshot(root) == snapshot(template)
    carry_out(root, Move("note.md", "made/note.md", etag(read(root)["note.md"])))
