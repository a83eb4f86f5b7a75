"""Servers that are forked from a process that has imported zkmem: the imports are most of what a start costs."""

import multiprocessing
import os
import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["zkmem.cli.main", "zkmem.cli.serve_http", __name__])


@contextmanager
def forked_server(vault: str, toolsets: str) -> Iterator[str]:
    """Run `zkmem serve` over HTTP on a free port, in a process of its own; yield the address of its MCP endpoint."""
    said, stderr = _FORKS.Pipe(duplex=False)
    command = ["zkmem", "serve", vault, "--mode", "http", "--port", "0", "--toolsets", toolsets]
    process = _FORKS.Process(target=_run, args=(command, dict(os.environ), stderr))
    process.start()
    stderr.close()
    with said, open(said.fileno(), encoding="utf-8", closefd=False) as lines:
        url = next((found[1] for line in lines if (found := re.match(r"Address: (\S+)", line))), "")
        rest = Thread(target=deque, args=(lines, 0))  # a full pipe would stop the server
        rest.start()
        try:
            assert url, "the server said no address"
            yield url
        finally:
            process.terminate()
            process.join()
            rest.join()
            process.close()


def _run(command: list[str], environ: Mapping[str, str], stderr: "Connection") -> None:
    """Become the command `zkmem`, with what the test has set in its environment since the first fork."""
    from zkmem.cli.main import main  # noqa: PLC0415 - not in the process of the tests

    os.environ.clear()
    os.environ.update(environ)
    os.dup2(stderr.fileno(), 2)
    # the old stream may still take the descriptor for a file, in which it could seek
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = command
    main()
