"""One vault, as one caller may use it; and, for type checkers alone, what the methods of `Memory` return."""

from typing import TYPE_CHECKING

from zkmem.memory.memory import Memory as Memory
from zkmem.recall.entry import FIRST_HINT as FIRST_HINT

if TYPE_CHECKING:  # to import all of these takes long
    from zkmem.edit.preview import Preview as Preview
    from zkmem.index.check import Finding as Finding
    from zkmem.index.copies import SyncCopy as SyncCopy
    from zkmem.past.brief import Brief as Brief
    from zkmem.past.brief import BriefLine as BriefLine
    from zkmem.past.revisions import Revision as Revision
    from zkmem.past.why import WrittenPassage as WrittenPassage
    from zkmem.recall.change_sets import ChangeSet as ChangeSet
    from zkmem.recall.change_sets import ProposedEdit as ProposedEdit
    from zkmem.recall.change_sets import ProposedGroup as ProposedGroup
    from zkmem.recall.changes import ChangedNote as ChangedNote
    from zkmem.recall.page import NotePage as NotePage
    from zkmem.recall.property_values import Property as Property
    from zkmem.search.search import Hit as Hit
