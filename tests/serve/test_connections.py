"""The connection that ends when a server has too many."""

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from zkmem.errors import TooMany
from zkmem.serve.process import Connections
from zkmem.serve.shares import Sender

MOST = 8


class ConnectionsMachine(RuleBasedStateMachine):
    """Connections that begin, are admitted and end, compared with a plain list of them."""

    def __init__(self) -> None:
        super().__init__()
        self.connections = Connections[int](MOST)
        self.strangers: dict[int, str] = {}
        self.callers: dict[int, str] = {}  # the names
        self.next = 0

    @rule(address=st.sampled_from("abc"))
    def enter(self, address: str) -> None:
        ended = self.connections.enter(self.next, address)
        if ended is not None:
            held = Counter(self.strangers.values())
            assert held[self.strangers[ended]] == max(held.values())
            assert ended == min(one for one, where in self.strangers.items() if where == self.strangers[ended])
            del self.strangers[ended]
        self.strangers[self.next] = address
        self.next += 1

    @rule(data=st.data(), name=st.sampled_from(["", "x", "y", "z"]))
    def admit(self, data: st.DataObject, name: str) -> None:
        if self.strangers:
            one = data.draw(st.sampled_from(sorted(self.strangers)))
            held = Counter(self.callers.values())
            is_greedy = name and held[name] == MOST // 4
            has_claim = len(self.callers) < MOST // 2 or held[name] < max(held.values())
            try:
                ended = self.connections.admit(one, self.sender(name))
            except TooMany:
                assert is_greedy or not has_claim
                return
            assert has_claim
            assert not is_greedy
            if ended is not None:
                assert held[self.callers[ended]] == max(held.values())
                del self.callers[ended]
            del self.strangers[one]
            self.callers[one] = name

    @rule(data=st.data(), name=st.sampled_from(["", "x", "y"]))
    def admit_too_late(self, data: st.DataObject, name: str) -> None:
        """Its token was looked at while it ended."""
        if gone := sorted(set(range(self.next)) - self.strangers.keys() - self.callers.keys()):
            assert self.connections.admit(data.draw(st.sampled_from(gone)), self.sender(name)) is None

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        if there := sorted(self.strangers.keys() | self.callers.keys()):
            one = data.draw(st.sampled_from(there))
            self.strangers.pop(one, None)
            self.callers.pop(one, None)
            self.connections.leave(one)

    @staticmethod
    def sender(name: str) -> Sender:
        return Sender(name, name, is_owner=False) if name else Sender(is_owner=False)

    @invariant()
    def strangers_have_their_part(self) -> None:
        assert len(self.strangers) <= MOST // 2

    @invariant()
    def callers_have_their_part(self) -> None:
        assert len(self.callers) <= MOST // 2
        for one, name in self.callers.items():
            self.connections.admit(one, self.sender(name))  # again, which changes nothing


TestConnections = ConnectionsMachine.TestCase
