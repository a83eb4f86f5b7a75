"""Read the settings of Obsidian and its plugins in a vault."""

import json
from collections.abc import Mapping
from typing import Any

from zkmem.errors import BadArgument
from zkmem.vault.files import Read

TEMPLATES = ".obsidian/templates.json"
_MOST = 1_000_000  # bytes of a settings file


def obsidian_settings(read: Read, path: str) -> Mapping[str, Any]:
    """Return the settings in a file of Obsidian; none if there is no such file."""
    known = None
    try:
        data = read(path)
        known = json.loads(data) if len(data) <= _MOST else None
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadArgument(f"The settings in {path!r} cannot be read: {reason}. Make them a plain file.") from error
    except (ValueError, RecursionError):
        pass  # the defaults could mean another note than the user's
    if not isinstance(known, Mapping):
        raise BadArgument(f"The settings in {path!r} are damaged; mend them in Obsidian, or remove the file.")
    return known
