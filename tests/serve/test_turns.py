"""Worker threads are shared fairly between callers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.errors import TooMany
from zkmem.serve.turns import Turns, WorkerThreads
from zkmem.util.waiting import check_may_wait

PATIENCE = 30.0

pytestmark = pytest.mark.anyio


class Held:
    """Work that stays in its thread until it is let go, and tells in which order it was begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._go_on: dict[str, threading.Event] = {}

    def __call__(self, name: str) -> str:
        self.begun.append(name)
        assert self._event(name).wait(PATIENCE)
        return name

    def let_go(self, name: str) -> None:
        self._event(name).set()

    def _event(self, name: str) -> threading.Event:
        return self._go_on.setdefault(name, threading.Event())


async def until(held: Held, count: int) -> None:
    with anyio.fail_after(PATIENCE):
        while len(held.begun) < count:
            await anyio.wait_all_tasks_blocked()


async def test_one_caller_has_no_more_threads_than_it_may() -> None:
    turns, held = Turns(threads=4, each=2), Held()
    async with anyio.create_task_group() as tasks:
        for name in ("a1", "a2", "a3", "a4"):
            tasks.start_soon(turns.run, "a", held, name)
        await until(held, 2)
        tasks.start_soon(turns.run, "b", held, "b1")
        await until(held, 3)
        assert sorted(held.begun) == ["a1", "a2", "b1"]
        for name in ("a1", "a2", "a3", "a4", "b1"):
            held.let_go(name)
    assert sorted(held.begun) == ["a1", "a2", "a3", "a4", "b1"]


async def test_callers_that_wait_take_turns() -> None:
    turns, held = Turns(threads=1, each=1), Held()
    async with anyio.create_task_group() as tasks:
        for name in ("a0", "a1", "a2", "a3", "b1", "b2", "c1"):
            tasks.start_soon(turns.run, name[0], held, name)
            await anyio.wait_all_tasks_blocked()
        for name in ("a0", "a1", "b1", "c1", "a2", "b2", "a3"):
            held.let_go(name)
    assert held.begun == ["a0", "a1", "b1", "c1", "a2", "b2", "a3"]


async def test_a_call_that_is_given_up_leaves_its_place_to_the_next() -> None:
    turns, held = Turns(threads=1, each=1), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns.run, "a", held, "a1")
        await until(held, 1)
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as given_up:
                given_up.start_soon(turns.run, "b", held, "b1")
                await anyio.wait_all_tasks_blocked()
                scope.cancel()
        tasks.start_soon(turns.run, "c", held, "c1")
        held.let_go("a1")
        held.let_go("c1")
    assert held.begun == ["a1", "c1"]


async def test_the_calls_that_wait_are_bounded() -> None:
    turns, held = Turns(threads=1, each=1, waiting=1), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns.run, "a", held, "a1")
        await until(held, 1)
        tasks.start_soon(turns.run, "a", held, "a2")
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(TooMany, match="send fewer at once"):
            await turns.run("a", held, "a3")
        held.let_go("a1")
        held.let_go("a2")


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=30), st.integers(1, 4), st.integers(1, 4))
def test_all_work_is_done_and_all_threads_come_back(callers: list[str | None], threads: int, each: int) -> None:
    turns, most = Turns(threads, each), [0]

    @contextmanager
    def counted(caller: str | None) -> Iterator[None]:
        most[0] = max(most[0], sum(turns._busy.values()))
        assert turns._busy[caller] <= each
        yield

    def work(number: int, caller: str | None) -> int:
        with counted(caller):
            return number

    async def run() -> list[int]:
        done: list[int] = []

        async def one(number: int, caller: str | None) -> None:
            done.append(await turns.run(caller, work, number, caller))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for number, caller in enumerate(callers):
                    tasks.start_soon(one, number, caller)
        return done

    assert sorted(anyio.run(run)) == list(range(len(callers)))
    assert most[0] <= threads
    assert (turns._free, dict(turns._busy), dict(turns._waiting)) == (threads, {}, {})


async def test_quick_work_is_done_in_the_event_loop() -> None:
    assert await Turns().try_in_loop("a", threading.get_ident) == threading.get_ident()


async def test_work_that_takes_long_is_done_in_a_thread() -> None:
    tries = []

    def work() -> int:
        tries.append(threading.get_ident())
        check_may_wait()
        return threading.get_ident()

    done = await Turns().try_in_loop("a", work)
    assert tries == [threading.get_ident(), done]
    assert done != threading.get_ident()


async def test_quick_work_may_fail() -> None:
    def work() -> None:
        raise TooMany("no")

    with pytest.raises(TooMany, match="no"):
        await Turns().try_in_loop("a", work)
    check_may_wait()  # the error has ended the work without waiting: this thread may wait again


@pytest.mark.parametrize(("writes", "most"), [(False, 4), (True, 32)])
async def test_a_caller_has_more_threads_for_edits_than_for_reads(writes: bool, most: int) -> None:
    held, threads = Held(), WorkerThreads().of(writes=writes)
    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(threads.run, "a", held, str(number))
        await until(held, most)
        begun = list(held.begun)
        for number in range(40):
            held.let_go(str(number))
    assert len(begun) == most
