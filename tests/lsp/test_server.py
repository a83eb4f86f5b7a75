"""The command `zkmem lsp` and a client: the handshake, malformed messages, documents elsewhere, and the end."""

import os
import pathlib
import select
import subprocess
import sys
from collections.abc import Iterator

import pytest
from lsprotocol import types

from tests.tools.language_connection import PATIENCE, RequestRefused, until
from tests.tools.lsp_process import Client, uri_of
from tests.tools.vaults import write

NOTES: dict[str, str | bytes] = {
    "a.md": "# A\n\nSee [[b]].\n",
    "b.md": "# B\n",
    ".obsidian/x.md": "[[a]]",
    ".trash/old.md": "[[a]]",
    "plan.canvas": '{"nodes": [{"type": "file", "file": "a.md"}, {"type": "text", "text": "see [[b]]"}]}',
    "broken.canvas": "{[[a]]",
    "raw.md": b"caf\xe9 [[b]]\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("server") / "vault", NOTES)


@pytest.fixture(scope="module")
def client(vault: str) -> Iterator[Client]:
    with Client(vault) as client:
        client.start()
        yield client


def place_of_link(vault: str) -> types.DefinitionParams:
    """The link in `a.md`, as it is on the disk."""
    return types.DefinitionParams(types.TextDocumentIdentifier(uri_of(vault, "a.md")), types.Position(2, 6))


def definition(client: Client, uri: str, line: int, character: int) -> list[str]:
    """Return the addresses to which the link at a place leads."""
    place = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
    return [one.uri for one in client.ask(types.TEXT_DOCUMENT_DEFINITION, place)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(["utf-16", "utf-8"], "utf-8"), (["utf-16", "utf-32"], "utf-32"), (["x"], "utf-16")],
)
def test_the_cheapest_encoding_of_positions_is_chosen_and_used(vault: str, offered: list[str], chosen: str) -> None:
    with Client(vault) as client:
        capabilities = client.start(encodings=offered).capabilities
        assert capabilities.position_encoding == chosen
        assert capabilities.text_document_sync == types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental, save=True
        )
        client.open("a.md", "é😀[[b]] x")
        begin = {"utf-8": 6, "utf-16": 3, "utf-32": 2}[chosen]
        assert [len(definition(client, uri_of(vault, "a.md"), 0, begin + by)) for by in (-1, 0, 5, 6)] == [0, 1, 1, 0]
        assert client.exit() == 0
        assert client.stray == []


def test_a_malformed_request_gets_an_error_and_the_next_one_an_answer(client: Client, vault: str) -> None:
    hostile = [b"{", b"[]", b"5", b"\xff", b"[" * 100_000, b'{"jsonrpc": "2.0"}', b'{"id": 1}', b""]
    for body in hostile:
        client.write(body)
    assert client.process.stdin
    client.process.stdin.write(b"X: " + b"y" * 300_000 + b"\r\n\r\n")
    malformed: list[object] = [None, [], {}, {"textDocument": 5}, {"textDocument": {"uri": 5}, "position": {"line": 1}}]
    for params in malformed:
        with pytest.raises(RequestRefused):
            client.ask(types.TEXT_DOCUMENT_DEFINITION, params)
    with pytest.raises(RequestRefused, match="Method Not Found"):
        client.ask("zkmem/none", {})
    client.notify("zkmem/none", {})
    client.notify(types.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": {}})
    client.notify(types.CANCEL_REQUEST, {"id": 5_000})
    client.write({"id": "unknown", "result": None})
    for number in ([1], {"a": 1}, 1.5, True):
        client.write({"id": number, "method": types.TEXT_DOCUMENT_DEFINITION, "params": {}})
    client.write({"id": [1], "result": None})
    assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]
    assert client.stray == []


@pytest.mark.slow
def test_the_handshake_is_the_first_message_and_is_done_once(vault: str, tmp_path: pathlib.Path) -> None:
    editor = Client(vault)

    def code(method: str, params: object) -> int:
        with pytest.raises(RequestRefused) as refused:
            editor.ask(method, params)
        return int(refused.value.code)

    about = {"textDocument": {"uri": uri_of(vault, "a.md")}}
    with editor:
        assert code(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, about) == types.ErrorCodes.ServerNotInitialized
        editor.open("a.md", "[[none]]")
        editor.start()
        again: dict[str, object] = {"processId": None, "rootUri": uri_of(str(tmp_path), ""), "capabilities": {}}
        assert code(types.INITIALIZE, again) == types.ErrorCodes.InvalidRequest
        assert definition(editor, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]
        editor.ask(types.SHUTDOWN, None)
        assert code(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, about) == types.ErrorCodes.InvalidRequest


ODD = "Ü (1), x;y.md"  # editors leave some of these characters as they are in addresses


