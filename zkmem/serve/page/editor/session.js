// One note while it is edited: what it is based on, what was typed, and the result of the last save. It knows no
// editor: `attach` gives it the text on the screen. The base changes only with the text, so nothing typed is lost.
import { batch, signal } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ApiError, statusOf } from '../server/error.js';
import { draftOf, dropDraft, keepDraft } from './drafts.js';
import { authorOf } from '../history/past.js';

/**
 * @import { Edited, Proposal } from '../messages.d.ts'
 * @import { Conflict, Version } from './drafts.js'
 * @typedef {Pick<Edited, 'merged' | 'remarks' | 'relinked' | 'outdated'>} Saved
 * @typedef {'changed' | 'gone' | 'taken over'} RemoteChange
 * @typedef {{ read: () => string, write: (text: string) => void }} Screen
 * @typedef {{ name: string, which: string, share: number }} Storing `which`: such as "2 of 3"; `share`: from 0 to 1
 */

const PAUSE = 200; // milliseconds

export class Session {
  /**
   * `base` is the note as it was read; the etag of a new note is null.
   * @param {string} name
   * @param {Version} base
   */
  constructor(name, base) {
    const draft = draftOf(name);
    this.name = name;
    this.base = draft?.base ?? base;
    this.start = draft?.text ?? this.base.text;
    this.restored = Boolean(draft);
    /** @type {Screen} */
    this.screen = { read: () => this.start, write: () => {} };
    this.dirty = signal(this.restored);
    this.busy = signal(false);
    this.saveError = signal(/** @type {Error | null} */ (null));
    this.unsaveable = signal(false); // the browser has no room for the draft: a reload would lose what is typed
    this.lastSave = signal(/** @type {Saved | null} */ (null));
    this.remoteChange = signal(/** @type {RemoteChange | null} */ (null)); // what others did to the note since
    this.author = signal('somebody else'); // who did that, in words
    this.conflict = signal(/** @type {Conflict | null} */ (draft?.merge ?? null)); // the server proposed its text
    this.merge = /** @type {string | null} */ (null); // that text, after the person changed it
    /** The files that the person has added and that no saved text links to so far, by their paths. */
    this.attached = draft?.attached ?? [];
    /** Files that wait for the editor, which links them at the end of the text. */
    this.waiting = /** @type {File[]} */ ([]);
    this.storing = signal(/** @type {Storing | null} */ (null)); // the file that is being stored
    this.timer = 0;
    this.saving = Promise.resolve(false); // the last save, and whether it was made
  }

  /** Use the text of this screen from now on. */
  attach(/** @type {Screen} */ screen) {
    this.screen = screen;
  }

  read() {
    return this.screen.read();
  }

