"""A subscription bus that knows whether any client listens, so that nothing is published to nobody."""

from collections.abc import Callable

from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent


class CountingBus(InMemorySubscriptionBus):
    """A subscription bus that knows whether any client listens."""

    def __init__(self) -> None:
        """Begin without listeners."""
        super().__init__()
        self._streams: set[object] = set()

    @property
    def has_listeners(self) -> bool:
        """Whether any client listens."""
        return bool(self._streams)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Add a stream; return a function that removes it."""
        stream, unsubscribe = object(), super().subscribe(listener)
        self._streams.add(stream)

        def remove() -> None:
            self._streams.discard(stream)
            unsubscribe()

        return remove