def test_an_address_that_an_editor_spells_in_its_own_way_is_the_same_file(client: Client, vault: str) -> None:
    write(vault, {ODD: "# Old\n", "to.md": "See [[Ü (1), x;y#New]]."})
    uri = f"file://{vault}/Ü%20(1),%20x;y.md"
    opened = {"uri": uri, "languageId": "markdown", "version": 1, "text": "# New\n"}
    client.notify(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": opened})
    unsaved = {"uri": f"file://{vault}/not%20(saved).md", "languageId": "markdown", "version": 1, "text": "[[to]]"}
    client.notify(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": unsaved})
    at = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 3}}
    about = {**at, "context": {"includeDeclaration": False}}
    until(lambda: client.ask(types.TEXT_DOCUMENT_REFERENCES, about))  # the notes are indexed
    edit = client.ask(types.TEXT_DOCUMENT_RENAME, {**at, "newName": "Newer"})
    assert {one: [part.new_text for part in parts] for one, parts in edit.changes.items()} == {
        uri: ["er"],
        uri_of(vault, "to.md"): ["er"],
    }
    at = {"textDocument": {"uri": uri_of(vault, "to.md")}, "position": {"line": 0, "character": 0}}
    found = client.ask(types.TEXT_DOCUMENT_REFERENCES, {**at, "context": {"includeDeclaration": False}})
    assert [one.uri for one in found] == [unsaved["uri"]]
    for known in (opened, unsaved):
        client.notify(types.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": known["uri"]}})


@pytest.mark.parametrize("line", [-1, 2**31, 10**30])
def test_after_a_malformed_change_a_document_gets_empty_answers_until_its_text_is_known(
    client: Client, vault: str, line: int
) -> None:
    path, uri = "changing.md", uri_of(vault, "changing.md")
    write(vault, {path: "On the disk: [[b]]"})
    client.open(path, "[[gone]] [[b]]")
    while [one.code for one in client.diagnostics(path, 1)] != ["missing"]:
        pass  # the notes are not indexed yet
    at = {"line": line, "character": 0}
    change = {"range": {"start": at, "end": at}, "text": "x"}
    about = {"uri": uri, "version": 2}
    client.notify(types.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": about, "contentChanges": [change]})
    assert definition(client, uri, 0, 15) == [], "the text on the disk has a link here"
    while client.diagnostics(path):
        pass
    client.change(path, 3, types.TextDocumentContentChangeWholeDocument("[[b]]"))
    assert definition(client, uri, 0, 2) == [uri_of(vault, "b.md")]
    client.notify(types.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": uri}})


def test_a_position_beyond_the_text_is_no_error(client: Client, vault: str) -> None:
    assert definition(client, uri_of(vault, "a.md"), 10**9, 10**9) == []


def test_a_request_uses_the_text_of_its_moment(client: Client, vault: str) -> None:
    client.open("moment.md", "[[a]]")
    numbers = []
    for version, name in enumerate(("b", "a", "b", "a"), 2):
        whole = types.TextDocumentContentChangeWholeDocument(f"[[{name}]]")
        client.change("moment.md", version, whole)
        place = types.DefinitionParams(types.TextDocumentIdentifier(uri_of(vault, "moment.md")), types.Position(0, 3))
        numbers.append((name, client.send(types.TEXT_DOCUMENT_DEFINITION, place)))
    answers = {}
    for _ in numbers:
        message = client.next_answer()
        answers[message["id"]] = message["result"][0]["uri"]
    assert [answers[number] for _, number in numbers] == [uri_of(vault, f"{name}.md") for name, _ in numbers]


def test_what_is_no_note_of_the_vault_gets_empty_answers(client: Client, vault: str, tmp_path: pathlib.Path) -> None:
    elsewhere = write(tmp_path, {"a.md": "[[b]]"})
    hidden = [uri_of(vault, path) for path in (".obsidian/x.md", ".trash/old.md", "")]
    others = ["untitled:Untitled-1", "http://example.org/a.md", "file://", "", "file:///%00", "git:/a.md", "file://[x"]
    uris = [uri_of(elsewhere, "a.md"), uri_of(vault, "gone.md"), *hidden, *others]
    for uri in uris:
        client.notify(
            types.TEXT_DOCUMENT_DID_OPEN,
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, "[[a]] [[")),
        )
        if uri != uri_of(vault, "gone.md"):  # which is a new note
            assert definition(client, uri, 0, 2) == []
        about = types.TextDocumentIdentifier(uri)
        assert client.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(about)) in (None, [])


def test_a_canvas_leads_to_its_notes_and_a_broken_one_to_none(client: Client, vault: str) -> None:
    text = str(NOTES["plan.canvas"])
    client.open("plan.canvas", text)
    uri = uri_of(vault, "plan.canvas")
    assert definition(client, uri, 0, text.index("a.md") + 1) == [uri_of(vault, "a.md")]
    assert definition(client, uri, 0, text.index("[[b") + 3) == [uri_of(vault, "b.md")]
    assert definition(client, uri_of(vault, "broken.canvas"), 0, 3) == []


