"""Answer the hooks of clients over HTTP, so that their processes need neither open the vault nor import much."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from zkmem.caller import Grant
from zkmem.errors import ZkError
from zkmem.hooks.answers import Parts
from zkmem.hooks.servers import PATH
from zkmem.memory import Memory
from zkmem.serve.access.gate import HOOK
from zkmem.serve.turns import WorkerThreads


def hook_route(memory: Memory, parts: Parts, threads: WorkerThreads) -> Route:
    """Return the route that answers hooks. The gate has checked the request."""

    def answer(query: Mapping[str, str], data: bytes) -> bytes:
        folder, toolsets = query.get("folder", "").strip("/"), query.get("toolsets")
        allowed = memory.restricted(Grant(folder)) if folder else memory
        own = parts.of_entry(toolsets.split(",") if toolsets else (), read_only="read_only" in query)
        return allowed.answer_hook(query.get("event", ""), query.get("client", ""), data, own)

    async def respond(request: Request) -> Response:
        try:
            body = await threads.of(writes=False).run(HOOK, answer, request.query_params, await request.body())
        except (ZkError, OSError) as error:  # the hook answers by itself then
            return Response(str(error), getattr(error, "http_status", 500), media_type="text/plain")
        return Response(body, media_type="application/json")

    return Route(PATH, respond, methods=["POST"])
