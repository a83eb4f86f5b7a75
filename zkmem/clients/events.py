"""The clients that have hooks: their names of the events, and how they read an answer. To add one, add a row.

The comment above a row names where its facts come from. This module imports little: a hook starts a new process.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

START, PROMPT, TOOL_USED, END = EVENTS = ("session-start", "prompt", "tool-used", "turn-end")


class HookAnswer(NamedTuple):
    """What a hook answers. Both texts are empty if there is nothing to say."""

    text: str = ""  # for the model
    shown: str = ""  # a line for the person


class HookClient(NamedTuple):
    """A client with hooks. All of them send the same fields."""

    events: Mapping[str, str]  # its own names, by ours
    log_name: str  # how the client's name begins in the log of edits
    refusal: str = ""  # the decision with which a text at the end of a turn makes the model go on; "" if none is needed

    def output(self, event: str, answer: HookAnswer) -> dict[str, Any]:
        """Return the JSON object that gives the client an answer; an empty one if there is nothing to say."""
        about = {"systemMessage": answer.shown} if answer.shown else {}
        if not answer.text:
            return about
        if event == END and self.refusal:
            return about | {"decision": self.refusal, "reason": answer.text}
        context = {"hookEventName": self.events[event], "additionalContext": answer.text}
        return about | {"hookSpecificOutput": context}


_AS_IN_CLAUDE_CODE = dict(zip(EVENTS, ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"), strict=True))
_IN_GEMINI = dict(zip(EVENTS, ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"), strict=True))

HOOK_CLIENTS: Mapping[str, HookClient] = {
    # code.claude.com/docs/en/hooks
    "claude-code": HookClient(_AS_IN_CLAUDE_CODE, "claude-code"),
    # codex-rs/hooks/schema/generated/ in openai/codex: the answer to Stop has no additionalContext
    "codex": HookClient(_AS_IN_CLAUDE_CODE, "codex", "block"),
    # geminicli.com/docs/hooks/reference
    "gemini": HookClient(_IN_GEMINI, "gemini-cli", "deny"),
}
