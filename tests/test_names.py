"""Hostile names and links: nothing outside of the visible vault is read or written, and every refusal is a sentence."""

import contextlib
import os
import pathlib
import socket
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

import pytest
from mcp.shared.exceptions import MCPError

from tests.tools.inner import engine
from tests.tools.servers import client
from tests.tools.vaults import Files, fresh_index, read, write
from zkmem.caller import Grant
from zkmem.errors import AmbiguousName, BadName, Forbidden, Taken, UnknownNote, ZkError
from zkmem.index.catalog import Catalog, CatalogRow
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.vault.files import Stamp

CANARY = "canary-7f3a"
KEY = "key-91c4"  # a passage of every canary, to be found by a tool that reads one
TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}

VISIBLE = {"note.md": "one passage two [[dir/below]]\n", "dir/below.md": "below [[note]]\n", "other.md": "other\n"}
HIDDEN = [
    ".git/config", ".git/hooks/post-commit", ".obsidian/app", ".zkmem/config", ".zkmem/lock", ".zkmem/journal/x",
    ".trash/x", ".hidden", "dir/.hidden/x", "dir/.x",
]  # fmt: skip
BESIDE = ["secret", "x", "vault2/secret", "etc/passwd"]

TRAVERSAL = [
    "..", "../secret", "../x", "../new", "../../x", "../vault2/secret", "../vault2/new", "dir/..", "dir/../",
    "dir/../..", "dir/../../secret", "dir/../../new", "./../secret", "././../secret", ".", "./", "./zz", "..\\secret",
    "..\\new", "dir\\..\\..\\secret", "dir\\..\\../secret", "/../secret", "//../secret", "zz/..", "zz/../new",
    "..//secret", "...", ".../secret", "..../secret", "..%2fsecret", "..%5csecret", "..%c0%afsecret", "..;/secret",
    "../" * 40 + "zz", "../secret.md", "../secret.md/", "..\u200b/secret", "\u202e../secret", ".. /secret",
    " ../secret", "../ secret", "dir/.. /secret", ".\u0338./secret",
]  # fmt: skip
ABSOLUTE = [
    "/", "//", "///etc/passwd", "//host/share", "\\\\host\\share", "\\\\?\\C:\\x", "\\\\.\\pipe\\x", "C:\\x", "C:x",
    "C:/x", "c:", "file:///etc/passwd", "file:x", "http://host/x", "zkmem://note/x", "x::$DATA", "~/.ssh/id_rsa",
    "/.git/config", "/dir/.hidden/x",
]  # fmt: skip
CONTROL = [
    *(f"z{chr(code)}z" for code in [*range(32), *range(127, 160)]),
    *(f"z{char}z" for char in "\ud800\udbff\udc80\udcff\udfff\u2028\u2029"),
    *(f"z{char}z" for char in "\u00ad\u061c\u180e\u200b\u200e\u200f\u2060\u2061\u2064\ufeff\U000e0001\U000e0041"),
    *(f"z{chr(code)}z" for code in [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    "zz\n../secret", "zz\0.md", "../secret\0", "zz\r\nHost: x", "zz.md\n", "\ufeffzz", "\x1b[2Jz",
]  # fmt: skip
DEVICES = [
    *["con", "PRN", "Aux", "nul", "CONIN$", "conout$", "CON.md", "NUL.txt", "aux.tar.gz", "con .x", "nul/x", "dir/con"],
    *(port + digit for port in ("COM", "lpt") for digit in "123456789¹²³"),
]
LONG = [
    "x" * 253, "x" * 256, "é" * 127, "卡" * 85, "x" * 10_000, "x" * 256 + "/z", "z/" * 500 + "z", "z/" * 1000 + "z",
    "z/" * 5000 + "z", "z" * 200 + ("/" + "z" * 200) * 20, "/" * 10_000,
]  # fmt: skip
EMPTY = [
    "", " ", "\t", "\n", "\u00a0", "\u3000", ".md", "zz/.md", "zz/", "zz//", "zz//z", "zz/ /z", "zz/ z", "zz /z", "z.",
    "z..", "zz./z", "z .md", " z.md", ". ", " .", " /z", "dir/ ",
]  # fmt: skip
LINKS = [
    *(f"z{char}z" for char in '*"<>:|?#^[]'),
    "[[zz]]", "![[zz]]", "zz]]", "[[zz", "zz#part", "zz|shown", "z%%z", "#", "|", "^id", "zz#^id", "[zz](zz.md)",
]  # fmt: skip

REFUSED = [*TRAVERSAL, *ABSOLUTE, *CONTROL, *DEVICES, *HIDDEN, *LONG, *EMPTY, *LINKS]

IN_THE_VAULT = [  # odd, but names of notes in the vault, where no escape is undone and `/` is its root
    "%2e%2e/secret", "%2e%2e%2fsecret", "%2E%2E%5Csecret", "%00", "%2egit/config", "．．/secret", "․․/secret",
    "/etc/passwd", "etc/passwd", "/dev/null", "/proc/self/environ", "~root", "$HOME", "${HOME}/z", "$(id)", "`id`",
    "-rf", "--help", "z;id", "z & z", "null", "con1", "{0}", "%s%n", "z'; --", "\u0301", "z\u200dz",
]  # fmt: skip


class Entry(NamedTuple):
    """What is at a path: all that a write would change."""

    mode: int
    inode: int
    mtime_ns: int
    content: bytes | str


class Trap:
    """A vault with canaries in its hidden folders and beside it."""

    def __init__(self, base: pathlib.Path) -> None:
        self.base, self.root = base, base / "vault"
        write(self.root, VISIBLE)
        for folder, names in ((self.root, HIDDEN), (base, BESIDE)):
            write(folder, {name + suffix: f"{CANARY} {KEY}\n" for name in names for suffix in ("", ".md")})
        self.memory = Memory(str(self.root))
        self.memory.load()

    def entries(self, *, everything: bool) -> dict[str, Entry]:
        """What is outside of the visible vault, or all there is, by path."""
        found = {}
        for folder, folders, names in os.walk(self.base):
            for name in [*folders, *names]:
                path = os.path.relpath(os.path.join(folder, name), self.base)
                if everything or not self.is_visible(path):
                    found[path] = self._entry(path)
        return {path: entry for path, entry in found.items() if not self._is_state(path)}

    def _entry(self, path: str) -> Entry:
        full = self.base / path
        info = os.lstat(full)
        if stat.S_ISLNK(info.st_mode):
            content: bytes | str = os.readlink(full)
        else:
            content = full.read_bytes() if stat.S_ISREG(info.st_mode) else b""
        mtime = 0 if path == "vault" else info.st_mtime_ns  # the vault's own state may be made in it
        return Entry(info.st_mode, info.st_ino, mtime, content)

    @staticmethod
    def is_visible(path: str) -> bool:
        return path.startswith("vault/") and "/." not in path

    @staticmethod
    def _is_state(path: str) -> bool:
        """Whether a path is the tool's own: the vault state, canaries aside, or a file that is being written."""
        if path.startswith("vault/.zkmem/") or path == "vault/.zkmem":
            return path.removeprefix("vault/").removesuffix(".md") not in HIDDEN or not path.endswith(".md")
        return os.path.basename(path).startswith(".zkmem-")

    def may_touch(self, full: str) -> bool:
        """Whether a tool may open, list, make or move what is at an absolute path."""
        path = os.path.relpath(full, self.base)
        if path.startswith("../"):
            if full == "/proc/self/mountinfo":  # what tells whether the cache folder is on a network drive
                return True
            return not full.startswith(("/etc/", "/proc/", "/dev/")) or full.startswith("/dev/shm/")  # a module, say
        trashed = path.startswith("vault/.trash") and path.removeprefix("vault/").removesuffix(".md") not in HIDDEN
        settings = path.startswith("vault/.obsidian/") and path.endswith(".json")  # which folder has the templates
        return path == "vault" or trashed or settings or self.is_visible(path) or self._is_state(path)


class Touched:
    """The paths that this process opens, lists, makes or moves, told by the interpreter's own audit events."""

    def __init__(self) -> None:
        self.paths: list[str] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.paths is not None and (event == "open" or event.startswith("os.")):
            self.paths += [os.fsdecode(one) for one in arguments if isinstance(one, str | bytes) and one]

    @contextlib.contextmanager
    def recorded(self) -> Iterator[list[str]]:
        self.paths = []
        try:
            yield self.paths
        finally:
            self.paths = None


TOUCHED = Touched()  # once for the process: an audit hook cannot be taken out


@contextlib.contextmanager
def untouched(trap: Trap, *, everything: bool, trashed: str = "") -> Iterator[None]:
    """Nothing outside of the visible vault is opened meanwhile, and nothing there (or nothing at all) changes."""
    with unchanged(trap, everything=everything, trashed=trashed), TOUCHED.recorded() as paths:
        yield
    assert [path for path in paths if not trap.may_touch(path)] == []


@contextlib.contextmanager
def unchanged(trap: Trap, *, everything: bool, trashed: str = "") -> Iterator[None]:
    """Nothing outside of the visible vault changes meanwhile, or nothing at all; `trashed`: a note that is deleted."""
    before = trap.entries(everything=everything)
    yield
    after = trap.entries(everything=everything)
    for path in ("vault/.trash", f"vault/.trash/{trashed}.md") if trashed else ():
        before.pop(path, None)
        del after[path]
    assert after == before


def calls(name: str) -> list[tuple[str, dict[str, object]]]:
    """Every tool with the name in each of the arguments that are names."""
    return [
        ("get_content", {"name": name}),
        ("get_content", {"name": name, "depth": 3}),
        ("set_content", {"name": name, "content": "new"}),
        ("set_content", {"name": name, "content": "new", "old": KEY}),
        ("set_content", {"name": name, "content": "new", "append": True}),
        ("delete_content", {"name": name}),
        ("rename_content", {"name": name, "new_name": "plain"}),
        ("rename_content", {"name": "note", "new_name": name}),
        ("extract_content", {"name": name, "content": KEY, "new_name": "plain"}),
        ("extract_content", {"name": "note", "content": "passage", "new_name": name}),
    ]


def answer(trap: Trap, tool: str, arguments: dict[str, object]) -> tuple[str, bool]:
    """What a tool says, and whether it refused; any other failure than a refusal fails the test."""
    try:
        result = TOOLS[tool].call(trap.memory, arguments)
    except ZkError as error:
        said = str(error)
        assert said.endswith((".", "?"))
        assert " " in said.strip()
        assert "Errno" not in said
        return said, True
    return f"{result.texts} {result.data}", False


def shown(name: str) -> str:
    return ascii(name if len(name) < 40 else f"{name[:20]}~{len(name)}")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    """One vault for all names that are refused: none of them may change it."""
    return Trap(tmp_path_factory.mktemp("trap"))


@pytest.fixture
def trap(tmp_path: pathlib.Path) -> Trap:
    return Trap(tmp_path)


@pytest.mark.parametrize("name", REFUSED, ids=shown)
def test_a_hostile_name_is_refused_in_a_sentence_by_every_tool(shared: Trap, name: str) -> None:
    with untouched(shared, everything=True):
        for tool, arguments in calls(name):
            if arguments.get("new_name") in {"/", "zz/"}:
                continue  # a folder to move into
            said, refused = answer(shared, tool, arguments)
            assert refused, f"{tool} {arguments}: {said}"
            assert CANARY not in said
            said.encode()


@pytest.mark.parametrize("name", IN_THE_VAULT, ids=shown)
def test_an_odd_name_stays_in_the_vault(trap: Trap, name: str) -> None:
    with untouched(trap, everything=False):
        for tool, arguments in calls(name)[:5] + calls(name)[6:]:
            assert CANARY not in answer(trap, tool, arguments)[0]
    assert any("passage" in text.decode() for text in read(trap.root).values())


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
async def test_a_resource_uri_reads_nothing_but_notes(shared: Trap, era: str) -> None:
    names = [*REFUSED, *IN_THE_VAULT, "note%00", "%2e%2e%2fsecret", "dir%2F..%2F..%2Fsecret"]
    plain = [name for name in names if name.isascii() and name.isprintable()]
    escaped = [quote(name, safe="", errors="surrogatepass") for name in names]
    async with client("memory", era, str(shared.root)) as connected:
        with unchanged(shared, everything=True):  # the watcher may list what is hidden
            for name in [*plain, *escaped, *(quote(one, safe="") for one in escaped)]:
                with pytest.raises(MCPError) as refusal:
                    await connected.read_resource("zkmem://note/" + name)
                assert CANARY not in str(refusal.value)
                assert "The name" in str(refusal.value) or "There is no note" in str(refusal.value)


def _symlinks(trap: Trap) -> dict[str, str | pathlib.Path]:
    """Links by name, each to something that is no visible note."""
    return {
        "file.md": trap.base / "secret.md", "relative.md": "../secret.md", "folder": trap.base / "vault2",
        "first.md": "second.md", "second.md": "third.md", "third.md": "../secret.md", "up": "..", "git": ".git",
        "hook.md": ".git/config.md", "state": ".zkmem", "root": "/proc/self/root", "cwd": "/proc/self/cwd",
        "etc": "/etc", "null.md": "/dev/null", "stdin.md": "/dev/stdin", "dir/out": "../../vault2",
        "newdir": "../newdir",
    }  # fmt: skip


def test_no_symlink_is_followed_wherever_it_leads(trap: Trap) -> None:
    links = _symlinks(trap)
    for name, target in links.items():
        os.symlink(target, trap.root / name)
    trap.memory = Memory(str(trap.root))
    below = ["secret", "new", "config", "etc/hostname", "passwd", "note", "hooks/post-commit", "a/b/c"]
    folders = [name for name in links if not name.endswith(".md")]
    names = [name[:-3] for name in links if name not in folders]
    names += [f"{folder}/{name}" for folder in folders for name in below]
    with untouched(trap, everything=True):
        for name in names:
            for tool, arguments in calls(name):
                said, refused = answer(trap, tool, arguments)
                assert refused, f"{tool} {arguments}: {said}"
                assert CANARY not in said


@pytest.mark.parametrize("target", ["../new.md", "link.md", "pong.md", "note.md"])
def test_a_symlink_that_leads_nowhere_or_to_the_note_itself_stands_in_the_way(trap: Trap, target: str) -> None:
    os.symlink(target, trap.root / "link.md")
    os.symlink("link.md", trap.root / "pong.md")
    trap.memory = Memory(str(trap.root))
    with untouched(trap, everything=True):
        for tool, arguments in calls("link"):
            said, refused = answer(trap, tool, arguments)
            assert refused, f"{tool} {arguments}: {said}"
    assert trap.memory.write("next", "is written").outcome == "created"


@pytest.mark.parametrize("new_name", ["here/note", "here/new", "up/vault/note", "up/vault/new"])
def test_no_note_is_renamed_through_a_symlink_that_comes_back(trap: Trap, new_name: str) -> None:
    os.symlink(".", trap.root / "here")
    os.symlink("..", trap.root / "up")
    trap.memory = Memory(str(trap.root))
    with untouched(trap, everything=True):
        assert answer(trap, "rename_content", {"name": "note", "new_name": new_name})[1]


@pytest.mark.parametrize("target", ["../secret.md", ".git/config.md", "../new.md", "/proc/self/environ", "note.md"])
def test_a_note_swapped_for_a_symlink_after_it_was_indexed_is_not_followed(trap: Trap, target: str) -> None:
    os.remove(trap.root / "note.md")
    os.symlink(target, trap.root / "note.md")
    with untouched(trap, everything=False):
        for tool, arguments in calls("note")[:7]:
            said, refused = answer(trap, tool, arguments)
            assert CANARY not in said
            assert refused or not arguments.get("old")
            if tool == "set_content" and not refused:
                break  # a note of that name was made in the place of the link
        answer(trap, "get_content", {"name": "dir/below", "depth": 3})


@pytest.mark.parametrize("target", ["vault2", "vault/.git"])
def test_a_folder_swapped_for_a_symlink_after_it_was_indexed_is_not_followed(trap: Trap, target: str) -> None:
    os.rename(trap.root / "dir", trap.root / "away")
    write(trap.base / target, {"below.md": f"{CANARY} {KEY} [[note]]"})
    os.symlink(trap.base / target, trap.root / "dir")
    with untouched(trap, everything=False):
        for tool, arguments in [*calls("dir/below"), *calls("dir/new"), ("get_content", {"name": "note", "depth": 3})]:
            assert CANARY not in answer(trap, tool, arguments)[0]


def test_what_is_no_file_is_no_note_even_if_it_is_called_like_one(trap: Trap) -> None:
    os.mkfifo(trap.root / "pipe.md")
    write(trap.root, {"folder.md/in.md": "in"})
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(trap.root):
        listening.bind("socket.md")  # by a short name: the address of a socket must be
        trap.memory = Memory(str(trap.root))
        with untouched(trap, everything=True):
            for name in ("pipe", "socket", "folder"):
                for tool, arguments in calls(name):
                    said, refused = answer(trap, tool, arguments)
                    assert refused, f"{tool} {arguments}: {said}"


def test_a_hard_link_to_a_file_outside_is_cut_not_written_through(trap: Trap) -> None:
    outside = trap.base / "shared.md"
    outside.write_text("one\n[[note]]\n")
    for name in ("a", "b", "c", "d"):
        os.link(outside, trap.root / f"{name}.md")
    trap.memory = Memory(str(trap.root))
    before = os.stat(outside)
    trap.memory.write("a", "new")
    trap.memory.write("b", "1", old="one")
    trap.memory.rename("note", "renamed")
    trap.memory.rename("c", "e")
    trap.memory.delete("d")
    assert outside.read_text() == "one\n[[note]]\n"
    assert (os.stat(outside).st_mtime_ns, os.stat(outside).st_ino) == (before.st_mtime_ns, before.st_ino)
    assert read(trap.root)["e.md"] == b"one\n[[renamed]]\n"


HOSTILE_LINKS = [
    "[[../secret]]", "[[../../secret]]", "![[../secret]]", "![[/etc/passwd]]", "[[/../secret]]", "[[dir/../../secret]]",
    "[[..\\secret]]", "![[.git/config]]", "![[.git/config.md]]", "[[.zkmem/config]]", "![[.hidden]]",
    "[[dir/.hidden/x]]", "![[.trash/x]]", "[x](file:///etc/passwd)", "[x](../secret.md)", "![x](../secret.md)",
    "[x](%2e%2e/secret.md)", "[x](..%2fsecret.md)", "[x](%2E%2E%5Csecret.md)", "[x](</etc/passwd>)",
    "[x](.git/config.md)", "[x](%2egit/config.md)", "![[out/secret]]", "[[link]]", "![[link.md]]", "[x](out/secret.md)",
    "![[secret]]", "[[x]]", "[[C:\\secret]]", "[[~/secret]]", "[[//host/secret]]", "![[/proc/self/environ]]",
    "[[../vault2/secret#part]]", "[[../vault/note]]",
]  # fmt: skip


@pytest.fixture
def linking(trap: Trap) -> Trap:
    """The trap, with notes, properties and a canvas full of links that lead out of it."""
    body = "".join(f"- {link}\n" for link in HOSTILE_LINKS)
    head = "---\nup: '[[../secret]]'\nto: \"[[.git/config]]\"\n---\n"
    nodes = '{"nodes":[{"type":"file","file":"../secret.md"},{"type":"text","text":"![[../secret]] [[.git/config]]"}]}'
    (trap.root / "link.md").symlink_to("../secret.md")
    (trap.root / "out").symlink_to("..")
    write(
        trap.root, {"hostile.md": f"{head}{body}- [[note]]\n", "dir/deep.md": f"{body}[[hostile]]\n", "m.canvas": nodes}
    )
    trap.memory = Memory(str(trap.root))
    trap.memory.load()
    return trap


class TestHostileLinks:
    def test_expanding_them_reads_nothing_outside(self, linking: Trap) -> None:
        with untouched(linking, everything=True):
            for name in ("hostile", "dir/deep", "note"):
                for depth in range(4):
                    said, refused = answer(linking, "get_content", {"name": name, "depth": depth})
                    assert not refused
                    assert CANARY not in said
            assert all(CANARY not in hint.name for hint in linking.memory.hints())
            assert all(CANARY not in str(finding) for finding in linking.memory.check())

    def test_renaming_and_merging_notes_keeps_them_as_they_are(self, linking: Trap) -> None:
        before = (linking.root / "hostile.md").read_bytes()
        with untouched(linking, everything=False):
            linking.memory.rename("note", "renamed")
            linking.memory.rename("hostile", "dir/sub/moved")
        moved = linking.root / "dir/sub/moved.md"
        assert moved.read_bytes() == before.replace(b"[[note]]", b"[[renamed]]")
        with untouched(linking, everything=False):
            linking.memory.extract("dir/sub/moved", "\n".join(f"- {link}" for link in HOSTILE_LINKS[:9]), "/part")
        assert (linking.root / "part.md").read_text() == "".join(f"- {link}\n" for link in HOSTILE_LINKS[:9])
        assert moved.read_bytes() == before.replace(b"[[note]]", b"[[renamed]]").replace(
            (linking.root / "part.md").read_bytes(), b"- [[part]]\n"
        )

    def test_merging_carries_them_along(self, linking: Trap) -> None:
        with untouched(linking, everything=False, trashed="hostile"):
            linking.memory.rename("hostile", "other", merge=True)
        text = (linking.root / "other.md").read_text()
        assert all(f"- {link}\n" in text for link in HOSTILE_LINKS)
        assert CANARY not in text

    @pytest.mark.parametrize("link", HOSTILE_LINKS)
    def test_text_that_looks_expanded_is_not_compared_with_a_file_outside(self, linking: Trap, link: str) -> None:
        text = f"!{link}start\n\n{CANARY} {KEY}\n\n\n!{link}end\n"
        with untouched(linking, everything=False):
            answer(linking, "set_content", {"name": "new", "content": text})


ODD = [
    "aux.md", "NUL.txt.md", "x .md", " x.md", " .md", "trailing./n.md", "blank /n.md", " lead/n.md", "con/n.md",
    "a:b.md", "C:\\x.md", "q?.md", "s*r.md", 'q"q.md', "l<g>.md", "p|p.md", "h#h.md", "c^c.md", "b[[b.md", "b]]b.md",
    "x%%y.md", "tab\t.md", "line\nbreak.md", "cr\r.md", "\x1b[2J.md", "zero\u200bwidth.md", "\u202ertl.md",
    "sep\u2028.md", "dot..md", "a\\b.md", "a\\..\\b.md", "nb\u00a0.md", "a:b/c?/n.md", "z/" * 460 + "n.md",
]  # fmt: skip


@pytest.mark.parametrize("path", ODD, ids=shown)
class TestNamesThatCouldNotBeMade:
    def test_are_reported(self, tmp_path: pathlib.Path, path: str) -> None:
        m = Memory(write(tmp_path, {path: "", "fine/fine.md": ""}))
        found = [finding.note for finding in m.check() if finding.kind == "name"]
        assert found
        assert all(path.startswith(name) for name in found)

    def test_can_be_read_edited_and_deleted(self, tmp_path: pathlib.Path, path: str) -> None:
        m = Memory(write(tmp_path, {path: "one\n", "s.md": "fine"}))
        (name,) = (name for name in m.complete("")[0] if name != "s")
        assert m.read(name, 3).text == "one\n"
        m.write(name, "two\n")
        m.write(name, "three\n", append=True)
        m.write(name, "2", old="two")
        assert read(tmp_path) == {path: b"2\n\nthree\n", "s.md": b"fine"}
        m.extract(name, "three", "/part")
        assert read(tmp_path)[path] == b"2\n\n[[part]]\n"
        m.delete(name)
        assert set(read(tmp_path)) == {"s.md", "part.md"}

    def test_can_be_left_for_a_better_one(self, tmp_path: pathlib.Path, path: str) -> None:
        m = Memory(write(tmp_path, {path: "one", "s.md": "[[n]] [[aux]] [[q?]] [[dot.]]"}))
        (name,) = (name for name in m.complete("")[0] if name != "s")
        assert m.rename(name, "/plain").outcome == "moved"
        assert read(tmp_path)["plain.md"] == b"one"
        linked = name.rpartition("/")[2] in {"n", "aux", "q?", "dot."}
        assert read(tmp_path)["s.md"].count(b"[[plain]]") == linked
        assert difference_from_fresh(m) == []


def difference_from_fresh(memory: Memory) -> list[str]:
    """How the catalog of a memory differs from a fresh one, in what it knows of folders."""
    kept, fresh = engine(memory).live.index.catalog, fresh_index(memory.vault).catalog
    same = kept.folders == fresh.folders and set(kept._folders_at.keys()) == set(fresh._folders_at.keys())
    return [] if same else [f"{kept.folders} / {fresh.folders}"]


TOPICS: Files = {"topics/Sub/a.md": "one two", "b.md": "one two", "卡/é/c.md": ""}


class TestTwinNotes:
    @pytest.mark.parametrize("name", ["TEA", "/TEA", "tEA.md", "[[TEA]]", "x/TEA", "X/Tea"])
    def test_a_new_name_that_differs_from_several_in_case_alone_is_refused(
        self, tmp_path: pathlib.Path, name: str
    ) -> None:
        files: Files = {"Tea.md": "one two", "tea.md": "", "x/Tea.md": "one two", "x/tea.md": "", "b.md": "one two"}
        m = Memory(write(tmp_path, files))
        tools: list[tuple[str, dict[str, object]]] = [
            ("set_content", {"name": name, "content": "x"}),
            ("rename_content", {"name": "b", "new_name": name}),
            ("rename_content", {"name": "/Tea", "new_name": name}),
            ("rename_content", {"name": "x/tea", "new_name": name}),
            ("extract_content", {"name": "b", "content": "two", "new_name": name}),
            ("extract_content", {"name": "/Tea", "content": "two", "new_name": name}),
        ]
        there = "x/Tea, x/tea" if "/t" in name.lower()[1:] else "Tea, tea"
        for tool, arguments in tools:
            with pytest.raises(AmbiguousName, match=rf"give one of: {there}\."):
                TOOLS[tool].call(m, arguments)
        with pytest.raises(AmbiguousName):
            m.preview_rename("b", name)
        with pytest.raises(AmbiguousName):
            m.preview_extract("b", "two", name)
        assert read(tmp_path) == {path: str(text).encode() for path, text in files.items()}

    def test_one_of_them_is_named_by_its_exact_name(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"Tea.md": "one", "tea.md": "two", "b.md": "three"}))
        m.rename("b", "tea", merge=True)
        m.rename("Tea", "Green Tea")
        assert read(tmp_path) == {"tea.md": b"two\n\n---\n\nthree", "Green Tea.md": b"one"}

    def test_a_caller_with_a_folder_is_told_of_those_in_it_alone(self, tmp_path: pathlib.Path) -> None:
        files: Files = {"topics/Tea.md": "", "topics/tea.md": "", "topics/b.md": "one two", "topics/C.md": ""}
        own = Memory(write(tmp_path, {**files, "Topics/c.md": ""})).restricted(Grant("topics"))
        for new_name, refusal, told in [
            ("topics/TEA", AmbiguousName, "give one of: topics/Tea, topics/tea"),
            ("Topics/new", Forbidden, "something outside"),
        ]:
            for call in (own.rename, own.preview_rename):
                with pytest.raises(refusal, match=told):
                    call("b", new_name)
            for extract in (own.extract, own.preview_extract):
                with pytest.raises(refusal, match=told):
                    extract("b", "two", new_name)
        assert own.read("TOPICS/c").name == own.rename("b", "TOPICS/c", merge=True).name == "topics/C"


