"""Check requests to the API against its description, which is also published.

The paths, the parameters and the bodies are in `openapi.json`, the answers in `answers.json`.
"""

import functools
import importlib.resources
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from zkmem.errors import BadArgument, BadBody
from zkmem.names import check_text

_MOST_QUOTED = 200  # characters of a value, or of what is wrong with it, in an error
_FAILURES = ("401", "403", "421", "422", "429", "500", "503")  # statuses that any request can get
_FAILURES_OF_BODIES = ("400", "408", "413", "415")  # statuses that only a request with a body can get
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?(e-?\d{1,2})?", re.IGNORECASE)


class Operation(NamedTuple):
    """One method at one path: the schemas of its query parameters and, if it takes a body, of the body."""

    id: str
    query: Mapping[str, Mapping[str, Any]]
    body: Draft202012Validator | None
    writes: bool

    def arguments(self, query: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Return the arguments in a query, with the defaults of the others."""
        arguments = {name: schema["default"] for name, schema in self.query.items() if "default" in schema}
        seen = set()
        for name, text in query:
            if name not in self.query:
                names = ", ".join(self.query) or "none"
                raise BadArgument(f"There is no parameter {name[:_MOST_QUOTED]!r} here; the parameters are: {names}.")
            if name in seen:
                raise BadArgument(f"`{name}` is given twice; give it once.")
            seen.add(name)
            arguments[name] = _value(name, self.query[name], text)
        for name, schema in self.query.items():
            if schema.get("x-required") and name not in seen:
                raise BadArgument(f"`{name}` is missing; give it in the query.")
        return arguments

    def content(self, body: bytes) -> dict[str, Any]:
        """Return the values in the body of a request."""
        try:
            values = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadBody(f"The body is not JSON ({str(error)[:_MOST_QUOTED]}).") from None
        fault = best_match(self.body.iter_errors(values)) if self.body else None
        if fault:
            raise BadArgument(f"The body cannot be used: {_shortened(fault.message)}.")
        for name, value in values.items():
            if isinstance(value, str):
                check_text(value, name)
        return dict(values)


def _value(name: str, schema: Mapping[str, Any], text: str) -> Any:
    value: Any = text
    if schema["type"] in {"integer", "number"}:
        value = float(text) if _NUMBER.fullmatch(text) and text.isascii() else math.nan
        if math.isnan(value) or (schema["type"] == "integer" and not value.is_integer()):
            raise BadArgument(f"`{name}` must be a number ({schema['type']}), not {text[:_MOST_QUOTED]!r}.")
        value = int(value) if schema["type"] == "integer" else value
    fault = best_match(Draft202012Validator(schema).iter_errors(value))
    if fault:
        raise BadArgument(f"`{name}` cannot be used: {_shortened(fault.message)}.")
    check_text(text, name)
    return value


def _shortened(message: str) -> str:
    return message if len(message) <= _MOST_QUOTED else f"{message[:60]} ... {message[60 - _MOST_QUOTED :]}"


@functools.cache
def description() -> dict[str, Any]:
    """Return the OpenAPI description, parsed once. Do not change it."""
    document = _parsed("openapi.json")
    components = document["components"]
    components["schemas"] |= _parsed("answers.json")
    for response in components["responses"].values():
        response["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path in document["paths"].values():
        for method in path.keys() - {"parameters"}:
            failures = _FAILURES + (_FAILURES_OF_BODIES if "requestBody" in path[method] else ())
            path[method]["responses"] |= {one: {"$ref": f"#/components/responses/{one}"} for one in failures}
    return document


def _parsed(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(importlib.resources.files(__package__).joinpath(name).read_text("utf-8"))
    return parsed


def operations() -> dict[str, dict[str, Operation]]:
    """Return every operation, by path and by method."""
    return {
        path: {
            method.upper(): _operation(one, writes=one.get("x-writes", method != "get"))
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
