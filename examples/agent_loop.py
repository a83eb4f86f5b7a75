"""Give a model the tools of zkmem in a loop of your own, here with an OpenAI-compatible API.

OPENAI_API_KEY=... python examples/agent_loop.py VAULT MODEL "What tea does Ann like?"
"""

import json
import sys
from typing import Any

import openai

from zkmem import Memory
from zkmem.errors import ZkError
from zkmem.toolsets.table import chosen

TOOLSET = chosen(["zettel"])


def definitions() -> list[dict[str, Any]]:
    """Return the tools as the API takes them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in TOOLSET.tools
    ]


def call(memory: Memory, name: str, arguments: str) -> str:
    """Run a tool, and return its answer for the model; a refusal is an answer, too."""
    tools = {tool.name: tool for tool in TOOLSET.tools}
    try:
        return "\n".join(tools[name].call(memory, json.loads(arguments)).texts)
    except (ZkError, KeyError, ValueError) as error:
        return f"Error: {error}"


def answer(memory: Memory, client: openai.OpenAI, model: str, question: str) -> str:
    """Let the model use the tools until it has an answer."""
    messages: list[Any] = [{"role": "system", "content": TOOLSET.guide}, {"role": "user", "content": question}]
    tools: Any = definitions()
    while True:
        message = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message)
        for one in message.tool_calls:
            if one.type == "function":
                text = call(memory, one.function.name, one.function.arguments)
                messages.append({"role": "tool", "tool_call_id": one.id, "content": text})


if __name__ == "__main__":
    with Memory(sys.argv[1]) as notes:
        notes.start()  # to notice edits by other programs
        print(answer(notes.on_behalf(client="agent"), openai.OpenAI(), sys.argv[2], sys.argv[3]))