class TestTwinFolders:
    @pytest.mark.parametrize(
        ("name", "there"),
        [
            ("Topics/x", "topics"), ("TOPICS/new/x", "topics"), ("topics/sub/x", "topics/Sub"),
            ("/topics/SUB/deep/x", "topics/Sub"), ("Topics/Sub/x", "topics/Sub"), ("Topics/sub/x.md", "topics/Sub"),
            ("卡/É/x", "卡/é"), ("卡/E\u0301/x", "卡/é"),
        ],
    )  # fmt: skip
    def test_none_is_made_by_any_tool(self, tmp_path: pathlib.Path, name: str, there: str) -> None:
        m = Memory(write(tmp_path, TOPICS))
        tools: list[tuple[str, dict[str, object]]] = [
            ("set_content", {"name": name, "content": "x"}),
            ("set_content", {"name": name, "content": "x", "append": True}),
            ("rename_content", {"name": "b", "new_name": name}),
            ("rename_content", {"name": "a", "new_name": name}),
            ("extract_content", {"name": "b", "content": "two", "new_name": name}),
        ]
        for tool, arguments in tools:
            with pytest.raises(Taken, match=rf"differ only in case or Unicode form from '{there}', which exists"):
                TOOLS[tool].call(m, arguments)
        assert read(tmp_path) == {path: str(text).encode() for path, text in TOPICS.items()}
        assert {name for name in os.listdir(tmp_path) if name != ".zkmem"} == {"b.md", "topics", "卡"}

    def test_not_even_by_respelling_the_folder_of_a_note(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, TOPICS))
        with pytest.raises(Taken, match="'topics/Sub'"):
            m.rename("topics/Sub/a", "Topics/Sub/a", merge=True)
        assert m.rename("topics/Sub/a", "topics/Sub/A").outcome == "moved"

    @pytest.mark.parametrize("name", ["topics/x", "topics/Sub/x", "卡/e\u0301/x", "topics2/x", "Topic/x", "b/x", "B/x"])
    def test_the_folder_itself_and_new_ones_are_free(self, tmp_path: pathlib.Path, name: str) -> None:
        m = Memory(write(tmp_path, TOPICS))
        assert m.write(name, "x").outcome == "created"

    def test_a_folder_that_is_gone_stands_in_nobodys_way(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"topics/a.md": "", "topics/b.md": ""}))
        m.delete("topics/a")
        with pytest.raises(Taken):
            m.write("Topics/a", "")
        m.rename("topics/b", "/b")
        m.write("Topics/a", "")
        assert difference_from_fresh(m) == []

    def test_a_folder_respelled_by_hand_a_moment_ago_is_seen(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, TOPICS))
        m.load()
        os.rename(tmp_path / "topics", tmp_path / "Topics")
        assert m.write("Topics/x", "x").outcome == "created"

    def test_each_pair_on_disk_is_reported_once_and_stays_usable(self, tmp_path: pathlib.Path) -> None:
        files = [
            "topics/a.md",
            "topics/b.md",
            "topics/sub/c.md",
            "Topics/d.md",
            "Topics/sub/e.md",
            "x/Y/f.png",
            "x/y/g.md",
        ]
        m = Memory(write(tmp_path, dict.fromkeys(files, "")))
        detail = "folder: differs only in case or Unicode form from "
        assert [one[:3] for one in m.check() if one.kind == "twin"] == [
            ("twin", "Topics", detail + "topics"),
            ("twin", "x/Y", detail + "x/y"),
        ]
        assert m.write("Topics/new", "").name == "Topics/new"
        assert m.write("topics/sub/new2", "").name == "topics/sub/new2"

    def test_the_catalog_knows_them_without_looking_at_every_path(self) -> None:
        catalog = Catalog()
        for path in ("A/x.md", "a/x.md", "a/b/y.md"):
            catalog.put(path, CatalogRow(Stamp(0, 0, 0, 0)))
        assert [sorted(twins) for twins in catalog.twin_folders()] == [["A", "a"]]
        catalog.remove("A/x.md")
        assert list(catalog.twin_folders()) == []
        assert list(catalog.folders_at("a")) == ["a"]
        catalog.remove("a/x.md")
        catalog.remove("a/b/y.md")
        assert catalog.folders_at("a") == ()
        assert catalog.folders == {}


