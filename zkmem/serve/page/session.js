// One note while it is edited: what it is based on, what was typed, and the result of the last save. Knows no editor:
// `attach` gives it the text that is on the screen. Nothing typed is lost here: a base changes only with the text.
import { batch, signal } from './vendor/ui.js';
import { api } from './api.js';
import { draftOf, dropDraft, keepDraft } from './drafts.js';
import { writer } from './past.js';

const PAUSE = 200; // milliseconds

export class Session {
  /** `base` is `{ text, etag }` as it was read; a new note has the etag null. */
  constructor(name, base) {
    const draft = draftOf(name);
    this.name = name;
    this.base = draft?.base ?? base;
    this.start = draft?.text ?? this.base.text;
    this.restored = Boolean(draft);
    this.read = () => this.start;
    this.write = (/** @type {string} */ _) => {};
    this.dirty = signal(this.restored);
    this.busy = signal(false);
    this.trouble = signal(null); // the error of the last save
    this.unsaveable = signal(false); // the browser takes no more: a reload would lose what is typed
    this.outcome = signal(null); // what the last save did: `{ outcome, merged, remarks }`
    this.news = signal(null); // 'changed', 'gone' or 'taken over' by somebody meanwhile
    this.author = signal('somebody else'); // who wrote what is in the file, in words
    this.conflict = signal(draft?.merge ?? null); // `{ theirs: { text, etag }, text, conflicts }`, by the server
  }

  attach({ read, write }) {
    Object.assign(this, { read, write });
  }

  /** After each change on the screen: it is kept as soon as the typing pauses, and when the page is left. */
  typed() {
    this.dirty.value = this.read() !== this.base.text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE);
  }

  /** The base has changed, or the text by itself. */
  settle() {
    this.typed();
    this.keep();
  }

  keep() {
    clearTimeout(this.timer);
    const { text: merged, ...conflict } = this.conflict.value ?? {};
    const merge = merged === undefined ? undefined : { ...conflict, text: this.merged ?? merged };
    if (!this.dirty.value && !merge) return dropDraft(this.name);
    this.unsaveable.value = !keepDraft(this.name, { text: this.read(), base: this.base, merge });
  }

  discard() {
    clearTimeout(this.timer);
    dropDraft(this.name);
    this.dirty.value = false;
  }

  /** Save what is on the screen; what was saved, or null. */
  async save() {
    if (this.busy.value) return null;
    batch(() => {
      this.busy.value = true;
      this.trouble.value = this.outcome.value = null;
    });
    const sent = this.read();
    try {
      const edited = await api.save(this.name, sent, this.base.etag);
      await this.saved(sent, edited);
      return edited;
    } catch (error) {
      await this.refused(error, sent);
      return null;
    } finally {
      this.busy.value = false;
    }
  }

  async saved(sent, edited) {
    const now = await api.note(edited.name).catch(() => null);
    if (now?.etag === edited.etag) await this.adopt(now, sent);
    else if (!edited.merged.length) this.base = { text: sent, etag: edited.etag };
    // else: the text here stands on the old base, and is merged with the next save again
    dropDraft(this.name); // it may have another name now
    this.name = edited.name;
    batch(() => {
      this.news.value = null;
      this.outcome.value = edited;
    });
    this.settle();
  }

  /** Take over the text that is in the file now, with what was typed since it was sent, unless the two conflict. */
  async adopt({ text, etag }, sent) {
    const merged = await this.propose(sent, text).catch(() => null);
    if (!merged || merged.conflicts.length) return; // the text stands on the old base: the next save merges it
    this.base = { text, etag };
    if (merged.text !== this.read()) this.write(merged.text);
  }

  /** What is on the screen with the changes that lead from `base` to `theirs`; asked again if it changes meanwhile. */
  async propose(base, theirs) {
    for (;;) {
      const mine = this.read();
      if (theirs === base) return { text: mine, conflicts: [] };
      if (mine === base) return { text: theirs, conflicts: [] };
      const proposal = await api.post('merge', { base, mine, theirs });
      if (this.read() === mine) return proposal;
    }
  }

  async refused(error, sent) {
    try {
      if (error.status !== 412) throw error;
      await this.compare({ ...error.data, sent });
    } catch (trouble) {
      this.trouble.value = trouble;
    }
  }

  /**
   * Put what is in the file now beside what was typed; a refused save has brought a proposal for what was sent.
   * @param {{ etag?: string, proposal?: { text: string, conflicts: object[] }, sent?: string }} refusal
   */
  async compare({ etag, proposal, sent } = {}) {
    const theirs = await this.current();
    if (!theirs) {
      this.base = { text: '', etag: null };
      this.news.value = 'gone';
    } else if (theirs.text === this.read()) {
      this.base = theirs; // an answer to an earlier save that did not arrive
      batch(() => {
        this.news.value = null;
        this.outcome.value = { merged: [], remarks: [], relinked: [] };
      });
    } else {
      const fits = proposal && etag === theirs.etag && sent === this.read();
      const { text, conflicts } = fits ? proposal : await this.propose(this.base.text, theirs.text);
      this.merged = null;
      this.conflict.value = { theirs, text, conflicts };
    }
    this.settle();
  }

  async current() {
    try {
      const { text, etag } = await api.note(this.name);
      return { text, etag };
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** What is changed in the comparison is kept as well. */
  merging(text) {
    this.merged = text;
    this.typed();
  }

  /** Go on with this text, in the knowledge of theirs. */
  async resolve(text) {
    this.base = this.conflict.value.theirs;
    batch(() => {
      this.conflict.value = this.news.value = null;
    });
    this.write(text);
    this.settle();
    return this.save();
  }

  /** Back to the text as it was typed. */
  putOff() {
    this.conflict.value = null;
    this.news.value = 'changed';
    this.settle();
  }

  /** After an edit of one's own that was made elsewhere on the page. */
  async refresh() {
    const now = await this.current();
    if (now && !this.dirty.value) this.takeOver(now);
    this.news.value = null;
  }

  takeOver(now) {
    this.base = now;
    this.write(now.text);
    this.settle();
  }

  /** Somebody has changed these notes; with null, perhaps any. */
  async react(names) {
    if ((names && !names.includes(this.name)) || this.busy.value || this.conflict.value) return;
    const now = await this.current().catch(() => undefined); // no answer is told when it is saved
    if (now === undefined || this.busy.value || this.conflict.value || now?.etag === this.base.etag) return;
    if (now) writer(this.name, now.text).then((who) => (this.author.value = who));
    if (this.dirty.value || !now) {
      this.news.value = now ? 'changed' : 'gone';
      return;
    }
    this.takeOver(now);
    this.news.value = 'taken over';
  }
}
