"""Shared by the tests of synchronisation."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def somebody_commits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let git commands commit on a machine where nobody has told git a name. The settings of a user come first."""
    config = tmp_path_factory.mktemp("git") / "gitconfig"
    config.write_text("[user]\n\tname = Somebody\n\temail = somebody@example.org\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_SYSTEM", str(config))
        yield
