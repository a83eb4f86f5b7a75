"""A note that was renamed by hand is the same note on other machines, whoever edits it before the next commit."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.tools.inner import commit_edits, engine
from tests.tools.sample import crossed
from tests.tools.vaults import write
from zkmem.memory import Memory

GREEN = "".join(f"{line} of the note about green tea\n" for line in range(9))
BLACK = "".join(f"{line} of the note about black tea\n" for line in range(9))
NOTES = {"green.md": GREEN, "black.md": BLACK, "hint.md": "See [[green]] and [[black]].\n"}


class Desk:
    """A person and a model on the laptop."""

    def __init__(self, shared: Shared, memory: Memory, *, serves: bool, commits: bool) -> None:
        self.root, self.memory = shared.root("laptop"), memory
        self._serves, self._commits = serves, commits

    def settle(self) -> None:
        """Wait until a server has recorded the changes by hand, and edits by tools are committed."""
        if self._serves:
            self.memory.wait_ready()
            engine(self.memory).recorder.flush()
        if self._commits:
            assert commit_edits(self.memory) == ""

    def move(self, old: str, new: str) -> None:
        """Rename a file by hand."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        self.settle()

    def type(self, path: str, text: str = "by hand\n") -> None:
        """Add text at the beginning of a file by hand."""
        (self.root / path).write_text(text + (self.root / path).read_text())
        self.settle()

    def commit(self) -> None:
        """Commit all files with plain git."""
        git(self.root, "add", "-A")
        if git(self.root, "status", "--porcelain"):
            git(self.root, "commit", "-qm", "plain")

    def set(self, name: str, text: str = "\nby a tool\n") -> None:
        """Append text by a tool."""
        self.memory.write(name, text, append=True)
        self.settle()


@contextlib.contextmanager
def desk(shared: Shared, *, serves: bool = False, commits: bool = True) -> Iterator[Desk]:
    with Memory(str(shared.root("laptop")), git=commits, machine="laptop") as memory:
        if serves:
            memory.start()
            memory.wait_ready()
            assert engine(memory).recorder.ready.wait(60)
        yield Desk(shared, memory, serves=serves, commits=commits)


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, NOTES)


def exchanged(shared: Shared) -> dict[str, str]:
    """Edit a note on the desktop, where it has its old name, and link to it; synchronise all, and return the notes."""
    (shared.root("desktop") / "green.md").write_text(f"{GREEN}on the desktop\n")
    (shared.root("desktop") / "new.md").write_text("More in [[green]].\n")
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    assert shared.notes("laptop") == shared.notes("desktop")
    assert shared.head("laptop") == shared.head("desktop")
    return shared.notes("laptop")


KINDS = {  # whether a server runs, and whether edits by tools are commits
    "command": (False, True),
    "server without git": (True, False),
    "server": (True, True),
    "command without git": (False, False),
}
REWRITTEN = "All is new.\n" * 20


def both(*works: Callable[[Desk], object]) -> Callable[[Desk], None]:
    """Return a function that does several things."""

    def work(at: Desk) -> None:
        for one in works:
            one(at)

    return work


EDITS: dict[str, Callable[[Desk], object]] = {
    "by a tool": lambda at: at.set("tea"),
    "by a tool, much": lambda at: at.memory.write("tea", REWRITTEN),
    "by hand": lambda at: at.type("tea.md"),
    "by a tool, by hand": both(lambda at: at.set("tea"), lambda at: at.type("tea.md")),
    "by hand, by a tool": both(lambda at: at.type("tea.md"), lambda at: at.set("tea")),
    "by a tool, twice": both(lambda at: at.set("tea"), lambda at: at.set("tea", "\nagain\n")),
    "by hand, by a tool, by hand": both(
        lambda at: at.type("tea.md"), lambda at: at.set("tea"), lambda at: at.type("tea.md", "again by hand\n")
    ),
}


@pytest.mark.parametrize(("kind", "edited"), crossed(KINDS, EDITS))
def test_a_note_that_was_edited_since_is_the_same_note(shared: Shared, edited: str, kind: str) -> None:
    serves, commits = KINDS[kind]
    with desk(shared, serves=serves, commits=commits) as at:
        at.move("green.md", "tea.md")
        EDITS[edited](at)
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md", "tea.md"}
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert "on the desktop" in notes["tea.md"]


