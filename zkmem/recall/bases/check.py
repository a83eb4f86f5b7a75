"""Check the `.base` files of a vault: whether each can be read, and its formulas and views be evaluated."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from zkmem.errors import BadArgument, ZkError
from zkmem.index.check import Finding
from zkmem.recall.bases.answer import Plan
from zkmem.recall.bases.base_file import Base, read_base
from zkmem.recall.bases.evaluate import circular
from zkmem.recall.bases.syntax import Field, Name, nodes_in, parse
from zkmem.recall.bases.table_query import TableQuery, of_view


def broken(paths: Iterable[str], read: Callable[[str], bytes]) -> Iterator[Finding]:
    """Yield a finding for each fault of the `.base` files at some paths: of a whole file, a formula or a view.

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
    """Yield the faults of the formulas, used or not, and of the views; some may come twice."""
    plan = Plan(TableQuery(formulas=base.formulas, summary_formulas=base.summaries, this=path))
    for formulas in (plan.names.formulas, plan.summary):
        for name in formulas:
            try:
                formulas[name]
            except BadArgument as error:
                yield str(error)
    yield from _circle(base.formulas)
    for view in base.views:
        try:
            yield from Plan(of_view(base, view, path)).remarks
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
