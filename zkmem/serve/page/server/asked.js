// What early.js and the page share, which are bundled apart: the requests of early.js.

/** @typedef {{ answers: Map<string, Promise<Response | null>>, isPageThere: boolean }} Asked */

const shared = /** @type {{ zkmemAsked?: Asked }} */ (globalThis);

/** The answers on their way, by address; and whether the page asks by itself by now. */
export const asked = (shared.zkmemAsked ??= { answers: new Map(), isPageThere: false });
