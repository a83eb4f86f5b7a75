"""Codex's own memory: its files, as far as Codex reads them in a conversation.

Codex writes `memories` in its folder anew from what it has kept of earlier sessions, with a git repository in it, and
has no setting for another folder. Its tools refuse symbolic links (codex-rs/memories/ in openai/codex). So the folder
can neither be moved nor linked.
"""

import os

from zkmem.clients.claude_code import files_in
from zkmem.clients.table import Home

_READ = ("MEMORY.md", "memory_summary.md", "rollout_summaries/")  # the rest is what these are made from


def memory(home: Home) -> str:
    """Return the path of the folder."""
    return os.path.join(home.or_else("CODEX_HOME", ".codex"), "memories")


def notes(home: Home) -> dict[str, bytes]:
    """Return the notes that Codex reads, by their relative paths."""
    return {
        path: data for path, data in files_in(memory(home)).items() if path.startswith(_READ) and path[-3:] == ".md"
    }
