"""Answer hover and definition in an old revision of a note, which editors show under an address of its own.

The links mean what they meant then, and the texts are those of that time. The addresses are those of VS Code (`git:`),
GitLens, and the plugins fugitive and gitsigns of Vim and Neovim.
"""

import json
import logging
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit

from lsprotocol import types

from zkmem.errors import NoSection, UnknownNote, ZkError
from zkmem.lsp.documents import Document
from zkmem.lsp.features import EditorContext
from zkmem.lsp.navigation import MOST_SHOWN, content, meant_at
from zkmem.memory.editor import Meant, as_quotes
from zkmem.names import path_of

_VIM = re.compile(
    r"(?P<begin>(?P<plugin>fugitive|gitsigns)://(?P<repository>.*)/\.git//(?P<rev>:?[^/:]+)[/:])(?P<path>.+)", re.DOTALL
)
_STAGE_MARKS = {"fugitive": "", "gitsigns": ":", "git": "~", "gitlens": "~"}  # before a number of a stage of the index
_HASH = re.compile(r"[0-9a-f]{9,64}")

_log = logging.getLogger(__name__)


class OldFile(NamedTuple):
    """A file at an old revision, and a function that makes the address of another file at this revision."""

    full: str  # the path of the file on the disk
    rev: str
    address: Callable[[str], str]

    @property
    def moment(self) -> str:
        """The revision, written so that it means a commit: a tag alone could be taken for a date or an edit."""
        return f"{self.rev}^0"

    @property
    def shown(self) -> str:
        """The revision as a person reads it."""
        return self.rev[:8] if _HASH.fullmatch(self.rev) else self.rev


def revision_in(uri: str) -> OldFile | None:
    """Return the file and the revision that an address names; None for any other address."""
    if match := _VIM.fullmatch(unquote(uri)):
        return _of_vim(match)
    try:
        parts = urlsplit(uri)
        query = json.loads(unquote(parts.query)) if parts.scheme in {"git", "gitlens"} else None
    except (ValueError, RecursionError):
        return None
    return _of_vscode(parts, query) if isinstance(query, dict) else None


def _of_vim(match: re.Match[str]) -> OldFile | None:
    plugin, repository = match["plugin"], match["repository"]
    rev = _commit(match["rev"], _STAGE_MARKS[plugin])

    def address(other: str) -> str:
        """Return the address as the plugin makes it: Neovim takes it, as it is, for the name of a buffer."""
        whole = match["begin"] + other.removeprefix(f"{repository}/")
        return re.sub("[%#?]", lambda found: quote(found[0]), whole) if plugin == "fugitive" else whole

    return None if rev is None else OldFile(f"{repository}/{match['path']}", rev, address)


def _of_vscode(parts: SplitResult, known: dict[str, object]) -> OldFile | None:
    full, ref = known.get("path", unquote(parts.path)), known.get("ref")
    rev = _commit(ref, _STAGE_MARKS[parts.scheme]) if isinstance(ref, str) else None

    def address(other: str) -> str:
        values = {**known, "path": other} if "path" in known else known
        begin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"
        return f"{begin}{quote(other)}?{quote(json.dumps(values))}"

    return OldFile(full, rev, address) if isinstance(full, str) and rev is not None else None


def _commit(rev: str, stage_mark: str) -> str | None:
    """Return the commit that a revision of an editor stands for; None for another side of a merge.

    What git has staged is not committed yet: the last commit is the nearest one.
    """
    if rev in {"", stage_mark, f"{stage_mark}0", f"{stage_mark}2"}:  # 2 is our side of a merge
        return "HEAD"
    return None if rev in {f"{stage_mark}1", f"{stage_mark}3"} else rev


class EarlierRequest(NamedTuple):
    """A request about a file at an old revision."""

    context: EditorContext
    path: str  # of the file in the vault
    text: Document
    revision: OldFile

    def answer(self, method: str, params: Any) -> object:
        """Return the answer to a method; None for other methods than hover and definition, or if nothing is known."""
        work = {types.TEXT_DOCUMENT_HOVER: self._hover, types.TEXT_DOCUMENT_DEFINITION: self._definition}.get(method)
        meant = meant_at(self.context.about(self.path, self.text), params.position) if work else None
        if work is None or meant is None:
            return None
        try:
            target = self.context.workspace.memory.target_earlier(meant.link.target, self.path, self.revision.moment)
            return None if target is None else work(meant, target)
        except ZkError as error:  # nothing is known of this revision, or of the note at that time
            _log.info("%s", error)
            return None

    def _hover(self, meant: Meant, target: str) -> types.Hover:
        text = as_quotes(self._read(target, meant.link.subpath, 1))
        shown = text if len(text) <= MOST_SHOWN else text[: text.rfind("\n", 0, MOST_SHOWN) + 1 or MOST_SHOWN] + "…"
        place = self.text.range(meant.link.start, meant.link.end)
        return types.Hover(content(self.context, f"**{target}** ({self.revision.shown})\n\n{shown}"), place)

    def _read(self, target: str, subpath: str, depth: int) -> str:
        memory, at = self.context.workspace.memory, self.revision.moment
        try:
            return memory.read_earlier(target, at, depth, subpath=subpath, then_first=True).note.text
        except NoSection:
            return memory.read_earlier(target, at, depth, subpath="", then_first=True).note.text

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
