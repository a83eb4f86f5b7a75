"""A draft of an edit: a toolset reads and writes pages in it, and all that it has written becomes one plan."""

from collections.abc import Mapping, Sequence

from zkmem.edit.plan import Move, Plan, Put, View, to_trash
from zkmem.edit.relink import Relinker
from zkmem.edit.write import base_version, read_etag, with_theirs
from zkmem.errors import Changed, Unwritable
from zkmem.index.lookup import free_path
from zkmem.markdown import properties as props
from zkmem.markdown.note import write_text
from zkmem.names import check_text, fold, name_of
from zkmem.records.pages import Page, Pages
from zkmem.records.tables import Tables


class Draft(Pages):
    """The notes as they will be after the edit. Nothing is written to disk before the plan is applied."""

    def __init__(self, view: View, tables: Tables) -> None:
        super().__init__(view.catalog, view.read, view.store.stamp, tables)
        self._view = view
        self._read_pages: dict[str, Page | None] = {}
        self._written: dict[str, Page] = {}
        self._written_at: dict[str, list[str]] = {}  # by folded path
        self._removed: set[str] = set()

    def page(self, path: str) -> Page | None:
        """Return the note at a path, as it will be; None if there will be none."""
        if path in self._removed:
            return None
        if path in self._written:
            return self._written[path]
        if path not in self._read_pages:  # the view reads a file once, so a page of it does not change
            self._read_pages[path] = super().page(path)
        return self._read_pages[path]

    def below(self, folder: str) -> list[str]:
        """Return the paths of the notes that will be below a folder, in alphabetical order."""
        beginning = fold(folder) + "/" if folder else ""
        new = {path for path in self._written if fold(path).startswith(beginning)}
        return sorted(new.union(super().below(folder)) - self._removed)

    def write(
        self, path: str, properties: Mapping[str, object] = {}, body: str | None = None, *, exact: bool = False
    ) -> Page:
        """Set some properties of a note and its body. Create the note if it is missing.

        None or an empty list removes a property. The body gets the line ends of the note, unless it is `exact`.
        """
        page = self.page(path)
        if page is None:
            page = Page(path if path in self._removed else free_path(self._catalog, name_of(path), is_path=True), b"")
        page.sound()
        check_text(body or "", "text")
        rest = body.encode() if exact and body else b""
        try:
            values = {key: None if value == [] else value for key, value in properties.items()}
            text = props.changed(page.text, values, "" if rest else body)
        except Unwritable as error:
            raise Unwritable(f"The note {name_of(path)!r} cannot be edited. {error}") from None
        check_text(text, "text")
        head = write_text(text, page.text)
        gap = b"\n" if rest and head and not head.endswith(b"\n") else b""
        self._removed.discard(page.path)
        if page.path not in self._written:
            self._written_at.setdefault(fold(page.path), []).append(page.path)
        self._written[page.path] = written = Page(page.path, head + gap + rest)
        return written

    def target(self, path: str) -> str:
        """Return the target for a link to a note that this edit creates.

        The target means no other note now. Otherwise `plan` would rewrite the link, so that it still means that note.
        """
        name = name_of(path)
        return name if self.resolve(name) in {None, path} else "/" + name

    def current(self, path: str, etag: str) -> Page:
        """Return the note at a path as this draft leaves it. A table has read the note with this etag, without a fault.

        Raise Changed if the note has another etag now, or is gone.
        """
        page = self.page(path)
        if page is None or (path not in self._written and page.etag != etag):
            raise Changed(f"{path!r} has changed, or is gone.")
        page.fault = None  # the table found none, so the frontmatter need not be parsed again
        return page

    def as_read(self, page: Page) -> Page:
        """Return a page as the session read or wrote it last; if that text is not known, as the page is now."""
        if page.path in self._written:
            return page
        return Page(page.path, base_version(self._view, page.path, read_etag(self._view, page.path)).data)

    def merged(self, path: str, base: str, mine: str, theirs: str) -> str:
        """Return a text with the changes of both sides."""
        return with_theirs(self._view, path, base, mine, theirs)[0]

    def remove(self, path: str) -> None:
        """Move a note to the trash. A note that only this draft has written is dropped."""
        if page := self.page(path):
            page.sound()
        if self._written.pop(path, None):
            self._written_at[fold(path)].remove(path)
        if path in self._catalog.rows:
            self._removed.add(path)

    def plan(self) -> Plan:
        """Return the plan of all that was written and removed. Links in other notes keep their meaning."""
        data = {path: page.data for path, page in self._written.items()}
        born = [path for path in data if path not in self._catalog.rows]
        view = self._view.with_texts({path: text for path, text in data.items() if path not in born})
        changed = Relinker(view, {}, born).changed() if born else {}
        relinked = {path: text for path, text in changed.items() if path not in self._removed}
        puts = [
            Put(path, text, None if path in born else self._view.base(path))
            for path, text in (data | relinked).items()
            if path in born or text != self._view.read(path)
        ]
        steps: tuple[Put | Move, ...] = (*puts, *to_trash(self._view, sorted(self._removed - self._written.keys())))
        others = tuple(path for path in relinked if path not in data)
        return Plan(steps[0].path, "changed", steps, others) if steps else Plan("", "unchanged", ())

    def at(self, path: str) -> Sequence[str]:
        """Return the paths that will differ from this one at most in case."""
        paths = [other for other in super().at(path) if other not in self._removed]
        return paths + [other for other in self._written_at.get(fold(path), ()) if other not in paths]
