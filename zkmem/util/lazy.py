"""Import a slow module when it is first used, since most commands do not need it.

This is for a module that several functions of a file use; a module for one function is imported in that function.

```
if TYPE_CHECKING:
    import yaml
else:
    yaml = LazyModule("yaml")
```
"""

import importlib
from typing import Any


class LazyModule:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        """`name`: the full name of the module, which is not imported yet."""
        self._module_name = name

    def __getattr__(self, name: str) -> Any:
        """Import the module, and return its attribute `name`. It is stored here: later uses do not call this."""
        value = getattr(importlib.import_module(self._module_name), name)
        setattr(self, name, value)
        return value
