"""The pages of a Logseq graph: with `logseq_names`, `[[A/B]]` means the file `A___B.md`, and is written so."""

import os
import pathlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.inner import difference, engine
from tests.tools.language_client import LanguageClient
from tests.tools.language_connection import ServerProcess
from tests.tools.vaults import Files, read, write
from zkmem.caller import Grant
from zkmem.cli.checks.table import CHECKS
from zkmem.cli.checks.target import CheckedVault, Trouble
from zkmem.errors import BadName, Forbidden, Taken
from zkmem.index.index import Index
from zkmem.index.live import LiveIndex
from zkmem.memory import Memory
from zkmem.names import base_of, name_of, page_file, page_of
from zkmem.vault.store import Store

GRAPH: Files = {
    "logseq/config.edn": "{:file/name-format :triple-lowbar}\n",
    "pages/A___B.md": "- b [[Old/Page]]\n",
    "pages/Old%2FPage.md": "- old\n",
    "pages/What%3F.md": "- why\n",
    "pages/A.md": "- [[A/B|A/B]] [x](../pages/A___B.md) ![[a/b#x]] A/B\n",
    "journals/2026_11_20.md": "- [[A/B]], [[Old/Page]], [[What?]], [[A/C]], [[B]], [[A]]\n",
}


def missing(memory: Memory) -> set[str]:
    return {one.target for one in memory.check() if one.kind == "missing"}


def text(root: str, path: str) -> str:
    return read(root)[path].decode()


def test_a_link_means_the_file_of_the_page_only_with_the_setting(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, GRAPH)
    for is_set in (False, True, False):  # each process uses the cache of the one before
        with Memory(root, logseq_names=is_set) as memory:
            memory.load()
            assert missing(memory) == {"A/C", "B"} | (set() if is_set else {"A/B", "Old/Page", "What?"})
            if is_set:
                note = memory.read("A/B")
                assert (note.name, note.linked_from) == ("pages/A___B", ["journals/2026_11_20", "pages/A"])


def test_a_rename_writes_the_titles_of_pages(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, GRAPH)
    with Memory(root, logseq_names=True) as memory:
        memory.rename("A/B", "pages/A___Z___Y")
        assert text(root, "pages/A.md") == "- [[A/Z/Y|A/Z/Y]] [x](./A___Z___Y.md) ![[A/Z/Y#x]] A/B\n"
        memory.rename("Old/Page", "pages/New")
        memory.rename("What?", "pages/Why%3F")
        memory.rename("A", "pages/N___A")
        assert text(root, "journals/2026_11_20.md") == "- [[A/Z/Y]], [[New]], [[Why?]], [[A/C]], [[B]], [[N/A]]\n"
        assert text(root, "pages/A___Z___Y.md") == "- b [[New]]\n"
        assert missing(memory) == {"A/C", "B"}


def test_every_writer_of_links_writes_the_title(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {**GRAPH, "n.md": "About A/B here.\n\nMove this.\n"})
    with Memory(root, logseq_names=True) as memory:
        memory.link("n", "A/B", 6, "pages/A___B", memory.page("n").etag)
        memory.extract("n", "Move this.", "pages/N___Part")
        assert text(root, "n.md") == "About [[A/B]] here.\n\n[[N/Part]]\n"
        memory.repoint(["journals/2026_11_20"], "A/C", "pages/Old%2FPage")
        assert "[[Old/Page|A/C]]" in text(root, "journals/2026_11_20.md")


def test_a_file_at_the_path_that_a_link_names_comes_first_and_takes_no_link_when_it_is_new(
    tmp_path: pathlib.Path,
) -> None:
    root = write(tmp_path, {**GRAPH, "A/B.md": "a file\n"})
    with Memory(root, logseq_names=True) as memory:
        assert memory.read("A/B").text == "a file\n"
        memory.delete("A/B")
        assert memory.read("A/B").name == "pages/A___B"
        memory.write("A/B", "again")
        assert text(root, "pages/A___B.md") == "again"
        memory.write("/A/B", "a file again")  # links to the page keep their meaning
        assert "[[A___B]]" in text(root, "journals/2026_11_20.md")


NEW = [  # the new name of pages/A___B, and the path that it gets
    ("A/Z", "pages/A___Z.md"),
    ("a/b", "pages/a___b.md"),
    ("A/Z.md", "pages/A___Z.md"),
    ("X/Y/Why: so?", "pages/X___Y___Why%3A so%3F.md"),
    ("Why: so?", "pages/Why%3A so%3F.md"),
    ("A_/_B/50%20___", "pages/A%5F___%5FB___50%2520%5F__.md"),
    ("A/B", "pages/A___B.md"),
    ("A___Z", "pages/A___Z.md"),
    ("Why%3F", "pages/Why%3F.md"),
    ("Z", "pages/Z.md"),
    ("/A/Z", "A/Z.md"),
    ("A/", "A/A___B.md"),
    ("pages/Z", "pages/Z.md"),
    ("journals/Z", "journals/Z.md"),
    ("Assets/Z", "Assets/Z.md"),
    ("logseq/Z", "logseq/Z.md"),
]


@pytest.mark.parametrize(("new_name", "path"), NEW)
def test_a_new_name_of_a_note_is_the_title_of_a_page_unless_it_has_a_folder(
    tmp_path: pathlib.Path, new_name: str, path: str
) -> None:
    root = write(tmp_path, {**GRAPH, "Assets/x.png": ""})
    with Memory(root, logseq_names=True) as memory:
        memory.rename("A/B", new_name)
        assert (set(read(root)) - {"pages/A___B.md"}) | {path} == set(read(root))
        assert missing(memory) == {"A/C", "B"} - {base_of(name_of(path))}


