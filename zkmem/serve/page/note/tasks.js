// Tick a task of a note: the server has written the number of its line beside the box.

const BEFORE_BOX = /^[\s>\d.)*+-]*$/;

/**
 * Return the text of a note with the box in a line ticked or not; null if the line has no box.
 * @param {string} text
 * @param {number} number
 * @param {boolean} isTicked
 */
export function withBox(text, number, isTicked) {
  const lines = text.split('\n');
  const line = lines[number] ?? '';
  const at = line.indexOf('[');
  const end = line.indexOf(']', at);
  const hasBox = at > 0 && end > at && [...line.slice(at + 1, end)].length === 1 && BEFORE_BOX.test(line.slice(0, at));
  if (!hasBox) return null;
  lines[number] = `${line.slice(0, at)}[${isTicked ? 'x' : ' '}]${line.slice(end + 1)}`;
  return lines.join('\n');
}
