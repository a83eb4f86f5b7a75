"""What a Python programmer guesses of `zkmem.Memory`: each guess does what it says, or gets a sentence."""

import inspect
import os
import pathlib
from collections.abc import Callable

import pytest

import zkmem
from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem import Memory
from zkmem.errors import BadArgument, Closed, NoVault, Taken, UnknownNote
from zkmem.vault.store import Store

VAULT = {
    "tea.md": "# Tea\n\nSteep [[green tea]].\n",
    "green tea.md": "From Japan. See [[tea]].\n",
    "coffee.md": "Black.\n",
    "people/Anna.md": "---\nrole: cook\n---\nLikes [[tea]].\n",
}
NAMES = ["coffee", "green tea", "people/Anna", "tea"]
TEA = VAULT["tea.md"]

GUESSES: dict[str, object] = {
    # to open
    "Memory(root).names()": NAMES,
    "Memory(vault=str(root)).names()": NAMES,
    'Memory(root / "missing")': (NoVault, "does not exist. To create it: zkmem init"),
    "Memory(None)": (BadArgument, "`vault` must be str or PathLike, not None."),
    "m.vault == str(root.resolve())": True,
    '"Memory" in dir(zkmem)': True,
    'repr(m) == f"Memory({m.vault!r})"': True,
    "bool(Memory(empty))": True,
    # as a collection of names
    '"tea" in m': True,
    '"Tea" in m': True,
    '"cocoa" in m': False,
    '"../tea" in m': False,
    "5 in m": (BadArgument, "`name` must be str, not 5."),
    "list(m)": NAMES,
    "[m.read(name).text for name in m][-1]": TEA,
    "len(m)": 4,
    "m.names()": NAMES,
    'm.names(folder="people")': ["people/Anna"],
    'm.names("people")': ["people/Anna"],
    'm.exists("people/Anna")': True,
    'm.exists("cocoa")': False,
    # to read
    'm.read("tea").text': TEA,
    'm.read("tea.md").name': "tea",
    'm.read("cocoa")': (UnknownNote, "There is no note 'cocoa'."),
    'm.read(Path("tea.md"))': (BadArgument, "`name` must be str, not PurePosixPath('tea.md')."),
    "m.read(None)": (BadArgument, "`name` must be str, not None."),
    'm.read("tea", depth="1")': (BadArgument, "`depth` must be int, not '1'."),
    'm.get("tea")': (AttributeError, "A memory has no `get`: use `read`."),
    'm.links("tea")': ["green tea"],
    'm.backlinks("tea")': ["green tea", "people/Anna"],
    'm.properties("people/Anna")': {"role": "cook"},
    'm.path("people/Anna")': "people/Anna.md",
    "m.hints(limit=1)[0].name": "tea",
    "m.hints(1)[0].name": "tea",
    'm.hints("1")': (BadArgument, "`limit` must be int, not '1'."),
    "m.hints(limit=-1)": (BadArgument, "`limit` must be 0 or more, not -1."),
    "m.suggestions(limit=1, threshold=1)[0].name": "people/Anna",
    "m.unlinked(limit=1)[1]": 2,
    'm.search("japan", limit=3)[0].name': "green tea",
    'm.search("japan", 3)[0].name': "green tea",
    'm.search(["japan"])': (BadArgument, "`query` must be str, not ['japan']."),
    "m.query('role == \"cook\"', limit=1).rows[0].note": "people/Anna",
    # to write
    'm.write("cocoa", "Sweet.").outcome': "created",
    'm.write("cocoa", b"Sweet.")': (BadArgument, "`content` must be str, not b'Sweet.'."),
    'm.append("coffee", "Hot.") and m.read("coffee").text': "Black.\n\nHot.",
    'm.set_properties({"hot": True}, ["tea"]) and m.properties("tea")': {"hot": True},
    'm.set_properties({"hot": True}, "tea")': (BadArgument, "`names` must be a list of str, not 'tea'."),
    'm.set_properties({"hot": True})': (BadArgument, "Name the notes to change in `names`, or give a `filter`"),
    'm.set_properties({"hot": True}, [], " ")': (BadArgument, "Name the notes to change in `names`"),
    'm.preview_properties({"hot": True})': (BadArgument, "Name the notes to change in `names`"),
    'm.rename("tea", "chai") and m.links("people/Anna")': ["chai"],
    'm.rename("tea", "coffee")': (Taken, "There is a note 'coffee' already; nothing was changed."),
    'm.rename("tea", "coffee", merge=True).outcome': "merged",
    'm.delete("tea") and "tea" in m': False,
    'm.write("cocoa", "Sweet.") and m.log(limit=1)[0].notes': ("cocoa",),
    "m.undo(2, 5)": (BadArgument, "Give either how many edits, here 2, or the number of one, here 5."),
    "m.preview_undo(2, 5, sitting=True)": (BadArgument, "Give either how many edits"),
    "m.redo(2, 5)": (BadArgument, "Give either how many edits"),
    # after changes by hand
    'hand("cocoa.md", "Sweet.").names()': sorted([*NAMES, "cocoa"]),
    '"cocoa" in hand("cocoa.md", "Sweet.")': True,
    'hand("coffee.md", "With [[tea]].").backlinks("tea")': ["coffee", "green tea", "people/Anna"],
    'hand("coffee.md", "Bitter.").search("bitter")[0].name': "coffee",
    'len(hand("coffee.md", None))': 3,
    # after the end
    'm.close() or m.read("tea")': (Closed, "This memory is closed"),
    "m.close() or list(m)": (Closed, "This memory is closed"),
    "m.close() or m.__enter__()": (Closed, "This memory is closed"),
}  # fmt: skip


