"""Check the bases of a vault: whether each can be read, and its formulas and views be evaluated."""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from zkmem.bases.answer import QueryPlan, formula
from zkmem.bases.base_file import Base, TableQuery, base_blocks, base_links, read_base
from zkmem.bases.evaluate import circular
from zkmem.bases.syntax import Field, Name, nodes_in, parse
from zkmem.errors import BadArgument, ZkError
from zkmem.index.check import Finding
from zkmem.names import name_of
from zkmem.vault.files import Read

Resolved = Callable[[str, str], str | None]
"""(target of a link, path of its note) -> the path of the file that it means."""


def broken(paths: Iterable[str], read: Read) -> Iterator[Finding]:
    """Yield a finding for each fault of the `.base` files at some paths: of a whole file, a formula or a view.

    `read` returns the bytes of an attachment.
    """
    for path in paths:
        try:
            base = read_base(read(path).decode(errors="replace"), path)
        except ZkError as error:
            yield Finding("base", path, str(error))
            continue
        for fault in dict.fromkeys(_faults(base, path)):
            yield Finding("base", path, fault)


def broken_in(paths: Iterable[str], read: Read, read_file: Read, resolved: Resolved) -> Iterator[Finding]:
    """Yield a finding for each fault of the bases in the notes at some paths, and each link to a view that is missing.

    `read` returns the bytes of a note, `read_file` those of a `.base` file.
    """

    @functools.cache
    def base_at(path: str) -> Base | None:
        try:
            return read_base(read_file(path).decode(errors="replace"), path)
        except ZkError:  # `broken` says so
            return None

    for path in paths:
        with contextlib.suppress(OSError, ZkError):  # it is gone, or cannot be read
            data = read(path)
            for fault in dict.fromkeys(_faults_in(data, path, base_at, resolved)):
                yield Finding("base", name_of(path), fault)


def _faults_in(data: bytes, path: str, base_at: Callable[[str], Base | None], resolved: Resolved) -> Iterator[str]:
    for block in base_blocks(data):
        try:
            yield from (
                f"The code block in line {block.line}: {one}" for one in _faults(block.base(block.source, path), path)
            )
        except BadArgument as error:
            yield str(error)
    for link in base_links(data):
        file = resolved(link.target, path) if link.subpath[1:] else None
        if file is not None and (base := base_at(file)):
            try:
                base.view(link.subpath[1:])
            except BadArgument as error:
                yield f"{link.raw}: {error}"


def _faults(base: Base, path: str) -> Iterator[str]:
    """Yield the faults of the formulas, used or not, and of the views; some may come twice."""
    plan = QueryPlan(TableQuery(formulas=base.formulas, summary_formulas=base.summary_formulas, this=path))
    for name, text in [*base.formulas.items(), *base.summary_formulas.items()]:
        try:
            formula(name, text, plan.names)
        except BadArgument as error:
            yield str(error)
    yield from _circle(base.formulas)
    for query in base.views:
        try:
            yield from QueryPlan(query).remarks
        except BadArgument as error:
            yield str(error)


def _circle(formulas: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence if a formula refers to itself, directly or through others."""
    try:
        TopologicalSorter({name: _references(text, formulas) for name, text in formulas.items()}).prepare()
    except CycleError as error:
        circle = error.args[1][:0:-1]  # each one refers to the next
        first = circle.index(min(circle, key=list(formulas).index))
        yield str(circular([*circle[first:], *circle[: first + 1]]))


def _references(text: str, formulas: Mapping[str, str]) -> list[str]:
    """Return the formulas that an expression refers to: all if it uses `formula` as an object, none if it is broken."""
    try:
        nodes = list(nodes_in(parse(text)))
    except BadArgument:
        return []
    names = [one.name for one in nodes if isinstance(one, Field) and one.of == Name("formula")]
    return list(formulas) if nodes.count(Name("formula")) > len(names) else [name for name in names if name in formulas]
