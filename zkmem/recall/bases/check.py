"""Check the `.base` files of a vault: whether each can be read, and each view be evaluated."""

from collections.abc import Callable, Iterable, Iterator

from zkmem.errors import ZkError
from zkmem.index.check import Finding
from zkmem.recall.bases.answer import formula_faults, view_faults
from zkmem.recall.bases.base_file import Base, read_base
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
        for fault in dict.fromkeys(_faults(base, path)):
            yield Finding("base", path, fault)


def _faults(base: Base, path: str) -> Iterator[str]:
    yield from formula_faults(of_view(base, base.views[0], path))
    for view in base.views:
        yield from view_faults(of_view(base, view, path))
