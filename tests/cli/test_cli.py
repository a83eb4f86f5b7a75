"""The command line, as a process."""

import json
import os
import pathlib
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import unicodedata

import click
import pytest

from tests.recall.test_ranking import unanswered
from tests.tools import story
from tests.tools.forked import forked_serving, zkmem_command, zkmem_on_a_terminal
from tests.tools.vaults import read, write
from tests.vault.test_watch import unshared
from zkmem.caller import Caller, Grant
from zkmem.cli.commands import SECTIONS, Commands
from zkmem.cli.group import cli
from zkmem.memory import Memory
from zkmem.util.characters import sets_direction

FILES = {"hint.md": "[[a]] [[gone]]\n", "x/a.md": "alpha\nbeta\n"}


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path, FILES)


def zkmem(*arguments: str, given: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    return zkmem_command(*arguments, given=given, environ={**os.environ, **environ})


def test_get_prints_the_note_and_what_is_around_it_apart(vault: str) -> None:
    done = zkmem("get", "a", "-C", vault)
    assert (done.returncode, done.stdout) == (0, "alpha\nbeta\n")
    assert done.stderr.startswith("etag ")
    assert done.stderr.endswith("linked from: not known before the index is built; --backlinks builds it\n")
    assert zkmem("get", "a", "-C", vault, "--backlinks").stderr.endswith("; linked from: hint\n")
    assert zkmem("get", "hint", "-C", vault, "--depth", "1").stdout.startswith("[[a]] [[gone]]\n![[a]]start\n\nalpha")
    data = json.loads(zkmem("get", "a", "-C", vault, "--json").stdout)
    assert (data["name"], data["text"], data["characters"]) == ("x/a", "alpha\nbeta\n", 11)


def test_get_prints_a_note_as_it_was(vault: str) -> None:
    with Memory(vault) as memory:
        memory.write("tea", "80 [[a kind]]\n")
        memory.write("a kind", "Green.\n")
        memory.write("a kind", "Black.\n")
        memory.rename("tea", "teas")
    done = zkmem("get", "teas", "-C", vault, "--at", "2", "--depth", "1")
    assert "Green." in done.stdout
    assert "Black." not in done.stdout
    assert done.stderr.startswith("edit 2, ")
    assert "called tea then, now teas" in done.stderr
    found = json.loads(zkmem("get", "tea", "-C", vault, "--at", "2", "--json", "--backlinks").stdout)
    assert (found["name"], found["now"], found["moment"]["rev"]) == ("tea", "teas", "2")
    bad = zkmem("get", "tea", "-C", vault, "--at", "2026-02-30")
    assert (bad.returncode, bad.stderr.partition(";")[0]) == (2, "Error: '2026-02-30' is no date")
    assert "changed" not in found, "that would be the date of the present file"
    for at, code in (("yesterday", 2), ("HEAD~1", 2), ("2026-6-1", 2), ("99", 3)):
        assert zkmem("get", "tea", "-C", vault, "--at", at).returncode == code
    for option, value in (("--depth", "1000"), ("--offset", "-1")):
        bad = zkmem("get", "tea", "-C", vault, "--at", "2", option, value)
        assert (bad.returncode, bad.stdout) == (2, "")
        assert " must be 0 " in bad.stderr


def test_ls_prints_plain_names_one_a_line(vault: str) -> None:
    write(vault, {"x/Zen.md": "", "x/deep/b 1.md": "", "x/picture.png": b"", "x/a.b.md": "", ".hidden/c.md": ""})
    done = zkmem("ls", "-C", vault)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hint\nx/Zen\nx/a\nx/a.b\nx/deep/b 1\n", "")
    assert zkmem("ls", "X/deep/", "-C", vault).stdout == "x/deep/b 1\n"
    assert json.loads(zkmem("ls", "x/deep", "-C", vault, "--json").stdout) == {"names": ["x/deep/b 1"]}
    refused = zkmem("ls", "nosuch", "-C", vault)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "Error: No folder 'nosuch' has a file; give the path of a folder from the root of the vault.\n"
    )
    (empty := pathlib.Path(vault, "empty")).mkdir()
    assert (zkmem("ls", "-C", str(empty)).returncode, zkmem("ls", "-C", str(empty)).stdout) == (0, "")


def test_path_prints_the_file_of_a_note(vault: str) -> None:
    done = zkmem("path", "A", "-C", vault)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{vault}/x/a.md\n", "")
    assert json.loads(zkmem("path", "a", "-C", vault, "--json").stdout) == {"path": f"{vault}/x/a.md"}
    missing = zkmem("path", "hin", "-C", vault)
    assert (missing.returncode, missing.stdout) == (3, "")
    assert missing.stderr == zkmem("get", "hin", "-C", vault).stderr


def test_get_is_not_bounded(vault: str) -> None:
    write(vault, {"long.md": "x" * 50_000})
    assert zkmem("get", "long", "-C", vault).stdout == "x" * 50_000 + "\n"


