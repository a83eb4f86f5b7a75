// The HTTP API, with the token of the person. Every failure is an ApiError.
import { asked } from './asked.js';
import { ApiError } from './error.js';
import { signInFromElsewhere } from '../person/sessions.js';
import { oldestVersion, tokenQuestion } from '../state.js';
import { token } from '../person/token.js';
import { isTyping } from '../common/typing.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { Filter } from '../review/brief.js'
 * @import { Then } from '../state.js'
 */

/**
 * @typedef {object} Options
 * @property {string} [method]
 * @property {Record<string, unknown>} [params] of the query; empty ones are left out
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 * @property {AbortSignal} [signal]
 * @property {boolean} [interrupt] whether the question for a token may take the focus of one who types. It may for an
 *   edit, which the person asked for. It may not for a read, which the page may make by itself.
 * @property {(share: number) => void} [onSent] gets how much of the body is sent, from 0 to 1
 */

/**
 * Send a request; after a 401, ask for a token and send it again. Return the response, or throw an ApiError.
 * @param {string} path
 * @param {Options} options
 */
export async function request(path, options = {}) {
  const { method = 'GET', params, headers = {}, body, signal, interrupt = method !== 'GET', onSent } = options;
  const url = `api/${path}${query(params)}`;
  for (;;) {
    const used = token();
    const sent = { 'Zkmem-Client': 'page', ...headers, ...(used && { Authorization: `Bearer ${used}` }) };
    const response =
      (method === 'GET' && (await takeEarly(url, used))) ||
      (await send(url, { method, headers: sent, body, signal, cache: 'no-store' }, onSent));
    if (response.status !== 401) {
      const version = Number(response.headers.get('Zkmem-Version') ?? NaN); // a caller with a folder gets none
      oldestVersion.value = Math.min(oldestVersion.peek(), version);
      if (response.ok || response.status === 304) return response;
      throw await failure(response);
    }
    if (token() !== used || (used === null && (await signInFromElsewhere()))) continue;
    await askForToken(used !== null, interrupt);
  }
}

const EARLY_MS = 10_000; // since the page was asked for; later, the answers may be old
asked.isPageThere = true;

/**
 * Return the answer to a request that early.js has sent with this token; null if there is none, or it has failed. Each
 * is taken once.
 * @param {string} url
 * @param {string | null} used
 */
async function takeEarly(url, used) {
  const isFresh = performance.now() < EARLY_MS && asked.token === used;
  const answer = isFresh ? await asked.answers.get(url) : null;
  asked.answers.delete(url);
  return answer?.ok ? answer : null;
}

/** Return whether the server accepts a token. */
export async function isAccepted(/** @type {string} */ value) {
  if (!/^[\x21-\x7e]+$/.test(value)) return false; // no token has other characters, and no header may have them
  const headers = { 'Zkmem-Client': 'page', Authorization: `Bearer ${value}` };
  const response = await send('api/vault', { headers, cache: 'no-store' });
  if (!response.ok && response.status !== 401) throw await failure(response);
  return response.ok;
}

/** Ask the person for a token: at once, or, while the person types, by a message that opens the dialog. */
function askForToken(/** @type {boolean} */ refused, /** @type {boolean} */ interrupt) {
  const question = tokenQuestion.peek() ?? { refused, shown: false, ...Promise.withResolvers() };
  tokenQuestion.value = { ...question, shown: question.shown || interrupt || !isTyping() };
  return question.promise;
}

/** @type {Then} */
const NOW = { at: '', named: '' };

