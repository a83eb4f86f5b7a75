// The state of the page: every value that may change and that more than one call needs. Each is a signal.
// The scripts beside this one read these signals and set them; only the layout's worker keeps a state of its own.
import { signal } from './vendor/ui.js';

/**
 * @import { Action } from './shell/actions.js'
 * @import { ChangeSets, Note, Vault } from './messages.d.ts'
 * @import { LegendEntry } from './graph/colours.js'
 * @import { Style } from './graph/style.js'
 * @import { Layout } from './graph/layout.js'
 * @import { Facts } from './graph/facts.js'
 * @import { Picture } from './graph/picture.js'
 * @import { Slots } from './graph/slots.js'
 */

// The vault and its changes

/** The answer of GET /vault; null until it is there. */
export const vault = signal(/** @type {Vault | null} */ (null));

/**
 * The last event of a change: `names` of notes (null: any note may have changed), `by` which client (null: unknown),
 * and `at` in milliseconds since 1970 (0: there was no event yet).
 * @typedef {{ names: string[] | null, by: string | null, at: number }} Change
 */
export const changed = signal(/** @type {Change} */ ({ names: [], by: null, at: 0 }));

/** Whether the events of changes arrive. */
export const connection = signal(/** @type {'connecting' | 'live' | 'off'} */ ('connecting'));

/** The version of the index in the oldest answer of the server: the page may not show what has changed since. */
export const oldestVersion = signal(Infinity);

/** How many times the page may have missed changes before it was connected to the events. */
export const missedChanges = signal(0);

/** Return whether the person may write a note of this name. */
export function canWrite(/** @type {string} */ name) {
  const { can_write: may = false, folder = '' } = vault.value ?? {};
  return may && (!folder || name.startsWith(`${folder}/`));
}

/** How many edits of others the person has not seen; null until it is known. */
export const unseen = signal(/** @type {number | null} */ (null));

/** How many times the person has taken back that edits are seen. */
export const takenBack = signal(0);

/** How many changes of proposed edits the server has reported. */
export const proposals = signal(0);

/** The edits that clients have proposed and that wait for the person. */
export const proposed = signal(/** @type {ChangeSets['change_sets']} */ ([]));

/** Whether the server was asked for them. */
export const askedProposed = signal(false);

/** The present in milliseconds since 1970, to the minute: relative times follow it. */
export const now = signal(Date.now());

// Where the person is

/**
 * The moment at which a note is shown: a date, the number of an edit or a commit, '' for now. `named` is 'then' if the
 * note's name is one of that time, as in a link of that time; else the name is a present one, or one of that time if no
 * note has it now.
 * @typedef {{ at: string, named: 'then' | '' }} Then
 *
 * The view that the address names; `subpath` is the heading or block in a note.
 * @typedef {{ view: View, name: string | null, list: string | null, subpath: string } & Then} Route
 * @typedef {'note' | 'list' | 'tag' | 'history' | 'base' | 'review' | 'tidy' | 'search' | 'map' | ''} View
 */
export const route = signal(
  /** @type {Route} */ ({ view: '', name: null, list: null, subpath: '', at: '', named: '' }),
);

/** The address that is shown, and its position in the history of this tab. */
export const address = signal({ hash: '', position: 0 });

/** Asks whether to leave, while leaving would lose what was typed; else null. */
export const confirmLeave = signal(/** @type {(() => boolean | Promise<boolean>) | null} */ (null));

/** What the page shows: what the address names, the whole map, or, on a phone, the folders. */
export const tab = signal(/** @type {'panel' | 'graph' | 'folders'} */ ('panel'));

/** The note that is open and loaded. */
export const openNote = signal(/** @type {Note | null} */ (null));

/** The folders that are open in the tree. */
export const openFolders = signal(/** @type {Set<string>} */ (new Set()));

/** The names of the notes that the person pinned in this browser. */
export const pinned = signal(/** @type {string[]} */ ([]));

/** Whether the slider over the moments of a note gets the focus as soon as it is shown. */
export const sliderWanted = signal(false);

/** Takes the files that are dropped on the page; null if nothing that is shown can take them. */
export const takeFiles = signal(/** @type {((files: File[]) => void) | null} */ (null));

/** How many levels of links are expanded in a note. */
export const depth = signal(0);

// Messages and dialogs

/**
 * Short messages, the newest last; `offer` is a button that takes back what the message tells of.
 * @typedef {{ title: string, act: () => unknown }} Offer
 * @typedef {{ id: number, message: string, kind: 'info' | 'error', offer?: Offer }} Toast
 */
export const toasts = signal(/** @type {Toast[]} */ ([]));

