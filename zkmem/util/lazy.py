"""Import a module when it is first used: one that takes long to import, and that most commands and starts do not need.

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
        """Import nothing yet."""
        self._module = name

    def __getattr__(self, name: str) -> Any:
        """Return the value of a name in the module, and keep it, so that this is called once for each name."""
        value = getattr(importlib.import_module(self._module), name)
        setattr(self, name, value)
        return value
