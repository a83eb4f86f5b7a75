"""What looks like a key in a note."""

import base64
import hashlib
import pathlib

import pytest

from zkmem.markdown.secret import described, secrets_in

DIGITS = hashlib.sha512(b"no secret").hexdigest()
LETTERS = base64.b64encode(hashlib.sha512(b"no secret either").digest()).decode().replace("/", "a").replace("+", "b")
KEYS = {  # put together here, so that no scanner takes this file for a leak
    "AKIA" + "Q3EGRJ7Z2LWX5MTY": "a key",
    "sk-" + "ant-api03-" + LETTERS[:60]: "a key",
    "sk-" + "proj-" + LETTERS[:48]: "a key",
    "sk_" + "live_" + LETTERS[:24]: "a key",
    "AIza" + LETTERS[:35]: "a key",
    "ghp_" + LETTERS[:36]: "a token",
    "github_" + "pat_" + LETTERS[:22] + "_" + LETTERS[:59]: "a token",
    "glpat-" + LETTERS[:20]: "a token",
    "xoxb-" + "2345678901-" + LETTERS[:24]: "a token",
    "hf_" + LETTERS[:34]: "a token",
    "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS[:60]: "a token",
    "zkm_" + LETTERS[:43]: "a token",
    "eyJ" + LETTERS[:20] + ".ey" + LETTERS[20:40] + "." + LETTERS[40:70]: "a token",
    "7345678912:" + "AA" + LETTERS[:33]: "a token",
    "postgres://ann:" + LETTERS[:12] + "@db.tea.org/notes": "a password",
    "API key: `" + DIGITS[:32] + "`": "a key",
    "export SECRET_TOKEN=" + LETTERS[:30]: "a token",
    "| Password | Tr7!ckyTea |": "a password",
    "-----BEGIN RSA " + "PRIVATE KEY-----\n" + LETTERS[:64]: "a private key",
    "> -----BEGIN OPENSSH " + "PRIVATE KEY-----\n> " + LETTERS[:64]: "a private key",
}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_found_with_its_line_and_not_repeated(key: str) -> None:
    (found,) = secrets_in(f"# Tea\r\n\r\nKept here: {key}\r\nand more\r\n".encode())
    assert (found.what, found.line) == (KEYS[key], 3)
    assert key[-20:] not in str(described([found]))


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-learn-" + "how-to-fit-a-model-with-many-long-words",
        "task-" + "2026-11-30-" + LETTERS[:40],
        "ghp_" + "a" * 36,
        "https://user:password@host/",
        "https://ann:$PASSWORD@host/",
        "the token: {{ secrets.TOKEN_OF_THE_SERVICE_1 }}",
        "Authorization: Bearer $TOKEN",
        "password: see the safe",
        "next token: " + "which-the-server-returns-in-its-answer-1",
        "the primary key: " + DIGITS[:32],
        "sha256:" + DIGITS[:64],
        "commit " + DIGITS[:40],
        "![](data:image/png;base64," + LETTERS + ")",
        "-----BEGIN " + "PRIVATE KEY----- is how such a file begins",
        "id: 014df517-39d1-4453-b7b3-9930c563627c",
    ],
)
def test_what_only_resembles_a_key_is_not_found(text: str) -> None:
    assert not secrets_in(text.encode())


def test_a_key_that_was_known_before_is_left_out() -> None:
    one, other = [key for key in KEYS if key.startswith(("ghp_", "hf_"))]
    assert secrets_in(f"{one}\n\n{other}".encode(), one.encode()) == secrets_in(b"\n\n" + other.encode())


def test_a_key_below_many_known_ones_is_found() -> None:
    known = "\n".join(f"ghp_{number:02}{LETTERS[:34]}" for number in range(30))
    new = f"ghp_99{LETTERS[:34]}"
    assert [one.line for one in secrets_in(f"{known}\n{new}".encode(), known.encode())] == [31]


def test_lines_with_the_same_kind_are_one_sentence() -> None:
    one, other = [key for key in KEYS if key.startswith(("ghp_", "hf_"))]
    found = secrets_in(f"{one}\n\n{other}\nAIza{LETTERS[:35]}".encode())
    assert described(found) == ["this looks like a token (lines 1, 3)", "this looks like a key (line 4)"]
    assert described(found, "tea/keys")[1] == "this looks like a key (line 4 of tea/keys)"


def test_no_page_of_the_documents_looks_like_a_key() -> None:
    root = pathlib.Path(__file__).parents[2]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "sample_vault").rglob("*.md")]
    assert len(pages) > 50
    assert [page.name for page in pages if secrets_in(page.read_bytes())] == ["warnings.md"], "which shows one"
