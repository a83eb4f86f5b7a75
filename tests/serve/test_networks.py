"""The networks of a sender, and the row that is removed when there are too many."""

import pytest

from zkmem.serve.networks import Recent, crowding, networks_of


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("203.0.113.9", [("203.0.113.0/24", 4), ("203.0.113.9/32", 1)]),
        ("::ffff:203.0.113.9", [("203.0.113.0/24", 4), ("203.0.113.9/32", 1)]),
        ("2001:db8:1:203::5", [("2001:db8:1::/48", 4), ("2001:db8:1:200::/56", 2), ("2001:db8:1:203::/64", 1)]),
        ("fe80::1%eth0", [("fe80::/48", 4), ("fe80::/56", 2), ("fe80::/64", 1)]),
        ("", [("", 1)]),
        ("testclient", [("testclient", 1)]),
    ],
)
def test_a_sender_belongs_to_a_few_networks_the_widest_first(address: str, networks: list[tuple[str, int]]) -> None:
    assert list(networks_of(address)) == networks


@pytest.mark.parametrize(
    ("addresses", "index"),
    [
        (["2001:db8:1::1", "2001:db8:2::1", "2001:db8:2::2", "2001:db8:3::1"], 2),
        (["2001:db8:1:100::", "2001:db8:1:200::", "2001:db8:2::", "2001:db8:2::", "2001:db8:1:200::"], 4),
        (["2001:db8:2::", "2001:db8:2::", "2001:db8:1:1::", "2001:db8:1:2::", "2001:db8:1:100::"], 3),
        (["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.1.1"], 2),
        (["10.0.0.1", "10.0.0.2", "10.0.0.3", "2001:db8::1"], 2),
        (["10.0.1.1", "10.0.2.1", "10.0.3.1"], 0),
        (["10.0.0.1"], 0),
    ],
    ids=["/48", "/56", "/56 before /64", "an address", "/24", "equal ones", "one"],
)
def test_the_newest_row_of_the_largest_network_gives_way(addresses: list[str], index: int) -> None:
    assert crowding(addresses) == index


def test_of_the_rows_by_key_the_one_that_was_set_longest_ago_gives_way() -> None:
    rows = Recent[str, int](2)
    for key in ("a", "b", "a", "c"):
        rows[key] = 1
    assert list(rows) == ["a", "c"]
