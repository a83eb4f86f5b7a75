"""Measure the toolset kg beside server-memory: the same calls on the same graph, in turn, in one run.

`python -m benchmarks.kg` installs server-memory from npm in `benchmarks/.peers`, if it is not there yet.
"""

import argparse
import itertools
import json
import os
import random
import shlex
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from benchmarks import others, results
from benchmarks.generate import Natural
from benchmarks.measures import shown
from benchmarks.memories import Graph
from benchmarks.place import plain_environment, run
from benchmarks.process import Server, end_on_sigterm, serving
from benchmarks.subjects import TOOLSETS, Subject, with_token

PEER = "server-memory"
COMMON, RARE = "tea", "quaggaberry"
_SHARE = 3  # one entity in so many has the common word
_PLANTED = 3  # entities have the rare one
_OBSERVATIONS, _RELATIONS = 3, 2  # of each entity
_LINKS = 200  # to each hub
_WARM = 2  # calls of each kind that do not count

Arguments = dict[str, Any]


class Row(NamedTuple):
    """A kind of call, and how many times both servers answered it in a millisecond or more."""

    what: str
    ours: list[float]  # milliseconds
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """How many times as fast zkmem is."""
        return statistics.median(self.theirs) / statistics.median(self.ours)

    def cells(self) -> list[str]:
        """The row as text."""
        medians = [f"{shown(statistics.median(times))} ms" for times in (self.ours, self.theirs)]
        return [self.what, *medians, f"{shown(self.ratio)}", str(len(self.ours))]


class Made(NamedTuple):
    """A graph to measure on: the records of a file of server-memory, and the names of its hubs."""

    records: list[dict[str, Any]]
    names: list[str]
    hubs: list[str]

    @classmethod
    def of(cls, entities: int, hubs: int, seed: int) -> "Made":
        """Make a graph: every byte of it follows from the arguments."""
        rng = random.Random(seed)
        prose = Natural(rng)
        names = [f"{prose.sentence(rng)[:18].rstrip('. ')} {number}" for number in range(entities)]
        hubs_names = [f"hub {number}" for number in range(hubs)]
        records = [_entity(name, [prose.sentence(rng) for _ in range(_OBSERVATIONS)]) for name in names]
        for record in records[::_SHARE]:
            record["observations"][0] += f" Likes {COMMON}."
        for record in rng.sample(records, _PLANTED):
            record["observations"][1] += f" Grows {RARE}."
        records += [_entity(name, ["Much is linked to it."]) for name in hubs_names]
        records += [_relation(name, to) for name in names for to in rng.sample(names, _RELATIONS)]
        records += [_relation(name, hub) for hub in hubs_names for name in rng.sample(names, _LINKS)]
        return cls(records, names, hubs_names)


def _entity(name: str, observations: list[str]) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": "thing", "observations": observations}


def _relation(name: str, to: str) -> dict[str, Any]:
    return {"type": "relation", "from": name, "to": to, "relationType": "is near"}


def _calls(made: Made, seed: int) -> Iterator[tuple[str, str, Iterable[Arguments]]]:
    """What is measured: the kind of call, the tool, and the arguments of as many calls as are wanted."""
    rng = random.Random(seed)
    count = itertools.count()

    def fresh() -> str:
        return f"new {next(count)}"

    def some() -> str:
        return rng.choice(made.names)

    def each(arguments: Callable[[], Arguments]) -> Iterator[Arguments]:
        return (arguments() for _ in itertools.count())

    def one(name: str) -> Arguments:
        return {key: value for key, value in _entity(name, ["It is new."]).items() if key != "type"}

    def between(name: str, to: str) -> Arguments:
        return {"from": name, "to": to, "relationType": "was seen with"}

    yield "create one", "create_entities", each(lambda: {"entities": [one(fresh())]})
    yield (
        "add an observation",
        "add_observations",
        each(lambda: {"observations": [{"entityName": some(), "contents": [fresh()]}]}),
    )
    yield "create a relation", "create_relations", each(lambda: {"relations": [between(some(), some())]})
    yield "open_nodes", "open_nodes", each(lambda: {"names": [some()]})
    yield "search, rare word", "search_nodes", each(lambda: {"query": RARE})
    yield "search, common word", "search_nodes", each(lambda: {"query": COMMON})
    yield "read_graph", "read_graph", each(dict)
    gone = rng.sample(made.names, len(made.names))
    yield "delete an entity", "delete_entities", ({"entityNames": [name]} for name in gone)
    yield f"delete a hub of {_LINKS} links", "delete_entities", ({"entityNames": [hub]} for hub in made.hubs)