def test_one_command_for_each_tool(vault: str) -> None:
    assert zkmem("set", "b", "text [[a]]", "-C", vault).stdout.startswith("created b; etag ")
    assert zkmem("set", "b", "-C", vault, "--append", given="from stdin\n").stdout.startswith("appended b")
    assert zkmem("set", "b", "TEXT", "--old", "text", "-C", vault).returncode == 0
    assert read(vault)["b.md"] == b"TEXT [[a]]\n\nfrom stdin\n"
    assert zkmem("mv", "a", "y/c", "-C", vault).stdout.startswith("moved a to y/c; etag ")
    assert read(vault)["b.md"] == b"TEXT [[c]]\n\nfrom stdin\n"
    assert zkmem("extract", "b", "new", "from stdin", "-C", vault).stdout.startswith("created new; etag ")
    assert zkmem("hints", "-C", vault, "--count", "1").stdout == "b (weight 2, 2 links, 0 backlinks)\n"
    assert json.loads(zkmem("suggest", "-C", vault, "--threshold", "1", "--json").stdout)["suggestions"]
    assert zkmem("rm", "new", "-C", vault).stdout == "moved new to .trash/new.md; now broken links in: b\n"


def test_check_lists_what_to_look_at(vault: str) -> None:
    aliases = {"y/a.md": "---\naliases: [Gone, {{x}}]\n---\n", "z.md": "---\naliases: gone\n---\n"}
    write(vault, {**aliases, "bad.md": b"\xff", "w.md": "[[Gone]]\n"})
    done = zkmem("check", "-C", vault)
    assert done.returncode == 1
    assert done.stderr == "notes: 6, links: 3, findings: 3\n", "as many as lines"
    assert done.stdout.splitlines() == [
        "ambiguous: [[a]] means x/a, not y/a: 1 note (hint)",
        "missing: [[gone]] (did you mean [[z|gone]]?): 2 notes (hint, w)",
        "unreadable: bad: not UTF-8 at byte 0",
    ]
    data = json.loads(zkmem("check", "-C", vault, "--json").stdout)
    assert (data["notes"], data["links"], len(data["findings"])) == (6, 3, 4)
    sound = write(pathlib.Path(vault) / "sound", {"a.md": ""})
    assert zkmem("check", "-C", sound).returncode == 0


def test_check_says_where_keys_are_except_in_private_notes(vault: str) -> None:
    key = "ghp_" + "Zq7Lw2Nx9Rt4" * 3
    notes = {"keys.md": f"# Keys\n\n{key}\n", "own.md": f"---\nprivate: true\n---\n{key}\n"}
    notes["knowledge_vault/login.md"] = f"{key}\n"
    done = zkmem("check", "-C", write(vault, notes))
    assert [line for line in done.stdout.splitlines() if "looks like" in line] == [
        "secret: keys: this looks like a token (line 3)"
    ]
    assert key not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["set", "new", "- item"], ["set", "new", "--append", "- item", "--json"], ["daily", "- item", "--json"]],
)
def test_the_item_of_a_list_is_a_text(vault: str, arguments: list[str]) -> None:
    done = zkmem(*arguments, "-C", vault)
    assert (done.returncode, done.stderr) == (0, "")
    assert [data for path, data in read(vault).items() if path not in FILES] == [b"- item"]


def test_a_daily_note_is_read_and_written_like_a_note(vault: str) -> None:
    missing = zkmem("daily", "--date", "2026-11-20", "-C", vault)
    assert (missing.returncode, missing.stdout) == (3, "")
    assert missing.stderr == "Error: There is no note '2026-11-20'. Give TEXT to create it.\n"
    assert zkmem("daily", "--date", "2026-11-20", "-", "-C", vault, given="piped\n").returncode == 0
    done = zkmem("daily", "--date", "2026-11-20", "-C", vault)
    assert done.stdout == "piped\n"
    assert done.stderr.startswith("2026-11-20; etag ")
    refused = zkmem("daily", "--section", "Log", "-C", vault)
    assert (refused.returncode, refused.stderr) == (
        2, "Error: --section says where to add TEXT; give TEXT, too.\n",
    )  # fmt: skip


def test_a_table_speaks_of_options_and_prints_remarks_apart(vault: str) -> None:
    done = zkmem("query", "--count", "1", "--column", "nope", "-C", vault)
    assert done.stdout == "hint | \n"
    assert done.stderr == "1 to 1 of 2 notes; more with --from 1\nNo note has the property nope.\n"
    assert zkmem("query", "--from", "1", "-C", vault).stderr == "2 to 2 of 2 notes\n"
    for wrong in (["--count", "0"], ["--count", "1001"], ["--from", "-1"]):
        refused = zkmem("query", *wrong, "-C", vault)
        assert refused.returncode == 2
        assert refused.stderr.startswith("Error: Invalid value for '")
        assert f"'{wrong[0]}': " in refused.stderr


def test_a_table_has_no_heading_in_a_pipe(vault: str) -> None:
    write(vault, {"b.md": "---\nkind: tea\n---\n"})
    query = ["query", "--column", "kind", "--sort", "kind", "-C", vault]
    assert zkmem(*query).stdout == "b | tea\nhint | \nx/a | \n"
    screen = zkmem_on_a_terminal(*query)
    assert screen.replace("\r\n", "\n") == "3 notes\nnote | kind\nb | tea\nhint | \nx/a | \n"
    grouped = zkmem("query", "kind", "--group", "kind", "-C", vault)
    assert (grouped.stdout, grouped.stderr) == ("## tea (1)\nb\n", "1 note\n"), "a group that was asked for is a result"
    nothing = zkmem("query", "false", "-C", vault)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "No note matches.\n")


