"""Plan to add to a daily note. It has the folder, name and template that Obsidian's settings give it.

The settings are those of Obsidian's own plugin "Daily notes" (`.obsidian/daily-notes.json`), or of the plugin
"Periodic Notes", if its daily notes are turned on.
"""

import contextlib
import datetime
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from zkmem.edit.plan import Plan, View
from zkmem.edit.write import appended, check_section, plan_section, plan_write
from zkmem.errors import BadArgument, BadName
from zkmem.index.lookup import find_note
from zkmem.markdown.note import read_text
from zkmem.markdown.properties import changed, parts
from zkmem.markdown.section_edit import with_section
from zkmem.names import check_text, new_path
from zkmem.util.characters import without_halves
from zkmem.util.date_format import formatted
from zkmem.vault.files import Read
from zkmem.vault.obsidian import TEMPLATES, obsidian_settings

CORE = ".obsidian/daily-notes.json"
PERIODIC = ".obsidian/plugins/periodic-notes/data.json"
_MOST = 1_000_000  # characters, about, of a filled-in template
_LONGEST = 200  # characters, about, of a date in it
_VARIABLE = re.compile(r"\{\{\s*(date|time|title|yesterday|tomorrow)\s*(?::([^{}]*))?\}\}", re.IGNORECASE)


class Daily(NamedTuple):
    """The settings of daily notes."""

    folder: str = ""
    format: str = "YYYY-MM-DD"
    template: str = ""  # a note; "" for none

    def name(self, day: datetime.date) -> str:
        """Return the name of the note of a day, from the root of the vault.

        Raises:
            BadArgument: when the folder or the format makes a name that no note can have.
        """
        path = formatted(datetime.datetime.combine(day, datetime.time()), self.format or "YYYY-MM-DD")
        path = f"{self.folder.strip('/')}/{path}".removeprefix("/")
        try:
            new_path(path)
        except BadName as error:
            raise BadArgument(f"The settings of daily notes give a wrong name. {error}") from error
        return f"/{path}"

    def rendered(self, template: str, day: datetime.date, now: datetime.datetime, read: Read) -> str:
        """Return the text of a template for a day, as Obsidian fills it in.

        Raises:
            BadArgument: when the text is too long, or the settings of templates are damaged.
        """
        formats = obsidian_settings(read, TEMPLATES)
        date_format = _text(formats, "dateFormat") or "YYYY-MM-DD"
        time_format = _text(formats, "timeFormat") or "HH:mm"
        moment = datetime.datetime.combine(day, now.time())
        title = self.name(day).rpartition("/")[2]
        if len(template) + template.count("{{") * max(len(title), _LONGEST) > _MOST:
            raise BadArgument(
                f"The template of the daily notes has more than {_MOST:,} characters when it is filled in. Shorten it."
            )

        def value(match: re.Match[str]) -> str:
            kind = match[1].lower()
            if kind == "title":
                return title
            days = {"yesterday": -1, "tomorrow": 1}.get(kind, 0)
            wanted = match[2] or (time_format if kind == "time" else self.format if days else date_format)
            return formatted(moment + datetime.timedelta(days=days), wanted)

        return _VARIABLE.sub(value, template)


def settings(read: Read) -> Daily:
    """Return the settings of daily notes in a vault; Obsidian's defaults for what is not set.

    Raises:
        BadArgument: when a file of settings is damaged.
    """
    periodic = obsidian_settings(read, PERIODIC).get("daily")
    ours = periodic if isinstance(periodic, Mapping) and periodic.get("enabled") else obsidian_settings(read, CORE)
    return Daily(
        _text(ours, "folder"),
        _text(ours, "format") or "YYYY-MM-DD",
        _text(ours, "template"),
    )


def _text(settings_: Mapping[str, Any], key: str) -> str:
    value = settings_.get(key)
    return without_halves(value).strip() if isinstance(value, str) else ""


def day_of(text: str, today: datetime.date) -> datetime.date:
    """Return the day that a text means: empty or `today`, `yesterday`, `tomorrow`, or 2026-11-20.

    Raises:
        BadArgument: when it means none.
    """
    days = {"": 0, "today": 0, "yesterday": -1, "tomorrow": 1}.get(text.strip().lower())
    if days is not None:
        return today + datetime.timedelta(days=days)
    day = None
    with contextlib.suppress(ValueError):
        day = datetime.date.fromisoformat(text.strip())
    if day is None or day.year in {
        datetime.date.min.year,
        datetime.date.max.year,
    }:  # some days have no neighbours there
        raise BadArgument(f"{text!r} is no day; write one such as 2026-11-20, today or yesterday.")
    return day


def plan_daily(view: View, name: str, template: str, section: str, content: str, *, etag: str | None = None) -> Plan:
    """Plan to add to a daily note: at its end, or below a heading of it, which is added if it is missing.

    `template`: the text of a new note before `content` is added.

    Raises:
        The errors of `plan_write` and, with a section, those of `plan_section`.
    """
    check_text(content, "content")
    if not content.strip():
        raise BadArgument("The text for the daily note has only blanks; give a text.")
    if section:
        check_section(section)
    if find_note(view.catalog, name) is not None:
        if section:
            return plan_section(view, name, section, content, "append", create=True, etag=etag)
        return plan_write(view, name, content, append=True, etag=etag)
    text = read_text(template.encode(errors="surrogateescape"))
    if section:
        body = parts(text).body.encode(errors="surrogateescape")
        new = with_section(body, name.removeprefix("/"), section, content, "append", create=True).decode(
            errors="surrogateescape"
        )
        return plan_write(view, name, changed(text, {}, new), etag=etag)
    return plan_write(view, name, appended(text, content), etag=etag)
