"""The types of the messages of the API, for the page: `make docs` writes them from the contract, a test compares."""

import json
import pathlib
from typing import Any

from zkmem.serve.api.contract import description

FILE = pathlib.Path(__file__).parents[2] / "zkmem" / "serve" / "page" / "messages.d.ts"
_NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def declarations() -> str:
    """Return the TypeScript declarations of all schemas of the contract."""
    lines = ["// The messages of the HTTP API. Made from its description by `python -m tests.tools.page_types`."]
    for name, schema in description()["components"]["schemas"].items():
        lines += ["", f"export type {name} = {_type(schema)};"]
    return "\n".join(lines) + "\n"


def _type(schema: dict[str, Any]) -> str:
    """Return the TypeScript type of the values that a JSON schema allows."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "oneOf" in schema:
        return " | ".join(map(_type, schema["oneOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}) for one in kind)
    if kind == "array":
        return _array(schema)
    return _object(schema) if kind == "object" else _NAMES[str(kind)]


def _array(schema: dict[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    item = _type(schema["items"])
    return f"({item})[]" if " | " in item else f"{item}[]"


def _object(schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"Record<string, {_type(schema['additionalProperties'])}>"
    required = schema.get("required", [])
    parts = [f"{name}{'' if name in required else '?'}: {_type(part)}" for name, part in schema["properties"].items()]
    return "{ " + "; ".join(parts) + " }"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
