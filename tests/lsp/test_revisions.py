"""Hover and definition in an old revision of a note, as editors show it."""

import json
import os
import pathlib
import subprocess
from collections.abc import Callable
from urllib.parse import quote

import pytest
from lsprotocol import types

from tests.tools.lsp_process import Client
from tests.tools.vaults import allow_git, write
from zkmem.lsp.revisions import revision_in
from zkmem.memory import Memory

OLD = "# A\n\nSee [[b#Part]] and [[gone]].\n"


def vscode(full: str, rev: str) -> str:
    return f"git:{quote(full)}?{quote(json.dumps({'path': full, 'ref': rev}))}"


def fugitive(full: str, rev: str) -> str:
    folder, name = os.path.split(full)
    return f"fugitive://{folder}/.git//{rev}/{name}"


def gitsigns(full: str, rev: str) -> str:
    folder, name = os.path.split(full)
    return f"gitsigns://{folder}/.git//{rev}:{name}"


@pytest.mark.parametrize("spelled", [vscode, fugitive, gitsigns])
def test_the_address_of_a_revision_is_read_and_made(spelled: Callable[[str, str], str]) -> None:
    for uri in (spelled("/the notes/a.md", "1a2b3c4"), quote(spelled("/the notes/a.md", "1a2b3c4"), safe=":/?%")):
        revision = revision_in(uri)
        assert revision
        assert revision[:2] == ("/the notes/a.md", "1a2b3c4")
        assert revision.address("/the notes/b c.md") == spelled("/the notes/b c.md", "1a2b3c4")


def test_fugitive_escapes_what_would_end_the_path() -> None:
    revision = revision_in("fugitive:///notes/.git//1a2b3c4/a%23.md")
    assert revision
    assert revision.full == "/notes/a#.md"
    assert revision.address("/notes/50% b?.md") == "fugitive:///notes/.git//1a2b3c4/50%25 b%3F.md"


@pytest.mark.parametrize(
    ("uri", "rev"),
    [
        (vscode("/a.md", "~"), "HEAD"),
        (vscode("/a.md", ""), "HEAD"),
        (vscode("/a.md", "~2"), "HEAD"),
        (vscode("/a.md", "2"), "2"),
        (fugitive("/n/a.md", "0"), "HEAD"),
        (fugitive("/n/a.md", "2"), "HEAD"),
        (gitsigns("/n/a.md", ":0"), "HEAD"),
        (gitsigns("/n/a.md", "2"), "2"),
        (gitsigns("/n/a.md", "2026-05-01"), "2026-05-01"),
    ],
)
def test_what_is_staged_is_read_as_of_the_last_commit(uri: str, rev: str) -> None:
    revision = revision_in(uri)
    assert revision
    assert revision.rev == rev
    assert revision.moment == f"{rev}^0"  # never a date, nor the number of an edit


@pytest.mark.parametrize(
    "uri",
    [
        "file:///a.md",
        "git:/a.md",
        "git:/a.md?{",
        "git:/a.md?[]",
        "git:/a.md?{%22ref%22:1}",
        vscode("/a.md", "~3"),
        fugitive("/n/a.md", "1"),
        gitsigns("/n/a.md", ":3"),
        "fugitive:///a.md",
        "git://[/a.md?{}",
        "",
    ],
)
def test_another_address_is_no_revision(uri: str) -> None:
    assert revision_in(uri) is None


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    """A vault whose notes were renamed, changed and deleted after the commit with the tag 2020-01-01."""
    vault = write(tmp_path / "vault", {"c.md": "C.\n"})
    with Memory(vault, git=True, durable=False) as memory:
        memory.set_up(git=True, settings=".zkmem/config.toml")
        memory.write("b", "# B\n\n## Part\n\nThe old words, see [[c]].\n")
        memory.write("gone", "It was there <img src=x>.\n")
        memory.write("a", OLD)
        subprocess.run(["git", "-C", vault, "tag", "2020-01-01"], check=True)
        memory.rename("b", "renamed")
        memory.write("renamed", "# B\n\nNew words.\n")
        memory.delete("gone")
    return str(vault)


