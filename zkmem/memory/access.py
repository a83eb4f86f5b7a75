"""What all methods of a memory use: its engine, its caller, and the rights of that caller."""

import inspect
import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar, Unpack

from zkmem.caller import Caller
from zkmem.edit.done import Done
from zkmem.edit.plan import Plan, View
from zkmem.edit.preview import Preview
from zkmem.engine import Engine, Options
from zkmem.errors import Closed
from zkmem.index.session import Freshness
from zkmem.index.sync import Index
from zkmem.memory.checked import check, checked
from zkmem.rights import Rights
from zkmem.util.spelling import told_apart

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_MOST_WARNED = 10  # notes of one edit whose texts are looked at
_ENDS = {"stop", "close"}  # methods that may be called when the memory is closed


class Access:
    """The engine of a vault, as one caller may use it."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Let each public method first check that the memory is open, and the types of its arguments."""
        super().__init_subclass__(**options)
        for name, one in list(vars(cls).items()):
            if inspect.isfunction(one) and not name.startswith("_") and name not in _ENDS:
                setattr(cls, name, checked(one))

    def __init__(
        self, vault: str | os.PathLike[str] | Engine, caller: Caller = Caller(), **options: Unpack[Options]
    ) -> None:
        """Open a vault with the options of an `Engine`, or let a caller use an engine that is open.

        Raises:
            NoVault: when the vault is not a folder. BadArgument: when an argument has a wrong type.
        """
        if not isinstance(vault, Engine):
            check({"vault": str | os.PathLike, **Options.__annotations__}, {"vault": vault, **options})
            vault = Engine(vault, **options)
        proposer = caller.grant.proposes_as
        self._engine = vault.proposing(proposer) if proposer else vault
        self._caller = caller
        self._rights = Rights(self._engine, caller.grant, caller.tools)
        self.max_chars, self.git = self._engine.max_chars, self._engine.git

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
        planner: Callable[[View], Plan],
        answer: Callable[[Done], _T],
        freshness: Freshness = Freshness.EDITS,
        *,
        tool: str = "",
        client: str = "",
    ) -> _T:
        """Make an edit if the caller may do so, commit it, and return the result that `answer` makes of it."""
        engine, caller, rights = self._engine, self._caller, self._rights
        rights.check_edit()
        with rights.errors():
            done = engine.apply(rights.planner(planner), caller.author(tool, client), freshness, caller.progress)
            if caller.on_edit and done.edit:
                caller.on_edit(done.edit)
            if trouble := engine.commit(done.edit):
                done.remarks.append(rights.trouble(trouble))
            done = self._warned(done._replace(has=rights.has))
            with engine.session.hold():
                return answer(done)

    def _warned(self, done: Done) -> Done:
        """Add warnings about the texts that an edit has written, once it is durable and the vault is free again."""
        steps = done.plan.texts()[:_MOST_WARNED]
        if not steps:
            return done
        rights, session = self._rights, self._engine.session
        try:
            from zkmem.recall.alike import alike  # noqa: PLC0415 - only an edit needs them
            from zkmem.recall.outdated import Outdated, outdated, sentences  # noqa: PLC0415
            from zkmem.recall.warned import Written, warnings  # noqa: PLC0415

            written = [Written(step.path, done.view.before(step), step.data) for step in steps]
            found, still = warnings(written), list[Outdated]()
            if len(written) == 1 and steps[0].base is not None:
                still = outdated(*written[0], rights.search, session, rights.read, rights.has)
                found += sentences(still)
            elif len(written) == 1:
                like = alike(steps[0].path, steps[0].data, rights.search, session, rights.read)
                found += [f"like: {told_apart([like])[0]}"] if like else []
        except Exception:  # noqa: BLE001 - the edit is made: its answer must not look like a refusal
            _log.exception("no warnings about an edit")
            return done
        return done._replace(warnings=found, outdated=[one._asdict() for one in still])

    def _preview(self, planner: Callable[[View], Plan], freshness: Freshness = Freshness.EDITS) -> Preview:
        with self._rights.errors():
            return self._engine.editor.preview(self._rights.planner(planner), freshness)
