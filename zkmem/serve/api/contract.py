"""What the API takes, read from its description: `openapi.json` is both what is published and what is enforced."""

import functools
import importlib.resources
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from zkmem.edit.write import check_text
from zkmem.errors import BadArgument, BadBody

_MOST_SAID = 200  # characters of what is wrong with a value
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?(e-?\d{1,2})?", re.IGNORECASE)


class Operation(NamedTuple):
    """One method at one path: the schemas of its parameters in the query, and that of its body if it takes one."""

    id: str
    query: Mapping[str, Mapping[str, Any]]
    body: Draft202012Validator | None
    writes: bool

    def arguments(self, given: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """The arguments that a query gives, with the defaults of those that it does not.

        Raises:
            BadArgument: when one is unknown, missing, given twice, of another type or out of its range.
        """
        found = {name: schema["default"] for name, schema in self.query.items() if "default" in schema}
        seen = set()
        for name, text in given:
            if name not in self.query:
                known = ", ".join(self.query) or "none"
                raise BadArgument(f"There is no parameter {name[:_MOST_SAID]!r} here; known: {known}.")
            if name in seen:
                raise BadArgument(f"`{name}` is given twice; give it once.")
            seen.add(name)
            found[name] = _value(name, self.query[name], text)
        for name, schema in self.query.items():
            if schema.get("x-required") and name not in seen:
                raise BadArgument(f"`{name}` is missing; give it in the query.")
        return found

    def content(self, body: bytes) -> dict[str, Any]:
        """The body of a request.

        Raises:
            BadBody: when it is not JSON. BadArgument: when it is not what the operation takes.
        """
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadBody(f"The body is not JSON ({str(error)[:_MOST_SAID]}).") from None
        fault = best_match(self.body.iter_errors(found)) if self.body else None
        if fault:
            raise BadArgument(f"The body cannot be used: {_said(fault.message)}.")
        for name, value in found.items():
            if isinstance(value, str):
                check_text(value, name)
        return dict(found)


def _value(name: str, schema: Mapping[str, Any], text: str) -> Any:
    value: Any = text
    if schema["type"] in {"integer", "number"}:
        value = float(text) if _NUMBER.fullmatch(text) and text.isascii() else math.nan
        if math.isnan(value) or (schema["type"] == "integer" and not value.is_integer()):
            raise BadArgument(f"`{name}` must be a number ({schema['type']}), not {text[:_MOST_SAID]!r}.")
        value = int(value) if schema["type"] == "integer" else value
    fault = best_match(Draft202012Validator(schema).iter_errors(value))
    if fault:
        raise BadArgument(f"`{name}` cannot be used: {_said(fault.message)}.")
    check_text(text, name)
    return value


def _said(message: str) -> str:
    return message if len(message) <= _MOST_SAID else f"{message[:60]} ... {message[60 - _MOST_SAID :]}"


@functools.cache
def description() -> dict[str, Any]:
    """The OpenAPI description."""
    text = importlib.resources.files("zkmem.serve.api").joinpath("openapi.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def operations() -> dict[str, dict[str, Operation]]:
    """Every operation, by path and by method."""
    return {
        path: {
            method.upper(): _operation(one, writes=method != "get")
            for method, one in methods.items()
            if method != "parameters"
        }
        for path, methods in description()["paths"].items()
    }


def _operation(one: Mapping[str, Any], *, writes: bool) -> Operation:
    query = {
        parameter["name"]: parameter["schema"] | ({"x-required": True} if parameter.get("required") else {})
        for parameter in one.get("parameters", ())
        if parameter.get("in") == "query"
    }
    body = None
    if "requestBody" in one:
        schema = one["requestBody"]["content"]["application/json"]["schema"]
        body = Draft202012Validator({**schema, "components": description()["components"]})
    return Operation(one["operationId"], query, body, writes)
