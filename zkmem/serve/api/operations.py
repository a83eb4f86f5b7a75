"""The operations of the API. Each one runs in a thread: it reads its arguments, calls the memory, builds a response."""

import base64
import json
import mimetypes
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response

from zkmem import __version__
from zkmem.errors import BadArgument, NoEtag
from zkmem.memory import Memory
from zkmem.names import composed
from zkmem.recall.bases.table_query import property_of
from zkmem.recall.property_values import Property
from zkmem.recall.revisions import Revision
from zkmem.recall.search import Hit
from zkmem.records.outcome import Edited, Undone
from zkmem.serve.access.caller import Identity
from zkmem.serve.access.gate import PAGE, by_client
from zkmem.serve.access.signin.own import OwnSignIns
from zkmem.serve.api.contract import description
from zkmem.serve.api.graphs import Graphs
from zkmem.serve.api.responses import json_response, proposal_of
from zkmem.serve.common import Place
from zkmem.serve.negotiation import accepts_gzip
from zkmem.util.threeway import propose

if TYPE_CHECKING:
    from zkmem.index.check import Finding

_SHOWN = re.compile(r"(?:image|audio|video)/.+|application/pdf|text/plain")  # a script of the vault must not run
_ETAG = re.compile(r'\s*(?:W/)?"([^"]*)"\s*')
_COUNTED = ("missing", "ambiguous", "conflict")  # kinds of findings that the page counts one by one
_MOST_SUGGESTED = 100
_SEARCH_WAIT_S = 2.0  # for the search index; after that, it answers from what is indexed
_FILE = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}


class Besides(NamedTuple):
    """What the operations on one vault use besides its memory."""

    graphs: Graphs
    signins: OwnSignIns
    place: Place


class ApiRequest(NamedTuple):
    """One request: the memory for its caller, the caller, the name in the path, the query, the body and the headers."""

    memory: Memory
    caller: Identity
    address: str  # of the caller
    name: str
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    headers: Headers
    besides: Besides

    @property
    def limit(self) -> int:
        """Return how many items a list may have."""
        return int(self.query["count"])


def _vault(request: ApiRequest) -> Response:
    memory, grant = request.memory, request.caller.grant
    notes, links = memory.counts()
    name = request.besides.place.name or os.path.basename(memory.vault)
    about = {"name": name, "version": __version__, "notes": notes, "links": links}
    may = {
        "can_write": not grant.read_only,
        "proposes": bool(grant.proposes_as),
        "folder": composed(grant.folder),
        "token": request.caller.name or None,
        "person": request.caller.person or None,
    }
    others = {"vaults": request.besides.place.open_to(request.caller)}
    return json_response(about | may | others | {"git": memory.git, "max_chars": memory.max_chars})


def _signins(request: ApiRequest) -> Response:
    return json_response({"sign_ins": _rows(request.besides.signins.all(request.caller))})


def _passkeys(request: ApiRequest) -> Response:
    own, caller = request.besides.signins, request.caller
    return json_response({"passkeys": _rows(own.passkeys(caller)), "can_add": own.offers_passkeys(caller)})


def _remove_passkey(request: ApiRequest) -> Response:
    request.besides.signins.remove_passkey(request.caller, request.name, request.address)
    return json_response({"done": True})


def _end_signin(request: ApiRequest) -> Response:
    request.besides.signins.end(request.caller, request.name, request.address)
    return json_response({"done": True})


def _sync(request: ApiRequest) -> Response:
    state = request.memory.sync_state()
    return json_response({"last": state and state._asdict()})


