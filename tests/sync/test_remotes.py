"""Vaults synchronise over SSH and with git's daemon, and a server keeps its vault in sync."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks.sync import listens, ssh_server
from tests.sync.edits import put, rename
from tests.sync.machines import git
from tests.sync.shared import Shared, hook
from tests.tools.servers import http_server
from tests.tools.signing_in import free_port
from tests.tools.vaults import allow_git, write
from zkmem.errors import NotSynced, SyncRefused
from zkmem.memory import Memory
from zkmem.sync.cloning import clone_vault
from zkmem.vault.git.remote import Offline, trouble

NOTES = {"A.md": "one\n", "n.md": "See [[A]].\n"}
PATIENCE = 60.0


@contextmanager
def listening(command: list[str], port: int) -> Iterator[None]:
    """Run a server during the block, which begins when the server listens."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not listens(port):
                assert process.poll() is None, f"{command[0]} has ended"
            yield
        finally:
            process.terminate()


def exchanged(shared: Shared, url: str) -> None:
    """Let both machines use another address of the remote, and exchange edits through it."""
    for machine in ("laptop", "desktop"):
        git(shared.root(machine), "remote", "set-url", "origin", url)
    shared.edit("laptop", rename("A", "B"))
    shared.edit("desktop", put("new.md", "As [[A]] says.\n"))
    for machine in ("laptop", "desktop", "laptop"):
        report = shared.sync(machine)
        assert not report.offline
    expected = {"B.md": "one\n", "n.md": "See [[B]].\n", "new.md": "As [[B]] says.\n"}
    assert shared.notes("laptop") == shared.notes("desktop") == expected


@pytest.mark.skipif(shutil.which("sshd") is None and not Path("/usr/sbin/sshd").exists(), reason="there is no sshd")
def test_a_remote_over_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "")  # what the server sets ends with the test
    shared = Shared(tmp_path, NOTES)
    with ssh_server(tmp_path / "keys") as address:
        exchanged(shared, f"{address}{shared.remote}")
        (tmp_path / "keys" / "user.pub").write_text("")
        with pytest.raises(NotSynced, match="does not accept the credentials"):
            shared.sync("laptop")


