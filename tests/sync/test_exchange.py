"""Vaults of several machines exchange notes through real git remotes."""

import fcntl
import itertools
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.sync.edits import append, delete, extract, git_move, move, put, remove, rename, replace, set_note, undo
from tests.sync.machines import git
from tests.sync.shared import Shared, hook, run
from tests.tools import sync_histories
from tests.tools.crashes import arm, die, in_child
from tests.tools.vaults import write
from tests.vault.test_disks import mounted
from zkmem.errors import NotSynced, SecretsRefused, SyncRefused, Unwritable
from zkmem.memory import Memory
from zkmem.sync.report import SyncState
from zkmem.toolsets import history
from zkmem.vault.journal.origins import Conversation, Conversations, hash_of
from zkmem.vault.journal.state import StateFolder

NOTES = {"A.md": "one\ntwo\nthree\n", "n.md": "See [[A]].\n", "deep/x.md": "[a](../A.md)\n"}


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, NOTES)


def both_change(shared: Shared) -> None:
    """Rename a note by a tool on the laptop. On the desktop, edit that note and write a link to it by hand."""
    shared.edit("laptop", rename("A", "B"))
    shared.edit("desktop", put("new.md", "As [[A]] says.\n"), put("A.md", "one\nTWO\nthree\n"))


MERGED = {
    "B.md": "one\nTWO\nthree\n",
    "n.md": "See [[B]].\n",
    "deep/x.md": "[a](../B.md)\n",
    "new.md": "As [[B]] says.\n",
}


def test_a_rename_on_one_machine_and_links_on_another_go_together(shared: Shared) -> None:
    both_change(shared)
    sent = shared.sync("laptop")
    came = shared.sync("desktop")
    assert (sent.pushed, came.renamed, came.machines) == (1, {"A": "B"}, ["laptop"])
    assert sorted(came.changed) == ["deep/x", "n", "new"]
    assert shared.notes("desktop") == MERGED
    shared.meet()


@pytest.mark.parametrize("seed", range(3))
def test_random_histories_converge(seed: int) -> None:
    sync_histories.check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(114, 122))
def test_more_random_histories_converge(seed: int) -> None:
    sync_histories.check(seed)


def test_two_machines_that_merge_the_same_heads_make_the_same_commit(shared: Shared, tmp_path: Path) -> None:
    both_change(shared)
    for machine in ("laptop", "desktop"):
        shared.sync(machine, dry_run=True)  # fetches nothing new, commits nothing
    shared.edit("desktop", put(".gitattributes", "*.md merge=ours\n"))
    for machine in ("laptop", "desktop"):
        hook(shared.remote, "pre-receive", "exit 1\n")
        with pytest.raises(NotSynced, match="refused"):
            shared.sync(machine)  # each commits its edits before the push fails
        (shared.remote / "hooks" / "pre-receive").unlink()
    heads = {machine: shared.head(machine) for machine in ("laptop", "desktop")}
    merges = set()
    for number, (machine, other) in enumerate((("laptop", "desktop"), ("desktop", "laptop"))):
        place = shutil.copytree(tmp_path, tmp_path.parent / f"{tmp_path.name}-{number}", symlinks=True)
        copied = Shared.at(place)
        git(place / other, "push", "-q", "origin", f"{heads[other]}:main")
        git(place / machine, "config", "user.name", f"somebody {number}")
        git(place / machine, "config", "user.email", f"{number}@example.org")
        git(place / machine, "config", "merge.conflictStyle", "diff3")
        copied.sync(machine)
        merges.add(copied.head(machine))
    assert len(merges) == 1


def test_a_killed_synchronisation_is_finished_by_the_next(shared: Shared, tmp_path: Path) -> None:
    both_change(shared)
    shared.sync("laptop")
    fatal, alive = 1, False
    while not alive:
        place = shutil.copytree(tmp_path, tmp_path.parent / f"{tmp_path.name}-{fatal}", symlinks=True)
        copied = Shared.at(place)
        alive = not _killed(copied, fatal)
        assert copied.meet() == MERGED
        shutil.rmtree(place)
        fatal += STRIDE


STRIDE = 13  # kill at every 13th call: every call would take too long, and 13 hits different calls in each step


def _killed(shared: Shared, fatal: int) -> bool:
    """Synchronise the desktop in a child process that dies at call number `fatal`; return whether it died."""

    def work() -> None:
        calls = 0

        def happens(*_: object) -> None:
            nonlocal calls
            calls += 1
            if calls == fatal:
                die()

        started: Any = subprocess.Popen.__init__

        def start(*arguments: Any, **named: Any) -> None:
            happens()
            started(*arguments, **named)

        subprocess.Popen.__init__ = start  # type: ignore[method-assign]
        arm(happens)
        shared.sync("desktop")

    return in_child(work) < 0


def test_two_processes_that_synchronise_at_once_take_turns(shared: Shared) -> None:
    both_change(shared)
    threads = [threading.Thread(target=shared.sync, args=(machine,)) for machine in ("laptop", "desktop") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.meet() == MERGED


def test_a_push_that_comes_too_late_is_made_again(shared: Shared) -> None:
    both_change(shared)
    shared.sync("laptop")
    script = 'if [ ! -e "$GIT_DIR/late" ]; then touch "$GIT_DIR/late"; echo "(fetch first)" >&2; exit 1; fi\n'
    hook(shared.remote, "pre-receive", script)
    assert shared.sync("desktop").pushed
    shared.meet()


def test_a_turn_at_the_remote_that_never_comes_is_reported(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkmem.vault.git.remote._TURN_S", 0.01)
    both_change(shared)
    stuck = os.open(shared.remote, os.O_RDONLY)
    fcntl.flock(stuck, fcntl.LOCK_EX)
    report = shared.sync("laptop")
    assert report.remarks == ["waited 0 s for another process that uses 'origin', then went on"]
    assert report.pushed
    os.close(stuck)
    assert not shared.sync("desktop").remarks


def test_a_protected_branch_is_reported_and_leaves_the_commits_here(shared: Shared) -> None:
    both_change(shared)
    hook(shared.remote, "pre-receive", "echo 'main is protected' >&2; exit 1\n")
    with pytest.raises(NotSynced, match="main is protected"):
        shared.sync("laptop")
    state = SyncState.load(StateFolder(str(shared.root("laptop"))))
    assert state is not None
    assert (state.ahead, "main is protected" in state.trouble) == (1, True)
    (shared.remote / "hooks" / "pre-receive").unlink()
    shared.meet()


def test_a_remote_that_takes_no_push_still_gives_its_edits(shared: Shared) -> None:
    shared.send("desktop", put("new.md", "From the desktop.\n"))
    hook(shared.remote, "pre-receive", "echo protected; exit 1\n")
    shared.edit("laptop", put("own.md", "From the laptop.\n"))
    for says in ("protected.*what came from the remote was merged here", "protected"):
        with pytest.raises(NotSynced, match=says):
            shared.sync("laptop")
        assert shared.notes("laptop")["new.md"] == "From the desktop.\n"
        assert not shared.status("laptop")


def test_the_state_has_the_last_success_and_why_it_failed_since(shared: Shared) -> None:
    with shared.memory("laptop") as memory:
        before = memory.sync_state()
        assert before
        assert before.succeeded == before.time > 0
        for remote in ("nowhere", "./nowhere"):  # no remote of the vault, so the state says nothing about it
            with pytest.raises(NotSynced, match="nowhere"):
                memory.sync(remote)
        assert memory.sync_state() == before
    git(shared.root("laptop"), "remote", "set-url", "origin", "/")
    with shared.memory("laptop") as memory:
        with pytest.raises(NotSynced, match="no repository"):
            memory.sync()
        after = memory.sync_state()
        assert after
        assert "there is no repository at '/'" in after.trouble
        assert after.succeeded == before.succeeded < after.time


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("git checkout -q --detach", "no branch is checked out"),
        ("touch .git/MERGE_HEAD", "is under way"),
        ("git remote remove origin", "no remote 'origin'"),
    ],
)
def test_the_state_says_what_waits_although_nothing_could_be_exchanged(shared: Shared, command: str, says: str) -> None:
    tracking = shared.head("laptop")
    shared.edit("laptop", put("mine.md", "mine\n"))
    git(shared.root("laptop"), "add", "-A")
    git(shared.root("laptop"), "commit", "-qm", "mine")
    assert run("sh", "-c", command, cwd=shared.root("laptop")).returncode == 0
    git(shared.root("laptop"), "update-ref", "refs/remotes/origin/main", tracking)
    with shared.memory("laptop") as memory:
        with pytest.raises(NotSynced, match=says):
            memory.sync()
        state = memory.sync_state()
    assert state
    assert says in state.trouble
    assert (state.ahead, state.behind) == (1, 0)


def test_no_report_or_state_has_the_password_of_a_remote(shared: Shared) -> None:
    users = ("ann:s3cret", "ann:to@s3cret", "ann:s3cret/x", "ann:s3cret%0a", "s3cret", "")
    with shared.memory("laptop") as memory:
        for scheme, user in itertools.product(("http", "git"), users):
            try:
                report = memory.sync(f"{scheme}://{user}@127.0.0.1:1/notes.git?token=s3cret")
                message = json.dumps([report.to_json(), *report.lines()])
            except NotSynced as error:
                message = str(error)
            assert "127.0.0.1:1/notes.git" in message
            assert "s3cret" not in message + json.dumps(memory.sync_state())


