"""Guessing passwords, and asking too often: counted by a clock of the test."""

import pytest

from zkmem.errors import BadArgument, TooMany
from zkmem.serve.access.signin.attempts import LONGEST_S, Attempts, Quota
from zkmem.serve.access.signin.passwords import hashed, matches


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
        attempts._failures.pop(("address", str(number)), None)
        waits(attempts, address=str(number))
        clock.now += LONGEST_S["user"] + 1
    assert not waits(attempts, user="bob", address="elsewhere")
    waits(attempts, address="there")
    assert waits(attempts, address="home")
    clock.now += LONGEST_S["user"] + 1
    assert not waits(attempts, address="home")


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
