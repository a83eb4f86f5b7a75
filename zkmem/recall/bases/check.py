"""Check the `.base` files of a vault: whether each can be read, and each view be evaluated."""

from collections.abc import Callable, Iterable, Iterator

from zkmem.errors import BadArgument, ZkError
from zkmem.index.check import Finding
from zkmem.recall.bases.base_file import read_base
from zkmem.recall.bases.table import check, of_base

SUFFIX = ".base"


def broken(paths: Iterable[str], read: Callable[[str], bytes]) -> Iterator[Finding]:
    """Yield a finding for each fault of the `.base` files at some paths: of a whole file, or of a view.

    `read` returns the bytes of an attachment.
    """
    for path in paths:
        try:
            source = read(path).decode(errors="replace")
            views = read_base(source).views
        except ZkError as error:
            yield Finding("base", path, str(error))
            continue
        faults = (_fault(source, view.name, path) for view in views)
        for fault in dict.fromkeys(fault for fault in faults if fault):
            yield Finding("base", path, fault)


def _fault(source: str, view: str, path: str) -> str:
    try:
        check(of_base(source, view, path))
    except BadArgument as error:
        return str(error)
    return ""