export const api = {
  vault: () => /** @type {Promise<Messages.Vault>} */ (get('vault')),
  signIns: () => /** @type {Promise<Messages.SignIns>} */ (get('signins')),
  endSignIn: (/** @type {string} */ name) =>
    /** @type {Promise<Messages.Done>} */ (json(request(`signins/${encodeName(name)}`, { method: 'DELETE' }))),
  passkeys: () => /** @type {Promise<Messages.Passkeys>} */ (get('passkeys')),
  removePasskey: (/** @type {string} */ id) =>
    /** @type {Promise<Messages.Done>} */ (json(request(`passkeys/${encodeName(id)}`, { method: 'DELETE' }))),
  sync: () => /** @type {Promise<Messages.Sync>} */ (get('sync')),
  /** A note, now or as it was at a moment. */
  note: (
    /** @type {string} */ name,
    depth = 0,
    /** @type {Then} */ { at, named } = NOW,
    /** @type {AbortSignal | undefined} */ signal = undefined,
  ) => /** @type {Promise<Messages.Note>} */ (get(`notes/${encodeName(name)}`, { depth, at, named }, { signal })),
  part: (
    /** @type {string} */ name,
    /** @type {number} */ depth,
    /** @type {number} */ offset,
    /** @type {Then} */ { at, named } = NOW,
  ) => /** @type {Promise<Messages.Part>} */ (get(`parts/${encodeName(name)}`, { depth, offset, at, named })),
  /** The sentences of other notes that link to a note, or name it. */
  mentions: (/** @type {string} */ name) =>
    /** @type {Promise<Messages.Mentions>} */ (get(`mentions/${encodeName(name)}`)),
  home: (/** @type {number} */ count) => /** @type {Promise<Messages.Home>} */ (get('home', { count })),
  /** The note `hint` and what is wrong with it. */
  hint: () => /** @type {Promise<Messages.HintState>} */ (get('hint')),
  /** Propose a draft of the note `hint`. */
  proposeHint: () => /** @type {Promise<Messages.HintDraft>} */ (post('hint', {})),
  /** What is in some folders; '' stands for the vault. */
  tree: (/** @type {string[]} */ opened, /** @type {number} */ count) =>
    /** @type {Promise<Messages.Tree>} */ (get('tree', { open: JSON.stringify(opened), count })),
  /** A note and those one link away. */
  graphAround: (/** @type {string} */ around) => /** @type {Promise<Messages.Graph>} */ (get('graph', { around })),
  names: (/** @type {string} */ q, /** @type {number} */ count, /** @type {AbortSignal} */ signal) =>
    /** @type {Promise<Messages.Names>} */ (get('names', { q, count }, { signal })),
  search: (/** @type {string} */ q, /** @type {number} */ count, /** @type {AbortSignal} */ signal) =>
    /** @type {Promise<Messages.Hits>} */ (get('search', { q, count }, { signal })),
  places: (/** @type {string} */ q, /** @type {number} */ count, /** @type {AbortSignal} */ signal) =>
    /** @type {Promise<Messages.Places>} */ (get('places', { q, count }, { signal })),
  /** Names of properties that contain a text, or values of a property that begin with it. */
  inUse: (
    /** @type {string} */ q,
    /** @type {string} */ property,
    /** @type {number} */ count,
    /** @type {AbortSignal} */ signal,
  ) => /** @type {Promise<Messages.PropertiesInUse>} */ (get('properties', { q, property, count }, { signal })),
  bases: () => /** @type {Promise<Messages.Bases>} */ (get('bases')),
  table: (/** @type {{ base: string, view: string, sort: string, count: number }} */ wanted) =>
    /** @type {Promise<Messages.Table>} */ (get('table', wanted)),
  hints: (/** @type {number} */ count) => /** @type {Promise<Messages.Hints>} */ (get('hints', { count })),
  suggestions: (/** @type {number} */ count) =>
    /** @type {Promise<Messages.Suggestions>} */ (get('suggestions', { count })),
  /** With `look` 'index', only what the index knows: see `complete` of the answer. */
  findings: (/** @type {string} */ kind, /** @type {number} */ count, /** @type {'index' | 'notes'} */ look) =>
    /** @type {Promise<Messages.Findings>} */ (get('findings', { kind, count, look })),
  log: (/** @type {string | null} */ name, /** @type {number} */ count) =>
    /** @type {Promise<Messages.Edits>} */ (get('log', { name, count })),
  given: () => /** @type {Promise<Messages.GivenToModels>} */ (get('given', { count: 100 })),
  edit: (/** @type {number} */ edit) => /** @type {Promise<Messages.Edits>} */ (get('log', { edit })),
  /** What each client did; with `before`, only sittings whose newest edit has a lower number. */
  review: (/** @type {number | null} */ before, /** @type {number} */ count) =>
    /** @type {Promise<Messages.Review>} */ (get('review', { before, count })),
  /** What others did to each note since the person last looked: the notes from the one numbered `from` on. */
  brief: (/** @type {Filter} */ filter, /** @type {number} */ from, /** @type {number} */ count) =>
    /** @type {Promise<Messages.Brief>} */ (get('brief', { ...filter, from, count })),
  /** Which notes and links came and went: since the person last looked, in a sitting (its number), or since a date. */
  replay: (/** @type {string} */ which) =>
    /** @type {Promise<Messages.Replay>} */ (
      get('replay', /^\d+$/.test(which) ? { sitting: which } : { since: which === 'unseen' ? '' : which })
    ),
  /** What the edits from `first` to `edit` did to a note; without a note, what one edit did to each. */
  change: (/** @type {{ edit: number, note?: string, first?: number }} */ line) =>
    /** @type {Promise<Messages.Change>} */ (get('brief/change', line)),
  proposed: () => /** @type {Promise<Messages.ChangeSets>} */ (get('proposed')),
  /** The edits of a project that an import proposes, or of one month (which may be ''), from number `from` on. */
  proposedGroup: (/** @type {{ client: string, project: string, month?: string, from: string }} */ group) =>
    /** @type {Promise<Messages.ChangeSets>} */ (get(`proposed?${new URLSearchParams(group)}`)),
  /** What the proposed edits of a client, or one of them, would do to each note, from the note numbered `from` on. */
  proposedChanges: (
    /** @type {string} */ client,
    /** @type {number | undefined} */ edit,
    /** @type {number} */ from = 0,
    /** @type {number | undefined} */ count = undefined,
  ) => /** @type {Promise<Messages.Changes>} */ (get('proposed/changes', { client, edit, from, count })),
  /** Which proposed edits of a client cannot be accepted as the notes are now. */
  blocked: (/** @type {string} */ client) =>
    /** @type {Promise<Messages.Blocked>} */ (get('proposed/blocked', { client })),
  /** Both versions of the note that a proposed edit changes. */
  proposedVersions: (/** @type {string} */ client, /** @type {number} */ edit) =>
    /** @type {Promise<Messages.BothVersions>} */ (get('proposed/versions', { client, edit })),
  revision: (/** @type {string} */ name, /** @type {string} */ rev) =>
    /** @type {Promise<Messages.Revision>} */ (get('revision', { name, rev })),
  /** The passages of a note, each with the edit that wrote it. */
  why: (/** @type {string} */ name) => /** @type {Promise<Messages.Origins>} */ (get('why', { name })),
  /** How a note changed from one revision to another; without `to`, to the note as it is. */
  diff: (/** @type {string} */ name, /** @type {string} */ rev, /** @type {string} */ to = '') =>
    /** @type {Promise<Messages.Difference>} */ (get('diff', { name, rev, to })),
  blob: async (/** @type {string} */ path) => (await request(`files/${encodeName(path)}`)).blob(),

  /** Replace the text that has this etag; with the etag null, create the note. */
  save: (/** @type {string} */ name, /** @type {string} */ content, /** @type {string | null} */ etag) => {
    const condition = etag === null ? { 'If-None-Match': '*' } : ifMatch(etag);
    return /** @type {Promise<Messages.Edited>} */ (put(`notes/${encodeName(name)}`, { content }, condition));
  },
  remove: (/** @type {string} */ name, /** @type {string} */ etag) =>
    /** @type {Promise<Messages.Deleted>} */ (
      json(request(`notes/${encodeName(name)}`, { method: 'DELETE', headers: ifMatch(etag) }))
    ),
  attach: (/** @type {Messages.AttachRequest} */ file, /** @type {(share: number) => void} */ onSent) =>
    /** @type {Promise<Messages.Attached>} */ (post('attachments', file, { onSent })),
  /** Take back attachments to which no file links. */
  detach: (/** @type {string[]} */ paths) =>
    /** @type {Promise<Messages.Detached>} */ (post('attachments/discard', { paths })),
  merge: (/** @type {Messages.MergeRequest} */ texts) =>
    /** @type {Promise<Messages.Proposal>} */ (post('merge', texts)),
  resolve: (/** @type {Messages.ResolveRequest} */ edit) =>
    /** @type {Promise<Messages.Edited>} */ (post('resolve', edit)),
  link: (/** @type {Messages.LinkRequest} */ edit) => /** @type {Promise<Messages.Edited>} */ (post('link', edit)),
  repoint: (/** @type {Messages.RepointRequest} */ edit) =>
    /** @type {Promise<Messages.Repointed>} */ (post('repoint', edit)),
  setProperties: (/** @type {Messages.PropertiesRequest} */ edit) =>
    /** @type {Promise<Messages.PropertiesSet>} */ (post('properties', edit)),
  rename: (/** @type {Messages.RenameRequest} */ edit) =>
    /** @type {Promise<Messages.Edited>} */ (post('rename', edit)),
  extract: (/** @type {Messages.ExtractRequest} */ edit) =>
    /** @type {Promise<Messages.Extracted>} */ (post('extract', edit)),
  restore: (/** @type {Messages.RestoreRequest} */ edit) =>
    /** @type {Promise<Messages.Edited>} */ (post('restore', edit)),
  undo: (/** @type {Messages.UndoRequest} */ edits) => /** @type {Promise<Messages.Undone>} */ (post('undo', edits)),
  accept: (/** @type {Messages.AcceptRequest} */ edits) =>
    /** @type {Promise<Messages.Accepted>} */ (post('proposed/accept', edits)),
  drop: (/** @type {Messages.ChosenRequest} */ edits) =>
    /** @type {Promise<Messages.Dropped>} */ (post('proposed/drop', edits)),
  viewed: (/** @type {Messages.ViewedRequest} */ lines) =>
    /** @type {Promise<Messages.Done>} */ (post('viewed', lines)),
  markSeen: (/** @type {Messages.SeenRequest} */ edits) =>
    /** @type {Promise<Messages.Marked>} */ (post('seen', edits)),
  markUnseen: (/** @type {Messages.UnseenRequest} */ edits) =>
    /** @type {Promise<Messages.Done>} */ (post('unseen', edits)),
  redo: (/** @type {Messages.RedoRequest} */ edits) => /** @type {Promise<Messages.Undone>} */ (post('redo', edits)),
  /** What an edit would change. It is asked for while the person types the edit. */
  preview: (/** @type {string} */ path, /** @type {object} */ edit) =>
    /** @type {Promise<Messages.Preview>} */ (post(path, { ...edit, preview: true }, { interrupt: false })),
};

