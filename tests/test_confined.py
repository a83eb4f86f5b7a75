"""A caller that is confined to a folder reads nothing and changes nothing outside of it."""

import functools
import inspect
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.inner import replace_rights
from tests.tools.vaults import read, write
from zkmem.caller import Grant
from zkmem.edit.preview import Preview
from zkmem.errors import AmbiguousName, BadName, Forbidden, NoGitHistory, NoVersion, UnknownFile, UnknownNote, ZkError
from zkmem.hooks.answers import HookParts
from zkmem.memory import Memory

SECRET = "xyzzy"  # stands in every text outside of the folder, and in no name that a note inside mentions

NOTES = {
    "topics/vue.md": "About [[react]] and [[plan]], see [[topics/deep/svelte]].\n\nA passage.\n",
    "topics/react.md": "Like [[vue]].\n",
    "topics/deep/svelte.md": "# One\n\nText.\n",
    "topics/twin.md": "The twin inside.\n",
    "plan.md": f"{SECRET} plan, links to [[topics/vue]] and [[only-out]].\n",
    "only-out.md": f"{SECRET} out.\n",
    "topics-not/vue2.md": f"{SECRET} beside [[topics/vue]].\n",
    "other/twin.md": f"{SECRET} twin\n",
    "other/long.md": f"{SECRET} long " + "word " * 400,
    "other/dup.md": f"{SECRET} one\n",
    "topics-not/dup.md": f"{SECRET} two\n",
    "topics/wide.md": "See [[long]] and [[deep/svelte]].\n" + "text " * 190,
}
OUTSIDE = [
    "dup",
    "plan",
    "only-out",
    "topics-not/vue2",
    "other/twin",
    "other/long",
    "/plan",
    "plan.md",
    "../topics/plan",
]
OF_THE_OWNER = {"close", "listen_to_proposed", "load", "load_names", "person", "proposes", "reads_only", "set_up",
                "start", "stop", "vault", "version", "wait_ready"}  # fmt: skip
"""What tells nothing of a note and changes none."""

DERIVES = {"on_behalf", "restricted"}
"""What makes another memory."""


def public(kind: type) -> list[str]:
    """The names of the public methods and properties of a class."""
    return [name for name in dir(kind) if not name.startswith("_")]


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


def confined(vault: str, folder: str = "topics", *, read_only: bool = False) -> Memory:
    return Memory(vault, durable=False).restricted(Grant(folder, read_only))


def outside(vault: str) -> dict[str, bytes]:
    """Every file of the vault that is not below the folder, the state and the trash aside."""
    return {
        path: (Path(folder) / file).read_bytes()
        for folder, folders, files in os.walk(vault)
        for file in files
        if not (path := os.path.relpath(os.path.join(folder, file), vault)).startswith(
            ("topics/", ".zkmem/", ".trash/")
        )
    }


class Asked(Exception):
    """The rights of the caller were asked for."""


class Asking:
    """Rights that raise `Asked` whatever is asked of them."""

    def __getattr__(self, name: str) -> object:
        raise Asked(name)


@pytest.mark.parametrize("name", sorted(set(public(Memory)) - OF_THE_OWNER - DERIVES))
def test_every_method_of_the_door_asks_for_the_rights_of_its_caller_before_it_changes_anything(
    vault: str, name: str
) -> None:
    memory, before = Memory(vault, durable=False), read(vault)
    replace_rights(memory, Asking())
    wanted = [
        {
            "work": lambda _: None,
            "works": [lambda _: None],
            "listener": lambda _: None,
            "names": [],
            "shown": [],
            "rev": "1",
            "properties": {"x": 1},
            "files": {},
            "data": b"",
            "parts": HookParts(),
            "how": "append",
            "edit": 1,
            "start": 0,
            "change": str,
            "lines": [],
            "edits": [],
            "paths": ["vue"],
            "preview": Preview("undone", [], []),
        }.get(one.name, "vue")
        for one in inspect.signature(getattr(Memory, name)).parameters.values()
        if one.default is one.empty and one.name != "self"
    ]
    if name in {"set_properties", "preview_properties"}:  # names or a filter are needed
        wanted.append(["vue"])
    with pytest.raises(Asked):
        getattr(memory, name)(*wanted)
    assert read(vault) == before


