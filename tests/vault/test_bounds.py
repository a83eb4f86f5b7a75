"""A file of any size may be in a vault: what is read of it is bounded, and nothing else suffers."""

import codecs
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.test_large import peak
from tests.tools.vaults import git, read, write
from zkmem import config
from zkmem.errors import NoVersion, TooLarge, Unreadable, Unwritable
from zkmem.index import reader
from zkmem.index.index import Index
from zkmem.memory import Memory
from zkmem.recall.reading import read_part
from zkmem.settings import Settings
from zkmem.toolsets import zettel
from zkmem.vault import files
from zkmem.vault.files import MB, LargeFile
from zkmem.vault.journal import transaction
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.journal.step import Step
from zkmem.vault.journal.transaction import DamagedRecord, Transaction
from zkmem.vault.journal.versions import Bounds, Versions
from zkmem.vault.store import Store

HUGE = 4_000_000_000
MIDDLE = 2_000_000_000
MOST_RESIDENT = 300 * MB
FILES = {"a.md": "to [[big]] and [[b]]", "b.md": "a word", "big.md": "# Big\nlinks to [[b]]\n"}


def sparse(root: pathlib.Path, name: str = "big.md", size: int = HUGE) -> pathlib.Path:
    """Let a file grow to a size that takes no room on the disk, with lines in its middle and at its end."""
    full = root / name
    os.truncate(full, size)
    with open(full, "r+b") as file:
        file.seek(size // 2)
        file.write("the mïddle\n".encode())
        file.seek(size - len("\nthe énd\n".encode()))
        file.write("\nthe énd\n".encode())
    return full


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> pathlib.Path:
    write(tmp_path, FILES)
    sparse(tmp_path)
    return tmp_path


@contextlib.contextmanager
def opened(root: pathlib.Path, **options: int) -> Iterator[Memory]:
    with contextlib.closing(Memory(str(root), **options)) as memory:  # type: ignore[arg-type]
        memory.load()
        yield memory


@contextlib.contextmanager
def serving(root: pathlib.Path) -> Iterator[tuple[int, str]]:
    """A server process over HTTP; yields its number and its address."""
    command = [sys.executable, "-m", "zkmem", "serve", str(root), "--mode", "http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            yield process.pid, next(one[1] for line in process.stderr if (one := re.match(r"Address: (\S+)/mcp", line)))
        finally:
            process.terminate()


def most_resident(pid: int) -> int:
    """The most bytes of memory that a process has had at once."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells how much memory a process takes")


@on_linux
@pytest.mark.anyio
async def test_a_server_with_a_file_of_4_gb_takes_little_memory_and_serves_all_notes(vault: pathlib.Path) -> None:
    write(vault, {"big.canvas": "{}"})
    os.truncate(vault / "big.canvas", HUGE)
    with serving(vault) as (pid, url):
        async with Client(f"{url}/mcp") as client:

            async def call(tool: str, **arguments: object) -> str:
                answer = await client.call_tool(tool, arguments)
                texts = "\n".join(getattr(block, "text", "") for block in answer.content)
                return f"refused: {texts}" if answer.is_error else texts

            assert "a word" in await call("get_content", name="a", depth=2)
            first = await call("get_content", name="big")
            assert first.startswith("# Big\nlinks to [[b]]\n")
            assert "read on with offset=21" in first
            assert "etag" not in first
            assert (await call("get_content", name="big", offset=MIDDLE)).startswith("the mïddle\n")
            last = await call("get_content", name="big", offset=HUGE - 9, depth=3)
            assert last.startswith("the énd\n")
            assert "Cut" not in last
            assert "There is nothing at offset" in await call("get_content", name="big", offset=HUGE + 1)
            for refused in (
                await call("set_content", name="big", content="x", append=True),
                await call("set_content", name="big", content="x", old="Big"),
                await call("set_content", name="big", content="x"),
                await call("extract_content", name="big", content="# Big", new_name="c"),
                await call("rename_content", name="b", new_name="big"),
            ):
                assert refused.startswith("refused: 'big' cannot be edited: it is larger than 16 MB")
            assert "created" in await call("set_content", name="new", content="[[big]]")
            assert "links updated in: a" in await call("rename_content", name="b", new_name="c")
            with pytest.raises(MCPError, match="4,000,000,000 bytes; read it in parts"):
                await client.read_resource("zkmem://note/big")
        with httpx.Client(base_url=f"{url}/api") as api:
            found = api.get("findings", params={"kind": "large"}).json()["findings"]
            assert [one["note"] for one in found] == ["big", "big.canvas"]
            page = api.get("notes/big", params={"offset": MIDDLE}).json()
            assert page["text"] == "the mïddle\n"
            assert page["backlinks"] == ["a", "new"]
            assert page["next_offset"] == MIDDLE + len("the mïddle\n".encode())
            part = api.get("parts/big", params={"offset": MIDDLE}).json()
            assert (part["etag"], part["html"]) == (page["etag"], '<p dir="auto">the mïddle</p>\n')
            answer = api.put("notes/big", json={"content": "x"}, headers={"If-Match": f'"{page["etag"]}"'})
            assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "TooLarge")
            assert [one["name"] for one in api.get("search", params={"q": "word"}).json()["hits"]] == ["c"]
            answer = api.delete("notes/big", headers={"If-Match": f'"{page["etag"]}"'})
            assert answer.json()["trash"] == ".trash/big.md"
        assert most_resident(pid) < MOST_RESIDENT
    assert (vault / ".trash" / "big.md").stat().st_size == HUGE


@on_linux
def test_get_prints_a_large_note_part_by_part(vault: pathlib.Path) -> None:
    size = 400 * MB
    sparse(vault, size=size)
    command = [sys.executable, "-m", "zkmem", "get", "-C", str(vault), "big"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        printed, tail, most = 0, b"", 0
        while block := process.stdout.read(MB):
            printed, tail = printed + len(block), (tail + block)[-20:]
            if size - 10 * MB < printed < size - MB:  # it still has something to print
                most = max(most, most_resident(process.pid))
    assert process.returncode == 0
    assert printed == size
    assert tail.endswith("\nthe énd\n".encode())
    assert 0 < most < MOST_RESIDENT


def test_check_says_what_is_not_done_for_a_large_note_and_how_to_go_on(vault: pathlib.Path) -> None:
    with opened(vault) as memory:
        found = memory.check()
        assert [(one.kind, one.note) for one in found] == [("large", "big")]
        assert "4000000000 bytes, more than the 16 MB of max_note_mb" in found[0].detail
        assert "links are not read; split it, or raise max_note_mb" in found[0].detail
        assert memory.counts() == (3, 2)
        assert [one.name for one in memory.suggestions(threshold=1e-6)] == ["big"]


def refuse(work: Callable[[], object]) -> None:
    with pytest.raises(TooLarge, match="max_note_mb"):
        work()


def test_no_tool_writes_a_note_that_is_larger_than_the_bound(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "a" * 800 + "\n\n[[b]]", "b.md": "b" * 700})
    with opened(tmp_path, max_note_bytes=1_000) as memory:
        before = read(tmp_path)
        refuse(lambda: memory.write("new", "x" * 1_001))
        refuse(lambda: memory.write("a", "x" * 400, append=True))
        refuse(lambda: memory.write("a", "x" * 500, old="[[b]]"))
        refuse(lambda: memory.rename("b", "a", merge=True))
        refuse(lambda: memory.rename("b", "y" * 240))
        refuse(lambda: memory.extract("a", "a" * 800, "b"))
        refuse(lambda: memory.preview_rename("b", "a", merge=True))
        assert read(tmp_path) == before
        assert memory.write("a", "x" * 191, append=True).characters == 1_000


def test_a_large_note_is_moved_deleted_and_put_back(vault: pathlib.Path) -> None:
    with opened(vault) as memory:
        assert [one.diff for one in memory.preview_rename("big", "in/huge").changes if one.path == "big.md"] == [""]
        memory.rename("big", "in/huge")
        assert memory.read("a").text == "to [[huge]] and [[b]]"
        assert memory.delete("in/huge").dangling == ["a"]
        assert not (vault / "in" / "huge.md").exists()
        memory.undo(2)
        assert memory.read("a").text == FILES["a.md"]
        assert memory.read("big", offset=MIDDLE).text == "the mïddle\n"
        memory.redo()
        os.utime(vault / ".trash" / "huge.md")  # it may be another text now
        with pytest.raises(NoVersion, match="is no longer stored, so it cannot be given back"):
            memory.undo()


def test_what_a_large_note_or_canvas_links_to_can_be_renamed(vault: pathlib.Path) -> None:
    canvas = b'{"nodes": [{"type": "file", "file": "b.md"}]}'
    write(vault, {"big.canvas": canvas, "small.canvas": canvas})
    os.truncate(vault / "big.canvas", HUGE)
    with opened(vault) as memory:
        assert memory.rename("b", "c").relinked == ["a", "small.canvas"]
        assert memory.read("big").text == FILES["big.md"]
        with open(vault / "big.canvas", "rb") as file:
            assert file.read(len(canvas)) == canvas


def test_the_bound_may_change_between_two_starts(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "[[b]] " + "x" * 2_000, "b.md": "[[a]]"})
    old = 1_000_000_000.0  # long ago: what is saved then is good for as long as the stamp is the same
    for name in ("a.md", "b.md"):
        os.utime(tmp_path / name, (old, old))
    for most, linked in ((10_000, ["a"]), (1_000, []), (10_000, ["a"])):
        with opened(tmp_path, max_note_bytes=most) as memory:
            assert memory.read("b").linked_from == linked
            assert memory.read("a").large == (not linked)
            assert [one.kind for one in memory.check()] == ([] if linked else ["large"])
            assert [one.name for one in memory.search("x" * 2_000)] == linked


def test_a_large_note_is_looked_at_again_only_once_it_has_changed(
    vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "RACY_NS", 0)  # what was just written can be told by its stamp
    monkeypatch.setattr(files, "_RACY_WHOLE_NS", 0)
    index = Index(Store(str(vault)))
    index.build()
    assert index.suspects() == []
    os.truncate(vault / "big.md", 20 * MB)
    assert index.suspects() == ["big.md"]


def test_processes_that_read_notes_have_the_bound(vault: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MANY", 0)
    monkeypatch.setattr(reader, "parse", None)  # not in this process
    with opened(vault, max_note_bytes=10) as memory:
        assert [one.note for one in memory.check()] == ["a", "big"]
        assert memory.counts() == (3, 0)


def test_a_toolset_says_why_it_cannot_use_a_large_note(vault: pathlib.Path) -> None:
    with opened(vault) as memory, pytest.raises(Unreadable, match="larger than 16 MB, the bound max_note_mb"):
        memory.look(lambda pages: pages.page("big.md"))


def test_a_note_that_was_too_large_in_a_commit_is_not_taken_for_a_deleted_one(tmp_path: pathlib.Path) -> None:
    git(tmp_path, "init", "-q")
    for text in ("small", "large " * 1_000, "small again"):
        write(tmp_path, {"a.md": text})
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", text[:5])
    with opened(tmp_path, max_note_bytes=1_000, git=True) as memory:
        assert memory.show("a", git(tmp_path, "rev-parse", "HEAD~2").strip()) == "small"
        for asked in (memory.show, memory.diff, memory.restore):
            with pytest.raises(NoVersion, match="'a' was larger than max_note_mb in this revision"):
                asked("a", git(tmp_path, "rev-parse", "HEAD~1").strip())
        assert memory.read("a").text == "small again"


def test_an_attachment_has_a_bound_of_its_own(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"one.png": b"", "two.png": b""})
    os.truncate(tmp_path / "one.png", 20 * MB)
    os.truncate(tmp_path / "two.png", 65 * MB)
    with opened(tmp_path) as memory:
        assert len(memory.read_file("one.png")) == 20 * MB
        with pytest.raises(TooLarge, match="too large to be sent"):
            memory.read_file("two.png")


BYTES = st.one_of(
    st.text(alphabet=st.sampled_from("aé€😀\n\r")).map(str.encode), st.binary(), st.text().map(str.encode)
)


@given(BYTES, st.integers(4, 20))
def test_all_parts_of_any_note_are_its_text(tmp_path: pathlib.Path, data: bytes, most: int) -> None:
    write(tmp_path, {"a.md": data})
    store, parts, offset = Store(str(tmp_path), 0), [], 0
    while True:
        part = read_part(store, "a.md", offset, most)
        parts.append(part.text)
        if part.next_offset is None:
            break
        assert 0 < part.next_offset - offset <= most
        offset = part.next_offset
    assert "".join(parts) == data.decode(errors="replace").removeprefix("\ufeff")


@given(st.text(alphabet=st.sampled_from("aé€😀\n"), min_size=1), st.data())
def test_an_offset_in_a_character_means_its_beginning(tmp_path: pathlib.Path, text: str, draw: st.DataObject) -> None:
    data = text.encode()
    write(tmp_path, {"a.md": data})
    offset = draw.draw(st.integers(0, len(data)))
    before, _ = codecs.utf_8_decode(data[:offset], "strict", False)  # without the beginning of a character
    assert read_part(Store(str(tmp_path)), "a.md", offset, 1_000).text == text[len(before) :]


@given(st.text(alphabet="ab\n", max_size=200))
def test_a_part_ends_with_a_line_where_there_is_one(tmp_path: pathlib.Path, text: str) -> None:
    write(tmp_path, {"a.md": text})
    part = read_part(Store(str(tmp_path)), "a.md", 0, 20)
    assert part.next_offset is None or "\n" not in text[:20] or part.text.endswith("\n")


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="a file that has no size, and a content")
def test_a_file_that_grows_while_it_is_read_is_left() -> None:
    with pytest.raises(LargeFile):
        files.read(f"/proc/{os.getpid()}/smaps", 1_000)


@pytest.mark.parametrize("size", [0, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 3_000_000])
def test_the_tag_of_a_file_is_the_etag_of_all_its_bytes(tmp_path: pathlib.Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    write(tmp_path, {"a.md": data[:size]})
    assert files.tag_of(str(tmp_path / "a.md"), None) == files.etag(data[:size])


def test_a_packed_version_is_not_unpacked_beyond_the_bound(tmp_path: pathlib.Path) -> None:
    versions = Versions(StateFolder(str(tmp_path)), Bounds(), 1 * MB)
    data = bytes(100 * MB)
    write(tmp_path, {f".zkmem/versions/{files.etag(data)}.z": zlib.compress(data)})
    assert peak(lambda: versions.text(files.etag(data))) < 10 * MB


def test_a_record_of_any_size_is_damaged(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"x.record": b""})
    os.truncate(tmp_path / "x.record", HUGE)
    with pytest.raises(DamagedRecord, match="more than 50 MB"):
        Transaction.load(str(tmp_path), str(tmp_path / "x"), durable=False)


def test_an_interrupted_edit_is_recovered_beside_a_file_that_has_become_large(vault: pathlib.Path) -> None:
    steps = [Step("big.md", "0123456789ab", "0123456789ac")]
    os.makedirs(vault / "journal")
    os.truncate(vault / "big.md", 300 * MB)
    made = Transaction.begin(str(vault), str(vault / "journal"), steps, {"big.md": b"x"}, [None], durable=False)
    assert peak(made.finish) < 10 * MB
    assert (vault / "big.md").stat().st_size == 300 * MB


def test_an_edit_whose_record_would_not_be_read_again_is_not_begun(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"b.md": "", **{f"{number}.md": "[[b]]" for number in range(10)}})
    monkeypatch.setattr(transaction, "_LONGEST", 500)
    before = read(tmp_path)
    with opened(tmp_path) as memory:
        with pytest.raises(Unwritable, match="too many files at once"):
            memory.rename("b", "c")
        assert memory.write("d", "text").outcome == "created"
    (tmp_path / "d.md").unlink()
    assert read(tmp_path) == before


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_large_note_is_left_to_the_commits_of_the_user(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "to [[big]]", "big.md": "text"})
    for command in ("init -q", "add -A", "-c user.name=A -c user.email=a@b.c commit -qm all"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    sparse(tmp_path)
    with contextlib.closing(Memory(str(tmp_path), git=True)) as memory:
        assert memory.rename("big", "huge").remarks == []
        assert memory.delete("huge").remarks == []
        with pytest.raises(NoVersion):
            memory.show("huge", "1")
    told = subprocess.run(["git", "status", "-s"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert " D big.md" in told
    assert "a.md" not in told


def test_settings_of_any_size_are_left_out(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {config.FILE: "# settings\n"})
    os.truncate(tmp_path / config.FILE, HUGE)
    assert config.load(str(tmp_path), {}) == Settings()
    assert [fault for fault in config.faults(str(tmp_path)) if "too long" in fault]


def test_a_log_of_any_size_is_read_at_its_end_alone(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "one"})
    with opened(tmp_path) as memory:
        memory.write("a", "two")
    log = tmp_path / ".zkmem" / "versions" / "log"
    line = log.read_bytes()
    log.write_bytes(b"")
    os.truncate(log, HUGE)
    with open(log, "ab") as file:
        file.write(b"\n" + line)
    with opened(tmp_path) as memory:
        assert peak(lambda: memory.write("a", "three")) < 200 * MB
        assert [one.rev for one in memory.log()] == ["2", "1"]
    assert log.stat().st_size < 100 * MB


def test_get_content_says_that_offsets_of_a_large_note_count_bytes(vault: pathlib.Path) -> None:
    with opened(vault) as memory:
        result = zettel.get_content(memory, "big", 0, 0)
        assert "Cut at byte 21 of 4000000000: read on with offset=21." in result.texts[1]
        assert "it cannot be edited" in result.texts[1]
        assert result.data["etag"] == ""
