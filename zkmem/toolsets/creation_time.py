"""The property `created`: the time when a record was created, in UTC, in a form that sorts as text."""

from datetime import UTC, datetime

FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def creation_time(time: datetime | None = None) -> str:
    """Return a time, by default now, as the property `created` holds it."""
    return (time or datetime.now(UTC)).strftime(FORMAT)