def test_only_known_methods_make_another_memory() -> None:
    methods = set(public(Memory)) - OF_THE_OWNER
    deriving = {
        name for name in methods if re.search("Memory|Self", str(getattr(Memory, name).__annotations__["return"]))
    }
    assert deriving == DERIVES


FOLDERS = st.sampled_from(["", "topics", "topics/deep", "topics-not", "other", "topics/de", "Topics"])
GRANTS = st.builds(Grant, FOLDERS, st.booleans())


@pytest.fixture(scope="module")
def reached_by(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Grant], tuple[Memory, set[str]]]:
    """Return a function that makes a memory with one grant, and tells what it reaches; nobody edits its vault."""
    whole = Memory(write(tmp_path_factory.mktemp("v") / "vault", NOTES))

    @functools.cache
    def made(grant: Grant) -> tuple[Memory, set[str]]:
        memory = whole.restricted(grant)
        return memory, reached(memory)

    return made


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(GRANTS, min_size=1, max_size=4))
def test_no_memory_gives_more_than_the_one_it_was_made_from(
    reached_by: Callable[[Grant], tuple[Memory, set[str]]], grants: list[Grant]
) -> None:
    memory, names = reached_by(Grant())
    for grant in grants:
        may_write, (_, alone) = can_write(memory), reached_by(grant)
        try:
            memory = memory.restricted(grant).on_behalf(tool="set_content", client="x")
        except Forbidden:
            assert names.isdisjoint(alone), "refused though it has a part"
            continue
        before, names = names, reached(memory)
        assert names <= before & alone
        assert can_write(memory) <= (may_write and not grant.read_only)


def reached(memory: Memory) -> set[str]:
    """The notes that a caller gets: those whose text it may read, and those whose names it may complete."""
    names, _ = memory.complete("")
    texts = set()
    for path in NOTES:
        with suppress(ZkError):
            texts.add(memory.read("/" + path).name)
    assert texts == {name.removeprefix("/") for name in names}
    return texts


def can_write(memory: Memory) -> bool:
    """Whether the caller may change notes."""
    try:
        memory.undo()
    except Forbidden:
        return False
    except ZkError:  # there is nothing to take back
        return True
    return True


