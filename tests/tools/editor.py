"""A text editor for tests: it carries out edits of the Language Server Protocol, on open documents and on files."""

import pathlib
import re

from lsprotocol import types
from pygls.uris import to_fs_path

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
_BOM = b"\xef\xbb\xbf"


class Refused(Exception):
    """The editor does not carry out an edit."""


class Editor:
    """The open documents of an editor, by address, with their versions; other files are on the disk."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Show a text."""
        self.texts[uri], self.versions[uri] = text, version

    def close(self, uri: str) -> str:
        """Stop showing a text, and return it."""
        del self.versions[uri]
        return self.texts.pop(uri)

    def carry_out(self, edit: types.WorkspaceEdit | None) -> None:
        """Carry out an edit as an editor does: a file that is not open is opened, changed and saved.

        Raises:
            Refused: before anything is changed, when a version is not that of the document; or when a file that is to
                be made or renamed exists already, or is missing.
        """
        if edit is None:
            return
        changes = edit.document_changes or [
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), [*edits])
            for uri, edits in (edit.changes or {}).items()
        ]
        for change in changes:
            if isinstance(change, types.TextDocumentEdit):
                about = change.text_document
                if about.version is not None and about.version != self.versions.get(about.uri):
                    raise Refused(about.uri)
        for change in changes:
            if isinstance(change, types.TextDocumentEdit):
                self._change(change.text_document.uri, [one for one in change.edits if isinstance(one, types.TextEdit)])
            elif isinstance(change, types.CreateFile):
                self._create(change.uri)
            elif isinstance(change, types.RenameFile):
                self.move_file(change.old_uri, change.new_uri)
            else:
                raise Refused(change.kind)

    def _change(self, uri: str, edits: list[types.TextEdit]) -> None:
        if uri in self.texts:
            self.open(uri, changed(self.texts[uri], edits), self.versions[uri] + 1)
            return
        data = _file(uri).read_bytes()
        bom = _BOM if data.startswith(_BOM) else b""
        _file(uri).write_bytes(bom + changed(data.removeprefix(_BOM).decode(), edits).encode())

    def _create(self, uri: str) -> None:
        if _file(uri).exists():
            raise Refused(uri)
        _file(uri).parent.mkdir(parents=True, exist_ok=True)
        _file(uri).write_bytes(b"")

    def move_file(self, old: str, new: str) -> None:
        """Move a file or a folder, with the documents that show it."""
        if not _file(old).exists() or (_file(new).exists() and not _file(new).samefile(_file(old))):
            raise Refused(old)
        _file(new).parent.mkdir(parents=True, exist_ok=True)
        _file(old).rename(_file(new))
        for uri in [uri for uri in self.texts if uri == old or uri.startswith(old + "/")]:
            version = self.versions[uri] + 1
            text = self.close(uri)
            self.open(new + uri[len(old) :], text, version)

    def save(self) -> None:
        """Write all open documents to their files."""
        for uri, text in self.texts.items():
            _file(uri).write_bytes(text.encode())


def changed(text: str, edits: list[types.TextEdit]) -> str:
    """Return a text after some edits, whose positions count units of UTF-16. No two of them may overlap."""
    lines = [*_LINE.findall(text), ""]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(at: types.Position) -> int:
        units = lines[at.line].rstrip("\r\n").encode("utf-16-le")
        assert 2 * at.character <= len(units)
        return starts[at.line] + len(units[: 2 * at.character].decode("utf-16-le"))

    pieces, done = [], 0
    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character)):
        start, end = offset(edit.range.start), offset(edit.range.end)
        assert done <= start <= end
        pieces += [text[done:start], edit.new_text]
        done = end
    return "".join([*pieces, text[done:]])


def _file(uri: str) -> pathlib.Path:
    full = to_fs_path(uri)
    assert full
    return pathlib.Path(full)
