"""People who commit, merge and rebase with plain git, such as Obsidian Git, keep links that lead to their notes."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.sync.edits import Edit, append, delete, extract, move, put, rename, replace, set_note
from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.tools.vaults import write
from zkmem.memory import Memory

NOTES = {"tea.md": "Green tea, at 75 °C.\n", "drinks.md": "Water.\n", "hint.md": "I like [[tea]].\n\nMore.\n"}
WAYS = {"merge": ("--no-rebase", "--no-edit"), "rebase": ("--rebase",)}


class Plain:
    """A person with a clone, and plain git."""

    def __init__(self, shared: Shared, name: str = "plain") -> None:
        self.root = shared.folder / name
        git(shared.folder, "clone", "-q", str(shared.remote), str(self.root))
        git(self.root, "config", "user.name", name)

    def commit(self, notes: dict[str, str]) -> None:
        """Save notes and commit them."""
        write(self.root, notes)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "notes")

    def pull(self, way: str) -> None:
        """Pull, with a merge or a rebase, and push."""
        git(self.root, "pull", "-q", *WAYS[way], "origin", "main")
        git(self.root, "push", "-q", "origin", "HEAD:main")


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, NOTES)


@pytest.fixture
def plain(shared: Shared) -> Plain:
    return Plain(shared)


RENAMES: dict[str, tuple[list[Edit], str]] = {
    "renamed": ([rename("tea", "green")], "green"),
    "merged": ([rename("tea", "drinks")], "drinks"),
    "renamed twice": ([rename("tea", "t"), append("t", "Steep it.\n"), rename("t", "green")], "green"),
    "renamed by hand": ([move("tea.md", "green.md")], "green"),
}
BROUGHT = {"new.md": "See [[tea]] and [t](tea.md).\n", "hint.md": "I like [[tea]].\n\nMore of [[tea|it]].\n"}


def brought(name: str) -> dict[str, str]:
    return {
        "new.md": f"See [[{name}]] and [t]({name}.md).\n",
        "hint.md": f"I like [[{name}]].\n\nMore of [[{name}|it]].\n",
    }


def notes_of(shared: Shared, machine: str) -> dict[str, str]:
    """Return the notes with links on a machine."""
    return {path: text for path, text in shared.notes(machine).items() if path in BROUGHT}


def bring_links(shared: Shared, plain: Plain, way: str, *edits: Edit) -> None:
    """Rename the note on the laptop, or make other edits. Plain git then brings links with its former name."""
    plain.commit(BROUGHT)
    shared.send("laptop", *(edits or [rename("tea", "green")]))
    plain.pull(way)


@pytest.mark.parametrize(("renamed", "way"), [*zip(RENAMES, [*WAYS] * 2, strict=True)])
def test_links_that_plain_git_brings_lead_to_the_renamed_note(
    shared: Shared, plain: Plain, way: str, renamed: str
) -> None:
    edits, name = RENAMES[renamed]
    bring_links(shared, plain, way, *edits)
    shared.sync("laptop")
    assert notes_of(shared, "laptop") == brought(name)
    assert not shared.sync("laptop").pushed
    assert not shared.sync("desktop").pushed
    assert shared.notes("desktop") == shared.notes("laptop")


@pytest.mark.parametrize("way", WAYS)
def test_a_machine_with_edits_of_its_own_updates_the_links_and_merges(shared: Shared, plain: Plain, way: str) -> None:
    bring_links(shared, plain, way)
    shared.send("laptop", set_note("own", "Mine: [[green]].\n"), rename("green", "matcha"))
    assert notes_of(shared, "laptop") == brought("matcha")


@pytest.mark.parametrize("way", WAYS)
def test_two_machines_that_see_the_links_first_make_the_same_commit(shared: Shared, plain: Plain, way: str) -> None:
    plain.commit(BROUGHT)
    shared.edit("laptop", rename("tea", "green"))
    shared.sync("laptop", "desktop")
    plain.pull(way)
    heads = set()
    for machine in ("laptop", "desktop"):
        pushed = git(shared.remote, "rev-parse", "main").strip()
        shared.sync(machine)
        heads.add(shared.head(machine))
        git(shared.remote, "update-ref", "refs/heads/main", pushed)
    assert len(heads) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_machine_that_has_pulled_with_plain_git_updates_the_links_later(
    shared: Shared, plain: Plain, way: str
) -> None:
    bring_links(shared, plain, way)
    git(shared.root("laptop"), "pull", "-q", "--ff-only", "origin", "main")
    assert shared.sync("laptop").pushed == 1
    assert notes_of(shared, "laptop") == brought("green")
    assert not shared.status("laptop")


def test_a_link_with_the_name_of_two_former_paths_leads_to_the_renamed_note(
    shared: Shared, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain git moved the note to a folder, and a tool renamed it later: both former paths have the same name."""
    (plain.root / "old").mkdir()
    git(plain.root, "mv", "tea.md", "old/tea.md")
    with monkeypatch.context() as earlier:
        earlier.setenv("GIT_COMMITTER_DATE", "2020-01-01T12:00Z")
        plain.commit({})
    git(plain.root, "push", "-q")
    shared.send("laptop", rename("tea", "green"))
    plain.commit({"hint.md": "I like [[tea]].\n\nMore of [[tea|it]].\n\nAs [[tea]] says.\n"})
    plain.pull("rebase")
    shared.sync("laptop")
    assert "[[tea" not in shared.notes("laptop")["hint.md"]
    assert "As [[green]] says." in shared.notes("laptop")["hint.md"]


