"""Turn what git prints about a remote into a sentence for the user, without passwords."""

import re

from zkmem.vault.git.command import ALLOWED, BETWEEN, GitTrouble

_OFFLINE = re.compile(
    r"could not resolve|failed to connect|couldn't connect|unable to connect|network is unreachable|no route to host"
    r"|connection( to \S+)? (refused|timed out|reset|closed)|time-?out|timed out|took longer than|temporary failure"
    r"|empty reply from server|recv failure|send failure|early eof|broken pipe|name or service not known"
    r"|returned error: (429|50[234])",
    re.IGNORECASE,
)
_REFUSALS = (
    (
        re.compile(
            r"does not appear to be a git repository|repository .*not found|does not exist|not a git repository"
            r"|is this a git repository|returned error: (404|410)|access denied or repository not exported",
            re.IGNORECASE,
        ),
        "there is no repository at {where} ({why})",
    ),
    (
        re.compile(
            r"permission denied|authentication failed|could not read (username|password)|terminal prompts disabled"
            r"|host key verification failed|returned error: (40[13]|407)|invalid credentials|access denied",
            re.IGNORECASE,
        ),
        "the remote {where} does not accept the credentials ({why}); set up git to reach it without a question",
    ),
    (
        re.compile(r"refusing to update checked out branch"),
        "the remote {where} takes no push, as it has a work tree (it is not bare); use one made with `git init --bare`",
    ),
    (
        re.compile(r"returned error: 413", re.IGNORECASE),
        "the remote {where} refused the push ({why}): its host limits the size; ask for a higher limit, or use SSH",
    ),
)
"""What git prints if a remote refuses, and the sentence for the user."""

_HUNG_UP = re.compile(r"(fatal: )?the remote end hung up( unexpectedly| upon initial contact)?\s*", re.IGNORECASE)
PROTOCOLS = ALLOWED.replace(":", ", ")
# a password may contain `@` and `/`, although git then reads another part of the URL as the password
_USER = re.compile(r"//(?:[^/@:]*:.*|[^/]*)@")
_NOISE = ("To ", "Done", "hint:", "Please make sure", "and the repository exists", "failed to push some refs")


class Offline(GitTrouble):
    """The remote cannot be reached now."""


def trouble(url: str, message: str) -> GitTrouble:
    """Return the error for the message of a git command that failed at a remote."""
    where, why = ascii(without_password(url)), reason(message, url)
    if is_forbidden(url):
        return GitTrouble(f"the remote {where} cannot be used: zkmem supports only the protocols {PROTOCOLS}")
    for pattern, sentence in _REFUSALS:
        if pattern.search(message):
            return GitTrouble(sentence.format(where=where, why=why))
    if _OFFLINE.search(message) or not _HUNG_UP.sub("", message.replace(BETWEEN, "")).strip():
        return Offline(f"the remote {where} cannot be reached ({why})")
    return GitTrouble(f"the remote {where} refused: {why}")


def is_forbidden(url: str) -> bool:
    """Return whether git is not allowed to reach a URL: `ext::`, for example, starts any program."""
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)(::|://)", url)
    return match is not None and (match[2] == "::" or match[1] not in ALLOWED.split(":"))


def without_password(url: str, mark: str = "") -> str:
    """Return a URL without the name, the password and the query in it. `mark`: what is in place of the first two."""
    return _USER.sub(f"//{mark}", re.sub(r"\?.*", "", url) if "://" in url else url)


def reason(message: str, url: str, most: int = 300) -> str:
    """Return the informative lines of what git printed about a URL, as one line of at most `most` characters.

    The password in the URL is left out.
    """
    text = _without_secrets(message, url).replace(BETWEEN, "\n")
    lines = [re.sub(r"\b(fatal|error): ", "", line).strip() for line in text.splitlines()]
    informative = [line for line in lines if line and not line.startswith(_NOISE)]
    return ascii(BETWEEN.join(informative)[:most])[1:-1] or "git printed no reason"


def _without_secrets(message: str, url: str) -> str:
    """Return a message of git without the name, the password and the query of a URL, or parts of these."""
    if user := _USER.search(url):
        message = message.replace(user[0].removeprefix("//"), "")
        for part in filter(None, re.split("[@/]", user[0].partition(":")[2])):
            message = message.replace(part, "***")
    return re.sub(r"(://[^\s?]*)\?[^\s']*", r"\1", re.sub(r"//\S*@", "//", message))