def _filled(subject: Subject, made: Made, folder: str) -> Subject:
    """Give a server the graph; the server as it is started then."""
    os.makedirs(folder)
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in made.records)
    if subject.memory is Graph:
        with open(os.path.join(folder, Graph.shared), "w", encoding="utf-8") as file:
            file.writelines(lines)
    else:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            environment = plain_environment() | with_token(folder, {**subject.environment})
            run([sys.executable, "-m", "zkmem", "import", "-C", folder, file.name], environment)
    return subject._replace(
        command=with_token(folder, subject.command), environment=with_token(folder, {**subject.environment})
    )


def _serve(stack: ExitStack, subject: Subject) -> Server:
    server = stack.enter_context(serving(subject.command, plain_environment() | subject.environment, grace=20))
    server.handshake()
    server.call("search_nodes", {"query": RARE})  # both have all in mind then
    return server


def measure(ours: Server, theirs: Server, made: Made, runs: int, seed: int) -> Iterator[Row]:
    """Ask both servers in turn; that both answer alike is checked too."""
    for what, tool, every in _calls(made, seed):
        row = Row(what, [], [])
        for number, arguments in enumerate(itertools.islice(every, runs + _WARM)):
            one, other = (server.call(tool, arguments) for server in (ours, theirs))
            if _counted(one.data) != _counted(other.data):
                raise SystemExit(f"{tool} was answered differently: {one.text[:200]} / {other.text[:200]}")
            if number >= _WARM:
                row.ours.append(one.milliseconds)
                row.theirs.append(other.milliseconds)
        yield row


def _counted(data: Any) -> dict[str, object]:
    return {key: len(value) if isinstance(value, list) else value for key, value in data.items()}


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| | zkmem kg | {PEER} | times as fast | calls |"
    yield "|---|---:|---:|---:|---:|"
    for row in rows:
        yield f"| {' | '.join(row.cells())} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kg", description=f"Measure kg beside {PEER}.")
    parser.add_argument("--entities", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=15, help="how many calls of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the graph (default: %(default)s)")
    parser.add_argument("--peers-dir", default=others.FOLDER, help=f"where {PEER} is installed")
    arguments = parser.parse_args()
    if arguments.entities < _LINKS or arguments.runs < 1:
        parser.error(f"--entities must be {_LINKS} or more, --runs 1 or more.")
    return arguments


def main() -> None:
    """Measure as the command line says."""
    arguments = _arguments()
    end_on_sigterm()
    (peer,) = (one for one in others.PEERS if one.name == PEER)
    theirs = peer.installed(os.path.abspath(arguments.peers_dir))
    if theirs is None:
        raise SystemExit(1)
    (ours,) = (one for one in TOOLSETS if one.name.endswith(" kg"))
    made = Made.of(arguments.entities, arguments.runs + _WARM, arguments.seed)
    with tempfile.TemporaryDirectory(prefix="zkmem-bench-") as folder, ExitStack() as stack:
        folders = [os.path.join(folder, one.memory.__name__) for one in (ours, theirs)]
        kg, other = (_serve(stack, _filled(*one)) for one in zip((ours, theirs), (made, made), folders, strict=True))
        rows = []
        for row in measure(kg, other, made, arguments.runs, arguments.seed):
            rows.append(row)
            print(*row.cells(), sep="; ", file=sys.stderr, flush=True)
        print(f"{', '.join(results.machine(folder).values())}; {results.today()}")
    print(f"`{shlex.join(['python', '-m', 'benchmarks.kg', *sys.argv[1:]])}`\n")
    print("\n".join(_table(rows)))


if __name__ == "__main__":
    main()