@pytest.mark.parametrize("way", WAYS)
def test_the_person_who_merged_may_be_the_first_to_synchronise(shared: Shared, plain: Plain, way: str) -> None:
    plain.commit(BROUGHT)
    shared.send("laptop", rename("tea", "green"))
    git(plain.root, "pull", "-q", *WAYS[way], "origin", "main")
    told, report = shared.sync("plain", dry_run=True), shared.sync("plain")
    assert told.changed == report.changed == ["hint", "new"]
    assert next(told.lines()) == "links would be updated in hint, new"
    assert [*report.lines()] == ["links updated in hint, new", f"pushed: {report.pushed} commits"]
    assert notes_of(shared, "plain") == brought("green")
    shared.sync("laptop")
    assert notes_of(shared, "laptop") == brought("green")


def test_a_merged_link_does_not_lead_to_a_new_note_with_the_old_name(shared: Shared, plain: Plain) -> None:
    edits = (rename("tea", "green"), set_note("tea", "Black tea.\n"), set_note("shop", "Buy [[tea]].\n"))
    bring_links(shared, plain, "merge", *edits)
    shared.sync("laptop")
    assert notes_of(shared, "laptop") == brought("green")
    assert shared.notes("laptop")["shop.md"] == "Buy [[tea]].\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_note_that_plain_git_renamed_gets_the_links_of_the_other_branch(
    shared: Shared, plain: Plain, way: str
) -> None:
    git(plain.root, "mv", "tea.md", "green.md")
    plain.commit({"own.md": "Mine: [[green]].\n"})
    shared.send("laptop", set_note("new", "See [[tea]] and [t](tea.md).\n"))
    plain.pull(way)
    shared.sync("laptop")
    notes = shared.notes("laptop")
    assert notes["new.md"] == brought("green")["new.md"]
    assert notes["hint.md"] == "I like [[green]].\n\nMore.\n"


