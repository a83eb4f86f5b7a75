// The messages of the HTTP API. Made from api/openapi.json by `python -m tests.tools.page_types`.

export type Error = { error: { kind: string; message: string; etag?: string | null; proposal?: Proposal } };

export type Vault = { name: string; version: string; notes: number; links: number; can_write: boolean; proposes: boolean; folder: string; token: string | null; person: string | null; git: boolean; max_chars: number | null; vaults: string[] };

export type SignIns = { sign_ins: SignIn[] };

export type SignIn = { name: string; client: string; place: string; folder: string; read_only: boolean; created: number; used: number | null; expires: number; is_current: boolean };

export type Passkeys = { passkeys: Passkey[]; can_add: boolean };

export type Passkey = { id: string; name: string; created: number; used: number | null };

export type SyncState = { time: number; succeeded: number; remote: string; branch: string; ahead: number; behind: number; offline: string; trouble: string };

export type Sync = { last: SyncState | null };

export type Graph = { version: number; names: string[]; weights: number[]; missing: string[]; links: number[] };

export type Names = { names: string[]; total: number };

export type Link = { target: string; name: string | null };

export type Conflict = { title: string; here: string | null; other: string };

export type Property = { key: string; is_list: boolean; items: ({ text: string; kind: "text" | "note" | "missing" | "file" | "tag" | "address"; target: string; subpath: string })[] };

export type Note = { name: string; etag: string; text: string; html: string; next_offset: number | null; properties: [string, string][]; values: Property[]; conflicts: Conflict[]; characters: number; weight: number; links: Link[]; headings: { level: number; text: string; subpath: string }[]; link_count: number; backlinks: string[]; backlink_count: number; left: string[]; earlier?: Earlier };

export type Earlier = { rev: string; time: number; author: string; now: string | null; remarks: string[] };

export type Part = { etag: string; html: string; next_offset: number | null };

export type Passage = { name: string; before: string; shown: string; after: string; start: number; etag: string };

export type Mentions = { backlinks: Passage[]; mentions: Passage[]; remarks: string[] };

export type NewText = { content: string };

export type ResolveRequest = { name: string; number: number; other: boolean; etag: string };

export type LinkRequest = { name: string; passage: string; start: number; to: string; etag: string };

export type RepointRequest = { names: string[]; target: string; to: string };

export type Repointed = { changed: string[]; remarks: string[] };

export type MergeRequest = { base: string; mine: string; theirs: string; keep_both?: boolean };

export type Proposal = { text: string; conflicts: { line: number; mine: string[]; theirs: string[] }[] };

export type Edited = { name: string; outcome: "created" | "replaced" | "appended" | "changed" | "unchanged" | "moved" | "merged" | "restored"; etag: string; characters: number; missing: string[]; missing_headings: string[]; cut_off: Record<string, string[]>; relinked: string[]; unread: string[]; merged: string[]; linked: boolean; unlinked: string[]; namesakes: string[]; remarks: string[]; outdated: Outdated[] };

export type Outdated = { note: string; passage: string; mended: string; old: string; new: string };

export type Deleted = { name: string; trash: string; dangling: string[]; repointed: Record<string, string>; unlinked: string[]; remarks: string[] };

export type RenameRequest = { name: string; new_name: string; preview?: boolean };

export type ExtractRequest = { name: string; content: string; new_name: string; preview?: boolean };

export type Preview = { outcome: string; name: string; remarks: string[]; edits: string[]; changes: ({ path: string; to: string | null; diff: string })[]; left: { edit: number; reason: string }[] };

export type Extracted = { note: Edited; source: Edited };

export type Hints = { hints: { name: string; weight: number; links: number; backlinks: number }[] };

export type Home = { hints: Opening[]; recent: Opening[] };

export type Opening = { name: string; line: string; changed: number };

export type Suggestions = { suggestions: { name: string; value: number; weight: number; characters: number }[] };

export type Findings = { findings: { kind: string; note: string; detail: string; target: string; choices: string[] }[]; kind?: string; total: number; counts: { missing: number; ambiguous: number; conflict: number; other: number; suggestions: number } };

export type Hits = { hits: ({ name: string; score: number; snippet: string; words: string[]; date: string; date_source: "property" | "name" | "file" })[]; remarks: string[] };

export type Places = { aliases: { text: string; name: string }[]; headings: { text: string; name: string; subpath: string; level: number }[]; tags: { tag: string; notes: number }[]; remarks: string[] };

export type Table = { title: string; columns: { key: string; title: string; editable: boolean }[]; rows: { note: string; group: string; cells: { text: string; type: string }[] }[]; groups: { value: string; size: number }[]; summaries: { column: string; title: string; name: string; value: string }[]; total: number; next: number | null; remarks: string[] };

export type Bases = { bases: { path: string; views: string[] }[] };

export type PropertiesRequest = { names: string[]; properties: Record<string, string | number | boolean | (string | number | boolean)[] | null> };

export type PropertiesSet = { changed: string[]; remarks: string[] };

export type Edits = { edits: ({ rev: string; time: number; client: string; tool: string; title: string; notes: string[]; moves: { from: string; to: string }[]; undoes: string[]; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am" })[] };

export type GivenToModels = { given: ({ time: number; client: string; session: string; event: "session-start" | "compaction" | "prompt" | "turn-end"; notes: string[]; characters: number })[] };

export type Review = { sittings: ({ edit: number; client: string; began: number; ended: number; edits: number; titles: string[]; notes: ({ name: string; was: string; outcome: "created" | "changed" | "relinked" | "renamed" | "deleted" | "restored" })[]; changed: number; relinked: number; more: number; seen: boolean; undone: boolean; edits_undone: number; synchronised: boolean; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; own: boolean })[]; next: number | null; unseen: number };

export type Changes = { notes: ({ name: string; was: string; outcome: "created" | "changed" | "relinked" | "renamed" | "deleted" | "restored"; added: number; removed: number; html: string; left: number; trouble: string; warnings: string[]; outdated: Outdated[] })[] };

export type ChangeSets = { change_sets: ({ client: string; began: number; ended: number; total: number; edits: ({ edit: number; time: number; tool: string; client: string; title: string; notes: ({ name: string; was: string; outcome: "created" | "changed" | "relinked" | "renamed" | "deleted" | "restored" })[]; needs: number[] })[]; notes: ({ name: string; was: string; outcome: "created" | "changed" | "relinked" | "renamed" | "deleted" | "restored" })[]; more: number; files: string[] })[] };

export type ChosenRequest = { client: string; edits?: number[]; seen?: number };

export type AcceptRequest = { client: string; edits?: number[]; as_new?: boolean; seen?: number };

export type Blocked = { edits: { edit: number; reason: string; gone: boolean }[]; unchecked: number };

export type Accepted = { accepted: number[]; left: { edit: number; reason: string; gone: boolean }[] };

export type Dropped = { dropped: number[] };

export type SeenRequest = { edit: number; earlier?: boolean };

export type Done = { done: boolean };

export type Revision = { name: string; rev: string; text: string };

export type Difference = { diff: string };

export type RestoreRequest = { name: string; rev: string };

export type UndoRequest = { count?: number; edit?: number; sitting?: boolean; partial?: boolean; preview?: boolean };

export type RedoRequest = { count?: number; edit?: number; preview?: boolean };

export type Undone = { edits: string[]; notes: string[]; remarks: string[]; left: { edit: number; reason: string }[] };

export type AttachRequest = { note: string; title?: string; data: string };

export type Attached = { path: string; embed: string; remarks: string[] };
