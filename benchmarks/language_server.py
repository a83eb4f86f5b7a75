"""The language server: the first completion after the handshake, and what an editor asks while one types and reads.

A time counts from the message that the editor sends when a key is pressed to the answer. What is claimed is looked for.
"""

import json
import pathlib
import random
import sys
from collections.abc import Iterator, Mapping
from typing import IO, Any, NamedTuple

from benchmarks.measures import milliseconds
from benchmarks.place import HUB, Place, Samples
from benchmarks.process import Server, ended
from zkmem.markdown.links import find_links

REQUESTS = ("completion", "definition", "hover", "references", "references of 1,000", "workspace symbols")
"""What is measured in a server that runs."""

_ROUNDS = 200
_HUB_ROUNDS = 20
_LETTERS = 3  # of a name, which are typed before the completion is asked for

_CAPABILITIES = {  # those of Visual Studio Code that change an answer
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"publishDiagnostics": {}, "hover": {"contentFormat": ["markdown"]}},
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]}},
}
_OTHERS = {"context": {"includeDeclaration": False}}


class LanguageServer(Server):
    """A language server, spawned now, with the editor's end of the connection."""

    def opened(self, folder: str) -> None:
        """Wait until the handshake has ended."""
        uri = pathlib.Path(folder).as_uri()
        folders = [{"uri": uri, "name": "vault"}]
        params = {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": _CAPABILITIES}
        self.request("initialize", params)
        self.notify("initialized", {})

    def _framed(self, message: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)

    def _messages(self, stream: IO[bytes]) -> Iterator[dict[str, Any]]:
        while head := stream.readline():
            if head.lower().startswith(b"content-length:"):
                length = int(head.partition(b":")[2])
                while stream.readline().strip():
                    pass
                message = json.loads(stream.read(length))
                if "method" in message and "id" in message:  # a request of the server, which may wait for the answer
                    self._send({"id": message["id"], "result": None})
                yield message


class Document(NamedTuple):
    """A note that the editor shows, and a link in it."""

    uri: str
    text: str
    target: str  # the name in the link
    line: int
    character: int  # of the name in the link

    @classmethod
    def of(cls, path: str, names: Mapping[str, str]) -> "Document | None":
        """Return a note with its first link that leads to a note, if it has one."""
        data = pathlib.Path(path).read_bytes()
        for link in find_links(data):
            if link.kind == "wiki" and link.path_at >= 0 and link.target in names:
                before = data[: link.path_at].decode()
                character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
                return cls(pathlib.Path(path).as_uri(), data.decode(), link.target, before.count("\n"), character)
        return None

    def at(self, line: int, character: int) -> dict[str, Any]:
        """Return the parameters of a request about a position."""
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}


def measure(place: Place, runs: int) -> Samples:
    """Measure starts with the cache, then the requests of one server."""
    with _language_server(place) as server:  # does not count: it makes the cache and the bytecode
        server.opened(place.vault)
        server.request("workspace/symbol", {"query": HUB})
    samples: Samples = {"editor: handshake": [], "editor: first completion": [], "bare language server: handshake": []}
    rng = random.Random(place.seed)
    names = {name.rpartition("/")[2]: path for name, path in place.paths.items()} | place.paths
    found = (Document.of(path, names) for path in rng.sample(list(place.paths.values()), len(place.paths)))
    documents = [document for document, _ in zip(filter(None, found), range(_ROUNDS), strict=False)]
    for document in documents[:runs]:
        with _bare(place) as bare:
            bare.opened(place.vault)
            samples["bare language server: handshake"].append(bare.seconds() * 1000)
        with _language_server(place) as server:
            server.opened(place.vault)
            samples["editor: handshake"].append(server.seconds() * 1000)
            _open(server, document)
            samples["editor: first completion"].append(_completion(server, document, document.target[:1]))
    with _language_server(place) as server, _bare(place) as bare:
        server.opened(place.vault)
        bare.opened(place.vault)
        samples |= _requests(server, bare, documents, place)
        samples["editor: memory"] = server.megabytes("VmRSS")
    samples["zkmem serve: memory after as many calls"] = _memory_of_serve(place, rng)
    return samples


def _memory_of_serve(place: Place, rng: random.Random) -> list[float]:
    """Return the memory that a server of models needs after as many calls as an editor has sent requests."""
    with place.serve() as serve:
        serve.handshake()
        for name in place.some(rng, _ROUNDS):
            for depth in (0, 1, 2):
                serve.call("get_content", {"name": name, "depth": depth})
            serve.call("get_hints", {})
            serve.call("get_suggestions", {})
        return serve.megabytes("VmRSS")


def _language_server(place: Place) -> Any:
    return ended(LanguageServer([sys.executable, "-m", "zkmem", "lsp"], place.environment()))


def _bare(place: Place) -> Any:
    return ended(LanguageServer([sys.executable, "-m", "benchmarks.bare_language_server"], place.environment()))


def _requests(server: LanguageServer, bare: LanguageServer, documents: list[Document], place: Place) -> Samples:
    """Open each note, ask what an editor asks, and close it."""
    samples: Samples = {"bare language server: a request": [], **{f"editor: {what}": [] for what in REQUESTS}}

    def ask(what: str, method: str, params: Mapping[str, object]) -> None:
        samples[f"editor: {what}"].append(milliseconds(_answered, server, method, params))

    for number, document in enumerate(documents):
        here = document.at(document.line, document.character)
        echo = milliseconds(bare.request, "textDocument/hover", here)
        samples["bare language server: a request"].append(echo)
        _open(server, document)
        typed = document.target[: number % (_LETTERS + 1)]
        samples["editor: completion"].append(_completion(server, document, typed))
        ask("definition", "textDocument/definition", here)
        ask("hover", "textDocument/hover", here)
        ask("references", "textDocument/references", here | _OTHERS)
        ask("workspace symbols", "workspace/symbol", {"query": document.target.rpartition("/")[2][:6]})
        server.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
    hub = Document.of(place.referrers[0], {HUB: ""})
    assert hub
    _open(server, hub)
    for _ in range(_HUB_ROUNDS):
        ask("references of 1,000", "textDocument/references", hub.at(hub.line, hub.character) | _OTHERS)
    return samples


def _open(server: LanguageServer, document: Document) -> None:
    item = {"uri": document.uri, "languageId": "markdown", "version": 1, "text": document.text}
    server.notify("textDocument/didOpen", {"textDocument": item})


def _completion(server: LanguageServer, document: Document, typed: str) -> float:
    """Type `[[` and some letters at the end of an open note; return the milliseconds until the names are there."""
    line = document.text.count("\n")
    last = len(document.text.rpartition("\n")[2].encode("utf-16-le")) // 2
    end = {"line": line, "character": last}
    new = f"\n[[{typed}"
    change = {"range": {"start": end, "end": end}, "text": new}

    return milliseconds(_type_and_ask, server, document, change, document.at(line + 1, len(new) - 1))


def _type_and_ask(server: LanguageServer, document: Document, change: object, at: Mapping[str, object]) -> None:
    versioned = {"uri": document.uri, "version": 2}
    server.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": [change]})
    _answered(server, "textDocument/completion", at)


def _answered(server: LanguageServer, method: str, params: Mapping[str, object]) -> None:
    """Ask, and check that there is an answer."""
    result: Any = server.request(method, params)
    if not (result["items"] if isinstance(result, dict) and "items" in result else result):
        raise SystemExit(f"{method} was answered with nothing: {params}")
