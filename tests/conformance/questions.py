"""The suite's fixtures that talk with the client while they are called: questions, progress, log messages, news."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import PromptsListChanged, SubscriptionBus, ToolsListChanged
from mcp.shared.exceptions import MCPError

from tests.conformance.content import text

Context = ServerRequestContext[Any]
Answer = types.CallToolResult | types.InputRequiredResult
Run = Callable[[Context, types.CallToolRequestParams, SubscriptionBus], Awaitable[Answer]]
Requests = dict[str, types.InputRequest]

ASKING_PROMPT = types.Prompt(
    name="test_input_required_result_prompt", description="A prompt that asks for its context."
)


def _said(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[text(sentence)])


def _form(message: str, required: list[str] | None = None, **properties: object) -> types.ElicitRequestFormParams:
    schema = {"type": "object", "properties": properties, "required": required or []}
    return types.ElicitRequestFormParams(message=message, requested_schema=schema)


_TEXT = {"type": "string"}
_NAME = types.ElicitRequest(params=_form("What is your name?", ["name"], name=_TEXT))
_COLOUR = types.ElicitRequest(params=_form("Which colour?", ["color"], color=_TEXT))
_SURE = types.ElicitRequest(params=_form("Are you sure?", ["ok"], ok={"type": "boolean"}))
_CONTEXT = types.ElicitRequest(params=_form("In which context?", ["context"], context=_TEXT))
_GREETING = types.CreateMessageRequest(
    params=types.CreateMessageRequestParams(
        messages=[types.SamplingMessage(role="user", content=text("Greet me."))], max_tokens=50
    )
)
_ROOTS = types.ListRootsRequest()

_DEFAULTS = _form(
    "All kinds of defaults.",
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_TITLED = [{"const": f"value{count}", "title": f"Option {count}"} for count in (1, 2, 3)]
_VALUES = ["option1", "option2", "option3"]
_CHOICES = _form(
    "All kinds of choices.",
    untitledSingle={"type": "string", "enum": _VALUES},
    titledSingle={"type": "string", "oneOf": _TITLED},
    legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": _VALUES}},
    titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
)


def _elicits(form: types.ElicitRequestFormParams) -> Run:
    """A tool that asks the person at a client of the handshake era, in a request of its own."""

    async def run(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> types.CallToolResult:
        message = (params.arguments or {}).get("message", form.message)
        found = await ctx.session.elicit_form(message, form.requested_schema, ctx.request_id)
        return _said(f"action={found.action}, content={json.dumps(found.content)}")

    return run


def asked(
    requests: Requests, given: Mapping[str, object] | None, state: str | None = None
) -> types.InputRequiredResult | None:
    """What a client of 2026-07-28 has to send before its call goes on; nothing when it has sent it all."""
    if given and requests.keys() <= given.keys():
        return None
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def _requires(requests: Requests, *states: str) -> Run:
    """A tool that gets its answers as 2026-07-28 has it: first all but the last state, one question for each."""

    async def run(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
        told = "state-ok" if params.request_state in states else "no state"
        missing = asked(requests, params.input_responses, states[0] if states else None)
        return missing or _said(f"{told}: {', '.join(params.input_responses or {})}")

    return run


async def _in_rounds(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
    if params.request_state is None:
        return types.InputRequiredResult(input_requests={"step1": _NAME}, request_state="asked for the name")
    if params.request_state == "asked for the name":
        return types.InputRequiredResult(input_requests={"step2": _COLOUR}, request_state="asked for the colour")
    return _said("Both are known.")


async def _what_it_can(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
    known = ctx.session.client_capabilities or types.ClientCapabilities()
    requests: Requests = {}
    if known.elicitation is not None:
        requests["name"] = _NAME
    if known.sampling is not None:
        requests["greeting"] = _GREETING
    if known.roots is not None:
        requests["roots"] = _ROOTS
    return asked(requests, params.input_responses) or _said("Thank you.")


async def _needs_sampling(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
    known = ctx.session.client_capabilities
    if known is None or known.sampling is None:
        needed: dict[str, object] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs sampling.", needed)
    return _said("The client samples.")


async def _progress(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
    return _said("It is done.")


async def _log(ctx: Context, params: types.CallToolRequestParams, _: SubscriptionBus) -> Answer:
    for message in ("started", "at work", "done"):
        await ctx.session.send_log_message("info", message, related_request_id=ctx.request_id)
    return _said("It is in the log.")


async def _new_tools(ctx: Context, params: types.CallToolRequestParams, bus: SubscriptionBus) -> Answer:
    await bus.publish(ToolsListChanged())
    return _said("Told.")


async def _new_prompts(ctx: Context, params: types.CallToolRequestParams, bus: SubscriptionBus) -> Answer:
    await bus.publish(PromptsListChanged())
    return _said("Told.")


RUNS: dict[str, Run] = {
    "test_tool_with_progress": _progress,
    "test_tool_with_logging": _log,
    "test_logging_tool": _log,
    "test_elicitation": _elicits(_form("Who are you?", ["username"], username=_TEXT, email=_TEXT)),
    "test_elicitation_sep1034_defaults": _elicits(_DEFAULTS),
    "test_elicitation_sep1330_enums": _elicits(_CHOICES),
    "test_missing_capability": _needs_sampling,
    "test_streaming_elicitation": _requires({"name": _NAME}),
    "test_trigger_tool_change": _new_tools,
    "test_trigger_prompt_change": _new_prompts,
    "test_input_required_result_elicitation": _requires({"user_name": _NAME}),
    "test_input_required_result_list_roots": _requires({"client_roots": _ROOTS}),
    "test_input_required_result_request_state": _requires({"confirm": _SURE}, "unsure"),
    "test_input_required_result_tampered_state": _requires({"confirm": _SURE}, "unsure"),
    "test_input_required_result_multiple_inputs": _requires(
        {"user_name": _NAME, "greeting": _GREETING, "client_roots": _ROOTS}, "unknown"
    ),
    "test_input_required_result_multi_round": _in_rounds,
    "test_input_required_result_capabilities": _what_it_can,
}


def prompted(given: Mapping[str, object] | None) -> types.GetPromptResult | types.InputRequiredResult:
    """`ASKING_PROMPT`, or what it has to know first."""
    message = types.PromptMessage(role="user", content=text("Mind the context."))
    return asked({"user_context": _CONTEXT}, given) or types.GetPromptResult(messages=[message])