def test_bytes_that_are_not_utf8_keep_the_places_of_links(client: Client, vault: str) -> None:
    assert definition(client, uri_of(vault, "raw.md"), 0, 5) == [uri_of(vault, "b.md")]


BOUNDED = """
import threading
from zkmem.cli.main import main
from zkmem.lsp import server, stream
from zkmem.lsp.features import VaultFeature
stream._MOST_WAITING = 50_000
server._MOST_UNANSWERED = 3
server.FEATURES += (VaultFeature("zkmem/endless", lambda *_: threading.Event().wait()),)
main()
"""


def sends(client: Client, method: str, params: object) -> set[int] | None:
    """Send requests until the server takes no more; return their numbers, or None if it takes 10,000."""
    assert client.process.stdin
    sent = set[int]()
    while select.select([], [client.process.stdin], [], 2.0)[1]:
        sent.add(client.send(method, params))
        if len(sent) == 10_000:
            return None
    return sent


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere a pipe cannot be asked whether it takes more bytes")
def test_the_server_stops_reading_while_its_answers_are_not_read(vault: str) -> None:
    with Client(vault, program=BOUNDED) as client:
        client.start()
        client.reads.clear()
        sent = sends(client, types.TEXT_DOCUMENT_DEFINITION, place_of_link(vault))
        assert sent
        client.reads.set()
        assert {client.next_answer()["id"] for _ in sent} == sent
        assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere a pipe cannot be asked whether it takes more bytes")
def test_the_server_stops_reading_while_many_requests_are_unanswered(vault: str) -> None:
    with Client(vault, program=BOUNDED) as client:
        client.start()
        try:
            assert sends(client, "zkmem/endless", {})
        finally:
            client.process.kill()