def test_notes_of_the_folder_are_read_and_written_as_ever(vault: str) -> None:
    memory = confined(vault)
    assert memory.read("vue").name == "topics/vue"
    assert memory.read("twin").text == "The twin inside.\n", "outside, there is another of that name"
    assert memory.write("topics/new", "New [[vue]].\n").outcome == "created"
    assert memory.write("react", "more\n", append=True).name == "topics/react"
    assert memory.rename("topics/react", "topics/deep/reactive").relinked == ["topics/vue"]
    assert memory.extract("svelte", "Text.", "topics/part").note.name == "topics/part"
    assert memory.delete("topics/new").trash == ".trash/new.md"
    assert len(memory.undo(5).edits) == 5
    assert memory.read("topics/vue").text == NOTES["topics/vue.md"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_note_outside_is_unknown_and_cannot_be_changed(vault: str, name: str) -> None:
    memory, before = confined(vault), outside(vault)
    path = name if "/" in name else f"/{name}"  # a new name without a folder stays in that of its note
    calls: list[Callable[[], Any]] = [
        lambda: memory.read(name),
        lambda: memory.read(name, 2, bounded=False),
        lambda: memory.page(name, 2),
        lambda: memory.read_file(name),
        lambda: memory.delete(name),
        lambda: memory.save(name, "gone", None),
        lambda: memory.save(name, "gone", "0" * 12),
        lambda: memory.preview_rename(name, "topics/stolen"),
        lambda: memory.preview_rename("vue", path),
        lambda: memory.preview_extract("vue", "A passage.", path),
        lambda: memory.rename(name, "topics/stolen"),
        lambda: memory.rename("vue", path),
        lambda: memory.extract(name, f"{SECRET}", "topics/stolen"),
        lambda: memory.extract("vue", "A passage.", path),
        lambda: memory.write(name, "gone"),
        lambda: memory.write(name, "more", append=True),
        lambda: memory.write(name, "gone", old=SECRET),
        lambda: memory.log(name),
        lambda: memory.show(name, "1"),
        lambda: memory.read_earlier(name, "2999-12-31"),
        lambda: memory.page_earlier(name, "2999-12-31"),
        lambda: memory.diff(name, "1"),
        lambda: memory.restore(name, "1"),
    ]
    for call in calls:
        with pytest.raises((Forbidden, UnknownNote, UnknownFile, BadName)) as refusal:
            call()
        assert SECRET not in str(refusal.value)
        assert not hasattr(refusal.value, "etag")
    assert outside(vault) == before
    assert not os.path.exists(os.path.join(vault, "topics/stolen.md"))


def test_what_is_told_names_no_note_outside_that_the_caller_has_not_named(vault: str) -> None:
    memory = confined(vault)
    memory.load()
    note = memory.read("vue", 3)
    assert SECRET not in note.text
    assert "[[plan]]" in note.text, "a link that leads out stays a link"
    assert note.linked_from == ["topics/react"], "not plan, not topics-not/vue2"
    told = [
        memory.hints(100), memory.suggestions(9e9, 100), memory.check(), memory.complete(""), memory.counts(),
        memory.page("vue", 3), memory.page("vue", 3).html(), memory.graph(),
        memory.search(f"{SECRET} vue text twin", limit=100), memory.search("twin wide", near="vue", linked=99).linked,
        memory.delete("topics/vue"), memory.log(limit=100),
    ]  # fmt: skip
    for one in told:
        assert not any(word in repr(one) for word in (SECRET, "only-out", "topics-not", "other/")), one
    assert memory.counts() == (4, 3)
    with pytest.raises(UnknownNote) as refusal:
        memory.read("only-ou")
    assert "only-out" not in str(refusal.value)


def test_a_deletion_tells_what_becomes_of_links_between_notes_of_the_folder_alone(vault: str) -> None:
    write(vault, {"topics/z/own.md": "", "topics/asks.md": "[[own]] [[twin]]\n", "outside.md": "[[own]] [[react]]\n"})
    write(vault, {"topics/y/own.md": "", "outside/deep/twin.md": ""})
    whole = Memory(vault, durable=False)
    memory = whole.restricted(Grant("topics"))
    whole.load()
    assert memory.delete("topics/y/own").repointed == {"topics/asks": "topics/z/own"}, "not outside, which is, too"
    assert memory.delete("topics/twin").repointed == {}, "asks means other/twin now"
    assert memory.delete("topics/react").dangling == ["topics/vue"], "not outside"


def test_a_link_that_leads_out_tells_no_more_than_is_written(vault: str) -> None:
    memory = Memory(vault, max_chars=1_000).restricted(Grant("topics"))
    memory.load()
    assert memory.read("wide", 1).left == ["topics/deep/svelte"], "and not other/long, which the bound left out as well"
    page = memory.page("wide", 0)
    assert [(one.target, one.name) for one in page.links] == [
        ("long", None),
        ("topics/deep/svelte", "topics/deep/svelte"),
    ]
    assert 'class="note missing" data-note="long"' in page.html()
    assert "other/" not in page.html()


def test_a_guessed_link_is_not_widened_to_the_path_of_a_note_outside(vault: str) -> None:
    caller = Memory(vault).restricted(Grant("topics"))
    text = caller.read("wide").text  # with [[long]], which means other/long
    for edit in (
        lambda: caller.write("topics/long", "mine"),
        lambda: caller.rename("react", "topics/long"),
        lambda: caller.extract("vue", "A passage.", "topics/long"),
        lambda: caller.preview_rename("react", "topics/long"),
    ):
        with pytest.raises(ZkError, match=r"\[\[long\]\] of 'topics/wide' leads out of the folder") as raised:
            edit()
        assert "other/" not in str(raised.value)
    assert caller.read("wide").text == text
    Memory(vault).write("topics/path", "[[other/long]] [m](../other/long.md)\n")
    caller.rename("topics/path", "topics/deep/path")  # it has written the whole path itself
    assert caller.read("topics/deep/path").text == "[[other/long]] [m](../../other/long.md)\n"


def test_an_edit_that_would_rewrite_notes_outside_is_refused(vault: str) -> None:
    memory, before = confined(vault), outside(vault)
    with pytest.raises(Forbidden, match="outside of the folder 'topics'"):
        memory.rename("topics/vue", "topics/vue3")  # plan links to it
    assert outside(vault) == before
    assert os.path.exists(os.path.join(vault, "topics/vue.md"))


NEW_NAMES = [
    "dup", "plan", "plan.md", "only-out", "vue2", "twin", "Twin", "react", "[[react]]", "svelte", "mine", "MINE", "/",
    "deep/", "/plan", "other/twin", "other/", "topics/", "topics/dup", "/topics/new", "topics-not/new", "Topics/react",
    "a:b", "",
]  # fmt: skip


@pytest.mark.parametrize("new_name", NEW_NAMES)
def test_a_new_name_means_what_it_means_in_a_vault_with_the_folder_alone(
    vault: str, tmp_path: Path, new_name: str
) -> None:
    own = {path: text for path, text in NOTES.items() if path.startswith("topics/")}
    more = {"topics/x/twin.md": "Another one.\n", "topics/mine.md": "Mine. A passage.\n"}  # no other note links there
    alone = write(tmp_path / "alone", own | more)
    write(vault, more)
    calls: list[Callable[[Memory], Any]] = [
        lambda memory: memory.preview_rename("mine", new_name, merge=True).outcome,
        lambda memory: memory.preview_extract("mine", "A passage.", new_name).outcome,
        lambda memory: [*memory.extract("mine", "A passage.", new_name).note[:3], sorted(read(memory.vault))],
        lambda memory: [*memory.rename("mine", new_name, merge=True)[:3], sorted(read(memory.vault))],
    ]

    def answers(root: str) -> list[Any]:
        memory, told = confined(root), []
        for call in calls:
            try:
                answer = call(memory)
                told.append([path for path in answer[3] if path.startswith("topics/")] if answer[3:] else answer)
            except ZkError as error:
                told.append(str(error))
        return told

    before = outside(vault)
    assert answers(vault) == answers(alone)
    assert outside(vault) == before


@pytest.mark.parametrize(
    ("text", "new_name"),
    [
        ("a ` b [[topics/q]]\n", "topics/q`"),
        ('---\nof: "[[topics/q|\\u0078yzzy]]"\n---\n', "topics/r"),
    ],
)
def test_a_refusal_says_nothing_of_a_note_outside_whose_link_cannot_be_rewritten(
    vault: str, text: str, new_name: str
) -> None:
    write(vault, {"topics/q.md": "Q.\n", "diary.md": text})
    memory = confined(vault)
    for call in (memory.rename, memory.preview_rename):
        with pytest.raises(Forbidden) as refusal:
            call("topics/q", new_name)
        assert "diary" not in str(refusal.value)
        assert SECRET not in str(refusal.value)


def test_findings_propose_and_compare_no_notes_outside(vault: str) -> None:
    write(
        vault,
        {
            "topics/asks.md": "[[Nick]], [[twice]], [[mine]]\n",
            "topics/deep/mine.md": "",
            "topics/other/mine.md": "",
            "hidden/alias.md": f"---\naliases: [Nick]\n---\n{SECRET}\n",
            "hidden/twice.md": "",
            "hidden/deep/twice.md": "",
            "hidden/mine.md": "",
            "hidden/key.md": "ghp_" + "Zq7Lw2Nx9Rt4" * 3,
        },
    )
    every = confined(vault).check()
    assert "secret" in {one.kind for one in Memory(vault).check()} - {one.kind for one in every}
    found = [(one.kind, one.detail) for one in every if one.note == "topics/asks"]
    assert found == [
        ("ambiguous", "[[mine]] means topics/deep/mine, not topics/other/mine"),
        ("missing", "[[Nick]]"),
    ]


def test_headings_outside_are_neither_missing_nor_there(vault: str) -> None:
    write(vault, {"topics/asks.md": "[[hidden/x#None]] [[hidden/x#Secret]] [[topics/vue#None]]\n",
                  "hidden/x.md": "# Secret\n"})  # fmt: skip
    found = [(one.kind, one.detail) for one in confined(vault).check() if one.note == "topics/asks"]
    assert found == [("missing-heading", "[[topics/vue#None]]")]


def test_backlinks_from_outside_are_not_counted(vault: str) -> None:
    memory = confined(vault)
    memory.load()
    assert [one.backlinks for one in memory.hints() if one.name == "topics/vue"] == [1], "from react alone"


@pytest.mark.parametrize("git", [False, True])
def test_what_a_note_said_before_it_came_into_the_folder_is_not_told(vault: str, git: bool) -> None:
    if git:
        subprocess.run(["git", "-C", vault, "init", "-q"], check=True)
    whole = Memory(vault, durable=False, git=git)
    whole.write("draft", f"{SECRET} draft\n")
    whole.write("draft", "Fit to be seen.\n")
    whole.rename("draft", "topics/draft")
    revs = [one.rev for one in whole.log("topics/draft")]
    assert len(revs) == 3
    memory = whole.restricted(Grant("topics"))
    assert memory.show("topics/draft", revs[0]) == "Fit to be seen.\n"
    for rev in (*revs[1:], "1", "2"):
        for call in (memory.show, memory.diff, memory.restore):
            with pytest.raises(NoVersion) as refusal:
                call("topics/draft", rev)
            assert SECRET not in str(refusal.value)
    with pytest.raises(NoVersion):
        memory.diff("topics/draft")
    assert SECRET in whole.show("topics/draft", revs[2])
    whole.close()


def undone_outside(whole: Memory) -> str:
    """Move a note out of the folder, write a secret into it and undo both as one edit; return the secret's etag."""
    whole.rename("topics/twin", "/draft")
    etag = whole.write("draft", f"{SECRET} draft\n").etag
    whole.undo(2)
    return etag


def undone_from_trash(whole: Memory) -> str:
    """As `undone_outside`; the note was also deleted."""
    whole.rename("topics/twin", "/draft")
    etag = whole.write("draft", f"{SECRET} draft\n").etag
    whole.delete("draft")
    whole.undo(3)
    return etag


def moved_in_with_a_link(whole: Memory) -> str:
    """Move a note into the folder whose relative link is rewritten by that; return the etag of its text before."""
    whole.delete("topics/twin")
    whole.write("other/place", "There.\n")
    etag = whole.write("other/draft", f"{SECRET} [there](place.md)\n").etag
    whole.rename("other/draft", "topics/twin")
    whole.write("topics/twin", "Fit to be seen.\n")
    whole.undo()
    return etag


@pytest.mark.parametrize("scene", [undone_outside, undone_from_trash, moved_in_with_a_link])
def test_what_a_note_said_before_an_edit_that_both_moved_it_in_and_rewrote_it_is_not_told(
    vault: str, scene: Callable[[Memory], str]
) -> None:
    whole = Memory(vault, durable=False)
    etag = scene(whole)
    assert SECRET in whole.show("topics/twin", etag)
    memory = whole.restricted(Grant("topics"))
    now = memory.read("topics/twin").text
    told = []
    revs = [etag, *map(str, range(1, 8))]
    numbers = range(1, 8)
    calls: list[Callable[[], object]] = [
        lambda: memory.diff("topics/twin"),
        lambda: memory.why("topics/twin"),
        *(lambda rev=rev: memory.show("topics/twin", rev) for rev in revs),
        *(lambda rev=rev: memory.diff("topics/twin", rev) for rev in revs),
        *(lambda number=number: memory.change(None, number, first=1) for number in numbers),
        *(lambda number=number: memory.preview_redo(edit=number) for number in numbers),
        *(lambda number=number: memory.preview_undo(edit=number) for number in numbers),
        *(lambda number=number: memory.previewed_notes(memory.preview_undo(edit=number)) for number in numbers),
        lambda: memory.restore("topics/twin", etag),
    ]
    for call in calls:
        with suppress(ZkError):
            told.append(repr(call()))
    assert not any("draft" in one for one in told)
    assert scene is moved_in_with_a_link or not any(SECRET in one for one in told)
    assert not any("(place.md)" in one for one in told)
    assert memory.read("topics/twin").text == now
    whole.close()


def test_expanded_text_is_no_oracle_for_texts_outside(vault: str) -> None:
    whole = Memory(vault, durable=False).read("topics/vue", 1).text
    assert SECRET in whole
    with pytest.raises(ZkError):
        confined(vault).write("topics/vue", whole)
    assert "start" not in (Path(vault) / "topics/vue.md").read_text("utf-8")


@pytest.mark.parametrize("git", [False, True])
def test_the_past_outside_is_hidden_and_cannot_be_undone(vault: str, git: bool) -> None:
    if git:
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"],
        ):
            subprocess.run(["git", "-C", vault, *command], check=True)
    whole = Memory(vault, durable=False, git=git)
    etag = whole.read("plan").etag
    whole.write("plan", f"{SECRET} again\n")
    memory = whole.restricted(Grant("topics"))
    memory.write("topics/react", "Mine.\n")
    whole.write("only-out", f"{SECRET} third\n")
    assert [one.what for one in memory.log(limit=50)] == ["edit topics/react"]
    for rev in (etag, "1", "3", "HEAD:plan.md", "HEAD:./plan.md"):
        with pytest.raises((NoVersion, UnknownNote)):
            memory.show("topics/vue", rev)
        with pytest.raises((NoVersion, UnknownNote)):
            memory.restore("topics/vue", rev)
        with pytest.raises(UnknownNote):
            memory.show("plan", rev)
    assert memory.undo(1).notes == ["topics/react"], "not the last edit of the vault, which is outside"
    with pytest.raises(ZkError):
        memory.undo(1)
    assert (Path(vault) / "plan.md").read_text("utf-8") == f"{SECRET} again\n"
    whole.close()


