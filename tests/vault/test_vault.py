"""The vault on disk: what is found, what is refused, what survives."""

import os
import pathlib
import stat

import pytest

from tests.tools.inner import difference
from tests.tools.vaults import carry_out, fresh_index, read, write
from zkmem.edit.plan import Move, Put
from zkmem.errors import BadName, Changed, NoVault, Taken, UnknownNote, Unreadable, Unwritable
from zkmem.index.catalog import CatalogRow
from zkmem.markdown.note import NoteFacts
from zkmem.memory import Memory
from zkmem.vault.files import etag
from zkmem.vault.store import Store


def test_a_vault_must_be_a_folder(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NoVault, match="does not exist"):
        Store(str(tmp_path / "none"))
    (tmp_path / "file").write_text("")
    with pytest.raises(NoVault, match="is a file"):
        Store(str(tmp_path / "file"))


def test_hidden_files_are_not_part_of_the_vault(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "", ".b.md": "", ".obsidian/c.md": "", "x/.y/d.md": ""})
    assert list(Store(str(tmp_path)).scan().stamps) == ["a.md"]


def test_etag_is_twelve_digits_of_blake2b() -> None:
    assert len(etag(b"x")) == 12
    assert etag(b"x") != etag(b"y")


def test_put_compares_and_swaps(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "one"})
    with pytest.raises(Changed):
        carry_out(tmp_path, Put("a.md", b"two", etag(b"other")))
    with pytest.raises(Taken):
        carry_out(tmp_path, Put("a.md", b"two", None))
    with pytest.raises(Changed):
        carry_out(tmp_path, Put("gone.md", b"two", etag(b"one")))
    carry_out(tmp_path, Put("a.md", b"two", etag(b"one")))
    carry_out(tmp_path, Put("new/b.md", b"three", None))
    assert read(tmp_path, hidden=True) == {"a.md": b"two", "new/b.md": b"three"}


@pytest.mark.parametrize("step", [Put("b.md", b"two", None), Move("a.md", "b.md", etag(b"one"))])
def test_an_empty_file_that_stands_in_the_way_is_left(tmp_path: pathlib.Path, step: Put | Move) -> None:
    """Only after a crash may an empty file be what is left of a step."""
    write(tmp_path, {"a.md": "one", "b.md": ""})
    with pytest.raises(Taken):
        carry_out(tmp_path, step)
    assert read(tmp_path, hidden=True) == {"a.md": b"one", "b.md": b""}


def test_a_replaced_file_keeps_its_mode(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "one"})
    os.chmod(tmp_path / "a.md", 0o640)
    carry_out(tmp_path, Put("a.md", b"two", etag(b"one")))
    assert stat.S_IMODE(os.stat(tmp_path / "a.md").st_mode) == 0o640


def test_a_move_never_overwrites(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "1", "b.md": "2"})
    with pytest.raises(Taken):
        carry_out(tmp_path, Move("a.md", "b.md", etag(b"1")))
    carry_out(tmp_path, Move("a.md", "x/A.md", etag(b"1")))
    assert read(tmp_path) == {"x/A.md": b"1", "b.md": b"2"}


def test_a_failed_write_leaves_the_file_and_no_other(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "1"})
    with pytest.raises(Unwritable, match="cannot be written"):
        carry_out(tmp_path, Put("a.md/below.md", b"x", None))
    with pytest.raises(Unwritable, match="too long for the disk"):
        carry_out(tmp_path, Put("x" * 300 + ".md", b"x", None))
    assert read(tmp_path, hidden=True) == {"a.md": b"1"}


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd", "a/../../x.md", "a\0.md"])
def test_no_path_leads_out(tmp_path: pathlib.Path, path: str) -> None:
    with pytest.raises(BadName):
        Store(str(tmp_path)).read(path)


class TestSymlinks:
    @pytest.fixture
    def root(self, tmp_path: pathlib.Path) -> pathlib.Path:
        root = tmp_path / "vault"
        write(root, {"a.md": "a", "d/b.md": "b"})
        write(tmp_path, {"secret.md": "secret", "out/x.md": "x"})
        os.symlink(tmp_path / "secret.md", root / "leak.md")
        os.symlink(tmp_path / "out", root / "outdir")
        os.symlink(root, root / "loop")
        os.symlink("d/b.md", root / "alias.md")
        return root

    def test_none_is_followed_and_all_are_reported(self, root: pathlib.Path) -> None:
        m = Memory(str(root))
        assert set(m.complete("")[0]) == {"a", "d/b"}
        assert {one.note for one in m.check() if "symbolic link" in one.detail} == {
            "leak.md", "outdir", "loop", "alias.md"
        }  # fmt: skip

    def test_refreshing_a_path_sees_what_a_scan_sees(self, root: pathlib.Path) -> None:
        index = fresh_index(str(root))
        assert not any(index.refresh(["leak.md", "outdir", "outdir/x.md", "loop", "loop/a.md", "alias.md"]))

    def test_writing_out_is_refused(self, root: pathlib.Path) -> None:
        for name in ("outdir/new", "leak", "alias", "loop/new"):
            with pytest.raises((BadName, Unwritable, Taken)):
                Memory(str(root)).write(name, "x")
        assert read(root.parent / "out") == {"x.md": b"x"}
        assert (root.parent / "secret.md").read_text() == "secret"
        assert (root / "d/b.md").read_text() == "b"


