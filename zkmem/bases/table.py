"""The answer to a query over the notes: a table, or a page of it."""

from typing import Any, NamedTuple

from zkmem.util.spelling import number_of


class Group(NamedTuple):
    """The rows with one value of the property that a table is grouped by."""

    value: str
    size: int  # of the rows in all, not only of those that are in the table


class Summary(NamedTuple):
    """One value for all rows of a column."""

    column: str  # its key; a column that the table does not show can have a summary, too
    title: str  # of the column
    name: str  # such as "Average"
    value: str


class Row(NamedTuple):
    """A row of a table."""

    note: str  # its name
    path: str
    cells: list[str]
    types: list[str]  # of the cells, such as "number": see `values.type_of`
    group: str  # "" in a table without groups


class Table(NamedTuple):
    """The answer to a query, or a page of it."""

    columns: list[str]  # the titles, without that of the note's name
    keys: list[str]  # of the columns: properties and expressions
    rows: list[Row]
    groups: list[Group]
    summaries: list[Summary]
    first: int  # the number of the first row, from 0
    total: int  # rows in all
    remarks: list[str]  # on values that have the wrong type, and the like
    title: str = "note"  # of the column with the names of the notes

    @staticmethod
    def is_editable(key: str) -> bool:
        """Return whether the column with this key has the values of a property, which can be set."""
        from zkmem.bases.base_file import property_of  # noqa: PLC0415 - slow to import, seldom needed

        return property_of(key) is not None

    @property
    def next(self) -> int | None:
        """The number of the row with which the next page begins; None if there is none."""
        end = self.first + len(self.rows)
        return end if self.rows and end < self.total else None

    def text(self, go_on: str = "cursor=") -> str:
        """Return the table as text: how many rows there are, the names of the columns, a line for each row.

        `go_on`: what stands before the number of the next row, for a reader who wants more.
        """
        return "\n".join([self.head(go_on), *self.titles(), *self.lines(), *self.remarks])

    def titles(self) -> list[str]:
        """Return the line with the names of the columns; none if the table has no row."""
        return [" | ".join(map(_escaped, [self.title, *self.columns]))] if self.rows else []

    def lines(self) -> list[str]:
        """Return a line for each row, one above each group of rows, and at the end one for each summary."""
        lines: list[str] = []
        sizes = {group.value: group.size for group in self.groups}
        shown: str | None = None
        for row in self.rows:
            if self.groups and row.group != shown:
                shown = row.group
                lines.append(f"## {shown or '(empty)'} ({sizes[shown]})")
            lines.append(" | ".join(map(_escaped, [row.note, *row.cells])))
        return [*lines, *(f"{one.name} of {one.title}: {one.value}" for one in self.summaries)]

    def head(self, go_on: str = "cursor=") -> str:
        """Return a line that says how many rows there are, and where the next page begins. `go_on`: as for `text`."""
        if len(self.rows) == self.total:
            return number_of(self.total, "note") if self.total else "No note matches."
        if not self.rows:
            return f"The table ends before row {self.first}; it has {number_of(self.total, 'row')}."
        more = f"; more with {go_on}{self.next}" if self.next is not None else ""
        return f"{self.first + 1} to {self.first + len(self.rows)} of {number_of(self.total, 'note')}{more}"

    def data(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        rows = [{"note": row.note, "cells": row.cells, "group": row.group} for row in self.rows]
        for row in rows if not self.groups else ():
            del row["group"]
        groups = [group._asdict() for group in self.groups]
        return {
            "title": self.title,
            "columns": self.columns,
            "rows": rows,
            "groups": groups,
            "summaries": [summary._asdict() for summary in self.summaries],
            "total": self.total,
            "next": self.next,
            "remarks": self.remarks,
        }


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