MOVES: dict[str, tuple[Callable[[Desk], object], dict[str, str]]] = {
    "to a folder": (both(lambda at: at.move("green.md", "deep/er/tea.md"), lambda at: at.set("tea")), {"green": "tea"}),
    "twice": (
        both(lambda at: at.move("green.md", "t.md"), lambda at: at.move("t.md", "tea.md"), lambda at: at.set("tea")),
        {"green": "tea"},
    ),
    "twice, with edits": (
        both(
            lambda at: at.move("green.md", "t.md"),
            lambda at: at.set("t"),
            lambda at: at.type("t.md"),
            lambda at: at.move("t.md", "tea.md"),
            lambda at: at.set("tea", "again\n"),
        ),
        {"green": "tea"},
    ),
    "and back": (
        both(
            lambda at: at.move("green.md", "t.md"),
            lambda at: at.set("t"),
            lambda at: at.move("t.md", "green.md"),
            lambda at: at.set("green", "again\n"),
        ),
        {"green": "green"},
    ),
    "and then by a tool": (
        both(lambda at: at.move("green.md", "t.md"), lambda at: at.memory.rename("t", "tea")),
        {"green": "tea"},
    ),
    "after a tool": (
        both(lambda at: at.memory.rename("green", "t"), lambda at: at.move("t.md", "tea.md"), lambda at: at.set("tea")),
        {"green": "tea"},
    ),
    "and merged": (
        both(lambda at: at.move("green.md", "t.md"), lambda at: at.memory.rename("t", "black", merge=True)),
        {"green": "black"},
    ),
    "both": (
        both(
            lambda at: at.move("green.md", "a/green.md"),
            lambda at: at.move("black.md", "a/black.md"),
            lambda at: at.set("a/green"),
            lambda at: at.set("a/black"),
        ),
        {"green": "green", "black": "black"},
    ),
    "both, one edited": (
        both(
            lambda at: at.move("green.md", "a/tea.md"),
            lambda at: at.move("black.md", "a/coffee.md"),
            lambda at: at.set("coffee"),
        ),
        {"green": "tea", "black": "coffee"},
    ),
    "the name of another": (
        both(
            lambda at: at.move("black.md", "coffee.md"),
            lambda at: at.move("green.md", "black.md"),
            lambda at: at.set("black"),
            lambda at: at.set("coffee"),
        ),
        {"green": "black", "black": "coffee"},
    ),
    "with a new note in its place": (
        both(
            lambda at: at.move("green.md", "tea.md"),
            lambda at: at.set("tea"),
            lambda at: at.set("green", "Another note.\n"),
        ),
        {"green": "tea"},
    ),
    "each other's names": (
        both(
            lambda at: at.move("green.md", "t.md"),
            lambda at: at.move("black.md", "green.md"),
            lambda at: at.move("t.md", "black.md"),
        ),
        {"green": "black", "black": "green"},
    ),
    "each other's names, and edited": (
        both(
            lambda at: at.move("green.md", "t.md"),
            lambda at: at.move("black.md", "green.md"),
            lambda at: at.move("t.md", "black.md"),
            lambda at: at.set("green"),
            lambda at: at.type("black.md"),
        ),
        {"green": "black", "black": "green"},
    ),
}


@pytest.mark.parametrize(("kind", "moved"), crossed(KINDS, MOVES))
def test_edits_and_links_of_others_follow_a_note_that_was_moved(shared: Shared, moved: str, kind: str) -> None:
    (serves, commits), (work, now) = KINDS[kind], MOVES[moved]
    with desk(shared, serves=serves, commits=commits) as at:
        work(at)
    notes = exchanged(shared)
    assert notes["hint.md"] == f"See [[{now['green']}]] and [[{now.get('black', 'black')}]].\n"
    assert notes["new.md"] == f"More in [[{now['green']}]].\n"
    text = next(text for path, text in notes.items() if f"/{path}".endswith(f"/{now['green']}.md"))
    assert "on the desktop" in text
    assert GREEN in text
    assert sum(GREEN in one for one in notes.values()) == sum(BLACK in one for one in notes.values()) == 1


def test_the_notes_of_the_machine_where_a_note_was_renamed_link_to_its_new_name(shared: Shared) -> None:
    with desk(shared) as at:
        at.move("green.md", "tea.md")
    assert shared.sync("laptop").pushed == 2
    assert shared.notes("laptop")["hint.md"] == "See [[tea]] and [[black]].\n"
    assert not shared.status("laptop")
    assert not shared.sync("laptop").pushed


