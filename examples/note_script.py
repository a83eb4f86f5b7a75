"""Collect what was decided: list the decisions in all notes, and keep the list as a note.

python examples/note_script.py VAULT
"""

import re
import sys

from zkmem import Memory

DECISION = re.compile(r"^- decided: (.+)$", re.MULTILINE)


def main(vault: str) -> None:
    """Write the note `Decisions`: one line for each decision, with a link to the note that has it."""
    with Memory(vault) as memory:
        table = memory.query('file.name != "Decisions"', search="decided", limit=1_000)
        lines = [
            f"- {decision} ([[{row.note}]])"
            for row in table.rows
            for decision in DECISION.findall(memory.read(row.note, bounded=False).text)
        ]
        done = memory.write("Decisions", "\n".join(["# Decisions", "", *lines, ""]))
        print(f"{done.outcome} {done.name}: {len(lines)} decisions")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/note_script.py VAULT")
    main(sys.argv[1])
