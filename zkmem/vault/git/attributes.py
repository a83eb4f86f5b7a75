"""Find the files that git converts between the repository and the work tree, and filters that do not run."""

import os
import shlex
import tempfile
from collections.abc import Collection, Iterable, Mapping

from zkmem.names import folder_of, folders_of
from zkmem.vault.git.command import TRANSFER_S, Git, GitTrouble
from zkmem.vault.git.trees import Trees

_CONVERTING = ("filter", "working-tree-encoding")
_NO_VALUE = {"unspecified", "unset"}
_RULES = ".gitattributes"


def check_filters(git: Git, paths: Iterable[str]) -> None:
    """Check that no filter is configured for these files that does not run.

    Without its filter, an encrypted file would be committed as plain text. Paths are relative to the top of the
    repository.

    Raises:
        GitTrouble: when one of the files has such a filter.
    """
    keys = (one.key for one in git.where().values)
    known = {key.removeprefix("filter.").rpartition(".")[0] for key in keys if key.startswith("filter.")}
    if not known or git.trusted:
        return
    data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
    fields = git.run("check-attr", "-z", "--stdin", "filter", data=data, top=True).split("\0")
    for path, name in zip(fields[::3], fields[2::3], strict=False):
        if name in known:
            remedy = f"`zkmem trust {shlex.quote(git.root)}` shows and allows it"
            raise GitTrouble(f"{path!a} has the git filter {name!a}, which does not run yet; {remedy}")


Conversions = Mapping[str, tuple[str, ...]]
"""The filter and the encoding of each file that has one, by path from the top of the repository."""


def conversions(git: Git, trees: Trees, paths_by_tree: Mapping[str, Collection[str]]) -> dict[str, Conversions]:
    """Return how files of some trees are converted, by tree, according to the `.gitattributes` files in that tree.

    What only this machine has, such as `.git/info/attributes`, does not count, so that all machines decide the same.
    Usually no tree has attributes, or all have the same ones; then no process is started, or one.
    """
    folders = {folder for paths in paths_by_tree.values() for path in paths for folder in ("", *folders_of(path))}
    names = sorted(f"{folder}/{_RULES}" if folder else _RULES for folder in folders if "\n" not in folder)
    known: dict[tuple[tuple[str, bytes], ...], Conversions] = {}
    result: dict[str, Conversions] = {}
    everything = {path for paths in paths_by_tree.values() for path in paths}
    for tree in paths_by_tree:
        rules = tuple((name, data) for name in names if (data := trees.text_at(tree, name)))
        if rules not in known:
            known[rules] = _conversions(git, rules, everything) if rules else {}
        result[tree] = known[rules]
    return result


def _conversions(git: Git, rules: Iterable[tuple[str, bytes]], paths: Iterable[str]) -> Conversions:
    """Return how files are converted according to some `.gitattributes` files, given by their paths and bytes."""
    with tempfile.TemporaryDirectory(prefix="zkmem-") as top:
        own = os.path.join(top, ".git")  # a repository without settings
        for folder in ("objects", "refs"):
            os.makedirs(os.path.join(own, folder))
        for name, data in (*rules, (".git/HEAD", b"ref: refs/heads/main\n")):
            os.makedirs(os.path.join(top, folder_of(name)), exist_ok=True)
            with open(os.path.join(top, name), "wb") as file:
                file.write(data)
        data = "".join(path + "\0" for path in paths).encode(errors="surrogateescape")
        options = ["-C", top, "-c", f"core.attributesFile={os.devnull}", "-c", "core.ignoreCase=false"]
        environment = {"GIT_DIR": own, "GIT_COMMON_DIR": own, "GIT_WORK_TREE": top, "GIT_ATTR_NOSYSTEM": "1"}
        command = [*options, "check-attr", "-z", "--stdin", *_CONVERTING]
        output = git.run(*command, data=data, environment=environment, patience_s=TRANSFER_S)
    fields, values = output.split("\0"), dict[str, tuple[str, ...]]()
    for path, key, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value not in _NO_VALUE:
            values[path] = (*values.get(path, ()), f"{key}={value}")
    return values