/** How many messages there have been. */
export const toastCount = signal(0);

export const helpShown = signal(false);

// Actions

/** The actions of each part that is shown, in the order in which the parts appeared. */
export const offered = signal(/** @type {Action[][]} */ ([]));

export const paletteShown = signal(false);

/** The beginning of the name of a new note, while the person is asked for it; else null. */
export const creating = signal(/** @type {string | null} */ (null));

/** The name of a note whose editor is to open as soon as the note is shown; null for none. */
export const noteToEdit = signal(/** @type {string | null} */ (null));

/** Whether the page shows the question before it undoes the last edit. */
export const undoing = signal(/** @type {'undo' | 'redo' | null} */ (null));

/** Whether the sign-ins of the person are shown. */
export const signInsShown = signal(false);

/**
 * The question for a token, while requests wait for it. `refused` says that the server refused a token, `shown` that
 * the dialog is open.
 * @typedef {{ refused: boolean, shown: boolean, promise: Promise<void>, resolve: () => void,
 *   reject: (error: Error) => void }} TokenQuestion
 */
export const tokenQuestion = signal(/** @type {TokenQuestion | null} */ (null));

/** Whether the person has closed the question for a token without an answer. */
export const isSignInNeeded = signal(false);

/** How many tokens the person has given since the page was loaded. */
export const tokensGiven = signal(0);

// Colours

/** The colours that the person chose. */
export const theme = signal(/** @type {'auto' | 'light' | 'dark'} */ ('auto'));

/** How many times the colours of the page have changed. */
export const themeChanges = signal(0);

// What the person chose to see of the graph

/** What the colours mean; null until the graph is there, which decides. */
export const colourBy = signal(/** @type {'folder' | 'community' | null} */ (null));

/** How many names are written: 0 none, 1 few, 2 some, 3 many. */
export const labels = signal(2);

export const showMissing = signal(true);

/** The only folder that is shown; '' for all. */
export const folder = signal('');

/** The only tag, and the only client that wrote last, whose notes are shown; '' for all. */
export const tag = signal('');
export const writer = signal('');

/** Within how many days a note must have changed so as not to be faint; 0 for any time. */
export const days = signal(0);

/** Whether notes that would be faint are left out. */
export const leaveOut = signal(false);

/** The time in milliseconds since 1970 until which notes are shown; null for all. */
export const until = signal(/** @type {number | null} */ (null));

/** What the size of a node means, and how many times as large nodes are. */
export const sizeBy = signal(/** @type {'weight' | 'links'} */ ('weight'));
export const sizeScale = signal(1);

/** The notes between which a path is shown, and the nodes of this path. */
export const pathEnds = signal({ from: '', to: '' });
export const path = signal(/** @type {string[]} */ ([]));

/** The groups of the legend that are hidden. */
export const hiddenGroups = signal(/** @type {Set<LegendEntry['group']>} */ (new Set()));

/** How many links from the open note the map shows: 0 for the whole graph. */
export const around = signal(0);

// The graph

/** The names of all notes, in the order of their paths. */
export const noteNames = signal(/** @type {string[]} */ ([]));

/**
 * What the page says about the graph: counts, the folders to choose from, the legend, whether the layout runs, and the
 * folder that all notes are below.
 * @typedef {{ notes: number, links: number, missing: number, proposed: number, folders: [string, number][],
 *   entries: LegendEntry[], arranging: boolean, shared: string }} About
 */
export const about = signal(
  /** @type {About} */ ({
    notes: 0,
    links: 0,
    missing: 0,
    proposed: 0,
    folders: [],
    entries: [],
    arranging: true,
    shared: '',
  }),
);

/** The element that the graph is drawn in. */
export const stage = signal(/** @type {HTMLElement | null} */ (null));

/** The picture in that element; null until the graph is there. */
export const picture = signal(/** @type {Picture | null} */ (null));

/** The layout, while it runs. */
export const layout = signal(/** @type {Layout | null} */ (null));

/** The etag of the graph that is shown. */
export const graphEtag = signal(/** @type {string | null} */ (null));

/** The colours of the folders. */
export const folderSlots = signal(/** @type {Slots} */ ({}));

/** The times, tags and writers of notes; null until somebody asks for them. */
export const facts = signal(/** @type {Facts | null} */ (null));

/** Whether the picture shows a replay, and not the present. */
export const replaying = signal(false);

/** A note to show as soon as there is a picture. */
export const noteToShow = signal(/** @type {string | null} */ (null));

/** How nodes are drawn under the current choices. */
export const style = signal(/** @type {Style | null} */ (null));
