"""Claude's memory tool on a folder of a vault, for programs that use the package `anthropic`.

    from anthropic import Anthropic
    from zkmem.anthropic import MemoryTool

    with MemoryTool("~/notes") as memory:
        runner = Anthropic().beta.messages.tool_runner(tools=[memory], ...)

The path `/memories/x.md` is the note `memories/x.md` of the vault. See docs/memory.md.
"""

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

from anyio import to_thread

from zkmem.errors import ZkError
from zkmem.memory import Memory
from zkmem.toolsets.claude_memory import FOLDER, MemoryDirectory, execute

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import BetaCacheControlEphemeralParam
except ImportError as error:
    raise ImportError("zkmem.anthropic needs the package anthropic: pip install 'zkmem[anthropic]'") from error

_CLIENT = "memory tool"


class _Vault:
    """The vault of a tool, opened by the tool or by its caller, and the folder that the model sees."""

    def __init__(self, vault: str | os.PathLike[str] | Memory, folder: str) -> None:
        self._own = None if isinstance(vault, Memory) else Memory(os.path.expanduser(vault))
        memory = self._own.on_behalf(client=_CLIENT) if self._own else cast("Memory", vault)
        self._memories = MemoryDirectory.of(memory.on_behalf(tool="memory"), folder)
        if self._own:
            self._own.start()

    def close(self) -> None:
        """Close the vault, unless the caller has opened it."""
        if self._own:
            self._own.close()

    def run(self, command: object) -> str:
        """Run a command of the model, and return the text for it."""
        arguments = command if isinstance(command, Mapping) else cast("Any", command).to_dict(warnings=False)
        return self._answer(functools.partial(execute, self._memories, str(arguments.get("command")), arguments))

    def clear(self) -> str:
        """Move all files of the folder to the trash of the vault."""
        return self._answer(self._memories.clear)

    def _answer(self, act: Callable[[], str]) -> str:
        try:
            return act()
        except ZkError as error:
            raise ToolError(str(error)) from error


class MemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool (`memory_20250818`) on a folder of a vault. A `with` block closes the vault at its end."""

    def __init__(
        self,
        vault: str | os.PathLike[str] | Memory,
        folder: str = FOLDER,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        """Open a vault, or use one that is open; the model sees `folder` as `/memories`.

        Raises:
            NoVault: when the vault is not a folder. BadSettings: when no folder can be named like `folder`.
        """
        super().__init__(cache_control=cache_control)
        self._vault = _Vault(vault, folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the vault, unless it was open before."""
        self._vault.close()

    def _run(self, command: object) -> str:
        """Run a command of the model, and return the text for it."""
        return self._vault.run(command)

    view = create = str_replace = insert = delete = rename = _run

    def clear_all_memory(self) -> str:
        """Move all files of the folder to the trash of the vault."""
        return self._vault.clear()


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for an asynchronous client. Each command runs in a thread."""

    def __init__(
        self,
        vault: str | os.PathLike[str] | Memory,
        folder: str = FOLDER,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        """Open a vault, or use one that is open: see `MemoryTool`."""
        super().__init__(cache_control=cache_control)
        self._vault = _Vault(vault, folder)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the vault, unless it was open before."""
        await to_thread.run_sync(self._vault.close)

    async def _run(self, command: object) -> str:
        """Run a command of the model, and return the text for it."""
        return await to_thread.run_sync(self._vault.run, command)

    view = create = str_replace = insert = delete = rename = _run

    async def clear_all_memory(self) -> str:
        """Move all files of the folder to the trash of the vault."""
        return await to_thread.run_sync(self._vault.clear)
