// A helper that works for the page: a worker, or a frame with a process of its own. It is asked for one thing after the
// other, and ended when it takes too long. The next question starts a new one.

/**
 * `port` takes a question and sends the answer.
 * @typedef {{ port: MessagePort | Worker, end: () => void }} Helper
 */

const SLOWEST_START_MS = 30_000; // over a slow network

/**
 * Return a function that asks the helper. It answers null if that takes longer than `slowest` milliseconds, or if the
 * signal ends the question.
 * @template Question, Answer
 * @param {() => Promise<Helper>} start
 * @param {number} slowest
 * @returns {(question: Question, signal: AbortSignal) => Promise<Answer | null>}
 */
export function asker(start, slowest) {
  let helper = /** @type {Promise<Helper> | null} */ (null);
  let last = /** @type {Promise<unknown>} */ (Promise.resolve());
  const ask = async (/** @type {Question} */ question, /** @type {AbortSignal} */ signal) => {
    helper ??= start();
    const { port, end } = await helper.catch((error) => {
      helper = null; // the next question tries it again
      throw error;
    });
    if (signal.aborted) return null;
    const answer = await answerOf(port, question, slowest, signal);
    if (answer === null) {
      end();
      helper = null;
    }
    return answer;
  };
  return (question, signal) => {
    const answer = last.then(() => (signal.aborted ? null : ask(question, signal)));
    last = answer.catch(() => null);
    return answer;
  };
}

/**
 * @param {Helper['port']} port
 * @param {unknown} question
 * @param {number} slowest
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
function answerOf(port, question, slowest, signal) {
  return new Promise((resolve) => {
    const finish = (/** @type {unknown} */ answer) => {
      clearTimeout(timer);
      port.onmessage = null; // it would keep what was asked, and so the text that it was asked for
      signal.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    const giveUp = () => finish(null);
    const timer = setTimeout(giveUp, slowest);
    signal.addEventListener('abort', giveUp);
    port.onmessage = ({ data }) => finish(data);
    port.postMessage(question);
  });
}

/** Wait for the first message of a helper, which it sends when it has started. */
export function ready(/** @type {Helper['port']} */ port) {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('a script of the page does not start.'));
    const timer = setTimeout(fail, SLOWEST_START_MS);
    port.onmessage = (message) => (clearTimeout(timer), resolve(message));
    if (port instanceof Worker) port.onerror = () => reject(new Error('a script of the page could not be loaded.'));
  });
}