def test_a_column_that_is_asked_for_is_shown(vault: str) -> None:
    query = ["query", "--column", "file.name", "--column", "file.path", "--column", "file.basename", "-C", vault]
    assert zkmem(*query).stdout == "hint | hint.md | hint.md | hint\nx/a | a.md | x/a.md | a\n"
    write(vault, {"all.base": "views: [{type: table, name: All, order: [file.name, file.size]}]"})
    of_base = ["query", "--base", "all", "-C", vault]
    assert zkmem(*of_base, "-n", "1").stdout == "hint | 15\n", "the name of the note stands for that of the view"
    assert zkmem(*of_base, "-n", "1", "--column", "file.name").stdout == "hint | hint.md\n"


@pytest.mark.slow
def test_the_setting_names_the_notes_that_suggestions_leave_out(vault: str) -> None:
    def suggested(settings: str = "", **environ: str) -> list[str]:
        write(vault, {"d.excalidraw.md": "x" * 3000, "log.md": "x" * 2000, ".zkmem/config.toml": settings})
        done = zkmem("suggest", "-C", vault, "--json", **environ)
        assert done.returncode == 0
        if done.stderr.startswith("Ignored: "):
            return [done.stderr]
        return [one["name"] for one in json.loads(done.stdout)["suggestions"]]

    assert suggested() == ["log"]
    assert suggested("suggestions_skip = []") == ["d.excalidraw", "log"]
    assert suggested('suggestions_skip = ["log.md"]') == ["d.excalidraw"]
    assert suggested(ZKMEM_SUGGESTIONS_SKIP="log.*, *.excalidraw.md") == []
    assert suggested(ZKMEM_SUGGESTIONS_SKIP="") == ["d.excalidraw", "log"]
    for wrong in ('"x"' + ', "x"' * 100, '"' + "x" * 201 + '"', "1"):
        (refusal,) = suggested(f"suggestions_skip = [{wrong}]")
        assert "a list of at most 100 patterns of at most 200 characters" in refusal


def test_check_advises_another_order_of_hints_where_it_would_serve_better(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path, unanswered())
    done = zkmem("check", "-C", vault)
    assert (done.returncode, done.stdout) == (0, ""), "advice is no finding"
    assert "leave out the notes with the most links: index 9, index 8, index 7." in done.stderr
    advice = json.loads(zkmem("check", "-C", vault, "--json").stdout)["advice"]
    assert (advice["hints_order"], advice["first"][0]) == ("balanced", "index 9")
    assert "advice" not in zkmem("check", "-C", vault, ZKMEM_HINTS_ORDER="balanced").stderr


def test_a_search_for_a_property_needs_no_word(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path, {"a.md": "---\n⭐: yes\n---\nApples.\n", "b.md": "Pears.\n"})
    (hit,) = json.loads(zkmem("search", "[⭐]", "-C", vault, "--json").stdout)["hits"]
    assert hit["name"] == "a"


def test_check_lists_what_many_notes_link_to_once(tmp_path: pathlib.Path) -> None:
    files = {f"{letter}.md": "[[gone]] [[there#Usage]] [[there#^id]]\n" for letter in "bcde"}
    files["a.md"] = "[[Gone]] [[there#usage]] [[there#^ID]]\n"
    root = write(tmp_path, {**files, "there.md": "# Use\n", "z.md": "[[rare]]\n"})
    assert zkmem("check", "-C", root).stdout.splitlines() == [
        "missing: [[Gone]]: 5 notes (a, b, c and 2 more)",
        "missing: [[rare]]: 1 note (z)",
        "missing-block: [[there#^ID]]: 5 notes (a, b, c and 2 more)",
        "missing-heading: [[there#usage]]: 5 notes (a, b, c and 2 more)",
    ]
    data = json.loads(zkmem("check", "-C", root, "--json").stdout)["findings"]
    assert len(data) == 16
    about = {"kind": "missing-heading", "note": "e", "detail": "[[there#Usage]]", "target": "there#Usage"}
    assert data[-1] == about | {"choices": []}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["get", "nope", "-C", "{}"], 3, "Error: There is no note 'nope'."),
        (["get", "a", "--depth", "99", "-C", "{}"], 2, "Error: `depth` must be 0 to 10, not 99."),
        (["set", "con", "x", "-C", "{}"], 2, "device"),
        (["set", "a", "x", "--old", "zzz", "-C", "{}"], 3, "is not in 'x/a'"),
        (["set", "a", "x", "--etag", "0", "-C", "{}"], 4, "has changed"),
        (["set", "a", "x", "--etag", "0", "--append", "-C", "{}"], 4, "has changed"),
        (["search", "", "-C", "{}"], 2, "Error: The query '' has no word"),
        (["search", "?!", "-C", "{}"], 2, "Error: The query '?!' has no word"),
        (["search", "alpha", "--count", "0", "-C", "{}"], 2, "Error: `count` must be 1 to 1000, not 0."),
        (["search", "alpha", "--folder", "x", "--folder", "nosuch", "-C", "{}"], 2, "Error: No folder 'nosuch' has"),
        (["get", "a", "-C", "{}/none"], 2, "does not exist"),
        (["serve", "{}/none"], 2, "does not exist"),
        (
            ["serve", "{}", "--toolsets", "nope"],
            2,
            "--toolsets: toolsets must be a list of one name or more of zettel, kg",
        ),
        (["get"], 2, "Missing argument 'NAME'"),
    ],
)
def test_a_failure_is_one_sentence_and_an_exit_code(vault: str, arguments: list[str], code: int, says: str) -> None:
    done = zkmem(*(argument.replace("{}", vault) for argument in arguments))
    assert done.returncode == code
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}


