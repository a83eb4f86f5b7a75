// The messages of the HTTP API. Made from its description by `python -m tests.tools.page_types`.

export type NewText = { content: string };

export type ResolveRequest = { name: string; number: number; other: boolean; etag: string };

export type LinkRequest = { name: string; passage: string; start: number; to: string; etag: string };

export type RepointRequest = { names: string[]; target: string; to: string };

export type MergeRequest = { base: string; mine: string; theirs: string; keep_both?: boolean };

export type RenameRequest = { name: string; new_name: string; preview?: boolean };

export type ExtractRequest = { name: string; content: string; new_name: string; preview?: boolean };

export type PropertiesRequest = { names: string[]; properties?: Record<string, string | number | boolean | (string | number | boolean)[] | null>; renames?: Record<string, string>; etag?: string };

export type ChosenRequest = { client: string; edits?: number[]; project?: string; month?: string; seen?: number };

export type AcceptRequest = { client: string; edits?: number[]; project?: string; month?: string; as_new?: boolean; text?: string; etag?: string; seen?: number };

export type SeenRequest = { edit: number; earlier?: boolean };

export type UnseenRequest = { edits: number[][] };

export type ViewedRequest = { lines: { note: string; edit: number; first?: number }[]; viewed: boolean };

export type RestoreRequest = { name: string; rev: string };

export type UndoRequest = { count?: number; edit?: number; sitting?: boolean; session?: string; partial?: boolean; note?: string; first?: number; passage?: number; preview?: boolean };

export type RedoRequest = { count?: number; edit?: number; preview?: boolean };

export type HintRequest = { preview?: boolean };

export type AttachRequest = { note: string; title?: string; data: string };

export type DetachRequest = { paths: string[] };

export type Failure = { kind: string; message: string; etag?: string | null; names?: string[]; proposal?: Proposal };

export type Error = { error: Failure };

export type Vault = { name: string; version: string; notes: number; links: number; can_write: boolean; proposes: boolean; folder: string; token: string | null; person: string | null; git: boolean; max_chars: number | null; vaults: string[] };

export type SignIn = { name: string; client: string; place: string; folder: string; read_only: boolean; created: number; used: number | null; expires: number; is_current: boolean };

export type SignIns = { sign_ins: SignIn[] };

export type Passkey = { id: string; name: string; created: number; used: number | null };

export type Passkeys = { passkeys: Passkey[]; can_add: boolean };

export type SyncState = { time: number; succeeded: number; remote: string; branch: string; ahead: number; behind: number; offline: string; trouble: string };

export type Sync = { last: SyncState | null };

export type Graph = { names: string[]; weights: number[]; missing: string[]; links: number[]; shared: string; version: number };

export type Subfolder = { path: string; notes: number };

export type FolderRows = { path: string; folders: Subfolder[]; notes: string[]; total: number };

export type Tree = { folders: FolderRows[]; has_bases: boolean };

export type Names = { names: string[]; total: number };

export type Link = { target: string; name: string | null };

export type Conflict = { title: string; here: string | null; other: string };

export type Item = { text: string; kind: "text" | "note" | "missing" | "file" | "gone" | "tag" | "address"; target: string; subpath: string };

export type Property = { key: string; is_list: boolean; items: Item[]; type: "text" | "number" | "checkbox" | "date" | "datetime" | "list" | "tags" | "aliases" | "other"; value: string | number | boolean | (string | number | boolean)[] | null };

export type Heading = { level: number; text: string; subpath: string };

export type Earlier = { rev: string; time: number; author: string; now: string | null; remarks: string[] };

export type Note = { name: string; etag: string; text: string; properties: [string, string][]; values: Property[]; characters: number; weight: number; links: Link[]; link_count: number; backlinks: string[]; backlink_count: number; left: string[]; next_offset: number | null; html: string; conflicts: Conflict[]; headings: Heading[]; earlier?: Earlier };

export type Part = { etag: string; html: string; next_offset: number | null };

export type Passage = { name: string; before: string; shown: string; after: string; start: number; etag: string };

