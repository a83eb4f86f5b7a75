"""Operations of the API on a note or a file: read, write, rename, link, delete."""

import base64
import datetime
import mimetypes
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.responses import Response

from zkmem.errors import BadArgument, NoEtag
from zkmem.serve.api.exchange import (
    ETAG,
    SEARCH_WAIT_S,
    ApiRequest,
    Operation,
    edited,
    etags,
    json_response,
    objects,
    previewed,
    proposal_of,
)
from zkmem.util.threeway import Proposal, propose

if TYPE_CHECKING:
    from zkmem.memory import NotePage, Property

_SHOWN = re.compile(r"(?:image|audio|video)/.+|application/pdf|text/plain")  # a script of the vault must not run
_FILE = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}


def _read(request: ApiRequest) -> Response:
    depth = request.query["depth"]
    page, earlier = _page(request)
    headers = {"ETag": f'"{page.etag}"'}
    if depth == 0 and not earlier and page.etag in etags(request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    data = {key: value for key, value in page._asdict().items() if key not in {"part", "declared"}}
    derived = {"html": page.html(), "links": objects(page.links), "conflicts": objects(page.conflicts())}
    derived["headings"] = objects(page.headings())
    values = zip(page.values, page.editable_values(), strict=True)
    derived["values"] = [_value(one) | editable._asdict() for one, editable in values]
    return json_response(data | derived | earlier, 200, headers)


def _page(request: ApiRequest) -> "tuple[NotePage, dict[str, Any]]":
    """Return the page that a request asks for. If it is of an earlier moment, also return a field about the moment."""
    query, memory = request.query, request.memory
    depth, offset, at = query["depth"], query["offset"], query.get("at")
    if at is None:
        return memory.page(request.name, depth, offset), {}
    page, moment, now, remarks = memory.page_earlier(
        request.name, at, depth, offset, then_first=query["named"] == "then"
    )
    return page, {"earlier": {**moment._asdict(), "now": now, "remarks": remarks}}


def _value(one: "Property") -> dict[str, Any]:
    items = [
        {"text": item.text, "kind": item.kind, "target": item.target, "subpath": item.subpath} for item in one.items
    ]
    return {"key": one.key, "is_list": one.is_list, "items": items}


def _part(request: ApiRequest) -> Response:
    page, _ = _page(request)
    return json_response({"etag": page.etag, "html": page.html(), "next_offset": page.next_offset})


def _save(request: ApiRequest) -> Response:
    return edited(request.memory.save(request.name, request.body["content"], _etag_to_replace(request.headers)))


def _resolve(request: ApiRequest) -> Response:
    body = request.body
    memory, number = request.memory, int(body["number"])
    return edited(memory.resolve(body["name"], number, other=body["other"], etag=body["etag"]))


def _merge(request: ApiRequest) -> Response:
    base, mine, theirs = (request.body[side] for side in ("base", "mine", "theirs"))
    if request.body.get("keep_both"):
        from zkmem.sync.notes import text_with_both  # noqa: PLC0415 - only a person with a conflict needs it

        title = f"Also written by others, {datetime.datetime.now().astimezone():%Y-%m-%d %H:%M}"
        return json_response(proposal_of(Proposal(text_with_both(base, mine, theirs, title), [])))
    return json_response(proposal_of(propose(base, mine, theirs)))


def _delete(request: ApiRequest) -> Response:
    etag = _etag_to_replace(request.headers)
    if etag is None:
        raise NoEtag('Name the version to delete: If-Match: "ETAG". A GET of the note returns its etag.')
    return json_response(request.memory.delete(request.name, etag)._asdict())


def _rename(request: ApiRequest) -> Response:
    name, new_name = request.body["name"], request.body["new_name"]
    if request.body.get("preview"):
        return previewed(request.memory.preview_rename(name, new_name, merge=True))
    return edited(request.memory.rename(name, new_name, merge=True))


def _extract(request: ApiRequest) -> Response:
    names = request.body["name"], request.body["content"], request.body["new_name"]
    if request.body.get("preview"):
        return previewed(request.memory.preview_extract(*names))
    done = request.memory.extract(*names)
    return json_response({"note": done.note._asdict(), "source": done.source._asdict()})


def _mentions(request: ApiRequest) -> Response:
    sentences = request.memory.mentions(request.name, wait_s=SEARCH_WAIT_S)
    passages = {"backlinks": objects(sentences.backlinks), "mentions": objects(sentences.mentions)}
    return json_response({**passages, "remarks": sentences.remarks})


def _link(request: ApiRequest) -> Response:
    body = request.body
    return edited(request.memory.link(body["name"], body["passage"], int(body["start"]), body["to"], body["etag"]))


def _repoint(request: ApiRequest) -> Response:
    body = request.body
    return json_response(request.memory.repoint(body["names"], body["target"], body["to"])._asdict())


def _set_properties(request: ApiRequest) -> Response:
    body = request.body
    done = request.memory.set_properties(
        body.get("properties", {}), body["names"], renames=body.get("renames", {}), etag=body.get("etag")
    )
    return json_response(done._asdict())


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
        raise BadArgument("`data` must be the bytes of the file in base64.") from None
    return json_response(request.memory.attach(body["note"], body.get("title", ""), data)._asdict(), 201)


def _detach(request: ApiRequest) -> Response:
    return json_response({"moved": request.memory.detach(request.body["paths"])})


def _etag_to_replace(headers: Headers) -> str | None:
    """Return the etag of the version to replace; None if the note must not exist yet."""
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
    etag = ETAG.fullmatch(match.strip())
    if etag is None or none_match is not None:
        raise BadArgument('If-Match must be one etag in quotes, without If-None-Match: If-Match: "ETAG"')
    return etag[1]


NOTES: Mapping[str, Operation] = {
    "readNote": _read,
    "readPart": _part,
    "saveNote": _save,
    "resolveConflict": _resolve,
    "mergeTexts": _merge,
    "deleteNote": _delete,
    "renameNote": _rename,
    "extractPassage": _extract,
    "listMentions": _mentions,
    "makeLink": _link,
    "repointLinks": _repoint,
    "setProperties": _set_properties,
    "readFile": _file,
    "storeAttachment": _attach,
    "discardAttachments": _detach,
}
