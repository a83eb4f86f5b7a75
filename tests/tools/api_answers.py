"""The schemas of the API's answers: `make docs` makes them from the classes that are sent, a test compares.

The names and types of the fields are those of the classes. `ANSWERS` says what the fields mean to a client, and what
the operations add to a class or leave out.
"""

import json
import types
import typing
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from zkmem.bases.table import Group, Summary, Table
from zkmem.edit.plan import LeftEdit
from zkmem.edit.preview import FileChange, Preview
from zkmem.hooks.sessions import Given
from zkmem.index.check import Finding
from zkmem.markdown.marked import ChangedBlock
from zkmem.past.brief import Brief, BriefLine, ClientWork, FolderCount, KindCount
from zkmem.past.earlier_texts import Moment
from zkmem.past.lines import NoteWork
from zkmem.past.review import NoteChange
from zkmem.past.sittings import Card, Review
from zkmem.past.why import SessionEdit, WrittenPassage
from zkmem.recall import property_values
from zkmem.recall.change_sets import ChangeSet, ProposedEdit, ProposedGroup
from zkmem.recall.changes import ChangedNote
from zkmem.recall.entry import EntryState
from zkmem.recall.mentions import Mentions, Passage
from zkmem.recall.outdated import Outdated
from zkmem.recall.overview import FolderRows, Opening, Overview, Subfolder, Tree
from zkmem.recall.page import NotePage, PageHeading, Sides, Target
from zkmem.recall.property_values import EditableValue, Property
from zkmem.recall.ranking import Hint, Suggestion
from zkmem.recall.replay import Replay, ReplayNode, ReplayStep
from zkmem.records import outcome
from zkmem.search.places import Alias, HeadingPlace, TagCount
from zkmem.search.search import Hit, Places
from zkmem.serve.access.signin.own import OwnPasskey, OwnSignIn
from zkmem.sync.report import SyncState
from zkmem.util import threeway
from zkmem.vault.journal.words import KINDS

FILE = Path(__file__).parents[2] / "zkmem" / "serve" / "api" / "answers.json"

Schema = dict[str, Any]

_SIMPLE: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    types.NoneType: "null",
}


class Answer(NamedTuple):
    """A schema: its name, the class that it is for, if there is one, and the types and meanings of the fields."""

    name: str
    sent: type | None
    fields: Mapping[str, Any]
    required: list[str]
    about: str
    meanings: Mapping[str, str | Schema]


def _answer(
    name: str,
    sent: type | Mapping[str, Any],
    more: Mapping[str, Any] | None = None,
    /,
    *,
    without: Collection[str] = (),
    optional: Collection[str] = (),
    about: str = "",
    **meanings: str | Schema,
) -> Answer:
    """Describe an answer: the fields of a class or of a mapping, and some `more`, with what they mean."""
    own = typing.get_type_hints(sent) if isinstance(sent, type) else sent
    fields = {key: kind for key, kind in {**own, **(more or {})}.items() if key not in without}
    if unknown := meanings.keys() - fields.keys():
        raise ValueError(f"{name} has no field {', '.join(sorted(unknown))}")
    required = [key for key in fields if key not in optional]
    return Answer(name, sent if isinstance(sent, type) else None, fields, required, about, meanings)


