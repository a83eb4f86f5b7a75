"""Which notes are never given to a model that has not asked for them."""

import pytest

from zkmem.markdown.private import is_private


@pytest.mark.parametrize(
    "text",
    [
        "---\nprivate: true\n---\nText.\n",
        "---\nPrivate: yes\n---\nText.\n",
        "---\nprivate: 'only me'\n---\nText.\n",
        "---\r\nprivate: 1\r\n---\r\nText.\r\n",
        "---\nprivate: [diary]\n---\n",
        "---\ntype: knowledge_vault\n---\nA password.\n",
        "---\ntype: [Knowledge_Vault, core]\n---\nA password.\n",
        "---\nprivate: [true\n---\nNo YAML.\n",
        "---\nprivate: true\nNo end.\n",
    ],
)
def test_a_note_that_says_private_is_private(text: str) -> None:
    assert is_private("a.md", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A private matter.\n",
        "---\nprivate: false\n---\nText.\n",
        "---\nprivate: no\n---\nText.\n",
        "---\nprivate:\n---\nText.\n",
        "---\ntags: [private]\n---\nText.\n",
        "---\ntype: core\nabout: the knowledge_vault\n---\nText.\n",
    ],
)
def test_other_notes_are_not(text: str) -> None:
    assert not is_private("a.md", text.encode())


def test_the_folder_of_secrets_is_private() -> None:
    assert is_private("mirix/Knowledge_Vault/bank.md", b"A number.\n")
    assert not is_private("knowledge_vault.md", b"About that folder.\n")
