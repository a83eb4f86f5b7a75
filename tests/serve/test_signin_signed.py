"""Values that are signed, last some minutes, and are used a limited number of times."""

import jwt

from zkmem.serve.access.signin.signed import LASTS_S, Signed


def test_a_signed_value_lasts_for_minutes_and_is_used_so_often() -> None:
    now = 0.0
    signed = Signed(3, lambda: now)
    text, other = signed.sign({"a": "b"}), signed.sign({"a": "b"})
    value, second = signed.read(text), signed.read(other)
    assert value
    assert second
    assert value["a"] == "b"
    assert value["id"] != second["id"]
    now = LASTS_S - 1
    assert signed.use(value["id"], "", 1)
    assert signed.read(text) == value
    assert signed.use(value["id"], "")
    assert signed.read(text) is None
    assert not signed.use(value["id"], "")
    assert signed.read(other) == second
    now = LASTS_S
    assert signed.read(other) is None


def test_a_value_that_was_signed_elsewhere_is_refused() -> None:
    signed = Signed()
    claims = {"id": "x", "until": 1e12}
    for text in (
        Signed().sign({}),
        jwt.encode(claims, "", "none"),
        jwt.encode(claims, b"0" * 32),
        "[" * 60_000,
        "\ud800",
    ):
        assert signed.read(text) is None


def test_strangers_who_use_up_many_values_bring_back_none_of_somebody_else() -> None:
    signed = Signed()
    text = signed.sign({})
    value = signed.read(text)
    assert value
    assert signed.use(value["id"], "203.0.113.7")
    used = [signed.use(f"{number}", f"2001:db8:{number % 20:x}::{number:x}") for number in range(2_500)]
    assert used[:1_999] == [True] * 1_999
    assert not any(used[2_020:]), "they count as used up at once"
    assert signed.read(text) is None
    assert signed.use("another", "203.0.113.7")
    assert len(signed._uses) == 2_000


def test_used_values_are_forgotten_once_they_are_too_old() -> None:
    now = 0.0
    signed = Signed(clock=lambda: now)
    for number in range(2_000):
        signed.use(f"{number}", "203.0.113.7")
    assert not signed.use("2000", "203.0.113.7")
    now = LASTS_S
    assert signed.use("2001", "203.0.113.7")
    assert len(signed._uses) == 1