SEARCHES = ["HEAD^{/plan}", "HEAD^{/nothing}", ":/plan", "HEAD@{0}", "HEAD~1^{/plan}", "HEAD^{tree}", "HEAD:plan.md"]


@pytest.mark.parametrize("method", ["show", "diff", "restore"])
def test_a_revision_cannot_search_the_messages_of_commits(vault: str, method: str) -> None:
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "plan"],
    ):
        subprocess.run(["git", "-C", vault, *command], check=True)
    whole = Memory(vault, durable=False, git=True)
    whole.write("topics/react", "Mine.\n")
    memory = whole.restricted(Grant("topics"))
    for caller, refused in ((whole, SEARCHES), (memory, [*SEARCHES, "HEAD", "HEAD~1", "main"])):
        for rev in refused:
            with pytest.raises(NoVersion, match="is no revision: give a number or commit from the log"):
                getattr(caller, method)("topics/vue", rev)
    told = subprocess.run(["git", "-C", vault, "rev-parse", "HEAD~1"], check=True, capture_output=True, text=True)
    for caller, rev in ((memory, told.stdout[:30]), (memory, told.stdout.strip()), (whole, "HEAD~1"), (whole, "HEAD^")):
        assert getattr(caller, method)("topics/react", rev)
    whole.close()


