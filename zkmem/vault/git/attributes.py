"""Find files whose filters do not run, because the repository is not trusted."""

import shlex
from collections.abc import Iterable

from zkmem.vault.git.command import Git, GitTrouble


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
