"""The suite's fixtures that answer at once: tools, prompts and resources by the names that it asks for.

What zkmem's own rows can say is such a row, so that it goes the way of every tool of zkmem; the rest is in the SDK's
types, since no tool of zkmem answers with an image or a sound.
"""

import base64
import io
import json
import struct
import wave
import zlib
from collections.abc import Mapping

import mcp_types as types

from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.model.question import Answer, Question
from zkmem.toolsets.tool import Effects, Parameter, Result, Tool
from zkmem.toolsets.toolset import Prompt, PromptArgument, Resource, Toolset

_READS = Effects(read_only=True, idempotent=True)
_TEMPLATE = ("test://template/", "/data")


def _png() -> str:
    """A red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\0\0")
    whole = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    return base64.b64encode(whole).decode()


def _wav() -> str:
    """A moment of silence."""
    with io.BytesIO() as file:
        with wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(1)
            sound.setframerate(8000)
            sound.writeframes(b"\x80" * 8)
        return base64.b64encode(file.getvalue()).decode()


def text(content: str) -> types.TextContent:
    return types.TextContent(type="text", text=content)


def _embedded(uri: str, mime_type: str, content: str) -> types.EmbeddedResource:
    inner = types.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return types.EmbeddedResource(type="resource", resource=inner)


IMAGE = types.ImageContent(type="image", data=_png(), mime_type="image/png")
_SOUND = types.AudioContent(type="audio", data=_wav(), mime_type="audio/wav")
_RESOURCE = _embedded("test://embedded-resource", "text/plain", "A resource inside of an answer.")
_MIXED = _embedded("test://mixed-content-resource", "application/json", '{"test": "data", "value": 123}')

ANSWERS: dict[str, list[types.ContentBlock]] = {
    "test_image_content": [IMAGE],
    "test_audio_content": [_SOUND],
    "test_embedded_resource": [_RESOURCE],
    "test_multiple_content_types": [text("Text, an image, a resource:"), IMAGE, _MIXED],
    "json_schema_2020_12_tool": [text("Its schema is what matters.")],
    "test_x_mcp_header": [text("Its header has been checked.")],
}
"""What tools answer that no row of zkmem can say."""

SCHEMAS: dict[str, dict[str, object]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
        "properties": {
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
}
"""The schemas of the tools that take arguments."""


def _simple(memory: Memory) -> Result:
    return Result(("A simple answer.",), {})


def _refused(memory: Memory) -> Result:
    raise ZkError("This tool refuses whatever it is asked.")


def _asked(memory: Memory, prompt: str) -> Question:
    return Question("Answer what you are asked.", prompt, {"type": "object"}, max_tokens=100)


def _asked_capital(memory: Memory) -> Question:
    return _asked(memory, "What is the capital of France?")


def _answered(memory: Memory, answer: Answer, prompt: str = "") -> Result:
    if answer.text is None:
        raise ZkError("The client has no model to ask.")
    return Result((f"The model said: {answer.text}",), {})


_PROMPT = {"prompt": Parameter("string", "What to ask the model")}

TOOLSET = Toolset(
    tools=(
        Tool("test_simple_text", "Answers with a text.", {}, _simple, _READS),
        Tool("test_error_handling", "Refuses.", {}, _refused, _READS),
        Tool("test_sampling", "Asks the client's model.", _PROMPT, _answered, _READS, question=_asked),
        Tool(
            "test_input_required_result_sampling",
            "Asks the client's model for a capital.",
            {},
            _answered,
            _READS,
            question=_asked_capital,
        ),
    ),
    prompts=(
        Prompt("test_simple_prompt", "A prompt.", (), "A simple prompt."),
        Prompt(
            "test_prompt_with_arguments",
            "A prompt of two arguments.",
            (PromptArgument("arg1", "The first"), PromptArgument("arg2", "The second")),
            "The arguments are {arg1} and {arg2}.",
        ),
    ),
    resources=tuple(
        Resource(f"test://{name}", name, name, "A text for the suite.", "text/plain", lambda memory: "A text.")
        for name in ("static-text", "watched-resource")
    ),
)
"""The fixtures that are rows of zkmem."""

PROMPTS: dict[str, types.Prompt] = {
    "test_prompt_with_embedded_resource": types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="A prompt about a resource.",
        arguments=[types.PromptArgument(name="resourceUri", description="The resource", required=True)],
    ),
    "test_prompt_with_image": types.Prompt(name="test_prompt_with_image", description="A prompt about an image."),
}
"""The prompts that no row of zkmem can say."""


def prompted(name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """One of `PROMPTS` with its arguments filled in."""
    shown: types.ContentBlock = IMAGE
    if name == "test_prompt_with_embedded_resource":
        shown = _embedded(given.get("resourceUri", ""), "text/plain", "The content of the resource.")
    blocks = (shown, text("What do you make of this?"))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=block) for block in blocks])


BINARY = types.Resource(
    uri="test://static-binary", name="static-binary", description="An image.", mime_type="image/png"
)
TEMPLATE = types.ResourceTemplate(
    uri_template="{id}".join(_TEMPLATE), name="data", description="Data by its id.", mime_type="application/json"
)


def read(uri: str) -> types.ReadResourceResult | None:
    """What `BINARY` or a resource of `TEMPLATE` holds; nothing for any other URI."""
    before, after = _TEMPLATE
    if uri == BINARY.uri:
        blob = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=IMAGE.data)
        return types.ReadResourceResult(contents=[blob])
    if uri.startswith(before) and uri.endswith(after):
        data = json.dumps({"id": uri.removeprefix(before).removesuffix(after), "templateTest": True})
        told = types.TextResourceContents(uri=uri, mime_type="application/json", text=data)
        return types.ReadResourceResult(contents=[told])
    return None