@pytest.mark.parametrize("method", ["show", "diff", "restore"])
@pytest.mark.parametrize("name", ["vue", "topics/vue", "Vue"])
def test_an_etag_from_outside_is_refused_as_one_that_nobody_has(vault: str, method: str, name: str) -> None:
    owner = Memory(vault, durable=False)
    etag = owner.write("plan", f"{SECRET} new plan\n").etag
    owner.write("plan", f"{SECRET} newer plan\n")
    refusals = []
    for rev in (etag, "0123456789ab"):
        with pytest.raises(NoVersion) as refusal:
            getattr(confined(vault), method)(name, rev)
        refusals.append(str(refusal.value).replace(rev, "REV"))
    assert refusals[0] == refusals[1]


def test_a_remark_about_git_names_no_file_of_another_edit(vault: str) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", vault, *command], check=True)
    whole = Memory(vault, durable=False, git=True)
    whole.load()
    Path(vault, "plan.md").write_text("by hand, and not committed\n")
    held = Path(vault, ".git/index.lock")
    held.touch()
    whole.write("plan", "by a tool, in the same lines\n")  # has to wait for its commit
    held.unlink()
    remarks = whole.restricted(Grant("topics")).write("topics/react", "Mine.\n").remarks
    assert remarks, "the commit of the other edit leaves something out"
    assert "plan" not in " ".join(remarks)
    whole.close()


