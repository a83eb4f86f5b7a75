"""The systems: where the code for each is, and what Windows asks of names and paths."""

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import zkmem
from zkmem.util.portable import write_utf8
from zkmem.vault.platform import windows_terms

HOUSE = Path(zkmem.__file__).parent

ALONE = {  # modules that need something of the system which no file has anything to do with
    "util/portable.py": "what the lowest layer needs",
    "toolsets/think/worker.py": "limits of a process",
    "toolsets/think/patterns.py": "how such a process ends",
    "serve/process.py": "how many connections the system allows",
    "cli/group.py": "signals",
    "cli/checks/machine.py": "the report of `zkmem doctor`",
    "cli/install.py": "where clients keep their configuration",
    "cli/adopt.py": "where clients keep their configuration",
    "cli/importing.py": "where clients keep their transcripts",
    "clients/launch.py": "the endings of programs",
    "lsp/server.py": "whether the editor still runs",
    "util/collector.py": "memory that the C library can give back",
    "names.py": "the separators of paths",
}
MODULES = {"ctypes", "fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg"}
WORDS = {"dir_fd", "src_dir_fd", "dst_dir_fd"}
OF_OS = {
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "fchmod", "fchown", "fdatasync", "geteuid",
    "getuid", "lockf", "name", "pathconf", "posix_fadvise", "pread", "pwrite", "sync", "uname",
}  # fmt: skip
OTHERS = {"sys.platform", "signal.SIGALRM", "signal.SIGHUP", "signal.setitimer"}


NAMED = re.compile(rf"\b({'|'.join(MODULES | WORDS | OTHERS)}|os\.({'|'.join(OF_OS)}))\b")


def _of_one_system(module: Path) -> Iterator[str]:
    """Yield what a module uses that only some systems have."""
    text = module.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if NAMED.search(text) else ():
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield node.module
        elif isinstance(node, ast.keyword) and node.arg in WORDS:
            yield node.arg
        elif isinstance(node, ast.Attribute):
            word = ast.unparse(node)
            if word in OTHERS or (ast.unparse(node.value) == "os" and node.attr in OF_OS):
                yield word


def test_only_the_platform_and_a_few_modules_know_on_which_system_they_run() -> None:
    found = {
        str(module.relative_to(HOUSE)): sorted(set(words))
        for module in HOUSE.rglob("*.py")
        if HOUSE / "vault/platform" not in module.parents and (words := list(_of_one_system(module)))
    }
    assert found.keys() == ALONE.keys(), found


@pytest.mark.parametrize(
    ("full", "path"),
    [
        ("C:/notes/a b.md", r"\\?\C:\notes\a b.md"),
        ("//server/share/notes/ä.md", r"\\?\UNC\server\share\notes\ä.md"),
        (r"\\?\C:\notes", r"\\?\C:\notes"),
        ("C:/" + "d/" * 200 + "a.md", "\\\\?\\C:\\" + "d\\" * 200 + "a.md"),
    ],
)
def test_a_path_of_any_length_is_written_as_windows_takes_it(full: str, path: str) -> None:
    assert windows_terms.native(full) == path


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("con.md", "keeps the name 'con' for a device"),
        ("CON", "keeps the name 'CON' for a device"),
        ("Com1.tar.gz", "keeps the name 'Com1' for a device"),
        ("lpt² .md", "for a device"),
        ("what?.md", "does not allow '\\?'"),
        ("a:b.md", "does not allow ':'"),
        ("tab\t.md", "does not allow"),
        ("dot.", "ends with a dot or a space"),
        ("space ", "ends with a dot or a space"),
    ],
)
def test_a_name_that_windows_cannot_have_is_refused_with_the_rule(name: str, rule: str) -> None:
    with pytest.raises(OSError, match=rule):
        windows_terms.check_name(f"C:/notes/{name}")


@pytest.mark.parametrize("name", ["console.md", "com10.md", "com.md", ".zkmem", "a.b c.md", "nul-.md", "ünï😀.md"])
def test_other_names_are_allowed_on_windows(name: str) -> None:
    windows_terms.check_name(f"C:/con/{name}")


def test_a_console_with_a_code_page_gets_utf8() -> None:
    old, good = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for encoding in ("cp1252", "latin-1"))
    write_utf8(old, None, io.StringIO(), good)
    print("é😀\udc80", file=old, flush=True)
    assert old.buffer.getvalue() == "é😀?\n".encode()
    assert good.encoding == "latin-1"
