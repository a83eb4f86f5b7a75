// Buttons and keys that move the camera.
import { picture } from '../state.js';

const STEP = 0.15; // of what is seen
const FACTOR = 1.6;

/** Show `factor` times as much of the graph; with 0, the whole graph. */
export function zoom(/** @type {number} */ factor) {
  const camera = picture.value?.renderer.getCamera();
  if (camera && factor) picture.value?.go({ ratio: camera.getBoundedRatio(camera.ratio * factor) });
  else picture.value?.go({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
}

function shift(/** @type {number} */ right, /** @type {number} */ up) {
  const camera = picture.value?.renderer.getCamera();
  if (!camera) return;
  const { x, y, ratio } = camera.getState();
  picture.value?.go({ x: x + right * STEP * ratio, y: y + up * STEP * ratio });
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => shift(-1, 0),
  ArrowRight: () => shift(1, 0),
  ArrowUp: () => shift(0, 1),
  ArrowDown: () => shift(0, -1),
  '+': () => zoom(1 / FACTOR),
  '-': () => zoom(FACTOR),
  0: () => zoom(0),
};

/** Move the camera by a key. */
export function steer(/** @type {KeyboardEvent} */ event) {
  if (!picture.value || !KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}
