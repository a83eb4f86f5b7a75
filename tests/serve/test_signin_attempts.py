"""Guessing passwords, and asking too often: counted by a clock of the test."""

import contextlib
from pathlib import Path

import anyio
import pytest

from tests.tools.signing_in import PASSWORD
from zkmem.cli.tokens import tokens_of
from zkmem.errors import BadArgument, TooMany, Unauthorized
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.attempts import LONGEST_S, Attempts, Counters, Quota
from zkmem.serve.access.signin.desk import Desk
from zkmem.serve.access.signin.documents import ClientDocuments
from zkmem.serve.access.signin.passkeys import Passkeys
from zkmem.serve.access.signin.signins import SignIns
from zkmem.serve.access.signin.store import Right, SignInStore
from zkmem.serve.access.signin.users import Users, hashed, matches
from zkmem.serve.shares import Sender
from zkmem.vault.journal.state import StateFolder


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def waits(attempts: Attempts, user: str = "ann", address: str = "a") -> bool:
    try:
        attempts.begin(user, address)
    except TooMany:
        return True
    return False


def test_after_five_wrong_passwords_each_one_costs_a_longer_wait() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    assert not any(waits(attempts) for _ in range(5))
    for pause in (2.0, 4.0, 8.0):
        assert waits(attempts)
        clock.now += pause - 0.1
        assert waits(attempts)
        clock.now += 0.2
        assert not waits(attempts)


def test_many_attempts_at_once_do_not_pass_by_the_limit() -> None:
    attempts = Attempts(Clock())
    assert [waits(attempts) for _ in range(100)].count(False) == 5


def test_a_wait_has_an_end_and_an_attempt_in_between_does_not_lengthen_it() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    for _ in range(40):
        waits(attempts)
        clock.now += LONGEST_S["address"] + 1
    waits(attempts)
    for _ in range(10):
        clock.now += LONGEST_S["address"] / 20
        assert waits(attempts)
    clock.now += LONGEST_S["address"] / 2 + 1
    assert not waits(attempts)


def test_other_users_elsewhere_do_not_wait_and_a_user_who_is_guessed_at_waits_a_minute_at_most() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    for number in range(30):
        waits(attempts, address=f"10.0.{number}.1")
        clock.now += LONGEST_S["user"] + 1
    assert not waits(attempts, user="bob", address="elsewhere")
    waits(attempts, address="there")
    assert waits(attempts, address="home")
    clock.now += LONGEST_S["user"] + 1
    assert not waits(attempts, address="home")


@pytest.mark.parametrize(
    ("address", "free"),
    [("2001:db8:1:2::{:x}", 5), ("2001:db8:1:2{:02x}::1", 10), ("2001:db8:1:{:x}::1", 20), ("10.0.0.{}", 20)],
    ids=["/64", "/56", "/48", "/24"],
)
def test_who_changes_the_address_within_a_network_waits_too(address: str, free: int) -> None:
    attempts = Attempts(Clock())
    numbers = range(0, 25_500, 100) if free == 20 and ":" in address else range(200)
    refused = [waits(attempts, f"user {number}", address.format(number)) for number in numbers]
    assert refused.count(False) == free
    assert not waits(attempts, "ann", "2001:db8:2::1")


def test_who_fills_the_rows_of_small_networks_does_not_end_the_wait_of_the_wide_one_or_of_a_user() -> None:
    attempts = Attempts(Clock())
    for number in range(20):
        waits(attempts, "ann" if number < 5 else "", f"2001:db8:1:{number:x}00::1")
    for number in range(11_000):
        waits(attempts, "", f"2001:db9:{number // 20:x}:{number % 20:x}00::1")
    assert waits(attempts, "bob", "2001:db8:1:ffff::1")
    assert waits(attempts, "ann", "203.0.113.1")


def test_a_right_password_forgives_the_wrong_ones() -> None:
    attempts = Attempts(Clock())
    for _ in range(4):
        waits(attempts)
    attempts.succeeded("ann", "a")
    assert not any(waits(attempts) for _ in range(5))


def test_a_quota_is_for_an_hour_and_for_each_address() -> None:
    clock = Clock()
    quota = Quota(2, "things", clock)
    quota.take("a")
    quota.take("a")
    with pytest.raises(TooMany, match="too many things"):
        quota.take("a")
    quota.take("b")
    clock.now += 1_801
    quota.take("a")
    with pytest.raises(TooMany):
        quota.take("a")
    clock.now += 1_000_000
    assert takes(quota, ["a"] * 5) == 2, "what was not used is not saved up"


@pytest.mark.parametrize(
    ("address", "most"),
    [("2001:db8:1:2::{:x}", 3), ("2001:db8:1:2{:02x}::1", 6), ("2001:db8:1:{:x}00::1", 12), ("10.0.0.{}", 12)],
    ids=["/64", "/56", "/48", "/24"],
)
def test_a_quota_is_for_each_network_and_larger_for_a_wide_one(address: str, most: int) -> None:
    quota = Quota(3, "things", Clock())
    assert takes(quota, [address.format(number) for number in range(100)]) == most
    assert takes(quota, ["2001:db8:2::1", "192.0.2.1"]) == 2


def takes(quota: Quota, addresses: list[str]) -> int:
    """Return how many of these senders could take one."""
    number = 0
    for address in addresses:
        with contextlib.suppress(TooMany):
            quota.take(address)
            number += 1
    return number


def test_a_password_is_recognised_from_its_hash_in_either_unicode_form() -> None:
    stored = hashed("cafe\u0301 au lait, please")
    assert matches("caf\u00e9 au lait, please", stored)
    assert not matches("cafe au lait, please", stored)
    assert not matches("cafe au lait, please", None)
    assert hashed("caf\u00e9 au lait, please") != stored, "each has its own salt"


@pytest.mark.parametrize("password", ["", "short", "x" * 1_001])
def test_a_password_is_neither_short_nor_endless(password: str) -> None:
    with pytest.raises(BadArgument, match="12 to 1,000 characters"):
        hashed(password)


@pytest.mark.parametrize("name", ["", " ", " ann", "ann ", "ann@b", "a\nb", "x" * 41])
def test_a_user_has_a_name_that_the_history_can_show(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadArgument, match="A user needs a name of 1 to 40 printable characters"):
        Users(SignInStore(), str(tmp_path)).add(name, PASSWORD, Right())


@pytest.mark.anyio
async def test_a_network_whose_last_password_was_right_comes_before_those_that_guess(tmp_path: Path) -> None:
    vault, store, public, checked = str(tmp_path), SignInStore(), PublicUrl.of("http://localhost:1"), list[str]()
    users = Users(store, vault)
    users.add("ann", PASSWORD, Right())
    signins, passkeys, counters = SignIns(store, vault, public.base), Passkeys(store, vault, public), Counters()
    audit, tokens = Audit(StateFolder(vault)), tokens_of(vault)
    desk = Desk(public, store, signins, passkeys, users, tokens, audit, ClientDocuments(), counters)

    async def check(address: str) -> None:
        with contextlib.suppress(Unauthorized):
            password = PASSWORD if address == "203.0.113.7" else "a guess, " * 2
            await desk.check_password("ann", password, address)
        checked.append(address)

    guesses, own = ["198.51.100.1", "2001:db8::1"], "203.0.113.7"
    for address in (*guesses, own):
        await check(address)
    async with anyio.create_task_group() as tasks, counters.checks.turn(Sender("other", "other")):
        for address in (*guesses, own):
            tasks.start_soon(check, address)
            await anyio.wait_all_tasks_blocked()
    assert checked[3:] == [own, *guesses]
