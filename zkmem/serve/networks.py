"""Count strangers by their networks, and choose the row to remove when there are too many.

A stranger with a few networks of IPv6 has very many addresses. So each limit for an address is also a limit for the
networks around it, and no row of a small network is removed for those of a large one.
"""

import functools
from collections import Counter, OrderedDict
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple, TypeVar

from zkmem.serve.shares import Sender

_V4 = ((24, 4), (32, 1))
_V6 = ((48, 4), (56, 2), (64, 1))  # the length of the prefix, and how much the network may do
_MOST = 10_000

_Key = TypeVar("_Key")
_Row = TypeVar("_Row")


class Network(NamedTuple):
    """A network that a sender belongs to."""

    name: str
    size: int  # it may do so many times as much as one sender


@functools.lru_cache(_MOST)
def networks_of(address: str) -> tuple[Network, ...]:
    """Return the networks of a sender, the widest first. The last one stands for the sender alone."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return (Network(address, 1),)
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    lengths = _V4 if parsed.version == 4 else _V6
    return tuple(Network(str(ip_network((parsed, length), strict=False)), size) for length, size in lengths)


def stranger_at(address: str) -> Sender:
    """Return the sender of a stranger's request. All strangers in one of the widest networks are one sender."""
    widest = networks_of(address)[0].name
    return Sender(widest, widest, is_owner=False)


def crowding(addresses: Sequence[str]) -> int:
    """Return the index of the row to remove: the newest of the largest network. The rows begin with the oldest.

    The largest of the widest networks is chosen first, and then the largest network inside it. Of equally large widest
    networks, it is the one with the oldest row, so that a newcomer stays if each stranger has one row.
    """
    rows = [(index, networks_of(address)) for index, address in enumerate(addresses)]
    for level in range(len(_V6)):
        names = [networks[min(level, len(networks) - 1)].name for _, networks in rows]
        largest = Counter(reversed(names) if level else names).most_common(1)[0][0]  # of equal ones the first
        rows = [row for row, name in zip(rows, names, strict=True) if name == largest]
    return rows[-1][0]


class Recent(OrderedDict[_Key, _Row]):
    """Rows by key. If there are too many, the row that was set longest ago is removed."""

    def __init__(self, most: int = _MOST) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: _Key, row: _Row) -> None:
        """Set a row, and drop another one if there are too many."""
        super().__setitem__(key, row)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
