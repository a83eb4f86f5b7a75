"""Measure what `zkmem sync` costs beside `git fetch` and `git push` alone, and a rename beside many edits.

`python -m benchmarks.sync [--notes 1000 10000 100000] [--runs 5] [--ssh] [--referrers 1000] [--clones 20]
[--seconds 120]`

Rows, for each size: one note changed here (it is committed and pushed), one note changed elsewhere (it is fetched and
written), both; with zkmem as a command, in a process that stays open as a server does, and with git by hand (add,
commit, pull, push). The ratio is that of the medians of one run; git and zkmem take turns. Then: a rename over 1,000
referrers on one machine and an edit of each of the same notes on another.

With --clones, so many clones of one bare repository get an edit a second each, and a process for each clone
synchronises it 5 seconds after an edit. The benchmark prints how far the clones were behind (from the beginning of one
synchronisation to the end of the next), and how many lines are missing.
"""

import argparse
import concurrent.futures
import contextlib
import getpass
import multiprocessing
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.tools.vaults import allow_git
from zkmem.memory import Memory
from zkmem.util.spelling import number_of

_PER_FOLDER = 500
_AFTER_S = 5.0  # from an edit to the next synchronisation, the default of `sync_after`


def git(root: Path, *arguments: str) -> str:
    """Run git and return its output."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def zkmem(root: Path, *arguments: str, machine: str = "laptop") -> str:
    """Run zkmem and return its output."""
    command = [sys.executable, "-m", "zkmem", *arguments, "--vault", str(root)]
    environ = {**os.environ, "ZKMEM_SYNC_MACHINE": machine}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    return done.stdout.strip()


def timed(work: object, *arguments: object) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    work(*arguments)  # type: ignore[operator]
    return time.perf_counter() - began


def made(folder: Path, notes: int) -> tuple[Path, Path]:
    """Make two clones of a vault with so many notes, and return their folders."""
    remote, one, other = folder / "remote.git", folder / "one", folder / "other"
    git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
    one.mkdir()
    git(one, "init", "-q", "-b", "main")
    git(one, "remote", "add", "origin", str(remote))
    (one / ".gitignore").write_text(".trash/\n.zkmem/\n")
    for number in range(notes):
        path = one / f"f{number // _PER_FOLDER}" / f"note {number}.md"
        path.parent.mkdir(exist_ok=True)
        links = " ".join(f"[[note {(number * 7 + step) % notes}]]" for step in range(3))
        path.write_text(f"# Note {number}\n\nSome words about {number}.\n\n{links}\n")
    git(one, "add", "-A")
    git(one, "commit", "-qm", "notes")
    git(one, "push", "-q", "-u", "origin", "main")
    git(folder, "clone", "-q", str(remote), str(other))
    for root in (one, other):
        zkmem(root, "check") if notes <= 1_000 else zkmem(root, "hints")
        allow_git(root)
        zkmem(root, "sync")
    return one, other


def plainly(root: Path) -> None:
    """Exchange commits as git does alone."""
    git(root, "fetch", "-q", "origin")
    git(root, "push", "-q", "origin", "HEAD:main")


def edited(root: Path, number: int, text: str) -> None:
    """Append a line to a note by hand."""
    with open(root / f"f{number // _PER_FOLDER}" / f"note {number}.md", "a", encoding="utf-8") as file:
        file.write(text)


def by_hand(root: Path) -> None:
    """Exchange edits as a user of git alone does: commit, merge what came, push."""
    git(root, "add", "-A")
    subprocess.run(["git", "-C", str(root), "commit", "-qm", "by hand"], check=False, capture_output=True)
    git(root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    git(root, "push", "-q", "origin", "HEAD:main")


def listens(port: int) -> bool:
    """Return whether a server on this machine listens on a port."""
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def ssh_server(folder: Path) -> Iterator[str]:
    """Run an SSH server on this machine during the block, with keys in a folder; yield the beginning of its addresses.

    git uses the key in this process and in those that it starts.
    """
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    options = (
        *(f"Port={port}", "ListenAddress=127.0.0.1", f"HostKey={folder}/host", f"PidFile={folder}/pid"),
        *(f"AuthorizedKeysFile={folder}/user.pub", "StrictModes=no", "UsePAM=no", "PermitRootLogin=yes"),
    )
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    command = [shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-e", "-f", os.devnull]
    command += [part for option in options for part in ("-o", option)]
    known = f"-o UserKnownHostsFile={folder}/known -o StrictHostKeyChecking=accept-new"
    os.environ["GIT_SSH_COMMAND"] = f"ssh -i {folder}/user {known} -o BatchMode=yes"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            while not listens(port):
                time.sleep(0.05)
            yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}"
        finally:
            server.terminate()


def costs(notes: int, runs: int, *, ssh: bool = False) -> None:
    """Print the rows for one size."""
    with tempfile.TemporaryDirectory() as temp, contextlib.ExitStack() as closing:
        one, other = made(Path(temp), notes)
        if ssh:
            server = closing.enter_context(ssh_server(Path(temp) / "keys"))
            for root in (one, other):
                git(root, "remote", "set-url", "origin", f"{server}{temp}/remote.git")
        memories = {
            root: closing.enter_context(Memory(str(root), git=True, machine=root.name)) for root in (one, other)
        }
        for memory in memories.values():
            memory.load()
        ways: dict[str, Callable[[Path], object]] = {
            "zkmem, as a command": lambda root: zkmem(root, "sync"),
            "zkmem, in a server": lambda root: memories[root].sync(),
            "git by hand": by_hand,
        }
        times: dict[tuple[str, str], list[float]] = {}
        plain, number = [], 0

        def edit(root: Path) -> None:
            nonlocal number
            edited(root, number * 7 % notes, f"line {number}\n")
            number += 1

        for _ in range(runs):
            edit(one)
            git(one, "commit", "-qam", "plain")
            plain.append(timed(plainly, one))
            zkmem(other, "sync")
            for name, way in ways.items():
                edit(one)
                times.setdefault(("one note sent", name), []).append(timed(way, one))
                times.setdefault(("one note came", name), []).append(timed(way, other))
                edit(one)
                zkmem(one, "sync")
                edit(other)
                times.setdefault(("both sides changed", name), []).append(timed(way, other))
                zkmem(one, "sync")
        start = statistics.median(timed(zkmem, one, "doctor", "--help") for _ in range(runs))
        base = statistics.median(plain)
        print(f"{notes} notes: git fetch + push {base * 1000:.0f} ms; zkmem starts in {start * 1000:.0f} ms")
        for (what, name), seconds in sorted(times.items()):
            median = statistics.median(seconds)
            print(f"  {what}, {name}: {median * 1000:.0f} ms, {median / base:.1f} times", flush=True)


def renamed(referrers: int = 1_000) -> None:
    """Print how long a rename over many referrers takes beside an edit of each of them on the other machine."""
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        one, other = made(folder, 10)
        (one / "target.md").write_text("Target.\n")
        for number in range(referrers):
            (one / f"r{number}.md").write_text(f"About {number}.\n\nSee [[target]] for {number}.\n")
        zkmem(one, "sync")
        zkmem(other, "sync")
        zkmem(one, "mv", "target", "goal")
        for number in range(referrers):
            (other / f"r{number}.md").write_text(f"About {number}.\n\nDo see [[target]] for {number} now.\n")
        sent, merged = timed(zkmem, one, "sync"), timed(zkmem, other, "sync")
        texts = [(other / f"r{number}.md").read_text() for number in range(referrers)]
        right = sum(f"Do see [[goal]] for {number} now." in text for number, text in enumerate(texts))
        callouts = sum("[!conflict]" in text for text in texts)
        print(f"rename over {referrers} notes against {referrers} edits of them:", end=" ")
        print(f"sent {sent:.1f} s, merged {merged:.1f} s, {right} right, {callouts} conflicts", flush=True)


def synchronising(root: Path, stop: float) -> list[float]:
    """Synchronise a clone as `zkmem serve --sync` does while there are edits all the time, until `stop`.

    Return how many seconds it was behind each time.
    """
    stale = []
    with Memory(str(root), git=True, machine=root.name) as memory:
        since = time.time()
        while since < stop:
            began = time.time()
            memory.sync()
            stale.append(time.time() - since)
            since = began
            time.sleep(_AFTER_S)
    return stale


def crowd(clones: int, seconds: int) -> None:
    """Print what happens if many clones write and synchronise all the time."""
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        made(folder, 100)
        roots = [folder / f"clone{number}" for number in range(clones)]
        for root in roots:
            git(folder, "clone", "-q", str(folder / "remote.git"), str(root))
            allow_git(root)
        stop = time.time() + seconds
        with concurrent.futures.ProcessPoolExecutor(clones, multiprocessing.get_context("spawn")) as pool:
            running = [pool.submit(synchronising, root, stop) for root in roots]
            written: list[str] = []
            while time.time() < stop:
                step, began = len(written) // clones, time.monotonic()
                for number, root in enumerate(roots):
                    written.append(f"clone {number} line {step}")
                    edited(root, (number * 3 + step) % 100, written[-1] + "\n")
                time.sleep(max(0.0, 1.0 - (time.monotonic() - began)))
            stale = [seconds_behind for one in running for seconds_behind in one.result()]
        for _ in range(2):
            for root in roots:
                zkmem(root, "sync")
        heads = {git(root, "rev-parse", "HEAD") for root in roots}
        text = "\n".join(path.read_text() for path in roots[0].rglob("*.md"))
        lost = [line for line in written if line + "\n" not in text + "\n"]
        states = number_of(len(heads), "state")
        print(
            f"{clones} clones, {seconds} s: {len(written)} edits, {len(lost)} lost, {states} at the end; "
            f"the stalest was {max(stale):.1f} s behind, median {statistics.median(stale):.1f} s",
            flush=True,
        )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ssh", action="store_true", help="reach the remote through an SSH server on this machine")
    parser.add_argument("--referrers", type=int, default=1_000)
    parser.add_argument("--clones", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    for notes in options.notes:
        costs(notes, options.runs, ssh=options.ssh)
    if options.referrers:
        renamed(options.referrers)
    if options.clones:
        crowd(options.clones, options.seconds)


if __name__ == "__main__":
    main()
