"""Find out which notes are templates: texts to copy, which are no place to start reading."""

import contextlib
import re
from typing import NamedTuple, Self

from zkmem.errors import BadArgument
from zkmem.names import fold
from zkmem.vault.files import Read
from zkmem.vault.obsidian import TEMPLATES, obsidian_settings

_TEMPLATER = ".obsidian/plugins/templater-obsidian/data.json"
_FOLDER = re.compile(r"(?:^|/)templates/", re.IGNORECASE)
_FOLDER_SETTINGS = {TEMPLATES: "folder", _TEMPLATER: "templates_folder"}


class Templates(NamedTuple):
    """The folders of templates that the settings of a vault name, folded and with a slash at the end."""

    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, read: Read) -> Self:
        """Read the settings of Obsidian and of its plugin Templater. Damaged settings name no folder."""
        found: list[str] = []
        for path, key in _FOLDER_SETTINGS.items():
            with contextlib.suppress(BadArgument):
                folder = obsidian_settings(read, path).get(key)
                if isinstance(folder, str) and folder.strip("/ "):
                    found.append(fold(folder.strip("/ ")) + "/")
        return cls(tuple(found))

    def has(self, path: str) -> bool:
        """Return whether a note is a template: it is in a folder of templates, or has `{{` in its path."""
        if "{{" in path or _FOLDER.search(path):
            return True
        return bool(self.folders) and fold(path).startswith(self.folders)