export type Mentions = { backlinks: Passage[]; mentions: Passage[]; remarks: string[] };

export type ConflictingLines = { line: number; mine: string[]; theirs: string[] };

export type Proposal = { text: string; conflicts: ConflictingLines[] };

export type Outdated = { note: string; passage: string; mended: string; old: string; new: string };

export type Edited = { name: string; outcome: "created" | "replaced" | "appended" | "changed" | "unchanged" | "moved" | "merged" | "restored"; etag: string; characters: number; missing: string[]; missing_headings: string[]; cut_off: Record<string, string[]>; relinked: string[]; unread: string[]; merged: string[]; linked: boolean; unlinked: string[]; namesakes: string[]; remarks: string[]; outdated: Outdated[] };

export type Deleted = { name: string; trash: string; dangling: string[]; repointed: Record<string, string>; unlinked: string[]; remarks: string[] };

export type Repointed = { changed: string[]; remarks: string[] };

export type Extracted = { note: Edited; source: Edited };

export type FileChange = { path: string; to: string | null; diff: string };

export type LeftEdit = { edit: number; reason: string };

export type Preview = { outcome: string; changes: FileChange[]; remarks: string[]; edits: string[]; left: LeftEdit[]; name: string; notes: LineChange[] };

export type Hint = { name: string; weight: number; links: number; backlinks: number };

export type Hints = { hints: Hint[] };

export type Opening = { name: string; line: string; changed: number };

export type Home = { hints: Opening[]; recent: Opening[]; hint: HintState };

export type HintState = { name: string; exists: boolean; links: number; missing: string[]; unlinked: string[]; unopened: string[]; sentences: string[] };

export type HintDraft = { name: string; diff: string; proposed: boolean };

export type Suggestion = { name: string; value: number; weight: number; characters: number };

export type Suggestions = { suggestions: Suggestion[] };

export type Finding = { kind: string; note: string; detail: string; target: string; choices: string[] };

export type FindingCounts = { missing: number; ambiguous: number; conflict: number; other: number; suggestions: number };

export type Findings = { findings: Finding[]; kind?: string; total: number; counts: FindingCounts; complete: boolean };

export type Hit = { name: string; score: number; snippet: string; words: string[]; date: string; date_source: "property" | "name" | "file" };

export type Hits = { hits: Hit[]; linked: string[]; remarks: string[] };

export type Alias = { text: string; name: string };

export type HeadingPlace = { text: string; name: string; subpath: string; level: number };

export type TagCount = { tag: string; notes: number };

export type Places = { aliases: Alias[]; headings: HeadingPlace[]; tags: TagCount[]; remarks: string[] };

export type PropertiesInUse = { texts: string[] };

export type Column = { key: string; title: string; editable: boolean };

export type Cell = { text: string; type: string };

export type Row = { note: string; group: string; cells: Cell[] };

export type Group = { value: string; size: number };

export type Summary = { column: string; title: string; name: string; value: string };

export type Table = { columns: Column[]; rows: Row[]; groups: Group[]; summaries: Summary[]; total: number; remarks: string[]; title: string; next: number | null };

export type Base = { path: string; views: string[] };

export type Bases = { bases: Base[] };

export type PropertiesSet = { changed: string[]; etag: string; remarks: string[] };

export type Move = { from: string; to: string };

export type Edit = { rev: string; time: number; client: string; tool: string; title: string; notes: string[]; moves: Move[]; undoes: string[]; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; version: string; undone: boolean };

export type Edits = { edits: Edit[] };

export type Origin = { first: number; last: number; text: string; edit: number | null; earliest: number | null; time: number | null; client: string; version: string; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; did: string; note: string; session: string; title: string; said: string; imported: string; in_words: string };

export type Origins = { passages: Origin[] };

export type SessionEdit = { edit: number; time: number; client: string; did: string; undone: boolean; title: string; said: string };

export type SessionEdits = { edits: SessionEdit[] };