def test_what_a_toolset_derives_from_all_notes_is_not_for_a_part(vault: str) -> None:
    with pytest.raises(Forbidden):
        confined(vault).look(lambda pages: pages.below(""))
    with pytest.raises(Forbidden):
        confined(vault).edit(lambda draft: draft.write("plan.md", {}, "gone"))


def test_a_reader_reads_all_and_changes_nothing(vault: str) -> None:
    memory = confined(vault, "", read_only=True)
    assert SECRET in memory.read("plan").text
    assert memory.look(lambda pages: len(pages.below(""))) == len(NOTES)
    calls: list[Callable[[], Any]] = [
        lambda: memory.write("new", "x"),
        lambda: memory.delete("plan"),
        lambda: memory.rename("plan", "plan2"),
        lambda: memory.extract("topics/vue", "A passage.", "x"),
        lambda: memory.restore("plan", "1"),
        memory.undo,
        memory.redo,
        lambda: memory.edit(lambda draft: draft.write("x.md", {}, "x")),
        lambda: memory.on_behalf(tool="x", client="y").write("new", "x"),
    ]
    for call in calls:
        with pytest.raises(Forbidden, match="reading only"):
            call()
    assert not os.path.exists(os.path.join(vault, ".zkmem")) or not os.listdir(os.path.join(vault, ".zkmem/versions"))


