"""What each kind of caller gets of an import, of `why` and of conversations over the API, and what it learns."""

import pathlib
from typing import Any

import httpx2
import pytest

from tests.tools.servers import http_server
from tests.tools.vaults import read, write
from zkmem.caller import IMPORT, Caller, Grant
from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory
from zkmem.vault.journal.origins import Conversation, Conversations, hash_of, session_of
from zkmem.vault.journal.state import StateFolder

OUTSIDE = "xyzzy"  # in each name and text outside of the folder, and in what a person has said
SESSION = session_of("claude-code", "s1")
CALLERS: dict[str, dict[str, Any]] = {
    "owner": {},
    "reader": {"read_only": True},
    "proposer": {"propose": True},
    "in the folder": {"folder": "tea"},
    "reader in the folder": {"folder": "tea", "read_only": True},
}
ROWS = [  # the method, the path, the body, and the statuses for the callers in the order above
    ("GET", "/proposed", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed?client=import&month=2026-10&project=xyzzy", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed?client=nobody", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed/changes?client=import", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed/changes?client=import&edit=1", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed/changes?client=import&edit=2", None, [200, 200, 403, 404, 404]),
    ("GET", "/proposed/blocked?client=import", None, [200, 200, 403, 200, 200]),
    ("GET", "/proposed/versions?client=import&edit=2", None, [422, 422, 403, 404, 404]),
    ("GET", "/why?name=tea/pot", None, [200, 200, 200, 200, 200]),
    ("GET", "/why?name=tea/pot:1", None, [200, 200, 200, 200, 200]),
    ("GET", "/why?name=tea/pot:99", None, [422, 422, 422, 422, 422]),
    ("GET", "/why?name=tea/pot%23nowhere", None, [404, 404, 404, 404, 404]),
    ("GET", "/why?name=xyzzy/cup", None, [200, 200, 200, 404, 404]),
    ("GET", "/why?name=../tea/pot", None, [422] * 5),
    ("GET", "/session?session=s1", None, [200, 200, 422, 403, 403]),
    ("GET", f"/session?session={SESSION}", None, [200, 200, 422, 403, 403]),
    ("GET", "/session?session=..%2F..%2Fx", None, [422, 422, 422, 403, 403]),
    ("GET", "/hint", None, [200, 200, 200, 200, 200]),
    ("POST", "/hint", {"preview": True}, [200, 403, 200, 200, 403]),
    ("POST", "/hint", {}, [200, 403, 403, 200, 403]),
    ("POST", "/undo", {"session": "s1", "preview": True}, [409, 403, 422, 403, 403]),
    ("POST", "/undo", {"session": "s1"}, [409, 403, 422, 403, 403]),
    ("POST", "/proposed/accept", {"client": "import", "edits": [2]}, [200, 403, 403, 404, 403]),
    ("POST", "/proposed/drop", {"client": "import", "edits": [2]}, [404, 403, 403, 404, 403]),
    ("POST", "/proposed/accept", {"client": "import", "project": "xyzzy"}, [200, 403, 403, 404, 403]),
    ("POST", "/proposed/drop", {"client": "import", "month": "2026-10", "project": ""}, [404, 403, 403, 404, 403]),
    ("POST", "/proposed/accept", {"client": "import", "month": "2026-10"}, [200, 403, 403, 200, 403]),
    ("POST", "/proposed/drop", {"client": "import"}, [404, 403, 403, 404, 403]),
]


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    """A vault with proposed notes inside and outside of a folder, and a note whose text came from outside of it."""
    vault = write(tmp_path / "vault", {"xyzzy/cup.md": "An older line.\n"})
    with Memory(vault, durable=False) as memory:
        memory.on_behalf(tool="set_content", client="claude-code", call="c1").write("xyzzy/pot", "Of clay.\n")
        memory.rename("xyzzy/pot", "tea/pot")
    with Memory(vault, Caller(Grant(proposes_as=IMPORT), tool="import"), durable=False) as importing:
        importing.write("tea/2026-10-01 a", "Said.\n")
        importing.write("xyzzy/2026-10-02 xyzzy", "xyzzy\n")
        importing.write("xyzzy/2026-10-03 xyzzy", "xyzzy\n")
    Conversations(StateFolder(vault)).add(Conversation(hash_of("c1"), 1.0, "claude-code", SESSION, "xyzzy", "xyzzy"))
    return vault


@pytest.fixture
def tokens(vault: str) -> dict[str, str]:
    file = tokens_of(vault)
    return {name: file.add(name, **rights) for name, rights in CALLERS.items()}


@pytest.mark.parametrize("at", range(len(CALLERS)), ids=list(CALLERS))
def test_each_caller_gets_what_its_rights_allow_and_learns_nothing_else(
    vault: str, tokens: dict[str, str], at: int
) -> None:
    name, before = list(CALLERS)[at], read(vault)
    got, told = [], []
    with http_server(vault) as url:
        for method, path, body, _ in ROWS:
            answer = httpx2.request(
                method, url.removesuffix("/mcp") + "/api" + path, json=body, timeout=30,
                headers={"Authorization": f"Bearer {tokens[name]}"},
            )  # fmt: skip
            got.append((method, path, body, answer.status_code))
            if OUTSIDE in answer.text and OUTSIDE not in path and OUTSIDE not in str(body):
                told.append((method, path, answer.text))
    assert got == [(*row[:3], row[3][at]) for row in ROWS]
    if "folder" in CALLERS[name]:
        assert told == []
    if "reader" in name:
        assert read(vault) == before
    assert (OUTSIDE in str(read(vault).keys() - before.keys())) == (name == "owner")
