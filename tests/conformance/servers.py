"""The servers that are judged, each on a copy of the sample vault: with the suite's fixtures, and plain."""

import pathlib
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tests.tools.servers import http_server, serving
from zkmem.toolsets.table import TOOLSETS

_SAMPLE = pathlib.Path(__file__).parents[2] / "sample_vault"


def _copied(folder: str) -> str:
    return shutil.copytree(_SAMPLE, pathlib.Path(folder, "vault")).as_posix()


@contextmanager
def fitted(folder: str) -> Iterator[str]:
    """The address of zkmem with the suite's fixtures, its vault in a folder."""
    with serving([sys.executable, "-m", "tests.conformance.server", _copied(folder)]) as url:
        yield url


@contextmanager
def plain(folder: str) -> Iterator[str]:
    """The address of `zkmem serve` with all its tools, its vault in a folder."""
    with http_server(_copied(folder), ",".join(TOOLSETS)) as url:
        yield url


SERVERS: dict[str, Callable[[str], AbstractContextManager[str]]] = {"with fixtures": fitted, "plain": plain}
