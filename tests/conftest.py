"""Shared by all tests."""

import contextlib
import functools
import os
import pathlib
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import httpcore2
import httpx2
import pytest
from hypothesis import HealthCheck, settings

from tests.tools import insensitive

# Tests and the programs that they start write files in memory if enough is free: a disk takes a fifth of their time.
_IN_MEMORY = "/dev/shm"
if "TMPDIR" not in os.environ and os.path.isdir(_IN_MEMORY) and shutil.disk_usage(_IN_MEMORY).free > 4 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = _IN_MEMORY

# Before zkmem is imported, and for the servers that tests start: every lock checks the order in which it is taken.
_BREACHES = tempfile.NamedTemporaryFile(prefix="zkmem-locks-")  # noqa: SIM115 - as long as the tests run
os.environ["ZKMEM_CHECK_LOCKS"] = _BREACHES.name

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: what tests start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "zkmem",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize="CI" in os.environ,  # CI gives the same code the same result; a developer's run tries new examples
)
settings.load_profile("zkmem")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test touches the cache or the configuration of the user; servers that are started take it over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_are_read_once() -> Iterator[None]:
    """The HTTP clients of the tests share one TLS context, which none of them needs: to make one takes 40 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", functools.cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def answers_are_awaited() -> None:
    """A request of a test waits as long for its answer as a busy machine may need."""
    patience = httpx2._config.DEFAULT_TIMEOUT_CONFIG
    patience.connect = patience.read = patience.write = patience.pool = 60.0


@pytest.fixture(scope="session", autouse=True)
def commits_are_awaited() -> Iterator[None]:
    """An edit in this process waits for its commit to git, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zkmem.vault.git.mirror._WAIT_S", 60.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_disk_is_flushed() -> Iterator[None]:
    """Let no edit in this process wait for the disk: no test cuts the power. A call can still fail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--names", choices=insensitive.KINDS, help="ignore case: see tests/tools/insensitive.py")


@pytest.fixture(scope="session")
def folder_without_case(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Mount a file system that ignores case, if the option asks for one, and yield its folder."""
    kind = request.config.getoption("--names")
    with insensitive.mounted(kind) if kind else contextlib.nullcontext() as folder:
        yield folder


@pytest.fixture
def tmp_path(tmp_path: pathlib.Path, folder_without_case: str | None) -> Iterator[pathlib.Path]:
    """Yield the folder of a test, on the file system that the option `--names` asks for."""
    if folder_without_case is None:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=folder_without_case, ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder)


@pytest.fixture(autouse=True)
def locks_in_order() -> Iterator[None]:
    """No thread of this process, or of a server that a test started, takes a lock out of order (`util.locks`)."""
    breaches = pathlib.Path(_BREACHES.name)
    breaches.write_text("", encoding="utf-8")
    yield
    assert breaches.read_text("utf-8") == ""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turn off garbage collection while pytest collects: the modules and tests are needed to the end."""
    from zkmem.util.collector import importing  # noqa: PLC0415 - not before the variables above are set

    with importing():
        return (yield)


_SLOW = {"slow", "browser", "node"}
_LEFT = pytest.StashKey[int]()  # how many of the tests so marked this run leaves out


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first.

    Where ZKMEM_TEST_RERUN is set, a test of the page that fails runs once more. The summary shows its first failure.
    Only these: they wait for another program, which has its own clock. No other test may pass by chance.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    if os.environ.get("ZKMEM_TEST_RERUN"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    if left := sum(not _SLOW.isdisjoint(mark.name for mark in item.iter_markers()) for item in items):
        stash = items[0].config.stash
        stash[_LEFT] = stash.get(_LEFT, 0) + left


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left"] = session.config.stash.get(_LEFT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the count of a worker process; each of them collects all tests."""
    node.config.stash[_LEFT] = getattr(node, "workeroutput", {}).get("left", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left = terminalreporter.config.stash.get(_LEFT, 0)
    if left and terminalreporter.config.option.markexpr:
        terminalreporter.write_line(f"{left} tests were left out (slow, browser, node); `make test-all` runs them, too")
