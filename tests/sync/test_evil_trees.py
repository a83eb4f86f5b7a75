"""A commit that a stranger pushes, with trees that no honest machine makes, stops neither edits, commits nor others."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.sync.edits import put
from tests.sync.evil import OTHER, SUB, Entry, attributes, link, push, push_billions, text
from tests.sync.machines import git
from tests.sync.shared import Shared
from tests.tools.vaults import read, write
from zkmem.errors import NotSynced
from zkmem.memory import Memory
from zkmem.sync.cloning import clone_vault

NOTES = {"a.md": "A\n", "d/b.md": "See [[a]].\n"}
MALFORMED = b'[submodule "x\n\tpath = = \x00\xff'
MODULES = '[submodule "../x"]\n\tpath = sub\n\turl = -u/x\n\tignore = bogus\n\tupdate = !false\n'
ENCODED = "working-tree-encoding"

REFUSED: dict[str, tuple[Mapping[str, Entry], str]] = {
    "an unknown encoding": (attributes(f"*.md {ENCODED}=BOGUS\n"), "'.gitattributes' has the rule"),
    "an encoding of no file here": (attributes(f"new* {ENCODED}=BOGUS\n*.md {ENCODED}=NO\n"), "every new note"),
    "an encoding without a name": (attributes(f"* {ENCODED}\n"), "'.gitattributes' has the rule"),
    "an encoding in a macro": (attributes(f"[attr]x {ENCODED}=UTF-16\n*.md x\n"), "'.gitattributes' has the rule"),
    "another encoding of all notes": (attributes(f"* {ENCODED}=UTF-16LE-BOM\n"), "'.gitattributes' has the rule"),
    "one in a folder": (attributes(f"*.md {ENCODED}=UTF-16\n", "d/.gitattributes"), "'d/.gitattributes' has the rule"),
    "one of a file": (attributes(f"a.md {ENCODED}=BOGUS\n"), "for 'a.md'"),
    "one of no note": ({**attributes(f"x.csv {ENCODED}=BOGUS\n"), "x.csv": text("x")}, "for 'x.csv'"),
    "very many rules": (attributes("* ident\n" * 200_000), "'.gitattributes' is too large"),
    "a file of git": ({".git/config": text("x")}, "'.git/config'"),
    "a file of git in capitals": ({".GIT/config": text("x")}, "'.GIT/config'"),
    "a file of git in a folder": ({"d/.git": text("gitdir: /tmp\n")}, "'d/.git'"),
    "a repository in the place of the state": ({".zkmem": SUB}, "'.zkmem'"),
    "a link in the place of the trash": ({".trash": link("/etc")}, "'.trash'"),
    "the state in capitals": ({".Zkmem/config.toml": text("x")}, "'.Zkmem/config.toml'"),
    "a path that leads out": ({"../x": text("x")}, "'../x'"),
    "a path that leads nowhere": ({"./x": text("x")}, "'./x'"),
    "one name in two forms": ({"\u00e9.md": text("1"), "e\u0301.md": text("2")}, "'e\\u0301.md'"),
    "a long name": ({"x" * 300: text("x")}, "too long"),
    "a deep folder": ({"/".join(["d" * 200] * 30): text("x")}, "too long"),
}

HARMLESS: dict[str, Mapping[str, Entry | None]] = {
    "submodules, and a hidden repository": {
        "sub": SUB, ".gitmodules": text(MODULES), ".obsidian": SUB, ".gitattributes": SUB, ".gitignore": SUB,
    },
    "malformed submodules with the names of notes": {
        "sub": SUB, ".gitmodules": text(MALFORMED), "new.md": SUB, "other.md": SUB, ".zkmem/config.toml": SUB,
    },
    "submodules behind a link, and one over a note": {
        "sub": SUB, ".gitmodules": link("/etc/passwd"), "a.md": SUB,
    },
    "submodules in a folder": {"d/sub": SUB, ".gitmodules/x": text("x")},
    "malformed submodules that are none, and a repository over a folder": {
        ".gitmodules": text(MALFORMED), "d": SUB,
    },
    "links, and one over a note": {
        "new.md": link("/etc/passwd"), "sub": link("/etc"), ".obsidian": link(".."), "a.md": link("/etc/passwd"),
    },
    "a link over a folder, and filters that nobody has": {
        "d": link("/etc"), **attributes("* filter=nosuch diff=nosuch merge=nosuch\n"),
    },
    "links in the place of rules": {".gitattributes": link("/etc/passwd"), "d/.gitignore": link("/etc/passwd")},
    "an encoding in a folder without notes, and odd names": {
        **attributes(f"reg/** {ENCODED}=UTF-16LE\nd/*.csv {ENCODED}=UTF-16\n"), "reg/one.txt": text("x"),
        "a\x01b.md": text("x"), "a\nb.md": text("x"), "..\\x.md": text("x"), "\udcff.md": text("x"),
        "A.md": text("x\n"), "D/x.md": text("x\n"),
        "git~1/config": text("x"), ".g\u200cit/config": text("x"), ".git. /x": text("x"), ".git\\config": text("x"),
    },
    "line ends, and a file over a folder": {
        **attributes("* text eol=crlf working-tree-encoding=UTF-8\n"), "d": text("x"),
    },
    "keywords, and malformed files of settings": {
        **attributes("* ident export-subst export-ignore delta -text\n", "d/.gitattributes"),
        ".zkmem/config.toml": text(b"\xff = ["), ".zkmem-vault": text(b"\xff"), ".obsidian/app.json": text("[" * 9_000),
    },
    "rules that are none, and a folder over a file": {
        **attributes("\udcff\0[attr]\n!x\n* " + "a" * 5_000 + "\n"), "a.md": None, "a.md/x.md": text("x"),
    },
    "all is ignored": {".gitignore": text("*\n"), "d/.gitignore": text(b"\xff\0\n[a-\n")},
}  # fmt: skip


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path, NOTES, ("laptop",))


def edit(memory: Memory, *names: str) -> None:
    """Write notes, each of which must be committed."""
    for name in names:
        assert memory.write(name, f"{name}\nmine\n").remarks == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_taken_over_is_named(shared: Shared, tmp_path: Path, kind: str) -> None:
    entries, named = REFUSED[kind]
    push(shared, entries)
    with pytest.raises(NotSynced, match=re.escape(named)):
        shared.sync("laptop")
    with pytest.raises(NotSynced, match=re.escape(named)):
        clone_vault(str(shared.remote), str(tmp_path / "clone"))
    assert not (tmp_path / "clone").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["an unknown encoding", "a file of git in a folder", "a path that leads out", "a long name"]
)
def test_what_cannot_be_taken_over_is_named_and_stops_nothing_but_the_synchronisation(
    shared: Shared, kind: str
) -> None:
    entries, named = REFUSED[kind]
    commit = push(shared, entries)
    last = push(shared, {"later.md": text("later\n")})
    before = read(shared.root("laptop"))
    for _ in range(2):
        with pytest.raises(NotSynced, match=re.escape(named)) as refused:
            shared.sync("laptop")
        came = f"It came with the commit {commit[:10]}"
        if "/x'" in named:  # git looks for no such path
            came = f"It is in the commit {last[:10]}"
        assert f"{came}; nothing of it was written here." in str(refused.value)
    assert read(shared.root("laptop")) == before
    with shared.memory("laptop") as memory:
        edit(memory, "new", "d/new")
        memory.undo()
        assert len(memory.log(limit=3)) == 3
    last_commits = git(shared.root("laptop"), "log", "--format=%s", "-3").splitlines()
    assert [one.split()[0] for one in last_commits] == ["undo", "edit", "edit"]
    git(shared.remote, "update-ref", "refs/heads/main", f"{commit}^")
    shared.sync("laptop", accept_rewritten=True)
    assert git(shared.remote, "show", "main:new.md") == "new\nmine\n"


@pytest.mark.slow
@pytest.mark.parametrize("kind", HARMLESS)
def test_what_can_be_taken_over_stops_nothing(shared: Shared, tmp_path: Path, kind: str) -> None:
    entries, root = HARMLESS[kind], shared.root("laptop")
    push(shared, entries)

    def memory() -> Memory:
        return shared.memory("laptop")

    with memory() as one:
        one.sync()
        push(shared, {path: OTHER for path, entry in entries.items() if entry == SUB} | {"later.md": text("x\n")})
        one.sync()
        if "a.md/x.md" not in entries:
            one.write("a", "mine\n", append=True)
        edit(one, "new", "sub/new", "other")
        one.log(limit=3)
        one.sync()
        one.undo()
        edit(one, "other")
        one.write("new", "new\nagain\n")
        one.sync()
    write(root, {"new.md": "by hand\n", "sub/hand.md": "by hand\n", "d.md": "by hand\n"})
    with memory() as one:
        one.sync()
    ignored = entries.get(".gitignore") == text("*\n")  # git ignores new notes then
    if not ignored:
        assert git(shared.remote, "show", "main:new.md") == "by hand\n"
        assert git(shared.remote, "show", "main:other.md") == "other\nmine\n"
        assert "a.md/x.md" in entries or "mine" in git(shared.remote, "show", "main:a.md")
        assert "sub/hand.md" in git(shared.remote, "ls-tree", "-r", "--name-only", "main")
    clone = clone_vault(str(shared.remote), str(tmp_path / "clone"))
    with Memory(clone, git=True, machine="clone") as one:
        edit(one, "from clone")
        one.sync()
    with memory() as one:
        one.sync()
    assert (root / "from clone.md").exists() or ignored


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        (
            attributes(f"?.md {ENCODED}=UTF-16\n"),
            "'.gitattributes' has the rule 'working-tree-encoding=UTF-16' for 'a.md'",
        ),
        (attributes(f"b.md {ENCODED}=UTF-16LE-BOM\n", "d/.gitattributes"), "for 'd/b.md'"),
        (
            {**attributes(f"z.md {ENCODED}=UTF-16LE\n"), "a.md": None, "z.md": text("A\n")},
            "for 'z.md'",
        ),
    ],
)
def test_a_rule_with_which_a_note_here_could_not_be_read_is_refused(
    shared: Shared, entries: Mapping[str, Entry | None], named: str
) -> None:
    push(shared, entries)
    before = read(shared.root("laptop"))
    for _ in range(2):
        with pytest.raises(NotSynced, match=re.escape(named)):
            shared.sync("laptop")
    assert read(shared.root("laptop")) == before


@pytest.mark.parametrize("instead", [None, link("x")])
def test_a_rule_that_an_overruled_one_would_uncover_is_refused(shared: Shared, instead: Entry | None) -> None:
    push(shared, {**attributes(f"b.md {ENCODED}=UTF-16LE\n"), "d/.gitattributes": text(f"b.md -{ENCODED}\n")})
    shared.sync("laptop")
    push(shared, {"d/.gitattributes": instead})
    before = read(shared.root("laptop"))
    with pytest.raises(NotSynced, match=r"\.gitattributes' has the rule .* for 'd/b\.md'"):
        shared.sync("laptop")
    assert read(shared.root("laptop")) == before


@pytest.mark.parametrize(
    ("encoding", "mine"),
    [("UTF-16", "mine\n"), ("UTF-16LE", "mines\n"), ("UTF-16BE", "é 字\n"), ("ISO-8859-1", "é\n"), ("UTF-7", "a+b\n")],
)
def test_a_note_in_another_encoding_than_a_rule_says_keeps_no_other_one_back(
    shared: Shared, encoding: str, mine: str
) -> None:
    """The rules are for notes that are not there yet, so nothing shows that they can do harm.

    Git refuses the first note, and would store each other one as another text.
    """
    push(shared, attributes(f"bad.md {ENCODED}={encoding}\n"))
    shared.sync("laptop")
    with shared.memory("laptop") as memory:
        (remark,) = memory.write("bad", mine).remarks
        assert remark.startswith(
            "not committed to git: 'bad.md' is not in the encoding that a .gitattributes file gives"
        )
        edit(memory, "good")
        report = memory.sync()
        assert [one for one in report.remarks if one.startswith("'bad.md' is not in the encoding")] == report.remarks
        assert report.remarks
    assert "good.md" in git(shared.remote, "ls-tree", "--name-only", "main")
    assert "bad.md" not in git(shared.remote, "ls-tree", "--name-only", "main")
    shared.edit("laptop", put(".gitattributes", "# none\n"))
    assert shared.sync("laptop").remarks == []
    assert git(shared.remote, "show", "main:bad.md") == mine


def test_a_note_that_is_the_same_in_the_encoding_of_a_rule_is_committed(shared: Shared) -> None:
    push(shared, attributes(f"plain.md {ENCODED}=ISO-8859-1\n"))
    shared.sync("laptop")
    with shared.memory("laptop") as memory:
        assert memory.write("plain", "mine\n").remarks == []
    shared.edit("laptop", put("plain.md", "by hand\n"))
    assert shared.sync("laptop").remarks == []
    assert git(shared.remote, "show", "main:plain.md") == "by hand\n"


def test_a_note_that_cannot_be_committed_and_that_the_remote_changes_is_named_with_the_reason(shared: Shared) -> None:
    push(shared, attributes(f"bad.md {ENCODED}=UTF-16\n"))
    shared.sync("laptop")
    with shared.memory("laptop") as memory:
        memory.write("bad", "mine\n")
        memory.sync()
        push(shared, {"bad.md": text("theirs\n")})
        for _ in range(2):
            with pytest.raises(NotSynced, match=r"The remote has another 'bad\.md', .* is not in the encoding"):
                memory.sync()
        shared.edit("laptop", put(".gitattributes", "# none\n"))
        memory.sync()
    kept = (data for path, data in read(shared.root("laptop")).items() if path.startswith("bad"))
    assert sorted(kept) == [b"mine\n", b"theirs\n"]  # one in a conflict copy


@pytest.mark.parametrize("entry", [SUB, link("/etc/passwd")])
def test_a_note_in_place_of_which_something_else_comes_is_put_back(shared: Shared, entry: Entry) -> None:
    push(shared, {"a.md": entry})
    shared.sync("laptop", "laptop")
    assert git(shared.remote, "show", "main:a.md") == "A\n"


def test_a_commit_without_notes_is_told(shared: Shared) -> None:
    push(shared, {"settings.txt": text("x")})
    (line,) = shared.sync("laptop").lines()
    assert line.startswith("from origin: only files that are no notes changed, by ")


def test_a_commit_of_billions_of_files_is_refused(shared: Shared, tmp_path: Path) -> None:
    commit = push_billions(shared)
    with pytest.raises(NotSynced, match=f"the files of the commit {commit[:10]} cannot be listed .* printed more than"):
        shared.sync("laptop")
    with pytest.raises(NotSynced, match="cannot be listed"):
        clone_vault(str(shared.remote), str(tmp_path / "clone"))
    assert not (tmp_path / "clone").exists()
    with shared.memory("laptop") as memory:
        edit(memory, "new")
