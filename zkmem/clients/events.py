"""The names that clients give to the events of hooks. This module imports little: a hook starts a new process."""

START, PROMPT, TOOL_USED, END = EVENTS = ("session-start", "prompt", "tool-used", "turn-end")

_AS_IN_CLAUDE_CODE = dict(zip(EVENTS, ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"), strict=True))
NAMES = {
    "claude-code": _AS_IN_CLAUDE_CODE,
    "codex": _AS_IN_CLAUDE_CODE,
    "gemini": dict(zip(EVENTS, ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"), strict=True)),
}
"""Each client's own names of the events, by ours."""
