"""Recognise raw texts of the toolset think: notes whose body is exactly the data. Other toolsets cannot change them."""

from zkmem.records.pages import Page

RAW = "raw"


def is_raw(page: Page) -> bool:
    """Return whether a note is a raw text."""
    return page.properties.get("type") == RAW
