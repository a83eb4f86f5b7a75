"""Operations of the API on the history: list edits, compare texts, undo."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from zkmem.past.revisions import Revision
from zkmem.records.outcome import Undone
from zkmem.serve.access.gate import PAGE, by_client
from zkmem.serve.api.request import ApiRequest, Operation
from zkmem.serve.api.responses import edited, json_response, objects, previewed


def _log(request: ApiRequest) -> Response:
    name, by, edit = request.query.get("name"), request.query["by"], request.query.get("edit")
    revisions = request.memory.log(name, request.limit, by, edit=edit)
    return json_response({"edits": [_edit(one) for one in revisions]})


def _edit(one: Revision) -> dict[str, Any]:
    moves = [{"from": old, "to": new} for old, new in one.moves]
    about = {"rev": one.rev, "time": one.time, "client": one.author, "tool": one.tool, "title": one.words}
    return {**about, "notes": one.notes, "moves": moves, "undoes": one.undoes, "outside": one.outside}


def _given(request: ApiRequest) -> Response:
    return json_response({"given": objects(request.memory.given(request.limit))})


def _review(request: ApiRequest) -> Response:
    person, own = request.caller.name, {by_client(request.caller.name, PAGE)}
    before = request.query.get("before")
    review = request.memory.review(person, own, before=before, limit=request.limit)
    cards = [card._asdict() | {"notes": objects(card.notes), "own": card.client in own} for card in review.sittings]
    return json_response({"sittings": cards, "next": review.next, "unseen": review.unseen})


def _changes(request: ApiRequest) -> Response:
    edit, first = int(request.query["edit"]), int(request.query["from"])
    return json_response({"notes": objects(request.memory.changes(edit, first=first, limit=request.limit))})


def _mark_seen(request: ApiRequest) -> Response:
    edit, earlier = int(request.body["edit"]), bool(request.body.get("earlier"))
    request.memory.mark_seen(request.caller.name, edit, earlier=earlier)
    return json_response({"done": True})


def _revision(request: ApiRequest) -> Response:
    name, rev = request.query["name"], request.query["rev"]
    return json_response({"name": name, "rev": rev, "text": request.memory.show(name, rev)})


def _diff(request: ApiRequest) -> Response:
    query = request.query
    return json_response({"diff": request.memory.diff(query["name"], query.get("rev"), query.get("to"))})


def _restore(request: ApiRequest) -> Response:
    return edited(request.memory.restore(request.body["name"], request.body["rev"]))


def _undo(request: ApiRequest) -> Response:
    body = request.body
    which = int(body.get("count", 1)), _number(body)
    whole = {"sitting": bool(body.get("sitting")), "partial": bool(body.get("partial"))}
    if body.get("preview"):
        return previewed(request.memory.preview_undo(*which, **whole))
    return _undone(request.memory.undo(*which, **whole))


def _redo(request: ApiRequest) -> Response:
    which = int(request.body.get("count", 1)), _number(request.body)
    if request.body.get("preview"):
        return previewed(request.memory.preview_redo(*which))
    return _undone(request.memory.redo(*which))


def _undone(done: Undone) -> Response:
    return json_response(done._asdict() | {"left": objects(done.left)})


def _number(body: Mapping[str, Any]) -> int | None:
    return int(body["edit"]) if "edit" in body else None


HISTORY: Mapping[str, Operation] = {
    "listEdits": _log,
    "listGiven": _given,
    "listSittings": _review,
    "listChanges": _changes,
    "markSeen": _mark_seen,
    "readRevision": _revision,
    "compareRevisions": _diff,
    "restoreRevision": _restore,
    "undoEdits": _undo,
    "redoEdits": _redo,
}
