// The HTTP API, with the token of this session. Every failure is an ApiError.

const TOKEN = 'zkmem-token';
let signIn = null; // asks the person for a token; set by the shell
let asking = null; // the one dialog that all refused calls wait for

export class ApiError extends Error {
  /** `status` is 0 where there was no answer; `data` is what else the server said, an etag for instance. */
  constructor(status, { kind, message, ...data }) {
    super(message);
    Object.assign(this, { name: 'ApiError', status, kind, data });
  }
}

export const token = () => sessionStorage.getItem(TOKEN);

let onToken = () => {}; // called with each new token

/** Resolves when the person gives a token, the next time. */
export const tokenGiven = () => new Promise((resolve) => (onToken = () => resolve(undefined)));

export function setToken(value) {
  if (value) sessionStorage.setItem(TOKEN, value);
  else sessionStorage.removeItem(TOKEN);
  if (value) onToken();
}

/** `ask(refused)` resolves when a token is set, or rejects when the person gives up. */
export function onUnauthorized(ask) {
  signIn = ask;
}

/**
 * Send a request; after a 401, ask for a token and send it again. Returns the response, or throws an ApiError.
 * @param {string} path
 * @param {{ method?: string, params?: object, headers?: object, body?: string, signal?: AbortSignal }} options
 */
export async function request(path, { method = 'GET', params, headers = {}, body, signal } = {}) {
  const url = `api/${path}${query(params)}`;
  for (;;) {
    const used = token();
    const sent = { ...headers, ...(used && { Authorization: `Bearer ${used}` }) };
    const response = await fetched(url, { method, headers: sent, body, signal, cache: 'no-store' });
    if (response.ok || response.status === 304) return response;
    const error = await failure(response);
    if (response.status !== 401 || !signIn) throw error;
    if (token() === used) await askOnce(used !== null);
  }
}

export const api = {
  get: (path, params = {}, options = {}) => json(request(path, { params, ...options })),
  note: (name, depth = 0) => api.get(`notes/${encodeName(name)}`, { depth }),
  part: (name, depth, offset) => api.get(`parts/${encodeName(name)}`, { depth, offset }),
  /** With an etag: replace what it names; with null: make a new note. */
  save: (name, content, etag) =>
    send('PUT', `notes/${encodeName(name)}`, { content }, etag === null ? { 'If-None-Match': '*' } : match(etag)),
  post: (path, body) => send('POST', path, body),
  remove: (name, etag) => json(request(`notes/${encodeName(name)}`, { method: 'DELETE', headers: match(etag) })),
  blob: async (path) => (await request(`files/${encodeName(path)}`)).blob(),
};

/** A name or path as it stands in an address: each part encoded, the slashes kept. */
export const encodeName = (name) => name.split('/').map(encodeURIComponent).join('/');

const match = (etag) => ({ 'If-Match': `"${etag}"` });

const json = async (response) => (await response).json();

const send = (method, path, body, headers = {}) =>
  json(
    request(path, { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  );

function query(params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? `?${new URLSearchParams(given)}` : '';
}

async function fetched(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { kind: 'NoAnswer', message: 'The server does not answer; is it still running?' });
  }
}

async function failure(response) {
  const answer = await response.json().catch(() => null); // a proxy between may answer with a page of its own
  const fallback = {
    kind: 'HttpError',
    message: `The server answered ${response.status} ${response.statusText}`.trim(),
  };
  return new ApiError(response.status, answer?.error?.message ? answer.error : fallback);
}

function askOnce(refused) {
  asking ??= signIn(refused).finally(() => (asking = null));
  return asking;
}
