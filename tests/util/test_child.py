"""Processes that run a part of zkmem."""

import subprocess
from pathlib import Path

from zkmem.util.child import command


def test_a_process_does_not_import_from_the_folder_in_which_it_starts(tmp_path: Path) -> None:
    for name in ("json", "regex", "zkmem", "resource"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\n")
    ended = subprocess.run(
        command("zkmem.toolsets.think.worker", ("regex",), "5"),
        input=b'{"pattern": "a+", "groups": [["caat"], ["x"]]}',
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        check=True,
    )
    assert b"0" in ended.stdout
    assert not (tmp_path / "imported").exists()