def _one(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _many(name: str) -> Schema:
    return {"type": "array", "items": _one(name)}


def _count(meaning: str) -> Schema:
    return {"minimum": 0, "description": meaning}


def _indices(meaning: str) -> Schema:
    return {"description": meaning, "items": {"type": "integer", "minimum": 0}}


_COUNT: Schema = {"minimum": 0}
_SECONDS = "Seconds since 1970."
_NEXT_OFFSET: Schema = {
    "minimum": 1,
    "description": "Where the next part begins, for `/parts/{name}`; null after the last one.",
}
_LEFT = "The edits of a sitting that an undo with `partial` leaves, the newest first."
_OUTCOME: Schema = {
    "enum": [*KINDS],
    "description": "What became of the note, the first in this list that applies; `relinked` if only its links were "
    "updated. Only a brief says `overwritten`: most of the words of the text are gone.",
}
_GIT = ("pull", "merge", "checkout", "rebase", "reset", "cherry-pick", "revert", "am")
_OUTSIDE: Schema = {
    "enum": ["", "hand", "away", *(f"git {command}" for command in _GIT)],
    "description": "What other program made the changes: `hand` is any program but git, `away` any program while zkmem "
    "was not running; empty if a tool made them.",
}

ANSWERS = [
    _answer(
        "Failure",
        {"kind": str, "message": str, "etag": str | None, "names": list[str], "proposal": threeway.Proposal},
        optional=("etag", "names", "proposal"),
        kind="The class of the failure, such as `UnknownNote`.",
        message="What is wrong and what to do, in one sentence.",
        etag="Only with `StaleEtag`: the etag of the current version; null if there is no note.",
        names="Only with an unknown or ambiguous name: the notes that `message` proposes.",
    ),
    _answer("Error", {"error": _one("Failure")}, about="Any failure. Nothing was changed."),
    _answer(
        "Vault",
        {
            "name": str,
            "version": str,
            "notes": int,
            "links": int,
            "can_write": bool,
            "proposes": bool,
            "folder": str,
            "token": str | None,
            "person": str | None,
            "git": bool,
            "max_chars": int | None,
            "vaults": list[str],
        },
        name="The base name of the vault's folder.",
        version="The version of zkmem.",
        notes=_COUNT,
        links=_count("Distinct links between notes, missing ones included."),
        proposes="Whether the caller's edits are proposed, and not made.",
        folder="The folder that the caller is confined to; empty for the whole vault.",
        token="The name of the caller's token.",
        person="The user who has signed in to the page with a password; null for a client and for a token.",
        git="Whether each edit is a git commit.",
        max_chars="How many characters an expansion may add.",
        vaults=(
            "The names of the server's vaults that the caller may open, at /v/NAME/; empty if the server has one "
            "vault, without a name."
        ),
    ),
    _answer(
        "SignIn",
        OwnSignIn,
        name="As in the history and in `zkmem token list`.",
        client="The name that the client has given itself.",
        place="Where the client was led back to: a host, or a program on the user's device; empty for the page.",
        folder="The folder that the client is confined to; empty for the whole vault.",
        created=_SECONDS,
        used="When it was last used, to the hour; null if it was not.",
        expires=_SECONDS,
        is_current="Whether this request was made with it.",
    ),
    _answer("SignIns", {"sign_ins": list[OwnSignIn]}, sign_ins="The oldest first."),
    _answer(
        "Passkey",
        OwnPasskey,
        name="As the person has named it.",
        created=_SECONDS,
        used="When it last signed in, in seconds since 1970; null if it has not.",
    ),
    _answer(
        "Passkeys",
        {"passkeys": list[OwnPasskey], "can_add": bool},
        passkeys="The oldest first.",
        can_add=(
            "Whether this server has passkeys at its public address: it has the extra `passkeys`, and a name, not "
            "a number."
        ),
    ),
    _answer(
        "SyncState",
        SyncState,
        time=_count("When it ended, in seconds since 1970."),
        succeeded=_count("When the last one ended that succeeded, in seconds since 1970; 0 if there was none."),
        remote="The name of the remote, or its address.",
        ahead=_count("Commits that are only here."),
        behind=_count("Commits that are only on the remote."),
        offline="Why the remote could not be reached; empty if it was.",
        trouble="Why it failed; empty if it succeeded.",
    ),
    _answer(
        "Sync", {"last": SyncState | None}, last="null if there was none, or if the caller is confined to a folder."
    ),
    _answer(
        "Graph",
        Overview,
        {"version": int},
        version=_count("A number that changes with the graph. It starts again when the server does."),
        names="The notes, in order of their paths.",
        weights="The weight of each note.",
        missing="Targets of links without a note, as written.",
        shared="The innermost folder that all notes of the caller are below; empty for the vault.",
        links=_indices("Source, target, source, target, ...: indices of `names` followed by `missing`."),
    ),
    _answer("Subfolder", Subfolder, notes=_count("The notes in it and below it.")),
    _answer(
        "FolderRows",
        FolderRows,
        path="The folder; empty for the vault.",
        notes="The first notes that are directly in it.",
        total=_count("How many folders and notes are directly in it."),
    ),
    _answer("Tree", Tree, has_bases="Whether the vault has `.base` files."),
    _answer(
        "Names",
        {"names": list[str], "total": int},
        names="Names that begin with the text, then names that contain it.",
        total=_count("How many there are in all."),
    ),
    _answer(
        "Link",
        Target,
        target="The name of the note; if there is none, the target as written.",
        name="The name of the note; null if there is none.",
    ),
    _answer(
        "Conflict",
        Sides,
        title="The title of the callout: who else wrote, and when.",
        here="The lines that stand in the note; null if it is not certain which ones the callout is about.",
        other="The lines in the callout, which another machine wrote.",
    ),
    _answer(
        "Item",
        property_values.PropertyItem,
        without=("written",),
        target="The name of a note, the path of a file, a tag, or a web address; else empty.",
        subpath="The heading or block that a link names, such as `#Heading`; else empty.",
    ),
    _answer(
        "Property",
        Property,
        EditableValue.__annotations__,
        items={"description": "The value, or the first 200 of a list.", "maxItems": 200},
        type="The type of the property, as in Obsidian: by its value, and by `.obsidian/types.json`.",
        value="The whole value; null for the type `other`, which only the text of the note can have.",
    ),
    _answer(
        "Heading",
        PageHeading,
        level={"minimum": 1, "maximum": 6},
        text="The source of the heading, without the marks; at most 200 characters.",
        subpath="The subpath that leads to the heading.",
    ),
    _answer(
        "Earlier",
        Moment,
        {"now": str | None, "remarks": list[str]},
        about="The moment of a note that was read with `at`. Other notes have no such field.",
        rev=(
            "The number of the edit, or the hash of the commit, after which the note is shown; empty for the time "
            "before the first one."
        ),
        time="When that edit or commit was made, in seconds since 1970.",
        author=(
            "Who made it: the name of a client or a person, or words for a change by another program. It may be empty."
        ),
        now="The present name of the note; null if it is gone.",
        remarks="Sentences about what is not known of that time.",
    ),
    _answer(
        "Note",
        NotePage,
        {"html": str, "conflicts": list[Sides], "headings": list[PageHeading], "earlier": Moment},
        without=("part", "declared"),
        optional=("earlier",),
        etag="The hash of the note's bytes, for If-Match.",
        text=(
            "The whole text of the note, with `\\n` line ends. For a note that is larger than the setting "
            "max_note_mb, a part of the file."
        ),
        html=(
            "The first part of the note as HTML that is safe to show: without its properties, with linked notes "
            "expanded. Without a depth, embedded notes are shown in it, up to three levels deep, 50 in all and "
            "200,000 bytes."
        ),
        next_offset=_NEXT_OFFSET,
        properties="The key of each property, and its value as text.",
        values="The properties again, in the same order, with their lists, links and tags.",
        conflicts={
            "description": "The first 100 conflicts that have a callout `[!conflict]` in the note, in order. A "
            "synchronisation of machines puts these callouts there.",
            "maxItems": 100,
        },
        characters=_count(
            "The length of the text without its properties. For a note that is larger than the setting "
            "max_note_mb, in bytes."
        ),
        links={
            "description": "The first 1,000 targets of the note's links, each once, in the order of the text.",
            "maxItems": 1000,
        },
        headings={
            "description": "The first headings of the whole note, if `html` has only its first part; else none.",
            "maxItems": 1000,
        },
        link_count=_count("How many links there are in all."),
        backlinks={
            "description": "The notes that link to it, in order of their paths: the first 1,000.",
            "maxItems": 1000,
        },
        backlink_count=_count("How many notes link to it in all."),
        left="Linked notes that were not expanded because the limit was reached.",
    ),
    _answer(
        "Part",
        {"etag": str, "html": str, "next_offset": int | None},
        etag=(
            "The hash of the note's bytes. If it differs from that of the part before, the note has changed: read "
            "it again."
        ),
        html="The part, expanded, as HTML that is safe to show.",
        next_offset=_NEXT_OFFSET,
    ),
    _answer(
        "Passage",
        Passage,
        name="The note that the sentence is in.",
        shown="The link as it is shown, or the name.",
        start=_count("The byte of the note's text, in UTF-8, where the link or the name begins."),
        etag="The version of the note that the sentence is from.",
    ),
    _answer(
        "Mentions",
        Mentions,
        backlinks="One sentence of each of the first notes that link to it.",
        mentions="Sentences of notes that do not link to it, but name it or one of its aliases.",
    ),
    _answer(
        "ConflictingLines",
        threeway.ConflictingLines,
        line={"description": "The first line of the place in `text`, counted from 1.", "minimum": 1},
        mine="Your lines, which are in `text`.",
        theirs="The lines of the others.",
    ),
    _answer(
        "Proposal",
        threeway.Proposal,
        about=(
            "A merge of two texts by lines. A `StaleEtag` error of `PUT` has one if both sides changed the same "
            "lines, or if the new note exists already."
        ),
        text="The text with the changes of both sides; where both changed the same lines, with yours.",
        conflicts="The places where both sides changed the same lines.",
    ),
    _answer(
        "Outdated",
        Outdated,
        about="A sentence of another note that still has a value which an edit has replaced.",
        passage="The sentence, as it is in the note.",
        mended="The sentence with the new value.",
    ),
    _answer(
        "Edited",
        outcome.Edited,
        {"outdated": list[Outdated]},
        outcome={"enum": ["created", "replaced", "appended", "changed", "unchanged", "moved", "merged", "restored"]},
        characters=_COUNT,
        missing="Targets of the note's links that have no note, as written.",
        missing_headings="Missing headings and blocks, `Note#Heading` or `Note#^block`, that the note links to.",
        cut_off="Headings and blocks that the edit removed, with the notes that link to them.",
        relinked="The other notes in which links were rewritten.",
        unread="Notes, and folders with a slash at the end, that cannot be read: their links were not updated.",
        merged="The changes of others that were merged into the note: lines of a diff.",
        linked="Whether another note links to this one.",
        unlinked="Notes whose last backlink the edit removed.",
        namesakes="If the edit created the note: other notes with the same last part of the name.",
        outdated="Sentences of other notes that still have what the edit has replaced.",
    ),
    _answer(
        "Deleted",
        outcome.Deleted,
        trash="The path of the file in the trash.",
        dangling="Notes with a link that is now broken.",
        repointed="Notes with a link that now means another note, with that note.",
        unlinked="Notes whose last backlink was in the deleted note.",
    ),
    _answer("Repointed", outcome.Repointed, changed="The notes that were changed."),
    _answer("Extracted", outcome.Extracted),
    _answer(
        "FileChange",
        FileChange,
        to="The new path of the file; null if it does not move.",
        diff="The changes of its text as a unified diff; empty if there are none.",
    ),
    _answer("LeftEdit", LeftEdit, edit="The number of the edit.", reason="Why it stays: a sentence."),
    _answer(
        "Preview",
        Preview,
        {"notes": _many("LineChange")},
        without=("undoes", "texts"),
        notes="For an undo or redo, what it would do to each note, of at most 20.",
        name="The note that is edited, by its name after the edit.",
        remarks="What the caller should know about the edit.",
        edits="For an undo or redo, the numbers and titles of the edits that are undone or redone.",
        left=_LEFT,
    ),
    _answer("Hint", Hint, links=_COUNT, backlinks=_COUNT),
    _answer("Hints", {"hints": list[Hint]}),
    _answer(
        "Opening",
        Opening,
        line="The beginning of its first paragraph.",
        changed="When its file last changed, in seconds since 1970.",
    ),
    _answer(
        "Home",
        {"hints": list[Opening], "recent": list[Opening], "hint": _one("HintState")},
        recent="The notes that changed last, the latest first.",
    ),
    _answer(
        "HintState",
        EntryState,
        name="The name of the note; in a folder, that of the caller.",
        exists="Whether there is one.",
        links=_count("How many links it has."),
        missing="The targets of its links that do not exist.",
        unlinked="The heaviest notes that it does not link to.",
        unopened="The notes that it links to, and that were neither changed since nor opened in the last sessions.",
        sentences="What is wrong with it; empty if nothing is.",
    ),
    _answer(
        "HintDraft",
        {"name": str, "diff": str, "proposed": bool},
        name="The name of the note.",
        diff="What the draft changes, as a unified diff; empty if that is nothing.",
        proposed="Whether it waits as a proposed edit now.",
    ),
    _answer("Suggestion", Suggestion, characters={"minimum": 1}),
    _answer("Suggestions", {"suggestions": list[Suggestion]}),
    _answer(
        "Finding",
        Finding,
        target="The target, if the finding is about a link; the same for all notes with that link. Otherwise empty.",
        choices="The notes that the link could mean.",
    ),
    _answer(
        "FindingCounts",
        {
            key: {"type": "integer", "minimum": 0}
            for key in ("missing", "ambiguous", "conflict", "other", "suggestions")
        },
    ),
    _answer(
        "Findings",
        {"findings": list[Finding], "kind": str, "total": int, "counts": _one("FindingCounts"), "complete": bool},
        optional=("kind",),
        kind="The kind in the request; for `first`, the kind that was chosen; empty for all.",
        total=_count("How many there are in all."),
        counts=(
            "How many missing notes, ambiguous links and conflicts there are, findings of all other kinds, and "
            "notes to tidy (at most 100)."
        ),
        complete="Whether these are all findings, and not only those that the index knows.",
    ),
    _answer(
        "Hit",
        Hit,
        without=("path",),
        snippet="A passage or property with words of the query, as a person reads it: in one line, without marks.",
        words="Words of the note that match, as the index has them: in lower case and without accents.",
        date="The date of the note, such as 2026-11-20.",
        date_source={
            "description": "Where the date is from; `file` is the day on which the file was changed.",
            "enum": ["property", "name", "file"],
        },
    ),
    _answer(
        "Hits",
        {"hits": list[Hit], "linked": list[str], "remarks": list[str]},
        linked="Other notes that the hits link to, the best first, without those that a link in a snippet names.",
        remarks="Sentences for the reader, for example on a filter that leaves no note.",
    ),
    _answer("Alias", Alias, text="The alias, as the note spells it.", name="The name of the note."),
    _answer(
        "HeadingPlace",
        HeadingPlace,
        text="The heading, without its marks.",
        name="The name of the note.",
        subpath="Leads to the heading: `#Heading`.",
        level={"minimum": 1, "maximum": 6},
    ),
    _answer(
        "TagCount",
        TagCount,
        tag="In lower case, without `#`.",
        notes={"description": "How many notes have it.", "minimum": 1},
    ),
    _answer(
        "Places",
        Places,
        headings="A heading whose words are in very many notes may be missing.",
        remarks="Sentences for the reader, for example that notes are not indexed yet.",
    ),
    _answer(
        "PropertiesInUse",
        {"texts": list[str]},
        texts="Names of properties, or values, of which those that most notes have come first.",
    ),
    _answer(
        "Column",
        {"key": str, "title": str, "editable": bool},
        key="The property or expression.",
        editable="Whether it is a property that `/properties` can set.",
    ),
    _answer(
        "Cell",
        {"text": str, "type": str},
        type=(
            "The type of the value: string, number, boolean, date, list, link, file, object, duration, regexp or null."
        ),
    ),
    _answer("Row", {"note": str, "group": str, "cells": _many("Cell")}),
    _answer("Group", Group, size={"minimum": 1}),
    _answer(
        "Summary",
        Summary,
        column="The key of a column, which need not be in the table.",
        title="The title of the column.",
        name="The name of the summary, such as Average.",
    ),
    _answer(
        "Table",
        Table,
        {"columns": _many("Column"), "rows": _many("Row"), "next": int | None},
        without=("keys", "first"),
        title="The title of the column with the names of the notes.",
        total=_count("How many rows there are in all."),
        next="The number of the row with which the next page begins; null if there is none.",
        remarks="Sentences for the reader, for example on values of the wrong type.",
    ),
    _answer("Base", {"path": str, "views": list[str]}, views="Empty if the file cannot be read."),
    _answer("Bases", {"bases": _many("Base")}),
    _answer(
        "PropertiesSet",
        outcome.PropertiesSet,
        changed="The notes that were changed.",
        etag="The etag of the first of them; empty if there is none.",
    ),
    _answer("Move", {"from": str, "to": str}),
    _answer(
        "Edit",
        {
            "rev": str,
            "time": float,
            "client": str,
            "tool": str,
            "title": str,
            "notes": list[str],
            "moves": _many("Move"),
            "undoes": list[str],
            "outside": str,
            "version": str,
            "undone": bool,
        },
        rev="The revision to give to `revision`, `diff` and `restore`.",
        time=_SECONDS,
        client="The client that made the edit, by its name; empty if it is not known.",
        tool="The tool that made the edit, or `undo` or `redo`; empty for other edits over this API and for commits.",
        title="What the edit did, in words; for a commit by another program, its subject.",
        notes="The notes that the edit changed, with the names of that time.",
        moves="The notes that the edit renamed; none for a commit.",
        undoes="The `rev` of each edit that was undone by this one; none for a commit.",
        outside=_OUTSIDE,
        version="The version of the client; empty if it is not known.",
        undone="Whether the edit is undone now.",
    ),
    _answer("Edits", {"edits": _many("Edit")}),
    _answer(
        "Origin",
        WrittenPassage,
        {"in_words": str},
        first="The number of its first line, from 1.",
        last="The number of its last line.",
        text="Its words.",
        edit="The number of the edit that wrote it; 0 if no server saw the change; null if it is older than the log or "
        "the caller may not see it.",
        earliest="If an earlier edit may have written it, the number of the earliest; 0 if that is unknown.",
        time="When the edit was made, in seconds since 1970.",
        client="The client, by its name; empty if it is not known.",
        version="The version of the client; empty if it is not known.",
        outside=_OUTSIDE,
        did="What the edit did, as in `title` of `GET /log`.",
        note="The note in which the edit wrote it, if that is not the name of this note.",
        session="The hash of the conversation; empty if it is not known.",
        title="The beginning of the person's first message in it.",
        said="The person's last message before the edit.",
        imported="If the edit imports the conversation, the client that had it, and the date.",
        in_words="All of this as a sentence.",
    ),
    _answer("Origins", {"passages": list[WrittenPassage]}),
    _answer(
        "SessionEdit",
        SessionEdit,
        edit="The number of the edit.",
        time="When it was made, in seconds since 1970.",
        client="The client, by its name; empty if it is not known.",
        did="What it did, as in `title` of `GET /log`.",
        undone="Whether it is undone now.",
        title="The beginning of the person's first message.",
        said="The person's last message before the edit.",
    ),
    _answer("SessionEdits", {"edits": list[SessionEdit]}),
    _answer(
        "Given",
        Given,
        time=_SECONDS,
        client="The client, such as `claude-code`.",
        session="A hash of the name of its session.",
        event={"description": "When it was given.", "enum": ["session-start", "compaction", "prompt", "turn-end"]},
        notes="The names of the notes in it.",
        characters="The length of the text.",
    ),
    _answer("GivenToModels", {"given": list[Given]}),
    _answer(
        "NoteChange",
        NoteChange,
        name="Its name after the edits.",
        was="Its name before the edits; empty if it was not there.",
        outcome=_OUTCOME,
    ),
    _answer(
        "Sitting",
        Card,
        {"own": bool},
        edit="The number of the newest edit, which names the sitting.",
        client="The client that made the edits, by its name; empty if it is not known.",
        began=_SECONDS,
        ended=_SECONDS,
        edits="How many edits the sitting has.",
        version="Its version; several are separated by commas.",
        counts="What happened to how many notes in the edits that are not undone, what destroys first.",
        notes={
            "description": "What became of its newest notes, at most 20 of them; those with the outcome `relinked` "
            "come last.",
            "maxItems": 20,
        },
        more="How many other notes a program has changed that the log does not name.",
        seen="Whether this person has marked all of it as seen.",
        undone="Whether all of it is undone.",
        edits_undone="How many of its edits are undone; undos do not count.",
        synchronised="Whether it came from other machines.",
        outside=_OUTSIDE,
        own="Whether this person made the edits on the page.",
    ),
    _answer(
        "Review",
        Review,
        {"unseen": int},
        sittings="The newest first.",
        next="The `before` of the sittings that follow; null if there are none.",
        unseen="How many edits the brief tells of.",
    ),
    _answer(
        "ChangedNote",
        ChangedNote,
        {"outdated": list[Outdated], "html": str},
        without=("passages",),
        name="Its name after the edits; of another file than a note, its path.",
        is_note="Whether it is a note.",
        was="Its name before the edits; empty if it was not there.",
        outcome=_OUTCOME,
        added="How many words were added.",
        removed="How many words were removed.",
        html="The changed blocks as HTML that is safe to show, with `<ins>` and `<del>`.",
        left="How many changed blocks the HTML leaves out.",
        trouble="Why the text cannot be shown; empty if it can.",
        warnings="Sentences on what was added, such as that it looks like a key.",
        outdated="Sentences of other notes that still have what the edits have replaced.",
    ),
    _answer("Changes", {"notes": _many("ChangedNote")}),
    _answer(
        "ChangedBlock",
        ChangedBlock,
        number="Which change of the note it is; null for a change of properties.",
        under="The text of the heading above it; empty if there is none.",
        html="The changed block, between unchanged ones of the class `context`; safe to show.",
    ),
    _answer(
        "LineChange",
        ChangedNote,
        {"outdated": list[Outdated], "html": str, "passages": list[ChangedBlock]},
        about="Like a `ChangedNote`, with its passages one by one.",
    ),
    _answer("Change", {"notes": _many("LineChange"), "more": int}, more=_count("How many notes are left out.")),
    _answer(
        "BriefLine",
        BriefLine,
        note="The note, by its name after the edits; another file by its path.",
        is_note="Whether it is a note.",
        was="Its name before the edits; empty if it was not there.",
        kind=_OUTCOME,
        kinds={"items": {"enum": [*KINDS]}, "description": "All that happened to it, what destroys first."},
        words="What happened to it, in words.",
        others="The notes that the words name.",
        added="How many words were added, those of merged and extracted notes included; null if it is not known.",
        removed="How many words are gone.",
        began=_SECONDS,
        ended=_SECONDS,
        client="The client, by its name; empty if it is not known.",
        version="Its version; several are separated by commas.",
        outside=_OUTSIDE,
        first="The number of the first edit.",
        edit="The number of the last edit. With `note` and `first`, it is the address of the line.",
        edits="The numbers of the edits, the newest first; at most 100.",
        times="How many edits there are.",
        sitting="The number of the newest edit of the sitting.",
        synchronised="Whether it came from other machines.",
        viewed="Whether this person has ticked the line.",
        seen="Whether this person has seen all of its edits.",
        undone="Whether the edits are undone.",
        own="Whether this person made the edits on the page.",
    ),
    _answer(
        "Brief",
        Brief,
        {"sentence": str},
        edits="How many edits there are with a line that the person has not ticked.",
        notes="How many lines there are; `kind`, `client` and `folder` do not count.",
        more="How many other notes a program has changed that the log does not name.",
        since="When the first of them was made, in seconds since 1970; null if there is none.",
        until="When the last of them was made.",
        clients="Who made them.",
        counts="As what the lines count, what destroys first: each number is the `total` of its `kind`.",
        folders="The folders at the top of the vault with lines about their notes, the one with the most first.",
        lines="Those that were asked for.",
        total="How many lines pass the filters.",
        next="The `from` of the lines that follow; null if there are none.",
        last="The number of the newest edit; 0 if there is none.",
        older="Whether there are older edits, beyond 10,000, that were not looked at.",
        unread="Notes whose texts were not compared, so that it is not known whether they were overwritten.",
        sentence="All of it in one sentence, with local times.",
    ),
    _answer(
        "Replay",
        Replay,
        edits=_count("How many edits there are. Of more than 1,000, the steps have the last 1,000."),
        steps="In the order of the edits.",
        nodes="The notes and missing notes that the steps name. What no step names was there before, and is there now.",
    ),
    _answer(
        "ReplayStep",
        ReplayStep,
        {"own": bool},
        edit={"minimum": 1, "description": "The number of the edit; null for other edits between, or after them."},
        edits=_count("How many edits the step stands for."),
        time=_SECONDS,
        client="The client, by its name; empty if it is not known.",
        outside=_OUTSIDE,
        words="What the edit did, in words; empty for other edits.",
        new=_indices("Notes that came: indices of `nodes`."),
        gone=_indices("Notes that went."),
        changed=_indices("Notes whose texts changed; not those in which only links were updated."),
        renamed=_indices("Old, new, old, new, ..."),
        links=_indices("Links that came: source, target, source, target, ..."),
        cut=_indices("Links that went."),
        own="Whether this person made the edit on the page.",
    ),
    _answer("ReplayNode", ReplayNode, missing="Whether it is the target of links without a note."),
    _answer(
        "ClientWork",
        ClientWork,
        client="A client, by its name; empty if it is not known.",
        version="Its version; several are separated by commas.",
        outside=_OUTSIDE,
        edits="How many edits it made.",
        notes="How many lines its filter shows.",
    ),
    _answer(
        "FolderCount",
        FolderCount,
        folder="Its name; empty for notes in no folder.",
        notes="How many lines are about notes in it, or below it.",
    ),
    _answer(
        "KindCount",
        KindCount,
        kind={**_OUTCOME, "enum": [*KINDS, "viewed", "undone"]},
        notes="How many notes, or lines of a brief. There, lines that the person has ticked count as `viewed`, and "
        "those that are undone as `undone`.",
    ),
    _answer(
        "ProposedEdit",
        ProposedEdit,
        edit={"minimum": 1},
        time=_SECONDS,
        notes="What it does; at most 20 notes.",
        needs="The edits that must be accepted before it.",
        project="The project of its group; null if it is in none.",
        month="The month of its group, such as 2026-11; empty without a date, null if it is in none.",
    ),
    _answer(
        "NoteWork",
        NoteWork,
        name="The name of the note after the edits.",
        was="Its name before the edits; empty if it was not there.",
        outcome=_OUTCOME,
        words="What happens to it, in words.",
        added="How many words are added; null if its texts are not known.",
        removed="How many words are gone.",
        first="The `from` of its change in `GET /proposed/changes`.",
        notes={"description": "How many changes it has there, with those of notes extracted from it.", "minimum": 1},
    ),
    _answer(
        "ChangeSet",
        ChangeSet,
        client="Who proposes: the name of a token, or `local`; other requests name it so.",
        name="The clients that made the edits, as `Edit` and `BriefLine` name them.",
        began=_SECONDS,
        ended=_SECONDS,
        total={"description": "How many edits there are.", "minimum": 1},
        edits="The oldest first; at most 500.",
        notes="What the edits together do, in the words of a brief; at most 500 notes.",
        more=_count("How many notes are left out."),
        files="The paths of changed files that are no notes; at most 100.",
        groups="The groups of all its edits, chosen or not, if they are of imported notes.",
    ),
    _answer(
        "ProposedGroup",
        ProposedGroup,
        project="The last part of the folder of the notes.",
        month="Such as 2026-11, from the beginning of the notes' names; empty if they have no date.",
        total={"description": "How many edits there are.", "minimum": 1},
    ),
    _answer("ChangeSets", {"change_sets": list[ChangeSet]}),
    _answer(
        "BlockedEdit",
        outcome.LeftOut,
        reason="Why it cannot be accepted.",
        gone="Whether a note that it changes is gone; `as_new` then creates that note.",
        note="The name of the note whose text is all that it changes: a person can merge both versions; else empty.",
    ),
    _answer(
        "BothVersions",
        outcome.BothVersions,
        name="The name of the note now.",
        base="The text that the client has changed; empty if it made a new note.",
        mine="The text that the client proposes.",
        theirs="The text now.",
    ),
    _answer("Blocked", outcome.Blocked, unchecked=_count("How many more edits wait that were not checked.")),
    _answer(
        "Accepted",
        outcome.Accepted,
        accepted="The numbers of the edits that were made.",
        left="The edits that could not be made; they still wait.",
    ),
    _answer("Dropped", {"dropped": list[int]}),
    _answer("Done", {"done": bool}),
    _answer(
        "Marked",
        {"edits": list[list[int]]},
        edits="The edits that this person had not seen, as pairs of the first and the last number.",
    ),
    _answer("Revision", {"name": str, "rev": str, "text": str}),
    _answer("Difference", {"diff": str}, diff="The changes as a unified diff; empty if there are none."),
    _answer(
        "Undone",
        outcome.Undone,
        edits="The edits, the newest first.",
        notes="The notes that were written or removed.",
        left=_LEFT,
    ),
    _answer(
        "Attached",
        outcome.Attached,
        path="The path of the file in the vault.",
        embed="The text that shows it, `![[path]]`, or links to it, `[[path]]`, if Obsidian cannot show it.",
        remarks="Sentences for the person, for example that git could not commit.",
    ),
    _answer("Detached", {"moved": list[str]}, moved="The paths of the files that were moved to the trash."),
]


_NAMES = {one.sent: one.name for one in ANSWERS if one.sent}


def schemas() -> dict[str, Schema]:
    """Return the schema of each answer, by its name."""
    return {one.name: _object(one) for one in ANSWERS}


def _object(one: Answer) -> Schema:
    about = {"description": one.about} if one.about else {}
    properties = {key: _described(_schema(kind), one.meanings.get(key, {})) for key, kind in one.fields.items()}
    return {
        "type": "object",
        **about,
        "properties": properties,
        "required": one.required,
        "additionalProperties": False,
    }


def _described(schema: Schema, meaning: str | Schema) -> Schema:
    return schema | ({"description": meaning} if isinstance(meaning, str) else meaning)


def _schema(kind: Any) -> Schema:
    """Return the schema of the values of a type."""
    if isinstance(kind, dict):
        return kind
    if kind in _NAMES:
        return _one(_NAMES[kind])
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    if typing.get_origin(kind) is None:
        raise TypeError(f"The class {kind} is sent; it needs an entry in `ANSWERS`")
    return _composed(typing.get_origin(kind), typing.get_args(kind))


def _composed(origin: Any, parts: tuple[Any, ...]) -> Schema:
    """Return the schema of the values of a type that has others for parts."""
    if origin is typing.Literal:
        return {"enum": list(parts)}
    if origin is types.UnionType:
        simple = all(part in _SIMPLE for part in parts)
        return {"type": [_SIMPLE[part] for part in parts]} if simple else {"oneOf": [_schema(part) for part in parts]}
    if origin in {dict, Mapping}:
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    if origin is tuple and parts[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": list(map(_schema, parts)), "items": False, "minItems": len(parts)}
    return {"type": "array", "items": _schema(parts[0])}


def text() -> str:
    """Return the schemas as the file has them."""
    return json.dumps(schemas(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
