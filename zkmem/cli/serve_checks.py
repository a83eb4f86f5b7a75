"""Check the settings of a server before it starts."""

import os
import shlex

from zkmem.errors import BadArgument, BadSettings
from zkmem.settings import Settings


def check_settings(settings: Settings, vault: str, *, propose: bool) -> None:
    """Check that a vault can be served with these settings.

    Raises:
        BadArgument: when the clients could only read, and should propose edits.
        BadSettings: when `kg` is served, and the environment names a file of server-memory, which `kg` does not read.
    """
    if settings.read_only and propose:
        raise BadArgument(
            "A client that can only read cannot propose; leave out --propose, or --read-only and the setting read_only."
        )
    if "kg" in settings.toolsets and (file := os.environ.get("MEMORY_FILE_PATH")):
        raise BadSettings(
            "MEMORY_FILE_PATH names a file of server-memory, which zkmem does not use: it stores its memory in the "
            "vault. Remove the variable. To add the memory in that file: "
            f"zkmem import --vault {shlex.quote(vault)} {shlex.quote(file)}"
        )
