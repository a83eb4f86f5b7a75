"""Read the settings of Obsidian and its plugins in a vault, and find out which notes are templates: texts to copy."""

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from zkmem.errors import BadArgument
from zkmem.names import fold
from zkmem.vault.files import Read

TEMPLATES = ".obsidian/templates.json"
_TYPES = ".obsidian/types.json"
_MOST = 1_000_000  # bytes of a settings file
_TEMPLATER = ".obsidian/plugins/templater-obsidian/data.json"
_FOLDER = re.compile(r"(?:^|/)templates/", re.IGNORECASE)
_FOLDER_SETTINGS = {TEMPLATES: "folder", _TEMPLATER: "templates_folder"}


def obsidian_settings(read: Read, path: str) -> Mapping[str, Any]:
    """Return the settings in a file of Obsidian; none if there is no such file."""
    settings = None
    try:
        data = read(path)
        settings = json.loads(data) if len(data) <= _MOST else None
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadArgument(f"The settings in {path!r} cannot be read: {reason}. Make them a plain file.") from error
    except (ValueError, RecursionError):
        pass  # the defaults could mean another note than the user's
    if not isinstance(settings, Mapping):
        raise BadArgument(f"The settings in {path!r} are damaged; mend them in Obsidian, or remove the file.")
    return settings


def property_types(read: Read) -> Mapping[str, str]:
    """Return the types that Obsidian's user has given to properties, by the names of these in lower case."""
    types: object = None
    with contextlib.suppress(BadArgument):  # damaged settings: the values decide
        types = obsidian_settings(read, _TYPES).get("types")
    return {name.lower(): str(kind) for name, kind in types.items()} if isinstance(types, Mapping) else {}


class Templates(NamedTuple):
    """The folders of templates that the settings of a vault name, folded and with a slash at the end."""

    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, read: Read) -> Self:
        """Read the settings of Obsidian and of its plugin Templater. Damaged settings name no folder."""
        folders: list[str] = []
        for path, key in _FOLDER_SETTINGS.items():
            with contextlib.suppress(BadArgument):
                folder = obsidian_settings(read, path).get(key)
                if isinstance(folder, str) and folder.strip("/ "):
                    folders.append(fold(folder.strip("/ ")) + "/")
        return cls(tuple(folders))

    def has(self, path: str) -> bool:
        """Return whether a note is a template: it is in a folder of templates, or has `{{` in its path."""
        if "{{" in path or _FOLDER.search(path):
            return True
        return bool(self.folders) and fold(path).startswith(self.folders)
