"""Records in notes: names that need not be file names, properties that are set in place, drafts that are one edit."""

import pathlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tools.inner import index_faults
from tests.tools.vaults import read, write
from zkmem.errors import BadArgument, Changed, Damaged, Taken, Unwritable
from zkmem.markdown import properties
from zkmem.markdown.note import Text
from zkmem.memory import Memory
from zkmem.names import fold, new_path
from zkmem.records.draft import Draft
from zkmem.records.encoded_names import decoded, digest, encodings

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ODD_TEXT = st.text("abAB%2./ \\#[]|^:é\u0301\u00a0İß", max_size=8)
NAMES = (
    ANY_TEXT
    | ODD_TEXT
    | st.sampled_from(["con", "CON", "nul.txt", "Con", "a.md", ".md", "..", ".", "%", "%%", "%41", "~"])
)
SOURCES = ["a: 1\n# c\nk: x\n# d\nb: [1]\n", "", "# only\n", "k:\n  - a\n  - b\n\nz: 1\n", "k: |\n  a\n\n  b\nz: 1\n"]
ODD_SCALARS = ["123", "2020-01-01", "null", "~", "-", "'", "#x", "true", "[a]", "{", "|", ">", "&a", "*a"]
SCALARS = ANY_TEXT | st.sampled_from([*ODD_SCALARS, "a: b", "x #y", ": "])


@given(NAMES)
@example("x" * 300)
@example("")
@example(":\u0300")
def test_every_name_has_a_file_name_that_tells_it(name: str) -> None:
    for part in encodings(name):
        assert new_path(part) == part + ".md"
        assert part == digest(name) or decoded(part) == name


@given(NAMES, NAMES)
@example("Acme", "acme")
@example("a%41", "aA")
@example("É", "E\u0301")
@example("Con", "CON")
@example(".net", ".NET")
@example("/ab", "/AB")
@example("x" * 300, digest("x" * 300))
def test_no_other_name_can_claim_the_last_file_name_of_a_name(one: str, other: str) -> None:
    if one != other:
        assert fold(encodings(one)[-1]) not in map(fold, encodings(other))


def test_ordinary_names_stand_for_themselves() -> None:
    for name in ("Ann", "Acme Corp", "名前", "100%", "v1.0", "Zoë 🦊", "it's (new)"):
        assert encodings(name)[0] == name
    assert encodings("a/b")[0] == "a%2Fb"


@given(SCALARS, st.sampled_from(SOURCES))
def test_a_property_reads_back_and_the_others_keep_their_bytes(value: str, source: str) -> None:
    text = Text((f"---\n{source}---\n" if source else "") + "body")
    new = properties.changed(text, {"k": value})
    parts = properties.parts(Text(new))
    assert parts.properties is not None
    assert parts.properties["k"] == value
    assert parts.body == "body"
    items = [{"lineBeg": 1, "text": value}]
    listed = properties.changed(Text(new), {"k": items})
    assert properties.parts(Text(listed)).properties == {**parts.properties, "k": [{"lineBeg": "1", "text": value}]}
    without = properties.changed(Text(listed), {"k": None})
    for line in source.splitlines():
        if line and not line.startswith(("k", " ")):
            assert line in without.splitlines()
    assert "k" not in (properties.parts(Text(without)).properties or {})


@pytest.mark.parametrize("source", ["a: [\n", "- a\n", "{a: 1}\n", "just text\n"])
def test_what_is_no_mapping_in_lines_is_not_added_to(tmp_path: pathlib.Path, source: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": f"---\n{source}---\nbody"}))
    with pytest.raises((Damaged, Unwritable), match="'a'"):
        memory.edit(lambda draft: draft.write("a.md", {"k": "v"}))
    assert read(str(tmp_path))["a.md"] == f"---\n{source}---\nbody".encode()


def test_scalars_are_what_was_written(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nd: 2026-11-20\nn: 007\nb: yes\ne:\nl: [1, x]\n---\n"}))
    page = memory.look(lambda pages: pages.page("a.md"))
    assert page is not None
    assert page.properties == {"d": "2026-11-20", "n": "007", "b": "yes", "e": "", "l": ["1", "x"]}


def test_yaml_that_would_grow_without_end_does_not(tmp_path: pathlib.Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{to}: &{to} [{', '.join(['*' + of] * 9)}]\n" for of, to in zip("abcdefgh", "bcdefghi", strict=True)
    )
    memory = Memory(write(tmp_path, {"a.md": f"---\n{bomb}---\nbody"}))
    page = memory.look(lambda pages: pages.page("a.md"))
    assert page is not None
    assert page.body == "body"


# --- drafts


def test_a_draft_is_one_edit_over_all_its_notes(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "a\n", "b.md": "b\n", "c.md": "c\n"}))

    def work(draft: Draft) -> list[str]:
        draft.write("a.md", {"k": "v"}, "new\n")
        draft.write("x/new.md", body="[[a]]\n")
        draft.remove("b.md")
        assert draft.page("b.md") is None
        page = draft.page("x/new.md")
        assert page is not None
        assert page.body == "[[a]]\n"
        return draft.below("x") + draft.below("")

    assert memory.edit(work) == ["x/new.md", "a.md", "c.md", "x/new.md"]
    now = read(str(tmp_path))
    assert now == {"a.md": b"---\nk: v\n---\nnew\n", "c.md": b"c\n", "x/new.md": b"[[a]]\n"}
    assert not index_faults(memory)
    assert len(memory.log()) == 1
    memory.undo()
    assert read(str(tmp_path)) == {"a.md": b"a\n", "b.md": b"b\n", "c.md": b"c\n"}