def resident(pid: int) -> int:
    """Return the bytes of memory that a process uses."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) * 1024


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the memory of a process from /proc")
def test_cancelled_requests_keep_no_texts_while_all_threads_are_busy(vault: str) -> None:
    with Client(vault, program=ENDLESS) as client:
        client.start()
        client.open("a.md", "")
        try:
            for _ in range(8):
                client.send("zkmem/endless", {})
            before = resident(client.process.pid)
            for number in range(1_000):
                text = f"{number} " + "x" * 100_000
                client.change("a.md", number + 2, types.TextDocumentContentChangeWholeDocument(text))
                asked = client.send(types.TEXT_DOCUMENT_DEFINITION, place_of_link(vault))
                with pytest.raises(RequestRefused):  # its answer shows that the one before has begun
                    client.ask("zkmem/none", {})
                client.notify(types.CANCEL_REQUEST, types.CancelParams(asked))
                assert client.next_answer()["id"] == asked
            assert resident(client.process.pid) - before < 50_000_000
        finally:
            client.process.kill()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the memory of a process from /proc")
def test_changes_of_very_many_documents_that_were_never_opened_take_little_memory(vault: str) -> None:
    with Client(vault, program="from zkmem.cli.main import main; main()") as client:  # whose memory is its own
        client.start()
        assert definition(client, uri_of(vault, "a.md"), 2, 6)
        before = resident(client.process.pid)
        for number in range(3_000):
            client.change(f"never {number}.md", 1)
        assert definition(client, uri_of(vault, "a.md"), 2, 6)
        assert resident(client.process.pid) - before < 50_000_000


@pytest.mark.slow
def test_a_folder_that_is_reached_through_a_link_keeps_the_spelling_of_the_editor(
    vault: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "link").symlink_to(vault)
    with Client(str(tmp_path / "link")) as client:
        client.start()
        assert definition(client, uri_of(client.folder, "a.md"), 2, 6) == [uri_of(client.folder, "b.md")]


@pytest.mark.slow
def test_the_vault_is_the_nearest_one_above_the_folder_or_the_one_that_is_named(
    vault: str, tmp_path: pathlib.Path
) -> None:
    os.makedirs(os.path.join(vault, "inner"), exist_ok=True)
    for folder, options in ((os.path.join(vault, "inner"), ()), (str(tmp_path), ("--vault", vault))):
        with Client(folder, *options) as client:
            client.start()
            assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]


@pytest.mark.slow
def test_a_server_has_one_vault_and_says_so(vault: str, tmp_path: pathlib.Path) -> None:
    other = write(tmp_path / "other", {".zkmem/x": "", "a.md": "[[b]]", "b.md": ""})
    folders = [types.WorkspaceFolder(uri_of(folder, ""), folder) for folder in (vault, other)]
    with Client(vault) as client:
        workspace = client.start(workspace_folders=folders).capabilities.workspace
        assert workspace
        assert workspace.workspace_folders is None
        assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]
        assert definition(client, uri_of(other, "a.md"), 0, 2) == []


@pytest.mark.slow
def test_without_a_vault_the_editor_shows_why_and_gets_empty_answers(tmp_path: pathlib.Path) -> None:
    with Client(str(tmp_path), env={"HOME": str(tmp_path)}) as client:  # the home folder is no vault
        client.start()
        message = client.notices.get(timeout=PATIENCE)
        assert message["method"] == types.WINDOW_SHOW_MESSAGE
        assert "home folder" in message["params"]["message"]
        assert definition(client, uri_of(str(tmp_path), "a.md"), 0, 0) == []
        assert client.exit() == 0


@pytest.mark.slow
def test_the_exit_code_says_whether_the_editor_has_shut_the_server_down(vault: str) -> None:
    with Client(vault) as client:
        client.start()
        client.notify(types.EXIT, None)
        assert client.process.wait(PATIENCE) == 1
    with Client(vault) as client:
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(PATIENCE) == 1
    sentence = b"The editor has ended, or closed the input, without a request to exit."
    assert client.log.splitlines() == [b"zkmem: WARNING: " + sentence]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere the system ends the pipe with the editor")
def test_the_server_ends_with_its_editor_though_the_pipe_stays_open(vault: str) -> None:
    with subprocess.Popen(["sleep", "600"]) as editor, Client(vault) as client:
        client.start(process_id=editor.pid)
        editor.kill()
        editor.wait()
        assert client.process.wait(PATIENCE) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [2**31, 2**70, -1])
def test_a_process_that_cannot_be_is_no_editor_to_wait_for(vault: str, number: int) -> None:
    with Client(vault) as client:
        client.start(process_id=number)
        assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]


ENDLESS = """
import threading
from zkmem.cli.main import main
from zkmem.lsp import server
from zkmem.lsp.features import VaultFeature
server.FEATURES += (VaultFeature("zkmem/endless", lambda *_: threading.Event().wait()),)
main()
"""


@pytest.mark.slow
def test_a_request_that_still_runs_does_not_hold_the_end(vault: str) -> None:
    with Client(vault, program=ENDLESS) as client:
        client.start()
        client.send("zkmem/endless", {})
        number = client.send(types.TEXT_DOCUMENT_DEFINITION, place_of_link(vault))
        assert client.next_answer()["id"] == number  # a thread has the endless one by now
        client.send(types.SHUTDOWN, None)
        client.notify(types.EXIT, None)
        try:
            assert client.process.wait(PATIENCE) == 0
        finally:
            client.process.kill()


def test_without_its_library_the_command_says_how_to_install_it(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"pygls/__init__.py": "raise ModuleNotFoundError('no', name='pygls')"})
    path = os.pathsep.join([str(tmp_path), *sys.path])
    result = subprocess.run(
        [sys.executable, "-m", "zkmem", "lsp"], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        check=False, input="",
    )  # fmt: skip
    assert result.returncode == 2
    for way in ("uv tool install", "pipx install --force", "pip install"):
        assert f"{way} '.[lsp]'" in result.stderr


def test_a_cancelled_request_gets_an_answer_and_the_server_goes_on(client: Client, vault: str) -> None:
    number = client.send(types.TEXT_DOCUMENT_DEFINITION, place_of_link(vault))
    client.notify(types.CANCEL_REQUEST, types.CancelParams(number))
    message = client.next_answer()
    assert message["id"] == number
    assert "result" in message or message["error"]["code"] == types.LSPErrorCodes.RequestCancelled
    assert definition(client, uri_of(vault, "a.md"), 2, 6) == [uri_of(vault, "b.md")]


def test_the_headings_of_a_text_that_is_not_saved_count_in_other_documents(client: Client, vault: str) -> None:
    client.open("with-link.md", "[[b#New]]")
    assert [one.code for one in client.diagnostics("with-link.md")] == ["missing-heading"]
    client.open("b.md", "# B\n")
    client.change("b.md", 2, types.TextDocumentContentChangeWholeDocument("# New\n"))
    while client.diagnostics("with-link.md"):
        pass
    for path in ("b.md", "with-link.md"):
        about = types.TextDocumentIdentifier(uri_of(vault, path))
        client.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(about))
        if path == "b.md":
            assert [one.code for one in client.diagnostics("with-link.md")] == ["missing-heading"]


def test_the_index_follows_what_others_write(client: Client, vault: str) -> None:
    client.open("a.md", "[[new note]]")
    assert [one.code for one in client.diagnostics("a.md")] == ["missing"]
    write(vault, {"new note.md": "# New\n"})
    until(lambda: not client.diagnostics("a.md"))
    assert definition(client, uri_of(vault, "a.md"), 0, 4) == [uri_of(vault, "new note.md")]
