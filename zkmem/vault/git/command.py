"""Run the `git` command for a vault.

Every git command of zkmem goes through here. Hooks never run. In a vault whose repository the user has not allowed
(`zkmem trust`), no command runs: its files may name programs. See `Git.look_if_allowed`.
"""

import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TypedDict, Unpack

from zkmem.vault.git.repository import Repository, leads_outside, parsed

_PATIENCE_S = 10.0
_EMAIL = "zkmem@localhost"
_LONGEST = 300  # characters of git's output in a message
_MOST_MESSAGES = 1_000_000  # bytes of what git prints about a command that fails
_NOWHERE = "not a git repository (or any"  # the message goes on; for a damaged repository git prints another one

TRANSFER_S = 600.0  # the longest fetch or push

ALLOWED = "file:git:http:https:ssh"
"""The transports of a synchronisation. Others are forbidden: `ext` starts any program that the address names."""

_SETTINGS = (("core.hooksPath", os.devnull), ("submodule.recurse", "false"))
"""Settings with which no command runs a hook or enters another repository, whatever the user has set."""

_REACH = ("GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_HTTP_")  # the user's environment variables for servers

_COMPARING = {"diff-tree", "diff-index", "log"}
_ALL_KINDS = "--ignore-submodules=none"
"""An option of these commands. Without it they read `.gitmodules`, and fail if somebody has pushed a malformed one."""

_ALONE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
"""An environment that forbids every transport: git would fetch a missing object from any address in the settings."""


class GitTrouble(Exception):
    """A git command failed; the message is what git printed, if it printed any."""


class NotAllowed(GitTrouble):
    """The user has not allowed what the vault's repository asks for."""


class EncodingRefused(GitTrouble):
    """A file is not in the encoding on disk that its attribute `working-tree-encoding` gives it."""


class NoGit(GitTrouble):
    """The git command is not installed."""


class GitOptions(TypedDict, total=False):
    """How a git command runs."""

    data: bytes  # its input
    environment: Mapping[str, str]  # more variables
    index: str  # the index to use instead of the user's
    top: bool  # whether it runs at the root of the work tree, not in the vault
    patience_s: float
    umask: int  # the umask of the command; -1 for that of this process
    output: IO[bytes]  # a new file that gets the output


