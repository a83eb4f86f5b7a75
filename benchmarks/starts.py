"""What takes a process of its own: the starts of a server, with and without a cache, and a command."""

import random
import time

from benchmarks.measures import milliseconds, read_all, stat_all
from benchmarks.place import Place, Samples
from benchmarks.process import Server

_SETTLED_S = 2  # after the first hint; what is done in the background is done by then, or it is no idling
_IDLE_S = 4
_IDLE_ROUNDS = 3


def measure(place: Place, runs: int) -> Samples:
    """All starts, in turn, after one round that does not count: it warms the page cache and the bytecode."""
    rng = random.Random(place.seed)
    _round(place, rng, idle=False)
    samples: Samples = {}
    for number in range(runs):
        for what, values in _round(place, rng, idle=number < _IDLE_ROUNDS).items():
            samples.setdefault(what, []).extend(values)
    return samples


def _round(place: Place, rng: random.Random, *, idle: bool) -> Samples:
    (name,) = place.some(rng, 1)
    get = ["-m", "zkmem", "get", name, "-C", place.vault]
    samples = {
        "python -c pass": [milliseconds(place.python, "-c", "pass")],
        "import of the SDK": [milliseconds(place.python, "-c", "import mcp.server.lowlevel, mcp.server.stdio")],
        "walk and stat": [milliseconds(stat_all, place.vault)],
        "walk and read every byte": [milliseconds(read_all, place.vault)],
        "zkmem get": [milliseconds(place.python, *get)],
    }
    with place.bare() as server:
        server.handshake()
        samples["bare server: handshake"] = [server.seconds() * 1000]
        samples["bare server: memory"] = server.megabytes("VmRSS")
    place.drop_cache()
    with place.serve() as server:
        samples["handshake"], samples["first hints, no cache"] = _first_hints(server)
        samples["memory"], samples["memory, peak"] = server.megabytes("VmRSS"), server.megabytes("VmHWM")
    with place.serve() as server:
        again, samples["first hints, cache"] = _first_hints(server)
        samples["handshake"] += again
        samples["memory, cache"] = server.megabytes("VmRSS")
        samples["idle"] = _idle(server) if idle else []
    with place.serve() as server:
        server.handshake()
        server.call("get_content", {"name": name})
        samples["first content"] = [server.seconds() * 1000]
    return samples


def _first_hints(server: Server) -> tuple[list[float], list[float]]:
    """The time to the handshake, and to the first hints."""
    server.handshake()
    handshake = server.seconds() * 1000
    if not server.call("get_hints", {}).data["hints"]:
        raise SystemExit("get_hints answered without a hint.")
    return [handshake], [server.seconds() * 1000]


def _idle(server: Server) -> list[float]:
    """How much of a processor it takes when it is left alone, in percent."""
    time.sleep(_SETTLED_S)
    before = server.cpu()
    time.sleep(_IDLE_S)
    return [(after - begun) / _IDLE_S * 100 for begun, after in zip(before, server.cpu(), strict=True)]
