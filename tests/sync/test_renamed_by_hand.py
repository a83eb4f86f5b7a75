"""A note that was renamed by hand is the same note on other machines, whoever edits it before the next commit."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sync.edits import Clone, Edit, append, delete, extract, move, put, remove, rename, set_note
from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.tools.inner import commit_edits, engine
from tests.tools.sample import crossed
from tests.tools.vaults import write
from zkmem.memory import Memory

GREEN = "".join(f"{line} of the note about green tea\n" for line in range(9))
BLACK = "".join(f"{line} of the note about black tea\n" for line in range(9))
NOTES = {"green.md": GREEN, "black.md": BLACK, "hint.md": "See [[green]] and [[black]].\n"}


class Desk(Clone):
    """A person and a model on the laptop."""

    def __init__(self, vault: Path, memory: Memory, *, serves: bool, commits: bool) -> None:
        super().__init__(str(vault), "laptop")
        self.root, self._memory = vault, memory
        self._serves, self._commits = serves, commits

    def make(self, *edits: Edit) -> None:
        """Make edits. Before the next one, a server has recorded what was changed by hand, and tools have committed."""
        for edit in edits:
            edit(self)
            if self._serves:
                self.memory.wait_ready()
                engine(self.memory).recorder.flush()
            if self._commits:
                assert commit_edits(self.memory) == ""


def by_hand(path: str, text: str = "by hand\n") -> Edit:
    """Add text at the beginning of a file by hand."""
    return lambda clone: clone.put(path, text.encode() + clone.read(path))


def by_tool(name: str) -> Edit:
    """Append text by a tool."""
    return append(name, "\nby a tool\n")


def commit(clone: Clone) -> None:
    """Commit all files with plain git."""
    clone.git("add", "-A")
    if git(clone.vault, "status", "--porcelain"):
        clone.git("commit", "-qm", "plain")


@contextlib.contextmanager
def desk(shared: Shared, *, serves: bool = False, commits: bool = True) -> Iterator[Desk]:
    with Memory(str(shared.root("laptop")), git=commits, machine="laptop") as memory:
        if serves:
            memory.start()
            memory.wait_ready()
            assert engine(memory).recorder.ready.wait(60)
        yield Desk(shared.root("laptop"), memory, serves=serves, commits=commits)


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, NOTES)


def exchanged(shared: Shared) -> dict[str, str]:
    """Edit a note on the desktop, where it has its old name, and link to it; synchronise all, and return the notes."""
    shared.edit("desktop", put("green.md", f"{GREEN}on the desktop\n"), put("new.md", "More in [[green]].\n"))
    return shared.meet("laptop")


KINDS = {  # whether a server runs, and whether edits by tools are commits
    "command": (False, True),
    "server without git": (True, False),
    "server": (True, True),
    "command without git": (False, False),
}
REWRITTEN = "All is new.\n" * 20


EDITS: dict[str, list[Edit]] = {
    "by a tool": [by_tool("tea")],
    "by a tool, much": [set_note("tea", REWRITTEN)],
    "by hand": [by_hand("tea.md")],
    "by a tool, by hand": [by_tool("tea"), by_hand("tea.md")],
    "by hand, by a tool": [by_hand("tea.md"), by_tool("tea")],
    "by a tool, twice": [by_tool("tea"), append("tea", "\nagain\n")],
    "by hand, by a tool, by hand": [by_hand("tea.md"), by_tool("tea"), by_hand("tea.md", "again by hand\n")],
}


@pytest.mark.parametrize(("kind", "edited"), crossed(KINDS, EDITS, slow=1))
def test_a_note_that_was_edited_since_is_the_same_note(shared: Shared, edited: str, kind: str) -> None:
    serves, commits = KINDS[kind]
    with desk(shared, serves=serves, commits=commits) as at:
        at.make(move("green.md", "tea.md"), *EDITS[edited])
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md", "tea.md"}
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert "on the desktop" in notes["tea.md"]


MOVES: dict[str, tuple[list[Edit], dict[str, str]]] = {
    "to a folder": ([move("green.md", "deep/er/tea.md"), by_tool("tea")], {"green": "tea"}),
    "twice": ([move("green.md", "t.md"), move("t.md", "tea.md"), by_tool("tea")], {"green": "tea"}),
    "twice, with edits": (
        [move("green.md", "t.md"), by_tool("t"), by_hand("t.md"), move("t.md", "tea.md"), append("tea", "again\n")],
        {"green": "tea"},
    ),
    "and back": (
        [move("green.md", "t.md"), by_tool("t"), move("t.md", "green.md"), append("green", "again\n")],
        {"green": "green"},
    ),
    "and then by a tool": ([move("green.md", "t.md"), rename("t", "tea")], {"green": "tea"}),
    "after a tool": ([rename("green", "t"), move("t.md", "tea.md"), by_tool("tea")], {"green": "tea"}),
    "and merged": ([move("green.md", "t.md"), rename("t", "black")], {"green": "black"}),
    "both": (
        [move("green.md", "a/green.md"), move("black.md", "a/black.md"), by_tool("a/green"), by_tool("a/black")],
        {"green": "green", "black": "black"},
    ),
    "both, one edited": (
        [move("green.md", "a/tea.md"), move("black.md", "a/coffee.md"), by_tool("coffee")],
        {"green": "tea", "black": "coffee"},
    ),
    "the name of another": (
        [move("black.md", "coffee.md"), move("green.md", "black.md"), by_tool("black"), by_tool("coffee")],
        {"green": "black", "black": "coffee"},
    ),
    "with a new note in its place": (
        [move("green.md", "tea.md"), by_tool("tea"), append("green", "Another note.\n")],
        {"green": "tea"},
    ),
    "each other's names": (
        [move("green.md", "t.md"), move("black.md", "green.md"), move("t.md", "black.md")],
        {"green": "black", "black": "green"},
    ),
    "each other's names, and edited": (
        [
            move("green.md", "t.md"),
            move("black.md", "green.md"),
            move("t.md", "black.md"),
            by_tool("green"),
            by_hand("black.md"),
        ],
        {"green": "black", "black": "green"},
    ),
}


@pytest.mark.parametrize(("kind", "moved"), crossed(KINDS, MOVES, slow=1))
def test_edits_and_links_of_others_follow_a_note_that_was_moved(shared: Shared, moved: str, kind: str) -> None:
    (serves, commits), (work, now) = KINDS[kind], MOVES[moved]
    with desk(shared, serves=serves, commits=commits) as at:
        at.make(*work)
    notes = exchanged(shared)
    assert notes["hint.md"] == f"See [[{now['green']}]] and [[{now.get('black', 'black')}]].\n"
    assert notes["new.md"] == f"More in [[{now['green']}]].\n"
    text = next(text for path, text in notes.items() if f"/{path}".endswith(f"/{now['green']}.md"))
    assert "on the desktop" in text
    assert GREEN in text
    assert sum(GREEN in one for one in notes.values()) == sum(BLACK in one for one in notes.values()) == 1


def test_the_notes_of_the_machine_where_a_note_was_renamed_link_to_its_new_name(shared: Shared) -> None:
    with desk(shared) as at:
        at.make(move("green.md", "tea.md"))
    assert shared.sync("laptop").pushed == 2
    assert shared.notes("laptop")["hint.md"] == "See [[tea]] and [[black]].\n"
    assert not shared.status("laptop")
    assert not shared.sync("laptop").pushed


def test_a_link_from_after_the_merge_of_a_rename_does_not_mean_the_renamed_note(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.edit("laptop", move("green.md", "tea.md"))
    for machine in ("desktop", "phone"):
        shared.edit(machine, put(f"{machine}.md", "Mine, about [[green]].\n"))
    shared.sync("desktop", "laptop")
    shared.edit("laptop", put("plan.md", "Write [[green]] anew, unlike [[tea]].\n"))
    shared.sync("laptop", "phone", "desktop")
    notes = shared.notes("desktop")
    assert notes["plan.md"] == "Write [[green]] anew, unlike [[tea]].\n"
    assert {notes[name] for name in ("desktop.md", "phone.md")} == {"Mine, about [[tea]].\n"}


@pytest.mark.parametrize("serves", [True, False])
def test_a_note_that_a_person_renames_after_tools_have_used_its_name_is_another_note(
    shared: Shared, serves: bool
) -> None:
    """The logs have moves from the path that the note has: of the file that was there before."""
    with desk(shared, serves=serves) as at:
        at.make(rename("green", "tea"), rename("black", "green"), move("green.md", "coffee.md"), by_hand("tea.md"))
    shared.sync("laptop")
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[tea]] and [[coffee]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert notes["tea.md"] == f"by hand\n{GREEN}on the desktop\n"
    assert notes["coffee.md"] == BLACK


def test_a_note_that_a_synchronisation_brought_to_the_path_of_a_renamed_one_is_another_note(shared: Shared) -> None:
    """The log has one edit that moves the one and writes the other."""
    shared.send("desktop", move("green.md", "tea.md"))
    shared.edit("desktop", put("green.md", REWRITTEN), put("plan.md", "Write [[green]] anew, unlike [[tea]].\n"))
    shared.sync("desktop", "laptop")
    with desk(shared) as at:
        at.make(move("green.md", "white.md"), by_tool("white"))
    shared.edit("desktop", append("tea", "\non the desktop\n"))
    notes = shared.meet("laptop")
    assert notes["plan.md"] == "Write [[white]] anew, unlike [[tea]].\n"
    assert notes["tea.md"] == f"{GREEN}\non the desktop\n"
    assert notes["white.md"] == f"{REWRITTEN}\nby a tool\n"


@pytest.mark.parametrize("name", ["coffee", "white"])
def test_a_new_note_with_the_name_of_a_renamed_one_is_another_note_if_a_person_renames_it_too(
    shared: Shared, name: str
) -> None:
    with desk(shared, serves=True) as at:
        at.make(move("green.md", "tea.md"), put("green.md", REWRITTEN), move("green.md", f"{name}.md"))
    shared.sync("laptop")
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"
    assert notes["tea.md"] == f"{GREEN}on the desktop\n"
    assert notes[f"{name}.md"] == REWRITTEN


def test_a_note_that_is_made_with_the_name_of_a_renamed_one_and_removed_is_not_the_renamed_one(shared: Shared) -> None:
    with desk(shared) as at:
        at.make(rename("green", "tea"), set_note("green", REWRITTEN))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", remove("green.md"))
    with desk(shared) as at:
        at.make(by_hand("tea.md"))
    shared.edit("desktop", put("green.md", f"{REWRITTEN}on the desktop\n"))
    shared.meet("laptop")
    assert shared.notes("laptop")["green.md"] == f"{REWRITTEN}on the desktop\n"
    assert shared.notes("laptop")["tea.md"] == f"by hand\n{GREEN}"


def test_a_copy_that_was_kept_before_a_note_was_edited_is_not_the_note(shared: Shared) -> None:
    with desk(shared) as at:
        at.make(put("old green.md", GREEN), by_tool("old green"), by_hand("green.md", REWRITTEN), by_tool("green"))
    notes = exchanged(shared)
    assert notes["hint.md"] == "See [[green]] and [[black]].\n"
    assert notes["new.md"] == "More in [[green]].\n"
    assert "on the desktop" in notes["green.md"]


def test_an_edit_that_found_a_renamed_note_commits_no_other_change_by_hand(shared: Shared) -> None:
    with desk(shared) as at:
        at.make(move("green.md", "tea.md"), by_hand("hint.md"), put("mine.md", "mine\n"), by_tool("tea"))
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
        at.make(move("green.md", "tea.md"), by_tool("tea"), by_tool("black"))
    assert "by a tool" in git(shared.root("laptop"), "show", "HEAD:black.md")
    assert ("tea.md" in git(shared.root("laptop"), "ls-tree", "--name-only", "HEAD")) == (trouble != "a private file")


def test_edits_by_tools_that_somebody_commits_with_plain_git_are_not_made_again(shared: Shared) -> None:
    with desk(shared, commits=False) as at:
        at.make(
            extract("green", GREEN.splitlines()[0], "first"),
            rename("green", "t"),
            rename("black", "b"),
            rename("b", "coffee"),
            rename("t", "tea"),
            commit,
        )
    notes = exchanged(shared)
    assert notes.keys() == {"coffee.md", "first.md", "hint.md", "new.md", "tea.md"}
    assert notes["hint.md"] == "See [[tea]] and [[coffee]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"


@pytest.mark.parametrize(("first", "serves"), [("by hand", True), ("by a tool", False)])
def test_a_rename_by_hand_counts_if_plain_git_commits_it_with_much_text_of_a_tool(
    shared: Shared, first: str, serves: bool
) -> None:
    """The tool adds more text than the note had, so that git takes the renamed note for a new one."""
    added = "".join(f"{line} of the text that a tool has added\n" for line in range(30))
    with desk(shared, serves=serves, commits=False) as at:
        if first == "by hand":
            at.make(move("green.md", "tea.md"), append("tea", added))
        else:
            at.make(append("green", added), move("green.md", "tea.md"))
        at.make(commit, by_tool("black"))
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md", "tea.md"}
    assert "on the desktop\n" in notes["tea.md"]
    assert notes["hint.md"] == "See [[tea]] and [[black]].\n"
    assert notes["new.md"] == "More in [[tea]].\n"


def copied(at: Desk) -> None:
    at.make(
        put("copy.md", (at.root / "green.md").read_text()), commit, append("copy", FILLED), commit, remove("green.md")
    )


def copied_and_deleted_by_a_tool(at: Desk) -> None:
    at.make(put("copy.md", (at.root / "green.md").read_text()), append("copy", FILLED), delete("green"))


def made_again(at: Desk) -> None:
    text = (at.root / "green.md").read_text()
    at.make(remove("green.md"), commit, put("copy.md", text), append("copy", FILLED))


def made_from_an_older_text(at: Desk) -> None:
    at.make(append("green", "V1\n"), commit)
    older = (at.root / "green.md").read_text()
    at.make(
        put("green.md", GREEN.replace("of", "from")),
        commit,
        remove("green.md"),
        put("copy.md", older),
        append("copy", FILLED),
    )


FILLED = "".join(f"{line} of the text that a tool has added\n" for line in range(40))


@pytest.mark.parametrize("makes", [copied, copied_and_deleted_by_a_tool, made_again, made_from_an_older_text])
def test_a_copy_of_a_note_that_is_deleted_is_not_the_renamed_note(
    shared: Shared, makes: Callable[[Desk], None]
) -> None:
    """A tool fills the copy, so that git alone would see no rename."""
    with desk(shared, commits=False) as at:
        makes(at)
        at.make(commit, by_tool("black"))
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "copy.md", "green.md", "hint.md", "new.md"}
    assert "on the desktop\n" in notes["green.md"]
    assert notes["hint.md"] == "See [[green]] and [[black]].\n"


@pytest.mark.parametrize("merges", [True, False], ids=["merged", "renamed"])
def test_a_new_note_that_is_deleted_is_not_the_one_that_a_tool_moved_long_ago(shared: Shared, merges: bool) -> None:
    """The new note has the name of the moved one. The desktop edits it before it hears that it was deleted."""
    shared.edit("laptop", rename("green", "black" if merges else "tea"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", put("green.md", "Another note.\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", remove("green.md"))
    shared.edit("desktop", put("green.md", "Another note.\nEdited.\n"))
    shared.meet("laptop")
    messages = git(shared.root("laptop"), "log", "--grep=edits by hand", "--format=%B")
    assert "Zkmem-Moved" not in messages
    assert "Zkmem-Merged" not in messages
    assert shared.notes("laptop")["green.md"] == "Another note.\nEdited.\n"


def test_a_note_that_got_an_older_text_back_by_an_undo_is_the_one_that_a_tool_merged(shared: Shared) -> None:
    """The last commit has the text that was undone. Plain git commits the merge of the note with its older text."""
    shared.edit("laptop", append("green", "added\n"))
    shared.sync("laptop", "desktop")
    with desk(shared, commits=False) as at:
        at.memory.undo(1)
        at.make(rename("green", "black"), commit)
    notes = exchanged(shared)
    assert notes.keys() == {"black.md", "hint.md", "new.md"}
    assert "on the desktop\n" in notes["black.md"]


def test_an_empty_note_is_not_renamed(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {**NOTES, "green.md": ""})
    with desk(shared, commits=False) as at:
        at.make(remove("green.md"), put("other.md", ""), append("other", FILLED), commit, by_tool("black"))
    assert exchanged(shared).keys() == {"black.md", "green.md", "hint.md", "new.md", "other.md"}


ADDED = {  # what is added by hand, before each of two commits
    "moved": ("", ""),
    "before": ("by hand\n", ""),
    "twice": ("by hand\n", "again by hand, and much more than before\n"),
}
TOOL_MOVES: dict[str, list[Edit]] = {"once": [rename("green", "t")], "twice": [rename("green", "b"), rename("b", "t")]}


@pytest.mark.parametrize(
    ("edited", "renamed", "serves"),
    [("moved", "once", True), ("moved", "twice", False), ("before", "twice", True), ("twice", "once", False)],
)
def test_a_note_that_a_tool_renamed_and_somebody_committed_with_plain_git_is_renamed_by_hand(
    shared: Shared, renamed: str, serves: bool, edited: str
) -> None:
    shared.sync("desktop")
    added = ADDED[edited]
    with desk(shared, serves=serves, commits=False) as at:
        at.make(
            rename("black", "hint"),
            *TOOL_MOVES[renamed],
            by_hand("t.md", added[0]),
            commit,
            move("t.md", "tea.md"),
            by_hand("tea.md", added[1]),
        )
    notes = exchanged(shared)
    assert notes.keys() == {"hint.md", "new.md", "tea.md"}
    assert notes["tea.md"] == f"{added[1]}{added[0]}{GREEN}on the desktop\n"
    assert notes["hint.md"].startswith("See [[tea]] and [[hint]].\n")
    assert notes["hint.md"].count(BLACK) == 1
    assert notes["new.md"] == "More in [[tea]].\n"


@pytest.mark.parametrize(("is_one_commit", "is_new"), [(False, False), (True, True)])
def test_a_note_with_the_former_name_of_another_is_committed_with_plain_git(
    shared: Shared, is_new: bool, is_one_commit: bool
) -> None:
    """The commit with plain git has all edits of the tools: zkmem does not make them again."""
    shared.sync("desktop")
    with desk(shared, commits=False) as at:
        at.make(rename("green", "tea"))
        if not is_one_commit:
            at.make(commit)
        if is_new:
            at.make(set_note("oolong", REWRITTEN))
        at.make(rename("oolong" if is_new else "black", "green"), commit)
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
        at.make(
            put("other.md", "Another note.\n"),
            commit,
            move("green.md", "tea.md"),
            by_hand("other.md", "See [[tea]].\n"),
            rename("black", "hint"),
            rename("tea", "green"),
            by_tool("green"),
        )
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
MERGES: dict[str, tuple[list[Edit], str]] = {
    "at once": ([rename("green", "black")], "black"),
    "renamed before": ([rename("green", "t"), commit, rename("t", "black")], "black"),
    "renamed by hand before": ([move("green.md", "t.md"), commit, rename("t", "black")], "black"),
    "renamed after": ([rename("green", "black"), commit, rename("black", "coffee")], "coffee"),
    "renamed after, by hand": ([rename("green", "black"), commit, move("black.md", "coffee.md")], "coffee"),
    "twice": ([rename("green", "hint"), commit, rename("hint", "black")], "black"),
}


@pytest.mark.parametrize(("way", "merged"), crossed(WAYS, MERGES, slow=1))
def test_a_note_that_a_tool_merged_and_somebody_committed_with_plain_git_is_part_of_the_other(
    shared: Shared, merged: str, way: str
) -> None:
    serves, is_last = WAYS[way]
    shared.sync("desktop")
    work, now = MERGES[merged]
    with desk(shared, serves=serves, commits=False) as at:
        at.make(*work, commit)
        if not is_last:
            at.make(by_tool(now), put("other.md", "Another note.\n"))
    notes = exchanged(shared)
    assert [path for path, text in notes.items() if GREEN in text] == [f"{now}.md"]
    assert "on the desktop" in notes[f"{now}.md"]
    assert notes["new.md"] == f"More in [[{now}]].\n"
    assert not shared.sync("laptop").pushed


RENAMES: dict[str, list[Edit]] = {"by a tool": [rename("green", "tea")], "by hand": [move("green.md", "tea.md")]}


@pytest.mark.parametrize(("renamed", "is_last"), [("by a tool", False), ("by hand", True)])
def test_git_may_take_a_note_that_a_tool_merged_into_a_renamed_one_for_the_renamed_one(
    shared: Shared, renamed: str, is_last: bool
) -> None:
    shared.sync("desktop")
    with desk(shared, serves=True, commits=False) as at:
        at.make(*RENAMES[renamed])
        at.memory.write("tea", GREEN.partition("\n")[2])  # so that black.md has more lines of the merged note
        at.make(rename("black", "tea"), commit)
        if not is_last:
            at.make(rename("tea", "drinks/tea"))
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
EXTRACTIONS: dict[str, tuple[list[Edit], str]] = {
    "at once": ([extract("green", PASSAGE, "part")], "part"),
    "from a renamed note": ([rename("green", "t"), extract("t", PASSAGE, "part")], "part"),
    "from a note that was renamed after": ([extract("green", PASSAGE, "part"), rename("green", "t")], "part"),
    "from a note that was renamed by hand after": (
        [extract("green", PASSAGE, "part"), commit, move("green.md", "t.md")],
        "part",
    ),
    "from a note that was merged after": ([extract("green", PASSAGE, "part"), rename("green", "black")], "part"),
    "and the new note was renamed": ([extract("green", PASSAGE, "p"), commit, rename("p", "part")], "part"),
    "and the new note was merged": ([extract("green", PASSAGE, "p"), rename("p", "black")], "black"),
}


@pytest.mark.parametrize(("extracted", "is_last"), [(one, at % 2 == 0) for at, one in enumerate(EXTRACTIONS)])
def test_edits_follow_a_passage_that_a_tool_extracted_and_somebody_committed_with_plain_git(
    shared: Shared, extracted: str, is_last: bool
) -> None:
    shared.sync("desktop")
    work, to = EXTRACTIONS[extracted]
    with desk(shared, commits=False) as at:
        at.make(*work, commit)
        if not is_last:
            at.make(by_tool(to), put("other.md", "Another note.\n"))
    edited = f"{PASSAGE}, at 75 °C"
    shared.edit("desktop", put("green.md", GREEN.replace(PASSAGE, edited)))
    notes = shared.meet("laptop")
    assert [path for path, text in notes.items() if PASSAGE in text] == [f"{to}.md"]
    assert notes[f"{to}.md"].count(PASSAGE) == notes[f"{to}.md"].count(edited) == 1
    assert not shared.sync("laptop").pushed


def test_a_note_that_a_tool_renamed_before_the_first_synchronisation_is_the_same_note(shared: Shared) -> None:
    with Memory(str(shared.root("desktop")), machine="desktop") as memory:  # without git = true
        memory.rename("green", "tea")
        memory.write("tea", "\nby a tool\n", append=True)
    shared.edit("laptop", put("green.md", f"on the laptop\n{GREEN}"))
    shared.meet("laptop")
    assert shared.notes("laptop")["tea.md"] == f"on the laptop\n{GREEN}\nby a tool\n"
    assert shared.notes("laptop").keys() == {"black.md", "hint.md", "tea.md"}


def test_a_note_that_was_renamed_and_deleted_and_edited_elsewhere_is_one_note(tmp_path: Path) -> None:
    machines = ("laptop", "desktop", "phone", "tablet")
    shared = Shared(tmp_path, NOTES, machines)
    shared.edit("laptop", remove("green.md"))
    shared.edit("desktop", move("green.md", "a.md"))
    for machine in ("phone", "tablet"):
        shared.edit(machine, move("green.md", f"{machine}.md"), put(f"{machine}.md", f"{GREEN}on the {machine}\n"))
    for day, machine in enumerate((*machines, *machines), 1):
        shared.day = day
        shared.sync(machine)
    notes = shared.notes("laptop")
    assert [path for path, text in notes.items() if GREEN in text] == ["tablet.md"]
    assert "on the phone\n" in notes["tablet.md"]


def test_a_note_is_renamed_by_hand_after_a_tool_has_merged_another_one_below_an_edit_by_hand(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES | {"black.md": BLACK + BLACK.replace("black", "oolong")})
    shared.edit("desktop", append("green", "\nby the desktop\n"))
    with desk(shared) as at:
        (at.root / "green.md").write_text(GREEN + "by hand: [[black]]\n")
        at.make(rename("black", "green"))  # its commit lacks the text, for it changed the line by hand
        at.make(move("green.md", "matcha.md"))
    shared.sync("laptop", "desktop")
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
        shared.edit("laptop", set_note("old/salt", "Salt.\n"))
    shared.edit("desktop", append("green", "Steep it.\n"))
    shared.sync("desktop", "laptop", "desktop")
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
    shared.edit("desktop", append("green", "- Steep it.\n"))
    shared.sync("desktop", "laptop")
    assert shared.notes("laptop") == {
        "black.md": BLACK,
        "hint.md": "See [[tea]] and [[black]].\n",
        "tea.md": f"{GREEN}- Steep it.\n",
    }


def test_a_link_to_a_deleted_note_that_had_swapped_its_name_does_not_lead_to_the_other_one(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    shared.edit("laptop", put("green.md", BLACK), put("black.md", GREEN))
    shared.edit("desktop", delete("green"))
    git(shared.root("desktop"), "mv", "hint.md", "tip.md")
    git(shared.root("desktop"), "commit", "-qm", "plain")
    shared.edit("phone", put("black.md", BLACK + "More.\n"))
    shared.sync("laptop", "desktop", "phone")
    assert shared.notes("phone") == {"green.md": BLACK + "More.\n", "tip.md": "See [[black]] and [[green]].\n"}


def test_a_link_to_a_deleted_note_keeps_its_name_when_only_links_are_updated(shared: Shared) -> None:
    laptop, desktop = shared.root("laptop"), shared.root("desktop")
    (laptop / "green.md").rename(laptop / "mate.md")
    shared.sync("laptop")
    (desktop / "green.md").unlink()
    shared.sync("desktop")
    write(desktop, {"hint.md": "See [[green]] or [[black]].\n"})
    shared.sync("laptop", "desktop")
    assert shared.notes("desktop") == {"black.md": BLACK, "hint.md": "See [[green]] or [[black]].\n"}


def test_a_deleted_note_that_comes_back_at_its_first_path_is_followed(tmp_path: Path) -> None:
    red = GREEN.replace("green", "red")
    shared = Shared(tmp_path, {**NOTES, "red.md": red}, ("laptop", "desktop", "phone"))
    shared.send("phone", put("green.md", BLACK), put("black.md", GREEN))
    shared.send("desktop", delete("green"))
    shared.edit("phone", rename("red", "old/red"), append("old/red", "- More.\n"))
    shared.send("desktop", put("green.md", red), put("red.md", BLACK))
    shared.send("laptop", append("green", "- Mine.\n"))
    shared.edit("desktop", set_note("new", "New.\n"))
    shared.sync("desktop", "phone")
    notes = shared.notes("phone")
    tea = next(name for name, text in notes.items() if "1 of the note about red tea" in text)
    assert tea in {"green.md", "old/red.md"}  # whose name counts is a matter of which commit is the newer one
    for text in ("1 of the note about red tea", "- More.\n", "- Mine.\n"):
        assert [name for name, note in notes.items() for _ in range(note.count(text))] == [tea]
