"""What is closed is closed: no thread and no process stays behind."""

import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.tools.inner import cache_writer, engine, unsaved
from tests.tools.servers import INITIALIZE
from tests.tools.vaults import write
from zkmem.errors import Closed
from zkmem.index import reader
from zkmem.index.catalog import Catalog
from zkmem.index.graph import Nodes
from zkmem.markdown.note import NoteFacts, parse
from zkmem.memory import Memory
from zkmem.search import fulltext

PATIENCE = 60.0
MANY = {f"{number % 30}/n{number}.md": f"[[n{number * 7 % 1500}]]" for number in range(1500)}

SERVE = [sys.executable, "-m", "zkmem", "serve"]
CLIENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode())
server.stdin.flush()
print(server.stdout.readline().decode(), end="", flush=True)
sys.stdin.read()  # until it is killed
"""


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path, {"a.md": "[[b]]", "b.md": ""})


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("poll", [False, True])
def test_threads_end_with_the_memory(vault: str, poll: bool) -> None:
    memory = Memory(vault)
    engine(memory).live.start(watch=True, poll=poll)
    memory.counts()
    memory.close()
    memory.close()


def test_the_end_of_a_with_block_closes_the_memory(vault: str) -> None:
    with Memory(vault) as memory:
        memory.start()
        assert memory.counts() == (2, 1)


def test_nobody_waits_for_a_memory_that_was_closed(vault: str) -> None:
    memory = Memory(vault)
    memory.close()
    with pytest.raises(Closed):
        memory.wait_ready()


def test_a_memory_that_is_closed_at_once_starts_nothing_later(vault: str) -> None:
    memory = Memory(vault)
    memory.start()
    memory.close()
    late = Memory(vault)
    late.close()
    with pytest.raises(Closed):
        late.start()


class Held:
    """The parsing of notes, held up before the hundredth until a memory is being closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.reached, self._release = threading.Event(), threading.Event()
        monkeypatch.setattr(reader, "parse", self._parse)

    def _parse(self, data: bytes) -> NoteFacts:
        self.count += 1
        if self.count == 100:
            self.reached.set()
            self._release.wait()
        return parse(data)

    def close(self, memory: Memory) -> None:
        closer = threading.Thread(target=memory.close)
        closer.start()
        assert engine(memory).live._closed.wait(PATIENCE)
        self._release.set()
        closer.join()


def test_closing_does_not_wait_for_a_load(
    vault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(vault, MANY)
    held, memory, handed = Held(monkeypatch), Memory(vault), threading.Event()
    follow = engine(memory).live._follow

    def following(paths: Iterable[str] | None = None) -> None:
        handed.set()
        follow(paths)

    engine(memory).live._follow = following  # type: ignore[method-assign]
    memory.start()
    assert held.reached.wait(PATIENCE)
    os.remove(os.path.join(vault, "a.md"))
    assert handed.wait(PATIENCE)  # the watcher's thread waits for the load
    held.close(memory)
    assert held.count < 200
    assert caplog.records == []


@pytest.mark.parametrize("poll", [False, True])
def test_closing_does_not_wait_for_a_comparison(
    vault: str, poll: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory = Memory(vault)
    engine(memory).live.start(watch=True, poll=poll)
    memory.counts()
    held = Held(monkeypatch)
    write(vault, {f".later/{path}": text for path, text in MANY.items()})
    os.rename(os.path.join(vault, ".later"), os.path.join(vault, "later"))
    assert held.reached.wait(PATIENCE)
    held.close(memory)
    assert held.count < 200
    assert caplog.records == []


class HeldAt:
    """A function that is held up at its hundredth call until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.count = 0
        self.reached, self.release = threading.Event(), threading.Event()
        self._function = getattr(owner, name)
        held = self

        def call(*args: object, **options: object) -> object:
            held.count += 1
            if held.count == 100:
                held.reached.set()
                assert held.release.wait(PATIENCE)
            return held._function(*args, **options)

        monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize(
    ("owner", "name", "work"),
    [
        (Catalog, "put", lambda memory: memory.hints()),  # the names
        (Nodes, "of", lambda memory: memory.hints()),  # the links
        (fulltext, "put", lambda memory: memory.search("word")),
    ],
    ids=["names", "links", "search"],
)
def test_what_takes_long_ends_when_the_memory_is_told_to_stop(
    vault: str, owner: object, name: str, work: Callable[[Memory], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, MANY | {f"more/{number}.md": "word" for number in range(1500)})
    held, memory, ended = HeldAt(monkeypatch, owner, name), Memory(vault), threading.Event()

    def call() -> None:
        with pytest.raises(Closed):
            work(memory)
        ended.set()

    caller = threading.Thread(target=call)
    caller.start()
    assert held.reached.wait(PATIENCE)
    memory.stop()
    held.release.set()
    caller.join(PATIENCE)
    assert ended.is_set()
    assert held.count <= 1100, "of 3,000"
    memory.close()


def test_who_is_told_to_stop_saves_no_more_than_there_is_time_for(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(vault, MANY)
    monkeypatch.setattr("zkmem.index.store.writer._AT_THE_END_S", 0.0)
    memory = Memory(vault)
    memory.hints()
    memory.stop()
    assert not cache_writer(memory).save()
    assert len(unsaved(memory)) == 1502
    memory.close()


HELLO = f"{json.dumps(INITIALIZE)}\n"
ASK = """{"jsonrpc": "2.0", "method": "notifications/initialized"}
{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_hints", "arguments": {}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("asked", [False, True], ids=["idle", "indexing"])
@pytest.mark.parametrize("end", ["closes", "is killed"])
def test_a_server_ends_when_its_client(vault: str, end: str, asked: bool) -> None:
    write(vault, MANY)
    command = [sys.executable, "-c", CLIENT, HELLO + ASK * asked, *SERVE, vault]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        assert process.stdout
        assert json.loads(process.stdout.readline())["id"] == 1
        if end == "is killed":
            process.kill()
        _, said = process.communicate(timeout=PATIENCE)  # the server has the same stderr: it has ended as well
    assert said == ""
