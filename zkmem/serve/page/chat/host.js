// A view and its host, the chat around it, speak in JSON-RPC by messages between windows (MCP Apps, SEP-1865).

/**
 * @typedef {{ theme?: string, styles?: { variables?: Record<string, string | undefined> } }} Context how the host looks
 * @typedef {{ content?: { type: string, text?: string }[], isError?: boolean, _meta?: Record<string, any> }} Result
 * @typedef {{ method?: string, id?: number | string, params?: any, result?: any, error?: { message: string } }} Message
 */

const VERSION = '2026-01-26';
const SHOWN = 'zkmem/view'; // where the answer of a tool has what the view shows

/** @type {Map<number | string, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
const waiting = new Map();
let last = 0;
let takesContext = false; // whether the host lets the view tell the model something

const send = (/** @type {Message} */ message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

/**
 * @param {string} method
 * @param {object} params
 * @returns {Promise<any>}
 */
function ask(method, params) {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/**
 * Speak with the host from now on.
 * @param {string} name of the view
 * @param {(result: Result) => void} onResult gets the answer of the tool whose view this is
 */
export async function connect(name, onResult) {
  window.addEventListener('message', ({ source, data }) => {
    if (source === window.parent && data?.jsonrpc === '2.0') receive(data, onResult);
  });
  const appInfo = { name: `zkmem ${name}`, version: '1' };
  const answer = await ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: VERSION });
  takesContext = Boolean(answer.hostCapabilities?.updateModelContext);
  lookLike(answer.hostContext);
  send({ method: 'ui/notifications/initialized', params: {} });
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    send({ method: 'ui/notifications/size-changed', params: { height } });
  }).observe(document.documentElement);
}

/**
 * @param {Message} message
 * @param {(result: Result) => void} onResult
 */
function receive({ method, id, params, result, error }, onResult) {
  if (method === 'ui/notifications/tool-result') onResult(params);
  else if (method === 'ui/notifications/host-context-changed') lookLike(params);
  else if (method && id !== undefined) {
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    send(isKnown ? { id, result: {} } : /** @type {any} */ ({ id, error: { code: -32601, message: 'unknown' } }));
  } else if (!method && id !== undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }
}

/** Take the host's colours and letters. */
function lookLike(/** @type {Context | undefined} */ context) {
  const { dataset, style } = document.documentElement;
  if (context?.theme) dataset.theme = context.theme;
  for (const [key, value] of Object.entries(context?.styles?.variables ?? {})) if (value) style.setProperty(key, value);
}

/** Return what the answer of a tool has for the view; null if the host has kept that to itself. */
export const shownIn = (/** @type {Result} */ result) => result._meta?.[SHOWN] ?? null;

/** Return the text of a tool's answer. */
export const textOf = (/** @type {Result} */ { content = [] }) => content.map(({ text }) => text ?? '').join('\n');

/**
 * Call a tool of zkmem; return what its answer has for the view.
 * @param {string} name
 * @param {object} given its arguments
 */
export async function callTool(name, given) {
  const result = await ask('tools/call', { name, arguments: given });
  if (result.isError) throw new Error(textOf(result));
  return shownIn(result);
}

/** Tell the model what the person has done, if the host lets the view do so. */
export function tellModel(/** @type {string} */ text) {
  if (takesContext) ask('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
}
