// What early.js and the page share, which are bundled apart: the requests of early.js.

/**
 * `answers` are on their way, by address, with this token; the page asks by itself once it is there.
 * @typedef {{ answers: Map<string, Promise<Response | null>>, token: string | null, isPageThere: boolean }} Asked
 */

const shared = /** @type {{ zkmemAsked?: Asked }} */ (globalThis);

export const asked = (shared.zkmemAsked ??= { answers: new Map(), token: null, isPageThere: false });