def test_a_link_from_after_the_merge_of_a_rename_does_not_mean_the_renamed_note(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    (shared.root("laptop") / "green.md").rename(shared.root("laptop") / "tea.md")
    for machine in ("desktop", "phone"):
        (shared.root(machine) / f"{machine}.md").write_text("Mine, about [[green]].\n")
    for machine in ("desktop", "laptop"):
        shared.sync(machine)
    (shared.root("laptop") / "plan.md").write_text("Write [[green]] anew, unlike [[tea]].\n")
    for machine in ("laptop", "phone", "desktop"):
        shared.sync(machine)
    notes = shared.notes("desktop")
    assert notes["plan.md"] == "Write [[green]] anew, unlike [[tea]].\n"
    assert {notes[name] for name in ("desktop.md", "phone.md")} == {"Mine, about [[tea]].\n"}


@pytest.mark.parametrize("serves", [True, False])
def test_a_note_that_a_person_renames_after_tools_have_used_its_name_is_another_note(
    shared: Shared, serves: bool
) -> None:
    """The logs have moves from the path that the note has: of the file that was there before."""
    with desk(shared, serves=serves) as at:
        at.memory.rename("green", "tea")
        at.settle()
        at.memory.rename("black", "green")
        at.settle()
        at.move("green.md", "coffee.md")
        at.type("tea.md")
    shared.sync("laptop")
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[tea]] and [[coffee]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert notes["tea.md"] == f"by hand\n{GREEN}on the desktop\n"
    assert notes["coffee.md"] == BLACK


def test_a_note_that_a_synchronisation_brought_to_the_path_of_a_renamed_one_is_another_note(shared: Shared) -> None:
    """The log has one edit that moves the one and writes the other."""
    (shared.root("desktop") / "green.md").rename(shared.root("desktop") / "tea.md")
    shared.sync("desktop")
    (shared.root("desktop") / "green.md").write_text(REWRITTEN)
    (shared.root("desktop") / "plan.md").write_text("Write [[green]] anew, unlike [[tea]].\n")
    shared.sync("desktop")
    shared.sync("laptop")
    with desk(shared) as at:
        at.move("green.md", "white.md")
        at.set("white")
    with shared.memory("desktop") as memory:
        memory.write("tea", "\non the desktop\n", append=True)
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    notes = shared.notes("laptop")
    assert notes == shared.notes("desktop")
    assert notes["plan.md"] == "Write [[white]] anew, unlike [[tea]].\n"
    assert notes["tea.md"] == f"{GREEN}\non the desktop\n"
    assert notes["white.md"] == f"{REWRITTEN}\nby a tool\n"


@pytest.mark.parametrize("name", ["coffee", "white"])
def test_a_new_note_with_the_name_of_a_renamed_one_is_another_note_if_a_person_renames_it_too(
    shared: Shared, name: str
) -> None:
    with desk(shared, serves=True) as at:
        at.move("green.md", "tea.md")
        (at.root / "green.md").write_text(REWRITTEN)
        at.settle()
        at.move("green.md", f"{name}.md")
    shared.sync("laptop")
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert notes["tea.md"] == f"{GREEN}on the desktop\n"
    assert notes[f"{name}.md"] == REWRITTEN


def test_a_note_that_is_made_with_the_name_of_a_renamed_one_and_removed_is_not_the_renamed_one(shared: Shared) -> None:
    with desk(shared) as at:
        at.memory.rename("green", "tea")
        at.memory.write("green", REWRITTEN)
        at.settle()
    shared.sync("laptop")
    shared.sync("desktop")
    (shared.root("laptop") / "green.md").unlink()
    with desk(shared) as at:
        at.type("tea.md")
    (shared.root("desktop") / "green.md").write_text(f"{REWRITTEN}on the desktop\n")
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    assert shared.notes("laptop")["green.md"] == f"{REWRITTEN}on the desktop\n"
    assert shared.notes("laptop")["tea.md"] == f"by hand\n{GREEN}"


def test_a_copy_that_was_kept_before_a_note_was_edited_is_not_the_note(shared: Shared) -> None:
    with desk(shared) as at:
        (at.root / "old green.md").write_text(GREEN)
        at.settle()
        at.set("old green")
        at.type("green.md", REWRITTEN)
        at.set("green")
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[green]] and [[black]].\n"
    assert notes["new.md"] == "More in [[green]].\n"
    assert "on the desktop" in notes["green.md"]


def test_an_edit_that_found_a_renamed_note_commits_no_other_change_by_hand(shared: Shared) -> None:
    with desk(shared) as at:
        at.move("green.md", "tea.md")
        at.type("hint.md")
        (at.root / "mine.md").write_text("mine\n")
        at.set("tea")
        assert sorted(shared.status("laptop").splitlines()) == [" M hint.md", "?? mine.md"]
        log = git(at.root, "log", "-2", "--name-status", "-M", "--format=%s")
        assert log.split() == ["edit", "tea", "M", "tea.md", "edits", "by", "hand", "R100", "green.md", "tea.md"]