def test_odd_files_are_served_as_well_as_can_be_and_reported(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"bad.md": b"caf\xe9 [[ok]]", "ok.md": "", "big.md": b"x" * 1_200_000, "folder.md/x.md": ""})
    os.mkfifo(tmp_path / "pipe.md")
    write(tmp_path, {"na?me.md": "", "Ok.md": ""})
    with open(os.fsencode(tmp_path) + b"/\xff.md", "wb"):
        pass
    m = Memory(str(tmp_path))
    found = {(one.kind, one.note) for one in m.check()}
    assert ("unreadable", "bad") in found
    assert ("large", "big") in found
    assert ("name", "na?me") in found
    assert ("twin", "Ok") in found or ("twin", "ok") in found
    assert ("unreadable", "'\\udcff.md'") in found
    assert m.read("bad").text == "caf\ufffd [[ok]]"
    assert len(m.read("big").text) == 24_000


def test_a_note_that_cannot_be_read_stops_nothing(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "[[b]]", "b.md": "b"})
    m = Memory(str(tmp_path))
    m.load()
    os.remove(tmp_path / "b.md")
    os.mkdir(tmp_path / "b.md")
    assert m.read("a", depth=1).text == "[[b]]"


def test_reading_and_indexing_never_write(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "[[b]]", "b.md": "x\r\n"})
    before = {path: os.stat(tmp_path / path) for path in read(tmp_path, hidden=True)}
    m = Memory(str(tmp_path))
    m.check()
    m.hints()
    m.read("a", depth=3)
    assert {path: os.stat(tmp_path / path)[:9] for path in before} == {p: s[:9] for p, s in before.items()}
    assert set(read(tmp_path, hidden=True)) == set(before)


def test_a_crash_of_the_disk_in_the_middle_leaves_no_temporary_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "1"})

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(Unwritable, match="No space left"):
        carry_out(tmp_path, Put("a.md", b"2", etag(b"1")))
    assert read(tmp_path, hidden=True) == {"a.md": b"1"}


def test_a_note_that_vanished_or_cannot_be_read_is_one_sentence(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "x", "b.md": "y"})
    m = Memory(str(tmp_path))
    m.load()
    os.remove(tmp_path / "a.md")
    with pytest.raises(UnknownNote, match="no note 'a'"):
        m.read("a")
    os.remove(tmp_path / "b.md")
    os.symlink("b.md", tmp_path / "b.md")  # a loop: it is there, and cannot be opened
    with pytest.raises((Unreadable, UnknownNote), match="'b'"):
        m.read("b")


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "[[b]]", "b.md": "", "c.md": ""})
    index = fresh_index(str(tmp_path))
    stamp = os.stat(tmp_path / "a.md")
    with open(tmp_path / "a.md", "r+b") as file:  # the same inode, the same size
        file.write(b"[[c]]")
    os.utime(tmp_path / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    index.refresh()
    assert index.links.backlinks("c.md") == ["a.md"]


@pytest.mark.parametrize("order", [1, -1])
def test_two_spellings_of_one_name_are_told_of(tmp_path: pathlib.Path, order: int) -> None:
    for name in ["caf\u00e9.md", "cafe\u0301.md"][::order]:
        write(tmp_path, {name: name})
    m = Memory(str(tmp_path))
    assert m.read("caf\u00e9").text == "caf\u00e9.md"
    assert [(one.kind, one.note) for one in m.check()] == [("unreadable", "cafe\u0301.md")]


def test_a_note_that_could_not_be_read_is_tried_again(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "[[b]]", "b.md": ""})
    index = fresh_index(str(tmp_path))
    unread = CatalogRow(
        index.catalog.rows["a.md"].stamp, NoteFacts(fault="cannot be read: Permission denied"), unread=True
    )
    index.catalog.put("a.md", unread)  # as root reads everything, it is put in as it would have been found
    index.links.set_links("a.md", ())
    index.refresh()
    assert difference(index, fresh_index(str(tmp_path))) == []
    assert not index.catalog.unread


@pytest.mark.parametrize("later", ["v1.0", "x/v1.0", "foo.md"])
def test_a_file_of_the_very_name_takes_a_link_from_the_note(tmp_path: pathlib.Path, later: str) -> None:
    index = fresh_index(write(tmp_path, {"a.md": "[[v1.0]] [[foo.md]]", "v1.0.md": "", "foo.md.md": ""}))
    write(tmp_path, {later: ""})
    index.refresh([later])
    assert difference(index, fresh_index(str(tmp_path))) == []
    os.remove(tmp_path / later)
    index.refresh([later])
    assert difference(index, fresh_index(str(tmp_path))) == []


def test_only_files_that_a_scan_finds_count_as_many(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "", "b/c.md": "", "b/d.png": b"", ".obsidian/e.json": "", ".f.md": ""})
    (tmp_path / "g.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "h").symlink_to(tmp_path / "b")
    store = Store(str(root))
    assert len(store.scan().stamps) == 3
    assert store.has_more_files_than(2)
    assert not store.has_more_files_than(3)
