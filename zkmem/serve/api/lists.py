"""Operations of the API that list notes or describe the vault: search, tables, graph, findings."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from zkmem import __version__
from zkmem.errors import BadArgument
from zkmem.markdown.one_line import shown_heading
from zkmem.names import composed, fold
from zkmem.serve.access.headers import accepts_gzip
from zkmem.serve.api.contract import description
from zkmem.serve.api.exchange import SEARCH_WAIT_S, ApiRequest, Operation, etags, json_response, objects

if TYPE_CHECKING:
    from zkmem.memory import Finding, Hit

_COUNTED = ("missing", "ambiguous", "conflict")  # kinds of findings that the page counts one by one
_MOST_SUGGESTED = 100
_MOST_OPEN = 100  # folders


def _vault(request: ApiRequest) -> Response:
    memory, grant = request.memory, request.caller.grant
    notes, links = memory.counts()
    name = request.context.name or os.path.basename(memory.vault)
    about = {"name": name, "version": __version__, "notes": notes, "links": links}
    may = {
        "can_write": not grant.read_only,
        "proposes": bool(grant.proposes_as),
        "folder": composed(grant.folder),
        "token": request.caller.name or None,
        "person": request.caller.person or None,
    }
    others = {"vaults": request.context.server.open_to(request.caller)}
    return json_response(about | may | others | {"git": memory.git, "max_chars": memory.max_chars})


def _signins(request: ApiRequest) -> Response:
    return json_response({"sign_ins": objects(request.context.signins.all(request.caller))})


def _passkeys(request: ApiRequest) -> Response:
    own, caller = request.context.signins, request.caller
    return json_response({"passkeys": objects(own.passkeys(caller)), "can_add": own.offers_passkeys(caller)})


def _remove_passkey(request: ApiRequest) -> Response:
    request.context.signins.remove_passkey(request.caller, request.name, request.address)
    return json_response({"done": True})


def _end_signin(request: ApiRequest) -> Response:
    request.context.signins.end(request.caller, request.name, request.address)
    return json_response({"done": True})


def _sync(request: ApiRequest) -> Response:
    state = request.memory.sync_state()
    return json_response({"last": state and state._asdict()})


def _graph(request: ApiRequest) -> Response:
    if around := request.query["around"]:
        memory = request.memory
        return json_response({"version": memory.version, **memory.graph(around=around)._asdict()})
    graph = request.context.graphs.get(request.memory, request.caller.grant)
    headers = {"ETag": f'"{graph.etag}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if graph.etag in etags(request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(graph.compressed, 200, {**headers, "Content-Encoding": "gzip"}, "application/json")
    return Response(graph.body, 200, headers, "application/json")


def _tree(request: ApiRequest) -> Response:
    tree = request.memory.tree(_texts("open", request.query["open"])[:_MOST_OPEN], request.limit)
    folders = [row._asdict() | {"folders": objects(row.folders)} for row in tree.folders]
    return json_response({"folders": folders, "has_bases": tree.has_bases})


def _names(request: ApiRequest) -> Response:
    names, total = request.memory.complete(request.query["q"])
    return json_response({"names": names[: request.limit], "total": total})


def _home(request: ApiRequest) -> Response:
    home = request.memory.home(request.limit)
    hint = request.memory.hint_state()._asdict()
    return json_response({"hints": objects(home.hints), "recent": objects(home.recent), "hint": hint})


def _hint(request: ApiRequest) -> Response:
    return json_response(request.memory.hint_state()._asdict())


def _propose_hint(request: ApiRequest) -> Response:
    preview, memory = bool(request.body.get("preview")), request.memory
    draft = memory.draft_hint() if preview else memory.propose_hint()
    is_new = not preview and bool(draft.diff)
    return json_response({"name": draft.name.removeprefix("/"), "diff": draft.diff, "proposed": is_new})


def _hints(request: ApiRequest) -> Response:
    return json_response({"hints": objects(request.memory.hints(request.limit, folder=request.query["folder"]))})


def _suggestions(request: ApiRequest) -> Response:
    return json_response(
        {"suggestions": objects(request.memory.suggestions(request.query["threshold"], request.limit))}
    )


def _findings(request: ApiRequest) -> Response:
    known = request.query["look"] == "index"
    every = request.memory.check(known=known)
    listed: dict[str, list[Finding]] = {kind: [] for kind in (*_COUNTED, "other")}
    for one in every:
        listed[one.kind if one.kind in _COUNTED else "other"].append(one)
    counts = {kind: len(found) for kind, found in listed.items()}
    counts["missing"] = len(
        {fold(one.detail) for one in listed["missing"]}
    )  # one for each missing note, however many links lead to it
    counts["suggestions"] = len(request.memory.suggestions(limit=_MOST_SUGGESTED))
    kind = request.query.get("kind") or ""
    if kind == "first":
        kind = next(filter(listed.get, listed), "missing")
    findings = listed[kind] if kind in listed else [one for one in every if kind in ("", one.kind)]
    findings = sorted(findings, key=lambda one: bool(one.target))  # findings about links are many
    first = objects(findings[: request.limit])
    answer = {"findings": first, "kind": kind, "total": len(findings), "counts": counts, "complete": not known}
    return json_response(answer)


def _search(request: ApiRequest) -> Response:
    folder = request.query["folder"]
    folders = [folder] if folder else None
    query = request.query
    hits = request.memory.search(
        query["q"],
        limit=request.limit,
        folders=folders,
        linked=query["linked"],
        near=query["near"],
        rendered=True,
        wait_s=SEARCH_WAIT_S,
    )
    return json_response({"hits": [_without_path(one) for one in hits], "linked": hits.linked, "remarks": hits.remarks})


def _without_path(hit: "Hit") -> dict[str, Any]:
    return {key: value for key, value in hit._asdict().items() if key != "path"}


def _properties(request: ApiRequest) -> Response:
    query = request.query
    texts = request.memory.in_use(query["q"], key=query["property"], limit=request.limit, wait_s=SEARCH_WAIT_S)
    return json_response({"texts": texts})


def _places(request: ApiRequest) -> Response:
    places = request.memory.places(request.query["q"], limit=request.limit, wait_s=SEARCH_WAIT_S)
    headings = objects(one._replace(text=shown_heading(one.text)) for one in places.headings)
    rows = {"aliases": objects(places.aliases), "headings": headings, "tags": objects(places.tags)}
    return json_response(rows | {"remarks": places.remarks})


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
        wait_s=SEARCH_WAIT_S,
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
        "columns": [{"key": key, "title": title, "editable": table.is_editable(key)} for key, title in titled],
        "rows": rows,
    }
    return json_response(answer)


def _texts(name: str, text: str) -> list[str]:
    """Return the texts in a JSON array."""
    try:
        texts = json.loads(text) if text else []
    except (ValueError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise BadArgument(f"`{name}` must be a JSON array of texts.")
    return texts


def _bases(request: ApiRequest) -> Response:
    return json_response({"bases": [{"path": path, "views": views} for path, views in request.memory.bases()]})


def _openapi(_: ApiRequest) -> Response:
    return json_response(description())


LISTS: Mapping[str, Operation] = {
    "getVault": _vault,
    "getSync": _sync,
    "listSignIns": _signins,
    "endSignIn": _end_signin,
    "listPasskeys": _passkeys,
    "removePasskey": _remove_passkey,
    "getGraph": _graph,
    "readTree": _tree,
    "listNames": _names,
    "readHome": _home,
    "readHint": _hint,
    "proposeHint": _propose_hint,
    "listHints": _hints,
    "listSuggestions": _suggestions,
    "listFindings": _findings,
    "searchNotes": _search,
    "listPlaces": _places,
    "listProperties": _properties,
    "listTable": _table,
    "listBases": _bases,
    "describe": _openapi,
}
