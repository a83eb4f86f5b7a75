"""Worker threads are shared fairly between callers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.errors import TooMany
from zkmem.serve.shares import Sender
from zkmem.serve.turns import Turns, WorkerThreads
from zkmem.util.waiting import check_may_wait

PATIENCE = 30.0
A, B, C = (Sender(name, name, is_owner=False) for name in "abc")

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
            await anyio.lowlevel.checkpoint()  # to wait for blocked tasks takes a tenth of a second


async def test_one_caller_has_no_more_threads_than_it_may() -> None:
    turns, held = Turns(threads=4, each=2), Held()
    async with anyio.create_task_group() as tasks:
        for name in ("a1", "a2", "a3", "a4"):
            tasks.start_soon(turns.run, A, held, name)
        await until(held, 2)
        tasks.start_soon(turns.run, B, held, "b1")
        await until(held, 3)
        assert sorted(held.begun) == ["a1", "a2", "b1"]
        for name in ("a1", "a2", "a3", "a4", "b1"):
            held.let_go(name)
    assert sorted(held.begun) == ["a1", "a2", "a3", "a4", "b1"]


async def test_callers_that_wait_take_turns() -> None:
    turns, held = Turns(threads=1, each=1), Held()
    async with anyio.create_task_group() as tasks:
        for name in ("a0", "a1", "a2", "a3", "b1", "b2", "c1"):
            tasks.start_soon(turns.run, {"a": A, "b": B, "c": C}[name[0]], held, name)
            await anyio.wait_all_tasks_blocked()
        for name in ("a0", "b1", "c1", "a1", "b2", "a2", "a3"):
            held.let_go(name)
    assert held.begun == ["a0", "b1", "c1", "a1", "b2", "a2", "a3"]


async def test_who_had_no_turn_for_long_comes_before_those_who_have_waited_longer() -> None:
    """One who signs in does not wait for many who guess passwords without a pause."""
    turns, held = Turns(threads=1), Held()
    async with anyio.create_task_group() as tasks:
        for name in ("a1", "b1", "a2", "b2", "c1"):
            tasks.start_soon(turns.run, {"a": A, "b": B, "c": C}[name[0]], held, name)
            await anyio.wait_all_tasks_blocked()
            if name == "b1":
                held.let_go("a1")
                await until(held, 2)
        for name in ("b1", "c1", "a2", "b2"):
            held.let_go(name)
    assert held.begun == ["a1", "b1", "c1", "a2", "b2"]


async def test_ever_new_callers_keep_nobody_out() -> None:
    turns, held = Turns(threads=1), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns.run, A, held, "a1")
        await until(held, 1)
        tasks.start_soon(turns.run, A, held, "a2")
        await anyio.wait_all_tasks_blocked()
        while held.begun[-1] != "a2" and len(held.begun) < 90:
            number = len(held.begun)
            for name in (f"{number} one", f"{number} other"):
                tasks.start_soon(turns.run, Sender(name, name), held, name)
            await anyio.wait_all_tasks_blocked()
            held.let_go(held.begun[-1])
            await until(held, number + 1)
        assert len(held.begun) < 90
        for number in range(len(held.begun)):
            for name in ("a2", f"{number} one", f"{number} other"):
                held.let_go(name)
    assert turns._ranks == {}


async def test_whose_turns_are_forgotten_comes_first() -> None:
    turns, held = Turns(threads=1), Held()
    for caller in (B, C, A):
        await turns.run(caller, str)
    turns.forget(A)
    async with anyio.create_task_group() as tasks:
        for caller, name in ((B, "b1"), (C, "c1"), (B, "b2"), (A, "a1")):
            tasks.start_soon(turns.run, caller, held, name)
            await anyio.wait_all_tasks_blocked()
        for name in ("b1", "a1", "c1", "b2"):
            held.let_go(name)
    assert held.begun == ["b1", "a1", "c1", "b2"]


async def test_beside_a_call_that_takes_long_one_more_of_its_user_begins() -> None:
    turns, held = Turns(threads=9, long_s=0.001), Held()
    names = ["a1", "a2", "a3"]
    async with anyio.create_task_group() as tasks:
        for name in names:
            tasks.start_soon(turns.run, Sender(name, "user"), held, name)
            await anyio.wait_all_tasks_blocked()
        tasks.start_soon(turns.run, B, held, "b1")
        await until(held, 3)
        assert held.begun[0] == "a1"
        assert {*held.begun} == {"a1", "a2", "b1"}
        held.let_go("a1")
        await until(held, 4)  # a2 takes long, too
        for name in (*names, "b1"):
            held.let_go(name)
    assert (turns._free, dict(turns._busy), turns._long) == (9, {}, set())


async def test_a_call_that_is_given_up_leaves_its_place_to_the_next() -> None:
    turns, held = Turns(threads=1, each=1), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns.run, A, held, "a1")
        await until(held, 1)
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as given_up:
                given_up.start_soon(turns.run, B, held, "b1")
                await anyio.wait_all_tasks_blocked()
                scope.cancel()
        tasks.start_soon(turns.run, C, held, "c1")
        held.let_go("a1")
        held.let_go("c1")
    assert held.begun == ["a1", "c1"]


async def test_the_calls_that_wait_are_bounded() -> None:
    turns, held = Turns(threads=1, each=1, waiting=1), Held()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns.run, A, held, "a1")
        await until(held, 1)
        tasks.start_soon(turns.run, A, held, "a2")
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(TooMany, match="send fewer at once"):
            await turns.run(A, held, "a3")
        held.let_go("a1")
        held.let_go("a2")


@given(st.lists(st.sampled_from([A, B, Sender()]), max_size=30), st.integers(1, 4), st.integers(1, 4))
def test_all_work_is_done_and_all_threads_come_back(callers: list[Sender], threads: int, each: int) -> None:
    turns, most = Turns(threads, each), [0]

    @contextmanager
    def counted(caller: Sender) -> Iterator[None]:
        most[0] = max(most[0], threads - turns._free)
        assert turns._busy["token", caller.token] <= each
        yield

    def work(number: int, caller: Sender) -> int:
        with counted(caller):
            return number

    async def run() -> list[int]:
        done: list[int] = []

        async def one(number: int, caller: Sender) -> None:
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
    assert await Turns().try_in_loop(A, threading.get_ident) == threading.get_ident()


async def test_work_that_takes_long_is_done_in_a_thread() -> None:
    tries = []

    def work() -> int:
        tries.append(threading.get_ident())
        check_may_wait()
        return threading.get_ident()

    done = await Turns().try_in_loop(A, work)
    assert tries == [threading.get_ident(), done]
    assert done != threading.get_ident()


async def test_quick_work_may_fail() -> None:
    def work() -> None:
        raise TooMany("no")

    with pytest.raises(TooMany, match="no"):
        await Turns().try_in_loop(A, work)
    check_may_wait()  # the error has ended the work without waiting: this thread may wait again


@pytest.mark.parametrize(("caller", "most"), [(A, 2), (Sender("owner", "owner"), 33)])
async def test_an_owner_has_more_threads_for_edits(caller: Sender, most: int) -> None:
    """One thread, or 32, and one more beside a call that takes long."""
    held, threads = Held(), WorkerThreads().of(writes=True)
    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(threads.run, caller, held, str(number))
        await until(held, most)
        begun = list(held.begun)
        for number in range(40):
            held.let_go(str(number))
    assert len(begun) == most


async def test_the_tokens_of_a_user_share_its_threads() -> None:
    turns, held = Turns(threads=9, each=2, of_user=3), Held()
    names = ["a1", "a2", "b1", "b2", "c1"]
    async with anyio.create_task_group() as tasks:
        for name in names:
            user = "user" if name[0] in "ab" else "other"
            tasks.start_soon(turns.run, Sender(name[0], user), held, name)
            await anyio.wait_all_tasks_blocked()
        await until(held, 4)
        assert held.begun == ["a1", "a2", "b1", "c1"]
        for name in names:
            held.let_go(name)
    assert held.begun[-1] == "b2"


async def test_some_threads_are_for_owners_alone() -> None:
    turns, held = Turns(threads=3, each=2, reserved=1), Held()
    owner = Sender("o", "o")
    async with anyio.create_task_group() as tasks:
        for caller, name in ((A, "a1"), (B, "b1"), (C, "c1"), (owner, "o1"), (owner, "o2")):
            tasks.start_soon(turns.run, caller, held, name)
            await anyio.wait_all_tasks_blocked()
        await until(held, 3)
        assert held.begun == ["a1", "b1", "o1"]
        held.let_go("o1")
        await until(held, 4)
        assert held.begun[-1] == "o2", "the only thread that is free is for owners"
        for name in ("a1", "b1", "c1", "o2"):
            held.let_go(name)
    assert sorted(held.begun) == ["a1", "b1", "c1", "o1", "o2"]


async def test_a_waiting_owner_gets_the_thread_that_others_may_not_have() -> None:
    owner = Sender("owner", "owner")
    turns, held = Turns(threads=4, each=1, reserved=1), Held()
    async with anyio.create_task_group() as tasks:
        for caller, name in ((owner, "o1"), (A, "a1"), (B, "b1")):
            tasks.start_soon(turns.run, caller, held, name)
        await until(held, 3)
        for caller, name in ((C, "c1"), (owner, "o2")):
            tasks.start_soon(turns.run, caller, held, name)
        await anyio.wait_all_tasks_blocked()
        held.let_go("o1")
        await until(held, 5)
        for name in ("a1", "b1", "c1", "o2"):
            held.let_go(name)
