"""Operations of the API on proposed edits: list, accept, drop."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from zkmem.errors import BadArgument
from zkmem.recall.change_sets import ProposedEdit
from zkmem.serve.api.request import ApiRequest, Operation
from zkmem.serve.api.responses import json_response, objects


def _proposed(request: ApiRequest) -> Response:
    sets = [
        one._asdict() | {"notes": objects(one.notes), "edits": [_with_notes(edit) for edit in one.edits]}
        for one in request.memory.proposed()
    ]
    return json_response({"change_sets": sets})


def _with_notes(edit: ProposedEdit) -> dict[str, Any]:
    return edit._asdict() | {"notes": objects(edit.notes)}


def _proposed_changes(request: ApiRequest) -> Response:
    edits = [int(request.query["edit"])] if "edit" in request.query else []
    first = int(request.query["from"])
    notes = request.memory.proposed_changes(request.query["client"], edits, first=first, limit=request.limit)
    return json_response({"notes": objects(notes)})


def _blocked(request: ApiRequest) -> Response:
    found = request.memory.blocked(request.query["client"])
    return json_response({"edits": objects(found.edits), "unchecked": found.unchecked})


def _accept(request: ApiRequest) -> Response:
    body = request.body
    done = request.memory.accept(*_chosen(body), as_new=bool(body.get("as_new")), seen=_seen(body))
    return json_response({"accepted": done.accepted, "left": objects(done.left)})


def _drop(request: ApiRequest) -> Response:
    return json_response({"dropped": request.memory.drop(*_chosen(request.body), seen=_seen(request.body))})


def _chosen(body: Mapping[str, Any]) -> tuple[str, list[int]]:
    """Return the client and the numbers of the edits that a body names; no numbers stand for all edits."""
    if "edits" in body and not body["edits"]:
        raise BadArgument("`edits` is empty; leave it out to mean all edits.")
    return body["client"], [int(one) for one in body.get("edits", ())]


def _seen(body: Mapping[str, Any]) -> float | None:
    return float(body["seen"]) if "seen" in body else None


PROPOSED: Mapping[str, Operation] = {
    "listProposed": _proposed,
    "listProposedChanges": _proposed_changes,
    "listBlockedEdits": _blocked,
    "acceptEdits": _accept,
    "dropEdits": _drop,
}
