"""The two tools that ChatGPT's connectors and its deep research ask for: search and fetch, in the shape they expect."""

import json
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote, urlsplit

from zkmem.memory import Memory
from zkmem.memory.reading import LINKED
from zkmem.names import base_of
from zkmem.toolsets.tool import READS, Parameter, Result, Tool
from zkmem.toolsets.toolset import Guide, Toolset
from zkmem.util.spelling import number_of

_MOST = 10
_WAIT_S = 20.0
_UNESCAPED = "!'()*~"  # as the page writes its addresses


def search(memory: Memory, query: str, **settings: object) -> Result:
    """Find notes."""
    hits = memory.search(query, limit=_MOST, filters=False, wait_s=_WAIT_S)
    results = [_document(hit.name, settings) for hit in hits]
    linked = memory.linked([(hit.path, "") for hit in hits], cast("int", settings["search_linked"]))  # no text is shown
    more = {"linked": linked, "remarks": hits.remarks}
    return _in_json({"results": results} | {key: texts for key, texts in more.items() if texts})


def fetch(memory: Memory, id: str, **settings: object) -> Result:  # noqa: A002 - the name that ChatGPT uses
    """Read a note, or a section of it."""
    note = memory.read(id)
    metadata = {"etag": note.etag, "changed": note.changed}
    if note.next_offset is not None:
        whole = number_of(note.characters, "byte" if note.large else "character")
        metadata["cut"] = f"This is not all of it: the note has {whole}. Fetch a section: {note.name}#HEADING"
    metadata = {name: value for name, value in metadata.items() if value}
    return _in_json(_document(note.name, settings, note.subpath) | {"text": note.text, "metadata": metadata})


def _document(name: str, settings: Mapping[str, object], subpath: str = "") -> dict[str, object]:
    """Return what both tools say about a note. Its address is that of the note on the page."""
    place = "/".join(quote(part, safe=_UNESCAPED) for part in name.split("/"))
    part = f"?{quote(subpath, safe=_UNESCAPED)}" if subpath else ""
    return {"id": name + subpath, "title": base_of(name) + subpath, "url": f"{_page(settings)}/#/note/{place}{part}"}


def _page(settings: Mapping[str, object]) -> str:
    """Return the address of the page: the public one if there is one, else the one on this machine."""
    parts = urlsplit(str(settings["public_url"] or settings["oauth_resource"]))
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"http://127.0.0.1:{settings['port']}"


def _in_json(data: Mapping[str, object]) -> Result:
    return Result((json.dumps(data, ensure_ascii=False),), data, is_json=True)


_PAGE = {"public_url": "", "oauth_resource": "", "port": 13809}

TOOLS = (
    Tool(
        "search",
        "Find notes of the user's long-term memory by words, best first, before you answer what may be in it.",
        {"query": Parameter("string")},
        search,
        READS,
        title="Search the user's memory",
        always=True,
        options={**_PAGE, "search_linked": LINKED},
    ),
    Tool(
        "fetch",
        "Read a note by its id, or one section: id#heading.",
        {"id": Parameter("string")},
        fetch,
        READS,
        title="Read the user's memory",
        always=True,
        options=_PAGE,
    ),
)

TOOLSET = Toolset(TOOLS, (Guide("search and fetch for finding notes by words"),))