def guess(root: pathlib.Path, written: str) -> object:
    """Evaluate a guess in a new vault, whose index is known."""
    write(root / "vault", VAULT)
    (root / "empty").mkdir()
    with Memory(root / "vault") as memory:
        memory.counts()

        def hand(path: str, text: str | None) -> Memory:
            """Change or delete a file as any program may."""
            if text is None:
                os.remove(root / "vault" / path)
            else:
                write(root / "vault", {path: text})
            return memory

        known = {"m": memory, "root": root / "vault", "empty": root / "empty", "hand": hand}
        return eval(written, {"zkmem": zkmem, "Memory": Memory, "Path": pathlib.PurePosixPath, **known})


@pytest.mark.parametrize("written", GUESSES)
def test_a_guess_does_what_it_says_or_gets_a_sentence(tmp_path: pathlib.Path, written: str) -> None:
    expected = GUESSES[written]
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        with pytest.raises(expected[0]) as caught:
            guess(tmp_path, written)
        assert expected[1] in str(caught.value)
    else:
        assert guess(tmp_path, written) == expected


def test_there_are_66_guesses() -> None:
    assert len(GUESSES) == 66


def test_every_call_after_the_end_is_refused(tmp_path: pathlib.Path) -> None:
    memory = Memory(tmp_path)
    memory.close()
    methods = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert {"read", "write", "names", "listen", "start", "sync", "undo"} <= methods
    for name in methods - {"stop", "close"}:
        with pytest.raises(Closed):
            getattr(memory, name)()
    memory.close()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda memory: memory.edit_section("tea", "Tea", "x", "over"), "`how` must be 'append' or"),
        (lambda memory: memory.write("tea", "x", append="no"), "`append` must be bool, not 'no'."),
        (lambda memory: memory.hints(True), "`limit` must be int, not True."),
        (lambda memory: memory.search("tea", 10**30), "`limit` must be 9223372036854775807 or less, not 1000000"),
        (lambda memory: memory.suggestions("x"), "`threshold` must be float, not 'x'."),
        (lambda memory: memory.query(columns="role"), "`columns` must be a list of str, not 'role'."),
        (lambda memory: memory.query(columns=["role", 1]), "`columns` must be a list of str, not ['role', 1]."),
        (lambda memory: memory.write("tea", "x", etag=1), "`etag` must be str or None, not 1."),
        (lambda memory: memory.set_properties([("a", 1)]), "`properties` must be Mapping, not [('a', 1)]."),
        (lambda memory: Memory(memory.vault, max_chars=b"x"), "`max_chars` must be int or None, not b'x'."),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_gets_a_sentence_and_changes_nothing(
    tmp_path: pathlib.Path, call: Callable[[Memory], object], sentence: str
) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        with pytest.raises(BadArgument) as caught:
            call(memory)
        assert str(caught.value).startswith(sentence)
        assert memory.log() == []


def test_an_argument_too_many_is_refused_as_by_any_function(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        for call in (lambda: memory.counts("x"), lambda: memory.names("people", "x")):  # type: ignore[call-arg]
            with pytest.raises(TypeError, match="positional argument"):
                call()


def test_what_the_index_knows_is_found_without_a_look_into_the_notes(tmp_path: pathlib.Path) -> None:
    notes = {
        "One.md": "[[Cofee]] [[tea#Gone]] [[Twin]]\n",
        "a/Twin.md": "",
        "b/Twin.md": "",
        "Bad.md": "---\na: [\n---\n",
    }
    with Memory(write(tmp_path, VAULT | notes)) as memory:
        known, every = memory.check(known=True), memory.check()
    assert {one.kind for one in every} > {one.kind for one in known} == {"ambiguous", "missing"}
    assert [one.choices for one in every if one.kind == "missing"] == [("coffee",)]
    assert known == [
        one._replace(choices=(), detail="[[Cofee]]") if one.kind == "missing" else one
        for one in every
        if one.kind in ("ambiguous", "missing")
    ]


def test_any_depth_ends_with_the_notes(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        assert memory.read("tea", 10**18).text == memory.read("tea", 2).text


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scans of the vault, one item each."""
    done: list[str] = []
    scan = Store.scan

    def counted(store: Store, under: str = "") -> object:
        done.append(under)
        return scan(store, under)

    monkeypatch.setattr(Store, "scan", counted)
    return done


def test_changes_by_hand_are_seen_before_the_links_are_known(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        assert memory.names() == NAMES
        write(tmp_path, {"cocoa.md": "With [[tea]]."})
        os.remove(tmp_path / "coffee.md")
        assert memory.names() == ["cocoa", "green tea", "people/Anna", "tea"]
        assert memory.backlinks("tea") == ["cocoa", "green tea", "people/Anna"]


def test_a_call_compares_a_small_vault_once_and_a_larger_one_seldom(tmp_path: pathlib.Path, scans: list[str]) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        memory.counts()
        scans.clear()
        memory.properties("tea")
        assert len(scans) == 1
        write(tmp_path, {f"{number}.md": "" for number in range(600)})
        assert len(memory) == 604
        scans.clear()
        for _ in range(400):
            memory.exists("tea")
        assert len(scans) < 200
        write(tmp_path, {"cocoa.md": ""})
        memory.wait_ready()
        assert "cocoa" in memory


def test_with_a_watcher_no_call_compares_the_vault(tmp_path: pathlib.Path, scans: list[str]) -> None:
    with Memory(write(tmp_path, VAULT)) as memory:
        memory.start()
        memory.wait_ready()
        starter = engine(memory).live._starter
        assert starter
        starter.join()
        scans.clear()
        assert memory.exists("tea")
        assert len(memory) == 4
        assert memory.backlinks("coffee") == []
        assert memory.search("japan")[0].name == "green tea"
        assert scans == []
