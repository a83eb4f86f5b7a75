"""Operations of the API on edits: list them, compare texts, undo; list, accept and drop those that are proposed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from zkmem.caller import own_clients
from zkmem.errors import BadArgument
from zkmem.records.outcome import Undone
from zkmem.serve.api.exchange import ApiRequest, Operation, edited, json_response, objects, previewed

if TYPE_CHECKING:
    from zkmem.memory import ChangedNote, Preview, ProposedEdit, Revision


def _log(request: ApiRequest) -> Response:
    name, by, edit = request.query.get("name"), request.query["by"], request.query.get("edit")
    revisions = request.memory.log(name, request.limit, by, edit=edit)
    return json_response({"edits": [_edit(one) for one in revisions]})


def _edit(one: "Revision") -> dict[str, Any]:
    moves = [{"from": old, "to": new} for old, new in one.moves]
    about = {"rev": one.rev, "time": one.time, "client": one.author, "tool": one.tool, "title": one.words}
    more = {"notes": one.notes, "moves": moves, "undoes": one.undoes, "outside": one.outside}
    return about | more | {"version": one.version, "undone": one.undone}


def _given(request: ApiRequest) -> Response:
    return json_response({"given": objects(request.memory.given(request.limit))})


def _review(request: ApiRequest) -> Response:
    person, own = request.memory.person, own_clients(request.memory.person)
    before = request.query.get("before")
    review = request.memory.review(person, own, before=before, limit=request.limit)
    lists = ("notes", "counts")
    cards = [
        card._asdict() | {key: objects(getattr(card, key)) for key in lists} | {"own": card.client in own}
        for card in review.sittings
    ]
    unseen = request.memory.brief(person, own, limit=0).edits
    return json_response({"sittings": cards, "next": review.next, "unseen": unseen})


def _brief(request: ApiRequest) -> Response:
    query, person = request.query, request.memory.person
    brief = request.memory.brief(
        person,
        own_clients(person),
        kind=query["kind"],
        client=query["client"],
        folder=query["folder"],
        sitting=query.get("sitting"),
        first=query["from"],
        limit=request.limit,
    )
    lists = {key: objects(getattr(brief, key)) for key in ("clients", "counts", "folders", "lines")}
    return json_response(brief._asdict() | lists | {"sentence": brief.sentence})


def _replay(request: ApiRequest) -> Response:
    person, query = request.memory.person, request.query
    own = own_clients(person)
    edits, steps, nodes = request.memory.replay(person, own, sitting=query.get("sitting"), since=query.get("since"))
    rows = [one._asdict() | {"own": one.client in own} for one in steps]
    return json_response({"edits": edits, "steps": rows, "nodes": objects(nodes)})


def _change(request: ApiRequest) -> Response:
    query = request.query
    notes, more = request.memory.change(query.get("note"), query["edit"], first=query.get("first"))
    return json_response({"notes": _with_passages(notes), "more": more})


def _with_passages(notes: "list[ChangedNote]") -> list[dict[str, Any]]:
    return [_rendered(one) | {"passages": objects(one.passages)} for one in notes]


def _mark_viewed(request: ApiRequest) -> Response:
    lines = [(one["note"], int(one.get("first", one["edit"])), int(one["edit"])) for one in request.body["lines"]]
    request.memory.mark_viewed(request.memory.person, lines, viewed=request.body["viewed"])
    return json_response({"done": True})


def _rendered(note: "ChangedNote") -> dict[str, Any]:
    """Return the change of a note with its passages as one text."""
    return {key: value for key, value in note._asdict().items() if key != "passages"} | {"html": note.html}


def _mark_seen(request: ApiRequest) -> Response:
    edit, earlier = int(request.body["edit"]), bool(request.body.get("earlier"))
    return json_response({"edits": request.memory.mark_seen(request.memory.person, edit, earlier=earlier)})


def _mark_unseen(request: ApiRequest) -> Response:
    request.memory.mark_unseen(request.memory.person, [(int(one), int(last)) for one, last in request.body["edits"]])
    return json_response({"done": True})


def _why(request: ApiRequest) -> Response:
    passages = [one._asdict() | {"in_words": one.in_words} for one in request.memory.why(request.query["name"])]
    return json_response({"passages": passages})


def _session(request: ApiRequest) -> Response:
    edits = request.memory.edits_of_session(request.query["session"])
    return json_response({"edits": objects(edits)})


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
    count, edit = int(body.get("count", 1)), _number(body)
    if "note" in body:
        return _undo_line(request, edit)
    options = {"sitting": bool(body.get("sitting")), "partial": bool(body.get("partial"))}
    session = body.get("session")
    if body.get("preview"):
        return _previewed(request, request.memory.preview_undo(count, edit, session=session, **options))
    return _undone(request.memory.undo(count, edit, session=session, **options))


def _undo_line(request: ApiRequest, edit: int | None) -> Response:
    """Undo what the edits of a line did to its note, or one passage; the person then has looked at the line."""
    body, memory = request.body, request.memory
    if edit is None:
        raise BadArgument("To undo what was done to a note, give the number of the last `edit` of its line, too.")
    place = {key: int(body[key]) for key in ("first", "passage") if key in body}
    if body.get("preview"):
        return _previewed(request, memory.preview_undo_line(body["note"], edit, **place))
    done = memory.undo_line(body["note"], edit, **place)
    if not done.edits and "passage" not in place:
        memory.mark_viewed(memory.person, [(body["note"], place.get("first", edit), edit)])
    return _undone(done)


def _redo(request: ApiRequest) -> Response:
    count, edit = int(request.body.get("count", 1)), _number(request.body)
    if request.body.get("preview"):
        return _previewed(request, request.memory.preview_redo(count, edit))
    return _undone(request.memory.redo(count, edit))


def _previewed(request: ApiRequest, preview: "Preview") -> Response:
    return previewed(preview, _with_passages(request.memory.previewed_notes(preview)))


def _undone(done: Undone) -> Response:
    return json_response(done._asdict() | {"left": objects(done.left)})


def _number(body: Mapping[str, Any]) -> int | None:
    return int(body["edit"]) if "edit" in body else None


def _proposed(request: ApiRequest) -> Response:
    query, first = request.query, int(request.query["from"])
    sets = [
        one._asdict()
        | {"notes": objects(one.notes), "groups": objects(one.groups)}
        | {"edits": [_with_notes(edit) for edit in one.edits]}
        for one in request.memory.proposed(
            query.get("client"), project=query.get("project"), month=query.get("month"), first=first
        )
    ]
    return json_response({"change_sets": sets})


def _with_notes(edit: "ProposedEdit") -> dict[str, Any]:
    return edit._asdict() | {"notes": objects(edit.notes)}


def _proposed_changes(request: ApiRequest) -> Response:
    edits = [int(request.query["edit"])] if "edit" in request.query else []
    first = int(request.query["from"])
    notes = request.memory.proposed_changes(request.query["client"], edits, first=first, limit=request.limit)
    return json_response({"notes": list(map(_rendered, notes))})


def _blocked(request: ApiRequest) -> Response:
    blocked = request.memory.blocked(request.query["client"])
    return json_response({"edits": objects(blocked.edits), "unchecked": blocked.unchecked})


def _versions(request: ApiRequest) -> Response:
    versions = request.memory.proposed_versions(request.query["client"], int(request.query["edit"]))
    return json_response(versions._asdict())


def _accept(request: ApiRequest) -> Response:
    body = request.body
    if ("text" in body) != ("etag" in body):
        raise BadArgument("Give `text` and `etag` together: the merged text, and the version that it was merged with.")
    merged = (body["text"], body["etag"]) if "text" in body else None
    done = request.memory.accept(*_chosen(request), as_new=bool(body.get("as_new")), seen=_seen(body), merged=merged)
    return json_response({"accepted": done.accepted, "left": objects(done.left)})


def _drop(request: ApiRequest) -> Response:
    return json_response({"dropped": request.memory.drop(*_chosen(request), seen=_seen(request.body))})


def _chosen(request: ApiRequest) -> tuple[str, list[int]]:
    """Return the client and the numbers of the edits that a body names; no numbers stand for all edits."""
    body = request.body
    group = {key: body[key] for key in ("project", "month") if key in body}
    if "edits" in body and not body["edits"]:
        raise BadArgument("`edits` is empty; leave it out to mean all edits.")
    if group and "edits" in body:
        raise BadArgument("Give `edits`, or `project` and `month`, not both.")
    if group:
        return body["client"], request.memory.proposed_numbers(body["client"], **group)
    return body["client"], [int(one) for one in body.get("edits", ())]


def _seen(body: Mapping[str, Any]) -> float | None:
    return float(body["seen"]) if "seen" in body else None


HISTORY: Mapping[str, Operation] = {
    "listEdits": _log,
    "listGiven": _given,
    "listSittings": _review,
    "readBrief": _brief,
    "readReplay": _replay,
    "readChange": _change,
    "markViewed": _mark_viewed,
    "markSeen": _mark_seen,
    "markUnseen": _mark_unseen,
    "explainNote": _why,
    "listSessionEdits": _session,
    "readRevision": _revision,
    "compareRevisions": _diff,
    "restoreRevision": _restore,
    "undoEdits": _undo,
    "redoEdits": _redo,
    "listProposed": _proposed,
    "listProposedChanges": _proposed_changes,
    "listBlockedEdits": _blocked,
    "readProposedVersions": _versions,
    "acceptEdits": _accept,
    "dropEdits": _drop,
}