def test_many_deletions_need_permission(shared: Shared) -> None:
    for number in range(40):
        shared.edit("laptop", put(f"d{number}.md", f"{number}\n"))
    shared.meet()
    for number in range(40):
        shared.edit("laptop", remove(f"d{number}.md"))
    head = shared.head("laptop")
    with pytest.raises(SyncRefused, match="40 of 43 notes were deleted here"):
        shared.sync("laptop")
    assert shared.head("laptop") == head
    git(shared.root("laptop"), "commit", "-qam", "a plain user does it")
    git(shared.root("laptop"), "push", "-q", "origin", "HEAD:main")
    with pytest.raises(SyncRefused, match="40 of 43 notes were deleted on the remote"):
        shared.sync("desktop")
    assert len(shared.notes("desktop")) == len(NOTES) + 40
    shared.sync("desktop", accept_deletions=True)
    assert shared.notes("desktop") == NOTES


def test_a_key_is_pushed_for_the_first_time_only_with_a_yes(shared: Shared) -> None:
    key = "ghp_" + "Zq7Lw2Nx9Rt4" * 3
    shared.edit("laptop", put("keys.md", f"# Keys\n\n{key}\n"), put("n.md", "More.\n"))
    for dry_run in (True, False):
        with pytest.raises(SecretsRefused, match=r"this looks like a token \(line 3 of keys\)") as refused:
            shared.sync("laptop", dry_run=dry_run)
        assert key not in str(refused.value)
    shared.sync("desktop")
    assert shared.notes("desktop") == NOTES, "nothing was pushed"
    shared.send("desktop", put("theirs.md", "Theirs.\n"))
    with shared.memory("laptop") as memory:
        state = memory.sync_state()
    assert state
    assert "this looks like a token" in state.trouble
    shared.sync("laptop", accept_secrets=True)
    shared.meet()
    assert key in shared.notes("desktop")["keys.md"]
    git(shared.root("laptop"), "mv", "keys.md", "moved.md")
    shared.edit("laptop", put("moved.md", f"The keys are older.\n\n{key}\n"))
    shared.edit("desktop", remove("keys.md"))
    shared.sync("laptop")
    shared.edit("laptop", put("moved.md", "No keys.\n"))
    shared.meet()


def test_what_others_have_pushed_is_taken_in_while_a_key_is_not_allowed_yet(shared: Shared) -> None:
    key, root = "ghp_" + "Zq7Lw2Nx9Rt4" * 3, shared.root("laptop")
    (root / "keys.md").write_text(f"{key}\n")
    shared.send("desktop", put("theirs.md", "Theirs.\n"))
    with pytest.raises(SecretsRefused, match="Nothing was pushed"):
        shared.sync("laptop", dry_run=True)
    assert "theirs.md" not in shared.notes("laptop")
    for sentence in (r"\(line 1 of keys\).*what came from the remote was merged here", "Nothing was pushed"):
        with pytest.raises(SecretsRefused, match=sentence):
            shared.sync("laptop")
        assert shared.notes("laptop")["theirs.md"] == "Theirs.\n"
        assert key not in git(shared.remote, "log", "-p", "--all")
    shared.send("desktop", put("theirs.md", "Theirs, again.\n"))
    (root / "keys.md").write_text("No keys.\n")
    git(root, "reset", "-q", "--soft", "origin/main")
    assert shared.meet("laptop")["theirs.md"] == "Theirs, again.\n"
    assert key not in git(shared.remote, "log", "-p", "--all")


def test_a_key_that_was_taken_out_again_is_not_pushed_with_the_older_commits(shared: Shared) -> None:
    key, root = "ghp_" + "Zq7Lw2Nx9Rt4" * 3, shared.root("laptop")
    (root / "n.md").write_text(f"{key}\n")
    with pytest.raises(SecretsRefused, match=r"\(line 1 of n\)\."):
        shared.sync("laptop")
    (root / "n.md").write_text("More.\n")
    with pytest.raises(SecretsRefused, match=r"\(line 1 of n\) in an older commit\."):
        shared.sync("laptop")
    git(root, "reset", "-q", "--soft", "origin/main")
    assert shared.meet()["n.md"] == "More.\n"
    assert key not in git(shared.root("desktop"), "log", "--all", "-p")


def test_a_key_that_the_remote_has_may_be_in_the_commits_of_an_edit_that_was_undone(shared: Shared) -> None:
    key, root = "ghp_" + "Zq7Lw2Nx9Rt4" * 3, shared.root("laptop")
    (root / "n.md").write_text(f"{key}\n")
    shared.sync("laptop", accept_secrets=True)
    for text in (f"{key}\nMore.\n", f"{key}\n"):
        (root / "n.md").write_text(text)
        git(root, "commit", "-qam", "An edit")
    (root / "other.md").write_text("Other.\n")
    shared.sync("laptop")
    assert "Other." in git(shared.remote, "show", "main:other.md")


def test_a_note_with_the_text_of_another_file_is_checked_for_keys(shared: Shared) -> None:
    key, root = "ghp_" + "Zq7Lw2Nx9Rt4" * 3, shared.root("laptop")
    for name in ("a.txt", "n.md"):
        (root / name).write_text(f"{key}\n")
    with pytest.raises(SecretsRefused, match=r"\(line 1 of n\)\."):
        shared.sync("laptop")
    (root / "n.md").unlink()
    with pytest.raises(SecretsRefused, match=r"\(line 1 of n\) in an older commit\."):
        shared.sync("laptop")
    assert key not in git(shared.remote, "log", "-p", "--all")


def test_a_rewritten_history_is_reported_and_drops_nothing(shared: Shared) -> None:
    shared.edit("laptop", put("n.md", "More.\n"))
    shared.meet()
    git(shared.root("laptop"), "push", "-qf", "origin", "HEAD^:main")
    shared.edit("desktop", put("mine.md", "mine\n"))
    with pytest.raises(SyncRefused, match="was rewritten"):
        shared.sync("desktop")
    assert shared.notes("desktop")["mine.md"] == "mine\n"
    shared.sync("desktop", accept_rewritten=True, dry_run=True)
    with pytest.raises(SyncRefused, match="was rewritten"):
        shared.sync("desktop")
    hook(shared.remote, "pre-receive", "exit 1\n")
    with pytest.raises(NotSynced, match="refused"):
        shared.sync("desktop", accept_rewritten=True)
    (shared.remote / "hooks" / "pre-receive").unlink()
    with pytest.raises(SyncRefused, match="was rewritten"):
        shared.sync("desktop")
    shared.sync("desktop", accept_rewritten=True)
    assert shared.meet()["n.md"] == "More.\n"


def sync_while_a_person_saves(shared: Shared, text: str) -> None:
    """Synchronise both machines. Just before the first file is replaced on the desktop, a person saves `n.md` there.

    The first push has the edits from before. What the person saved is merged, and waits for the next one.
    """
    shared.sync("laptop")
    path = shared.root("desktop") / "n.md"

    def work() -> None:
        def happens(_: int, name: str) -> None:
            if name == "exchange" and not saved:
                saved.append(name)
                path.write_text(text)

        saved: list[str] = []
        arm(happens)
        report = shared.sync("desktop")
        assert not report.remarks
        is_named = any("made meanwhile will be pushed next time" in line for line in report.lines())
        assert is_named == bool(report.ahead)

    assert in_child(work) == 0
    shared.meet()


def test_a_person_who_saves_meanwhile_loses_nothing(shared: Shared) -> None:
    both_change(shared)
    sync_while_a_person_saves(shared, "Saved meanwhile, see [[A]].\n")
    assert shared.notes("laptop")["n.md"] == "Saved meanwhile, see [[B]].\n"


def test_a_person_who_saves_loses_nothing_where_no_index_is_needed(shared: Shared) -> None:
    """No file is new or moved, so no index is built, and only the exchange can notice the save."""
    shared.edit("laptop", put("n.md", "See [[A]].\nMore.\n"))
    sync_while_a_person_saves(shared, "Saved meanwhile.\nSee [[A]].\n")
    assert shared.notes("laptop")["n.md"] == "Saved meanwhile.\nSee [[A]].\nMore.\n"


@pytest.mark.parametrize(
    ("command", "ends"), [("cat-file --batch", "exit 0"), ("cat-file --filters --batch", "read line; exit 1")]
)
def test_a_git_that_ends_too_soon_is_reported_and_changes_nothing(
    shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, command: str
) -> None:
    both_change(shared)
    shared.sync("laptop")
    before = shared.notes("desktop")
    broken = tmp_path / "bin" / "git"
    broken.parent.mkdir()
    real = shutil.which("git")
    broken.write_text(f'#!/bin/sh\ncase "$*" in *"{command}") {ends};; esac\nexec {real} "$@"\n')
    broken.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{broken.parent}:{os.environ['PATH']}")
        with pytest.raises(NotSynced, match=r"git cat-file ended|cannot be read"):
            shared.sync("desktop")
    assert shared.notes("desktop") == before
    assert shared.meet() == MERGED