def test_a_draft_that_fails_writes_nothing(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "a\n"}))

    def work(draft: Draft) -> None:
        draft.write("a.md", body="x")
        draft.write("b.md", body="half a character: \ud800")

    with pytest.raises(BadArgument, match="half a character"):
        memory.edit(work)
    assert read(str(tmp_path)) == {"a.md": b"a\n"}


def test_a_draft_is_made_again_if_a_note_changes_meanwhile(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "a\n"}))
    tries = []

    def work(draft: Draft) -> None:
        page = draft.page("a.md")
        assert page is not None
        tries.append(page.body)
        draft.write("a.md", body=page.body + "tool\n")
        if len(tries) == 1:
            write(tmp_path, {"a.md": "by hand\n"})

    memory.edit(work)
    assert tries == ["a\n", "by hand\n"]
    assert read(str(tmp_path)) == {"a.md": b"by hand\ntool\n"}


def test_a_new_note_takes_no_link_from_another_one(tmp_path: pathlib.Path) -> None:
    files = {"x/Acme.md": "mine\n", "a.md": "[[Acme]]\n", "b.md": "[[Acme]]\n", "y/Acme.md": ""}
    memory = Memory(write(tmp_path, {**files}))
    memory.delete("y/Acme")

    def work(draft: Draft) -> None:
        draft.write("Acme.md", body="new\n")
        draft.write("b.md", {"k": "v"})

    memory.edit(work)
    now = read(str(tmp_path))
    assert now["a.md"] == b"[[x/Acme]]\n"
    assert now["b.md"] == b"---\nk: v\n---\n[[x/Acme]]\n"


def test_removed_notes_of_one_name_do_not_meet_in_the_trash(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a/n.md": "1", "b/n.md": "2"}))

    def work(draft: Draft) -> None:
        draft.remove("a/n.md")
        draft.remove("b/n.md")

    memory.edit(work)
    assert read(str(tmp_path), hidden=True)[".trash/n.md"] == b"1"
    assert read(str(tmp_path), hidden=True)[".trash/n 1.md"] == b"2"


def test_a_note_that_is_removed_and_made_again_in_one_draft_is_replaced(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "---\nold: 1\n---\nx"}))

    def work(draft: Draft) -> None:
        draft.remove("a.md")
        draft.write("a.md", {"k": "v"}, "y")

    memory.edit(work)
    assert read(str(tmp_path)) == {"a.md": b"---\nk: v\n---\ny"}


def test_line_ends_and_bom_stay(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "\ufeff---\r\na: 1\r\n---\r\nx\r\n"}))
    memory.edit(lambda draft: draft.write("a.md", {"k": "v"}, "x\ny\n"))
    assert read(str(tmp_path))["a.md"].decode() == "\ufeff---\r\na: 1\r\nk: v\r\n---\r\nx\r\ny\r\n"


def test_names_are_found_again_whatever_they_are(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    names = ["Acme", "acme", "a/b", "", "CON", "x" * 300, "a.md"]

    def work(draft: Draft) -> None:
        for name in names:
            assert draft.named(name, "f") is None
            draft.write(draft.free(name, "f"), {"name": name}, name)

    memory.edit(work)
    found = Memory(str(tmp_path)).look(lambda pages: [pages.named(name, "f") for name in names])
    assert [page.body if page else None for page in found] == names


def test_a_name_whose_every_path_is_taken_is_refused(tmp_path: pathlib.Path) -> None:
    first, last = encodings("Acme")
    memory = Memory(write(tmp_path, {f"{first}.md": "---\nname: x\n---\n", f"{last}.md": "---\nname: y\n---\n"}))
    with pytest.raises(Taken, match="every path"):
        memory.look(lambda pages: pages.free("Acme"))


def test_another_process_is_seen_at_once(tmp_path: pathlib.Path) -> None:
    one, other = Memory(str(tmp_path)), Memory(str(tmp_path))
    one.load()
    other.load()
    one.edit(lambda draft: draft.write("a.md", body="x"))
    assert other.look(lambda pages: pages.below("")) == ["a.md"]


def test_impatience_ends_in_an_error(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(write(tmp_path, {"a.md": "a"}))
    monkeypatch.setattr("zkmem.index.session._PATIENCE_S", 0.0)

    def work(draft: Draft) -> None:
        draft.write("a.md", body="x")
        write(tmp_path, {"a.md": "by hand"})

    with pytest.raises(Changed):
        memory.edit(work)
    assert read(str(tmp_path)) == {"a.md": b"by hand"}
