"""The server as clients meet it: the same tests over {in memory, stdio, HTTP} x {2025-11-25, 2026-07-28}."""

import contextlib
import functools
import json
import pathlib
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, ResourceTemplateReference, TextContent, TextResourceContents

from tests.tools.inner import index_lock
from tests.tools.servers import ERAS, INITIALIZE, WAYS, client, http_server
from tests.tools.vaults import read, write
from zkmem.memory import Memory
from zkmem.serve.mcp.server import McpServer
from zkmem.toolsets.table import chosen

pytestmark = pytest.mark.anyio

FILES = {
    "hint.md": "Start with [[topics/vue|Vue]] and [[a b]].\n",
    "topics/vue.md": "Vue is a framework. [[hint]] [[gone]]\n",
    "a b.md": "one\ntwo\n",
    "卡片.md": "中文 [[hint]]\n",
}


@pytest.fixture(params=WAYS)
def where(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path, FILES)


@pytest.fixture
async def connected(where: tuple[str, str], vault: str) -> AsyncIterator[Client]:
    async with client(*where, vault) as found:
        yield found


async def call(connected: Client, tool: str, **arguments: object) -> tuple[list[str], bool]:
    result = await connected.call_tool(tool, arguments)
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    return texts, bool(result.is_error)


@pytest.mark.slow
async def test_a_hundred_calls_at_once_are_all_answered(connected: Client) -> None:
    answers: list[bool] = []

    async def ask() -> None:
        texts, failed = await call(connected, "get_content", name="a b")
        answers.append(texts[0] == "one\ntwo\n" and not failed)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(ask)
    assert answers == [True] * 100


async def test_the_handshake(connected: Client, where: tuple[str, str]) -> None:
    assert connected.protocol_version == where[1]
    assert connected.server_info is not None
    assert connected.server_info.name == "zkmem"
    assert "[[hint]]" in (connected.instructions or "")
    capabilities = connected.server_capabilities
    assert capabilities.tools
    assert capabilities.prompts
    assert capabilities.completions
    assert capabilities.resources
    assert capabilities.resources.subscribe


async def test_the_log_tells_which_client_made_an_edit_with_which_tool(where: tuple[str, str], vault: str) -> None:
    async with client(*where, vault, client_info=Implementation(name="tester", version="7")) as connected:
        await call(connected, "set_content", name="new", content="x")
    (revision,) = Memory(vault).log()
    assert (revision.author, revision.version, revision.words) == ("tester", "7", "Created new")


async def test_schemas_are_flat_and_annotated(connected: Client) -> None:
    tools = (await connected.list_tools()).tools
    assert [tool.name for tool in tools] == [
        "get_content", "set_content", "delete_content", "rename_content", "get_hints", "get_suggestions",
        "extract_content",
    ]  # fmt: skip
    for tool in tools:
        text = json.dumps(tool.input_schema)
        assert not any(word in text for word in ("$ref", "$defs", "title", "anyOf", "null"))
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(exclude={"title"})
        assert all(type(value) is bool for value in hints.values())
        assert tool.annotations.read_only_hint == tool.name.startswith("get_")
        assert tool.annotations.open_world_hint is False


