"""The sign-in as others judge it: the conformance suite's scenarios for an authorization server, from npm."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.conformance import node
from tests.conformance.suite import ERAS
from tests.tools.signing_in import Flow, add_user, allowed, free_port, public_server
from tests.tools.vaults import write

pytestmark = pytest.mark.node


def test_the_authorization_server_passes_the_scenarios_of_the_suite(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        assert "ZKMEM_TEST_NODE" not in os.environ, "CI has node"
        pytest.skip("needs node")
    vault = write(tmp_path / "notes", {"hint.md": "Start here.\n"})
    add_user(vault, "ann")
    with public_server(vault) as url:
        for era in ERAS:
            summary = judged(url, era)
            assert re.findall(r"✓ (\S+): \d+ passed, 0 failed", summary) == [
                "authorization-server-metadata-endpoint",
                "authorization-code-grant",
            ], summary


def judged(url: str, era: str) -> str:
    """Run the scenarios of an era, and play the person who signs in. Return what the suite says."""
    port = free_port()
    flow = Flow(url, f"http://127.0.0.1:{port}/callback")
    commands = node.installed()
    command = [str(commands / "conformance"), "authorization", "--url", url, "--client-id", flow.id, "--resource",
               f"{url}/mcp", "--port", str(port), "--spec-version", era]  # fmt: skip
    environment = os.environ | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    lines: list[str] = []
    asked = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as suite:
        assert suite.stdout
        for line in suite.stdout:
            lines.append(line)
            if line.startswith(f"{url}/authorize?"):
                asked = line.strip()
            if asked and "Callback server started" in line:
                httpx2.get(allowed(httpx2.get(asked).headers["location"]))
    return "".join(lines)