def test_a_folder_no_system_would_take_is_reported_once(tmp_path: pathlib.Path) -> None:
    files = ["trailing./a.md", "trailing./b.md", "trailing./con/c.png", "fine/d.md"]
    found = Memory(write(tmp_path, dict.fromkeys(files, ""))).check()
    assert [(one.kind, one.note, one.detail) for one in found] == [
        ("name", "trailing.", "Windows drops a dot at the end"),
        ("name", "trailing./con", "Windows reserves it for a device"),
    ]


def test_a_path_may_be_long_but_not_longer_than_every_system_takes(tmp_path: pathlib.Path) -> None:
    m = Memory(str(tmp_path))
    with pytest.raises(BadName, match="longer than 900 bytes"):
        m.write("z/" * 450 + "z", "x")
    assert m.write("z/" * 448 + "z", "x").outcome == "created"


def test_a_name_of_nothing_but_blanks_means_that_note_and_no_other(tmp_path: pathlib.Path) -> None:
    m = Memory(write(tmp_path, {" .md": "blank", "a.md": ""}))
    assert m.read(" ").text == "blank"
    with pytest.raises(BadName, match="empty"):
        m.read("  ")
    with pytest.raises(UnknownNote):
        m.read("b")


LINKED: Files = {"hint.md": "# Part\n\nThe hint. A passage.\n", "dir/below.md": "below\n", "[[odd]].md": "odd\n"}


