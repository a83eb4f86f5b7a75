"""Share what a server has a limited number of among its callers: connections, streams of changes, MCP sessions.

Each token may hold a part of all, and so may each user, who may have several tokens. When all are held, the next caller
gets one of the user who holds the most. So callers who hold many cannot keep out those who hold few.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

import anyio

from zkmem.errors import TooMany

_Item = TypeVar("_Item", bound=Hashable)


class Sender(NamedTuple):
    """The caller of a request, as far as shares depend on it. A server that needs no tokens has one caller."""

    token: Hashable = None
    user: Hashable = None
    is_owner: bool = True  # may change all notes, so that others cannot keep this caller out


class TokenQuota(NamedTuple):
    """How many items one token may hold, and how many one user."""

    token: int
    user: int

    @classmethod
    def of(cls, most: int) -> "TokenQuota":
        """Return a quarter of all for each token, and half of them for each user."""
        return cls(-(-most // 4), -(-most // 2))


_OF_STREAMS = TokenQuota(token=16, user=32)  # a page has one for each of its tabs


class Shares(Generic[_Item]):
    """The items of one kind that callers hold. Only the event loop uses this."""

    def __init__(
        self,
        most: int,
        part: TokenQuota,
        what: str,
        *,
        is_idle: Callable[[_Item], bool] = lambda _: True,
        replaces: bool = False,
    ) -> None:
        """Allow `most` items in all. `what` names them in an error.

        An item that is idle ends before others. With `replaces`, a new item beyond the part of its caller ends another
        one of this caller; otherwise it is refused.
        """
        self._most, self._part, self._what = most, part, what
        self._is_idle, self._replaces = is_idle, replaces
        self._items: dict[Hashable, dict[_Item, Sender]] = {}  # by user, the item that was used last is the last one
        self._users: dict[_Item, Hashable] = {}

    def __contains__(self, item: object) -> bool:
        """Return whether an item is held."""
        return item in self._users

    def enter(self, item: _Item, sender: Sender) -> _Item | None:
        """Count an item as the caller's. If there are too many, return another one, which must end."""
        ended = None
        own = self._items.get(sender.user, {})
        of_token = [each for each, by in own.items() if by.token == sender.token]
        if sender.token is not None and len(of_token) >= self._part.token:
            ended = self._replaced(of_token)
        elif sender.token is not None and len(own) >= self._part.user:
            ended = self._replaced(own)
        elif len(self._users) >= self._most and (others := self._of_another(sender)):
            ended = self._remove_one(others)
        elif len(self._users) >= self._most:
            ended = self._replaced(own)
        self._items.setdefault(sender.user, {})[item] = sender
        self._users[item] = sender.user
        return ended

    def use(self, item: _Item) -> None:
        """Note that an item, if it is held, is used now: the others of its user end before it."""
        if item in self._users:
            own = self._items[self._users[item]]
            own[item] = own.pop(item)

    def leave(self, item: _Item) -> None:
        """Stop counting an item, if it is held."""
        if item in self._users:
            user = self._users.pop(item)
            del self._items[user][item]
            if not self._items[user]:
                del self._items[user]

    def _of_another(self, sender: Sender) -> Iterable[_Item]:
        """Return the items of the user who must give one to the caller; none if the caller has no claim to one."""
        users = sorted(self._items.values(), key=len, reverse=True)
        if len(users[0]) > len(self._items.get(sender.user, ())):
            return users[0]
        others = (each for each in users if not any(by.is_owner for by in each.values()))
        return next(others, ()) if sender.is_owner else ()

    def _replaced(self, own: Iterable[_Item]) -> _Item:
        """Return an item of the caller that must end, so that a new one takes its place; or refuse the new one."""
        if not self._replaces:
            part = self._part
            raise TooMany(
                f"Too many {self._what} are open: a token may have {part.token:,}, all tokens of a user {part.user:,},"
                f" all callers {self._most:,}; close some, or try again later."
            )
        return self._remove_one(own)

    def _remove_one(self, items: Iterable[_Item]) -> _Item:
        """Stop counting the first idle item, or else the first item; return it."""
        ordered = list(items)
        ended = next(filter(self._is_idle, ordered), ordered[0])
        self.leave(ended)
        return ended


class Streams:
    """The open streams of changes of one server, those of the API and those of MCP together.

    Each has a cancel scope, in which its task serves it. Only the event loop uses this.
    """

    def __init__(self, most: int = 1_000) -> None:
        """Allow `most` streams in all."""
        self._shares = Shares[anyio.CancelScope](most, _OF_STREAMS, "streams of changes")

    def enter(self, sender: Sender) -> anyio.CancelScope:
        """Count one more stream, and return its scope, which is cancelled if another caller needs the place."""
        scope = anyio.CancelScope()
        if ended := self._shares.enter(scope, sender):
            ended.cancel()
        return scope

    @contextmanager
    def serving(self, scope: anyio.CancelScope) -> Iterator[None]:
        """Run the block in the scope of a stream, which does not count any more afterwards."""
        try:
            with scope:
                yield
        finally:
            self._shares.leave(scope)
