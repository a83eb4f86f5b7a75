"""What zkmem is published as says what zkmem is: the registry's entry, the bundle, the image, the service."""

import importlib.metadata
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from typing import Any

import click
import jsonschema
import pytest

from tests.tools import npm
from tests.tools.configurations import Desk
from tests.tools.models import endpoint
from tests.tools.vaults import write
from zkmem import __version__, trust
from zkmem.cli.group import cli
from zkmem.clients import entry, hooks
from zkmem.clients.table import CLIENTS
from zkmem.toolsets.table import TOOLSETS

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
MANIFEST = ROOT / "packaging" / "mcpb" / "manifest.json"
EXTENSION = ROOT / "packaging" / "vscode"
HOW_TO = ROOT / "docs" / "how-to"

TEXT = {"type": "string", "minLength": 1}
ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"enum": ["positional", "named"]},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
        "default": TEXT,
        "description": TEXT,
    },
    "if": {"properties": {"type": {"const": "named"}}},
    "then": {"required": ["name"]},
    "else": {"anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}]},
}
RULES = {  # what the registry's schema of 2025-12-11 asks of the parts that we use
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+", "maxLength": 255},
        "packages": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"const": "pypi"},
                    "identifier": TEXT,
                    "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                    "runtimeHint": {"const": "uvx"},
                    "transport": {"const": {"type": "stdio"}},
                    "packageArguments": {"type": "array", "items": ARGUMENT},
                    "environmentVariables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {"isSecret": {"type": "boolean"}},
                        },
                    },
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def read(path: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def order_called(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found, name
    return found


def test_the_entry_for_the_registry_keeps_its_rules_and_the_readme_proves_it() -> None:
    entry = read(ROOT / "server.json")
    jsonschema.validate(entry, RULES)
    (package,) = entry["packages"]
    assert (entry["version"], package["version"]) == (__version__, __version__)
    assert f"<!-- mcp-name: {entry['name']} -->" in README
    words = [one.get("value") or one.get("name") or "VAULT" for one in package["packageArguments"]]
    assert words == ["serve", "VAULT", "--toolsets"]
    assert order_called(words[0])


def test_the_addresses_of_the_project_have_the_owner_of_the_registry_entry() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    owner = read(ROOT / "server.json")["name"].removeprefix("io.github.")
    assert all(url.startswith(f"https://github.com/{owner}") for url in project["urls"].values())
    pages = [ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md", *(ROOT / ".github").rglob("*.yml")]
    for page in pages:
        cited = re.findall(r"github\.com/([\w.-]+/zkmem)", page.read_text("utf-8"))
        assert set(cited) <= {owner}, page


def test_the_bundle_starts_what_there_is() -> None:
    manifest = read(MANIFEST)
    server = manifest["server"]
    assert (manifest["manifest_version"], server["type"]) == ("0.4", "uv")
    assert manifest["version"] == __version__
    assert (ROOT / server["entry_point"]).is_file()
    assert [tool["name"] for tool in manifest["tools"]] == [tool.name for tool in TOOLSETS["zettel"].tools]
    words = server["mcp_config"]["args"]
    options = order_called(words[words.index("zkmem") + 1]).params
    named = {name for option in options if isinstance(option, click.Option) for name in option.opts}
    assert {word for word in words[words.index("serve") :] if word.startswith("--")} <= named
    asked = set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(server)))
    assert asked == set(manifest["user_config"])


def test_the_extension_has_the_version_and_the_owner_of_zkmem_and_starts_its_language_server() -> None:
    manifest, lock = read(EXTENSION / "package.json"), read(EXTENSION / "package-lock.json")
    assert manifest["version"] == lock["version"] == lock["packages"][""]["version"] == __version__
    assert f"io.github.{manifest['publisher']}" == read(ROOT / "server.json")["name"].partition("/")[0]
    words = re.findall(r"args: \['(\w+)', '(--\w+)', vault\]", (EXTENSION / "extension.js").read_text("utf-8"))
    assert words == [("lsp", "--vault")]
    assert "--vault" in {name for option in order_called("lsp").params for name in option.opts}


def test_no_workspace_chooses_the_program_that_the_extension_starts() -> None:
    manifest = read(EXTENSION / "package.json")
    settings = manifest["contributes"]["configuration"]["properties"]
    assert settings["zkmem.command"]["scope"] == "machine"
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    assert set(untrusted["restrictedConfigurations"]) == {"zkmem.command", "zkmem.vault"}
    page = (EXTENSION / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(zkmem\.[\w.]+)` \| (?:`(\S+)`)? ?\|", page, re.MULTILINE) == [
        (name, row["default"]) for name, row in settings.items()
    ]


PLUGINS = {  # by client: the folder, the manifest, the name of its server in the client, and how a hook names the vault
    "claude-code": (".claude-plugin/plugin.json", "plugin_zkmem_zkmem", ' --vault "$CLAUDE_PLUGIN_OPTION_VAULT"'),
    "codex": (".codex-plugin/plugin.json", "zkmem", ""),  # it has no settings: ZKMEM_VAULT names the vault
    "gemini": ("gemini-extension.json", "zkmem", ' --vault "${ZKMEM_VAULT}"'),
}


@pytest.mark.parametrize("client", PLUGINS)
def test_a_plug_in_has_the_parts_that_install_writes(client: str) -> None:
    manifest_name, server, vault = PLUGINS[client]
    folder = ROOT / "packaging" / client
    manifest, row = read(folder / manifest_name), CLIENTS[client]
    assert (manifest["name"], manifest["version"]) == ("zkmem", __version__)
    owner = read(ROOT / "server.json")["name"].removeprefix("io.github.")
    assert manifest.get("homepage", f"https://github.com/{owner}") == f"https://github.com/{owner}"
    assert row.hooks
    groups = hooks.made(client, row.hooks, [server], ["zkmem"], ["VAULT"])
    wanted = json.dumps({event: [group] for event, group in groups.items()})
    assert read(folder / "hooks" / "hooks.json") == {
        "hooks": json.loads(wanted.replace(" --vault VAULT", json.dumps(vault)[1:-1]))
    }
    servers = (manifest if client == "gemini" else read(folder / ".mcp.json"))["mcpServers"]
    made = entry.made(row, ["zkmem", "serve", *servers["zkmem"]["args"][1:]])
    assert list(servers) == ["zkmem"]
    assert {key: value for key, value in servers["zkmem"].items() if key != "env_vars"} == made
    asked = json.dumps(manifest.get("userConfig") or manifest.get("settings") or servers)
    assert ("vault" if client == "claude-code" else "ZKMEM_VAULT") in asked


def test_each_marketplace_has_the_plug_in_of_its_client() -> None:
    (claude,) = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    (codex,) = read(ROOT / ".agents" / "plugins" / "marketplace.json")["plugins"]
    assert (claude["name"], claude["source"]) == ("zkmem", "./packaging/claude-code")
    assert (codex["name"], codex["source"]["path"]) == ("zkmem", "./packaging/codex")


def test_the_package_index_gets_whole_addresses() -> None:
    text = str(importlib.metadata.metadata("zkmem").json["description"])  # as it was installed
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 10
    assert all(target.startswith("https://") for target in targets)
    assert re.search(r"!\[[^\]]+\]\(https://raw\.githubusercontent\.com/\S+\.webp\)", text)


@pytest.mark.node
def test_the_bundle_is_valid_and_packs_all_that_the_server_needs(
    tmp_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mcpb = npm.installed(tmp_path_factory, "@anthropic-ai/mcpb@2") / "mcpb"
    copy = shutil.copytree(
        ROOT,
        tmp_path / "clone",
        ignore=shutil.ignore_patterns(".*", "build", "dist", "tests", "benchmarks", "sample_vault"),
    )
    subprocess.run(["make", "mcpb", f"MCPB={mcpb}"], cwd=copy, check=True, capture_output=True)
    with zipfile.ZipFile(copy / "dist" / "zkmem.mcpb") as bundle:
        names = set(bundle.namelist())
    found = (path for path in (ROOT / "zkmem").rglob("*.py") if "node_modules" not in path.parts)
    sources = {str(path.relative_to(ROOT)) for path in found}
    assert sources | {"manifest.json", "pyproject.toml", "README.md", "LICENSE", "zkmem/py.typed"} <= names
    assert not any("__pycache__" in name for name in names)

    broken = read(MANIFEST)
    del broken["server"]["entry_point"]
    write(tmp_path, {"manifest.json": json.dumps(broken)})
    done = subprocess.run([mcpb, "validate", tmp_path / "manifest.json"], capture_output=True, check=False)
    assert done.returncode != 0


@pytest.mark.long
@pytest.mark.node
def test_the_extension_is_packed_with_all_that_it_loads(
    tmp_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    vsce = npm.installed(tmp_path_factory, "@vscode/vsce@3") / "vsce"
    copy = tmp_path / "clone"
    shutil.copytree(EXTENSION, copy / "packaging" / "vscode", ignore=shutil.ignore_patterns("node_modules"))
    for name in ("Makefile", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    subprocess.run(["make", "vscode", f"VSCE={vsce}"], cwd=copy, check=True, capture_output=True)
    with zipfile.ZipFile(copy / "dist" / "zkmem.vsix") as package:
        package.extractall(tmp_path)
    names = {path.name for path in (tmp_path / "extension").iterdir()}
    assert names == {"LICENSE.txt", "extension.js", "node_modules", "package.json", "readme.md"}
    fake = tmp_path / "node_modules" / "vscode" / "index.js"  # the editor's own module; all others are in the package
    write(fake.parent, {fake.name: "module.exports = new Proxy({}, {get: () => class {}});"})
    program = "const { activate } = require('./extension'); if (typeof activate !== 'function') process.exit(1);"
    subprocess.run(["node", "-e", program], cwd=tmp_path / "extension", check=True)


CONNECTED = {  # what the list of servers has, by the client's command
    "opencode": ("opencode", "✓ zkmem .*connected"),
    "qwen": ("qwen", "zkmem: .* Connected"),
    "amp": ("amp", "zkmem +command "),
}
PACKAGES = (
    "@anthropic-ai/claude-code",
    "@google/gemini-cli",
    "@openai/codex",
    "opencode-ai",
    "@qwen-code/qwen-code",
    "@github/copilot",
    "@ampcode/cli@0.0.1790142911-g7618fb",  # a package of each commit, not always with its program
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    if "ZKMEM_TEST_CLIENTS" not in os.environ:
        pytest.skip("fetches some 1,500 MB from npm: set ZKMEM_TEST_CLIENTS=1")
    return npm.installed(tmp_path_factory, *PACKAGES)


def started(program: pathlib.Path, words: list[str], desk: Desk, path: str, **environ: str) -> str:
    """What a client prints."""
    return subprocess.run(
        [program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=True, cwd=desk.folder.parent, timeout=120, env={**desk.environ, "PATH": path, **environ},
    ).stdout  # fmt: skip


@pytest.mark.long
@pytest.mark.node
@pytest.mark.parametrize("client", CONNECTED)
def test_the_real_client_connects_once_zkmem_is_installed(
    client: str, programs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "notes", {"hint.md": "[[a]]\n"})
    path = f"{programs}{os.pathsep}{desk.environ['PATH']}"
    command, shows = CONNECTED[client]
    order = programs / command, ["mcp", "list"]

    done = desk.run("install", client, "--vault", vault, "--toolsets", "zettel,history", PATH=path)
    assert done.returncode == 0, done.stderr
    assert re.search(shows, started(*order, desk, path))
    assert desk.run("uninstall", client).returncode == 0
    assert "zkmem" not in started(*order, desk, path)


ADDED = {  # how a plug-in is added on the command line: CLONE and VAULT are put in
    "claude-code": [
        "claude plugin validate --strict CLONE",
        "claude plugin validate --strict CLONE/packaging/claude-code",
        "claude plugin marketplace add CLONE",
        "claude plugin install zkmem@zkmem --config vault=VAULT",
    ],
    "codex": ["codex plugin marketplace add CLONE", "codex plugin add zkmem@zkmem"],
    "gemini": [
        "gemini extensions validate CLONE/packaging/gemini",
        "gemini extensions install CLONE/packaging/gemini --consent --skip-settings",
    ],
}
LISTED = {  # client -> its command, and patterns of what it lists: our entry, the server of our plug-in
    "claude-code": ("claude", "^zkmem: .* Connected", "^plugin:zkmem:zkmem: zkmem serve FOLDER - .*Connected"),
    "codex": ("codex", "^zkmem .* enabled", "^zkmem +zkmem +serve +ZKMEM_VAULT.* enabled"),
    "gemini": ("gemini", "zkmem: .* Connected", "zkmem serve FOLDER .*Connected"),
}
ASKED = {
    "claude-code": "claude -p hi",
    "codex": "codex exec --dangerously-bypass-hook-trust --skip-git-repo-check hi",
    "gemini": "gemini -p hi --model gemini-2.5-flash",
}
CODEX = """model = "m"
model_provider = "here"

[model_providers.here]
name = "here"
base_url = "URL"
wire_api = "responses"
"""
GEMINI = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'


@pytest.mark.long
@pytest.mark.node
@pytest.mark.parametrize("client", ASKED)
def test_what_install_writes_and_the_plug_in_connect_and_their_hooks_reach_the_model_of_the_real_client_once(
    client: str, programs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "my notes", {"hint.md": "Quaggaberries first.\n"})
    clone = tmp_path / "clone"
    for name in (".agents", ".claude-plugin", "packaging"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("node_modules"))
    path = os.pathsep.join([str(programs), str(pathlib.Path(sys.executable).parent), desk.environ["PATH"]])

    with endpoint(lambda _: (200, _MODELS[client])) as (url, asked):
        root = url.removesuffix("/v1")
        own = {"ZKMEM_VAULT": vault, "ZKMEM_HOOK_MS": "9000"}  # other tests run beside it
        own |= {"ANTHROPIC_BASE_URL": root, "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        own |= {"GOOGLE_GEMINI_BASE_URL": root, "GEMINI_API_KEY": "x"}
        write(desk.folder, {".codex/config.toml": CODEX.replace("URL", url), ".gemini/settings.json": GEMINI})
        write(desk.folder, {".gemini/trustedFolders.json": json.dumps({str(tmp_path): "TRUST_FOLDER"})})

        def run(command: str) -> str:
            program, *words = shlex.split(command.replace("CLONE", str(clone)).replace("VAULT", shlex.quote(vault)))
            return started(programs / program, words, desk, path, **own)

        def said() -> int:
            asked.clear()
            run(ASKED[client])
            return json.dumps(asked[0]).count("Quaggaberries")

        def listed() -> str:
            return run(f"{command} mcp list")

        command, ours, of_plug_in = LISTED[client]
        assert desk.run("install", client, "--vault", vault, PATH=path).returncode == 0
        assert re.search(ours, listed(), re.MULTILINE)
        assert desk.run("uninstall", client).returncode == 0
        for order in ADDED[client]:
            run(order)
        assert re.search(of_plug_in.replace("FOLDER", vault), listed(), re.MULTILINE)
        assert desk.run("install", client, "--vault", vault, PATH=path).returncode == 0
        assert said() == 1
        assert desk.run("uninstall", client).returncode == 0
        assert said() == 1


OFFERED = {"copilot": ["copilot", "--allow-all-tools"]}


@pytest.mark.long
@pytest.mark.node
@pytest.mark.parametrize("client", OFFERED)
def test_the_real_client_offers_the_tools_to_its_model(
    client: str, programs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "notes", {"hint.md": "[[a]]\n"})
    path = f"{programs}{os.pathsep}{desk.environ['PATH']}"
    piece = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choice = {"index": 0, "delta": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
    answer = f"data: {json.dumps({**piece, 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()
    with endpoint(lambda _: (200, answer)) as (url, asked):
        own = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url, "COPILOT_MODEL": "m"}
        assert desk.run("install", client, "--vault", vault, PATH=path).returncode == 0
        command, *options = OFFERED[client]
        assert "done" in started(programs / command, [*options, "-p", "Remember this"], desk, path, **own)
    offered = [tool["function"]["name"] for tool in asked[0]["tools"]]
    for tool in TOOLSETS["zettel"].tools:
        assert any(name.endswith(tool.name) for name in offered), tool.name


@pytest.mark.long
@pytest.mark.node
def test_claude_code_reads_and_writes_its_memory_where_adopt_has_moved_it(
    programs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    desk = Desk(tmp_path / "home")
    vault = write(tmp_path / "notes", {"hint.md": "x\n"})
    project = write(tmp_path / "my_app.x", {".git/config": ""})
    path = f"{programs}{os.pathsep}{desk.environ['PATH']}"
    answer = tmp_path / "answer.txt"
    write(tmp_path, {"answer.txt": _MESSAGE})

    def told() -> str:
        """All that Claude Code sends to a model."""
        with endpoint(lambda _: (200, answer.read_bytes())) as (url, asked):
            own = {"ANTHROPIC_BASE_URL": url.removesuffix("/v1"), "ANTHROPIC_API_KEY": "x", "PATH": path}
            own |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "HOME": str(desk.folder)}
            subprocess.run(
                [programs / "claude", "-p", "hi"], cwd=project, check=True, timeout=120, stdin=subprocess.DEVNULL,
                env={**desk.environ, **own},
            )  # fmt: skip
            return json.dumps(asked, ensure_ascii=False)

    (memory,) = re.findall(r"memory at `([^`]+)/`", told())
    write(memory, {"MEMORY.md": "- [Tea](tea.md) about quaggaberries\n", "tea.md": "Green.\n"})
    done = desk.run("adopt", "claude-code", "--vault", vault, "--project", project)
    assert done.returncode == 0, done.stderr
    assert "moved 2 files" in done.stdout
    sent = told()
    assert f"memory at `{vault}/claude-code/my_app.x/`" in sent
    assert "about quaggaberries" in sent
    assert desk.run("adopt", "claude-code", "--vault", vault, "--project", project, "--undo").returncode == 0
    done = desk.run("adopt", "claude-code", "--shared", "--vault", vault, "--project", project)
    assert done.returncode == 0, done.stderr
    assert f"memory at `{vault}/claude-code/shared/`" in told()


_EVENTS: tuple[dict[str, Any], ...] = (
    {
        "type": "message_start",
        "message": {
            "id": "m", "type": "message", "role": "assistant", "model": "x", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
)  # fmt: skip
_MESSAGE = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _EVENTS)
"""An answer of a model, as the API of Anthropic streams it."""
_RESPONSE: tuple[dict[str, Any], ...] = (
    {"type": "response.created", "response": {"id": "r"}},
    {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": {
            "type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "hello"}],
        },
    },
    {
        "type": "response.completed",
        "response": {"id": "r", "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}},
    },
)  # fmt: skip
_CANDIDATE = {"content": {"role": "model", "parts": [{"text": "hello"}]}, "finishReason": "STOP", "index": 0}
_MODELS = {
    "claude-code": _MESSAGE.encode(),
    "codex": "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _RESPONSE).encode(),
    "gemini": f"data: {json.dumps({'candidates': [_CANDIDATE]})}\r\n\r\n".encode(),
}
"""The same answer for each client."""


@pytest.mark.long
@pytest.mark.slow
def test_the_commands_of_the_page_about_installing_do_what_it_says(tmp_path: pathlib.Path) -> None:
    desk = Desk(tmp_path / "home")
    write(desk.folder, {"notes/hint.md": "", "work/a.md": ""})
    for client in CLIENTS:
        desk.put(client, None)
    page = (HOW_TO / "install.md").read_text("utf-8")
    orders = [line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    found = pathlib.Path(sys.executable).parent
    assert orders.pop() == "uv tool uninstall zkmem"  # zkmem is not installed with uv here
    for order in orders:
        done = subprocess.run(
            ["bash", "-c", order], capture_output=True, text=True, check=False, cwd=desk.folder, timeout=120,
            env={**desk.environ, "PATH": f"{found}{os.pathsep}{desk.environ['PATH']}"},
        )  # fmt: skip
        assert (done.returncode, done.stderr.replace(f"For {desk.file('vscode')}:\n", "")) == (0, ""), order
    assert len(orders) == 13
    assert (desk.folder / ".zkmem-completion").stat().st_size > 500
    for client, row in CLIENTS.items():
        if row.project:
            assert f"| `{row.project}` |" in page, client


def test_the_unit_for_systemd_starts_the_server(tmp_path: pathlib.Path) -> None:
    page = (HOW_TO / "service.md").read_text("utf-8")
    unit = re.search(r"```ini\n(.*?)```", page, re.DOTALL)
    assert unit
    order = re.search(r"^ExecStart=(.*)$", unit[1], re.MULTILINE)
    assert order
    words = shlex.split(order[1].replace("%h/.local/bin/", "").replace("%h/notes", str(tmp_path)))
    assert words[0] == "zkmem"
    order_called("serve").make_context("serve", words[2:])
    if shutil.which("systemd-analyze"):
        path = tmp_path / "zkmem.service"
        path.write_text(unit[1].replace("%h/.local/bin/zkmem", sys.executable))
        done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
        assert path.name not in done.stderr  # other units of the machine may have their own faults


def test_the_image_holds_what_it_is_built_from() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE) for word in line.split()]
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split() if line.startswith("!")}
    assert set(copied) == allowed
    assert all((ROOT / name).exists() for name in copied)
    order = re.search(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert order
    assert json.loads(order[1])[:2] == ["serve", "/vault"]
    assert re.search(r"^USER (?!root)", text, re.MULTILINE)


def test_what_the_user_allowed_is_kept_from_one_container_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    home = re.search(r"\bXDG_CONFIG_HOME=(\S+)", text)
    assert home
    monkeypatch.setenv("XDG_CONFIG_HOME", home[1])
    assert trust.folder().startswith(f"{home[1]}/")
    declared = re.search(r"^VOLUME (.*)$", text, re.MULTILINE)
    assert declared
    assert declared[1].split() == ["/vault", home[1]]
    made = re.search(r"install --directory --mode=1777 (\S+)", text)  # whatever user a container runs as
    assert made
    assert made[1] == home[1]
    page = (HOW_TO / "service.md").read_text("utf-8").replace("\\\n", "")
    orders = [line for line in page.splitlines() if "docker run" in line and "`docker run`" not in line]
    assert len(orders) == 3
    for order in orders:
        volumes = dict(reversed(one.split(":")) for one in re.findall(r"--volume (\S+)", order))
        assert volumes == {"/vault": "~/notes", home[1]: "zkmem-notes"}, order


def test_an_environment_that_was_made_by_half_is_made_anew(tmp_path: pathlib.Path) -> None:
    half = tmp_path / "python3"  # as where Debian's package for environments is missing
    half.write_text('#!/bin/sh\n[ "$1" = -c ] || { mkdir -p "$3/bin" && touch "$3/bin/python"; exit 1; }\n')
    half.chmod(0o755)
    made = tmp_path / "environment" / "bin" / "python"
    order = ["make", str(made), f"VENV={tmp_path / 'environment'}", f"PYTHON={half}"]
    assert subprocess.run(order, cwd=ROOT, capture_output=True, check=False).returncode == 2
    assert made.parent.is_dir()
    assert not made.exists()


def test_a_program_imports_the_memory_from_the_package_which_is_cheap_to_import_itself() -> None:
    program = """
import sys, zkmem
heavy = [name for name in sys.modules if name.startswith("zkmem.")]
from zkmem import Memory
print(heavy, Memory.__module__, hasattr(zkmem, "Vault"), sorted(zkmem.__all__))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[] zkmem.memory.memory False ['Memory', '__version__']\n"