@pytest.mark.parametrize("trouble", ["a folder that became a link", "a private file"])
def test_a_note_is_committed_where_moves_by_hand_cannot_be(shared: Shared, trouble: str) -> None:
    (shared.root("laptop") / "box").mkdir()
    (shared.root("laptop") / "box" / "x.md").write_text("x\n")
    shared.sync("laptop")
    if trouble == "a private file":
        (shared.root("laptop") / ".git" / "info" / "exclude").write_text("tea.md\n")
    else:
        (shared.root("laptop") / "box").rename(shared.folder / "box")
        (shared.root("laptop") / "box").symlink_to(shared.folder / "box")
    with desk(shared) as at:
        at.move("green.md", "tea.md")
        at.set("tea")
        at.set("black")
    assert "by a tool" in git(shared.root("laptop"), "show", "HEAD:black.md")
    assert ("tea.md" in git(shared.root("laptop"), "ls-tree", "--name-only", "HEAD")) == (trouble != "a private file")


def test_edits_by_tools_that_somebody_commits_with_plain_git_are_not_made_again(shared: Shared) -> None:
    with desk(shared, commits=False) as at:
        at.memory.extract("green", GREEN.splitlines()[0], "first")
        at.memory.rename("green", "t")
        at.memory.rename("black", "b")
        at.memory.rename("b", "coffee")
        at.memory.rename("t", "tea")
        git(at.root, "add", "-A")
        git(at.root, "commit", "-qm", "plain")
    notes = exchanged(shared)
    assert notes.keys() == {"coffee.md", "first.md", "hint.md", "new.md", "tea.md"}
    assert notes["hint.md"] == "See [[tea]] and [[coffee]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"


@pytest.mark.parametrize("serves", [True, False], ids=["server", "command"])
@pytest.mark.parametrize("first", ["by hand", "by a tool"])
def test_a_rename_by_hand_counts_if_plain_git_commits_it_with_much_text_of_a_tool(
    shared: Shared, first: str, serves: bool
) -> None:
    """The tool adds more text than the note had, so that git takes the renamed note for a new one."""
    added = "".join(f"{line} of the text that a tool has added\n" for line in range(30))
    with desk(shared, serves=serves, commits=False) as at:
        if first == "by hand":
            at.move("green.md", "tea.md")
            at.set("tea", added)
        else:
            at.set("green", added)
            at.move("green.md", "tea.md")
        at.commit()
        at.set("black")
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md", "tea.md"}
    assert "on the desktop\n" in notes["tea.md"]
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"


def copied(at: Desk) -> None:
    (at.root / "copy.md").write_text((at.root / "green.md").read_text())
    at.commit()
    at.set("copy", FILLED)
    at.commit()
    (at.root / "green.md").unlink()


def copied_and_deleted_by_a_tool(at: Desk) -> None:
    (at.root / "copy.md").write_text((at.root / "green.md").read_text())
    at.set("copy", FILLED)
    at.memory.delete("green")


def made_again(at: Desk) -> None:
    text = (at.root / "green.md").read_text()
    (at.root / "green.md").unlink()
    at.commit()
    (at.root / "copy.md").write_text(text)
    at.set("copy", FILLED)


def made_from_an_older_text(at: Desk) -> None:
    at.set("green", "V1\n")
    at.commit()
    older = (at.root / "green.md").read_text()
    (at.root / "green.md").write_text(GREEN.replace("of", "from"))
    at.commit()
    (at.root / "green.md").unlink()
    (at.root / "copy.md").write_text(older)
    at.set("copy", FILLED)


FILLED = "".join(f"{line} of the text that a tool has added\n" for line in range(40))


@pytest.mark.parametrize("makes", [copied, copied_and_deleted_by_a_tool, made_again, made_from_an_older_text])
def test_a_copy_of_a_note_that_is_deleted_is_not_the_renamed_note(
    shared: Shared, makes: Callable[[Desk], None]
) -> None:
    """A tool fills the copy, so that git alone would see no rename."""
    with desk(shared, commits=False) as at:
        makes(at)
        at.commit()
        at.set("black")
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "copy.md", "green.md", "hint.md", "new.md"}
    assert "on the desktop\n" in notes["green.md"]
    assert notes["hint.md"] == "See [[green]] and [[black]].\n"


@pytest.mark.parametrize("merges", [True, False], ids=["merged", "renamed"])
def test_a_new_note_that_is_deleted_is_not_the_one_that_a_tool_moved_long_ago(shared: Shared, merges: bool) -> None:
    """The new note has the name of the moved one. The desktop edits it before it hears that it was deleted."""
    with shared.memory("laptop") as memory:
        memory.rename("green", "black" if merges else "tea", merge=merges)
    for machine in ("laptop", "desktop"):
        shared.sync(machine)
    (shared.root("laptop") / "green.md").write_text("Another note.\n")
    for machine in ("laptop", "desktop"):
        shared.sync(machine)
    (shared.root("laptop") / "green.md").unlink()
    (shared.root("desktop") / "green.md").write_text("Another note.\nEdited.\n")
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    messages = git(shared.root("laptop"), "log", "--grep=edits by hand", "--format=%B")
    assert "Zkmem-Moved" not in messages
    assert "Zkmem-Merged" not in messages
    assert shared.notes("laptop")["green.md"] == "Another note.\nEdited.\n"


