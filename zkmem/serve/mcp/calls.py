"""Calls of clients: who calls, the memory as the caller may use it, a thread for the work, and the audit log."""

import functools
import time
from collections.abc import Callable, Container, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from zkmem.caller import by_program
from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.serve.access.audit import Audit
from zkmem.serve.access.gate import OVER_STDIO, Admitted, admitted_in
from zkmem.serve.mcp.client import ProgressReporter
from zkmem.serve.turns import WorkerThreads
from zkmem.vault.journal.log import printable_name

Context = ServerRequestContext[Any]

_T = TypeVar("_T")

_NOTIFICATION = "notifications/"
_UNKNOWN = "unknown"


def admitted_call(ctx: Context) -> Admitted:
    """Return the request of a call, as the gate has admitted it."""
    return admitted_in(ctx.request.scope) if ctx.request else OVER_STDIO


class Calls:
    """The memory of one server, and the threads in which its handlers use it."""

    def __init__(self, memory: Memory, threads: WorkerThreads, audit: Audit | None) -> None:
        """Work on `memory` in `threads`. Each edit is added to `audit`."""
        self.memory = memory
        self.threads = threads
        self.audit = audit

    def memory_of(self, ctx: Context) -> Memory:
        """Return the memory for a client; over HTTP, with the rights of the caller that the gate has identified."""
        params, progress = ctx.session.client_params, ProgressReporter(ctx.session.report_progress)
        program = f"{params.client_info.name} {params.client_info.version}".strip() if params else ""
        admitted = admitted_call(ctx)
        client = by_program(admitted.caller.name, program)
        return admitted.on_behalf(self.memory, self.audit, client, progress)

    async def run(self, ctx: Context, work: Callable[..., _T], *arguments: object, **options: object) -> _T:
        """Return the result of work that only reads, run in a thread when it is the client's turn."""
        call = functools.partial(work, *arguments, **options)
        result: _T = await self.threads.of(writes=False).run(admitted_call(ctx).turn, call)
        return result

    async def look(self, ctx: Context, work: Callable[..., _T], *arguments: object, **options: object) -> _T:
        """Return the result of `run`; what zkmem refuses is an error of the protocol."""
        try:
            return await self.run(ctx, work, *arguments, **options)
        except ZkError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error


def logging_requests(
    audit: Audit, server: Server[Any], arguments_of: Mapping[str, Mapping[str, Container[str]]]
) -> ServerMiddleware[Any]:
    """Return a middleware for a server of the SDK that adds each request to the audit log.

    `arguments_of`: the names of tools or prompts, and of the arguments of each, for the methods that call them. Only
    these names are logged: a caller may send a text of any length as a name.
    """

    async def log(ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method.startswith(_NOTIFICATION):
            return await call_next(ctx)
        began, outcome = time.monotonic(), "failed"
        try:
            result = await call_next(ctx)
            data = result if isinstance(result, Mapping) else result.model_dump(by_alias=True) if result else {}
            outcome = "refused" if data.get("isError") else "done"
        except MCPError:
            outcome = "refused"
            raise
        finally:
            is_known = ctx.method == "initialize" or server.get_request_handler(ctx.method)
            method = ctx.method if is_known else _UNKNOWN
            details = _details(ctx.params or {}, arguments_of[method]) if method in arguments_of else {}
            _add(audit, ctx, outcome, time.monotonic() - began, method=method, **details)
        return result

    return log


def _details(given: Mapping[str, Any], arguments_of: Mapping[str, Container[str]]) -> dict[str, object]:
    """Return the name of what is called, the known names of given arguments, and how many others were given."""
    name, arguments = given.get("name"), given.get("arguments")
    name = name if isinstance(name, str) and name in arguments_of else _UNKNOWN
    given_names = list(arguments) if isinstance(arguments, Mapping) else []
    names = [one for one in given_names if one in arguments_of.get(name, ())]
    unknown = len(given_names) - len(names)
    return {"name": name, "arguments": names} | ({"unknown_arguments": unknown} if unknown else {})


def _add(audit: Audit, ctx: Context, outcome: str, seconds: float, **details: object) -> None:
    admitted = admitted_call(ctx)
    params = ctx.session.client_params
    client = printable_name(f"{params.client_info.name} {params.client_info.version}") if params else ""
    caller, took = admitted.caller.name, round(1_000 * seconds)
    audit.add_event(caller, admitted.address, "request", client=client, **details, outcome=outcome, milliseconds=took)
