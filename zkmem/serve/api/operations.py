"""What each operation of the API does: arguments, one call, one translation. In worker threads."""

import mimetypes
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response

from zkmem import __version__
from zkmem.errors import BadArgument, NoEtag
from zkmem.memory import Memory
from zkmem.names import composed
from zkmem.recall.revisions import Revision
from zkmem.records.outcome import Edited
from zkmem.serve.access.caller import Caller
from zkmem.serve.api.contract import description
from zkmem.serve.api.graphs import Graphs
from zkmem.serve.api.responses import json_response, proposal_of
from zkmem.serve.negotiation import accepts_gzip
from zkmem.util.threeway import propose

_ETAG = re.compile(r'\s*(?:W/)?"([^"]*)"\s*')
_FILE = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}


class ApiRequest(NamedTuple):
    """One request: the memory that it may use, who asks, what the path names, and what else is given."""

    memory: Memory
    caller: Caller
    name: str
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    headers: Headers
    graphs: Graphs

    @property
    def most(self) -> int:
        """How many things a list may have."""
        return int(self.query["count"])


def _vault(asked: ApiRequest) -> Response:
    memory, grant = asked.memory, asked.caller.grant
    notes, links = memory.counts()
    about = {"name": os.path.basename(memory.vault), "version": __version__, "notes": notes, "links": links}
    may = {"can_write": not grant.read_only, "folder": composed(grant.folder), "token": asked.caller.name or None}
    return json_response(about | may | {"git": memory.git, "max_chars": memory.max_chars})