def test_a_note_that_got_an_older_text_back_by_an_undo_is_the_one_that_a_tool_merged(shared: Shared) -> None:
    """The last commit has the text that was undone. Plain git commits the merge of the note with its older text."""
    with shared.memory("laptop") as memory:
        memory.write("green", "added\n", append=True)
    for machine in ("laptop", "desktop"):
        shared.sync(machine)
    with desk(shared, commits=False) as at:
        at.memory.undo(1)
        at.memory.rename("green", "black", merge=True)
        at.commit()
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md"}
    assert "on the desktop\n" in notes["black.md"]


def test_an_empty_note_is_not_renamed(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {**NOTES, "green.md": ""})
    with desk(shared, commits=False) as at:
        (at.root / "green.md").unlink()
        (at.root / "other.md").write_text("")
        at.set("other", FILLED)
        at.commit()
        at.set("black")
    assert exchanged(shared).keys() == {"black.md", "green.md", "hint.md", "new.md", "other.md"}


ADDED = {  # what is added by hand, before each of two commits
    "moved": ("", ""),
    "before": ("by hand\n", ""),
    "twice": ("by hand\n", "again by hand, and much more than before\n"),
}
TOOL_MOVES: dict[str, Callable[[Desk], object]] = {
    "once": lambda at: at.memory.rename("green", "t"),
    "twice": both(lambda at: at.memory.rename("green", "b"), lambda at: at.memory.rename("b", "t")),
}


@pytest.mark.parametrize("serves", [True, False], ids=["server", "command"])
@pytest.mark.parametrize(("edited", "renamed"), crossed(ADDED, TOOL_MOVES))
def test_a_note_that_a_tool_renamed_and_somebody_committed_with_plain_git_is_renamed_by_hand(
    shared: Shared, renamed: str, serves: bool, edited: str
) -> None:
    shared.sync("desktop")
    added = ADDED[edited]
    with desk(shared, serves=serves, commits=False) as at:
        at.memory.rename("black", "hint", merge=True)
        TOOL_MOVES[renamed](at)
        at.type("t.md", added[0])
        at.commit()
        at.move("t.md", "tea.md")
        at.type("tea.md", added[1])
    notes = exchanged(shared)
    assert notes.keys() == {"hint.md", "new.md", "tea.md"}
    assert notes["tea.md"] == f"{added[1]}{added[0]}{GREEN}on the desktop\n"
    assert notes["hint.md"].startswith("See [[tea]] and [[hint]].\n")
    assert notes["hint.md"].count(BLACK) == 1
    assert notes["new.md"] == "More in [[tea]].\n"


@pytest.mark.parametrize("is_one_commit", [False, True], ids=["two commits", "one commit"])
@pytest.mark.parametrize("is_new", [False, True], ids=["an old note", "a new note"])
def test_a_note_with_the_former_name_of_another_is_committed_with_plain_git(
    shared: Shared, is_new: bool, is_one_commit: bool
) -> None:
    """The commit with plain git has all edits of the tools: zkmem does not make them again."""
    shared.sync("desktop")
    with desk(shared, commits=False) as at:
        at.memory.rename("green", "tea")
        if not is_one_commit:
            at.commit()
        if is_new:
            at.memory.write("oolong", REWRITTEN)
        at.memory.rename("oolong" if is_new else "black", "green")
        at.commit()
    head = shared.head("laptop")
    shared.sync("laptop")
    assert not git(shared.root("laptop"), "log", "-m", "--name-only", "--format=", f"{head}..HEAD")
    notes = exchanged(shared)
    assert notes["tea.md"] == f"{GREEN}on the desktop\n"
    assert notes["green.md"] == (REWRITTEN if is_new else BLACK)
    assert notes["hint.md"] == f"See [[tea]] and [[{'black' if is_new else 'green'}]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"


def test_a_tool_gives_a_note_the_name_back_that_it_had_before_somebody_renamed_it_by_hand(shared: Shared) -> None:
    with desk(shared, commits=False) as at:
        (at.root / "other.md").write_text("Another note.\n")
        at.commit()
        at.move("green.md", "tea.md")
        at.type("other.md", "See [[tea]].\n")
        at.memory.rename("black", "hint", merge=True)
        at.memory.rename("tea", "green")
        at.set("green")
    notes = exchanged(shared)
    assert notes.keys() == {"green.md", "hint.md", "new.md", "other.md"}
    assert all(notes["green.md"].count(part) == 1 for part in (GREEN, "on the desktop\n", "by a tool\n"))
    assert notes["hint.md"].startswith("See [[green]] and [[hint]].\n")
    assert notes["other.md"] == "See [[green]].\nAnother note.\n"


