"""Clone, fetch from and push to the git remote that several machines share. Never force a push.

What git prints about a remote becomes a sentence for the user, without passwords.
"""

import contextlib
import hashlib
import os
import re
import shlex
import urllib.parse
from typing import NamedTuple

from zkmem.util.locks import Turn, locked_folder
from zkmem.vault.git.command import ALLOWED, BETWEEN, Git, GitTrouble, NoGit

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
_MOST_NAMED = 5
_LONGEST = 300  # characters of a reason
_TURN_S = 20.0
_BEHIND = re.compile(r"fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref")


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


def reason(message: str, url: str) -> str:
    """Return the informative lines of what git printed about a URL, as one line, which is cut if it is long.

    The password in the URL is left out.
    """
    text = _without_secrets(message, url).replace(BETWEEN, "\n")
    lines = [re.sub(r"\b(fatal|error): ", "", line).strip() for line in text.splitlines()]
    informative = [line for line in lines if line and not line.startswith(_NOISE)]
    return ascii(BETWEEN.join(informative)[:_LONGEST])[1:-1] or "git printed no reason"


def _without_secrets(message: str, url: str) -> str:
    """Return a message of git without the name, the password and the query of a URL, or parts of these."""
    if user := _USER.search(url):
        message = message.replace(user[0].removeprefix("//"), "")
        for part in filter(None, re.split("[@/]", user[0].partition(":")[2])):
            message = message.replace(part, "***")
    return re.sub(r"(://[^\s?]*)\?[^\s']*", r"\1", re.sub(r"//\S*@", "//", message))


class Rejected(GitTrouble):
    """The push was refused, because the remote has commits that are not here or another push is under way."""


class Address(NamedTuple):
    """The address of a remote, and its branch."""

    name: str  # the name of a remote, as `git remote` lists it, or a URL
    url: str
    branch: str


