"""The clients that have hooks: their names for the events, and how they read an answer. To add a client, add a row.

The comment above a row names its source. This module imports little: a hook starts a new process.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

START, PROMPT, TOOL_USED, END = EVENTS = ("session-start", "prompt", "tool-used", "turn-end")


class HookAnswer(NamedTuple):
    """The answer of a hook. Each text may be empty."""

    text: str = ""  # for the model
    shown: str = ""  # a line for the person


class HookClient(NamedTuple):
    """A client with hooks. All of them send the same fields."""

    events: Mapping[str, str]  # its own names, by ours
    log_name: str  # how the client's name begins in the log of edits
    call: str = ""  # the key in `_meta` of a call over MCP of what a hook gets as `tool_use_id`; "" if there is none
    refusal: str = ""  # the decision that makes the model go on after a text at the end of a turn; "" if none is needed

    def output(self, event: str, answer: HookAnswer) -> dict[str, Any]:
        """Return an answer as the client's JSON object; an empty object for an empty answer."""
        result = {"systemMessage": answer.shown} if answer.shown else {}
        if not answer.text:
            return result
        if event == END and self.refusal:
            return result | {"decision": self.refusal, "reason": answer.text}
        context = {"hookEventName": self.events[event], "additionalContext": answer.text}
        return result | {"hookSpecificOutput": context}


_AS_IN_CLAUDE_CODE = dict(zip(EVENTS, ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"), strict=True))
_IN_GEMINI = dict(zip(EVENTS, ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"), strict=True))

HOOK_CLIENTS: Mapping[str, HookClient] = {
    # code.claude.com/docs/en/hooks
    "claude-code": HookClient(_AS_IN_CLAUDE_CODE, "claude-code", "claudecode/toolUseId"),
    # codex-rs/hooks/schema/generated/ in openai/codex: the answer to Stop has no additionalContext;
    # `build_mcp_tool_call_request_meta` in codex-rs/core/src/mcp_tool_call.rs, for callId
    "codex": HookClient(_AS_IN_CLAUDE_CODE, "codex", "callId", "block"),
    # geminicli.com/docs/hooks/reference: AfterTool gets no id of the call, and the call over MCP has none that it knows
    "gemini": HookClient(_IN_GEMINI, "gemini-cli", refusal="deny"),
}


def call_in(meta: Mapping[str, object]) -> object:
    """Return the id that a client gave a call of a tool, from the `_meta` of the call; None if it gave none."""
    return next((meta[one.call] for one in HOOK_CLIENTS.values() if one.call in meta), None)