@pytest.mark.parametrize(
    "arguments",
    [
        ["set", "a", "--apend"],
        ["set", "a", "x", "--apend"],
        ["set", "--nosuch"],
        ["set", "a", "-x"],
        ["extract", "a", "--fold", "x"],
        ["search", "--nosuch"],
        ["search", "alpha", "--counts", "3"],
    ],
)
def test_an_unknown_option_is_never_taken_for_a_text(vault: str, arguments: list[str]) -> None:
    done = zkmem(*arguments, "-C", vault, given="from stdin")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: No such option '-")
    assert "A text that begins with a dash needs `--` before it." in done.stderr
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("text", ["- tea", "---", "--apend", "-h"])
def test_a_text_that_begins_with_a_dash_is_given_after_two(vault: str, text: str) -> None:
    assert zkmem("set", "-C", vault, "--", "a", text).returncode == 0
    assert read(vault)["x/a.md"] == text.encode()
    assert zkmem("search", "-C", vault, "--", "-alpha", "zebra").stderr.startswith("None of the ")
    assert zkmem("extract", "-C", vault, "--", "a", "new", text).stdout.startswith("created x/new")
    assert zkmem("set", "-C", vault, "hint", "--old", "[[gone]]", "--", text).returncode == 0


@pytest.mark.parametrize(
    "command", ["set a", "set a -", "set a --append", "set new", "set a --old beta", "extract a new"]
)
def test_an_empty_standard_input_is_no_text(vault: str, command: str) -> None:
    done = zkmem(*command.split(), "-C", vault)
    assert (done.returncode, done.stdout) == (2, "")
    meant = ", or --empty if you mean an empty text" if command.startswith("set") else ""
    assert done.stderr == f"Error: Standard input is empty; give a text there or as an argument{meant}.\n"
    assert zkmem(*command.split(), "-C", vault, given=" \n\n").returncode == 2, "blanks are as good as nothing"
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}


@pytest.mark.parametrize("command", ["set a", "extract a new", "import -"])
def test_a_closed_standard_input_is_no_text(vault: str, command: str) -> None:
    program = shlex.join([sys.executable, "-m", "zkmem", *command.split(), "-C", vault])
    done = subprocess.run(["sh", "-c", f"{program} <&-"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: Standard input is closed; give the text as an argument, or a file.\n"
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_replaces_a_note_only_if_it_is_meant(vault: str, text: str) -> None:
    for name in ("a", "new"):
        done = zkmem("set", name, text, "-C", vault)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "Error: The text is empty; give one as CONTENT, or --empty if you mean an empty text.\n"
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}
    assert zkmem("set", "a", text, "--empty", "-C", vault).returncode == 0
    assert read(vault)["x/a.md"] == text.encode()
    assert zkmem("set", "hint", "--empty", "-C", vault, given=text).returncode == 0
    assert read(vault)["hint.md"] == text.encode()


def test_an_empty_text_in_place_of_a_passage_cuts_it(vault: str) -> None:
    assert zkmem("set", "a", "", "--old", "alpha\n", "-C", vault).returncode == 0
    assert read(vault)["x/a.md"] == b"beta\n"
    assert zkmem("set", "a", "--old", "beta\n", "--empty", "-C", vault).returncode == 0
    assert read(vault)["x/a.md"] == b""


def test_a_note_is_merged_into_another_only_if_that_is_meant(vault: str) -> None:
    done = zkmem("mv", "hint", "x/a", "-C", vault)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "Error: There is a note 'x/a' already; nothing was changed. "
        "To add the text of 'hint' to it, use: zkmem mv --merge, or merge=True in Python\n"
    )
    assert read(vault) == {path: text.encode() for path, text in FILES.items()}
    assert zkmem("mv", "a", "x/A", "-C", vault).stdout.startswith("moved a to x/A"), "its own name in other letters"
    assert zkmem("mv", "hint", "x/a", "--merge", "-C", vault).stdout.startswith("merged hint into x/A")
    assert list(read(vault)) == ["x/A.md"]
    assert zkmem("mv", "a", "free", "--merge", "-C", vault).stdout.startswith("moved a to x/free")
    assert "moved free to free; etag " in zkmem("mv", "free", "/", "-C", vault).stdout


@pytest.mark.parametrize(
    "command",
    [
        "set new",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("set a --old beta", "extract a new", "import -")),
    ],
)
def test_on_a_terminal_it_is_said_that_a_text_is_awaited(vault: str, command: str) -> None:
    person, terminal = pty.openpty()
    os.write(person, b"beta\n\x04")
    process = [sys.executable, "-m", "zkmem", *command.split(), "-C", vault]
    done = subprocess.run(process, stdin=terminal, capture_output=True, text=True, check=False, timeout=120)
    os.close(person)
    os.close(terminal)
    assert done.stderr.splitlines()[0] == "Reading the text from standard input; end it with Ctrl-D."
    assert "standard input" not in zkmem(*command.split(), "-C", vault, given="x").stderr


TERMINAL_COMMANDS = "\x1b]0;title\x07 \x1b[2J \x9b2J \x7f\x08 over\rwritten \x1bP+q\x9c \u202e"


