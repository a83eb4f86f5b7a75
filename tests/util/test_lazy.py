"""Modules that are imported when they are first used, and modules that reading a note does not import."""

import subprocess
import sys
from pathlib import Path

import pytest

from zkmem.util.lazy import LazyModule

SLOW = ("yaml", "zkmem.vault.git", "zkmem.index.check", "zkmem.search.search", "zkmem.markdown.html", "nh3", "Stemmer")


def printed(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_module_is_imported_when_it_is_first_used() -> None:
    made = "import sys; from zkmem.util.lazy import LazyModule; it = LazyModule('colorsys')"
    assert printed(f"{made}; print('colorsys' in sys.modules, it.rgb_to_hsv(1, 1, 1))") == "False (0.0, 0.0, 1)\n"


def test_a_name_that_the_module_lacks_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no_such"):
        LazyModule("colorsys").no_such  # noqa: B018


def test_reading_a_note_imports_no_slow_module(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A.\n")
    read = f"import sys; from zkmem import Memory; print(Memory({str(tmp_path)!r}).read('a').text)"
    assert printed(f"{read}; print([name for name in {SLOW!r} if name in sys.modules])") == "A.\n\n[]\n"