  /** Keep what is on the screen as soon as the typing pauses; call it after each change. */
  typed() {
    this.dirty.value = this.read() !== this.base.text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE);
  }

  /** Keep what is on the screen now, after the base or the text was replaced. */
  replaced() {
    this.typed();
    this.keep();
  }

  keep() {
    clearTimeout(this.timer);
    const { attached } = this;
    const conflict = this.conflict.value;
    const merge = conflict ? { ...conflict, text: this.merge ?? conflict.text } : undefined;
    if (!this.dirty.value && !merge) return dropDraft(this.name);
    this.unsaveable.value = !keepDraft(this.name, { text: this.read(), base: this.base, merge, attached });
  }

  discard() {
    clearTimeout(this.timer);
    dropDraft(this.name);
    this.dirty.value = false;
  }

  /** Take back the added files that nothing links to, unless the text with their links is kept as a draft. */
  async takeBack() {
    const paths = this.attached;
    if (this.dirty.value || !paths.length) return;
    this.attached = [];
    await api.detach(paths);
  }

  /** Save what is on the screen, or wait for the save that has begun. Return whether it was saved. */
  save() {
    if (!this.busy.value) this.saving = this.saveNow();
    return this.saving;
  }

  async saveNow() {
    batch(() => {
      this.busy.value = true;
      this.saveError.value = this.lastSave.value = null;
    });
    const sent = this.read();
    try {
      await this.saved(sent, await api.save(this.name, sent, this.base.etag));
      return true;
    } catch (error) {
      await this.refused(error, sent);
      return false;
    } finally {
      this.busy.value = false;
    }
  }

  async saved(/** @type {string} */ sent, /** @type {Edited} */ edited) {
    const now = await api.note(edited.name).catch(() => null);
    if (now?.etag === edited.etag) await this.adopt(now, sent);
    else if (!edited.merged.length) this.base = { text: sent, etag: edited.etag };
    // else: the text here has the old base, and the next save merges it again
    this.attached = this.attached.filter((path) => !sent.includes(path.replace(/\.md$/, '')));
    dropDraft(this.name); // it may have another name now
    this.name = edited.name;
    batch(() => {
      this.remoteChange.value = null;
      this.lastSave.value = edited;
    });
    this.replaced();
  }

  /** Take over the text of the file, with what was typed since `sent` was sent, unless the two conflict. */
  async adopt(/** @type {Version} */ { text, etag }, /** @type {string} */ sent) {
    const merged = await this.propose(sent, text).catch(() => null);
    if (!merged || merged.conflicts.length) return; // the text keeps the old base: the next save merges it
    this.base = { text, etag };
    if (merged.text !== this.read()) this.screen.write(merged.text);
  }

  /**
   * Return what is on the screen with the changes that lead from `base` to `theirs`. If the text on the screen changes
   * during the request, ask again.
   * @param {string} base
   * @param {string} theirs
   * @returns {Promise<Proposal>}
   */
  async propose(base, theirs) {
    for (;;) {
      const mine = this.read();
      if (theirs === base) return { text: mine, conflicts: [] };
      if (mine === base) return { text: theirs, conflicts: [] };
      const proposal = await api.merge({ base, mine, theirs });
      if (this.read() === mine) return proposal;
    }
  }

  async refused(/** @type {unknown} */ error, /** @type {string} */ sent) {
    try {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      await this.compare({ ...error.data, sent });
    } catch (failure) {
      this.saveError.value = /** @type {Error} */ (failure);
    }
  }

  /**
   * Show the text of the file beside what was typed. A refused save has brought a proposal for what was sent.
   * @param {{ etag?: string | null, proposal?: Proposal, sent?: string }} refusal
   */
  async compare({ etag, proposal, sent } = {}) {
    const theirs = await this.current();
    if (!theirs) {
      this.base = { text: '', etag: null };
      this.remoteChange.value = 'gone';
    } else if (theirs.text === this.read()) {
      this.base = theirs; // an earlier save was made, but its response was lost
      batch(() => {
        this.remoteChange.value = null;
        this.lastSave.value = { merged: [], remarks: [], relinked: [], outdated: [] };
      });
    } else {
      const fits = etag === theirs.etag && sent === this.read();
      const { text, conflicts } = (fits && proposal) || (await this.propose(this.base.text, theirs.text));
      this.merge = null;
      this.conflict.value = { theirs, text, conflicts };
    }
    this.replaced();
  }

  /**
   * Return the text and the etag of the file; null if there is none.
   * @returns {Promise<Version | null>}
   */
  async current() {
    try {
      const { text, etag } = await api.note(this.name);
      return { text, etag };
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  /** Keep the text of the comparison, too; call it after each change of it. */
  merging(/** @type {string} */ text) {
    this.merge = text;
    this.typed();
  }

  /** End the conflict with this text, and save it over theirs. */
  async resolve(/** @type {string} */ text) {
    this.base = this.conflict.value?.theirs ?? this.base;
    batch(() => {
      this.conflict.value = this.remoteChange.value = null;
    });
    this.screen.write(text);
    this.replaced();
    return this.save();
  }

  /** Go back to the text as it was typed. */
  postpone() {
    this.conflict.value = null;
    this.remoteChange.value = 'changed';
    this.replaced();
  }

  /** Read the note again, after an edit that the person made elsewhere on the page. */
  async refresh() {
    const now = await this.current();
    if (now && !this.dirty.value) this.takeOver(now);
    this.remoteChange.value = null;
  }

  takeOver(/** @type {Version} */ now) {
    this.base = now;
    this.screen.write(now.text);
    this.replaced();
  }

  /** Look what others did, after they changed these notes; null if any note may have changed. */
  async checkForChanges(/** @type {string[] | null} */ names) {
    const engaged = () => this.busy.value || this.conflict.value;
    if ((names && !names.includes(this.name)) || engaged()) return;
    const now = await this.current().catch(() => undefined); // a failure is shown when the person saves
    if (now === undefined || engaged() || now?.etag === this.base.etag) return;
    if (now) authorOf(this.name, now.text).then((who) => (this.author.value = who));
    if (this.dirty.value || !now) {
      this.remoteChange.value = now ? 'changed' : 'gone';
      return;
    }
    this.takeOver(now);
    this.remoteChange.value = 'taken over';
  }
}