class TestNamesInBrackets:
    @pytest.mark.parametrize(
        "name", ["[[hint]]", "![[hint]]", "[[hint|the entry]]", "[[hint#Part]]", "[[hint#part|x]]", " [[ Hint.md ]]\n"]
    )
    def test_mean_the_note_that_the_link_means_in_every_tool(self, tmp_path: pathlib.Path, name: str) -> None:
        m = Memory(write(tmp_path, LINKED))
        assert m.read(name).name == "hint"
        assert m.page(name).name == "hint"
        assert m.write(name, "The hint.", old="The hint").name == "hint"
        assert m.write(name, "More.", append=True).name == "hint"
        assert m.extract(name, "A passage.", "[[dir/below]]").note.name == "dir/below"
        assert m.rename(name, "[[hint]]").outcome == "unchanged"
        assert m.preview_rename(name, "new").outcome == "moved"
        assert len(m.log(name)) == 3
        assert m.rename("[[below]]", name, merge=True).outcome == "merged"
        assert m.delete(name).name == "hint"
        assert m.restore("[[hint]]", m.log("![[hint|x]]")[1].rev).name == "hint"
        assert m.write(name, "new text").outcome == "replaced"

    def test_are_refused_for_a_note_that_is_to_be_made(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, LINKED))
        calls: list[tuple[str, dict[str, object]]] = [
            ("set_content", {"name": "[[new]]", "content": "x"}),
            ("set_content", {"name": "[[new|shown]]", "content": "x", "append": True}),
            ("rename_content", {"name": "hint", "new_name": "[[new]]"}),
            ("extract_content", {"name": "hint", "content": "A passage.", "new_name": "[[new]]"}),
        ]
        for tool, arguments in calls:
            with pytest.raises(BadName, match="give a new note its plain name: 'new'"):
                TOOLS[tool].call(m, arguments)
        assert read(tmp_path) == {path: str(text).encode() for path, text in LINKED.items()}

    def test_that_a_file_has_are_its_own(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {**LINKED, "odd.md": "plain\n"}))
        assert m.read("[[odd]]").text == "odd\n"
        assert m.read("odd").text == "plain\n"

    @pytest.mark.parametrize("name", ["[[hint]] [[below]]", "[[hint", "hint]]", "[[]]", "see [[hint]]", "[[hint]]x"])
    def test_are_one_link_and_nothing_else(self, tmp_path: pathlib.Path, name: str) -> None:
        with pytest.raises(UnknownNote, match=r"There is no note"):
            Memory(write(tmp_path, LINKED)).read(name)

    def test_lead_nowhere_that_the_bare_name_does_not(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path / "vault", LINKED))
        write(tmp_path, {"secret.md": CANARY, "vault/.git/config.md": CANARY})
        for name in ("[[../secret]]", "[[dir/../../secret]]", "[[#Part]]", "![[|x]]"):
            with pytest.raises((BadName, UnknownNote)):
                m.read(name)
        with pytest.raises(UnknownNote):
            m.read("[[.git/config]]")

    def test_of_a_confined_caller_stay_in_its_folder(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, LINKED)).restricted(Grant("dir"))
        assert m.read("[[below|x]]").name == "dir/below"
        assert m.write("[[below]]", "changed").name == "dir/below"
        for name in ("[[hint]]", "[[/hint]]"):
            with pytest.raises(UnknownNote):
                m.read(name)
            with pytest.raises(Forbidden):
                m.write(name, "x")
