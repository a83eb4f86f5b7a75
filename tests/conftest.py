"""Shared by all tests."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "zkmem", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.load_profile("zkmem")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