/** Encode a name or path for an address: each part, but not the slashes. */
export const encodeName = (/** @type {string} */ name) => name.split('/').map(encodeURIComponent).join('/');

const ifMatch = (/** @type {string} */ etag) => ({ 'If-Match': `"${etag}"` });

const json = async (/** @type {Promise<Response>} */ response) => (await response).json();

const get = (
  /** @type {string} */ path,
  /** @type {Options['params']} */ params = {},
  /** @type {Options} */ more = {},
) => json(request(path, { params, ...more }));

const JSON_TYPE = { 'Content-Type': 'application/json' };

const post = (/** @type {string} */ path, /** @type {object} */ body, /** @type {Options} */ more = {}) =>
  json(request(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body), ...more }));

const put = (/** @type {string} */ path, /** @type {object} */ body, /** @type {Record<string, string>} */ headers) =>
  json(request(path, { method: 'PUT', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }));

/** @param {Options['params']} params */
function query(params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : '';
}

/**
 * @param {string} url
 * @param {RequestInit & { headers: Record<string, string> }} options
 * @param {(share: number) => void} [onSent]
 */
async function send(url, options, onSent) {
  try {
    return await (onSent ? sendReporting(url, options, onSent) : fetch(url, options));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, { kind: 'NoAnswer', message: 'The server does not answer; is it still running?' });
  }
}

/**
 * Send a request as `fetch` does, which cannot tell how much of the body is sent.
 * @param {string} url
 * @param {RequestInit & { headers: Record<string, string> }} options
 * @param {(share: number) => void} onSent
 * @returns {Promise<Response>}
 */
const sendReporting = (url, { method = 'GET', headers, body }, onSent) =>
  new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open(method, url);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
    sending.onload = () => resolve(new Response(sending.responseText, sending));
    sending.onerror = reject;
    sending.send(/** @type {string} */ (body));
  });

async function failure(/** @type {Response} */ response) {
  const answer = await response.json().catch(() => null); // a proxy between may answer with a page of its own
  const fallback = {
    kind: 'HttpError',
    message: `The server answered ${response.status} ${response.statusText}`.trim(),
  };
  return new ApiError(response.status, answer?.error?.message ? answer.error : fallback);
}
