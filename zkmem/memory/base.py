"""What all methods of a memory use: its engine, its caller, and the rights of that caller.

Each public method first checks whether the memory is open, and whether its arguments have the right types.
"""

import functools
import inspect
import logging
import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Self, TypeVar, Union, Unpack, cast, get_args, get_origin

from zkmem.caller import Caller, Grant, OnEdit, OnRemark
from zkmem.edit.done import Done
from zkmem.edit.journal import Author
from zkmem.edit.plan import Planner
from zkmem.edit.preview import Preview
from zkmem.engine import Engine, EngineOptions
from zkmem.errors import BadArgument, Closed
from zkmem.index.index import Index, Progress
from zkmem.index.session import Freshness
from zkmem.rights import Rights
from zkmem.util.spelling import told_apart
from zkmem.vault.journal.origins import hash_of

_T = TypeVar("_T")
_Method = TypeVar("_Method", bound=Callable[..., Any])
_log = logging.getLogger(__name__)

_MOST = 2**63 - 1  # the largest number that SQLite takes
_MOST_WARNED = 10  # notes of one edit whose texts are looked at
_ENDS = {"stop", "close"}  # methods that may be called when the memory is closed


def _checked(method: _Method) -> _Method:
    """Return a method that first calls `_begin` of its object, and checks the types of its arguments."""
    kinds: dict[str, Any] = {}

    @functools.wraps(method)
    def call(self: "MemoryBase", *arguments: object, **named: object) -> Any:
        self._begin()
        if not kinds:  # not before the first call: most programs use few methods
            kinds.update({name: kind for name, kind in method.__annotations__.items() if name != "return"})
        _check(kinds, dict(zip(kinds, arguments, strict=False)) | named)
        return method(self, *arguments, **named)

    return cast("_Method", call)