def _graph(request: ApiRequest) -> Response:
    graph = request.besides.graphs.get(request.memory, request.caller.grant)
    headers = {"ETag": f'"{graph.etag}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if graph.etag in _etags(request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(graph.compressed, 200, {**headers, "Content-Encoding": "gzip"}, "application/json")
    return Response(graph.body, 200, headers, "application/json")


def _names(request: ApiRequest) -> Response:
    names, total = request.memory.complete(request.query["q"])
    return json_response({"names": names[: request.limit], "total": total})


def _read(request: ApiRequest) -> Response:
    depth = request.query["depth"]
    page = request.memory.page(request.name, depth, request.query["offset"])
    headers = {"ETag": f'"{page.etag}"'}
    if depth == 0 and page.etag in _etags(request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    data = {key: value for key, value in page._asdict().items() if key != "part"}
    made = {"html": page.html(), "links": _rows(page.links), "conflicts": _rows(page.conflicts())}
    made["headings"] = _rows(page.headings())
    made["values"] = [_value(one) for one in page.values]
    return json_response(data | made, 200, headers)


def _value(one: Property) -> dict[str, Any]:
    items = [
        {"text": item.text, "kind": item.kind, "target": item.target, "subpath": item.subpath} for item in one.items
    ]
    return {"key": one.key, "is_list": one.is_list, "items": items}


def _part(request: ApiRequest) -> Response:
    page = request.memory.page(request.name, request.query["depth"], request.query["offset"])
    return json_response({"etag": page.etag, "html": page.html(), "next_offset": page.next_offset})


def _save(request: ApiRequest) -> Response:
    return _edited(request.memory.save(request.name, request.body["content"], _etag_to_replace(request.headers)))


def _resolve(request: ApiRequest) -> Response:
    body = request.body
    memory, number = request.memory, int(body["number"])
    return _edited(memory.resolve(body["name"], number, other=body["other"], etag=body["etag"]))


def _merge(request: ApiRequest) -> Response:
    texts = (request.body[side] for side in ("base", "mine", "theirs"))
    return json_response(proposal_of(propose(*texts)))


def _delete(request: ApiRequest) -> Response:
    etag = _etag_to_replace(request.headers)
    if etag is None:
        raise NoEtag('Name the version to delete: If-Match: "ETAG". A GET of the note returns its etag.')
    return json_response(request.memory.delete(request.name, etag)._asdict())


def _rename(request: ApiRequest) -> Response:
    name, new_name = request.body["name"], request.body["new_name"]
    if request.body.get("preview"):
        return _previewed(request.memory.preview_rename(name, new_name))
    return _edited(request.memory.rename(name, new_name))


def _extract(request: ApiRequest) -> Response:
    names = request.body["name"], request.body["content"], request.body["new_name"]
    if request.body.get("preview"):
        return _previewed(request.memory.preview_extract(*names))
    done = request.memory.extract(*names)
    return json_response({"note": done.note._asdict(), "source": done.source._asdict()})


def _mentions(request: ApiRequest) -> Response:
    found = request.memory.mentions(request.name, wait_s=_SEARCH_WAIT_S)
    passages = {"backlinks": _rows(found.backlinks), "mentions": _rows(found.mentions)}
    return json_response({**passages, "remarks": found.remarks})


def _link(request: ApiRequest) -> Response:
    body = request.body
    return _edited(request.memory.link(body["name"], body["passage"], int(body["start"]), body["to"], body["etag"]))


def _repoint(request: ApiRequest) -> Response:
    body = request.body
    return json_response(request.memory.repoint(body["names"], body["target"], body["to"])._asdict())


def _home(request: ApiRequest) -> Response:
    home = request.memory.home(request.limit)
    return json_response({"hints": _rows(home.hints), "recent": _rows(home.recent)})


def _hints(request: ApiRequest) -> Response:
    return json_response({"hints": _rows(request.memory.hints(request.limit, folder=request.query["folder"]))})


def _suggestions(request: ApiRequest) -> Response:
    return json_response({"suggestions": _rows(request.memory.suggestions(request.query["threshold"], request.limit))})


def _findings(request: ApiRequest) -> Response:
    from zkmem.index.check import grouped  # noqa: PLC0415 - slow to import, seldom needed

    every = request.memory.check()
    listed: dict[str, list[Finding]] = {kind: [] for kind in (*_COUNTED, "other")}
    for one in every:
        listed[one.kind if one.kind in _COUNTED else "other"].append(one)
    counts = {kind: len(found) for kind, found in listed.items()}
    counts["missing"] = len(grouped(listed["missing"]))  # one for each missing note, however many links lead to it
    counts["suggestions"] = len(request.memory.suggestions(count=_MOST_SUGGESTED))
    kind = request.query.get("kind") or ""
    if kind == "first":
        kind = next(filter(listed.get, listed), "missing")
    findings = listed[kind] if kind in listed else [one for one in every if kind in ("", one.kind)]
    findings = sorted(findings, key=lambda one: bool(one.target))  # findings about links are many
    first = _rows(findings[: request.limit])
    return json_response({"findings": first, "kind": kind, "total": len(findings), "counts": counts})


def _search(request: ApiRequest) -> Response:
    folder = request.query["folder"]
    folders = [folder] if folder else None
    hits = request.memory.search(request.query["q"], limit=request.limit, folders=folders, wait_s=_SEARCH_WAIT_S)
    return json_response({"hits": [_without_path(one) for one in hits], "remarks": hits.remarks})


def _places(request: ApiRequest) -> Response:
    found = request.memory.places(request.query["q"], limit=request.limit, wait_s=_SEARCH_WAIT_S)
    rows = {"aliases": _rows(found.aliases), "headings": _rows(found.headings), "tags": _rows(found.tags)}
    return json_response(rows | {"remarks": found.remarks})


def _without_path(hit: Hit) -> dict[str, Any]:
    return {key: value for key, value in hit._asdict().items() if key != "path"}


def _table(request: ApiRequest) -> Response:
    query = request.query
    table = request.memory.query(
        query["filter"],
        search=query["q"],
        base=query["base"],
        view=query["view"] or None,
        columns=_texts("columns", query["columns"]),
        sort=[query["sort"]] if query["sort"] else [],
        group=query["group"],
        first=query["from"],
        limit=request.limit,
        wait_s=_SEARCH_WAIT_S,
    )
    titled = zip(table.keys, table.columns, strict=True)
    rows = [
        {
            "note": row.note,
            "group": row.group,
            "cells": [{"text": text, "type": kind} for text, kind in zip(row.cells, row.types, strict=True)],
        }
        for row in table.rows
    ]
    answer = table.data() | {
        "columns": [{"key": key, "title": title, "editable": property_of(key) is not None} for key, title in titled],
        "rows": rows,
    }
    return json_response(answer)


def _texts(name: str, text: str) -> list[str]:
    """Return the texts in a JSON array.

    Raises:
        BadArgument: when the text is no such array.
    """
    try:
        texts = json.loads(text) if text else []
    except (ValueError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise BadArgument(f"`{name}` must be a JSON array of texts.")
    return texts


def _bases(request: ApiRequest) -> Response:
    return json_response({"bases": [{"path": path, "views": views} for path, views in request.memory.bases()]})


def _set_properties(request: ApiRequest) -> Response:
    done = request.memory.set_properties(request.body["properties"], request.body["names"])
    return json_response(done._asdict())


def _log(request: ApiRequest) -> Response:
    revisions = request.memory.log(request.query.get("name"), request.limit, request.query["by"])
    return json_response({"edits": [_edit(one) for one in revisions]})


def _edit(one: Revision) -> dict[str, Any]:
    moves = [{"from": old, "to": new} for old, new in one.moves]
    about = {"rev": one.rev, "time": one.time, "client": one.author, "tool": one.tool, "title": one.words}
    return {**about, "notes": one.notes, "moves": moves, "undoes": one.undoes, "outside": one.outside}


def _review(request: ApiRequest) -> Response:
    person, own = request.caller.name, {by_client(request.caller.name, PAGE)}
    before = request.query.get("before")
    review = request.memory.review(person, own, before=before, count=request.limit)
    cards = [card._asdict() | {"notes": _rows(card.notes), "own": card.client in own} for card in review.sittings]
    return json_response({"sittings": cards, "next": review.next, "unseen": review.unseen})


def _changes(request: ApiRequest) -> Response:
    edit, first = int(request.query["edit"]), int(request.query["from"])
    return json_response({"notes": _rows(request.memory.changes(edit, first=first, count=request.limit))})


def _growth(request: ApiRequest) -> Response:
    growth = request.memory.growth(int(request.query["edit"]))
    return json_response({"notes": _rows(growth.notes), "links": _rows(growth.links), "left": growth.left})


def _mark_seen(request: ApiRequest) -> Response:
    edit, earlier = int(request.body["edit"]), bool(request.body.get("earlier"))
    request.memory.mark_seen(request.caller.name, edit, earlier=earlier)
    return json_response({"done": True})


def _proposed(request: ApiRequest) -> Response:
    sets = [
        one._asdict()
        | {"notes": _rows(one.notes), "edits": [edit._asdict() | {"notes": _rows(edit.notes)} for edit in one.edits]}
        for one in request.memory.proposed()
    ]
    return json_response({"change_sets": sets})


def _proposed_changes(request: ApiRequest) -> Response:
    edits = [int(request.query["edit"])] if "edit" in request.query else []
    first = int(request.query["from"])
    notes = request.memory.proposed_changes(request.query["client"], edits, first=first, count=request.limit)
    return json_response({"notes": _rows(notes)})


def _blocked(request: ApiRequest) -> Response:
    found = request.memory.blocked(request.query["client"])
    return json_response({"edits": _rows(found.edits), "unchecked": found.unchecked})


def _accept(request: ApiRequest) -> Response:
    body = request.body
    done = request.memory.accept(*_chosen(body), as_new=bool(body.get("as_new")), seen=_seen(body))
    return json_response({"accepted": done.accepted, "left": _rows(done.left)})


def _drop(request: ApiRequest) -> Response:
    return json_response({"dropped": request.memory.drop(*_chosen(request.body), seen=_seen(request.body))})


def _chosen(body: Mapping[str, Any]) -> tuple[str, list[int]]:
    """Return the client and the numbers of the edits that a body names; no numbers stand for all edits."""
    if "edits" in body and not body["edits"]:
        raise BadArgument("`edits` is empty; leave it out to mean all edits.")
    return body["client"], [int(one) for one in body.get("edits", ())]


def _seen(body: Mapping[str, Any]) -> float | None:
    return float(body["seen"]) if "seen" in body else None


def _revision(request: ApiRequest) -> Response:
    name, rev = request.query["name"], request.query["rev"]
    return json_response({"name": name, "rev": rev, "text": request.memory.show(name, rev)})


def _diff(request: ApiRequest) -> Response:
    query = request.query
    return json_response({"diff": request.memory.diff(query["name"], query.get("rev"), query.get("to"))})


def _restore(request: ApiRequest) -> Response:
    return _edited(request.memory.restore(request.body["name"], request.body["rev"]))


def _undo(request: ApiRequest) -> Response:
    body = request.body
    which = int(body.get("count", 1)), _number(body)
    whole = {"sitting": bool(body.get("sitting")), "partial": bool(body.get("partial"))}
    if body.get("preview"):
        return _previewed(request.memory.preview_undo(*which, **whole))
    return _undone(request.memory.undo(*which, **whole))


def _redo(request: ApiRequest) -> Response:
    which = int(request.body.get("count", 1)), _number(request.body)
    if request.body.get("preview"):
        return _previewed(request.memory.preview_redo(*which))
    return _undone(request.memory.redo(*which))


def _undone(done: Undone) -> Response:
    return json_response(done._asdict() | {"left": _rows(done.left)})


def _number(body: Mapping[str, Any]) -> int | None:
    return int(body["edit"]) if "edit" in body else None


def _file(request: ApiRequest) -> Response:
    data = request.memory.read_file(request.name)
    guessed = mimetypes.guess_type(request.name)[0] or ""
    media_type = guessed if _SHOWN.fullmatch(guessed) else "application/octet-stream"
    return Response(data, 200, {**_FILE, "Cache-Control": "private, no-cache"}, media_type)


def _attach(request: ApiRequest) -> Response:
    body = request.body
    try:
        data = base64.b64decode(body["data"], validate=True)
    except ValueError:
        raise BadArgument("`data` must be the bytes of the picture in base64.") from None
    return json_response(request.memory.attach(body["note"], body.get("title", ""), data)._asdict(), 201)


def _openapi(_: ApiRequest) -> Response:
    return json_response(description())


def _edited(done: Edited) -> Response:
    return json_response(done._asdict(), 201 if done.outcome == "created" else 200, {"ETag": f'"{done.etag}"'})


def _previewed(preview: Any) -> Response:
    about = {"outcome": preview.outcome, "edits": list(preview.edits)}
    return json_response({**about, "changes": _rows(preview.changes), "left": _rows(preview.left)})


def _rows(values: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in values]


def _etags(header: str | None) -> list[str]:
    """Return the etags in a header."""
    return _ETAG.findall(header or "")


def _etag_to_replace(headers: Headers) -> str | None:
    """Return the etag of the version to replace; None if the note must not exist yet.

    Raises:
        NoEtag: when no header names a version. BadArgument: when the headers contradict each other or are malformed.
    """
    match, none_match = headers.get("if-match"), headers.get("if-none-match")
    if match is None and none_match is None:
        raise NoEtag(
            'Name the version to replace: If-Match: "ETAG". A GET of the note returns its etag. To create a note: '
            "If-None-Match: *"
        )
    if match is None:
        if none_match != "*":
            raise BadArgument("If-None-Match can only be * here, to create a note.")
        return None
    etag = _ETAG.fullmatch(match)
    if etag is None or none_match is not None:
        raise BadArgument('If-Match must be one etag in quotes, without If-None-Match: If-Match: "ETAG"')
    return etag[1]


OPERATIONS: Mapping[str, Callable[[ApiRequest], Response]] = {
    "getVault": _vault,
    "getSync": _sync,
    "listSignIns": _signins,
    "endSignIn": _end_signin,
    "listPasskeys": _passkeys,
    "removePasskey": _remove_passkey,
    "getGraph": _graph,
    "listNames": _names,
    "readNote": _read,
    "readPart": _part,
    "listMentions": _mentions,
    "saveNote": _save,
    "resolveConflict": _resolve,
    "makeLink": _link,
    "repointLinks": _repoint,
    "mergeTexts": _merge,
    "deleteNote": _delete,
    "renameNote": _rename,
    "extractPassage": _extract,
    "listHints": _hints,
    "listSuggestions": _suggestions,
    "listFindings": _findings,
    "readHome": _home,
    "searchNotes": _search,
    "listPlaces": _places,
    "listTable": _table,
    "listBases": _bases,
    "setProperties": _set_properties,
    "listEdits": _log,
    "listSittings": _review,
    "listChanges": _changes,
    "readGrowth": _growth,
    "markSeen": _mark_seen,
    "listProposed": _proposed,
    "listProposedChanges": _proposed_changes,
    "listBlockedEdits": _blocked,
    "acceptEdits": _accept,
    "dropEdits": _drop,
    "readRevision": _revision,
    "compareRevisions": _diff,
    "restoreRevision": _restore,
    "undoEdits": _undo,
    "redoEdits": _redo,
    "readFile": _file,
    "storeAttachment": _attach,
    "describe": _openapi,
}
"""The operations by the `operationId` of the description, without `listen`, which streams."""