class Git:
    """The git command for one vault, which is a repository or in one."""

    def __init__(self, root: str, index: str, allowed: str | None = None) -> None:
        """`index`: the path of zkmem's own index file.

        `allowed`: the fingerprint of the repository's configuration that the user has allowed, "" if none is allowed;
        None if the caller answers for the repository.
        """
        self.root = root
        self.index = index
        self._allowed = allowed
        self._place: Repository | None = None
        self._settings = [*_SETTINGS]

    def look(self) -> Repository:
        """Return the properties of the repository, trusted or not; start none of its programs."""
        options = ("--absolute-git-dir", "--git-common-dir", "--show-toplevel", "--show-object-format", "--show-prefix")
        folder, common, top, kind, prefix, *_ = self._rev_parse(*options).split("\n")
        folder, common, top = (os.path.realpath(os.path.join(self.root, path)) for path in (folder, common, top))
        if os.path.join(top, prefix).replace(os.sep, "/").rstrip("/") != self.root.rstrip("/"):
            raise GitTrouble(
                f"the work tree of the repository is {top}, and the vault is not in it; correct `core.worktree`"
            )
        values = parsed(self._plainly("config", "--list", "--show-scope", "-z"))
        outside = tuple(leads_outside(folder, common, top, values))
        return Repository(folder, common, top, prefix, 64 if kind == "sha256" else 40, values, outside)

    def _rev_parse(self, *options: str) -> str:
        try:
            return self._plainly("rev-parse", *options)
        except GitTrouble as error:
            if _NOWHERE not in str(error) or os.path.lexists(os.path.join(self.root, ".git")):
                raise
            raise self._no_repository() from error

    def _no_repository(self, which: str = "") -> GitTrouble:
        remedy = f"`zkmem init --git {shlex.quote(self.root)}` makes one"
        return GitTrouble(f"the vault is in no git repository{which} ({remedy})")

    def where(self) -> Repository:
        """Return the properties of the repository; raise an error if the user has not allowed it."""
        if self._place is None:
            self._place = self.look_if_allowed()
            self._settings += [(f"hook.{name}.enabled", "false") for name in self._place.hooks()]
        return self._place

    def look_if_allowed(self) -> Repository:
        """Return the properties of the repository, read anew; raise an error if the user has not allowed it.

        If the user has allowed nothing, no git command runs: git looks for repositories without a `.git`, too.
        """
        shows = f"`zkmem trust {shlex.quote(self.root)}` shows what it asks for"
        remedy = f"{shows}, and allows it for commands and servers that start after that"
        if self._allowed == "":
            if not self.has_dot_git():
                raise self._no_repository(" that you have allowed")
            raise NotAllowed(f"git does not run in this vault, whose repository you have not allowed; {remedy}")
        place = self.look()
        if self._allowed not in {None, place.fingerprint}:
            raise NotAllowed(
                f"git does not run in this vault, whose repository asks for other things than you allowed; {remedy}"
            )
        return place

    def has_dot_git(self) -> bool:
        """Return whether the vault or a folder above it has a `.git`. No git command runs."""
        path = pathlib.Path(self.root)
        return any(os.path.lexists(folder / ".git") for folder in (path, *path.parents))

    def _plainly(self, *arguments: str) -> str:
        """Return the output of a git command. Use only commands that start no program, whatever the settings are."""
        return self._checked(*arguments, environment=_ALONE).stdout.decode(errors="surrogateescape")

    def init(self) -> None:
        """Make a repository of the vault."""
        if os.path.lexists(os.path.join(self.root, ".git")):
            self.look()
        self._plainly("init", "--quiet")

    def add_remote(self, url: str) -> None:
        """Add the remote `origin` to the repository's configuration, if the user has allowed the repository."""
        urls = [one.value for one in self.look_if_allowed().values if one.key == "remote.origin.url"]
        if urls == [url]:
            return
        if urls:
            raise GitTrouble(
                f"the remote origin has the address {urls[-1]!a}; change it with `git remote set-url origin URL`"
            )
        self._plainly("remote", "add", "origin", url)

    def run(self, *arguments: str, failing: bool = False, **options: Unpack[GitOptions]) -> str:
        """Return the output of a git command; with `failing`, return "" if it fails."""
        done = self.call(arguments, **options)
        if done.returncode and not failing:
            raise _error(arguments, done.stderr)
        return "" if done.returncode else (done.stdout or b"").decode(errors="surrogateescape")

    def rev(self, name: str) -> str:
        """Return the hash of the commit that a name stands for; "" if there is none."""
        return self.run(
            "rev-parse", "--quiet", "--verify", "--end-of-options", name + "^{commit}", failing=True
        ).strip()

    def call(self, arguments: Sequence[str], **options: Unpack[GitOptions]) -> "subprocess.CompletedProcess[bytes]":
        """Run a git command to its end. If it fails, the result has its exit code and its messages."""
        self.where()
        return self._finished(arguments, **options)

    @contextlib.contextmanager
    def index_for(self, use: str) -> Iterator[str]:
        """Yield the path of another index of zkmem, and remove it after the block. The caller holds a lock."""
        index = f"{self.index}.{use}"
        with contextlib.ExitStack() as stack:
            for path in (index, index + ".lock"):
                pathlib.Path(path).unlink(missing_ok=True)  # a process that was killed may have left it
                stack.callback(pathlib.Path(path).unlink, missing_ok=True)
            yield index

    def commit_tree(
        self, tree: str, parent: str, message: str, author: str | None = None, *, signed: bool = True
    ) -> str:
        """Return the hash of a new commit, which is in no branch. It is signed if git's configuration says so.

        `author`: None for the user in git's configuration, or zkmem if that names none; `parent`: "" for none.
        """
        place = self.where()
        sign = ["-S"] if signed and place.signs else []
        parents = ["-p", parent] if parent else []
        name = (author or "").strip(" .,:;<>\"\\'")  # git refuses a name of only these characters
        is_by_user = place.knows_user and author is None
        names = {} if is_by_user else {"GIT_AUTHOR_NAME": name or "zkmem", "GIT_AUTHOR_EMAIL": _EMAIL}
        if not place.knows_user:  # else the committer is the user
            names |= {"GIT_COMMITTER_NAME": "zkmem", "GIT_COMMITTER_EMAIL": _EMAIL}
        return self.run("commit-tree", *sign, *parents, tree, data=message.encode(), environment=names).strip()

    def clone(self, url: str, branch: str = "") -> None:
        """Clone another repository to the vault's folder, which does not exist yet or is empty. Check out no file.

        `branch`: the branch to use; "" for the remote's default branch.
        """
        options = ["--quiet", "--no-checkout", "--template=", "--no-recurse-submodules", "--origin=origin"]
        options += [f"--branch={branch}"] if branch else []
        self._elsewhere("clone", *options, "--end-of-options", url, self.root)

    def check_out(self) -> None:
        """Write the files of the last commit of a new clone, with the user's own configuration."""
        self._checked("checkout", "--quiet", "HEAD", "--", environment=_reaching(), patience_s=TRANSFER_S)

    def heads(self, url: str) -> list[str]:
        """Return `HEAD`, if the default branch of another repository exists, and the names of its branches."""
        output = self._elsewhere("ls-remote", "--quiet", "--end-of-options", url, "HEAD", "refs/heads/*").decode()
        return [line.partition("\t")[2].removeprefix("refs/heads/") for line in output.splitlines()]

    def default_branch(self, url: str) -> str:
        """Return the name of the default branch of another repository, which may have no commit yet.

        Return "" if it has several branches, but not this one.
        """
        output = self._elsewhere("ls-remote", "--quiet", "--symref", "--end-of-options", url, "HEAD").decode()
        if match := re.match(r"ref: refs/heads/(\S+)\tHEAD$", output, re.MULTILINE):
            return match[1]
        if heads := self.heads(url):
            return heads[0] if len(heads) == 1 else ""
        with tempfile.TemporaryDirectory(prefix="zkmem-") as folder:  # only a clone tells where an empty one begins
            options = ("--quiet", "--bare", "--template=", "--end-of-options")
            self._elsewhere("clone", *options, url, f"{folder}/empty")
            bare = ("--git-dir", f"{folder}/empty")
            return self._elsewhere(*bare, "symbolic-ref", "--short", "HEAD").decode().strip()

    def rename_branch(self, name: str) -> None:
        """Give the branch that is checked out another name."""
        self._plainly("branch", "--move", "--end-of-options", name)

    def track(self) -> None:
        """Set the upstream of the branch that is checked out to the branch of the same name at `origin`.

        Then `git pull` and `git push` need no arguments.
        """
        branch = self._plainly("symbolic-ref", "--short", "HEAD").strip()
        self._plainly("config", f"branch.{branch}.remote", "origin")
        self._plainly("config", f"branch.{branch}.merge", f"refs/heads/{branch}")

    def _elsewhere(self, *arguments: str) -> bytes:
        """Run a command that reaches another repository, beside the vault's folder; return its output.

        It uses no settings of a repository around it, which may be somebody else's and name programs.
        """
        folder, environment = os.path.dirname(self.root), _reaching() | {"GIT_DIR": os.devnull}
        return self._checked(*arguments, folder=folder, environment=environment, patience_s=TRANSFER_S).stdout

    def read(
        self, *arguments: str, most_bytes: int, patience_s: float = TRANSFER_S, top: bool = False, remedy: str = ""
    ) -> str:
        """Return the output of a git command that only reads; end it if it prints too much or takes too long.

        Use this for work whose size depends on what others committed: a few objects may stand for millions of files.
        `top`: as for `run`; `remedy`: what the user can do about too long an output.
        """
        # a pipe would fill: git would wait until somebody reads its messages
        with tempfile.TemporaryFile() as messages, self.process(*arguments, top=top, stderr=messages) as process:
            timer = threading.Timer(patience_s, process.kill)
            timer.start()
            try:
                data = pipes(process)[1].read(most_bytes + 1)
                code = process.wait() if len(data) <= most_bytes else 0
            finally:
                timer.cancel()
            if code > 0:
                messages.seek(0)
                raise _error(arguments, messages.read(_MOST_MESSAGES))
        if code or len(data) > most_bytes:
            excess = f"took longer than {patience_s:g} s" if code else f"printed more than {most_bytes:,} bytes{remedy}"
            raise GitTrouble(f"git {_command(arguments)} {excess}")
        return data.decode(errors="surrogateescape")

    @contextlib.contextmanager
    def process(
        self, *arguments: str, top: bool = False, stderr: int | IO[bytes] = subprocess.DEVNULL
    ) -> "Iterator[subprocess.Popen[bytes]]":
        """Start a git command that only reads, and end it with the block. `top`: as for `run`."""
        folder = self.where().top if top else self.root
        try:
            process = subprocess.Popen(  # noqa: S603 - as in `_finished`
                ["git", "--no-pager", *_with_all_kinds(arguments)],  # noqa: S607
                cwd=folder,
                env=_variables({}, self._settings),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except (FileNotFoundError, NotADirectoryError):
            raise _not_started(folder) from None
        with process:
            try:
                yield process
            finally:
                process.kill()
                with contextlib.suppress(BrokenPipeError):  # it had ended, and some of its input was not sent
                    pipes(process)[0].close()

    def transfer(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """Run a git command that reaches another repository, as `call`. The arguments contain its address."""
        return self.call(arguments, environment=_reaching(), patience_s=TRANSFER_S)

    def _checked(
        self, *arguments: str, folder: str = "", **options: Unpack[GitOptions]
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a git command to its end, as `_finished`; raise an error if it fails."""
        done = self._finished(arguments, folder, **options)
        if done.returncode:
            raise _error(arguments, done.stderr)
        return done

    def _finished(
        self, arguments: Sequence[str], folder: str = "", **options: Unpack[GitOptions]
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a git command to its end, in a folder or else in the vault, even if nobody has allowed the repository."""
        folder = folder or (self.where().top if options.get("top") else self.root)
        index, patience_s = options.get("index"), options.get("patience_s", _PATIENCE_S)
        environment = {**options.get("environment", {}), **({"GIT_INDEX_FILE": index} if index else {})}
        try:
            return subprocess.run(  # noqa: S603 - no shell, and paths stand after "--" or in the input
                ["git", "--no-pager", *_with_all_kinds(arguments)],  # noqa: S607 - which git is the user's choice
                cwd=folder,  # never that of this process, which may be in another repository
                env=_variables(environment, self._settings),
                input=options.get("data", b""),
                stdout=options.get("output", subprocess.PIPE),
                stderr=subprocess.PIPE,
                check=False,
                timeout=patience_s,
                umask=options.get("umask", -1),
            )
        except (FileNotFoundError, NotADirectoryError):
            raise _not_started(folder) from None
        except subprocess.TimeoutExpired:
            raise GitTrouble(f"git {_command(arguments)} took longer than {patience_s:g} s; try again later") from None


def _reaching() -> dict[str, str]:
    """Return the environment in which a command reaches another repository, with the user's variables for that."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(_REACH)}
    return variables | {"GIT_ALLOW_PROTOCOL": ALLOWED}


def pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    """Return the input and the output of a process."""
    assert process.stdin  # noqa: S101 - it is a pipe
    assert process.stdout  # noqa: S101
    return process.stdin, process.stdout


def _variables(environment: Mapping[str, str], settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the environment of a git command, without the variables about repositories that zkmem's own may have."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or "_COMMITTER" in name or name == "GIT_AUTHOR_DATE"
    }
    variables |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    variables |= {"GIT_NO_REPLACE_OBJECTS": "1", **environment}  # each machine must see the same objects
    variables["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


_WRONG_ENCODING = re.compile(r"failed to encode|BOM is (required|prohibited)|no valid working-tree-encodings")

BETWEEN = " / "
"""Stands between the lines of git's output in an error."""


def _command(arguments: Sequence[str]) -> str:
    """Return the name of the git command that some arguments run."""
    rest = arguments[2:] if arguments[0] == "-C" else arguments
    return next(argument for argument in rest if not argument.startswith("-"))


def _with_all_kinds(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command; one that compares trees or files gets the option `_ALL_KINDS` first."""
    command = _command(arguments)
    after = arguments.index(command) + 1
    return [*arguments[:after], *[_ALL_KINDS] * (command in _COMPARING), *arguments[after:]]


def _not_started(folder: str) -> GitTrouble:
    """Return the error for a git command that could not start in a folder."""
    return NoGit("the command git is not installed") if os.path.isdir(folder) else GitTrouble(f"there is no {folder!a}")


def _error(arguments: Sequence[str], printed: bytes) -> GitTrouble:
    """Return the error for a failed command, with the lines that git printed."""
    lines = (" ".join(line.split()) for line in printed.decode(errors="replace").splitlines())
    message = BETWEEN.join(filter(None, lines))
    if len(message) > _LONGEST:  # a file may be named at the beginning, and a remedy at the end
        message = f"{message[: _LONGEST // 2]} ... {message[-_LONGEST // 2 :]}"
    kind = EncodingRefused if _WRONG_ENCODING.search(message) else GitTrouble
    return kind(message or f"git {_command(arguments)} failed and printed no reason")