def test_reads_do_not_wait_for_a_merge(shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both_change(shared)
    shared.sync("laptop")
    reached, release = tmp_path / "reached", tmp_path / "release"
    os.mkfifo(reached)
    os.mkfifo(release)
    slow = tmp_path / "bin" / "git"  # it waits before it returns the first text to merge
    slow.parent.mkdir()
    real = shutil.which("git")
    once = f"[ -e {reached}.done ] || {{ touch {reached}.done; echo > {reached}; read line < {release}; }}"
    requests = f'while read name; do case "$name" in *"{{"*) ;; *) {once};; esac; echo "$name"; done'
    slow.write_text(
        f'#!/bin/sh\ncase "$*" in *"cat-file --batch") {requests} | exec {real} "$@";; esac\nexec {real} "$@"\n'
    )
    slow.chmod(0o755)
    with shared.memory("desktop") as memory:
        memory.check()  # builds the index
        monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
        syncing = threading.Thread(target=memory.sync)
        syncing.start()
        reached.read_text()
        reading = threading.Thread(target=memory.check)
        reading.start()
        reading.join(20)
        waited = reading.is_alive()
        release.write_text("\n")
        syncing.join()
        assert not waited
    monkeypatch.undo()
    shared.meet()


def test_a_dry_run_says_what_a_run_does_and_changes_nothing(shared: Shared) -> None:
    for machine, word in (("laptop", "ONE"), ("desktop", "first")):
        shared.edit(machine, put("A.md", f"{word}\ntwo\nthree\n"))
    shared.send("laptop", rename("n", "m"))
    shared.edit("desktop", put("new.md", "See [[n]].\n"))
    git(shared.root("desktop"), "add", "new.md")
    git(shared.root("desktop"), "config", "commit.gpgsign", "true")
    git(shared.root("desktop"), "config", "gpg.program", "false")

    def state() -> tuple[object, ...]:
        return (
            shared.notes("desktop"),
            shared.head("desktop"),
            shared.status("desktop"),
            shared.memory("desktop").sync_state(),
        )

    before = state()
    preview = shared.sync("desktop", dry_run=True)
    assert state() == before
    git(shared.root("desktop"), "config", "commit.gpgsign", "false")
    done = shared.sync("desktop")
    for report in (preview, done):
        assert (report.renamed, report.conflicts, report.machines) == ({"n": "m"}, ["A"], ["laptop"])
    assert (preview.changed, preview.merged) == (done.changed, done.merged)
    assert preview.uncommitted == ["A", "new"]
    assert preview.pushed == done.pushed == 2  # the edits by hand, and the merge
    assert "would be committed: edits by hand in A, new" in preview.lines()


def test_a_note_with_edits_by_hand_that_was_renamed_gets_the_edits_of_others(shared: Shared) -> None:
    """They must not get into the new note that has the old name."""
    shared.edit("laptop", put("self.md", "one\n[[self]]\ntwo\n"))
    shared.meet("laptop")
    shared.edit(
        "laptop", put("self.md", "one\n[[self]] and mine\ntwo\n"), rename("self", "me"), set_note("self", "another\n")
    )
    shared.edit("desktop", put("self.md", "ONE\n[[self]]\ntwo\n"))
    notes = shared.meet("laptop")
    assert (notes["me.md"], notes["self.md"]) == ("ONE\n[[me]] and mine\ntwo\n", "another\n")


@pytest.mark.parametrize("later", ["laptop", "desktop"])
def test_a_new_note_with_the_name_of_a_merged_one_is_another_note(shared: Shared, later: str) -> None:
    shared.day = 1 + (later == "desktop")
    shared.edit("desktop", rename("A", "deep/x"), rename("n", "m"))
    shared.day = 1 + (later == "laptop")
    shared.edit(
        "laptop",
        rename("A", "n"),
        set_note("A", "new [[n]]\n\npassage\n"),
        extract("A", "passage", "B"),
        set_note("new", "More in [[A]].\n"),
    )
    shared.meet("laptop")
    assert shared.notes("laptop")["A.md"] == "new [[m]]\n\n[[B]]\n"
    assert shared.notes("laptop")["new.md"] == "More in [[A]].\n"


@pytest.mark.parametrize(("name", "text"), [("n", "See [[B]].\n"), ("new", "another\n")])
def test_a_note_that_got_the_name_of_a_deleted_one_is_another_note(shared: Shared, name: str, text: str) -> None:
    shared.edit("desktop", rename("A", "B"), append("B", "edited\n"))
    shared.edit(
        "laptop", delete("A"), set_note("new", "another\n"), rename(name, "A"), set_note("late", "As [[A]] says.\n")
    )
    notes = shared.meet("laptop")
    assert (notes["A.md"], notes["late.md"]) == (text, "As [[A]] says.\n")
    assert notes["B.md"] == "one\ntwo\nthree\n\nedited\n"


@pytest.mark.parametrize("merges", [False, True], ids=["renamed", "merged"])
def test_a_new_note_with_the_name_of_a_note_that_was_deleted_under_another_name_is_another_note(
    shared: Shared, merges: bool
) -> None:
    shared.edit("desktop", rename("A", "B"), append("B", "edited\n"))
    shared.edit(
        "laptop",
        rename("A", "deep/x" if merges else "deep/z"),
        set_note("A", "another\n"),
        delete("deep/x" if merges else "deep/z"),
        set_note("late", "As [[A]] says.\n"),
    )
    notes = shared.meet("laptop")
    assert (notes["A.md"], notes["late.md"]) == ("another\n", "As [[A]] says.\n")
    assert notes["B.md"] == "one\ntwo\nthree\n\nedited\n"


@pytest.mark.parametrize("later", [False, True])
def test_a_note_is_the_same_if_an_amended_commit_still_names_a_move_that_it_no_longer_makes(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, later: bool
) -> None:
    laptop = shared.root("laptop")
    shared.edit("laptop", rename("A", "B"))
    git(laptop, "mv", "B.md", "A.md")
    write(laptop, {"A.md": "ONE\ntwo\nthree\n"})
    with monkeypatch.context() as patch:
        if later:
            patch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00Z")
        git(laptop, "commit", "-q", "--amend", "--no-edit", "-a")
    shared.edit("desktop", rename("A", "C"), append("C", "edited\n"))
    assert shared.meet("laptop")["C.md"] == "ONE\ntwo\nthree\n\nedited\n"


def test_a_new_note_with_an_earlier_name_is_another_note_beside_an_older_branch(tmp_path: Path) -> None:
    """The phone's branch is older than the rename of the desktop, after which the desktop uses the name again."""
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.day = 1
    shared.send("desktop", rename("A", "B"))
    shared.edit("desktop", set_note("A", "new\n"), rename("A", "Z"), append("B", "edited\n"))
    shared.day = 2
    shared.edit("phone", rename("n", "m"))
    shared.sync("phone", "laptop", "desktop")
    shared.send("laptop", put("plan.md", "As [[B]] says.\n"))
    assert shared.notes("laptop")["plan.md"] == "As [[B]] says.\n"


@pytest.mark.parametrize(("first", "merges"), [("laptop", False), ("desktop", True)])
def test_two_new_notes_of_one_name_are_two_notes_wherever_they_were_moved(
    shared: Shared, first: str, merges: bool
) -> None:
    """Both machines make `deep/s`. The laptop moves its own away, and then the folder with that of the desktop."""
    shared.day = 1 + (first == "desktop")
    shared.edit("laptop", set_note("deep/s", "of the laptop\n"), rename("deep/s", "n" if merges else "r"))
    shared.edit("laptop", git_move("deep", "kept"))
    shared.day = 1 + (first == "laptop")
    shared.edit("desktop", set_note("deep/s", "of the desktop\n"))
    shared.sync("desktop", "laptop")
    shared.send("desktop", put("new.md", "[[deep/s]]\n"))
    assert shared.notes("desktop")["new.md"] == "[[kept/s]]\n"
    assert shared.notes("desktop")["kept/s.md"] == "of the desktop\n"
    shared.meet()


@pytest.mark.parametrize("later", ["laptop", "desktop"])
def test_a_note_that_got_the_path_of_a_new_note_is_followed(tmp_path: Path, later: str) -> None:
    """The desktop frees the path and uses it again; the laptop frees it and moves a note there."""
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.day = 1 + (later == "desktop")
    shared.send("desktop", rename("A", "W"), set_note("A", "new\n"))
    shared.day = 1 + (later == "laptop")
    shared.edit("laptop", delete("A"), rename("n", "A"))
    shared.edit("phone", put("plan.md", "As [[n]] says.\n"))
    shared.sync("laptop", "phone")
    assert shared.notes("phone")["plan.md"] == "As [[A]] says.\n"


@pytest.mark.parametrize(("later", "name"), [("laptop", "tea"), ("desktop", "green")])
def test_a_note_that_became_one_with_a_new_note_renamed_to_its_name_is_followed(
    shared: Shared, later: str, name: str
) -> None:
    shared.day = 1 + (later == "desktop")
    shared.send("desktop", set_note("tea", "Green tea.\n\nAt 75 °C.\n"))
    shared.day = 1 + (later == "laptop")
    shared.send("laptop", set_note("oolong", "Half green.\n"), rename("oolong", "tea"))
    if name != "tea":
        shared.send("laptop", rename("tea", name))
    shared.day = 3
    shared.send("desktop", put("tea.md", "Green tea.\n\nAt 80 °C.\n"), put("new.md", "As [[tea]] says.\n"))
    notes = shared.notes("desktop")
    assert notes["new.md"] == f"As [[{name}]] says.\n"
    assert sorted(filter(None, notes[f"{name}.md"].split("\n"))) == ["At 80 °C.", "Green tea.", "Half green."]
    assert notes.keys() - NOTES == {"new.md", f"{name}.md"}


FORM = "---\ntype: person\ntags: [person]\n---\n## Contact\n\n- mail:\n- phone:\n\n## Notes\n\n{}\n"


@pytest.mark.parametrize(
    ("first", "by_tool"), [("write", {"write", "delete"}), ("delete", {"write"}), ("write", {"delete"})]
)
def test_a_similar_note_that_another_commit_made_is_not_the_deleted_note(
    tmp_path: Path, first: str, by_tool: set[str]
) -> None:
    shared = Shared(tmp_path, {"Ann.md": FORM.format("tall"), "log.md": "Met [[Ann]].\n"})
    for step in (first, *({"write", "delete"} - {first})):
        if step == "write":
            text = FORM.format("short")
            shared.edit("laptop", set_note("Bob", text) if step in by_tool else put("Bob.md", text))
        else:
            shared.edit("laptop", delete("Ann") if step in by_tool else remove("Ann.md"))
        shared.sync("laptop")
    shared.edit("desktop", put("Ann.md", FORM.format("tall") + "She called.\n"))
    notes = shared.meet()
    assert notes["Ann.md"] == FORM.format("tall") + "She called.\n"
    assert notes["Bob.md"] == FORM.format("short")
    assert notes["log.md"] == "Met [[Ann]].\n"


def test_an_empty_note_is_not_renamed_to_another_empty_note(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"tea.md": "", "list.md": "Buy [[tea]].\n"})
    shared.edit("laptop", remove("tea.md"), put("other.md", ""))
    assert shared.meet()["list.md"] == "Buy [[tea]].\n"


