// One figure: uPlot has the axes and the zoom, the lines are drawn over its grid.
class Figure {
  constructor(panel, { range, units, cut }, failed) {
    Object.assign(this, { panel, range, units, zoom: null });
    const beyond = panel.lines.flatMap(l => l.marks).filter(m => m.y.max > cut);
    this.plot = el("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "figure", "aria-label": this.summary() });
    this.box = el("figure", {}, el("figcaption", {}, panel.title || "All points"), this.plot, failedList(failed),
      beyond.length ? el("p", { class: "below quiet" }, `↑ The range of ${counted(beyond.length, "mark")} reaches beyond the figure, up to ${micros(Math.max(...beyond.map(m => m.y.max)))}.`) : null);
  }
  summary() {
    const m = measureOf(state.measure).title;
    return `${this.panel.title}: ${m} over throughput, ${counted(this.panel.lines.length, "line")}. Arrow keys go from mark to mark.`;
  }
  draw() {
    const { x, y } = this.units, axis = { stroke: css("--quiet"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--rule"), width: 1 } };
    const scale = (which, log) => ({ time: false, distr: log ? 3 : 1, range: () => (this.zoom || this.range)[which] });
    this.u?.destroy();
    this.u = new uPlot({
      width: Math.max(220, this.plot.clientWidth), height: 300,
      scales: { x: scale("x", state.logX), y: scale("y", state.logY) },
      axes: [
        { ...axis, ...ticks(state.logX, x), label: `throughput (${x.name})`, labelSize: 22, size: 34 },
        { ...axis, ...ticks(state.logY, y), label: `${measureOf(state.measure).title}${state.actual ? " from the actual send" : ""} (${y.name})`, labelSize: 22, size: 56 },
      ],
      series: [{}, { points: { show: false }, stroke: "transparent" }],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: true, dist: 8, setScale: false } },
      hooks: { draw: [u => this.paint(u)], setSelect: [u => this.select(u)] },
    }, [this.range.x, this.range.y], this.plot);
  }
  paint(u) {
    const c = u.ctx, px = devicePixelRatio, X = v => u.valToPos(v, "x", true), Y = v => u.valToPos(v, "y", true);
    c.save();
    c.beginPath();
    c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height + 6 * px);
    c.clip();
    this.paintBound(c, px, u, Y);
    for (const line of this.panel.lines) paintLine(c, px, line, X, Y);
    for (const line of this.panel.lines) paintMarks(c, px, line, X, Y);
    paintNumbers(c, px, this.panel.lines, X, Y, u.bbox);
    c.restore();
  }
  paintBound(c, px, u, Y) {
    if (!state.bound || state.bound.measure !== state.measure) return;
    const y = Y(state.bound.ns);
    c.strokeStyle = c.fillStyle = css("--ink");
    c.lineWidth = px;
    c.setLineDash([2 * px, 3 * px]);
    c.beginPath(); c.moveTo(u.bbox.left, y); c.lineTo(u.bbox.left + u.bbox.width, y); c.stroke();
    c.setLineDash([]);
    c.font = 11 * px + "px system-ui, sans-serif";
    c.textAlign = "right";
    c.fillText(`${short(state.measure)} ≤ ${micros(state.bound.ns)}`, u.bbox.left + u.bbox.width - 4 * px, y - 4 * px);
  }
  select(u) {
    const s = u.select;
    if (s.width < 8 || s.height < 8) return;
    this.zoom = {
      x: [u.posToVal(s.left, "x"), u.posToVal(s.left + s.width, "x")],
      y: [u.posToVal(s.top + s.height, "y"), u.posToVal(s.top, "y")],
    };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    u.setData(u.data);
  }
  zoomOut() {
    this.zoom = null;
    this.u.setData(this.u.data);
  }
}