async def test_a_session_of_all_seven_tools(connected: Client, vault: str) -> None:
    texts, failed = await call(connected, "get_content", name="hint", depth=1)
    assert not failed
    assert texts[0].startswith(
        "Start with [[topics/vue|Vue]] and [[a b]].\n![[topics/vue|Vue]]start\n\nVue is a framework."
    )
    assert texts[1].startswith("etag ")

    texts, _ = await call(connected, "get_hints", count=2)
    assert texts == ["hint (weight 2, 2 links, 2 backlinks)\ntopics/vue (weight 2, 2 links, 1 backlink)"]
    result = await connected.call_tool("get_hints", {"count": 1})
    assert result.structured_content == {"hints": [{"name": "hint", "weight": 2.0, "links": 2, "backlinks": 2}]}

    texts, _ = await call(connected, "set_content", name="new note", content="It is [[new]].\n")
    assert texts[0].startswith("created new note; etag ")
    assert texts[0].endswith("missing: new")
    await call(connected, "set_content", name="new note", content="was", old="is")
    await call(connected, "set_content", name="new note", content="more", append=True)
    assert read(vault)["new note.md"] == b"It was [[new]].\n\nmore"

    texts, _ = await call(connected, "rename_content", name="a b", new_name="topics/c")
    assert "links updated in: hint" in texts[0]
    assert read(vault)["hint.md"] == b"Start with [[topics/vue|Vue]] and [[c]].\n"
    texts, _ = await call(connected, "rename_content", name="new note", new_name="topics/c")
    assert texts[0].startswith("merged new note into topics/c")

    texts, _ = await call(connected, "extract_content", name="topics/c", content="two", new_name="two")
    assert texts[0].startswith("created topics/two; etag ")
    texts, _ = await call(connected, "get_suggestions", threshold=1.0, count=1)
    about_hint, texts[0] = texts[0].split("\n", 1)
    assert about_hint == "hint does not link to some of the 10 heaviest notes: 卡片."
    assert texts[0].startswith("Nothing links to: 卡片\ntopics/c (value ")
    texts, _ = await call(connected, "delete_content", name="topics/vue")
    assert texts == ["moved topics/vue to .trash/vue.md; now broken links in: hint"]
    texts, _ = await call(connected, "get_content", name="hint")
    assert "missing: topics/vue" in texts[1]


REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("get_content", {"name": "hin"}, "Nearest names: hint"),
    ("get_content", {"name": "../x"}, "leads out of the vault"),
    ("get_content", {"name": "hint", "depth": 11}, "`depth` must be 0 to 10"),
    ("get_content", {"name": "hint", "depth": "two"}, "`depth` must be of type integer"),
    ("get_content", {}, "needs the argument `name`"),
    ("get_content", {"name": "hint", "deep": 1}, "no argument 'deep'"),
    ("get_hints", {"count": 0}, "`count` must be 1 to 1000"),
    ("set_content", {"name": "con", "content": "x"}, "device"),
    ("set_content", {"name": "hint", "content": "x", "old": "absent words"}, "is not in 'hint'"),
    ("set_content", {"name": "hint", "content": "x", "etag": "000000000000"}, "has changed"),
    ("rename_content", {"name": "hint", "new_name": ""}, "empty"),
    ("extract_content", {"name": "hint", "content": "nothing like it", "new_name": "x"}, "is not in 'hint'"),
]


async def test_a_refused_call_is_an_error_that_says_what_to_do(connected: Client, vault: str) -> None:
    lock = {".zkmem/recorder": b""}  # a thread of the server makes this empty file at any moment after the start
    before = read(vault, hidden=True) | lock
    for tool, arguments, says in REFUSED:
        texts, failed = await call(connected, tool, **arguments)
        assert failed, arguments
        assert says in texts[0]
    assert read(vault, hidden=True) | lock == before