@pytest.mark.parametrize("grant", [Grant(), Grant(read_only=True), Grant("topics")])
@pytest.mark.parametrize("folder", ["topics", "/topics", "topics/"])
def test_a_folder_may_have_slashes_around_it(vault: str, grant: Grant, folder: str) -> None:
    memory = Memory(vault, durable=False).restricted(grant)
    assert memory.counts(folder=folder) == memory.counts(folder="topics")
    assert len(memory.complete("", folder=folder)[0]) == 5


def test_a_folder_outside_is_not_known(vault: str) -> None:
    whole, own = Memory(vault, durable=False), confined(vault, "topics/deep")
    for folder in ("topics", "Topics/DEEP/", "/"):
        assert whole.has_folder(folder)
        assert own.has_folder(folder)
    assert whole.has_folder("other")
    assert not own.has_folder("other")
    assert not whole.has_folder("nosuch")


def test_several_notes_of_one_name_inside_are_told_apart_by_those_alone(vault: str) -> None:
    (Path(vault) / "topics/deep/twin.md").write_text("second\n")
    with pytest.raises(AmbiguousName) as refusal:
        confined(vault).read("twin")
    assert "topics/deep/twin" in str(refusal.value)
    assert "other/twin" not in str(refusal.value)


def test_news_are_of_the_folder(vault: str) -> None:
    whole = Memory(vault, durable=False)
    told: list[str] = []
    whole.restricted(Grant("topics")).listen(told.extend)
    whole.write("plan", "1\n")
    whole.write("topics/vue", "2\n")
    assert told == ["topics/vue"]


