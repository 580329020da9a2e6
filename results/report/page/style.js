// How lines look. Colour, dash and mark all differ, so that a figure can be read in black and white.
const dashes = [[], [7, 4], [2, 3], [9, 4, 2, 4], [14, 4]];
const shapes = [
  r => round(r, 20, 0), r => round(r, 4, Math.PI / 4), r => round(r, 3, -Math.PI / 2),
  r => round(r, 4, 0), r => round(r, 3, Math.PI / 2), r => round(r, 6, 0),
];
function round(r, corners, turn) {
  const size = r * (1 + 0.9 / corners);
  return Array.from({ length: corners }, (_, i) => {
    const a = turn + 2 * Math.PI * i / corners;
    return [size * Math.cos(a), size * Math.sin(a)];
  });
}
function styleOf(n) {
  const again = Math.floor(n / shapes.length) % 2 === 1;
  return {
    color: css("--line" + n % 7), dash: dashes[n % dashes.length],
    corners: shapes[n % shapes.length](4.2), hollow: (n % 2 === 1) !== again,
  };
}
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// swatch is a sample of a line for the legend.
function swatch(n) {
  const s = styleOf(n), ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
  const add = (tag, attributes) => {
    const e = document.createElementNS(ns, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    svg.append(e);
  };
  for (const [k, v] of Object.entries({ width: 36, height: 14, class: "swatch", "aria-hidden": "true" })) svg.setAttribute(k, v);
  add("line", { x1: 0, x2: 36, y1: 7, y2: 7, stroke: s.color, "stroke-width": 2, "stroke-dasharray": s.dash.join(" ") });
  add("polygon", { points: s.corners.map(c => (c[0] + 18) + "," + (c[1] + 7)).join(" "), stroke: s.color, "stroke-width": 1.5, fill: s.hollow ? css("--panel") : s.color });
  return svg;
}
