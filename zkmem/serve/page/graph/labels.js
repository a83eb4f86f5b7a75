// How names are written into the picture.

/** Writes names beside their nodes, with a halo, none over another. `clear()` is called before each picture. */
export function labelDrawer(colours) {
  let taken = [];
  const draw = (context, data, settings) => {
    if (!data.label || data.highlighted) return; // what is lit is written on top
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const left = data.x + data.size + 3;
    const area = { left, right: left + context.measureText(data.label).width, y: data.y };
    if (taken.some((other) => crosses(other, area, settings.labelSize + 2))) return;
    taken.push(area);
    write(context, data, data.label, settings, colours());
  };
  return { draw, clear: () => (taken = []) };
}

const crosses = (one, other, height) =>
  Math.abs(one.y - other.y) < height && one.left < other.right && other.left < one.right;

/** The node that one points at, or has open: its whole name in a box. Neighbours: as others, unless there are many. */
export const hoverDrawer = (colours, isBoxed, fewLit) => (context, data, settings) => {
  if (isBoxed(data.key)) box(context, data, settings, colours());
  else if (fewLit() && data.label) write(context, data, data.label, settings, colours());
};

function write(context, { x, y, size }, text, { labelFont, labelSize, labelWeight }, { label, halo }) {
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = halo;
  context.strokeText(text, x + size + 4, y + labelSize / 3);
  context.fillStyle = label;
  context.fillText(text, x + size + 4, y + labelSize / 3);
}

/** To the right of the node; to the left, where the picture ends. */
function box(
  context,
  { x, y, size, label, whole = label },
  { labelFont, labelSize },
  { label: ink, box: paper, accent },
) {
  context.font = `600 ${labelSize}px ${labelFont}`;
  const width = context.measureText(whole).width;
  const left = x + size + width + 20 > context.canvas.clientWidth && x > context.canvas.clientWidth / 2;
  const height = Math.max(labelSize + 10, 2 * size + 6);
  context.beginPath();
  context.roundRect(
    left ? x - size - width - 14 : x - size - 3,
    y - height / 2,
    2 * size + width + 17,
    height,
    height / 2,
  );
  context.fillStyle = paper;
  context.shadowColor = 'rgba(0, 0, 0, 0.3)';
  context.shadowBlur = 8;
  context.fill();
  context.shadowBlur = 0;
  context.strokeStyle = accent;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = ink;
  context.fillText(whole, left ? x - size - width - 5 : x + size + 5, y + labelSize / 3);
}
