"""The property `created`: when a record was made, in UTC and in an order that text compares by."""

from datetime import UTC, datetime

FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def stamp(time: datetime | None = None) -> str:
    """A time, which is now if none is given."""
    return (time or datetime.now(UTC)).strftime(FORMAT)