async def test_a_note_that_is_too_long_for_a_resource_is_read_in_parts(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkmem.serve.mcp.resources._MOST_READ", 10)
    write(vault, {"long.md": "0123456789a"})
    async with client("memory", "2026-07-28", vault) as connected:
        with pytest.raises(MCPError, match="has 11 characters; read it in parts with get_content"):
            await connected.read_resource("zkmem://note/long")
        assert (await connected.read_resource("zkmem://note/a%20b")).contents
        assert not (await connected.call_tool("get_content", {"name": "long"})).is_error


async def test_a_model_that_calls_an_unknown_tool_is_told_which_there_are(connected: Client) -> None:
    texts, failed = await call(connected, "search")
    assert failed
    assert texts[0].startswith("Unknown tool 'search'; the tools are: get_content, ")


async def test_the_list_of_resources_has_the_entry_and_the_heaviest_notes(
    tmp_path: pathlib.Path, where: tuple[str, str]
) -> None:
    notes = {f"n{number:02}.md": "" for number in range(60)}
    links = " ".join(f"[[n{number:02}]]" for number in range(59, 10, -1))
    vault = write(tmp_path / "many", notes | {"hint.md": "", "a.md": links, "b.md": "[[n59]]", "c d.md": ""})
    async with client(*where, vault) as connected:
        resources = (await connected.list_resources()).resources
        listed = [one.name for one in resources if one.uri.startswith("zkmem://note/")]
        best = (await connected.call_tool("get_hints", {"count": 60})).structured_content["hints"]
    assert len(listed) == 50
    assert listed[:2] == ["hint", "a"]
    assert listed[1:] == [one["name"] for one in best if one["name"] != "hint"][:49]


async def test_notes_are_resources(connected: Client) -> None:
    templates = (await connected.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["zkmem://note/{+name}"]
    listed = [one for one in (await connected.list_resources()).resources if one.uri.startswith("zkmem://note/")]
    assert listed[0].uri == "zkmem://note/hint"
    names = (await connected.call_tool("get_hints", {})).structured_content["hints"]
    assert [one.name for one in listed] == [one["name"] for one in names]
    for one in listed:
        assert (await connected.read_resource(one.uri)).contents[0].mime_type == one.mime_type
    for uri in ("zkmem://note/topics/vue", "zkmem://note/a%20b", "zkmem://note/%E5%8D%A1%E7%89%87"):
        contents = (await connected.read_resource(uri)).contents[0]
        assert isinstance(contents, TextResourceContents)
        assert contents.mime_type == "text/markdown"
        assert contents.text
    for uri in ("zkmem://note/nope", "zkmem://note/../x", "zkmem://other/x", "file:///etc/passwd"):
        with pytest.raises(MCPError):
            await connected.read_resource(uri)


async def test_names_are_completed(connected: Client) -> None:
    reference = ResourceTemplateReference(type="ref/resource", uri="zkmem://note/{+name}")
    completion = (await connected.complete(reference, {"name": "name", "value": "V"})).completion
    assert completion.values == ["topics/vue"]
    completion = (await connected.complete(reference, {"name": "name", "value": ""})).completion
    assert completion.total == 4


async def test_three_prompts(connected: Client) -> None:
    prompts = (await connected.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["remember", "recall", "tidy"]
    message = (await connected.get_prompt("recall", {"question": "why {x}?"})).messages[0]
    assert isinstance(message.content, TextContent)
    assert "why {x}?" in message.content.text
    assert (await connected.get_prompt("tidy")).messages
    with pytest.raises(MCPError):
        await connected.get_prompt("nope")


async def test_subscribers_hear_of_edits_by_tools_and_by_hand(where: tuple[str, str], vault: str) -> None:
    heard: list[str] = []
    news = anyio.Event()

    async def hear(message: object) -> None:
        uri = getattr(getattr(message, "params", None), "uri", None)
        if uri:
            heard.append(str(uri))
            news.set()

    async def wait_for(uri: str) -> None:
        nonlocal news
        with anyio.fail_after(20):
            while uri not in heard:
                await news.wait()
                news = anyio.Event()

    uri = "zkmem://note/a%20b"
    async with client(*where, vault, message_handler=hear) as connected, anyio.create_task_group() as tasks:
        if where[1] == "2026-07-28":

            async def listen(*, task_status: anyio.abc.TaskStatus[None]) -> None:
                nonlocal news
                async with connected.listen(resource_subscriptions=[uri]) as events:
                    task_status.started()
                    async for event in events:
                        heard.append(str(getattr(event, "uri", "")))
                        news.set()

            await tasks.start(listen)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await connected.subscribe_resource(uri)
        await call(connected, "get_hints")  # the index, and with it the watch, is there now
        await call(connected, "set_content", name="a b", content="by a tool")
        await wait_for(uri)
        heard.clear()
        write(vault, {"a b.md": "by hand"})
        await wait_for(uri)
        if where[1] == "2025-11-25":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await connected.unsubscribe_resource(uri)
                await connected.subscribe_resource("zkmem://note/hint")
            heard.clear()
            await call(connected, "set_content", name="a b", content="not heard")
            await call(connected, "set_content", name="hint", content="heard")
            await wait_for("zkmem://note/hint")
            assert heard == ["zkmem://note/hint"]
        tasks.cancel_scope.cancel()


@pytest.mark.slow
async def test_calls_side_by_side_lose_nothing(connected: Client, vault: str) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(append, connected, f"paragraph {number}\n")
    paragraphs = read(vault)["log.md"].decode().rstrip().split("\n\n")
    assert sorted(paragraphs) == sorted(f"paragraph {number}" for number in range(40))


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_each_client_is_known_by_what_it_has_read_itself(tmp_path: pathlib.Path, era: str) -> None:
    vault = write(tmp_path, {"a.md": "one\n"})
    first, second = (Implementation(name=name, version="1") for name in ("first", "second"))
    with http_server(vault) as url:
        async with (
            Client(url, mode=ERAS[era], client_info=first) as one,
            Client(url, mode=ERAS[era], client_info=second) as other,
        ):
            await call(one, "get_content", name="a")
            write(vault, {"a.md": "by hand\n"})
            await call(other, "get_content", name="a")
            texts, failed = await call(one, "set_content", name="a", content="of one\n")
            assert (failed, "by hand" in texts[0]) == (True, True)
            _, failed = await call(other, "set_content", name="a", content="of the other\n")
            assert (failed, read(vault)["a.md"]) == (False, b"of the other\n")
            await one.read_resource("zkmem://note/a")
            write(vault, {"a.md": "by hand again\n"})
            _, failed = await call(one, "set_content", name="a", content="of one\n")
            assert (failed, read(vault)["a.md"]) == (True, b"by hand again\n")


async def append(connected: Client, line: str) -> None:
    _, failed = await call(connected, "set_content", name="log", content=line, append=True)
    assert not failed


async def test_the_web_cannot_reach_the_server_through_a_browser(vault: str) -> None:
    with http_server(vault) as url:
        async with httpx2.AsyncClient() as http:
            bad_host = await http.post(url, json={}, headers={"Host": "evil.example"})
            bad_origin = await http.post(url, json={}, headers={"Origin": "https://evil.example"})
    assert (bad_host.status_code, bad_origin.status_code) == (421, 403)


@pytest.mark.parametrize(("era", "told"), [("2025-11-25", signal.SIGTERM), ("2026-07-28", signal.SIGINT)])
async def test_a_server_that_is_told_to_stop_stops_without_a_fuss(vault: str, era: str, told: signal.Signals) -> None:
    command = [sys.executable, "-m", "zkmem", "serve", vault, "--mode", "http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        url = next(line.split()[1] for line in process.stderr if line.startswith("Address: "))
        async with contextlib.AsyncExitStack() as stack:
            connected = await stack.enter_async_context(Client(url, mode=ERAS[era]))
            await call(connected, "get_hints")
            if era == "2026-07-28":
                await stack.enter_async_context(connected.listen(resource_subscriptions=["zkmem://note/hint"]))
            process.send_signal(told)
            code = await anyio.to_thread.run_sync(functools.partial(process.wait, timeout=30))
        said = process.stderr.read()
    assert code in {0, -told, 130}
    assert "Traceback" not in said
    assert "ERROR" not in said


def test_ctrl_c_ends_a_server_on_stdio(vault: str) -> None:
    command = [sys.executable, "-m", "zkmem", "serve", vault]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert said == b""


def test_stdout_is_the_protocol_alone_and_the_process_ends_with_stdin(vault: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zkmem", "serve", vault],
        input=json.dumps(INITIALIZE) + "\n", capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1]
    assert done.stderr == ""


@pytest.mark.parametrize("mode", ERAS.values())
async def test_the_handshake_does_not_wait_for_the_index(vault: str, mode: str) -> None:
    memory = Memory(vault)
    held, release = threading.Event(), threading.Event()

    def hold_the_index() -> None:
        with index_lock(memory):
            held.set()
            release.wait()

    holder = threading.Thread(target=hold_the_index)
    holder.start()
    held.wait()
    with anyio.fail_after(20):
        async with Client(McpServer(memory, chosen(["zettel"])).server(), mode=mode) as connected:
            assert len((await connected.list_tools()).tools) == 7
            assert len((await connected.list_prompts()).prompts) == 3
            release.set()
            texts, _ = await call(connected, "get_hints", count=1)
            assert texts[0].startswith("hint ")
    holder.join()