WAYS = {  # whether a server runs, and whether the commit with plain git is the last
    "server, committed": (True, True),
    "command, committed": (False, True),
    "server, and more": (True, False),
    "command, and more": (False, False),
}
MERGES: dict[str, tuple[Callable[[Desk], object], str]] = {
    "at once": (lambda at: at.memory.rename("green", "black", merge=True), "black"),
    "renamed before": (
        both(
            lambda at: at.memory.rename("green", "t"),
            lambda at: at.commit(),
            lambda at: at.memory.rename("t", "black", merge=True),
        ),
        "black",
    ),
    "renamed by hand before": (
        both(
            lambda at: at.move("green.md", "t.md"),
            lambda at: at.commit(),
            lambda at: at.memory.rename("t", "black", merge=True),
        ),
        "black",
    ),
    "renamed after": (
        both(
            lambda at: at.memory.rename("green", "black", merge=True),
            lambda at: at.commit(),
            lambda at: at.memory.rename("black", "coffee"),
        ),
        "coffee",
    ),
    "renamed after, by hand": (
        both(
            lambda at: at.memory.rename("green", "black", merge=True),
            lambda at: at.commit(),
            lambda at: at.move("black.md", "coffee.md"),
        ),
        "coffee",
    ),
    "twice": (
        both(
            lambda at: at.memory.rename("green", "hint", merge=True),
            lambda at: at.commit(),
            lambda at: at.memory.rename("hint", "black", merge=True),
        ),
        "black",
    ),
}


@pytest.mark.parametrize(("way", "merged"), crossed(WAYS, MERGES))
def test_a_note_that_a_tool_merged_and_somebody_committed_with_plain_git_is_part_of_the_other(
    shared: Shared, merged: str, way: str
) -> None:
    serves, is_last = WAYS[way]
    shared.sync("desktop")
    work, now = MERGES[merged]
    with desk(shared, serves=serves, commits=False) as at:
        work(at)
        at.commit()
        if not is_last:
            at.set(now)
            (at.root / "other.md").write_text("Another note.\n")
    notes = exchanged(shared)
    assert [path for path, text in notes.items() if GREEN in text] == [f"{now}.md"]
    assert "on the desktop" in notes[f"{now}.md"]
    assert notes["new.md"] == f"More in [[{now}]].\n"
    assert not shared.sync("laptop").pushed


RENAMES: dict[str, Callable[[Desk], object]] = {
    "by a tool": lambda at: at.memory.rename("green", "tea"),
    "by hand": lambda at: at.move("green.md", "tea.md"),
}


@pytest.mark.parametrize("is_last", [True, False], ids=["committed", "and more"])
@pytest.mark.parametrize("renamed", RENAMES)
def test_git_may_take_a_note_that_a_tool_merged_into_a_renamed_one_for_the_renamed_one(
    shared: Shared, renamed: str, is_last: bool
) -> None:
    shared.sync("desktop")
    with desk(shared, serves=True, commits=False) as at:
        RENAMES[renamed](at)
        at.memory.write("tea", GREEN.partition("\n")[2])  # so that black.md has more lines of the merged note
        at.memory.rename("black", "tea", merge=True)
        at.commit()
        if not is_last:
            at.memory.rename("tea", "drinks/tea")
    assert "black.md => " in git(shared.root("laptop"), "show", "-M40%", "--summary", "HEAD")
    notes = exchanged(shared)
    name = "tea" if is_last else "drinks/tea"
    assert notes.keys() == {f"{name}.md", "hint.md", "new.md"}
    assert notes[f"{name}.md"].count("about green tea") == 8
    assert notes[f"{name}.md"].count("about black tea") == 9
    assert "on the desktop" in notes[f"{name}.md"]
    assert notes["hint.md"] == "See [[tea]] and [[tea]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert not shared.sync("laptop").pushed


