// One figure: uPlot has the axes and the zoom, the lines are drawn over its grid.
class Figure {
  constructor(panel, { range, units, cut, outliers }, failed) {
    Object.assign(this, { panel, range, units, outliers, zoom: null });
    const bars = panel.lines.flatMap(l => l.marks).filter(m => m.y.max > cut && !beyond(m, range));
    this.plot = el("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "figure", "aria-label": this.summary() });
    this.box = el("figure", { "data-top": range.y[1], "data-right": range.x[1] }, el("figcaption", {}, titleOf(panel)), saveButtons(panel), this.plot, failedList(failed), this.clipped(),
      bars.length ? el("p", { class: "below quiet" }, `↑ The range of ${counted(bars.length, "mark")} reaches beyond the figure, up to ${micros(Math.max(...bars.map(m => m.y.max)))}.`) : null);
  }
  // clipped says which marks are above the figure, or that outliers set its axis, and offers the other.
  clipped() {
    if (!this.outliers) return null;
    const above = this.panel.lines.flatMap(l => l.marks.filter(m => beyond(m, this.range)).map(m => ({ l, m }))), unit = timeUnit(largest(above.map(({ m }) => m.y.mid)));
    const list = above.map(({ l, m }) => `${l.label} at ${m.axisLabel}, ${inUnit(unit, m.y.mid)}`);
    const button = text => el("button", { type: "button", class: "rowlink range", onclick: () => { state.full = !state.full; render("range"); } }, text);
    if (state.full) return el("p", { class: "below quiet" }, `The latency axis reaches to ${counted(this.outliers, "outlier")}. `, button("Range of the others"));
    return list.length ? el("p", { class: "below quiet" }, `↑ ${counted(list.length, "mark")} above the figure: ${list.slice(0, 4).join("; ")}${list.length > 4 ? " and more" : ""}. `, button("Full range")) : null;
  }
  summary() {
    const m = measureOf(state.measure).title;
    return `${titleOf(this.panel)}: ${m} over throughput, ${counted(this.panel.lines.length, "line")}. Arrow keys go from mark to mark.`;
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
        { ...axis, ...ticks(state.logY, y), label: latencyTitle(y), labelSize: 22, size: 56 },
      ],
      series: [{}, { points: { show: false }, stroke: "transparent" }],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: true, dist: 8, setScale: false } },
      hooks: { draw: [u => this.paint(u)], setSelect: [u => this.select(u)] },
    }, [this.range.x, this.range.y], this.plot);
  }
  paint(u) {
    const px = devicePixelRatio, X = v => u.valToPos(v, "x", true), Y = v => u.valToPos(v, "y", true);
    paintPanel({ c: u.ctx, px, X, Y, box: u.bbox, range: this.zoom || this.range }, this.panel.lines);
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
  const which = [...new Set(points.map(i => tellingDims().filter(d => !["store", state.panel].includes(d.name)).map(d => labelOf(d, i)).filter(Boolean).join(", ")))].filter(Boolean);
  return el("p", { class: "below" }, `✕ ${counted(points.length, "point")} failed and ${areOf(points.length)} not drawn`,
    which.length ? ": " + which.slice(0, 3).join("; ") + (which.length > 3 ? ` and ${which.length - 3} more` : "") : "", ". ", el("a", { href: "#failed" }, "Why"));
}
const titleOf = panel => panel.title || "All points";
const areOf = n => n === 1 ? "is" : "are";

const latencyTitle = unit => `${measureOf(state.measure).title}${state.actual ? " from the actual send" : ""} (${unit.name})`;
