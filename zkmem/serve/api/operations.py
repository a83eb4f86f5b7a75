"""The table of the operations of the API."""

from collections.abc import Mapping

from zkmem.serve.api.history import HISTORY
from zkmem.serve.api.lists import LISTS
from zkmem.serve.api.notes import NOTES
from zkmem.serve.api.proposed import PROPOSED
from zkmem.serve.api.request import Operation

OPERATIONS: Mapping[str, Operation] = {**LISTS, **NOTES, **HISTORY, **PROPOSED}
"""The operations by the `operationId` of the description, without `listen`, which streams."""
