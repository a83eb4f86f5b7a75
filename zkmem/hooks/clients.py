"""The clients that have hooks: how they read an answer. To add one, add a row.

The comment above a row names where its facts come from. This module imports little: a hook starts a new process.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from zkmem.clients.events import END, NAMES


class Answer(NamedTuple):
    """What a hook answers. Both texts are empty if there is nothing to say."""

    text: str = ""  # for the model
    shown: str = ""  # a line for the person


def _context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _refusal(word: str) -> Callable[[str, str], dict[str, Any]]:
    """Return a function that refuses the end of a turn, with the text as what to do next."""
    return lambda _event, text: {"decision": word, "reason": text}


class Client(NamedTuple):
    """A client with hooks. All of them send the same fields."""

    events: Mapping[str, str]  # its own names, by ours
    log_name: str  # how the client's name begins in the log of edits
    end: Callable[[str, str], dict[str, Any]] = _context  # makes the answer to the end of a turn

    def output(self, event: str, answer: Answer) -> dict[str, Any]:
        """Return the JSON object that gives the client an answer; an empty one if there is nothing to say."""
        about = {"systemMessage": answer.shown} if answer.shown else {}
        if not answer.text:
            return about
        return about | (self.end if event == END else _context)(self.events[event], answer.text)


CLIENTS: Mapping[str, Client] = {
    # code.claude.com/docs/en/hooks
    "claude-code": Client(NAMES["claude-code"], "claude-code"),
    # codex-rs/hooks/schema/generated/ in openai/codex: the answer to Stop has no additionalContext
    "codex": Client(NAMES["codex"], "codex", _refusal("block")),
    # geminicli.com/docs/hooks/reference
    "gemini": Client(NAMES["gemini"], "gemini-cli", _refusal("deny")),
}