@pytest.mark.parametrize("way", WAYS)
def test_links_to_missing_notes_stay(shared: Shared, plain: Plain, way: str) -> None:
    """These are links of people who knew the new name, and links to notes that nobody ever wrote."""
    shared.send(
        "laptop",
        set_note("later", "Write [[coffee]] and then [[mate]].\n"),
        rename("tea", "green"),
        set_note("plan", "Write about [[tea]] again.\n"),
    )
    plain.pull(way)
    plain.commit({"known.md": "I know.\n"})
    plain.pull(way)
    shared.sync("laptop")
    plain.commit({"plan.md": "Write about [[tea]] again.\n\nSoon.\n", "fresh.md": "Another [[tea]], and [[mate]].\n"})
    shared.send("laptop", rename("hint", "tip"))
    plain.pull(way)
    shared.sync("laptop")
    notes = shared.notes("laptop")
    assert notes["later.md"] == "Write [[coffee]] and then [[mate]].\n"
    assert notes["plan.md"] == "Write about [[tea]] again.\n\nSoon.\n"
    assert notes["fresh.md"] == "Another [[tea]], and [[mate]].\n"


def pull_later(shared: Shared, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebase the commits of a machine as if much later, and push them. Within one second, nothing shows a rebase."""
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00Z")
        git(shared.root(machine), "pull", "-q", "--rebase", "origin", "main")
    git(shared.root(machine), "push", "-q", "origin", "HEAD:main")


def test_edits_by_tools_that_were_rebased_lead_to_the_renamed_note(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.edit("desktop", set_note("new", "See [[tea]].\n"))
    shared.send("laptop", rename("tea", "green"))
    pull_later(shared, "desktop", monkeypatch)
    shared.sync("laptop")
    assert shared.notes("laptop")["new.md"] == "See [[green]].\n"


def test_links_that_the_writer_of_a_rebased_renaming_did_not_know_lead_to_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "tablet"))
    shared.send("tablet", set_note("new", "See [[tea]].\n"))
    shared.edit("desktop", rename("tea", "green"))
    pull_later(shared, "desktop", monkeypatch)
    shared.sync("laptop")
    assert shared.notes("laptop")["new.md"] == "See [[green]].\n"


def test_a_machine_does_not_know_the_merge_that_another_one_made_of_its_edits(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The merge names the machine with the newer edit, whichever machine makes it, so that all make the same merge."""
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00Z")
        shared.edit("laptop", rename("tea", "green"))
        patch.setenv("GIT_COMMITTER_DATE", "2020-01-02T00:00Z")
        shared.edit("desktop", set_note("own", "Mine.\n"))
        shared.sync("desktop", "laptop")
    shared.edit("desktop", set_note("new", "See [[tea]].\n"))
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00Z")
        git(shared.root("desktop"), "pull", "-q", "--rebase", "origin", "main")
    git(shared.root("desktop"), "push", "-q", "origin", "HEAD:main")
    shared.sync("laptop")
    assert shared.notes("laptop")["new.md"] == "See [[green]].\n"


@pytest.mark.parametrize("order", [("laptop", "plain"), ("plain", "laptop")])
def test_a_note_that_a_branch_of_a_plain_merge_has_renamed_again_is_followed(
    shared: Shared, plain: Plain, order: tuple[str, str]
) -> None:
    git(shared.root("desktop"), "config", "user.name", "desktop")
    git(plain.root, "mv", "tea.md", "t.md")
    plain.commit({})
    git(plain.root, "push", "-q", "origin", "HEAD:main")
    shared.sync("laptop")
    for name in order:
        if name == "laptop":
            shared.edit("laptop", rename("t", "green"))
        else:
            plain.commit({"own.md": "Mine.\n"})
    shared.sync("laptop")
    plain.pull("merge")
    shared.edit("desktop", put("tea.md", "Green tea, at 80 °C.\n"), put("new.md", "See [[tea]].\n"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert notes["green.md"] == "Green tea, at 80 °C.\n"
    assert notes["new.md"] == "See [[green]].\n"
    assert notes.keys() == {"drinks.md", "green.md", "hint.md", "new.md", "own.md"}


def test_a_note_that_plain_git_has_renamed_in_a_branch_from_before_the_fork_is_followed(
    shared: Shared, plain: Plain
) -> None:
    shared.send("laptop", set_note("own", "Mine.\n"))
    git(plain.root, "mv", "tea.md", "green.md")
    plain.commit({})
    plain.pull("merge")
    shared.edit("laptop", set_note("own", "Mine, too.\n"))  # on a commit before the merge
    shared.sync("laptop")
    shared.send("laptop", append("green", "\nSteep it.\n"))
    shared.send("plain", rename("green", "matcha"))
    shared.sync("laptop")
    notes = shared.notes("laptop")
    assert notes["matcha.md"].startswith("Green tea, at 75 °C.\n")
    assert "Steep it." in notes["matcha.md"]
    assert notes["hint.md"] == "I like [[matcha]].\n\nMore.\n"
    assert notes.keys() == {"drinks.md", "hint.md", "matcha.md", "own.md"}


def test_a_note_that_is_newer_than_another_branch_is_followed_into_the_note_that_it_was_merged_into(
    shared: Shared, plain: Plain
) -> None:
    shared.edit("desktop", set_note("desk", "At my desk.\n"))
    shared.send("laptop", set_note("oat", "Oat milk.\n"))
    plain.pull("merge")
    shared.edit("plain", set_note("new", "See [[oat]].\n"))
    shared.send("laptop", rename("oat", "drinks"))
    shared.sync("desktop")  # its branch begins before there was the note
    plain.pull("merge")
    shared.sync("laptop")
    assert shared.notes("laptop")["new.md"] == "See [[drinks]].\n"


def test_links_that_plain_git_brings_into_the_new_note_that_their_note_was_merged_into_are_followed(
    shared: Shared, plain: Plain
) -> None:
    """git takes the new note, which has the text of the merged one, for the renamed note, and puts the line there."""
    shared.send("laptop", append("tea", "\nMore of [[tea]] and [[drinks]].\n"))
    shared.edit(
        "plain",
        rename("drinks", "water"),
        set_note("drinks", "See [[water]] and [[tea]].\n"),
        set_note("new", "Hot.\n"),
        rename("tea", "new"),
    )
    plain.pull("merge")
    shared.sync("laptop")
    assert shared.notes("laptop") == {
        "drinks.md": "See [[water]] and [[new]].\n",
        "hint.md": "I like [[new]].\n\nMore.\n",
        "new.md": f"Hot.\n\n---\n\n{NOTES['tea.md']}\nMore of [[new]] and [[water]].\n",
        "water.md": "Water.\n",
    }


@pytest.mark.parametrize("way", WAYS)
def test_a_repaired_link_is_no_change_of_its_line(shared: Shared, plain: Plain, way: str) -> None:
    """The base of the merge has the former name: one machine has repaired the link, the other one changed the line."""
    bring_links(shared, plain, way)
    git(shared.root("desktop"), "pull", "-q", "--ff-only", "origin", "main")
    shared.sync("laptop")
    shared.edit("desktop", put("hint.md", "I like [[green]].\n\nMuch more of [[tea|it]].\n"))
    git(shared.root("desktop"), "mv", "new.md", "news.md")
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert notes["hint.md"] == "I like [[green]].\n\nMuch more of [[green|it]].\n"
    assert notes["news.md"] == brought("green")["new.md"]


def test_a_repaired_link_is_no_change_of_its_line_in_a_note_that_was_merged(shared: Shared, plain: Plain) -> None:
    git(plain.root, "mv", "tea.md", "green.md")
    plain.commit({})
    plain.pull("merge")
    shared.sync("laptop")
    shared.send("laptop", rename("hint", "drinks"))
    plain.commit({"hint.md": "I love [[drinks]].\n\nMore.\n", "own.md": "Mine.\n"})
    git(plain.root, "push", "-q", "origin", "HEAD:plain")
    git(shared.root("desktop"), "fetch", "-q", "origin", "plain")
    git(shared.root("desktop"), "reset", "-q", "--hard", "FETCH_HEAD")
    shared.sync("desktop")
    assert shared.notes("desktop")["drinks.md"] == "Water.\n\n---\n\nI love [[drinks]].\n\nMore.\n"


@pytest.mark.parametrize(("moves", "way"), [("extract", "merge"), ("merge", "rebase")])
def test_a_link_that_one_machine_repairs_and_another_moves_to_another_note_is_repaired(
    shared: Shared, plain: Plain, way: str, moves: str
) -> None:
    bring_links(shared, plain, way)
    git(shared.root("desktop"), "pull", "-q", "--ff-only", "origin", "main")
    shared.sync("laptop")
    is_extracted = moves == "extract"
    shared.edit("desktop", extract("hint", "More of [[tea|it]].", "more") if is_extracted else rename("hint", "drinks"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert "More of [[green|it]]." in notes["more.md" if is_extracted else "drinks.md"]
    assert not any("[[tea" in text or "[!conflict]" in text for text in notes.values())


ARCHIVED = (rename("tea", "old"), rename("drinks", "tea"))
SWAPPED = (rename("tea", "other"), rename("drinks", "tea"), rename("other", "drinks"))


@pytest.mark.parametrize(("edits", "name"), [(ARCHIVED, "old"), (SWAPPED, "drinks")], ids=["archived", "swapped"])
def test_a_note_that_plain_git_took_for_the_one_whose_name_it_got_is_followed(
    shared: Shared, plain: Plain, edits: Sequence[Edit], name: str
) -> None:
    """git puts the note that one branch named "tea" where the other branch has moved the former "tea"."""
    shared.send("desktop", *edits, set_note("here", "See [[tea]].\n"))
    git(plain.root, "mv", "tea.md", "green.md")
    plain.commit({"there.md": "See [[green]].\n"})
    plain.pull("merge")
    shared.send("laptop", set_note("new", "See [[tea]] and [[drinks]].\n"), append("drinks", "\nJuice.\n"))
    assert shared.notes("laptop") == {
        "green.md": "Water.\n\nJuice.\n",
        "here.md": "See [[green]].\n",
        "hint.md": f"I like [[{name}]].\n\nMore.\n",
        "new.md": f"See [[{name}]] and [[green]].\n",
        f"{name}.md": "Green tea, at 75 °C.\n",
        "there.md": f"See [[{name}]].\n",
    }


@pytest.mark.parametrize("renames", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_notes_that_one_branch_of_a_plain_merge_has_swapped_are_followed(
    shared: Shared, plain: Plain, again: bool, renames: bool
) -> None:
    """Their paths have files in both branches and in the merge. A second swap brings the first paths back."""
    for _ in range(1 + again):
        plain.pull("merge")
        shared.send("laptop", *SWAPPED)
    plain.commit({"new.md": "See [[tea]] and [[drinks]].\n"})  # on top of the commit before the last swap
    plain.pull("merge")
    if renames:
        git(plain.root, "mv", "drinks.md", "green.md")
        plain.commit({})
        git(plain.root, "push", "-q", "origin", "HEAD:main")
    shared.sync("laptop")
    notes, name = shared.notes("laptop"), "green" if renames else "drinks"
    assert notes["new.md"] == f"See [[{name}]] and [[tea]].\n"
    assert notes[f"{name}.md"] == NOTES["drinks.md" if again else "tea.md"]
    assert notes["hint.md"] == f"I like [[{'tea' if again else name}]].\n\nMore.\n"
    assert len(notes) == len(NOTES) + 1


def test_notes_that_swapped_their_names_before_the_fork_and_are_renamed_in_a_branch_are_followed(
    shared: Shared, plain: Plain
) -> None:
    shared.send("laptop", *SWAPPED)
    git(plain.root, "pull", "-q")
    shared.send("laptop", rename("tea", "river"), rename("drinks", "green"))
    plain.commit({"own.md": "Mine.\n"})
    plain.pull("merge")
    shared.edit("desktop", put("new.md", "As [[tea]] and [[drinks]] say.\n"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert (notes["green.md"], notes["river.md"]) == (NOTES["tea.md"], NOTES["drinks.md"])
    assert notes["new.md"] == "As [[green]] and [[river]] say.\n"


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_a_link_of_one_branch_is_not_taken_for_one_that_the_writer_of_the_other_has_made(
    tmp_path: Path, is_by_hand: bool
) -> None:
    shared = Shared(tmp_path, {**NOTES, "list.md": "one\n\ntwo\n\nthree\n"})
    plain = Plain(shared)
    if is_by_hand:
        shared.send("desktop", move("tea.md", "old.md"), move("drinks.md", "tea.md"))
    shared.send("desktop", *(() if is_by_hand else ARCHIVED), append("list", "See [[tea]].\n"))
    git(plain.root, "mv", "tea.md", "green.md")  # git moves the new "tea" of the other branch, too
    plain.commit({"list.md": "uno\n\ntwo\n\nthree\n"})
    plain.pull("merge")
    shared.sync("laptop")
    assert shared.notes("laptop")["list.md"] == "uno\n\ntwo\n\nthree\n\nSee [[green]].\n"
    assert shared.notes("laptop")["green.md"] == "Water.\n"


def test_a_missing_name_that_a_machine_writes_again_stays_when_another_machine_changes_the_first_link(
    shared: Shared,
) -> None:
    shared.edit("laptop", set_note("plan", "Write [[mate]].\n\nSoon.\n"))
    shared.sync("laptop", "desktop")
    shared.edit("laptop", replace("plan", "[[mate]]", "[[tea]]"))
    shared.edit("desktop", append("plan", "And [[mate]] again.\n"), rename("hint", "tip"))
    shared.sync("laptop", "desktop")
    assert shared.notes("desktop")["plan.md"] == "Write [[tea]].\n\nSoon.\n\nAnd [[mate]] again.\n"


def test_rebased_merges_and_extractions_are_followed_into_a_renamed_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drinks = {"drinks.md": "Water.\n\n## Kinds\n\nStill.\n\n## Use\n\nDaily.\n"}
    shared = Shared(tmp_path, {**NOTES, **drinks})
    shared.edit("desktop", rename("tea", "drinks"), extract("drinks", "## Kinds\n\nStill.\n", "kinds"))
    shared.send("laptop", rename("drinks", "water"), set_note("early", "See [[tea]].\n"))
    pull_later(shared, "desktop", monkeypatch)
    shared.send("laptop", set_note("late", "See [[tea]], [[water#Kinds]] and [[water#Use]].\n"))
    notes = shared.notes("laptop")
    assert notes["hint.md"] == "I like [[water]].\n\nMore.\n"
    assert notes["early.md"] == "See [[water]].\n"
    assert notes["late.md"] == "See [[water]], [[kinds#Kinds]] and [[water#Use]].\n"


def test_links_to_a_part_that_a_rebased_extraction_has_moved_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Shared(tmp_path, {**NOTES, "drinks.md": "Water.\n\n## Kinds\n\nStill.\n\n## Use\n\nDaily.\n"})
    shared.edit("desktop", extract("drinks", "## Kinds\n\nStill.\n", "kinds"))
    shared.send("laptop", set_note("new", "See [[drinks#Kinds]], [[drinks#Use]] and [[drinks]].\n"))
    pull_later(shared, "desktop", monkeypatch)
    shared.sync("laptop")
    assert shared.notes("laptop")["new.md"] == "See [[kinds#Kinds]], [[drinks#Use]] and [[drinks]].\n"


@pytest.mark.parametrize(("repairs", "way"), [("laptop", "merge"), ("desktop", "rebase")])
def test_a_link_that_a_tool_has_extracted_before_it_was_repaired_leads_to_the_renamed_note(
    shared: Shared, plain: Plain, way: str, repairs: str
) -> None:
    plain.commit(BROUGHT)
    if repairs == "desktop":
        shared.sync("desktop")  # now it knows a commit whose links are right
    shared.send("laptop", rename("tea", "green"))
    plain.pull(way)
    git(shared.root("desktop"), "pull", "-q", "--ff-only", "origin", "main")
    if repairs == "laptop":
        shared.sync("laptop")
    shared.edit("desktop", extract("hint", "More of [[tea|it]].", "more"))
    shared.sync("desktop", "laptop")
    notes = shared.notes("laptop")
    assert notes["hint.md"] == "I like [[green]].\n\n[[more]]\n"
    assert notes["more.md"] == "More of [[green|it]].\n"


@pytest.mark.parametrize("way", ["merged", "extracted", "merged into a note with the link"])
def test_a_repaired_link_stays_repaired_where_another_machine_has_put_its_line(shared: Shared, way: str) -> None:
    shared.edit(
        "laptop",
        set_note("plan", "Soon.\n\nWrite [[mate]].\n\nEnd.\n"),
        set_note("list", "A list.\n" if way != "merged into a note with the link" else "Of [[mate]].\n"),
    )
    shared.sync("laptop", "desktop")
    shared.edit("laptop", replace("plan", "[[mate]]", "[[tea]]"))
    shared.edit("desktop", extract("plan", "Write [[mate]].", "new") if way == "extracted" else rename("plan", "list"))
    shared.sync("laptop", "desktop")
    notes = shared.notes("desktop")
    if way == "extracted":
        assert (notes["plan.md"], notes["new.md"]) == ("Soon.\n\n[[new]]\n\nEnd.\n", "Write [[tea]].\n")
    else:
        own = "A list." if way == "merged" else "Of [[mate]]."
        assert notes["list.md"] == f"{own}\n\n---\n\nSoon.\n\nWrite [[tea]].\n\nEnd.\n"


STALE: dict[str, dict[str, str]] = {
    "edited": {"hint.md": "I like [[tea]].\n\nMore.\n\nStill more.\n"},
    "moved to a new note": {"hint.md": "More.\n", "new.md": "I like [[tea]].\n"},
}


@pytest.mark.parametrize("deletes", [False, True], ids=["kept", "deleted"])
@pytest.mark.parametrize("text", STALE)
def test_a_link_that_another_machine_has_repaired_is_repaired_where_its_line_is_now(
    shared: Shared, plain: Plain, text: str, deletes: bool
) -> None:
    """The base of the merge has the former name. The side that repaired the link has no version of the line."""
    shared.edit("laptop", set_note("own", "Mine.\n"))
    git(plain.root, "mv", "tea.md", "green.md")
    plain.commit({})
    git(plain.root, "push", "-q", "origin", "HEAD:main")
    shared.sync("laptop")
    assert shared.notes("laptop")["hint.md"] == "I like [[green]].\n\nMore.\n"
    if deletes:
        shared.send("laptop", delete("hint"))
    plain.commit(STALE[text])
    shared.sync("plain")
    repaired = {path: line.replace("[[tea]]", "[[green]]") for path, line in STALE[text].items()}
    notes = shared.notes("plain")
    assert {path: notes[path] for path in repaired} == repaired
    shared.sync("laptop")
    assert shared.notes("laptop") == notes


def test_links_that_plain_git_brings_lead_to_the_notes_that_have_swapped_names(shared: Shared, plain: Plain) -> None:
    plain.commit({"new.md": "See [[tea]] and [[drinks]].\n"})
    shared.send("laptop", *SWAPPED)
    plain.pull("merge")
    shared.send("desktop", put("tea.md", "Green tea, at 80 °C.\n"))
    assert shared.notes("desktop") == {
        "drinks.md": "Green tea, at 80 °C.\n",
        "hint.md": "I like [[drinks]].\n\nMore.\n",
        "new.md": "See [[drinks]] and [[tea]].\n",
        "tea.md": "Water.\n",
    }


def test_two_notes_that_swapped_their_names_before_a_plain_merge_are_two_notes(shared: Shared, plain: Plain) -> None:
    shared.send("desktop", put("tea.md", NOTES["drinks.md"]), put("drinks.md", NOTES["tea.md"]))
    plain.commit({"own.md": "Mine.\n"})
    plain.pull("merge")
    shared.send("plain", rename("tea", "hint"))
    shared.send("laptop", set_note("new", "See [[tea]] and [[drinks]].\n"))
    assert shared.notes("laptop") == {
        "drinks.md": NOTES["tea.md"],
        "hint.md": f"I like [[drinks]].\n\nMore.\n\n---\n\n{NOTES['drinks.md']}",
        "new.md": "See [[drinks]] and [[hint]].\n",
        "own.md": "Mine.\n",
    }


def test_a_moved_note_is_followed_through_a_plain_merge_although_a_new_one_has_its_path(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop", "phone"))
    plain = Plain(shared)
    shared.send("phone", rename("tea", "mate"))
    shared.send("laptop", rename("drinks", "mate"), set_note("drinks", "Juice.\n"))
    plain.commit({"new.md": "See [[tea]] and [[drinks]].\n"})
    plain.pull("merge")
    shared.sync("desktop")
    shared.send("laptop", rename("drinks", "juice"))
    shared.edit("plain", put("drinks.md", "Juice.\nOrange.\n"))
    shared.sync("desktop")
    notes = shared.notes("desktop")
    assert notes["new.md"] == "See [[mate]] and [[mate]].\n"
    assert notes["juice.md"] == "Juice.\n"
    assert "drinks.md" not in notes


def test_a_new_note_with_the_name_of_a_merged_one_is_followed_through_a_plain_merge(tmp_path: Path) -> None:
    shared = Shared(tmp_path, NOTES, ("laptop", "desktop"))
    plain = Plain(shared)
    shared.send("laptop", rename("tea", "drinks"), set_note("tea", "Black tea.\n"))
    shared.edit("desktop", append("tea", "Steep it.\n"))
    shared.sync("desktop", "laptop")
    plain.commit({"new.md": "Milk.\n"})
    plain.pull("merge")
    shared.send("laptop", move("tea.md", "black.md"))
    shared.send("desktop", set_note("later", "See [[tea]].\n"))
    assert shared.notes("desktop")["later.md"] == "See [[black]].\n"


def test_a_new_note_that_a_tool_renamed_before_the_commit_is_no_copy_of_the_moved_one(tmp_path: Path) -> None:
    text = "Another text.\nTwo.\nThree.\nFour.\n"
    shared = Shared(tmp_path, {**NOTES, "tea.md": "Green tea, at 75 °C.\n" * 9})
    plain, laptop = Plain(shared), shared.root("laptop")
    git(laptop, "mv", "tea.md", "mate.md")
    git(laptop, "commit", "-qm", "plain")
    with Memory(str(laptop), git=False) as memory:
        memory.write("/tea", text)
        memory.rename("/tea", "salt")
    shared.sync("laptop", "desktop")
    git(plain.root, "pull", "-q", "origin", "main")
    plain.commit({"new.md": "See [[salt]].\n", "salt.md": text + "By plain.\n"})
    shared.send("laptop", rename("salt", "pepper"))
    plain.pull("merge")
    shared.edit("desktop", append("salt", "Desk.\n"))
    notes = shared.meet()
    assert "Desk.\n" in notes["pepper.md"]
    assert "salt.md" not in notes
