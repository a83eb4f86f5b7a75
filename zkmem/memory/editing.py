"""The methods of a memory for edits of notes."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from zkmem.edit.attach import folder_setting, plan_attach
from zkmem.edit.daily import Daily, day_of, plan_daily, settings
from zkmem.edit.extract import plan_extract
from zkmem.edit.links import plan_link, plan_repoint
from zkmem.edit.plan import Plan, Planner, View
from zkmem.edit.preview import Preview
from zkmem.edit.properties import check_properties, plan_properties
from zkmem.edit.rename import plan_delete, plan_rename
from zkmem.edit.write import plan_resolve, plan_save, plan_section, plan_write
from zkmem.errors import BadArgument
from zkmem.index import lookup
from zkmem.index.session import Freshness
from zkmem.markdown.note import read_text
from zkmem.markdown.properties import with_dates_as_texts
from zkmem.markdown.section_edit import How
from zkmem.memory.queries import Queries
from zkmem.names import check_text, path_of
from zkmem.records.outcome import Attached, Deleted, Edited, Extracted, PropertiesSet, Repointed
from zkmem.vault.paths import is_hidden

_MOST_SET = 1_000  # notes whose properties are set at once


class Editing(Queries):
    """The edits that a caller may make."""

    def write(
        self, name: str, content: str, *, old: str | None = None, append: bool = False, etag: str | None = None
    ) -> Edited:
        """Create or replace a note. With `old`, replace that passage alone; with `append`, add to the end."""
        name = self._rights.place(name)
        return self._apply(lambda view: plan_write(view, name, content, old=old, append=append, etag=etag), Edited.by)

    def append(self, name: str, content: str, *, etag: str | None = None) -> Edited:
        """Add a text to the end of a note, or create the note."""
        return self.write(name, content, append=True, etag=etag)

    def edit_section(
        self, name: str, section: str, content: str, how: How, *, create: bool = False, etag: str | None = None
    ) -> Edited:
        """Change the text below a heading of a note, or at a block id: see `plan_section`."""
        name = self._rights.place(name) if create else self._rights.note(name)
        return self._apply(
            lambda view: plan_section(view, name, section, content, how, create=create, etag=etag), Edited.by
        )

    def set_properties(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str] = (),
        filter: str = "",  # noqa: A002
        *,
        renames: Mapping[str, str] = {},
        etag: str | None = None,
    ) -> PropertiesSet:
        """Set properties of some notes, and of those that pass a filter of Bases, in one edit; None removes one.

        A value is a text, a number, a boolean, a date, or a list of these. `renames`: new names of properties, by the
        old ones. `etag`: of the text that the caller has read; the edit is refused if one of the properties has changed
        since.

        Raises:
            BadArgument: when neither names nor a filter is given, when a value has a wrong type, when more than 1,000
                notes pass, or when a note has a property of a new name already.
            StaleEtag: when a property has changed since the text with the etag.
            Unwritable: when the frontmatter of a note cannot be changed; no note is changed then.
        """
        return self._apply(self._setting(properties, names, filter, renames, etag), PropertiesSet.by)

    def preview_properties(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str] = (),
        filter: str = "",  # noqa: A002
    ) -> Preview:
        """Return what `set_properties` would change."""
        return self._preview(self._setting(properties, names, filter))

    def _setting(
        self,
        properties: Mapping[str, Any],
        names: Sequence[str],
        filter: str,  # noqa: A002
        renames: Mapping[str, str] = {},
        etag: str | None = None,
    ) -> Planner:
        """Return the planner that sets properties."""
        properties = with_dates_as_texts(properties)
        check_properties(properties, renames)
        if not names and not filter.strip():
            raise BadArgument("Name the notes to change in `names`, or give a `filter`; nothing was changed.")
        names = [self._rights.note(name) for name in names]
        found = self.query(filter, limit=_MOST_SET + 1) if filter.strip() else None
        rows, remarks = (found.rows, found.remarks) if found else ([], [])
        if len(names) + len(rows) > _MOST_SET:
            raise BadArgument(f"More than {_MOST_SET:,} notes match; set the properties of fewer at once.")

        def plan(view: View) -> Plan:
            paths = [lookup.known_note(view.catalog, name) for name in names]
            there = (row.path for row in rows if row.path in view.catalog)
            plan = plan_properties(view, dict.fromkeys([*paths, *there]), properties, renames, etag)
            return plan._replace(remarks=tuple(remarks))

        return plan

    def daily_name(self, day: str = "") -> str:
        """Return the name of the daily note of a day: `today` (the default), `yesterday`, `tomorrow` or 2026-11-20.

        Raises:
            BadArgument: when the text means no day.
        """
        return self._daily().name(day_of(day, datetime.date.today())).removeprefix("/")

    def write_daily(self, day: str, content: str, section: str = "", *, etag: str | None = None) -> Edited:
        """Add to the daily note of a day, at its end or below a heading; create it from its template if needed."""
        now = datetime.datetime.now()
        daily, date = self._daily(), day_of(day, now.date())
        name = self._rights.place(daily.name(date))
        is_new = self._with_names(lambda index: lookup.find_note(index.catalog, name)) is None
        template = (
            daily.rendered(self._template(daily.template), date, now, self._engine.read)
            if daily.template and is_new
            else ""
        )
        return self._apply(lambda view: plan_daily(view, name, template, section, content, etag=etag), Edited.by)

    def _daily(self) -> Daily:
        """Return the settings of daily notes; those of Obsidian only for a caller who may know the whole vault."""
        if self._rights.sees_all:
            return settings(self._engine.read)
        return Daily(folder=self._rights.folder)

    def _template(self, name: str) -> str:
        """Return the text of a template."""
        reason = "there is none"
        try:
            if not is_hidden(path_of(name)):
                template = self._rights.read(path_of(name))
                template.decode()
                return read_text(template).text
        except OSError as error:
            reason = error.strerror or reason
        except UnicodeDecodeError:
            reason = "it is not UTF-8"
        raise BadArgument(
            f"The template {name!r} of the daily notes cannot be read: {reason}. "
            "Mend the settings of daily notes in Obsidian."
        )

    def save(self, name: str, content: str, etag: str | None) -> Edited:
        """Replace the whole text of a note for a caller who has read all of it; without an etag, create the note."""
        name = self._rights.place(name)
        return self._apply(lambda view: plan_save(view, name, content, etag), Edited.by)

    def attach(self, note: str, title: str, data: bytes) -> Attached:
        """Store a file as an attachment of a note, which need not exist yet, under a free name like `title`.

        Raises:
            BadArgument: when it has the suffix of a picture, but is none. TooLarge: when it has more than 16 MB.
        """
        check_text(title, "title")
        note, now = self._rights.place(note), datetime.datetime.now()
        setting = folder_setting(self._engine.read) if self._rights.sees_all else ""
        return self._apply(lambda view: plan_attach(view, note, title, data, setting, now), Attached.by, tool="attach")

    def resolve(self, name: str, number: int = 0, *, other: bool = False, etag: str | None = None) -> Edited:
        """Remove a note's conflict callout of this number (from 0); with `other`, put its lines in place of the note's.

        `etag`: of the text that the number is about. Later changes are merged, as `save` does.

        Raises:
            NoConflict: when there is no such callout, or, with `other`, when its place in the note is not certain.
        """
        name = self._rights.note(name)
        return self._apply(lambda view: plan_resolve(view, name, number, other=other, etag=etag), Edited.by)

    def link(self, name: str, passage: str, start: int, to: str, etag: str) -> Edited:
        """Turn a passage, which begins at the byte `start` of a note's text, into a link to the note `to`.

        `etag`: of the text that `start` is about. Later changes are merged, as `save` does.

        Raises:
            NoPassage: when the text does not have the passage there. Inexpressible: when no link can stand there.
        """
        name, to = self._rights.note(name), self._rights.note(to)
        return self._apply(lambda view: plan_link(view, name, passage, start, to, etag), Edited.by)

    def repoint(self, names: Sequence[str], target: str, to: str) -> Repointed:
        """Point the links of some notes from `target` to the note `to`, in one edit.

        Raises:
            BadArgument: when none of the notes has such a link. Inexpressible: when one cannot be changed in place.
        """
        names, to = [self._rights.note(name) for name in names], self._rights.note(to)
        return self._apply(lambda view: plan_repoint(view, names, target, to), Repointed.by)

    def delete(self, name: str, etag: str | None = None) -> Deleted:
        """Move a note to the trash. With an `etag`, refuse if the note has another etag now."""
        name = self._rights.note(name)
        return self._rights.deleted(self._apply(lambda view: plan_delete(view, name, etag), Deleted.by))

    def rename(self, name: str, new_name: str, *, merge: bool = False) -> Edited:
        """Rename a note or, with `merge`, add it to the note that has the new name; update every link.

        Raises:
            Taken: when another note has the new name, without `merge`.
        """
        name = self._renamable(name, new_name)
        # every file is compared first: a link that was written by hand a moment ago must be updated, too
        return self._apply(lambda view: plan_rename(view, name, new_name, merge=merge), Edited.by, Freshness.FILES)

    def _renamable(self, name: str, new_name: str) -> str:
        """Return an unambiguous name of a note for which the caller may choose this new name."""
        name = self._rights.note(name)
        self._rights.check_new_name(name, new_name)
        return name

    def extract(self, name: str, content: str, new_name: str) -> Extracted:
        """Move a passage of a note to a new or an existing note, and leave a link in its place."""
        name = self._renamable(name, new_name)
        return self._apply(lambda view: plan_extract(view, name, content, new_name), Extracted.by)

    def preview_rename(self, name: str, new_name: str, *, merge: bool = False) -> Preview:
        """Return what `rename` would change."""
        name = self._renamable(name, new_name)
        return self._preview(lambda view: plan_rename(view, name, new_name, merge=merge), Freshness.FILES)

    def preview_extract(self, name: str, content: str, new_name: str) -> Preview:
        """Return what `extract` would change."""
        name = self._renamable(name, new_name)
        return self._preview(lambda view: plan_extract(view, name, content, new_name))
