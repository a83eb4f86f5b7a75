"""All tools as clients get them: `python -m tests.tools.sent_tools` writes them down, a test compares."""

import json
import pathlib
from typing import Any

from zkmem.serve.mcp.types_map import described
from zkmem.toolsets.table import TOOLSETS

FILE = pathlib.Path(__file__).parents[1] / "cases" / "tools.json"


def sent_tools() -> dict[str, list[dict[str, Any]]]:
    """Return the tools of each toolset, as `tools/list` sends them to a client that began with a handshake."""
    return {
        name: [described(tool).model_dump(mode="json", by_alias=True, exclude_none=True) for tool in toolset.tools]
        for name, toolset in TOOLSETS.items()
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(sent_tools(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