def opened(client: Client, uri: str, text: str = OLD) -> types.TextDocumentIdentifier:
    """Show a text at an address."""
    item = types.TextDocumentItem(uri, "markdown", 1, text)
    client.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
    return types.TextDocumentIdentifier(uri)


@pytest.mark.slow
def test_links_of_an_old_revision_mean_what_they_meant_and_show_the_text_of_that_time(vault: str) -> None:
    allow_git(vault)
    with Client(vault, env={"ZKMEM_GIT": "true"}) as client:
        client.start()
        for spelled, rev in ((vscode, "HEAD~3"), (fugitive, "HEAD~3"), (gitsigns, "2020-01-01")):
            about = opened(client, spelled(f"{vault}/a.md", rev))

            def hover(at: str, about: types.TextDocumentIdentifier = about) -> str:
                place = types.Position(2, OLD.split("\n")[2].index(at) + 3)
                return str(client.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(about, place)).contents.value)

            assert hover("[[b") == f"**b** ({rev})\n\n## Part\n\nThe old words, see [[c]].\n"
            assert "It was there <\u2060img" in hover("[[gone")
            place = types.DefinitionParams(about, types.Position(2, 7))
            (found,) = client.ask(types.TEXT_DOCUMENT_DEFINITION, place)
            assert found.uri == spelled(f"{vault}/b.md", rev)
            assert found.range.start.line == 2


@pytest.mark.slow
def test_an_old_revision_is_not_changed_checked_or_read_outside_of_the_vault(vault: str) -> None:
    allow_git(vault)
    with Client(vault, env={"ZKMEM_GIT": "true"}) as client:
        client.start()
        about = opened(client, vscode(f"{vault}/a.md", "HEAD~3"))
        at = types.Position(2, 7)
        line, context = types.Range(types.Position(2, 0), at), types.CodeActionContext([])
        for method, params in {
            types.TEXT_DOCUMENT_COMPLETION: types.CompletionParams(about, at),
            types.TEXT_DOCUMENT_PREPARE_RENAME: types.PrepareRenameParams(about, at),
            types.TEXT_DOCUMENT_RENAME: types.RenameParams(about, at, "new"),
            types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionParams(about, line, context),
            types.TEXT_DOCUMENT_DOCUMENT_LINK: types.DocumentLinkParams(about),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: types.DocumentSymbolParams(about),
        }.items():
            assert not client.ask(method, params), method
        assert client.diagnostics_of(about.uri) == []  # [[gone]] is missing only now
        outside = pathlib.Path(vault).parent / "a.md"
        outside.write_text(OLD, encoding="utf-8")
        for uri in (vscode(str(outside), "HEAD~3"), vscode(f"{vault}/../a.md", "HEAD~3"), vscode(vault, "HEAD~3")):
            assert client.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(opened(client, uri), at)) is None
            assert client.diagnostics_of(uri) == []


@pytest.mark.slow
def test_a_link_is_resolved_from_where_the_note_was(vault: str) -> None:
    with Memory(vault, git=True, durable=False) as memory:
        for name in ("x/c", "y/c", "x/a", "y/b"):
            memory.write(name, "See [[./c]].\n")
        memory.rename("x/a", "moved")
        memory.rename("y/b", "x/a")  # a note of another folder now has the path
    allow_git(vault)
    with Client(vault, env={"ZKMEM_GIT": "true"}) as client:
        client.start()
        about = opened(client, vscode(f"{vault}/x/a.md", "HEAD~2"), "See [[./c]].\n")
        (found,) = client.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(about, types.Position(0, 8)))
        assert found.uri == vscode(f"{vault}/x/c.md", "HEAD~2")