CALLED = sorted(set(public(Memory)) - OF_THE_OWNER - DERIVES - {"listen", "look", "edit", "edit_each"})
WORDS = st.sampled_from(
    ["vue", "topics/vue", "plan", "twin", "other/twin", "topics", "/plan", "topics/../plan", "x", ".."]
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_is_called_nothing_outside_is_told_or_changed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    vault = write(tmp_path_factory.mktemp("v") / "vault", NOTES)
    memory, before = confined(vault), outside(vault)
    for name in data.draw(st.lists(st.sampled_from(CALLED), min_size=1, max_size=5)):
        shown = _answer(memory, name, lambda: data.draw(WORDS))
        assert SECRET not in shown, (name, shown)
    assert outside(vault) == before
    memory.close()


def _answer(memory: Memory, method: str, word: Callable[[], str], **more: Any) -> str:
    """Return what a caller gets from a method: its result, or its error."""
    try:
        result = getattr(memory, method)(*_arguments(method, word, more))
    except ZkError as error:
        return str(error)
    return repr(result) + (result.html() if method == "page" else "")


def _arguments(method: str, draw: Callable[[], str], more: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the arguments of a method; `draw` gives those that may be any text."""
    for one in inspect.signature(getattr(Memory, method)).parameters.values():
        if one.kind is one.POSITIONAL_OR_KEYWORD and one.name != "self":
            word = draw()
            known = {
                "edit": 1,
                "at": "2999-12-31",
                "edits": [1],
                "before": 9,
                "depth": 2,
                "count": 9,
                "offset": 0,
                "threshold": 9e9,
                "names": [word],
            }
            known |= {"properties": {"x": word}, "files": {f"{word}.md": b"x"}, "data": b"GIF89a", **more}
            yield known.get(one.name, word)


def _no_repository(vault: str) -> None:
    """Let the vault be in no repository."""


def _repository_that_is_not_allowed(vault: str) -> None:
    subprocess.run(["git", "init", "-q", vault], check=True)


def _repository_with_a_damaged_configuration(vault: str) -> None:
    subprocess.run(["git", "init", "-q", vault], check=True)
    Path(vault, ".git/config").write_text("[core\n")


@pytest.mark.parametrize(
    "damage", [_no_repository, _repository_that_is_not_allowed, _repository_with_a_damaged_configuration]
)
def test_what_git_says_is_told_only_to_a_caller_with_all_notes(vault: str, damage: Callable[[str], None]) -> None:
    damage(vault)
    whole = Memory(vault, durable=False, git=True, git_allowed="")
    whole.write("topics/vue", "new\n")
    with pytest.raises(NoGitHistory) as error:
        whole.read_earlier("topics/vue", "0123456789")
    memory = whole.restricted(Grant("topics"))
    for name in CALLED:
        for rev in ("2999-12-31", "1", "99", "0123456789"):
            shown = _answer(memory, name, lambda: "topics/vue", at=rev, rev=rev, other=rev)
            assert vault not in shown, (name, rev, shown)
            assert error.value.reason not in shown, (name, rev, shown)
    with pytest.raises(NoGitHistory, match=r"^git cannot read the history: zkmem's log on stderr says why\.$"):
        memory.read_earlier("topics/vue", "0123456789")
    whole.close()
