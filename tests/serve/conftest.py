"""What the tests of the page share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start a browser for the tests of one module: while it runs, its thread has an event loop."""
    with chromium() as found:
        yield found
