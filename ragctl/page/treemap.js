// Rectangles whose areas are in proportion to values, as square as possible. Pure.

function worst(row, sum, side, scale) {
  const thickness = (sum * scale) / side;
  return Math.max(...row.map((one) => {
    const length = (one.value * scale) / thickness;
    return Math.max(thickness / length, length / thickness);
  }));
}

function placeRow(row, sum, box, scale, placed) {
  const isTall = box.height > box.width;
  const side = isTall ? box.width : box.height;
  const thickness = (sum * scale) / side;
  let at = 0;
  for (const one of row) {
    const length = (one.value * scale) / thickness;
    const rectangle = isTall
      ? { x: box.x + at, y: box.y, width: length, height: thickness }
      : { x: box.x, y: box.y + at, width: thickness, height: length };
    placed.push({ ...rectangle, item: one.item });
    at += length;
  }
  return isTall
    ? { ...box, y: box.y + thickness, height: box.height - thickness }
    : { ...box, x: box.x + thickness, width: box.width - thickness };
}

// `items`: pairs of a value and anything. Returns rectangles in a box of this size, largest first.
export function treemap(items, width, height) {
  const sorted = items.filter(([value]) => value > 0).map(([value, item]) => ({ value, item }));
  sorted.sort((one, other) => other.value - one.value);
  const total = sorted.reduce((sum, one) => sum + one.value, 0);
  const scale = (width * height) / total;
  const placed = [];
  let box = { x: 0, y: 0, width, height };
  let row = [];
  let sum = 0;
  for (const one of sorted) {
    const side = Math.min(box.width, box.height);
    if (row.length && worst([...row, one], sum + one.value, side, scale) > worst(row, sum, side, scale)) {
      box = placeRow(row, sum, box, scale, placed);
      row = [];
      sum = 0;
    }
    row.push(one);
    sum += one.value;
  }
  if (row.length) placeRow(row, sum, box, scale, placed);
  return placed;
}
