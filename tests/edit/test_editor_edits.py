"""Edits for text editors to make: they equal those of the tools, and count unsaved documents."""

import os
import pathlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.renames import choose
from tests.tools.vaults import Files, fresh_index, random_files, random_link, read, write
from zkmem.edit.editor_edit import EditorEdit
from zkmem.errors import BadArgument, BadName, Inexpressible, NoPassage, Taken, UnknownFile, ZkError
from zkmem.index.resolve import missing_key, resolve
from zkmem.markdown.links import as_utf8, find_links
from zkmem.markdown.note import body_of
from zkmem.markdown.sections import Outline
from zkmem.memory import Memory
from zkmem.names import name_of

SEEDS = st.integers(0, 2**32)


def memory(root: pathlib.Path, files: Files) -> Memory:
    return Memory(write(root, files), durable=False)


def carried_out(root: str | os.PathLike[str], edit: EditorEdit) -> dict[str, bytes]:
    """Return the files of a vault after an edit, made by hand; the vault stays as it is."""
    files = read(root, hidden=True)
    for change in edit.texts:
        assert files.get(change.path) == change.before
        files[change.path] = change.after
    moved = {edit.moves[path]: files.pop(path) for path in edit.moves}
    assert moved.keys().isdisjoint(files)
    return files | moved


def texts(edit: EditorEdit) -> dict[str, str]:
    return {change.path: change.after.decode() for change in edit.texts}


def odd_files(rng: random.Random, notes: int) -> dict[str, str | bytes]:
    """Return a random vault with odd bytes in some notes, and a canvas."""
    files: dict[str, str | bytes] = dict(random_files(rng, notes))
    for path in rng.sample(sorted(files), min(3, len(files))):
        data = str(files[path]).encode()
        files[path] = rng.choice([b"\xef\xbb\xbf" + data, data + b"caf\xe9", data.rstrip()])
    path = rng.choice(sorted(files))
    files["map.canvas"] = f'{{"nodes": [{{"type": "file", "file": "{path}", "subpath": "#Part"}}]}}'
    return files


class TestAsTheTools:
    """What the editor changes is what the tool changes."""

    @settings(max_examples=40, deadline=None)
    @given(SEEDS)
    def test_a_rename_by_an_editor_is_a_rename_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        m = memory(root, odd_files(rng, 12))
        for _ in range(3):
            old, new = choose(rng, sorted(path for path in read(root) if path.endswith(".md")))
            try:
                expected: dict[str, bytes] | None = carried_out(root, m.rename_in_editor(old, name_of(new)))
            except ZkError as error:
                expected = None
                with pytest.raises(type(error)):
                    m.rename("/" + name_of(old), name_of(new), merge=False)
            else:
                m.rename("/" + name_of(old), name_of(new), merge=False)
                assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_a_merge_by_an_editor_is_a_merge_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        m = memory(root, odd_files(rng, 8))
        one, other = rng.sample(sorted(path for path in read(root) if path.endswith(".md")), 2)
        try:
            expected = carried_out(root, m.merge_in_editor(one, other))
        except Inexpressible:
            with pytest.raises(Inexpressible):
                m.rename("/" + name_of(one), "/" + name_of(other))
        else:
            assert m.rename("/" + name_of(one), name_of(other)).outcome == "merged"
            assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_a_moved_folder_changes_what_the_tool_changes(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        m = memory(root, {**odd_files(rng, 12), "a/picture.png": b"\x89PNG", "x.md": "![[picture.png]] [t](a/b)"})
        to = rng.choice(["moved", "b/a", "with blank/a", "A", "日记/日"])
        expected = carried_out(root, m.move_in_editor({"a": to}))
        m.move_files("a", to)
        assert read(root, hidden=True) == expected

    @settings(max_examples=20, deadline=None)
    @given(SEEDS)
    def test_an_extraction_by_an_editor_is_one_by_the_tool(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        rng, root = random.Random(seed), tmp_path_factory.mktemp("v")
        m = memory(root, odd_files(rng, 8))
        path, data = rng.choice(sorted((path, data) for path, data in read(root).items() if path.endswith(".md")))
        passage = rng.choice([line for line in data.splitlines() if data.count(line) == 1] or [data])
        start = data.find(passage)
        try:
            edit = m.extract_in_editor(path, start, start + len(passage), "new note")
        except (Inexpressible, NoPassage):
            return
        expected = carried_out(root, edit)
        m.extract("/" + name_of(path), passage.decode(errors="replace"), "new note")
        assert read(root, hidden=True) == expected


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_unsaved_documents_count_as_if_they_were_saved(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    files = {path: data for path, data in odd_files(rng, 10).items() if path.endswith(".md")}
    names = sorted(map(name_of, files))
    unsaved = {
        path: f"## New\n\n{random_link(rng, rng.choice([*names, 'nowhere']))} text ^new\n".encode()
        + rng.choice([b"", str(files[path]).encode()])
        for path in rng.sample(sorted(files), min(4, len(files)))
    }
    open_, saved = (tmp_path_factory.mktemp("v") for _ in range(2))
    edits = [
        lambda m, kwargs: m.rename_in_editor(names[0] + ".md", "x/" + names[1].rpartition("/")[2], **kwargs),
        lambda m, kwargs: m.rename_in_editor(names[0] + ".md", "renamed", titles=True, **kwargs),
        lambda m, kwargs: m.merge_in_editor(names[0] + ".md", names[1] + ".md", **kwargs),
        lambda m, kwargs: m.move_in_editor({"a": "b/a"}, **kwargs),
        lambda m, kwargs: m.rename_heading_in_editor(names[0] + ".md", 0, "Other", **kwargs),
        lambda m, kwargs: m.rename_block_in_editor(names[0] + ".md", "id1", "other", **kwargs),
        lambda m, kwargs: m.rename_missing_in_editor(names[0] + ".md", "nowhere", "somewhere", **kwargs),
        lambda m, kwargs: m.rename_missing_in_editor(names[0] + ".md", "nowhere", "/" + names[1], **kwargs),
    ]
    one, other = memory(open_, files), memory(saved, {**files, **unsaved})
    for edit in edits:
        answers = []
        for m, kwargs in ((one, {"texts": unsaved}), (other, {})):
            try:
                answers.append(edit(m, kwargs))
            except ZkError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]
