"""The connection that ends when a server has too many."""

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from zkmem.serve.connections import Connections

MOST = 8


class ConnectionsMachine(RuleBasedStateMachine):
    """Connections that begin, are admitted and end, compared with a plain list of them."""

    def __init__(self) -> None:
        super().__init__()
        self.connections: Connections[int] = Connections(MOST)
        self.strangers: dict[int, str] = {}
        self.callers: dict[int, tuple[str, str]] = {}  # the address and the name
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

    @rule(data=st.data(), name=st.sampled_from(["", "x", "y"]))
    def admit(self, data: st.DataObject, name: str) -> None:
        if self.strangers:
            one = data.draw(st.sampled_from(sorted(self.strangers)))
            full = len(self.callers) == MOST // 2
            greedy = name and sum(name == other for _, other in self.callers.values()) == MOST // 4
            assert self.connections.admit(one, self.strangers[one], name) == (not full and not greedy)
            if not full and not greedy:
                self.callers[one] = self.strangers.pop(one), name

    @rule(data=st.data(), name=st.sampled_from(["", "x", "y"]))
    def admit_too_late(self, data: st.DataObject, name: str) -> None:
        """Its token was looked at while it ended."""
        if gone := sorted(set(range(self.next)) - self.strangers.keys() - self.callers.keys()):
            assert self.connections.admit(data.draw(st.sampled_from(gone)), "a", name)

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        if there := sorted(self.strangers.keys() | self.callers.keys()):
            one = data.draw(st.sampled_from(there))
            address = self.strangers.pop(one, None) or self.callers.pop(one)[0]
            self.connections.leave(one, address)

    @invariant()
    def strangers_have_their_part(self) -> None:
        assert len(self.strangers) <= MOST // 2

    @invariant()
    def who_was_let_in_stays(self) -> None:
        assert all(self.connections.admit(one, address, name) for one, (address, name) in self.callers.items())


TestConnections = ConnectionsMachine.TestCase
