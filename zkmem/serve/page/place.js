// Where the page is. A server may have several vaults, each below its own path, and all of them in one origin.

/** The path of the vault, with a slash at the end. */
export const FOLDER = new URL('.', location.href).pathname;

/** Return the address of a file of the page: beside this script, or beside the bundle that has this script. */
export const fileOf = (/** @type {string} */ path) => new URL(path, import.meta.url).href;

/** The address of another vault of the server. */
export const addressOf = (/** @type {string} */ name) => new URL(`../${encodeURIComponent(name)}/`, location.href).href;