PASSAGE = "4 of the note about green tea"
EXTRACTIONS: dict[str, tuple[Callable[[Desk], object], str]] = {
    "at once": (lambda at: at.memory.extract("green", PASSAGE, "part"), "part"),
    "from a renamed note": (
        both(lambda at: at.memory.rename("green", "t"), lambda at: at.memory.extract("t", PASSAGE, "part")),
        "part",
    ),
    "from a note that was renamed after": (
        both(lambda at: at.memory.extract("green", PASSAGE, "part"), lambda at: at.memory.rename("green", "t")),
        "part",
    ),
    "from a note that was renamed by hand after": (
        both(
            lambda at: at.memory.extract("green", PASSAGE, "part"),
            lambda at: at.commit(),
            lambda at: at.move("green.md", "t.md"),
        ),
        "part",
    ),
    "from a note that was merged after": (
        both(
            lambda at: at.memory.extract("green", PASSAGE, "part"),
            lambda at: at.memory.rename("green", "black", merge=True),
        ),
        "part",
    ),
    "and the new note was renamed": (
        both(
            lambda at: at.memory.extract("green", PASSAGE, "p"),
            lambda at: at.commit(),
            lambda at: at.memory.rename("p", "part"),
        ),
        "part",
    ),
    "and the new note was merged": (
        both(
            lambda at: at.memory.extract("green", PASSAGE, "p"),
            lambda at: at.memory.rename("p", "black", merge=True),
        ),
        "black",
    ),
}


@pytest.mark.parametrize("is_last", [True, False], ids=["committed", "and more"])
@pytest.mark.parametrize("extracted", EXTRACTIONS)
def test_edits_follow_a_passage_that_a_tool_extracted_and_somebody_committed_with_plain_git(
    shared: Shared, extracted: str, is_last: bool
) -> None:
    shared.sync("desktop")
    work, to = EXTRACTIONS[extracted]
    with desk(shared, commits=False) as at:
        work(at)
        at.commit()
        if not is_last:
            at.set(to)
            (at.root / "other.md").write_text("Another note.\n")
    edited = f"{PASSAGE}, at 75 °C"
    (shared.root("desktop") / "green.md").write_text(GREEN.replace(PASSAGE, edited))
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    notes = shared.notes("laptop")
    assert notes == shared.notes("desktop")
    assert [path for path, text in notes.items() if PASSAGE in text] == [f"{to}.md"]
    assert notes[f"{to}.md"].count(PASSAGE) == notes[f"{to}.md"].count(edited) == 1
    assert not shared.sync("laptop").pushed


def test_a_note_that_a_tool_renamed_before_the_first_synchronisation_is_the_same_note(shared: Shared) -> None:
    with Memory(str(shared.root("desktop")), machine="desktop") as memory:  # without git = true
        memory.rename("green", "tea")
        memory.write("tea", "\nby a tool\n", append=True)
    (shared.root("laptop") / "green.md").write_text(f"on the laptop\n{GREEN}")
    for machine in ("laptop", "desktop", "laptop"):
        shared.sync(machine)
    assert shared.notes("laptop")["tea.md"] == f"on the laptop\n{GREEN}\nby a tool\n"
    assert shared.notes("laptop").keys() == {"black.md", "hint.md", "tea.md"}


def test_a_note_that_was_renamed_and_deleted_and_edited_elsewhere_is_one_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = ("laptop", "desktop", "phone", "tablet")
    shared = Shared(tmp_path, NOTES, machines)
    (shared.root("laptop") / "green.md").unlink()
    (shared.root("desktop") / "green.md").rename(shared.root("desktop") / "a.md")
    for machine in ("phone", "tablet"):
        (shared.root(machine) / "green.md").rename(shared.root(machine) / f"{machine}.md")
        (shared.root(machine) / f"{machine}.md").write_text(f"{GREEN}on the {machine}\n")
    for day, machine in enumerate((*machines, *machines), 1):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2030-01-0{day}T00:00Z")
        shared.sync(machine)
    notes = shared.notes("laptop")
    assert [path for path, text in notes.items() if GREEN in text] == ["tablet.md"]
    assert "on the phone\n" in notes["tablet.md"]


def test_a_note_is_renamed_by_hand_after_a_tool_has_merged_another_one_below_an_edit_by_hand(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES | {"black.md": BLACK + BLACK.replace("black", "oolong")})
    with shared.memory("desktop") as memory:
        memory.write("green", "\nby the desktop\n", append=True)
    with desk(shared) as one:
        (one.root / "green.md").write_text(GREEN + "by hand: [[black]]\n")
        one.memory.rename("black", "green", merge=True)  # its commit lacks the text, for it changed the line by hand
        one.settle()
        one.move("green.md", "matcha.md")
    shared.sync("laptop")
    shared.sync("desktop")
    notes = shared.notes("desktop")
    assert notes.keys() == {"hint.md", "matcha.md"}
    parts = (GREEN, BLACK, "by hand: [[matcha]]\n", "by the desktop\n")
    assert all(notes["matcha.md"].count(part) == 1 for part in parts)
    assert notes["hint.md"] == "See [[matcha]] and [[matcha]].\n"


