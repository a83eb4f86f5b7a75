"""Answer hover and definition in an old revision of a note, which editors show under an address of its own.

The links mean what they meant then, and the texts are those of that time. The addresses are those of VS Code (`git:`),
GitLens, and the plugins fugitive and gitsigns of Vim and Neovim.
"""

import json
import logging
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from zkmem.errors import NoSection, UnknownNote, ZkError
from zkmem.lsp.documents import Document
from zkmem.lsp.features import Context
from zkmem.lsp.hover import MOST, content
from zkmem.memory.editor import Meant
from zkmem.names import path_of

_VIM = re.compile(r"(?P<repository>.*)/\.git//(?P<rev>[^/:]+)[/:](?P<path>.+)")
_PRESENT = {"", "~", "0", "HEAD"}  # what git has staged or committed last

_log = logging.getLogger(__name__)


class Revision(NamedTuple):
    """A file at an old revision, and a function that makes the address of another file at this revision."""

    full: str  # the path of the file on the disk
    rev: str
    address: Callable[[str], str]


def revision_in(uri: str) -> Revision | None:
    """Return the file and the revision that an address names; None for any other address."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path)
    except ValueError:
        return None
    if parts.scheme in {"git", "gitlens"}:
        return _of_vscode(parts.scheme, parts.netloc, path, unquote(parts.query))
    if parts.scheme in {"fugitive", "gitsigns"} and (match := _VIM.fullmatch(path)):
        repository, rev, mark = match["repository"], match["rev"], path[match.end("rev")]
        begin = f"{parts.scheme}://{quote(repository)}/.git//{quote(rev)}{mark}"
        return Revision(
            f"{repository}/{match['path']}",
            _revision(rev),
            lambda full: begin + quote(full.removeprefix(f"{repository}/")),
        )
    return None


def _of_vscode(scheme: str, host: str, path: str, query: str) -> Revision | None:
    try:
        known = json.loads(query)
    except (ValueError, RecursionError):
        return None
    rev = known.get("ref") if isinstance(known, dict) else None
    full = known.get("path", path) if isinstance(known, dict) else path
    if not isinstance(rev, str) or not isinstance(full, str):
        return None

    def address(other: str) -> str:
        values = {**known, "path": other} if "path" in known else known
        begin = f"{scheme}://{host}" if host else f"{scheme}:"
        return f"{begin}{quote(other)}?{quote(json.dumps(values))}"

    return Revision(full, _revision(rev), address)


def _revision(rev: str) -> str:
    return "HEAD" if rev in _PRESENT else rev


class EarlierRequest(NamedTuple):
    """A request about a file at an old revision."""

    context: Context
    path: str  # of the file in the vault
    text: Document
    revision: Revision

    def answer(self, method: str, params: Any) -> object:
        """Return the answer to a method; None for other methods than hover and definition, or if nothing is known."""
        work = {types.TEXT_DOCUMENT_HOVER: self._hover, types.TEXT_DOCUMENT_DEFINITION: self._definition}.get(method)
        meant = self._meant(params.position) if work else None
        if work is None or meant is None:
            return None
        try:
            target = self.context.workspace.memory.target_earlier(meant.link.target, self.path, self.revision.rev)
            return None if target is None else work(meant, target)
        except ZkError as error:  # nothing is known of this revision, or of the note at that time
            _log.info("%s", error)
            return None

    def _meant(self, position: types.Position) -> Meant | None:
        at = self.text.offset(position)
        links = self.context.notes.links(self.path, self.text.data)
        return next((one for one in links if one.link.start <= at <= one.link.end), None)

    def _hover(self, meant: Meant, target: str) -> types.Hover:
        text = self._read(target, meant.link.subpath, 1)
        shown = text if len(text) <= MOST else text[: text.rfind("\n", 0, MOST) + 1 or MOST] + "…"
        place = self.text.range(meant.link.start, meant.link.end)
        return types.Hover(content(self.context, f"**{target}** ({self.revision.rev})\n\n{shown}"), place)

    def _read(self, target: str, subpath: str, depth: int) -> str:
        memory, rev = self.context.workspace.memory, self.revision.rev
        try:
            return memory.read_earlier(target, rev, depth, subpath=subpath, then_first=True).note.text
        except NoSection:
            return memory.read_earlier(target, rev, depth, subpath="", then_first=True).note.text

    def _definition(self, meant: Meant, target: str) -> list[types.Location]:
        notes, link, begin = self.context.notes, meant.link, types.Position(0, 0)
        place = types.Range(begin, begin)
        try:
            text = self.context.documents.make("", self._read(target, "", 0).encode(errors="replace"))
            path = path_of(target)
        except UnknownNote:  # it was another file
            return [types.Location(self.revision.address(notes.full_path(target)), place)]
        if link.subpath and (span := notes.part(text.data, link.subpath, slugs=link.kind != "wiki")):
            place = text.range(*span)
        return [types.Location(self.revision.address(notes.full_path(path)), place)]
