// The HTTP API, with the token of this session. Every failure is an ApiError.

const TOKEN = 'zkmem-token';
let askForToken = null; // asks the person for a token; set by the shell

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

/**
 * Set what asks the person for a token. `ask({ refused, interrupt })` resolves when a token is set, and rejects when
 * the person gives up; without `interrupt` it must not take the focus of one who types.
 */
export function onUnauthorized(ask) {
  askForToken = ask;
}

/**
 * Send a request; after a 401, ask for a token and send it again. Returns the response, or throws an ApiError.
 * `interrupt` says whether the question for a token may take the focus of one who types. It may for an edit, which the
 * person asked for. It may not for a read, which the page may make by itself.
 * @param {string} path
 * @param {{ method?: string, params?: object, headers?: object, body?: string, signal?: AbortSignal,
 *   interrupt?: boolean }} options
 */
export async function request(path, options = {}) {
  const { method = 'GET', params, headers = {}, body, signal, interrupt = method !== 'GET' } = options;
  const url = `api/${path}${query(params)}`;
  for (;;) {
    const used = token();
    const sent = { ...headers, ...(used && { Authorization: `Bearer ${used}` }) };
    const response = await fetched(url, { method, headers: sent, body, signal, cache: 'no-store' });
    if (response.ok || response.status === 304) return response;
    const error = await failure(response);
    if (response.status !== 401 || !askForToken) throw error;
    if (token() === used) await askForToken({ refused: used !== null, interrupt });
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
  /** What an edit would change; it is asked for while the person types the edit. */
  preview: (path, body) => send('POST', path, { ...body, preview: true }, {}, { interrupt: false }),
  remove: (name, etag) => json(request(`notes/${encodeName(name)}`, { method: 'DELETE', headers: match(etag) })),
  blob: async (path) => (await request(`files/${encodeName(path)}`)).blob(),
};

/** A name or path as it stands in an address: each part encoded, the slashes kept. */
export const encodeName = (name) => name.split('/').map(encodeURIComponent).join('/');

const match = (etag) => ({ 'If-Match': `"${etag}"` });

const json = async (response) => (await response).json();

function send(method, path, body, headers = {}, options = {}) {
  const sent = { 'Content-Type': 'application/json', ...headers };
  return json(request(path, { method, headers: sent, body: JSON.stringify(body), ...options }));
}

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
