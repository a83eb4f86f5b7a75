"""Check the `.base` files of a vault: whether each can be read, and each view be evaluated."""

from collections.abc import Callable, Iterable, Iterator

from zkmem.errors import BadArgument, ZkError
from zkmem.index.check import Finding
from zkmem.recall.bases.answer import check
from zkmem.recall.bases.base_file import Base, View, read_base
from zkmem.recall.bases.table_query import of_view


def broken(paths: Iterable[str], read: Callable[[str], bytes]) -> Iterator[Finding]:
    """Yield a finding for each fault of the `.base` files at some paths: of a whole file, or of a view.

    `read` returns the bytes of an attachment.
    """
    for path in paths:
        try:
            base = read_base(read(path).decode(errors="replace"))
        except ZkError as error:
            yield Finding("base", path, str(error))
            continue
        faults = (_fault(base, view, path) for view in base.views)
        for fault in dict.fromkeys(fault for fault in faults if fault):
            yield Finding("base", path, fault)


def _fault(base: Base, view: View, path: str) -> str:
    try:
        check(of_view(base, view, path))
    except BadArgument as error:
        return str(error)
    return ""
