"""Check the settings of a server before it starts."""

import os
import shlex

from zkmem.errors import BadSettings
from zkmem.settings import Settings


def check_settings(settings: Settings, vault: str) -> None:
    """Check that a vault can be served with these settings."""
    if "kg" in settings.toolsets and (file := os.environ.get("MEMORY_FILE_PATH")):
        raise BadSettings(
            "MEMORY_FILE_PATH names a file of server-memory, which zkmem does not use: it stores its memory in the "
            "vault. Remove the variable. To add the memory in that file: "
            f"zkmem import --vault {shlex.quote(vault)} {shlex.quote(file)}"
        )