class MemoryBase:
    """The engine of a vault, as one caller may use it."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Let each public method first check that the memory is open, and the types of its arguments."""
        super().__init_subclass__(**options)
        for name, one in list(vars(cls).items()):
            if inspect.isfunction(one) and not name.startswith("_") and name not in _ENDS:
                setattr(cls, name, _checked(one))

    def __init__(
        self, vault: str | os.PathLike[str] | Engine, caller: Caller = Caller(), **options: Unpack[EngineOptions]
    ) -> None:
        """Open a vault with the options of an `Engine`, or let a caller use an engine that is open.

        Raises:
            NoVault: when the vault is not a folder. BadArgument: when an argument has a wrong type.
        """
        if not isinstance(vault, Engine):
            _check({"vault": str | os.PathLike, **EngineOptions.__annotations__}, {"vault": vault, **options})
            vault = Engine(vault, **options)
        proposer = caller.grant.proposes_as
        self._engine = vault.proposing(proposer) if proposer else vault
        self._caller = caller
        self._rights = Rights(self._engine, caller.grant, caller.tools)
        self.max_chars, self.git = self._engine.max_chars, self._engine.git

    @_checked
    def on_behalf(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        person: str | None = None,
        session: Hashable = None,
        call: str | None = None,
        tools: Collection[str] | None = None,
        progress: Progress | None = None,
        on_edit: OnEdit | None = None,
        on_remark: OnRemark | None = None,
    ) -> Self:
        """Return this memory for one tool or one client, with the same rights.

        `person`: whose marks on edits a tool uses. `session`: an id of a session of the client: its edit is merged with
        what has changed since the session read the note. `call`: the id that the client gave this call, by which its
        hook later says from which conversation the edit came. `tools`: the names of the tools that the client, a model,
        can call: errors advise no other tool. While a call waits for the index, `progress` is called with the number
        of notes read, and the number to read. `on_edit` is called with each edit that is made. `on_remark` is called
        with each sentence about an edit that a toolset makes from a draft, since the toolset's answer does not have it.
        """
        given: dict[str, Any] = {
            "tool": tool, "client": client, "person": person, "session": session, "call": hash_of(call),
            "tools": tools, "progress": progress, "on_edit": on_edit, "on_remark": on_remark,
        }  # fmt: skip
        other = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        other._caller = self._caller._replace(**{key: one for key, one in given.items() if one not in (None, "")})
        if tools is not None:
            other._rights = Rights(self._engine, self._caller.grant, tools)
        return other

    @_checked
    def restricted(self, grant: Grant) -> Self:
        """Return this memory for a caller who has only the rights that both the grant and this caller have.

        Raises:
            Forbidden: when the grant is for a folder outside of this caller's.
        """
        if grant == Grant():  # the owner: nothing is restricted
            return self
        return type(self)(self._engine, self._caller._replace(grant=self._caller.grant.restricted(grant)))

    def _begin(self) -> None:
        """Begin a call, which will see what other programs have written before: see `LiveIndex.look_again`."""
        if self._engine.closed:
            raise Closed("This memory is closed; open the vault again: Memory(folder).")
        self._engine.live.calls += 1

    def _with_names(self, work: Callable[[Index], _T]) -> _T:
        return self._engine.session.read(work, Freshness.NAMES)

    def _with_links(self, work: Callable[[Index], _T], freshness: Freshness = Freshness.LINKS) -> _T:
        return self._engine.session.read(work, freshness, self._caller.progress)

    def _catch_up(self) -> None:
        """Take in what other programs have changed until now, so that a plan from the log has the present names."""
        self._engine.session.prepare(Freshness.FILES, self._caller.progress)
        self._engine.recorder.flush()

    def _apply(
        self,
        planner: Planner,
        answer: Callable[[Done], _T],
        freshness: Freshness = Freshness.EDITS,
        *,
        tool: str = "",
        client: str = "",
        call: str = "",
    ) -> _T:
        """Make an edit if the caller may do so, commit it, and return the result that `answer` makes of it."""
        engine, caller, rights = self._engine, self._caller, self._rights
        rights.check_edit()
        with rights.errors():
            by = caller.author(tool, client, call)
            done = engine.apply(rights.planner(planner), by, freshness, caller.progress)
            if caller.on_edit and done.edit:
                caller.on_edit(done.edit)
            if trouble := engine.commit(done.edit):
                done.remarks.append(rights.trouble(trouble))
            done = self._warned(done._replace(has=rights.has))
            with engine.session.hold():
                return answer(done)

    def _apply_all(self, edits: Sequence[tuple[Planner, Author]]) -> list[Done | BaseException]:
        """Make edits that do not depend on each other, many in one transaction; commit each one.

        Return the result of each, or the error with which it failed. The texts are not looked at for warnings.
        """
        engine, caller, rights = self._engine, self._caller, self._rights
        rights.check_edit()
        results = engine.apply_all([(rights.planner(planner), by) for planner, by in edits])
        for done in results:
            if isinstance(done, Done) and done.edit:
                if caller.on_edit:
                    caller.on_edit(done.edit)
                if trouble := engine.commit(done.edit):
                    done.remarks.append(rights.trouble(trouble))
        return results

    def _warned(self, done: Done) -> Done:
        """Add warnings about the texts that an edit has written, once it is durable and the vault is free again."""
        steps = done.plan.texts()[:_MOST_WARNED]
        if not steps:
            return done
        rights, session = self._rights, self._engine.session
        try:
            from zkmem.recall.outdated import Outdated, outdated, sentences  # noqa: PLC0415 - only an edit needs them
            from zkmem.recall.warned import WrittenNote, alike, warnings  # noqa: PLC0415

            written = [WrittenNote(step.path, done.view.before(step), step.data) for step in steps]
            remarks, still = warnings(written), list[Outdated]()
            if len(written) == 1 and steps[0].base is not None:
                still = outdated(*written[0], rights.search, session, rights.read, rights.has)
                remarks += sentences(still)
            elif len(written) == 1:
                like = alike(steps[0].path, steps[0].data, rights.search, session, rights.read)
                remarks += [f"like: {told_apart([like])[0]}"] if like else []
        except Exception:  # noqa: BLE001 - the edit is made: its answer must not look like a refusal
            _log.exception("no warnings about an edit")
            return done
        return done._replace(warnings=remarks, outdated=[one._asdict() for one in still])

    def _preview(self, planner: Planner, freshness: Freshness = Freshness.EDITS) -> Preview:
        with self._rights.errors():
            return self._engine.editor.preview(self._rights.planner(planner), freshness)


def _check(kinds: Mapping[str, Any], arguments: Mapping[str, object]) -> None:
    """Check the arguments that have one of these names."""
    for name, value in arguments.items():
        kind = kinds.get(name, object)
        if not _fits(value, kind):
            raise BadArgument(f"`{name}` must be {_words(kind)}, not {value!r:.60}.")
        if isinstance(value, int) and not 0 <= value <= _MOST:
            bound = "0 or more" if value < 0 else f"{_MOST} or less"
            raise BadArgument(f"`{name}` must be {bound}, not {value!r:.60}.")


def _fits(value: object, kind: Any) -> bool:
    """Return whether a value has a type. The items of lists are checked, and those of mappings are not."""
    if type(value) is kind or kind is Any:  # nearly all
        return True
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    plain = (int, float) if kind is float else origin or kind
    if (plain is not object and isinstance(value, bool)) or not isinstance(value, plain):
        return False
    if len(inner) == 1 and isinstance(value, Collection):
        return not isinstance(value, str | bytes) and all(_fits(one, inner[0]) for one in value)
    return True


def _words(kind: Any) -> str:
    """Return the name of a type in a sentence."""
    inner = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_words, inner))
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, inner))
    if kind is NoneType:
        return "None"
    return f"a list of {_words(inner[0])}" if len(inner) == 1 else getattr(kind, "__name__", str(kind))
