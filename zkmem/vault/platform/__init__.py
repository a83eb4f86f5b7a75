"""The operating system: all that differs between Linux, macOS and Windows is in this package, and nowhere else.

`current` is the system that this process runs on. `interface` says what each system answers, `posix` has what Linux and
macOS share, and `windows` makes its calls through the thin methods of `win32`.

A module uses it as `platform.current.opened(...)`, and never keeps a method: a test can put another system in its
place.
"""

import sys

from zkmem.vault.platform.interface import ASIDE, DiskEntry, Linked, Platform, Unsupported, Watch

__all__ = ["ASIDE", "DiskEntry", "Linked", "Platform", "Unsupported", "Watch", "current"]


current: Platform
"""The system that this process runs on; only its own modules are imported."""

if sys.platform == "win32":
    from zkmem.vault.platform.win32 import Win32
    from zkmem.vault.platform.windows import Windows

    current = Windows(Win32())
elif sys.platform == "darwin":
    from zkmem.vault.platform.macos import MacOS

    current = MacOS()
elif sys.platform == "linux":
    from zkmem.vault.platform.linux import Linux

    current = Linux()
else:
    from zkmem.vault.platform.posix import Posix

    current = Posix()