function failedList(points) {
  if (!points.length) return null;
  return el("p", { class: "below" }, `✕ ${counted(points.length, "point")} failed and ${points.length === 1 ? "is" : "are"} not drawn: `,
    [...new Set(points.map(i => tellingDims().filter(d => !["store", state.panel].includes(d.name)).map(d => labelOf(d, i)).filter(Boolean).join(", ")))].slice(0, 3).join("; ") + ". ", el("a", { href: "#failed" }, "Why"));
}

function paintLine(c, px, line, X, Y) {
  const s = styleOf(line.style);
  c.strokeStyle = s.color;
  c.lineWidth = 1.8 * px;
  c.setLineDash(s.dash.map(d => d * px));
  c.beginPath();
  line.marks.forEach((m, i) => i ? c.lineTo(X(m.x.mid), Y(m.y.mid)) : c.moveTo(X(m.x.mid), Y(m.y.mid)));
  c.stroke();
  c.setLineDash([]);
  c.lineWidth = px;
  c.beginPath();
  for (const m of line.marks) {
    c.moveTo(X(m.x.min), Y(m.y.mid)); c.lineTo(X(m.x.max), Y(m.y.mid));
    c.moveTo(X(m.x.mid), Y(m.y.min)); c.lineTo(X(m.x.mid), Y(m.y.max));
  }
  c.stroke();
}

function paintMarks(c, px, line, X, Y) {
  const s = styleOf(line.style), ringed = knee(line)?.may || [];
  for (const m of line.marks) {
    const x = X(m.x.mid), y = Y(m.y.mid);
    c.beginPath();
    for (const [dx, dy] of s.corners) c.lineTo(x + dx * px, y + dy * px);
    c.closePath();
    c.fillStyle = s.hollow ? css("--panel") : s.color;
    c.fill();
    c.strokeStyle = s.color;
    c.lineWidth = 1.5 * px;
    c.stroke();
    if (ringed.includes(m)) {
      c.beginPath(); c.arc(x, y, 9 * px, 0, 7); c.strokeStyle = css("--ink"); c.lineWidth = 1.2 * px; c.stroke();
    }
    if (doubtful(m.points)) {
      c.font = `bold ${11 * px}px system-ui, sans-serif`; c.fillStyle = css("--warn"); c.textAlign = "left";
      c.fillText("!", x + (ringed.includes(m) ? 9 : 6) * px, y + 12 * px);
    }
  }
}

// paintNumbers writes the axis's value at each mark where it covers nothing.
function paintNumbers(c, px, lines, X, Y, box) {
  if (lines.length > 6) return;
  const taken = obstacles(px, lines, X, Y);
  c.font = 11 * px + "px system-ui, sans-serif";
  c.fillStyle = css("--quiet");
  c.textAlign = "left";
  for (const line of lines) {
    const ringed = knee(line)?.may || [];
    if (line.marks.length > 1) for (const m of line.marks) {
      const w = c.measureText(m.axisText).width, h = 8 * px, gap = (ringed.includes(m) ? 12 : 9) * px, x = X(m.x.mid), y = Y(m.y.mid);
      const left = x - w - gap, right = x + gap, above = y - gap, below = y + gap + h;
      for (const [l, b] of [[x - w / 2, above], [left, above + 3 * px], [right, above + 3 * px], [left, y + h / 2], [left, below], [x - w / 2, below], [right, below], [right, y + h / 2]]) {
        const r = [l - px, b - h - px, l + w + px, b + px];
        if (r[0] < box.left || r[1] < box.top || r[2] > box.left + box.width || taken.some(t => r[0] < t[2] && t[0] < r[2] && r[1] < t[3] && t[1] < r[3])) continue;
        taken.push(r);
        c.fillText(m.axisText, l, b);
        break;
      }
    }
  }
}

