"""Clone, fetch from and push to the git remote that several machines share. Never force a push."""

import contextlib
import hashlib
import os
import re
import urllib.parse
from typing import NamedTuple

from zkmem.util.folder_lock import Turn, locked_folder
from zkmem.vault.git.command import ALLOWED, BETWEEN, Git, GitTrouble, NoGit

_OFFLINE = re.compile(
    r"could not resolve|unable to access|connection (refused|timed out|reset|closed)|network is unreachable"
    r"|no route to host|operation timed out|unable to connect|took longer than|remote end hung up|temporary failure",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"permission denied|authentication failed|could not read (username|password)|terminal prompts disabled"
    r"|host key verification failed|HTTP 40[13]|invalid credentials|access denied",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(
    r"does not appear to be a git repository|repository .*not found|does not exist|not a git repository|HTTP 404"
    r"|access denied or repository not exported",
    re.IGNORECASE,
)
PROTOCOLS = ALLOWED.replace(":", ", ")
# a password may contain `@` and `/`, although git then reads another part of the URL as the password
_USER = re.compile(r"//(?:[^/@:]*:.*|[^/]*)@")
_MOST_NAMED = 5
_TURN_S = 20.0
_NOTHING_SAID = ("To ", "Done", "hint:", "Please make sure", "and the repository exists", "failed to push some refs")
_BEHIND = re.compile(r"fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref")


class Offline(GitTrouble):
    """The remote cannot be reached now."""


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
        known = name if re.fullmatch(r"[\w.-]+", name) else f"zkmem-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        return f"refs/remotes/{known}/{self.address.branch}"

    def turn(self) -> contextlib.AbstractContextManager[Turn]:
        """Lock the remote during the block if it is a folder on this machine. Wait at most 20 s for other processes.

        Without that, only one of many at a time gets its push accepted, and the others merge for nothing.
        """
        folder = local_path(self.address.url, self._git.where().top)
        return locked_folder(folder, _TURN_S) if folder else contextlib.nullcontext(Turn())

    def fetch(self) -> None:
        """Fetch the branch. If a new remote does not have it yet, do nothing.

        Raises:
            Offline: when the remote cannot be reached. GitTrouble: when it refuses, when there is no repository, or
                when the branch was fetched before and is gone.
        """
        source = f"+refs/heads/{self.address.branch}:{self.tracking}"
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head")
        done = self._git.transfer("fetch", *options, "--end-of-options", self.address.url, source)
        if not done.returncode:
            return
        message = _message(done.stderr)
        place = local_path(self.address.url, self._git.where().top)
        if place and not os.path.exists(place) and self._was_fetched():
            raise Offline(f"the folder of the remote, {place!a}, is not there now")
        if "couldn't find remote ref" not in message:
            raise self._trouble(message)
        if self._was_fetched():
            remedy = f"to create it there again: git push {self.address.name} HEAD:{self.address.branch}"
            raise GitTrouble(f"the branch {self.address.branch} was removed from the remote; {remedy}")
        self._check_is_new()

    def _was_fetched(self) -> bool:
        return bool(self._git.run("rev-parse", "--quiet", "--verify", self.tracking, failing=True))

    def _check_is_new(self) -> None:
        """Check that the remote has no other branch: two machines on two branches would never meet.

        Raises:
            GitTrouble.
        """
        done = self._git.transfer("ls-remote", "--quiet", "--heads", "--end-of-options", self.address.url)
        heads = [line.rpartition("refs/heads/")[2] for line in _message(done.stdout).splitlines()]
        if heads:
            branch = self.address.branch
            raise GitTrouble(
                f"the remote has no branch {branch!a}, but {', '.join(map(ascii, heads[:_MOST_NAMED]))}. To use one of "
                f"these, rename the branch here: git branch -m NAME. To create {branch!a} there: "
                f"git push {self.address.name} HEAD:{branch}"
            )

    def push(self, commit: str) -> None:
        """Push a commit to the branch.

        Raises:
            Rejected: when the remote has commits that are not here. Offline, GitTrouble: as `fetch`.
        """
        target = f"{commit}:refs/heads/{self.address.branch}"
        options = ("--quiet", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--no-verify")
        done = self._git.transfer("push", *options, "--end-of-options", self.address.url, target)
        if done.returncode:
            refused = (line.split("\t")[-1] for line in _message(done.stdout).splitlines() if line.startswith("!"))
            message = "\n".join((_message(done.stderr), *refused))
            if _BEHIND.search(message):
                shown = _without_secrets(message, self.address.url)
                raise Rejected(f"the remote {without_password(self.address.url)!a} refused: {_last(shown)}")
            raise self._trouble(message)
        self.remember(commit)

    def remember(self, commit: str) -> None:
        """Remember a commit as the remote's last one, as a fetch does."""
        self._git.run("update-ref", self.tracking, commit)

    def _trouble(self, message: str) -> GitTrouble:
        return trouble(self.address.url, message)


def clone_to(url: str, folder: str) -> Git:
    """Clone a repository to a folder that does not exist yet or is empty, without checking out its files.

    Raises:
        Offline, GitTrouble: as `Remote.fetch`.
    """
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


def trouble(url: str, message: str) -> GitTrouble:
    """Return the error for the message of a git command that failed at a remote."""
    where, message = ascii(without_password(url)), _without_secrets(message, url)
    if is_forbidden(url):
        return GitTrouble(f"the remote {where} cannot be used: zkmem supports only the protocols {PROTOCOLS}")
    if _NOT_THERE.search(message):
        return GitTrouble(f"there is no repository at {where} ({_last(message)})")
    if _DENIED.search(message):
        advice = f"set them up so that git reaches {where} without asking for a password"
        return GitTrouble(f"the remote {where} does not accept the credentials ({_last(message)}); {advice}")
    if "refusing to update checked out branch" in message:
        remedy = "make the shared repository with `git init --bare`"
        return GitTrouble(f"the remote {where} takes no push, because it has a work tree (it is not bare); {remedy}")
    if _OFFLINE.search(message):
        return Offline(f"the remote {where} cannot be reached ({_last(message)})")
    return GitTrouble(f"the remote {where} refused: {_last(message)}")


def known_address(git: Git, remote: str) -> str:
    """Return the address that a repository has for the remote of a name; "" if it has none."""
    return next((one.value for one in git.where().values if one.key == f"remote.{remote}.url"), "")


def address_of(git: Git, remote: str) -> str:
    """Return the address of a remote, given by its name in the repository or as an address.

    The address of a folder on this machine is returned as its real path, so that git uses the folder that was checked.

    Raises:
        GitTrouble: when there is no repository or no such remote, or the remote is inside the repository.
    """
    url = known_address(git, remote) or remote
    if url == remote and is_name(remote):
        remedy = f"`git remote add {remote} URL` adds it; the address of a folder has a slash, as in ./{remote}"
        raise GitTrouble(f"the repository has no remote {remote!r}; {remedy}")
    top = os.path.realpath(git.where().top)
    place = local_path(url, top)
    if place is not None and f"{place}/".startswith(f"{top}/"):
        reason = "is inside the vault's repository: its files may come from others, and git would run them as hooks"
        raise GitTrouble(f"the remote {remote!r} {reason}. Choose another folder")
    return url if place is None else place


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


def is_forbidden(url: str) -> bool:
    """Return whether git is not allowed to reach a URL: `ext::`, for example, starts any program."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)(::|://)", url)
    return found is not None and (found[2] == "::" or found[1] not in ALLOWED.split(":"))


def without_password(url: str) -> str:
    """Return a URL without the name, the password and the query in it."""
    return _USER.sub("//", re.sub(r"\?.*", "", url) if "://" in url else url)


def _without_secrets(message: str, url: str) -> str:
    """Return a message of git without the name, the password and the query of a URL, or parts of these."""
    if user := _USER.search(url):
        message = message.replace(user[0].removeprefix("//"), "")
        for part in filter(None, re.split("[@/]", user[0].partition(":")[2])):
            message = message.replace(part, "***")
    return re.sub(r"(://[^\s?]*)\?[^\s']*", r"\1", re.sub(r"//\S*@", "//", message))


def _message(output: bytes) -> str:
    return output.decode(errors="replace").strip()


def _last(message: str, most: int = 300) -> str:
    """Return the informative lines of git's message, as one line of at most `most` characters."""
    lines = [re.sub(r"\b(fatal|error): ", "", line).strip() for line in message.replace(BETWEEN, "\n").splitlines()]
    said = [line for line in lines if line and not line.startswith(_NOTHING_SAID)]
    return ascii(BETWEEN.join(said)[:most])[1:-1] or "git printed no reason"