def test_the_links_have_the_new_title(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, GRAPH)
    with Memory(root, logseq_names=True) as memory:
        memory.rename("A/B", "A/Why?")
        assert text(root, "pages/A.md") == "- [[A/Why?|A/Why?]] [x](./A___Why%253F.md) ![[A/Why?#x]] A/B\n"
        with pytest.raises(Taken):
            memory.rename("A/Why?", "Old/Page")
        for name in ("X//Y", "X/../Y", "X/#y", "X/y.", "X\\y"):
            with pytest.raises(BadName):
                memory.rename("A/Why?", name)


def test_a_new_note_is_a_page_of_the_graph(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {**GRAPH, "lib/A___B___C.md": "- a passage\n"})
    with Memory(root, logseq_names=True) as memory:
        new = {
            "A/New": "pages/A___New",
            "Plain": "pages/Plain",
            "Who?": "pages/Who%3F",
            "/Root": "Root",
            "hint": "hint",
        }
        assert {name: memory.write(name, "x").name for name in new} == new
        memory.edit(lambda draft: draft.write("people/Ann.md", body="x"))  # as the tool sets do, with paths
        memory.extract("2026_11_20", "[[A/C]]", "A/C/Part")  # a journal is no page
        memory.extract("A/B/C", "a passage", "A/Passage")
        assert "[[A/C/Part]]" in text(root, "journals/2026_11_20.md")
        assert text(root, "lib/A___B___C.md") == "- [[A/Passage]]\n"
        assert {"pages/A___C___Part.md", "lib/A___Passage.md", "people/Ann.md"} < set(read(root))


def test_a_caller_with_a_folder_does_not_learn_of_others(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {**GRAPH, "pages/Lone.md": "", "Secret/x.md": "", "deep/in/a.md": ""})
    with Memory(root, logseq_names=True) as memory:
        own = memory.restricted(Grant("pages"))
        assert own.rename("Lone", "Secret/Y").name == "pages/Secret___Y"
        with pytest.raises(Forbidden):
            own.rename("Secret/Y", "journals/Y")
        assert memory.restricted(Grant("deep/in")).rename("a", "deep/in/b").name == "deep/in/b"


def test_without_the_setting_a_new_name_is_a_path(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, GRAPH)
    with Memory(root) as memory:
        memory.rename("A___B", "A/Z")
        memory.write("New", "x")
        assert {"A/Z.md", "New.md"} < set(read(root))


def test_an_editor_names_pages_by_their_titles(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {**GRAPH, ".zkmem/config.toml": "logseq_names = true\n"})
    with LanguageClient(pathlib.Path(root), server=ServerProcess()) as editor:
        path = "journals/2026_11_20.md"
        editor.show(path)
        editor.rename(path, "[[A/C", "A/Why?")
        editor.rename(path, "[[B", "New")
        editor.save()
        assert text(root, path) == "- [[A/B]], [[Old/Page]], [[What?]], [[A/Why?]], [[New]], [[A]]\n"
        for target in ("A/Why?", "New"):
            editor.choose(editor.actions_at(path, f"[[{target}")[f"Create the note {target!r}"])
        editor.show("pages/A___B.md", "# A/B\n")
        answer = editor.prepare(path, "[[A/B")
        assert answer.placeholder == "A/B"
        editor.rename("pages/A___B.md", "# A/", "A/Z")
        editor.save()
    assert {"pages/A___Why%3F.md", "pages/New.md"} < set(read(root))
    assert text(root, "pages/A___Z.md") == "# A/Z\n"


@given(st.text("aB/_%:?*25", min_size=1, max_size=12))
def test_the_file_of_a_page_has_its_title(title: str) -> None:
    file = page_file(title)
    assert not set(file) & set('/*":<>?')
    assert (page_of(file + ".md") or file + ".md") == title + ".md"


def test_after_any_changes_by_hand_the_index_equals_a_new_one(tmp_path: pathlib.Path) -> None:
    rng = random.Random(48)
    names = ["A___B.md", "x/A___B.md", "A%2FB.md", "A/B.md", "B.md", "What%3F.md", "What?.md", "a___b___c.md", "b/c.md"]
    targets = ["A/B", "a/b/c", "B", "What?", "x/A/B", "A___B", "b/c", "/A/B", "What?.md"]
    root = write(tmp_path, {"n.md": " ".join(f"[[{one}]]" for one in targets)})
    index = Index(Store(root), pages=True)
    index.build()
    for _ in range(60):
        path = rng.choice(names)
        if os.path.exists(full := os.path.join(root, path)):
            os.unlink(full)
        else:
            write(root, {path: f"[[{rng.choice(targets)}]]"})
        index.refresh()
        fresh = Index(Store(root), pages=True)
        fresh.build()
        assert difference(index, fresh) == []


def test_doctor_tells_of_a_graph_without_the_setting(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, GRAPH)
    with pytest.raises(Trouble) as told:
        CHECKS["settings"](CheckedVault.of(root))
    assert "this is a Logseq graph, and links to 3 pages such as" in str(told.value)
    assert told.value.fix == "write `logseq_names = true` into .zkmem/config.toml"
    write(root, {".zkmem/config.toml": "logseq_names = true\n"})
    assert CHECKS["settings"](CheckedVault.of(root)) == "logseq_names set"


def test_without_the_setting_a_catalog_has_no_keys_of_pages(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, GRAPH)) as memory:
        memory.load()
        assert isinstance(engine(memory).live, LiveIndex)
        assert not [key for key in engine(memory).live.index.catalog.bases() if "\0" in key]
