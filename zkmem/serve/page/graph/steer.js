// The camera, by buttons and keys.

const STEP = 0.15; // of what is seen
const FACTOR = 1.6;

/** `shown()` is the picture, or null before there is one. */
export function steering(shown) {
  const camera = () => shown().renderer.getCamera();

  /** See `factor` times as much; 0 for all of the graph. */
  function zoom(factor) {
    if (!shown()) return;
    if (factor) shown().go({ ratio: camera().getBoundedRatio(camera().ratio * factor) });
    else shown().go({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  const shift = (right, up) => () => {
    const { x, y, ratio } = camera().getState();
    shown().go({ x: x + right * STEP * ratio, y: y + up * STEP * ratio });
  };
  const keys = {
    ArrowLeft: shift(-1, 0),
    ArrowRight: shift(1, 0),
    ArrowUp: shift(0, 1),
    ArrowDown: shift(0, -1),
    '+': () => zoom(1 / FACTOR),
    '-': () => zoom(FACTOR),
    0: () => zoom(0),
  };

  function onKey(event) {
    if (!shown() || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  return { zoom, onKey };
}