def test_a_note_with_an_extracted_passage_is_not_the_deleted_note_under_a_new_name(tmp_path: Path) -> None:
    passage = "## Passage\n\n" + "words of the passage\n" * 9
    shared = Shared(tmp_path, {"A.md": f"one\n\n{passage}"})
    shared.edit("laptop", extract("A", passage.strip(), "P"), delete("A"))
    shared.edit("desktop", put("A.md", f"ONE\n\n{passage}"))
    notes = shared.meet("laptop")
    assert notes.keys() == {"A.md", "P.md"}
    assert notes["A.md"].startswith("ONE\n")


def test_a_renamed_note_that_had_the_name_of_a_merged_one_is_another_note(shared: Shared) -> None:
    shared.edit("laptop", rename("A", "deep/x"), set_note("A", "new\n"), rename("A", "Z"))
    shared.edit("desktop", put("plan.md", "As [[A]] says.\n"))
    assert shared.meet("laptop")["plan.md"] == "As [[x]] says.\n"


def test_a_merged_note_that_another_machine_edited_stays_on_a_third_machine(tmp_path: Path) -> None:
    """The laptop deletes the note that has the text, so the edited note stays. The phone learns that from the merge."""
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.edit("laptop", rename("A", "deep/x"), delete("deep/x"))
    shared.edit("desktop", append("A", "edited\n"), append("deep/x", "edited\n"))
    shared.edit("phone", put("plan.md", "As [[A]] says.\n"))
    shared.sync("laptop", "desktop", "phone", "desktop", "laptop")
    notes = shared.notes("laptop")
    assert shared.notes("phone") == shared.notes("desktop") == notes
    assert notes["A.md"] == "one\ntwo\nthree\n\nedited\n"
    assert notes["plan.md"] == "As [[A]] says.\n"


@pytest.mark.parametrize("later", ["laptop", "desktop"])
def test_a_note_with_the_text_and_then_the_name_of_another_is_followed(shared: Shared, later: str) -> None:
    shared.day = 1 + (later == "laptop")
    shared.send("laptop", rename("A", "deep/x"), rename("deep/x", "/A"))
    shared.day = 1 + (later == "desktop")
    shared.edit("desktop", put("A.md", "one\ntwo\nTHREE\n"), put("plan.md", "Of [[x]] and [[A]].\n"))
    notes = shared.meet()
    assert notes.keys() == {"A.md", "n.md", "plan.md"}
    assert notes["A.md"] == "[a](./A.md)\n\n---\n\none\ntwo\nTHREE\n"
    assert notes["plan.md"] == "Of [[A]] and [[A]].\n"


def test_an_edit_stays_in_its_note_if_that_was_deleted_with_a_note_that_stands(tmp_path: Path) -> None:
    """The laptop merges A into n and deletes n. The desktop's edit keeps n, without the text of A."""
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.edit("laptop", rename("A", "n"), delete("n"))
    shared.edit("desktop", put("n.md", "See [[A]].\nedited\n"))
    shared.edit("phone", put("A.md", "one\ntwo\nTHREE\n"))
    shared.sync("laptop", "desktop", "phone", "desktop", "laptop")
    notes = shared.notes("laptop")
    assert shared.notes("phone") == shared.notes("desktop") == notes
    assert notes["A.md"] == "one\ntwo\nTHREE\n"
    assert notes["n.md"] == "See [[A]].\nedited\n"


def test_a_link_to_a_note_that_was_renamed_and_then_deleted_is_no_conflict(shared: Shared) -> None:
    shared.edit("laptop", rename("A", "deep/B"), delete("deep/B"))
    shared.edit("desktop", set_note("n", "See [[A]] today.\n"))
    shared.sync("laptop")
    report = shared.sync("desktop")
    shared.meet()
    assert not report.conflicts
    assert shared.notes("laptop")["n.md"] == "See [[A]] today.\n"


def make_another(shared: Shared, machine: str) -> None:
    """Rename a note, make another one with its name, and delete the renamed one."""
    shared.edit(machine, rename("A", "deep/B"), set_note("A", "another\n"), delete("deep/B"))


@pytest.mark.parametrize("machine", ["laptop", "desktop"])
def test_a_link_to_a_deleted_note_does_not_lead_to_a_new_one_with_its_former_name(shared: Shared, machine: str) -> None:
    other = {"laptop": "desktop", "desktop": "laptop"}[machine]
    make_another(shared, machine)
    shared.edit(other, set_note("late", "See [[A]].\n"))
    assert shared.meet("laptop")["late.md"] == "See [[B]].\n"


@pytest.mark.parametrize("machine", ["laptop", "desktop"])
def test_links_that_two_machines_updated_for_a_deleted_note_are_no_conflict(shared: Shared, machine: str) -> None:
    other = {"laptop": "desktop", "desktop": "laptop"}[machine]
    make_another(shared, machine)
    shared.edit(other, rename("A", "C"), append("n", "more\n"))
    notes = shared.meet("laptop")
    assert notes["n.md"] in {"See [[B]].\n\nmore\n", "See [[C]].\n\nmore\n"}
    assert notes["A.md"] == "another\n"


@pytest.mark.parametrize("new", ["deep/x", "deep/B"])
def test_links_lead_to_an_edited_note_that_another_machine_moved_and_then_deleted(shared: Shared, new: str) -> None:
    shared.edit("laptop", put("map.canvas", '{"nodes":[{"id":"1","type":"file","file":"A.md"}],"edges":[]}'))
    shared.meet("laptop")
    shared.edit(
        "laptop",
        set_note("x too", "See [[x]].\n"),
        rename("A", new),
        set_note("plan", f"Read [[{new}]].\n"),
        delete(new),
    )
    shared.edit("desktop", append("A", "edited\n"))
    notes = shared.meet("laptop")
    assert notes["n.md"] == "See [[A]].\n"
    assert notes["x too.md"] == "See [[x]].\n"
    if new == "deep/B":
        assert notes["plan.md"] == "Read [[A]].\n"
        assert notes["deep/x.md"] == "[a](../A.md)\n"
        assert '"A.md"' in notes["map.canvas"]


@pytest.mark.parametrize("line", ["See [[C]].", "Do see [[C]]."])
def test_links_lead_to_an_edited_note_that_another_machine_deleted_under_its_former_name(
    shared: Shared, line: str
) -> None:
    shared.send("desktop", rename("A", "B"), rename("B", "C"))
    shared.send("laptop", delete("A"))
    shared.edit("desktop", append("C", "edited\n"), set_note("n", f"{line}\n"))
    shared.meet()
    assert shared.notes("laptop")["n.md"] == f"{line}\n"
    assert shared.notes("laptop")["deep/x.md"] == "[a](../C.md)\n"


def test_a_link_that_gets_its_former_name_again_is_no_edit_of_its_line(tmp_path: Path) -> None:
    """The laptop merges A into n, the desktop deletes n, and the phone's edit keeps it, without the text of A."""
    shared = Shared(tmp_path, {**NOTES, "m.md": "Of [[A]].\n"}, ("laptop", "desktop", "phone"))
    shared.edit("laptop", rename("A", "n"))
    shared.sync("laptop", "desktop")
    shared.edit("desktop", delete("n"))
    shared.edit("phone", put("n.md", "See [[A]].\nedited\n"))
    shared.sync("desktop", "phone")
    assert shared.notes("phone")["m.md"] == "Of [[A]].\n"
    shared.edit("laptop", put("m.md", "Much of [[n]].\n"))
    assert not shared.sync("laptop").conflicts
    assert shared.notes("laptop")["m.md"] == "Much of [[n]].\n"