def test_a_remote_behind_gits_daemon(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    port = free_port()
    daemon = ["git", "daemon", f"--base-path={tmp_path}", "--export-all", "--enable=receive-pack", "--reuseaddr"]
    with listening([*daemon, "--listen=127.0.0.1", f"--port={port}"], port):
        exchanged(shared, f"git://127.0.0.1:{port}/remote.git")
        git(shared.root("laptop"), "remote", "set-url", "origin", f"git://127.0.0.1:{port}/other.git")
        with pytest.raises(NotSynced, match="there is no repository"):
            shared.sync("laptop")


def waited_for(remote: Path, folder: Path) -> str:
    """Make a pipe to which the remote writes a line after each push; return its path."""
    pipe = folder / "pushed"
    os.mkfifo(pipe)
    hook(remote, "post-receive", f'echo pushed > "{pipe}"\n')
    return str(pipe)


@pytest.mark.parametrize("name", ["", "mine="])
def test_a_server_keeps_its_vault_in_sync(tmp_path: Path, name: str) -> None:
    shared = Shared(tmp_path, NOTES)
    pipe = waited_for(shared.remote, tmp_path)
    arrived: list[str] = []
    listener = threading.Thread(target=lambda: arrived.append(Path(pipe).read_text()))
    listener.start()
    settings = {"ZKMEM_SYNC_AFTER": "0", "ZKMEM_SYNC_EVERY": "1", "ZKMEM_SYNC_MACHINE": "laptop"}
    allow_git(shared.root("laptop"))
    with http_server(f"{name}{shared.root('laptop')}", "zettel", "--sync", **settings):
        (shared.root("laptop") / "mine.md").write_text("mine\n")  # by hand, while the server runs
        listener.join(PATIENCE)
        assert arrived == ["pushed\n"]
    (shared.remote / "hooks" / "post-receive").unlink()
    shared.sync("desktop")
    assert shared.notes("desktop")["mine.md"] == "mine\n"


def test_machines_never_go_to_different_branches_of_one_remote(tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(tmp_path, "init", "-q", "-b", "trunk", str(write(tmp_path / "laptop", {"tea.md": "Green.\n"})))
    git(tmp_path / "laptop", "remote", "add", "origin", str(remote))
    with Memory(str(tmp_path / "laptop"), git=True) as memory:
        memory.sync()
    clone_vault(str(remote), str(tmp_path / "desktop"))
    assert (tmp_path / "desktop" / "tea.md").read_text() == "Green.\n"
    assert git(tmp_path / "desktop", "branch", "--show-current").strip() == "trunk"
    git(tmp_path, "init", "-q", "-b", "main", str(write(tmp_path / "phone", {"mate.md": "Hot.\n"})))
    git(tmp_path / "phone", "remote", "add", "origin", str(remote))
    with Memory(str(tmp_path / "phone"), git=True) as memory, pytest.raises(NotSynced, match="but 'trunk'"):
        memory.sync()
    git(remote, "branch", "other", "trunk")
    (tmp_path / "empty").mkdir()
    for name in ("server", "empty"):
        with pytest.raises(NotSynced, match="'other', 'trunk'"):
            clone_vault(str(remote), str(tmp_path / name))
    assert not (tmp_path / "server").exists()
    assert (tmp_path / "empty").exists()


class Answer(BaseHTTPRequestHandler):
    """Answers each request with one status and one text."""

    status, text = 200, b""

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.text)))
        self.end_headers()
        self.wfile.write(self.text)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Print nothing."""


@contextmanager
def answering(status: int, text: bytes) -> Iterator[str]:
    """Run an HTTP server during the block that answers each request in one way; yield its address."""
    handler = type("Handler", (Answer,), {"status": status, "text": text})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/notes.git"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "text", "says"),
    [
        (403, b"Permission denied to ann", "does not accept the credentials"),
        (401, b"", "does not accept the credentials"),
        (404, b"", "there is no repository"),
        (500, b"", "refused: .*500"),
        (200, b"<html>\nsign in\n</html>\n", "there is no repository"),
        (200, b"<html>sign in", "has no branches any more.*sign in.*`git push origin HEAD:main`"),
    ],
)
def test_a_host_that_refuses_is_an_error(tmp_path: Path, status: int, text: bytes, says: str) -> None:
    shared = Shared(tmp_path, NOTES)
    shared.edit("laptop", put("mine.md", "mine\n"))
    with answering(status, text) as url:
        git(shared.root("laptop"), "remote", "set-url", "origin", url)
        with pytest.raises(NotSynced, match=says):
            shared.sync("laptop")
    assert shared.status("laptop") == ""


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_host_that_is_down_is_offline(tmp_path: Path, status: int) -> None:
    shared = Shared(tmp_path, NOTES)
    with answering(status, b"") as url:
        git(shared.root("laptop"), "remote", "set-url", "origin", url)
        assert str(status) in shared.sync("laptop").offline


@pytest.mark.parametrize(
    ("message", "is_offline"),
    [
        (
            "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413\nfatal: the remote end hung up",
            False,
        ),
        ("fatal: the receiving end does not support --signed push\nfatal: the remote end hung up unexpectedly", False),
        ("fatal: unable to access 'https://x/': The requested URL returned error: 302", False),
        ("fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", False),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", True),
        ("fatal: unable to access 'https://x/': Failed to connect to x port 443 after 3 ms", True),
        ("fatal: unable to access 'https://x/': SSL connection timeout", True),
        ("ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.", True),
        ("ssh: Could not resolve hostname x: Name or service not known\nfatal: Could not read", True),
        ("Connection to x closed by remote host.\nfatal: the remote end hung up unexpectedly", True),
        ("fatal: the remote end hung up unexpectedly", True),
    ],
)
def test_only_a_failed_connection_is_offline(message: str, is_offline: bool) -> None:
    assert isinstance(trouble("https://x/", message), Offline) == is_offline


def test_a_remote_with_a_part_of_the_history_is_reported(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    (shared.remote / "shallow").touch()
    with pytest.raises(NotSynced, match=r"only a part of the history; complete it with: git -C .* fetch --unshallow"):
        shared.sync("laptop")


def test_an_empty_folder_in_the_place_of_the_remote_is_offline(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    shared.remote.rename(tmp_path / "unmounted")
    shared.remote.mkdir()
    assert "not there now, or empty" in shared.sync("laptop").offline


def made_anew(shared: Shared, branch: str = "") -> None:
    """Make the remote anew at its address, with one commit on a branch, or with none."""
    shutil.rmtree(shared.remote)
    git(shared.folder, "init", "-q", "--bare", "-b", branch or "main", str(shared.remote))
    if branch:
        git(shared.folder, "clone", "-q", str(shared.remote), "new")
        write(shared.folder / "new", {"README.md": "A vault.\n"})
        git(shared.folder / "new", "add", "-A")
        git(shared.folder / "new", "commit", "-qm", "first")
        git(shared.folder / "new", "push", "-q", "origin", "HEAD")


def way_out(error: NotSynced | SyncRefused) -> list[str]:
    """Return the command that an error advises."""
    found = re.search(r"`(git push [^`]+|zkmem sync [^`]+)`", str(error))
    assert found, error
    return found[1].split()


@pytest.mark.parametrize("branch", ["", "main", "trunk"])
def test_the_error_about_a_remote_that_was_made_anew_says_the_way_out(tmp_path: Path, branch: str) -> None:
    shared = Shared(tmp_path, NOTES)
    made_anew(shared, branch)
    shared.edit("laptop", put("mine.md", "mine\n"))
    with pytest.raises((NotSynced, SyncRefused)) as caught:
        shared.sync("laptop")
    program, *arguments = way_out(caught.value)
    options = {argument.removeprefix("--").replace("-", "_"): True for argument in arguments if argument[:2] == "--"}
    if program == "git":
        git(shared.root("laptop"), *arguments)
    report = shared.sync("laptop", **options)
    assert not report.behind
    assert not shared.sync("laptop").pushed
    expected = {*NOTES, "mine.md", *({"README.md"} if branch == "main" else ())}
    assert set(git(shared.remote, "ls-tree", "-r", "--name-only", "main").split()) == expected | {".gitignore"}


def test_a_part_of_the_way_out_leads_to_the_rest(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    made_anew(shared, "main")
    with pytest.raises(SyncRefused, match="--accept-rewritten --accept-unrelated"):
        shared.sync("laptop", accept_rewritten=True)


def test_a_tag_with_the_name_of_the_branch_is_not_taken_for_it(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    git(shared.root("laptop"), "tag", "main")
    shared.send("laptop", put("mine.md", "mine\n"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "new.git")
    git(shared.root("laptop"), "remote", "set-url", "origin", str(tmp_path / "new.git"))
    git(shared.root("laptop"), "update-ref", "-d", "refs/remotes/origin/main")
    shared.sync("laptop")
    assert git(tmp_path / "new.git", "for-each-ref", "--format=%(refname)") == "refs/heads/main\n"


def test_the_remote_of_a_clone_is_origin_whatever_the_user_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Shared(tmp_path, NOTES)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (tmp_path / "config").write_text("[clone]\n\tdefaultRemoteName = upstream\n")
    root = clone_vault(str(shared.remote), str(tmp_path / "new"))
    with Memory(root, git=True) as memory:
        assert not memory.sync().offline


@pytest.mark.parametrize("here", ["vault", "elsewhere"])
def test_a_repository_inside_the_vault_is_no_remote(tmp_path: Path, here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = tmp_path / "vault"
    write(vault, {"a.md": "one\n"})
    git(vault, "init", "-q", "-b", "main")
    git(vault, "init", "-q", "--bare", "evil.git")
    hook(vault / "evil.git", "pre-receive", f"touch {tmp_path}/ran")
    (tmp_path / "link").symlink_to(vault)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / here)
    percent = "".join(f"%{byte:02x}" for byte in os.fsencode(vault))
    for url in (
        "./evil.git",
        "evil.git/../evil.git",
        f"{tmp_path}/link/evil.git",
        f"file://{vault}/evil.git",
        f"file://host{vault}/evil.git",
        f"file:///{percent}/evil.git",
        "file:///proc/self/cwd/evil.git",
        "file:///proc/self/%63wd/evil.git",
        "/proc/self/cwd/evil.git",
    ):
        git(vault, "config", "remote.origin.url", url)
        with Memory(str(vault), git=True) as memory, pytest.raises(NotSynced):
            memory.sync()
        assert not (tmp_path / "ran").exists(), url


def test_a_commit_of_others_may_hold_anything(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"Tea.md": "one\n"})
    other = shared.root("desktop")
    (other / "Tea.md").write_text("two\n")
    git(other, "add", "-A")
    tree = git(other, "write-tree").strip()
    author = "a\x1fb\x1ec <a@x> 999999999999999 +9999"
    data = f"tree {tree}\nparent {shared.head('desktop')}\nauthor {author}\ncommitter ... <> -5 x\n\none\x1e\x1f\n\n"
    data += "Zkmem-Machine: <img src=http://evil/x> [[secret]] " + "x" * 3000 + "\n"
    made = subprocess.run(
        ["git", "-C", str(other), "hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
        input=data.encode(),
        capture_output=True,
        check=True,
    )
    git(other, "push", "-q", "origin", f"{made.stdout.decode().strip()}:main")
    shared.send("laptop", put("Tea.md", "three\n"))
    text = shared.notes("laptop")["Tea.md"]
    assert "two" in text
    assert "three" in text
    assert len(text) < 200
    assert not set("<[") & set(text.replace("[!conflict]", ""))


def test_messages_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Shared(tmp_path, NOTES)
    other = shared.root("desktop")
    (other / "new.md").write_text("new\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "x" * 9_000)
    git(other, "push", "-q")
    for module in ("commit_graph", "trees"):
        monkeypatch.setattr(f"zkmem.vault.git.{module}.MOST_LOG", 5_000)
    with pytest.raises(NotSynced, match="git log printed more than"):
        shared.sync("laptop")
    assert shared.notes("laptop") == NOTES


def test_a_line_break_in_a_name_mixes_up_no_files(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"good.md": "good\n", "a.md": "evil\n"})
    other = shared.root("desktop")
    evil = git(other, "rev-parse", "HEAD:a.md").strip()
    (other / f"b\n{evil} q.png").write_text("x")
    (other / "also\nthere.md").write_text("there\n")
    (other / "good.md").write_text("better\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "plain")
    git(other, "push", "-q")
    shared.edit("laptop", put("at\nhome.md", "here\n"))
    shared.sync("laptop", "desktop")
    assert shared.notes("laptop") == shared.notes("desktop")
    assert shared.notes("laptop") == {
        "a.md": "evil\n",
        "good.md": "better\n",
        f"b\n{evil} q.png": "x",
        "also\nthere.md": "there\n",
        "at\nhome.md": "here\n",
    }
