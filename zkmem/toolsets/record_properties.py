"""Properties that more than one toolset has: the time of creation, and the type of raw texts."""

from datetime import UTC, datetime

from zkmem.records.pages import Page

RAW = "raw"
"""The `type` of a raw text of the toolset think, whose body is exactly its data. Other toolsets do not change it."""

FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def creation_time(time: datetime | None = None) -> str:
    """Return a time, by default now, as the property `created` holds it."""
    return (time or datetime.now(UTC)).strftime(FORMAT)


def is_raw(page: Page) -> bool:
    """Return whether a note is a raw text."""
    return page.properties.get("type") == RAW
