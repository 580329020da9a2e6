// A sheet is what an exported file shows: rows of panels, the legend above them, and below them what a reader must know.
const CELL = { width: 400, height: 290 }, PAD = 14, LINE = 17, plainFont = "12px system-ui, sans-serif", boldFont = "bold 13px system-ui, sans-serif", footFont = "11px system-ui, sans-serif";

// cellsOf are the cells of panels for one latency: each panel with the range that it has in the page.
function cellsOf(panels, all, measure) {
  return withMeasure(measure, () => { const fits = new Map(); return panels.map(panel => ({ panel, measure, fit: rangeFor(panel, all, fits) })); });
}
function withMeasure(measure, f) {
  const before = state.measure;
  state.measure = measure;
  try { return f(); } finally { state.measure = before; }
}

// rowsOf lays out all panels: a row for each store and latency, of at most three panels.
function rowsOf(panels, measures) {
  const rows = [];
  for (const group of Map.groupBy(panels, p => p.store).values()) for (const m of measures) {
    const cells = cellsOf(group, panels, m);
    for (let i = 0; i < cells.length; i += 3) rows.push(cells.slice(i, i + 3));
  }
  return rows;
}

// Leaf is what all sheets have: a legend at the top, cells, and text at the foot.
class Leaf {
  constructor(width) { this.width = width; }
  // flow puts things into rows that are no wider than the sheet.
  flow(things, width) {
    const rows = [];
    let left = 0;
    for (const thing of things) {
      const w = width(thing);
      if (!rows.length || left + w > this.width - 2 * PAD) { rows.push([]); left = 0; }
      rows.at(-1).push({ thing, left });
      left += w;
    }
    return rows;
  }
  wrapped(text) { return this.flow(text.split(" "), w => measured(footFont, w + " ").width).map(row => row.map(r => r.thing).join(" ")); }
  paint(c) {
    c.fillStyle = css("--panel");
    c.fillRect(0, 0, this.width, this.height);
    this.legend.forEach((row, i) => row.forEach(({ thing, left }) => paintKey(c, thing, PAD + left, PAD + (i + 0.5) * LINE)));
    this.paintCells(c);
    c.font = footFont; c.fillStyle = css("--quiet"); c.textAlign = "left";
    this.foot.forEach((text, i) => c.fillText(text, PAD, this.height - PAD - (this.foot.length - 1 - i) * 15));
  }
}

class Sheet extends Leaf {
  constructor(rows) {
    super(Math.max(...rows.map(r => r.length)) * CELL.width + 2 * PAD);
    this.rows = rows;
    const lines = [...new Set(rows.flat().flatMap(c => c.panel.lines))], unique = [...new Map(lines.map(l => [l.label, l])).values()];
    this.legend = this.flow(unique, l => measured(plainFont, l.label).width + 64);
    this.foot = this.notes(lines).flatMap(text => this.wrapped(text));
    this.top = PAD + this.legend.length * LINE + 6;
    this.height = this.top + rows.length * CELL.height + this.foot.length * 15 + PAD;
  }
  notes(lines) {
    const points = lines.flatMap(l => l.marks.flatMap(m => m.points)), sim = points.filter(emulated), repeats = lines.flatMap(l => l.marks.map(m => m.points.length));
    const least = Math.min(...repeats), most = Math.max(...repeats), axes = [...new Set(lines.map(l => dim(l.axis).title))];
    return [
      `Marks: medians of ${least === most ? counted(least, "repeat") : `${least} to ${most} repeats`}; bars: their range; numbers: ${axes.join(", ")}. Ring: knee. !: a warning. ↑: above the axis.`,
      sim.length ? `Emulated (${sim.length} of ${counted(points.length, "point")})${ways(sim)}: not the figures of real DPUs and NICs.` : "",
      D.failed ? `${counted(D.failed, "point")} of the run failed and ${areOf(D.failed)} not drawn.` : "",
      `Run ${D.name}, dpukv ${D.version}.`,
    ].filter(Boolean);
  }
  paintCells(c) {
    this.rows.forEach((row, y) => row.forEach((cell, x) => withMeasure(cell.measure, () => paintCell(c, cell, PAD + x * CELL.width, this.top + y * CELL.height))));
  }
}

// paintKey is an entry of the legend.
function paintKey(c, line, x, y) {
  const s = styleOf(line.style);
  c.strokeStyle = s.color; c.lineWidth = 2; c.setLineDash(s.dash);
  c.beginPath(); c.moveTo(x, y); c.lineTo(x + 36, y); c.stroke(); c.setLineDash([]);
  c.beginPath();
  for (const [dx, dy] of s.corners) c.lineTo(x + 18 + dx, y + dy);
  c.closePath();
  c.fillStyle = s.hollow ? css("--panel") : s.color; c.fill();
  c.lineWidth = 1.5; c.stroke();
  c.font = plainFont; c.fillStyle = css("--ink"); c.textAlign = "left";
  c.fillText(line.label, x + 42, y + 4);
}

function paintCell(c, { panel, fit }, left, top) {
  const box = { left: left + 58, top: top + 26, width: CELL.width - 76, height: CELL.height - 76 }, { range, units } = fit;
  const axes = {
    x: { log: state.logX, range: range.x, unit: units.x, label: `throughput (${units.x.name})` },
    y: { log: state.logY, range: range.y, unit: units.y, label: latencyTitle(units.y) },
  }, { X, Y } = scalesOf(axes, box);
  c.font = boldFont; c.fillStyle = css("--ink"); c.textAlign = "left";
  c.fillText(titleOf(panel) + (panel.lines.some(l => l.marks.some(m => m.points.some(emulated))) ? " (emulated)" : ""), box.left, top + 16);
  paintAxes(c, box, axes, X, Y);
  paintPanel({ c, px: 1, X, Y, box, range }, panel.lines);
}

// scalesOf are the places of values in a box.
function scalesOf(axes, box) {
  const scale = ({ log, range: [min, max] }) => v => log && min > 0 ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min);
  const sx = scale(axes.x), sy = scale(axes.y);
  return { X: v => box.left + sx(v) * box.width, Y: v => box.top + (1 - sy(v)) * box.height };
}

// paintAxes paints axes { log, range, unit, label, ticks }; without ticks they are those of the unit.
function paintAxes(c, box, axes, X, Y) {
  const bottom = box.top + box.height, right = box.left + box.width, width = { width: box.width }, rule = (x1, y1, x2, y2) => { c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke(); };
  c.font = plainFont; c.fillStyle = css("--quiet"); c.strokeStyle = css("--grid"); c.lineWidth = 1; c.setLineDash([]);
  const each = (a, axis, at) => { const t = a.ticks || ticks(a.log, a.unit), splits = t.splits(width, axis, ...a.range), texts = t.values(width, splits); splits.forEach((v, i) => at(v, texts[i])); };
  each(axes.x, 0, (v, text) => { rule(X(v), box.top, X(v), bottom); c.textAlign = "center"; c.fillText(text, X(v), bottom + 16); });
  each(axes.y, 1, (v, text) => { rule(box.left, Y(v), right, Y(v)); c.textAlign = "right"; c.fillText(text, box.left - 6, Y(v) + 4); });
  c.strokeStyle = css("--quiet");
  rule(box.left, bottom, right, bottom); rule(box.left, box.top, box.left, bottom);
  c.textAlign = "center";
  c.fillText(axes.x.label, box.left + box.width / 2, bottom + 34);
  c.save(); c.translate(box.left - 44, box.top + box.height / 2); c.rotate(-Math.PI / 2);
  c.fillText(axes.y.label, 0, 0);
  c.restore();
}
