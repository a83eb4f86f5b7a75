// One hue for each client, everywhere on the page: it depends on the client's name alone, so it never changes.

/**
 * Return the hue of a client: degrees on the colour wheel. A client with a token has the hue of the token's name, with
 * which its own name begins ("bot: claude"), because its proposed edits have that name alone ("bot").
 */
export function hueOf(/** @type {string} */ client) {
  let hash = 0;
  for (const char of tokenOf(client)) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return (((hash * 137) % 360) + 360) % 360;
}

const tokenOf = (/** @type {string} */ client) => client.split(': ', 1)[0];