def _graph(asked: ApiRequest) -> Response:
    graph = asked.graphs.of(asked.memory, asked.caller.grant.folder)
    headers = {"ETag": f'"{graph.etag}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if graph.etag in _tags(asked.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    if accepts_gzip(asked.headers.get("accept-encoding", "")):
        return Response(graph.packed, 200, {**headers, "Content-Encoding": "gzip"}, "application/json")
    return Response(graph.body, 200, headers, "application/json")


def _names(asked: ApiRequest) -> Response:
    names, total = asked.memory.complete(asked.query["q"])
    return json_response({"names": names[: asked.most], "total": total})


def _read(asked: ApiRequest) -> Response:
    depth = asked.query["depth"]
    page = asked.memory.page(asked.name, depth, asked.query["offset"])
    headers = {"ETag": f'"{page.etag}"'}
    if depth == 0 and page.etag in _tags(asked.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    data = {key: value for key, value in page._asdict().items() if key != "part"}
    return json_response(data | {"html": page.html(), "links": _rows(page.links)}, 200, headers)


def _part(asked: ApiRequest) -> Response:
    page = asked.memory.page(asked.name, asked.query["depth"], asked.query["offset"])
    return json_response({"etag": page.etag, "html": page.html(), "next_offset": page.next_offset})


def _save(asked: ApiRequest) -> Response:
    return _edited(asked.memory.save(asked.name, asked.body["content"], _base(asked.headers)))


def _merge(asked: ApiRequest) -> Response:
    texts = (asked.body[side] for side in ("base", "mine", "theirs"))
    return json_response(proposal_of(propose(*texts)))


def _delete(asked: ApiRequest) -> Response:
    etag = _base(asked.headers)
    if etag is None:
        raise NoEtag('Say which version is deleted: If-Match: "ETAG", which GET tells.')
    return json_response(asked.memory.delete(asked.name, etag)._asdict())


def _rename(asked: ApiRequest) -> Response:
    name, new_name = asked.body["name"], asked.body["new_name"]
    if asked.body.get("preview"):
        return _previewed(asked.memory.preview_rename(name, new_name))
    return _edited(asked.memory.rename(name, new_name))


def _extract(asked: ApiRequest) -> Response:
    names = asked.body["name"], asked.body["content"], asked.body["new_name"]
    if asked.body.get("preview"):
        return _previewed(asked.memory.preview_extract(*names))
    done = asked.memory.extract(*names)
    return json_response({"note": done.note._asdict(), "source": done.source._asdict()})


def _hints(asked: ApiRequest) -> Response:
    return json_response({"hints": _rows(asked.memory.hints(asked.most, folder=asked.query["folder"]))})


def _suggestions(asked: ApiRequest) -> Response:
    return json_response({"suggestions": _rows(asked.memory.suggestions(asked.query["threshold"], asked.most))})


def _findings(asked: ApiRequest) -> Response:
    kind = asked.query.get("kind")
    found = [one for one in asked.memory.check() if kind in (None, one.kind)]
    found.sort(key=lambda one: bool(one.target))  # findings about links are many, so the others come first
    return json_response({"findings": _rows(found[: asked.most]), "total": len(found)})


def _search(asked: ApiRequest) -> Response:
    folder = asked.query["folder"]
    hits = asked.memory.search(asked.query["q"], limit=asked.most, folders=[folder] if folder else None)
    return json_response({"hits": [{"name": one.name, "score": one.score, "snippet": one.snippet} for one in hits]})


def _log(asked: ApiRequest) -> Response:
    found = asked.memory.log(asked.query.get("name"), asked.most)
    return json_response({"edits": [_edit(one) for one in found]})


def _edit(one: Revision) -> dict[str, Any]:
    moves = [{"from": old, "to": new} for old, new in one.moves]
    about = {"rev": one.rev, "time": one.time, "client": one.author, "tool": one.tool, "title": one.what}
    return {**about, "notes": one.notes, "moves": moves, "undoes": one.undoes}


def _revision(asked: ApiRequest) -> Response:
    name, rev = asked.query["name"], asked.query["rev"]
    return json_response({"name": name, "rev": rev, "text": asked.memory.show(name, rev)})


def _diff(asked: ApiRequest) -> Response:
    query = asked.query
    return json_response({"diff": asked.memory.diff(query["name"], query.get("rev"), query.get("to"))})


def _restore(asked: ApiRequest) -> Response:
    return _edited(asked.memory.restore(asked.body["name"], asked.body["rev"]))


def _undo(asked: ApiRequest) -> Response:
    return json_response(asked.memory.undo(int(asked.body.get("count", 1)))._asdict())


def _redo(asked: ApiRequest) -> Response:
    return json_response(asked.memory.redo(int(asked.body.get("count", 1)))._asdict())


def _file(asked: ApiRequest) -> Response:
    data = asked.memory.read_file(asked.name)
    media_type = mimetypes.guess_type(asked.name)[0] or "application/octet-stream"
    return Response(data, 200, {**_FILE, "Cache-Control": "private, no-cache"}, media_type)


def _openapi(_: ApiRequest) -> Response:
    return json_response(description())


def _edited(done: Edited) -> Response:
    return json_response(done._asdict(), 201 if done.outcome == "created" else 200, {"ETag": f'"{done.etag}"'})


def _previewed(preview: Any) -> Response:
    return json_response({"outcome": preview.outcome, "changes": _rows(preview.changes)})


def _rows(found: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in found]


def _tags(header: str | None) -> list[str]:
    """The etags in a header."""
    return _ETAG.findall(header or "")


def _base(headers: Headers) -> str | None:
    """The etag of the version that is to be replaced; None if it is to be created.

    Raises:
        NoEtag: when the request does not say. BadArgument: when it says what cannot be.
    """
    match, none_match = headers.get("if-match"), headers.get("if-none-match")
    if match is None and none_match is None:
        raise NoEtag('Say what is replaced: If-Match: "ETAG", which GET tells; or create it with If-None-Match: *.')
    if match is None:
        if none_match != "*":
            raise BadArgument("If-None-Match can only be * here, to create a note that is not there.")
        return None
    found = _ETAG.fullmatch(match)
    if found is None or none_match is not None:
        raise BadArgument('If-Match must be one etag in quotes: If-Match: "ETAG", and alone.')
    return found[1]


OPERATIONS: Mapping[str, Callable[[ApiRequest], Response]] = {
    "getVault": _vault,
    "getGraph": _graph,
    "listNames": _names,
    "readNote": _read,
    "readPart": _part,
    "saveNote": _save,
    "mergeTexts": _merge,
    "deleteNote": _delete,
    "renameNote": _rename,
    "extractPassage": _extract,
    "listHints": _hints,
    "listSuggestions": _suggestions,
    "listFindings": _findings,
    "searchNotes": _search,
    "listEdits": _log,
    "readRevision": _revision,
    "compareRevisions": _diff,
    "restoreRevision": _restore,
    "undoEdits": _undo,
    "redoEdits": _redo,
    "readFile": _file,
    "describe": _openapi,
}
"""By the `operationId` of the description; `listen` aside, which streams."""