@pytest.mark.parametrize("command", [
    "get a", "get a --json", "get a --at 2", "search alpha", "search alpha --json", "show a@2", "diff a", "log",
    "hints", "get b", "check", "proposed show bot",
])  # fmt: skip
def test_a_note_gives_a_terminal_no_command_and_a_pipe_gets_its_bytes(tmp_path: pathlib.Path, command: str) -> None:
    vault = write(tmp_path, {"b \x9b2J\u202e.md": "b"})
    text = f"alpha {TERMINAL_COMMANDS} [[gone \x1b[2J\x9b2J]]\tend\n"
    with Memory(vault) as memory:
        memory.write("a", "first\n")
        memory.write("a", text)
    with Memory(vault, Caller(Grant(proposes_as="bot"))) as bot:
        bot.write("a", f"{TERMINAL_COMMANDS}\n", append=True)
    process = [*command.split(), "-C", vault]
    shown = zkmem_on_a_terminal(*process)
    assert {char for char in re.sub("\r*\n|\t", "", shown) if unicodedata.category(char) == "Cc"} == set()
    assert not sets_direction(shown)
    piped = zkmem(*process).stdout
    if command == "get a":
        assert piped == text
        assert shown.startswith("alpha \\x1b]0;title\\x07 ")
        assert "\tend\r\n" in shown
    if command == "get a --json":
        assert json.loads(piped)["text"] == text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("list", "Did you mean `zkmem ls`?"),
        ("find tea", "Did you mean `zkmem search`?"),
        ("add tea", "Did you mean `zkmem set` or `zkmem set --append`?"),
        ("merge a b", "Did you mean `zkmem mv --merge`?"),
        ("Help", "Did you mean `zkmem --help`?"),
        ("serch tea", "Did you mean `zkmem search`"),
        ("qqq", "There is no command 'qqq'. `zkmem --help` lists the commands."),
        ("token ls", "Did you mean `zkmem token list`? `zkmem token --help` lists"),
        ("token lst", "Did you mean `zkmem token list`?"),
        ("install cursr", "There is no client 'cursr'. Did you mean `cursor`? CLIENT is one of claude-code, "),
        ("install emacs", "There is no client 'emacs'. CLIENT is one of claude-code, "),
    ],
)
def test_an_unknown_word_is_answered_with_what_may_be_meant(vault: str, typed: str, says: str) -> None:
    done = zkmem(*typed.split(), ZKMEM_VAULT=vault)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says in done.stderr


def test_every_count_is_n_too(vault: str) -> None:
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    counts = [one.opts for command in commands if command for one in command.params if "--count" in one.opts]
    assert counts == [["-n", "--count"]] * 6
    assert zkmem("hints", "-n", "1", "-C", vault).stdout == "hint (weight 2, 2 links, 0 backlinks)\n"


def test_every_command_that_is_suggested_exists() -> None:
    context = click.Context(cli)
    for words in (word for others in Commands.others.values() for word in others):
        name, _, option = words.partition(" ")
        command = cli if name.startswith("-") else cli.get_command(context, name)
        assert command, words
        assert not option or option in [opt for one in command.params for opt in one.opts]
    assert not set(Commands.others) & set(cli.list_commands(context))


def test_the_help_lists_each_command_in_one_section_and_cuts_no_sentence() -> None:
    shown = zkmem("--help", COLUMNS="80").stdout
    names = [name for section in SECTIONS.values() for name in section]
    assert all(cli.get_command(click.Context(cli), name) for name in names)  # which loads the modules
    assert sorted(names) == sorted(cli.commands)
    for name in names:
        assert shown.count(f"\n  {name} ") == 1
    assert "..." not in shown.partition("\nRead:")[2]
    assert "..." not in zkmem("token", "--help", COLUMNS="80").stdout.partition("\nCommands:")[2]


