"""Hover and definition in an old revision of a note, as editors show it."""

import json
import os
import pathlib
from collections.abc import Callable
from urllib.parse import quote

import pytest
from lsprotocol import types

from tests.tools.lsp_process import Client
from tests.tools.vaults import write
from zkmem.lsp.revisions import revision_in
from zkmem.memory import Memory

OLD = "# A\n\nSee [[b#Part]] and [[gone]].\n"


def vscode(full: str, rev: str) -> str:
    return f"git:{quote(full)}?{quote(json.dumps({'path': full, 'ref': rev}))}"


def fugitive(full: str, rev: str) -> str:
    folder, name = os.path.split(full)
    return f"fugitive://{quote(folder)}/.git//{rev}/{name}"


def gitsigns(full: str, rev: str) -> str:
    folder, name = os.path.split(full)
    return f"gitsigns://{quote(folder)}/.git//{rev}:{name}"


@pytest.mark.parametrize("spelled", [vscode, fugitive, gitsigns])
def test_the_address_of_a_revision_is_read_and_made(spelled: Callable[[str, str], str]) -> None:
    uri = spelled("/the notes/a.md", "1a2b3c4")
    revision = revision_in(uri)
    assert revision
    assert revision[:2] == ("/the notes/a.md", "1a2b3c4")
    assert revision_in(revision.address("/the notes/b c.md"))[:2] == ("/the notes/b c.md", "1a2b3c4")  # type: ignore[index]


@pytest.mark.parametrize(
    "uri",
    ["file:///a.md", "git:/a.md", "git:/a.md?{", "git:/a.md?[]", "git:/a.md?{%22ref%22:1}", "fugitive:///a.md", ""],
)
def test_another_address_is_no_revision(uri: str) -> None:
    assert revision_in(uri) is None


@pytest.mark.slow
def test_links_of_an_old_revision_mean_what_they_meant_and_show_the_text_of_that_time(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path / "vault", {"c.md": "C.\n"})
    with Memory(vault, git=True, durable=False) as memory:
        memory.set_up(git=True, settings=".zkmem/config.toml")
        memory.write("b", "# B\n\n## Part\n\nThe old words, see [[c]].\n")
        memory.write("gone", "It was there <img src=x>.\n")
        memory.write("a", OLD)
        memory.rename("b", "renamed")
        memory.write("renamed", "# B\n\nNew words.\n")
        memory.delete("gone")
    with Client(vault, env={"ZKMEM_GIT": "true"}) as client:
        client.start()
        for uri in (vscode(f"{vault}/a.md", "HEAD~3"), fugitive(f"{vault}/a.md", "HEAD~3")):
            item = types.TextDocumentItem(uri, "markdown", 1, OLD)
            client.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
            about = types.TextDocumentIdentifier(uri)

            def hover(at: str, about: types.TextDocumentIdentifier = about) -> str:
                place = types.Position(2, OLD.split("\n")[2].index(at) + 3)
                return str(client.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(about, place)).contents.value)

            assert hover("[[b") == "**b** (HEAD~3)\n\n## Part\n\nThe old words, see [[c]].\n"
            assert "It was there <\u2060img" in hover("[[gone")
            place = types.DefinitionParams(about, types.Position(2, 7))
            (found,) = client.ask(types.TEXT_DOCUMENT_DEFINITION, place)
            revision = revision_in(found.uri)
            assert revision
            assert (revision.full, revision.rev, found.range.start.line) == (f"{vault}/b.md", "HEAD~3", 2)
            assert not client.ask(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(about))