// obstacles are the boxes [left, top, right, bottom] of marks, bars, exclamation marks and lines, a line being a row of small ones.
function obstacles(px, lines, X, Y) {
  const list = [], around = (x, y, rx, ry) => list.push([x - rx * px, y - ry * px, x + rx * px, y + ry * px]);
  for (const line of lines) {
    const ringed = knee(line)?.may || [];
    line.marks.forEach((m, i) => {
      const x = X(m.x.mid), y = Y(m.y.mid), r = ringed.includes(m) ? 10 : 6;
      around(x, y, r, r);
      if (doubtful(m.points)) around(x + (r + 2) * px, y + 8 * px, 3, 5);
      list.push([x - px, Y(m.y.max), x + px, Y(m.y.min)], [X(m.x.min), y - px, X(m.x.max), y + px]);
      if (!i) return;
      const fx = X(line.marks[i - 1].x.mid), fy = Y(line.marks[i - 1].y.mid), steps = Math.ceil(Math.hypot(x - fx, y - fy) / (3 * px));
      for (let s = 1; s < steps; s++) around(fx + (x - fx) * s / steps, fy + (y - fy) * s / steps, 2, 2);
    });
  }
  return list;
}

// ticks are uPlot's own on a linear axis; a logarithmic one has a line at every digit and labels as many as fit.
function ticks(log, unit) {
  const text = v => v == null ? "" : +(v / unit.per).toPrecision(6) + "";
  if (!log) return { values: (u, splits) => splits.map(text), splits: unitSplits(unit) };
  const digit = v => Math.round(v / 10 ** Math.floor(Math.log10(v) + 1e-9));
  return {
    splits: (u, axis, min, max) => {
      const list = [];
      for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) {
        for (let d = 1; d < 10; d++) if (d * power >= min && d * power <= max) list.push(d * power);
      }
      return list;
    },
    filter: (u, splits) => splits,
    values: (u, splits) => {
      const decades = Math.log10(splits[splits.length - 1] / splits[0]);
      const said = decades < 1 ? [1, 2, 3, 4, 6, 8] : decades < 2.5 ? [1, 2, 5] : [1];
      return splits.map(v => said.includes(digit(v)) ? text(v) : "");
    },
  };
}

// unitSplits puts the ticks at round numbers of the unit that is shown.
function unitSplits(unit) {
  return (u, axis, min, max) => {
    const most = axis === 0 ? Math.max(3, u.width / 60) : 7, rough = (max - min) / unit.per / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999) * unit.per, list = [];
    for (let i = Math.ceil(min / step - 1e-9); i * step <= max * (1 + 1e-9); i++) list.push(i * step);
    return list;
  };
}

// rangeOf fits the axes to lines: linear ones begin at zero, because a cut axis makes small differences look large.
function rangeOf(lines) {
  const marks = lines.flatMap(l => l.marks);
  const limit = (of, which, pick) => pick(...marks.map(m => m[of][which]));
  const most = (...v) => v.reduce((a, b) => Math.max(a, b), 0), least = (...v) => v.reduce((a, b) => Math.min(a, b), Infinity);
  let top = limit("y", "max", most), right = limit("x", "max", most);
  // A single repeat that went astray must not press all others flat: its bar is cut off, and the figure says so.
  const median = limit("y", "mid", most), cut = !state.logY && top > 2.5 * median;
  if (cut) top = 1.8 * median;
  if (state.bound && state.bound.measure === state.measure) top = Math.max(top, state.bound.ns);
  const units = { x: right >= 1e5 ? { name: "Mops", per: 1e6 } : { name: "kops", per: 1e3 }, y: top >= 1e8 ? { name: "ms", per: 1e6 } : { name: "µs", per: 1e3 } };
  const axis = (log, low, high, over) => log && low > 0 ? [low * 0.8, high * 1.25] : [0, high * over || 1];
  return { units, cut: cut ? top * 1.1 : Infinity, range: { x: axis(state.logX, limit("x", "min", least), right, 1.06), y: axis(state.logY, limit("y", "min", least), top, 1.1) } };
}