@pytest.mark.parametrize("reused", [False, True])
def test_a_note_that_tools_renamed_twice_before_plain_git_committed_is_followed(shared: Shared, reused: bool) -> None:
    laptop = shared.root("laptop")
    with Memory(str(laptop), git=False) as memory:
        memory.rename("green", "old/salt")
        memory.rename("old/salt", "old/mate")
        memory.write("black", "More.\n", append=True)
    git(laptop, "add", "-A")
    git(laptop, "commit", "-qm", "plain")
    if reused:
        with shared.memory("laptop") as memory:
            memory.write("old/salt", "Salt.\n")
    with shared.memory("desktop") as memory:
        memory.write("green", "Steep it.\n", append=True)
    shared.sync("desktop")
    shared.sync("laptop")
    shared.sync("desktop")
    notes = shared.notes("laptop")
    assert notes == shared.notes("desktop")
    assert "green.md" not in notes
    assert notes["old/mate.md"].endswith("Steep it.\n")
    assert notes.get("old/salt.md") == ("Salt.\n" if reused else None)


def test_a_note_is_followed_although_a_late_commit_of_a_tool_has_a_copy_of_it(shared: Shared) -> None:
    laptop = shared.root("laptop")

    def commit(*trailers: str) -> None:
        git(laptop, "add", "-A")
        git(laptop, "commit", "-qm", "\n".join(["edit", "", *trailers]) if trailers else "plain")

    (laptop / "green.md").rename(laptop / "mate.md")
    commit()
    (laptop / "mate.md").rename(laptop / "tea.md")
    commit("Zkmem-Moved: mate.md -> tea.md", "Zkmem-Machine: laptop")
    write(laptop, {"mate.md": GREEN})
    commit("Zkmem-Edit: 1", "Zkmem-Moved: green.md -> mate.md", "Zkmem-Machine: laptop")
    (laptop / "mate.md").unlink()
    commit("Zkmem-Machine: laptop")
    with shared.memory("desktop") as memory:
        memory.write("green", "- Steep it.\n", append=True)
    shared.sync("desktop")
    shared.sync("laptop")
    assert shared.notes("laptop") == {
        "black.md": BLACK,
        "hint.md": "See [[tea]] and [[black]].\n",
        "tea.md": f"{GREEN}- Steep it.\n",
    }


def test_a_link_to_a_deleted_note_that_had_swapped_its_name_does_not_lead_to_the_other_one(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    write(shared.root("laptop"), {"green.md": BLACK, "black.md": GREEN})
    with shared.memory("desktop") as memory:
        memory.delete("green")
    git(shared.root("desktop"), "mv", "hint.md", "tip.md")
    git(shared.root("desktop"), "commit", "-qm", "plain")
    write(shared.root("phone"), {"black.md": BLACK + "More.\n"})
    for machine in ("laptop", "desktop", "phone"):
        shared.sync(machine)
    assert shared.notes("phone") == {"green.md": BLACK + "More.\n", "tip.md": "See [[black]] and [[green]].\n"}


def test_a_link_to_a_deleted_note_keeps_its_name_when_only_links_are_updated(shared: Shared) -> None:
    laptop, desktop = shared.root("laptop"), shared.root("desktop")
    (laptop / "green.md").rename(laptop / "mate.md")
    shared.sync("laptop")
    (desktop / "green.md").unlink()
    shared.sync("desktop")
    write(desktop, {"hint.md": "See [[green]] or [[black]].\n"})
    shared.sync("laptop")
    shared.sync("desktop")
    assert shared.notes("desktop") == {"black.md": BLACK, "hint.md": "See [[green]] or [[black]].\n"}


def test_a_deleted_note_that_comes_back_at_its_first_path_is_followed(tmp_path: Path) -> None:
    red = GREEN.replace("green", "red")
    shared = Shared(tmp_path, {**NOTES, "red.md": red}, ("laptop", "desktop", "phone"))
    write(shared.root("phone"), {"green.md": BLACK, "black.md": GREEN})
    shared.sync("phone")
    with shared.memory("desktop") as memory:
        memory.delete("green")
    shared.sync("desktop")
    with shared.memory("phone") as memory:
        memory.rename("red", "old/red")
        memory.write("old/red", "- More.\n", append=True)
    write(shared.root("desktop"), {"green.md": red, "red.md": BLACK})
    shared.sync("desktop")
    with shared.memory("laptop") as memory:
        memory.write("green", "- Mine.\n", append=True)
    shared.sync("laptop")
    with shared.memory("desktop") as memory:
        memory.write("new", "New.\n")
    shared.sync("desktop")
    shared.sync("phone")
    notes = shared.notes("phone")
    tea = next(name for name, text in notes.items() if "1 of the note about red tea" in text)
    assert tea in {"green.md", "old/red.md"}  # whose name counts is a matter of which commit is the newer one
    for text in ("1 of the note about red tea", "- More.\n", "- Mine.\n"):
        assert [name for name, note in notes.items() for _ in range(note.count(text))] == [tea]