class Remote:
    """A branch of a git repository that several machines share."""

    def __init__(self, git: Git, address: Address) -> None:
        self._git = git
        self.address = address

    @property
    def tracking(self) -> str:
        """The ref of the commit that the remote's branch had at the last fetch."""
        name = self.address.name
        usable = name if re.fullmatch(r"[\w.-]+", name) else f"zkmem-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        return f"refs/remotes/{usable}/{self.address.branch}"

    def turn(self) -> contextlib.AbstractContextManager[Turn]:
        """Lock the remote during the block if it is a folder on this machine. Wait at most 20 s for other processes.

        Without that, only one of many at a time gets its push accepted, and the others merge for nothing.
        """
        folder = local_path(self.address.url, self._git.where().top)
        return locked_folder(folder, _TURN_S) if folder else contextlib.nullcontext(Turn())

    def fetch(self) -> None:
        """Fetch the branch. If a new remote does not have it yet, do nothing."""
        source = f"+refs/heads/{self.address.branch}:{self.tracking}"
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head")
        done = self._git.transfer("fetch", *options, "--end-of-options", self.address.url, source)
        if not done.returncode:
            return
        message = _message(done.stderr)
        place = local_path(self.address.url, self._git.where().top)
        if place and not (os.path.isdir(place) and os.listdir(place)) and self._git.rev(self.tracking):
            raise Offline(f"the folder of the remote, {place!a}, is not there now, or empty")
        if "couldn't find remote ref" not in message:
            raise trouble(self.address.url, message)
        if self._git.rev(self.tracking):
            raise self._missing_branch()
        self._check_is_new()

    def _missing_branch(self) -> GitTrouble:
        """Return the error for a branch that was fetched before and is gone."""
        name, branch, heads = without_password(self.address.name), self.address.branch, self._heads()
        again = f"`git push {name} HEAD:{branch}`"
        if heads:
            others = ", ".join(map(ascii, heads[:_MOST_NAMED]))
            return GitTrouble(
                f"the branch {branch} was removed from the remote, which has {others}; to create it there again: "
                f"{again}. To use another one, set sync_branch to its name"
            )
        return GitTrouble(
            f"the remote {without_password(self.address.url)!a} has no branches any more: it was emptied or made anew, "
            "or the network answers in its place, for example with a page to sign in; open the address in a browser. "
            f"To fill an empty remote with what is here: {again}"
        )

    def _check_is_new(self) -> None:
        """Check that the remote has no other branch: two machines on two branches would never meet."""
        if heads := self._heads():
            branch, others = self.address.branch, ", ".join(map(ascii, heads[:_MOST_NAMED]))
            raise GitTrouble(
                f"the remote has no branch {branch!a}, but {others}. To synchronise with one of these, check it out "
                f"(git switch NAME), or set sync_branch to its name. To create {branch!a} there: "
                f"git push {self.address.name} HEAD:{branch}"
            )

    def _heads(self) -> list[str]:
        """Return the names of the remote's branches; none if it cannot be reached."""
        done = self._git.transfer("ls-remote", "--quiet", "--heads", "--end-of-options", self.address.url)
        return [line.rpartition("refs/heads/")[2] for line in _message(done.stdout).splitlines()]

    def push(self, commit: str) -> None:
        """Push a commit to the branch."""
        target = f"{commit}:refs/heads/{self.address.branch}"
        options = ("--quiet", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--no-verify")
        done = self._git.transfer("push", *options, "--end-of-options", self.address.url, target)
        if done.returncode:
            refused = (line.split("\t")[-1] for line in _message(done.stdout).splitlines() if line.startswith("!"))
            message = "\n".join((_message(done.stderr), *refused))
            if _BEHIND.search(message):
                url = self.address.url
                raise Rejected(f"the remote {without_password(url)!a} refused: {reason(message, url)}")
            raise trouble(self.address.url, message)
        self.remember(commit)

    def remember(self, commit: str) -> None:
        """Remember a commit as the remote's last one, as a fetch does."""
        self._git.run("update-ref", self.tracking, commit)


def clone_to(url: str, folder: str) -> Git:
    """Clone a repository to a folder that does not exist yet or is empty, without checking out its files."""
    git = Git(folder, "")
    try:
        heads = git.heads(url)
        if "HEAD" in heads or not heads:
            git.clone(url)
        elif len(heads) == 1:  # a new remote whose default branch has another name than the one that was pushed
            git.clone(url, heads[0])
    except NoGit:
        raise
    except GitTrouble as error:
        raise trouble(url, str(error)) from error
    if len(heads) > 1 and "HEAD" not in heads:
        names = ", ".join(map(ascii, heads[:_MOST_NAMED]))
        raise GitTrouble(
            f"the remote has the branches {names}, but not its default branch. Change its default branch, or clone one "
            "of these with `git clone --branch NAME` and run `zkmem init --git` in the new folder"
        )
    return git


def known_address(git: Git, remote: str) -> str:
    """Return the address that a repository has for the remote of a name; "" if it has none."""
    return next((one.value for one in git.where().values if one.key == f"remote.{remote}.url"), "")


def address_of(git: Git, remote: str) -> str:
    """Return the address of a remote, given by its name in the repository or as an address.

    The address of a folder on this machine is returned as its real path, so that git uses the folder that was checked.
    """
    url = known_address(git, remote) or remote
    if url == remote and is_name(remote):
        remedy = f"`git remote add {remote} URL` adds it; the address of a folder has a slash, as in ./{remote}"
        raise GitTrouble(f"the repository has no remote {remote!r}; {remedy}")
    top = os.path.realpath(git.where().top)
    place = local_path(url, top)
    if place is not None and f"{place}/".startswith(f"{top}/"):
        why = "is inside the vault's repository: its files may come from others, and git would run them as hooks"
        raise GitTrouble(f"the remote {remote!r} {why}. Choose another folder")
    if place is not None and any(os.path.exists(os.path.join(place, name)) for name in ("shallow", ".git/shallow")):
        remedy = f"complete it with: git -C {shlex.quote(place)} fetch --unshallow"
        raise GitTrouble(f"the remote {remote!r} has only a part of the history; {remedy}")
    return url if place is None else place


def is_cloned_from(git: Git, address: Address) -> bool:
    """Return whether the branch here tracks the remote's branch, as after a clone, even of a remote without commits."""
    values = {one.key: one.value for one in git.where().values}
    own = f"branch.{address.branch}"
    return (values.get(f"{own}.remote"), values.get(f"{own}.merge")) == (address.name, f"refs/heads/{address.branch}")


def is_name(remote: str) -> bool:
    """Return whether a remote is given by its name in the repository, not by its address."""
    return ":" not in remote and "/" not in remote


def local_path(url: str, top: str) -> str | None:
    """Return the real path of a repository on this machine; None if the URL is of another machine.

    `top`: the folder at which relative paths begin.
    """
    if url.startswith("file://"):  # git reads file://host/path as the path /host/path, and decodes %41
        path = urllib.parse.unquote_to_bytes(url.removeprefix("file://").encode(errors="surrogateescape"))
        return os.path.realpath("/" + os.fsdecode(path).lstrip("/"))
    return None if ":" in url.partition("/")[0] else os.path.realpath(os.path.join(top, url))


def _message(output: bytes) -> str:
    return output.decode(errors="replace").strip()
