"""Serve a vault over HTTP with a given pace for bodies: `python -m tests.tools.paced VAULT STALL TURN`."""

import sys

from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory
from zkmem.serve.access.body import Pace
from zkmem.serve.access.gate import Limits
from zkmem.serve.app import application
from zkmem.serve.common import Reach
from zkmem.serve.mcp.servers import Offer
from zkmem.serve.process import bind, run


def main() -> None:
    """Serve the vault on a free port, and say where, as `zkmem serve` does."""
    vault, stall, turn = sys.argv[1:]
    sock = bind("127.0.0.1", 0)
    print(f"Address: http://127.0.0.1:{sock.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    memory = Memory(vault)
    limits = Limits(pace=Pace(stall=float(stall), turn=float(turn)))
    served = application(memory, tokens_of(memory.vault), Offer(["zettel"]), Reach(limits=limits))
    run(served.serve, sock, served.prepare_end)


if __name__ == "__main__":
    main()
