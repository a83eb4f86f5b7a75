"""What the tests of the page share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.tools.browser import chromium, served
from tests.tools.vaults import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start a browser for the tests of one module: while it runs, its thread has an event loop."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def vault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the `NOTES` of a module into a vault for all of its tests."""
    return write(tmp_path_factory.mktemp("vault"), request.module.NOTES)


@pytest.fixture(scope="module")
def url(vault: str) -> Iterator[str]:
    """Serve the vault of a module; return the address of the page."""
    with served(vault) as address:
        yield address