def test_a_note_that_both_machines_made_is_reported(shared: Shared) -> None:
    for machine in ("laptop", "desktop"):
        shared.edit(machine, put("new.md", f"From the {machine}.\n"))
    shared.sync("laptop")
    assert shared.sync("desktop").merged == ["new"]


@pytest.mark.parametrize("zone", ["+0530", "-0800"])
def test_the_time_in_a_callout_names_its_zone(shared: Shared, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    for machine, day in (("laptop", 1), ("desktop", 2)):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2030-01-0{day}T12:00{zone}")
        shared.edit(machine, put("n.md", f"See [[A]] on the {machine}.\n"))
        shared.sync(machine)
    hours = 12 - int(zone[:3])
    when = f"2030-01-01 {hours - (zone[3:] == '30'):02}:{'30' if zone[3:] == '30' else '00'} UTC"
    assert f"> [!conflict] Also written on laptop, {when}\n> See" in shared.notes("desktop")["n.md"]


@pytest.mark.parametrize("first", ["laptop", "desktop"])
def test_two_new_notes_of_one_name_are_two_notes_for_a_machine_that_was_away(tmp_path: Path, first: str) -> None:
    shared = Shared(tmp_path, {"coffee.md": "Black.\n"}, ("laptop", "desktop", "phone"))
    shared.edit("laptop", put("salt.md", "White.\n"))
    shared.edit("desktop", set_note("salt", "From the sea.\n"), rename("salt", "sea"), rename("coffee", "salt"))
    shared.sync(first, "laptop", "desktop")
    shared.send("phone", put("coffee.md", "Black. Hot.\n"), put("hint.md", "[[coffee]]\n"))
    found = shared.notes("phone")
    assert found.pop("hint.md") == "[[salt]]\n"
    assert found.keys() == {"salt.md", "sea.md"}
    assert "Black. Hot." in found["salt.md"]
    assert found["sea.md"] == "From the sea.\n"


@pytest.mark.parametrize("later", ["laptop", "desktop"])
def test_a_note_that_was_merged_into_one_that_others_deleted_gets_their_edits(tmp_path: Path, later: str) -> None:
    shared = Shared(tmp_path, {"sugar.md": "Sweet.\n", "milk.md": "White.\n"}, ("laptop", "desktop", "phone"))
    shared.day = 1 if later == "desktop" else 3
    shared.edit("laptop", rename("sugar", "milk"), rename("milk", "drinks"))
    shared.day = 2
    shared.edit("desktop", remove("milk.md"))
    shared.sync("desktop", "phone", "laptop")
    shared.day = 4
    shared.send("phone", put("sugar.md", "Sweet. From cane.\n"), put("hint.md", "[[sugar]]\n"))
    found = shared.notes("phone")
    assert found.keys() == {"drinks.md", "hint.md"}
    assert found["hint.md"] == "[[drinks]]\n"
    assert {"White.", "Sweet. From cane."} <= set(found["drinks.md"].splitlines())


@pytest.mark.parametrize("later", ["laptop", "desktop"])
def test_a_note_merged_into_one_that_a_merge_has_kept_gets_the_edits_of_a_machine_that_was_away(
    tmp_path: Path, later: str
) -> None:
    """The desktop deletes the note that gets the text on the laptop, so the merge keeps that note."""
    notes = {"sugar.md": "Sweet.\n", "cane.md": "Of cane.\n", "milk.md": "White.\n"}
    shared = Shared(tmp_path, notes, ("laptop", "desktop", "phone"))
    shared.day = 1 if later == "desktop" else 3
    shared.edit("laptop", rename("cane", "sugar"), rename("sugar", "milk"))
    shared.day = 2
    shared.edit("desktop", remove("milk.md"))
    shared.sync("desktop", "laptop")
    shared.day = 4
    edited = {"sugar.md": "Sweet. White.\n", "cane.md": "Of cane. Brown.\n", "hint.md": "[[sugar]], [[cane]]\n"}
    write(shared.root("phone"), edited)
    shared.sync("phone")
    found = shared.notes("phone")
    assert found.keys() == {"milk.md", "hint.md"}
    assert found["hint.md"] == "[[milk]], [[milk]]\n"
    assert {"White.", "Sweet. White.", "Of cane. Brown."} <= set(found["milk.md"].splitlines())


LINES = "".join(f"line {number}\n\n" for number in range(5))
EDITS_OF_LINES = (replace("N", "line 2", "line 2, edited"), replace("N", "line 4", "line 4, edited"))


@pytest.mark.parametrize(("is_merged_by", "edits_first"), [("laptop", True), ("desktop", False)])
def test_an_edit_of_a_passage_gets_into_the_note_that_has_it_though_the_rest_was_merged(
    shared: Shared, is_merged_by: str, edits_first: bool
) -> None:
    shared.edit("laptop", put("N.md", LINES), put("T.md", "other\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", extract("N", "line 2", "P"))
    shared.edit("desktop", *EDITS_OF_LINES)
    shared.edit(is_merged_by, rename("N", "T"))
    machines = ("desktop", "laptop") if edits_first else ("laptop", "desktop")
    shared.sync(*machines, *machines)
    found = shared.notes("laptop")
    assert found == shared.notes("desktop")
    assert found["P.md"] == "line 2, edited\n"
    assert "line 0\n\nline 1\n\n[[P]]\n\nline 3\n\nline 4, edited\n" in found["T.md"]
    assert "[!conflict]" not in found["T.md"]


@pytest.mark.parametrize("edits_first", [True, False])
def test_a_paragraph_below_an_edited_passage_stays_in_the_note_that_another_machine_extracted_it_from(
    shared: Shared, edits_first: bool
) -> None:
    shared.edit("laptop", set_note("T", "line 0\n\nline 1\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", extract("T", "line 1", "P"))
    shared.edit("desktop", put("T.md", "line 0\n\nline 1, edited\n\nanother\n"))
    machines = ("desktop", "laptop") if edits_first else ("laptop", "desktop")
    shared.sync(*machines, *machines)
    found = shared.notes("laptop")
    assert (found["T.md"], found["P.md"]) == ("line 0\n\n[[P]]\n\nanother\n", "line 1, edited\n")


@pytest.mark.parametrize(("edited", "edits_first"), [("N", False), ("M", True), ("T", False)])
def test_an_edit_of_a_passage_gets_into_the_note_that_has_it_though_the_rest_was_deleted(
    shared: Shared, edited: str, edits_first: bool
) -> None:
    """The edited note has another name on the desktop, or was merged there."""
    shared.edit("laptop", put("N.md", LINES), put("T.md", "other\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", extract("N", "line 2", "P"), rename("N", "O"), delete("O"))
    shared.edit("desktop", *EDITS_OF_LINES, *([rename("N", edited)] if edited != "N" else []))
    machines = ("desktop", "laptop") if edits_first else ("laptop", "desktop")
    shared.sync(*machines, *machines)
    found = shared.notes("laptop")
    assert found == shared.notes("desktop")
    assert found["P.md"] == "line 2, edited\n"
    assert "line 2" not in found[f"{edited}.md"]
    assert "line 4, edited" in found[f"{edited}.md"]
    assert "[!conflict]" not in found[f"{edited}.md"]


@pytest.mark.parametrize("edits_first", [True, False])
def test_an_edit_of_a_passage_gets_into_the_note_that_has_it_though_the_rest_was_deleted_with_another_note(
    shared: Shared, edits_first: bool
) -> None:
    shared.edit("laptop", put("N.md", LINES), put("T.md", "other\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", extract("N", "line 2", "P"), rename("N", "T"), delete("T"))
    shared.edit("desktop", *EDITS_OF_LINES)
    machines = ("desktop", "laptop") if edits_first else ("laptop", "desktop")
    shared.sync(*machines, *machines)
    found = shared.notes("laptop")
    assert found == shared.notes("desktop")
    assert found["P.md"] == "line 2, edited\n"
    assert "line 2" not in found["N.md"]
    assert "line 4, edited" in found["N.md"]


@pytest.mark.parametrize("later", ["a", "b"])
def test_an_edit_of_a_passage_gets_into_its_note_that_was_renamed_and_came_with_a_merge(
    tmp_path: Path, later: str
) -> None:
    shared = Shared(tmp_path, {"N.md": LINES}, ("a", "b", "c"))
    days = {"a": 1 + (later == "a"), "b": 1 + (later == "b"), "c": 3}
    shared.edit("b", put("other.md", "Another note.\n"))
    shared.edit("c", replace("N", "line 2", "line 2, edited"))
    shared.day = days["a"]
    shared.edit("a", extract("N", "line 2", "P"), rename("P", "Q"))
    for machine in ("a", "b", "c"):
        shared.day = days[machine]
        shared.sync(machine)
    assert shared.notes("c")["Q.md"] == "line 2, edited\n"
    assert shared.notes("c")["N.md"] == "line 0\n\nline 1\n\n[[Q]]\n\nline 3\n\nline 4\n\n"


def test_an_edit_of_a_passage_gets_into_its_note_though_only_one_branch_knows_that_the_rest_was_kept(
    tmp_path: Path,
) -> None:
    notes = {"N.md": LINES, "T.md": "other\n"}
    shared = Shared(tmp_path, notes, ("a", "b", "c"))
    shared.edit("c", replace("N", "line 2", "line 2, edited"))
    shared.edit("a", extract("N", "line 2", "P"), rename("N", "T"), delete("T"))
    shared.edit("b", replace("N", "line 4", "line 4, edited"))
    shared.sync("a", "b")
    shared.edit("a", put("other.md", "Another note.\n"))
    shared.sync("a", "c")
    assert shared.notes("c")["P.md"] == "line 2, edited\n"
    assert shared.notes("c")["N.md"] == "line 0\n\nline 1\n\nline 3\n\nline 4, edited\n\n"


def test_a_note_stays_though_only_one_branch_knows_that_its_merge_was_undone(tmp_path: Path) -> None:
    notes = {"N.md": LINES, "T.md": "other\n"}
    shared = Shared(tmp_path, notes, ("a", "b", "c"))
    shared.edit("c", replace("N", "line 2", "line 2, edited"))
    shared.edit("a", rename("N", "T"))
    shared.sync("a", "b")
    shared.edit("a", undo(), replace("N", "line 4", "line 4, edited"), append("T", "more\n"))
    shared.edit("b", put("other.md", "Another note.\n"))
    shared.sync("a", "b", "c")
    assert shared.notes("c")["T.md"] == "other\n\nmore\n"
    assert shared.notes("c")["N.md"] == "line 0\n\nline 1\n\nline 2, edited\n\nline 3\n\nline 4, edited\n\n"


def test_a_dry_run_counts_the_commit_that_updates_links(shared: Shared) -> None:
    root = shared.root("laptop")
    (root / "A.md").rename(root / "B.md")
    preview = shared.sync("laptop", dry_run=True)
    assert preview.pushed == shared.sync("laptop").pushed == 2


class TestBadInput:
    @pytest.mark.parametrize(
        ("command", "says"),
        [
            ("git checkout -q --detach", "no branch is checked out.*git switch -c NAME"),
            ("touch .git/index.lock", "index.lock exists: .*remove the file"),
            ("touch .git/MERGE_HEAD", "a merge is under way .*git merge --abort"),
            ("mkdir .git/rebase-merge", "a rebase is under way .*git rebase --continue"),
            ("touch .git/BISECT_LOG", "git bisect reset"),
            ("touch .git/HEAD.lock", "HEAD.lock exists: .*remove the file"),
            ("touch .git/refs/heads/main.lock", "refs/heads/main.lock exists: .*remove the file"),
            ("git remote remove origin", "has no remote 'origin'"),
            ("git remote set-url origin /", "there is no repository at '/'"),
            ("touch .git/shallow", "git fetch --unshallow"),
            ("git update-index --skip-worktree A.md", "'A.md' .* `git sparse-checkout disable`"),
            ("rm -rf .git", "zkmem init --git"),
            ("git remote set-url origin 'ext::sh -c \"touch ../ran\"'", "the protocols file, git, http, https, ssh"),
        ],
    )
    def test_trouble_here_is_one_sentence_and_changes_nothing(self, shared: Shared, command: str, says: str) -> None:
        shared.edit("laptop", put("mine.md", "mine\n"))
        before = shared.notes("laptop")
        assert run("sh", "-c", command, cwd=shared.root("laptop")).returncode == 0
        with pytest.raises(NotSynced, match=says):
            shared.sync("laptop")
        assert shared.notes("laptop") == before
        assert not (shared.folder / "ran").exists()

    def test_a_sparse_checkout_is_refused_until_all_files_are_there(self, shared: Shared) -> None:
        """Nobody else would update the links in the files that are left out."""
        git(shared.root("laptop"), "status")  # git leaves no file out whose stamps are not in its index
        git(shared.root("laptop"), "sparse-checkout", "set", "none")
        git(shared.root("desktop"), "mv", "A.md", "B.md")
        git(shared.root("desktop"), "commit", "-qm", "by hand")
        git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
        with pytest.raises(NotSynced, match=r"'deep/x\.md' .* `git sparse-checkout disable`"):
            shared.sync("laptop")
        git(shared.root("laptop"), "sparse-checkout", "disable")
        shared.sync("laptop")
        assert shared.notes("laptop")["deep/x.md"] == "[a](../B.md)\n"

    def test_a_remote_that_cannot_be_reached_is_reported_and_is_no_error(self, shared: Shared) -> None:
        git(shared.root("laptop"), "remote", "set-url", "origin", "git://127.0.0.1:9/x.git")
        shared.edit("laptop", put("mine.md", "mine\n"))
        report = shared.sync("laptop")
        assert "cannot be reached" in report.offline
        assert report.ahead == 1
        assert shared.status("laptop") == ""

    def test_a_remote_without_notes_is_refused(self, shared: Shared, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        git(other, "init", "-q", "-b", "main")
        (other / "main.c").write_text("int main;\n")
        git(other, "add", "-A")
        git(other, "commit", "-qm", "code")
        git(shared.root("laptop"), "remote", "set-url", "origin", str(other))
        git(shared.root("laptop"), "update-ref", "-d", "refs/remotes/origin/main")
        for dry_run in (True, False):
            with pytest.raises(SyncRefused, match=r"no commit in common.* 0 notes in 1 file.*--accept-unrelated"):
                shared.sync("laptop", dry_run=dry_run)
        assert git(other, "ls-tree", "-r", "--name-only", "main") == "main.c\n"
        assert not (shared.root("laptop") / "main.c").exists()
        new = tmp_path / "new"
        git(tmp_path, "init", "-q", "-b", "main", str(new))
        git(new, "remote", "add", "origin", str(other))
        with pytest.raises(NotSynced, match="has no notes, and nothing in common"):
            shared.sync("new")

    def test_a_vault_that_met_later_is_merged(self, shared: Shared, tmp_path: Path) -> None:
        late = tmp_path / "late"
        late.mkdir()
        git(late, "init", "-q", "-b", "main")
        git(late, "remote", "add", "origin", "../remote.git")
        (late / "A.md").write_text("late\n")
        with pytest.raises(SyncRefused, match="3 notes in 3 files"):
            shared.sync("late")
        shared.sync("late", accept_unrelated=True)
        assert sorted(shared.notes("late")) == sorted(NOTES)
        assert "one\ntwo\nthree" in shared.notes("late")["A.md"]
        assert "late" in shared.notes("late")["A.md"]

    @pytest.mark.parametrize("path", [".zkmem/tokens.json", ".trash/x.md", ".zkmem/journal/x"])
    def test_files_of_one_machine_are_not_taken_from_the_remote(self, shared: Shared, path: str) -> None:
        full = shared.root("desktop") / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text("{}")
        git(shared.root("desktop"), "add", "-f", path)
        git(shared.root("desktop"), "commit", "-qm", "hostile")
        git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
        with pytest.raises(NotSynced, match="belongs to one machine only"):
            shared.sync("laptop")
        assert not (shared.root("laptop") / path).exists()

    @pytest.mark.parametrize(
        ("path", "is_new"),
        [
            (f"{'d' * 200}/" * 21 + "x.md", True),
            ("n" * 297 + ".md", False),
            ("in/." + "n" * 255, True),
            ("\u00e9" * 200, False),
        ],
        ids=["deep", "note", "hidden", "file"],
    )
    def test_a_path_that_the_disk_cannot_have_is_refused_before_the_push(
        self, shared: Shared, path: str, is_new: bool
    ) -> None:
        clone = shared.root("desktop")
        blob = git(clone, "hash-object", "-w", "A.md").strip()
        git(clone, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        git(clone, "commit", "-qm", "long")
        git(clone, "push", "-q", "origin", "HEAD:main")
        before = git(shared.remote, "rev-parse", "main")
        if is_new:
            shared.edit("laptop", put("mine.md", "mine\n"))
        with pytest.raises(NotSynced, match=r"The remote has the file '.{83,330}', whose path is too long.*rename it"):
            shared.sync("laptop")
        assert git(shared.remote, "rev-parse", "main") == before
        shared.edit("laptop", set_note("later", "x\n"))
        assert shared.status("laptop") == ""

    def test_a_path_that_only_the_merge_makes_too_long_is_refused_before_the_push(self, shared: Shared) -> None:
        long = "/".join("d" * 200 for _ in range((4085 - len(str(shared.root("laptop")))) // 201))
        shared.edit("laptop", put("box/in.md", "in\n"))
        shared.sync("laptop", "desktop")
        shared.send("desktop", put(f"box/{'s' * 120}/{'t' * 120}.md", "new\n"))
        shared.edit("laptop", set_note("later", "x\n"))
        (shared.root("laptop") / long).parent.mkdir(parents=True)
        shared.edit("laptop", move("box", long))
        before = git(shared.remote, "rev-parse", "main")
        with pytest.raises(NotSynced, match=r"The path '.{83}', .* is too long for the disk here"):
            shared.sync("laptop")
        assert git(shared.remote, "rev-parse", "main") == before

    def test_a_symbolic_link_from_the_remote_is_not_made(self, shared: Shared) -> None:
        (shared.root("desktop") / "out.md").symlink_to("/etc/passwd")
        git(shared.root("desktop"), "add", "-A")
        git(shared.root("desktop"), "commit", "-qm", "hostile")
        git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
        shared.sync("laptop")
        assert not os.path.lexists(shared.root("laptop") / "out.md")
        shared.send("laptop", put("n.md", "more\n"))
        assert "out.md" in git(shared.root("laptop"), "ls-tree", "--name-only", "HEAD")

    def test_a_read_only_vault_is_reported(self, shared: Shared) -> None:
        (shared.root("desktop") / ".zkmem").mkdir(exist_ok=True)
        shutil.rmtree(shared.root("desktop") / ".zkmem")
        shared.edit("desktop", put(".zkmem", "no folder"))
        with pytest.raises(Unwritable, match=r"\.zkmem"):
            shared.sync("desktop")

    def test_a_full_disk_is_reported_and_loses_nothing(self, shared: Shared, tmp_path: Path) -> None:
        write(shared.root("desktop"), {f"n{number}.md": f"{number} " * 3_000 for number in range(20)})
        shared.sync("desktop")
        with mounted(tmp_path / "disk", "size=4m") as root:
            git(Path(root), "clone", "-q", str(shared.remote), "vault")
            vault = Path(root, "vault")
            git(vault, "reset", "-q", "--hard", "HEAD~1")
            (vault / "mine.md").write_text("mine\n")
            space = os.statvfs(root)
            (Path(root) / "fill").write_bytes(b"x" * (space.f_bavail * space.f_bsize))
            with Memory(str(vault), git=True) as memory:
                with pytest.raises((NotSynced, Unwritable), match="No space left"):
                    memory.sync()
                assert (vault / "mine.md").read_text() == "mine\n"
                (Path(root) / "fill").unlink()
                memory.sync()
        shared.sync("laptop")
        assert {"mine.md", "n19.md"} <= shared.notes("laptop").keys()


def test_a_vault_below_the_top_of_a_repository_is_merged_alone(tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    for name in ("laptop", "desktop"):
        git(tmp_path, "clone", "-q", str(remote), str(tmp_path / name))
        if name == "laptop":
            git(tmp_path / name, "checkout", "-qb", "main")
            (tmp_path / name / "notes").mkdir()
            (tmp_path / name / "notes" / "A.md").write_text("one\n")
            (tmp_path / name / "code.c").write_text("int a;\n")
            git(tmp_path / name, "add", "-A")
            git(tmp_path / name, "commit", "-qm", "base")
            git(tmp_path / name, "push", "-q", "origin", "main")
    shared = Shared.at(tmp_path)
    (tmp_path / "laptop" / "code.c").write_text("int b;\n")
    git(tmp_path / "laptop", "commit", "-qam", "code")
    shared.edit("laptop/notes", rename("A", "B"))
    (tmp_path / "desktop" / "notes" / "n.md").write_text("[[A]]\n")
    (tmp_path / "desktop" / "draft.txt").write_text("not of the vault\n")
    shared.sync("laptop/notes", "desktop/notes", "laptop/notes")
    assert shared.notes("laptop/notes") == shared.notes("desktop/notes") == {"B.md": "one\n", "n.md": "[[B]]\n"}
    assert (tmp_path / "desktop" / "code.c").read_text() == "int b;\n"
    assert git(tmp_path / "desktop", "status", "--porcelain") == "?? draft.txt\n"


def test_an_attachment_too_large_for_a_note_is_never_read_whole(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES)
    shared.edit("laptop", put("film.bin", os.urandom(300_000)))
    with shared.memory("laptop", max_note_bytes=100_000) as memory:
        memory.sync()
    with shared.memory("desktop", max_note_bytes=100_000) as memory:
        memory.sync()
    shared.edit("laptop", put("film.bin", os.urandom(300_000)))
    shared.edit("desktop", put("n.md", "more\n"))
    for machine in ("laptop", "desktop", "laptop"):
        with shared.memory(machine, max_note_bytes=100_000) as memory:
            memory.sync()
    films = [(shared.root(machine) / "film.bin").read_bytes() for machine in ("laptop", "desktop")]
    assert films[0] == films[1]
    assert shared.head("laptop") == shared.head("desktop")
    assert shared.status("desktop") == ""


def test_the_log_says_which_machine_made_an_edit(shared: Shared) -> None:
    with shared.memory("desktop") as memory:
        memory.write("Mate", "Hot.\n")
        assert [one.author for one in memory.log("Mate")] == ["zkmem"]
    shared.sync("desktop", "laptop")
    with shared.memory("laptop") as memory:
        assert [one.author for one in memory.log("Mate")] == ["zkmem on desktop"]


def test_a_name_of_a_machine_is_one_line_of_limited_length(shared: Shared) -> None:
    shared.edit("desktop", put("A.md", "changed\n"))
    git(shared.root("desktop"), "commit", "-qam", f"x\n\nZkmem-Machine: \x1b[31m{'Z' * 20_000}\rX")
    git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
    shared.edit("laptop", put("n.md", "other\n"))
    report = shared.sync("laptop")
    output = "".join([*report.lines(), git(shared.root("laptop"), "log", "-1", "--format=%s")])
    assert len(output) < 1_000
    assert "\x1b" not in output


def test_the_log_escapes_what_a_terminal_would_obey(shared: Shared) -> None:
    shared.edit("desktop", put("A.md", "changed\n"))
    git(shared.root("desktop"), "commit", "-qam", "sub\x1b]0;own\x07ject\n\nZkmem-Machine: evil\x1b[31m\rX")
    git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
    with shared.memory("laptop") as memory:
        memory.sync()
        log = memory.on_behalf(client="test")
        text = "\n".join(history.log(log, None, 9, "all").texts)
    assert "ject" in text
    assert all(line.isprintable() for line in text.split("\n")), text


def test_a_commit_with_any_text_does_not_break_the_log(shared: Shared) -> None:
    root = shared.root("laptop")
    (root / "Mate.md").write_text("Hot.\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one\x1etwo\x1fthree\n\nZkmem-Machine: a\x1fb\x1ec\n")
    with shared.memory("laptop") as memory:
        assert memory.log("Mate")[0].what.startswith("one")


def test_a_rename_by_a_tool_of_a_note_that_was_also_edited_by_hand_is_followed(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"Tea.md": "one\n"})
    shared.edit("laptop", put("Tea.md", "Quite another text, of [[Tea]] itself.\n"), rename("Tea", "Mate"))
    shared.edit("desktop", set_note("New", "See [[Tea]].\n"))
    assert shared.meet("laptop")["New.md"] == "See [[Mate]].\n"
    assert "Tea.md" not in shared.notes("laptop")


def test_a_late_link_to_a_note_that_two_machines_merged_leads_to_its_text(tmp_path: Path) -> None:
    notes = {"X.md": "lost\n", "A.md": "a\n", "B.md": "b\n"}
    shared = Shared(tmp_path, notes, ("laptop", "desktop", "phone"))
    for machine, target in (("laptop", "A"), ("desktop", "B")):
        shared.edit(machine, rename("X", target))
    shared.edit("phone", set_note("New", "See [[X]].\n"))
    shared.sync("laptop", "desktop", "phone", "laptop")
    found = shared.notes("laptop")
    place = next(name for name in ("A", "B") if "lost" in found[f"{name}.md"])
    assert found["New.md"] == f"See [[{place}]].\n"
    assert sum("lost" in text for text in found.values()) == 1


@pytest.mark.parametrize("count", [2, 3])
def test_a_merge_with_several_bases_sees_what_all_of_them_have(tmp_path: Path, count: int) -> None:
    """Two plain git users merged the same branches, each in their own order, and then went on."""
    lines = [f"line {number}" for number in range(count)]
    shared = Shared(tmp_path, {"A.md": "\n\n".join(lines) + "\n"})
    git(tmp_path, "clone", "-q", str(shared.remote), str(shared.root("plain")))
    clone = shared.root("plain")

    def change(number: int, text: str) -> None:
        now = (clone / "A.md").read_text().split("\n\n")
        now[number] = text
        (clone / "A.md").write_text("\n\n".join(now).rstrip("\n") + "\n")
        git(clone, "commit", "-qam", text)

    branches = [f"b{number}" for number in range(count)]
    for number, branch in enumerate(branches):
        git(clone, "switch", "-q", "-c", branch, "main")
        change(number, f"BRANCH {number}")
    for name, order in (("x", branches), ("y", branches[::-1])):
        git(clone, "switch", "-q", "-c", name, order[0])
        git(clone, "merge", "-q", "-m", name, *order[1:])
        change(branches.index(order[0]), f"{name} went on")
    assert len(git(clone, "merge-base", "--all", "x", "y").split()) == count
    git(clone, "push", "-q", "origin", "x:main")
    for machine in ("laptop", "desktop"):
        git(shared.root(machine), "fetch", "-q", str(clone), "y")
        git(shared.root(machine), "reset", "-q", "--hard", "FETCH_HEAD")
    shared.meet()
    expected = ["x went on", *(f"BRANCH {number}" for number in range(1, count - 1)), "y went on"]
    assert shared.notes("laptop")["A.md"] == "\n\n".join(expected) + "\n"


def test_new_folders_with_spaces_are_merged(shared: Shared) -> None:
    folders = ("my notes", "a blob", "x/y z", "a b c")
    shared.edit("laptop", set_note("own", "Mine.\n"))
    shared.edit("desktop", *(set_note(f"{folder}/tea", "Green.\n") for folder in folders))
    shared.sync("laptop", "desktop", "laptop")
    assert {f"{folder}/tea.md" for folder in folders} <= shared.notes("laptop").keys()


def lose_a_text(shared: Shared, text: str) -> None:
    """Let the laptop write a note with this text and replace it (edit 2), and both machines have the result."""
    shared.edit("laptop", set_note("own", text), set_note("own", "No link.\n"))
    shared.sync("laptop", "desktop")


def test_a_text_from_before_a_synchronisation_follows_a_note_whose_name_another_one_got(shared: Shared) -> None:
    lose_a_text(shared, "See [[A]].\n")
    shared.edit("desktop", rename("A", "B"), set_note("A", "Another.\n"))
    shared.sync("desktop", "laptop")
    with shared.memory("laptop") as memory:
        memory.undo(edit=2)
        assert memory.read("own").text == "See [[B]].\n"
        assert memory.show("B", "2") == memory.read("B").text == NOTES["A.md"]
        assert memory.read("A").text == "Another.\n"


def test_a_note_that_got_the_name_of_another_one_by_a_synchronisation_keeps_its_past(shared: Shared) -> None:
    lose_a_text(shared, "See [[A]] and [[x]].\n")
    shared.edit("desktop", rename("deep/x", "C"), rename("A", "/deep/x"), append("x", "More.\n"))
    shared.sync("desktop", "laptop")
    with shared.memory("laptop") as memory:
        memory.undo(edit=2)
        assert memory.read("own").text == "See [[x]] and [[C]].\n"
        assert memory.show("x", "2") + "\nMore.\n" == memory.read("x").text
        assert memory.show("C", "2") == NOTES["deep/x.md"]


def test_a_note_that_got_the_name_of_a_deleted_one_by_a_synchronisation_keeps_its_past(shared: Shared) -> None:
    lose_a_text(shared, "See [[A]].\n")
    shared.edit("desktop", delete("deep/x"), rename("A", "/deep/x"))
    shared.sync("desktop", "laptop")
    with shared.memory("laptop") as memory:
        memory.undo(edit=2)
        assert memory.read("own").text == "See [[x]].\n"
        assert memory.show("x", "2") == memory.read("x").text


def test_a_link_leads_to_the_moved_note_that_replaced_one_with_the_same_text(shared: Shared) -> None:
    """The file at the new path is the same in both trees."""
    shared.edit("laptop", set_note("copy", NOTES["A.md"]), set_note("own", "See [[A]].\n"))
    shared.sync("laptop", "desktop")
    shared.edit("desktop", delete("copy"), rename("A", "copy"))
    shared.edit("laptop", put("new.md", "See [[A]], too.\n"), put("A.md", NOTES["A.md"] + "Edited.\n"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert (notes["own.md"], notes["new.md"]) == ("See [[copy]].\n", "See [[copy]], too.\n")
    assert notes["copy.md"] == NOTES["A.md"] + "Edited.\n"
    assert "A.md" not in notes


class TestUndoneExtraction:
    """The note had the passage again before the extraction was undone, so the undo does not change the note."""

    @pytest.fixture
    def shared(self, tmp_path: Path) -> Shared:
        shared = Shared(tmp_path, {"x.md": "Intro.\n\nPassage.\n\nEnd.\n", "h.md": "See.\n"})
        with shared.memory("laptop") as memory:
            memory.extract("x", "Passage.", "p")
            memory.write("h", "See [[p]].\n", etag=memory.read("h").etag)
            memory.restore("x", "HEAD~2")
        shared.sync("laptop", "desktop")
        with shared.memory("laptop") as memory:
            memory.undo(edit=1)
        shared.sync("laptop")
        assert shared.notes("laptop")["h.md"] == "See [[x]].\n"
        return shared

    def test_links_keep_leading_to_the_note(self, shared: Shared) -> None:
        report = shared.sync("desktop")
        assert (report.changed, report.deleted, report.pushed) == (["h"], ["p"], 0)
        assert shared.notes("desktop") == shared.notes("laptop")

    def test_edits_of_the_passage_and_links_to_it_follow_it(self, shared: Shared) -> None:
        shared.send("desktop", put("p.md", "Passage, edited.\n"), put("new.md", "See [[p]], too.\n"))
        assert shared.notes("desktop") == {
            "h.md": "See [[x]].\n",
            "new.md": "See [[x]], too.\n",
            "x.md": "Intro.\n\nPassage, edited.\n\nEnd.\n",
        }

    def test_the_note_stays_though_another_machine_deletes_it(self, shared: Shared) -> None:
        shared.send("desktop", remove("x.md"), put("p.md", "Passage, edited.\n"))
        assert shared.notes("desktop") == {"h.md": "See [[x]].\n", "x.md": "Intro.\n\nPassage, edited.\n\nEnd.\n"}


@pytest.mark.parametrize("then", ["nothing", "a new note", "another note", "a rename", "another merge", "an undo"])
def test_a_text_from_before_a_synchronisation_follows_a_merged_note(shared: Shared, then: str) -> None:
    lose_a_text(shared, "See [[x]].\n")
    then_made = {
        "a new note": [set_note("deep/x", "New.\n")],
        "another note": [rename("D", "deep/x")],
        "a rename": [rename("A", "B")],
        "another merge": [rename("A", "D")],
    }
    shared.edit("desktop", set_note("D", "Another.\n"), rename("deep/x", "A"), *then_made.get(then, []))
    shared.sync("desktop", "laptop")
    if then == "an undo":
        shared.edit("desktop", undo())
        shared.sync("desktop", "laptop")
    with shared.memory("laptop") as memory:
        memory.undo(edit=2)
        name = {"a rename": "B", "another merge": "D", "an undo": "x"}.get(then, "A")
        assert memory.read("own").text == f"See [[{name}]].\n"


def test_no_commit_names_a_merge_again_that_a_synchronisation_brought(shared: Shared) -> None:
    shared.edit("desktop", rename("deep/x", "A"))
    shared.sync("desktop", "laptop")
    new = shared.root("laptop") / "deep/x.md"
    new.parent.mkdir(exist_ok=True)
    new.write_text("Another note.\n")
    shared.sync("laptop")
    new.unlink()
    shared.sync("laptop")
    assert "Zkmem-Merged" not in git(shared.root("laptop"), "log", "-1", "--format=%B")


@pytest.mark.parametrize(("to", "is_older"), [("green", False), ("drinks", True), (".trash", False)])
def test_a_new_note_at_a_path_that_both_machines_left_is_followed(tmp_path: Path, to: str, is_older: bool) -> None:
    shared = Shared(tmp_path, {"tea.md": "Tea of both.\n" * 9, "drinks.md": "Drinks.\n", "hint.md": "Hint.\n"})
    shared.day = 1 if is_older else 3
    shared.edit("laptop", delete("tea") if to == ".trash" else rename("tea", to))
    shared.day = 2
    shared.send("desktop", rename("tea", "old/tea"), set_note("/tea", "Of desktop.\n"))
    shared.day = 1 if is_older else 3
    shared.send("laptop", set_note("/tea", "Of laptop.\n"))
    shared.day = 4
    shared.send("laptop", rename("/tea", "black"))
    shared.edit("desktop", append("/tea", "More.\n"), append("hint", "See [[/tea]].\n"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert notes == shared.notes("desktop")
    assert notes["hint.md"] == "Hint.\n\nSee [[/black]].\n"
    assert {"Of desktop.", "More."} <= {*notes["black.md"].splitlines()}
    assert "tea.md" not in notes


def test_the_passages_that_came_are_those_of_the_commits_and_conversations_stay_here(shared: Shared) -> None:
    memory = shared.memory("laptop").on_behalf(client="codex 1", call="1")
    memory.write("A", "Said on the laptop.\n", append=True)
    about = hash_of("1"), 0.0, "codex", "s", "t", "The words of the person"
    Conversations(StateFolder(str(shared.root("laptop")))).add(Conversation(*about))
    assert [one.said for one in memory.why("A")] == ["", "The words of the person"]
    shared.sync("laptop", "desktop")
    *_, came = shared.memory("desktop").why("A")
    assert (came.client, came.version, came.session, came.said) == ("codex on laptop", "1", "", "")
    assert came.did.endswith("; brought by a synchronisation")
    for folder in (shared.remote, shared.root("desktop")):
        objects = subprocess.run(
            ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=folder, check=True, capture_output=True
        ).stdout
        assert b"Said on the laptop." in objects
        assert b"The words of the person" not in objects
        assert hash_of("1").encode() not in objects


def test_conversations_are_synchronised_if_that_is_allowed(shared: Shared) -> None:
    for name in ("laptop", "desktop"):
        memory = shared.memory(name, sync_origins=True).on_behalf(client="codex 1", call=f"of {name}")
        memory.write("A", f"Said on the {name}.\n", append=True)
        about = hash_of(f"of {name}"), 0.0, "codex", name, "t", f"The words on the {name}"
        Conversations(StateFolder(str(shared.root(name)))).add(Conversation(*about))
        for machine in ("laptop", "desktop"):
            shared.memory(machine, sync_origins=True).sync()
    shared.sync("laptop")
    assert shared.status("laptop") == shared.status("desktop") == ""
    for name in ("laptop", "desktop"):
        said = {one.session: one.said for one in shared.memory(name).why("A") if one.session}
        assert said == {one: f"The words on the {one}" for one in ("laptop", "desktop")}, name
    made_up = Conversation(hash_of("of laptop"), 0.0, "codex", "evil", "t", "Something else")
    path = shared.root("laptop") / ".zkmem-origins" / "desktop.jsonl"
    path.write_text(json.dumps(made_up._asdict(), separators=(",", ":")) + "\n")
    assert {one.session for one in shared.memory("laptop").why("A")} == {"", "laptop"}, "what is known here counts"