@pytest.mark.parametrize(
    "option",
    [
        "--port 0",
        *(pytest.param(option, marks=pytest.mark.slow) for option in ("--host ::1", "--allow-host x")),
        *(pytest.param(f"--oauth-{what} https://x", marks=pytest.mark.slow) for what in ("issuer", "resource")),
    ],
)
def test_an_option_for_http_is_refused_over_stdio(vault: str, option: str) -> None:
    done = zkmem("serve", vault, *option.split())
    name = option.split(maxsplit=1)[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {name} is only for a server over HTTP; add --mode http, or leave it out.\n"
    served = zkmem("serve", vault, ZKMEM_PORT="0", ZKMEM_HOST="::1")
    assert (served.returncode, served.stderr) == (0, ""), "a setting is for when the server is one over HTTP"


def test_the_mode_of_a_server_can_be_in_the_environment(vault: str) -> None:
    with forked_serving(["serve", vault, "--port", "0"], ZKMEM_MODE="http") as url:
        assert url.startswith("http://127.0.0.1:")
    refused = zkmem("serve", vault, ZKMEM_MODE="pipe")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'pipe' is not one of 'stdio', 'http'." in refused.stderr
    refused = zkmem("serve", vault, "--mode", "stdio", "--port", "0", ZKMEM_MODE="http")
    assert "--port is only for a server over HTTP" in refused.stderr, "the option comes before the variable"
    doctor = zkmem("doctor", "-C", vault, ZKMEM_MODE="http")
    assert "warn handshake: " in doctor.stdout, "clients that this shell starts would get no answer"


@pytest.mark.parametrize("given", ["--db current.db", "--db=notes"])
def test_the_place_of_another_programs_memory_is_refused(vault: str, given: str) -> None:
    done = zkmem("serve", *given.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: zkmem has no --db: its memory is a folder of notes, the vault. To serve it: zkmem serve DIR. To add "
        "the memory in a file of THINK-MEM: zkmem import --vault DIR FILE\n"
    )


@pytest.mark.parametrize("mode", ["stdio", "http"])
def test_the_file_of_server_memory_is_refused_where_its_tools_are_served(vault: str, mode: str) -> None:
    serve = ["serve", vault, "--mode", mode, *(["--port", "0"] if mode == "http" else [])]
    done = zkmem(*serve, "--toolsets", "zettel,kg", MEMORY_FILE_PATH="/home/my files/memory.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: MEMORY_FILE_PATH names a file of server-memory, which zkmem does not use: it stores its memory in "
        "the vault. Remove the variable. To add the memory in that file: "
        f"zkmem import --vault {vault} '/home/my files/memory.jsonl'\n"
    )
    if mode == "stdio":
        assert zkmem(*serve, MEMORY_FILE_PATH="x").returncode == 0, "the other toolsets have nothing to do with it"


def test_import_explains_that_markdown_needs_none(vault: str, tmp_path: pathlib.Path) -> None:
    outside = write(tmp_path / "outside", {"note.md": "# A note\n\ntext\n"})
    before = read(vault)
    for file in (f"{outside}/note.md", outside):
        done = zkmem("import", file, "-C", vault)
        assert (done.returncode, done.stdout) == (2, "")
        assert "reads the memory of server-memory (memory.jsonl) or of THINK-MEM (JSON)" in done.stderr
        assert "put them into the folder of the vault" in done.stderr
    assert read(vault) == before


def test_failures_as_json(vault: str) -> None:
    done = zkmem("get", "nope", "--json", "-C", vault)
    assert json.loads(done.stderr) == {"error": "UnknownNote", "message": "There is no note 'nope'."}


def test_a_port_in_use_is_one_sentence(vault: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = zkmem("serve", vault, "--mode", "http", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "choose another with --port" in done.stderr


def test_settings_from_file_environment_and_flags(vault: str) -> None:
    def hints(**environ: str) -> subprocess.CompletedProcess[str]:
        return zkmem("hints", "--count", "1", "-C", vault, **environ)

    write(vault, {".zkmem/config.toml": 'hints_order = "links"\nmax_chars = 5000\ntoolsets = ["zettel"]\n'})
    assert hints().returncode == 0
    assert "hints_order must be one of weight, links, pagerank, balanced" in hints(ZKMEM_HINTS_ORDER="size").stderr
    assert "ZKMEM_MAX_CHARS: max_chars must be a whole number" in hints(ZKMEM_MAX_CHARS="many").stderr
    write(vault, {".zkmem/config.toml": "hints_ordre = 1\n"})
    assert "there is no setting 'hints_ordre'" in hints().stderr
    write(vault, {".zkmem/config.toml": "= broken"})
    done = hints()
    assert (done.returncode, done.stderr.splitlines()[0].partition(" (")[0]) == (
        0,
        "Ignored: .zkmem/config.toml cannot be read: Invalid statement",
    )


@pytest.mark.parametrize("command", ["get hint", "hints", "check", "set new x", "mv hint new", "rm hint"])
def test_no_command_but_serve_imports_mcp(vault: str, command: str) -> None:
    script = (
        "import sys; sys.argv = ['zkmem', *sys.argv[1:]]\n"
        "import atexit; atexit.register(lambda: print('LOADED', sorted({m.split('.')[0] for m in sys.modules})))\n"
        "from zkmem.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command.split(), "-C", vault], capture_output=True, text=True, check=False
    )
    loaded = next(line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    assert "'zkmem'" in loaded
    for module in ["mcp", "pydantic", "starlette", "uvicorn"] + (["networkx", "watchdog"] if "get" in command else []):
        assert f"'{module}'" not in loaded


def test_watch_prints_what_changes(vault: str) -> None:
    command = [sys.executable, "-m", "zkmem", "watch", "-C", vault]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        give_up = threading.Timer(60, process.kill)  # a missed change must not hang the suite
        give_up.start()
        assert process.stderr.readline().startswith("watching ")
        write(vault, {"new.md": "x"})
        assert process.stdout.readline() == "new\n"
        give_up.cancel()
        process.terminate()


def test_ctrl_c_ends_watch_with_the_code_of_ctrl_c(vault: str) -> None:
    command = [sys.executable, "-m", "zkmem", "watch", "-C", vault]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("watching ")
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
    assert (process.returncode, rest.strip()) == (130, "")


@pytest.mark.parametrize("module", ["zkmem.cli.main", "click", "zkmem.cli.notes", "zkmem.recall.expand"])
def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback(
    vault: str, tmp_path_factory: pytest.TempPathFactory, module: str
) -> None:
    pressing = f"""
import os, signal, sys
class Press:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
"""
    folder = write(tmp_path_factory.mktemp("site"), {"sitecustomize.py": pressing})
    paths = os.pathsep.join([folder, os.environ.get("PYTHONPATH", os.curdir)])
    command, environ = [sys.executable, "-m", "zkmem", "get", "a", "-C", vault], {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ, timeout=120)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.parametrize("closed", ["get a >&-", "hints >&-", "check >&-", "get nosuch 2>&-", "get a >&- 2>&-"])
def test_a_closed_output_gives_no_traceback(vault: str, closed: str) -> None:
    script = f"{shlex.quote(sys.executable)} -m zkmem {closed} -C {shlex.quote(vault)}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1 if "check" in closed else 3 if "nosuch" in closed else 0, "")
    assert "Traceback" not in done.stderr


def test_a_search_takes_several_words_without_quotation_marks(vault: str) -> None:
    write(vault, {"leaf.md": "bitter water"})
    for words in (["bitter", "water"], ["bitter water"]):
        done = zkmem("search", *words, "-C", vault)
        assert (done.returncode, done.stdout.splitlines()[0].split()[0]) == (0, "leaf"), done


def test_a_vault_with_git_is_not_half_made_where_git_is_missing(tmp_path: pathlib.Path) -> None:
    done = zkmem_command("init", "--git", "new", cwd=tmp_path, environ={**os.environ, "PATH": ""})
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == (
        "Error: The command git is not installed; nothing was changed. Install git, or leave out --git.\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_disk_that_takes_nothing_is_told_in_a_sentence(vault: str) -> None:
    mounted = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" -m zkmem init --git "$1"'
    command = unshared("sh", "-c", mounted, "sh", vault, sys.executable)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == "Error: The vault is on a read-only disk: notes can be read, not changed.\n"


@pytest.mark.parametrize("typed", ["undo abc", "undo 0", "undo --dry-run -- -1", "redo x/a", "undo 1.5"])
def test_what_is_not_the_number_of_an_edit_is_refused(vault: str, typed: str) -> None:
    done = zkmem(*typed.split(), ZKMEM_VAULT=vault)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"Error: {typed.rsplit(maxsplit=1)[-1]!r} is not the number of an edit; `zkmem log` lists the numbers. "
        "Without a number, the last edit is meant.\n"
    )


def test_a_dry_run_of_an_undo_names_an_empty_note(tmp_path: pathlib.Path) -> None:
    Memory(str(tmp_path)).write("empty", "")
    assert zkmem("undo", "--dry-run", "-C", str(tmp_path)).stdout == "'empty.md', which is empty, is removed.\n"
    zkmem("undo", "-C", str(tmp_path))
    with Memory(str(tmp_path)) as memory:
        assert memory.preview_redo().remarks == ["'empty.md' is created, and is empty."]


def test_the_accepted_and_the_dropped_edits_are_named(vault: str) -> None:
    with Memory(vault, Caller(Grant(proposes_as="bot"))) as bot:
        bot.write("hint", "one\n")
        bot.write("new", "1\n")
        bot.write("new", "2\n", append=True)
        bot.write("x/a", "gamma", old="beta")
        bot.write("x/a", "delta", old="gamma")
        bot.write("x/a", "more\n", append=True)
    with Memory(vault) as memory:
        memory.write("hint", "mine\n")
    assert zkmem("proposed", "accept", "bot", "3", "-C", vault).stdout == "accepted 2 edits: 2, 3\n"
    assert zkmem("proposed", "drop", "bot", "5", "-C", vault).stdout == "dropped 2 edits: 5, 6\n"
    done = zkmem("proposed", "accept", "bot", "1", "4", "-C", vault)
    assert (done.returncode, done.stdout.splitlines()[0]) == (4, "accepted 1 edit: 4")
    assert zkmem("proposed", "drop", "bot", "-C", vault).stdout == "dropped 1 edit: 1\n"


def test_what_show_and_list_print_accepts_what_they_showed_and_nothing_later(vault: str) -> None:
    grant = Grant(proposes_as="my bot")
    with Memory(vault, Caller(grant)) as bot:
        for name in ["n1", "n2", "n3", "n4", "n5"]:
            bot.write(name, "Bot.\n")
    assert zkmem("proposed", "drop", "my bot", "4", "-C", vault).stdout == "dropped 1 edit: 4\n"
    listed = zkmem("proposed", "list", "-C", vault).stdout.splitlines()[-1].strip()
    shown = zkmem("proposed", "show", "my bot", "-C", vault).stdout.splitlines()[-1]
    assert listed == "to accept these: zkmem proposed accept 'my bot' 1-3 5"
    assert shown == "To accept: zkmem proposed accept 'my bot' 1-3 5"
    some = zkmem("proposed", "show", "my bot", "1", "2-3", "-C", vault).stdout.splitlines()[-1]
    assert some == "To accept: zkmem proposed accept 'my bot' 1-3"
    with Memory(vault, Caller(grant)) as bot:
        bot.write("later", "Bot.\n")
    accepted = zkmem(*shlex.split(shown.partition(" zkmem ")[2]), "-C", vault)
    assert accepted.stdout == "accepted 4 edits: 1-3, 5\n"
    assert not pathlib.Path(vault, "later.md").exists()
    assert zkmem("proposed", "accept", "my bot", "-C", vault).stdout == "accepted 1 edit: 6\n"


@pytest.mark.parametrize(("numbers", "reason"), [
    ("5-3", "must begin with the lower number"), ("1-99999999", "at most 10,000 numbers"), ("0", "is neither"),
    ("3-", "is neither"), ("²", "is neither"), ("9" * 5_000, "is neither"),
])  # fmt: skip
def test_numbers_of_proposed_edits_that_are_none_are_refused(vault: str, numbers: str, reason: str) -> None:
    with Memory(vault, Caller(Grant(proposes_as="bot"))) as bot:
        bot.write("n1", "Bot.\n")
    done = zkmem("proposed", "accept", "bot", numbers, "-C", vault)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert not pathlib.Path(vault, "n1.md").exists()


def test_the_rest_of_a_sitting_is_undone(tmp_path: pathlib.Path) -> None:
    bot = Memory(str(tmp_path)).on_behalf(client="bot")
    for name in ("a", "b"):
        bot.write(name, "x\n")
    bot.on_behalf(client="me").write("a", "y\n")
    refused = zkmem("undo", "2", "--sitting", "-C", str(tmp_path))
    assert (refused.returncode, "Nothing was undone" in refused.stderr) == (4, True)
    arguments = ("undo", "2", "--sitting", "--partial", "-C", str(tmp_path))
    reason = "Edit 1 (bot) cannot be undone: it has created 'a', and edit 3 (me) has changed that note since."
    assert reason in zkmem(*arguments, "--dry-run").stdout
    assert zkmem(*arguments).stdout == f"undid 2: created b; notes: b\n{reason}\n"
    assert sorted(path.name for path in tmp_path.glob("*.md")) == ["a.md"]


def test_a_malformed_file_of_settings_removes_no_text_that_it_may_have_kept(vault: str) -> None:
    settings = pathlib.Path(vault, ".zkmem/config.toml")
    texts = pathlib.Path(vault, ".zkmem/versions")
    zkmem("init", vault)
    settings.write_text("versions_days = 3650\n")
    for number in range(4):
        zkmem("set", "hint", f"{number}\n", "-C", vault)
    kept = {path.name for path in texts.iterdir() if re.fullmatch(r"[0-9a-f]{12}(\.z)?", path.name)}
    for path in texts.iterdir():
        os.utime(path, (0, time.time() - 100 * 86_400))
    settings.write_text("versions_days = 3650\n[broken")
    assert "Ignored: " in zkmem("set", "hint", "more\n", "-C", vault).stderr
    assert {name.removesuffix(".z") for name in kept} <= {path.name.removesuffix(".z") for path in texts.iterdir()}


def test_the_review_prints_the_brief_for_a_person_a_prompt_and_a_bot(tmp_path: pathlib.Path) -> None:
    story.story(tmp_path / "vault")
    vault = str(tmp_path / "vault")
    done = zkmem("review", "-C", vault, "-n", "2")
    sentence, deleted, overwritten, more = done.stdout.splitlines()
    assert (done.returncode, sentence.count("1 note deleted, 1 overwritten")) == (0, 1)
    assert deleted.startswith("archive/lease contract: deleted: 425 words gone (codex, ")
    assert overwritten.startswith("plans/budget: overwritten: 426 words gone (claude-code, ")
    assert more == "and 36 more notes; -n 38 lists all"
    assert zkmem("review", "-C", vault, "-q").stdout == f"{sentence}\n"
    assert zkmem("review", "-C", vault, "-q", "--exit-code").returncode == 1
    data = json.loads(zkmem("review", "-C", vault, "--json", "--kind", "renamed", "--client", "codex").stdout)
    assert [one["note"] for one in data["lines"]] == ["work/quotes", "places/old harbour"]
    of_codex = zkmem("review", "-C", vault, "-q", "--exit-code", "--kind", "renamed", "--client", "codex")
    assert (of_codex.returncode, of_codex.stdout) == (1, f"{sentence}\nOf these, 2 notes pass the filters.\n")
    for wanted in ("--client", "--folder"):
        nothing = zkmem("review", "-C", vault, "--exit-code", wanted, "nobody")
        assert (nothing.returncode, nothing.stdout.splitlines()[1:]) == (0, ["Of these, 0 notes pass the filters."])
        assert zkmem("review", "-C", vault, "-q", wanted, "nobody").stdout == ""
    assert "--seen marks all edits" in zkmem("review", "-C", vault, "--seen", "--kind", "deleted").stderr
    unknown = zkmem("review", "-C", vault, "--seen", "--person", "ann")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "No user and no token of this vault is called 'ann', and there are none." in unknown.stderr
    assert zkmem("token", "add", "ann", "-C", vault).returncode == 0
    assert zkmem("review", "-C", vault, "-q", "--seen", "--person", "ann").stdout == f"{sentence}\n"
    assert zkmem("review", "-C", vault, "-q", "--person", "ann").stdout == ""
    assert zkmem("review", "-C", vault, "--person", "ann", "--exit-code").returncode == 0
    assert zkmem("review", "-C", vault, "--person", "ann", "--since", str(data["last"] - 1)).stdout.count("\n") == 3
    assert zkmem("review", "-C", vault, "--since", "2001-01-01T10:00", "-n", "0").stdout.startswith("2 clients")
    assert zkmem("review", "-C", vault, "--since", "tomorrow").stdout == "Nothing is new.\n"
    refused = zkmem("review", "-C", vault, "--since", "soon")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'soon' is neither the number of an edit nor a date" in refused.stderr


def test_the_log_uses_the_words_of_the_review(tmp_path: pathlib.Path) -> None:
    story.story(tmp_path / "vault")
    with Memory(str(tmp_path / "vault")) as memory:
        memory.undo(edit=story.IN_THE_MIDDLE)
        words = {one.rev: (one.words, one.author, one.version, one.undone) for one in memory.log(limit=50)}
    assert words["18"] == ("Overwrote plans/budget", "claude-code", "2.1.330", False)
    assert words["20"][0] == "Merged inbox/tea into kitchen/tea"
    assert words["22"] == ("Changed plans/garden", "claude-code", "2.1.332", True)
    assert words["25"][0] == "Created work/talk 0"
    lines = zkmem("log", "-C", str(tmp_path / "vault"), "-n", "50").stdout.splitlines()
    assert [line.partition("  ")[2][18:] for line in lines if line.startswith(("22 ", "29 "))] == [
        "Deleted archive/lease contract  (codex)",
        "Changed plans/garden  (claude-code, undone)",
    ]
