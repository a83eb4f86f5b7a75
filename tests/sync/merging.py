"""Merge trees given as dictionaries, once in a vault with each of the three trees, and compare the results."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path

from tests.tools.vaults import write
from zkmem.index.index import Index
from zkmem.sync.placement import Side, Structure
from zkmem.sync.states import LocalFiles
from zkmem.sync.trees import MergedTree, merge_trees
from zkmem.vault.git.trees import Blob, Diff, NewFile
from zkmem.vault.journal.log import Pair
from zkmem.vault.store import Store

Tree = Mapping[str, str]

UNMOVED = Structure()
TITLE = "Also written on laptop, 2026-11-22 10:14"


class Merged:
    """The texts of a merged tree, and the result of `merge_trees`."""

    def __init__(self, files: dict[str, str], result: MergedTree) -> None:
        self.files = files
        self.result = result


def merge(
    tmp_path: Path,
    base: Tree,
    first: Tree,
    second: Tree,
    *,
    first_structure: Structure = UNMOVED,
    second_structure: Structure = UNMOVED,
) -> Merged:
    """Return the merged tree. Check that it does not depend on the state that the vault is in."""
    store: dict[str, bytes] = {}

    def blob(text: str | None) -> Blob | None:
        if text is None:
            return None
        data = text.encode()
        name = hashlib.sha1(data).hexdigest()
        store[name] = data
        return Blob("100644", name)

    def diffs(tree: Tree) -> dict[str, Diff]:
        paths = [path for path in {**base, **tree} if base.get(path) != tree.get(path)]
        return {path: Diff(blob(base.get(path)), blob(tree.get(path))) for path in paths}

    def side(tree: Tree, structure: Structure, title: str) -> Side:
        return Side(diffs(tree), structure, title, title.split()[3].strip(",") + " 1a2b3c")

    results = []
    for number, tree in enumerate((base, first, second)):
        folder = tmp_path / str(number)
        folder.mkdir()
        index = Index(Store(write(folder, dict(tree))))
        index.build()

        def could_mean(paths: object, index: Index = index) -> set[str]:
            return {note for path in paths for note in index.links.who_could_mean(path, index.catalog)}  # type: ignore[attr-defined]

        def blobs(paths: Collection[str]) -> dict[str, Blob]:
            return {path: found for path in paths if (found := blob(base.get(path)))}

        here = LocalFiles(index.catalog, diffs(tree), blobs, could_mean)
        one = side(first, first_structure, TITLE)
        other = side(second, second_structure, "Also written on desktop, 2026-11-22 11:00")
        result = merge_trees(one, other, here, lambda each: store[each.hash])
        files = dict(base)
        for path, content in result.files.items():
            files.pop(path, None)
            if content is not None:
                data = content.data if isinstance(content, NewFile) else store[content.hash]
                files[path] = data.decode()
        results.append(Merged(files, result))
    assert results[0].files == results[1].files == results[2].files
    return results[0]


def moved(**pairs: str) -> Structure:
    """Return the structure of a side that moved notes, given by their names."""
    return Structure({f"{old}.md": f"{new}.md" for old, new in pairs.items()})


def merged_into(old: str, new: str) -> Structure:
    """Return the structure of a side that merged a note into another."""
    return Structure(merged={f"{old}.md": f"{new}.md"})


def extracted(source: str, target: str) -> Structure:
    """Return the structure of a side that extracted a passage from one note to another."""
    return Structure(extracted=(Pair(f"{source}.md", f"{target}.md"),))