export type Given = { time: number; client: string; session: string; event: "session-start" | "compaction" | "prompt" | "turn-end"; notes: string[]; characters: number };

export type GivenToModels = { given: Given[] };

export type NoteChange = { name: string; was: string; outcome: "deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked" };

export type Sitting = { edit: number; client: string; version: string; began: number; ended: number; edits: number; counts: KindCount[]; notes: NoteChange[]; more: number; seen: boolean; undone: boolean; edits_undone: number; synchronised: boolean; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; own: boolean };

export type Review = { sittings: Sitting[]; next: number | null; unseen: number };

export type ChangedNote = { name: string; is_note: boolean; was: string; outcome: "deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked"; added: number; removed: number; left: number; trouble: string; warnings: string[]; outdated: Outdated[]; html: string };

export type Changes = { notes: ChangedNote[] };

export type ChangedBlock = { number: number | null; under: string; html: string };

export type LineChange = { name: string; is_note: boolean; was: string; outcome: string; added: number; removed: number; passages: ChangedBlock[]; left: number; trouble: string; warnings: string[]; outdated: Outdated[]; html: string };

export type Change = { notes: LineChange[]; more: number };

export type BriefLine = { note: string; is_note: boolean; was: string; kind: "deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked"; kinds: ("deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked")[]; words: string; others: string[]; added: number | null; removed: number | null; began: number; ended: number; client: string; version: string; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; first: number; edit: number; edits: number[]; times: number; sitting: number; synchronised: boolean; viewed: boolean; seen: boolean; undone: boolean; own: boolean };

export type Brief = { edits: number; notes: number; more: number; since: number | null; until: number | null; clients: ClientWork[]; counts: KindCount[]; folders: FolderCount[]; lines: BriefLine[]; total: number; next: number | null; last: number; older: boolean; unread: number; sentence: string };

export type Replay = { edits: number; steps: ReplayStep[]; nodes: ReplayNode[] };

export type ReplayStep = { edit: number | null; edits: number; time: number; client: string; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; words: string; new: number[]; gone: number[]; changed: number[]; renamed: number[]; links: number[]; cut: number[]; own: boolean };

export type ReplayNode = { name: string; missing: boolean };

export type ClientWork = { client: string; version: string; outside: "" | "hand" | "away" | "git pull" | "git merge" | "git checkout" | "git rebase" | "git reset" | "git cherry-pick" | "git revert" | "git am"; edits: number; notes: number };

export type FolderCount = { folder: string; notes: number };

export type KindCount = { kind: "deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked" | "viewed" | "undone"; notes: number };

export type ProposedEdit = { edit: number; time: number; tool: string; client: string; version: string; title: string; notes: NoteChange[]; needs: number[]; project: string | null; month: string | null };

export type NoteWork = { name: string; was: string; outcome: "deleted" | "overwritten" | "merged" | "extracted" | "renamed" | "restored" | "created" | "changed" | "relinked"; words: string; added: number | null; removed: number | null; first: number; notes: number };

export type ChangeSet = { client: string; name: string; began: number; ended: number; total: number; edits: ProposedEdit[]; notes: NoteWork[]; more: number; files: string[]; groups: ProposedGroup[] };

export type ProposedGroup = { project: string; month: string; total: number };

export type ChangeSets = { change_sets: ChangeSet[] };

export type BlockedEdit = { edit: number; reason: string; gone: boolean; note: string };

export type BothVersions = { name: string; etag: string; base: string; mine: string; theirs: string };

export type Blocked = { edits: BlockedEdit[]; unchecked: number };

export type Accepted = { accepted: number[]; left: BlockedEdit[] };

export type Dropped = { dropped: number[] };

export type Done = { done: boolean };

export type Marked = { edits: number[][] };

export type Revision = { name: string; rev: string; text: string };

export type Difference = { diff: string };

export type Undone = { edits: string[]; notes: string[]; remarks: string[]; left: LeftEdit[] };

export type Attached = { path: string; embed: string; remarks: string[] };

export type Detached = { moved: string[] };
