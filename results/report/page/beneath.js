// The machine beneath: figures and tables of probes, which measure without a store, and what the curves of stores are made of.
function beneath() {
  const b = D.beneath, none = !b.figures.length && !b.tables.length && !b.failed.length;
  $("#beneath-lead").textContent = none ? "This run has no probes, which measure memory, network and DMA without a store. The line “measure: [kvs, memory, network]” in the sweep file adds them."
    : "Memory, network and DMA without a store, as probes of this run measured them: medians of the repeats, bars from the least to the greatest.";
  for (const part of ["curves", "limits", "points"]) for (const e of [$("#" + part), $(`nav a[href="#${part}"]`)]) e.hidden = !D.count && b.count > 0; // a run of probes alone
  $("#beneath-figures").replaceChildren(...b.figures.map(probeFigure));
  $("#beneath-tables").replaceChildren(...b.tables.map(plainTable), ...probeDoubts(b));
}

// offload shows the CPU time of hosts and DPUs in the form of probes. A run without any of that has no such section.
function offload() {
  const o = D.offload, none = !o.figures.length && !o.tables.length;
  for (const e of [$("#offload"), $('nav a[href="#offload"]')]) e.hidden = none;
  $("#offload-figures").replaceChildren(...o.figures.map(probeFigure));
  $("#offload-tables").replaceChildren(...o.tables.map(plainTable));
}

function probeDoubts(b) {
  return [
    b.warnings.length ? el("div", { class: "note warn" }, "Warnings of the probes:", el("ul", {}, b.warnings.map(w => el("li", {}, `${counted(w.points, "probe")}: ${w.text}`)))) : null,
    b.failed.length ? el("div", { class: "note bad" }, `${counted(b.failed.length, "probe")} failed:`, el("ul", {}, b.failed.slice(0, maxRows).map(f => el("li", {}, el("b", {}, f.id + ": "), f.error))), unlisted(maxRows, b.failed.length, inExport)) : null,
  ].filter(Boolean);
}

// probeFigure is a canvas that scales with the page, with its numbers below it.
function probeFigure(f) {
  const lines = new Set(f.panels.flatMap(p => p.lines.map(l => l.label)));
  const canvas = el("canvas", { role: "img", "data-stem": f.stem, "aria-label": `${f.title}: ${f.y.title} over ${f.x.title}, ${counted(lines.size, "line")}. The numbers are below.` });
  const button = kind => el("button", { type: "button", class: "small", title: `Save this figure as ${kind.toUpperCase()}`, "data-save": kind, onclick: () => save(kind, () => new ProbeSheet(f, exportWidth(f), true), f.stem, "") }, kind.toUpperCase());
  return el("figure", { "data-stem": f.stem, class: f.panels.length > 1 ? "whole" : "" }, el("figcaption", {}, f.title), el("span", { class: "save" }, button("svg"), button("png")), canvas, probeNumbers(f));
}
const exportWidth = f => Math.min(3, f.panels.length) * CELL.width + 2 * PAD;

function probeNumbers(f) {
  const text = (axis, v) => axis.size ? sizeText(v) : digits3(v / axis.unit.per), range = (axis, [min, , max]) => min === max ? "" : `${text(axis, min)} to ${text(axis, max)}`;
  const xText = m => f.x.whole || f.x.size ? (f.x.size ? sizeText(m.x[1]) : String(m.x[1])) : text(f.x, m.x[1]), headed = f.panels.some(p => p.heading);
  const head = [...(headed ? ["Panel"] : []), "Line", f.x.label, f.y.label, "range", "repeats", ""];
  const rows = f.panels.flatMap(p => p.lines.flatMap(l => l.marks.map(m => el("tr", {}, headed ? el("td", {}, p.heading) : "", el("td", {}, l.label), num(xText(m)), num(text(f.y, m.y[1])), num(range(f.y, m.y)), num(String(m.repeats)),
    el("td", {}, m.emulated ? el("span", { class: "badge sim" }, "emulated") : "", m.warned ? [" ", el("span", { class: "badge warn" }, "!")] : "")))));
  return el("details", {}, el("summary", {}, "Numbers of " + f.title), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Numbers of " + f.title }, el("table", {}, el("thead", {}, el("tr", {}, head.map((h, i) => el("th", { scope: "col", class: i > head.length - 6 && h ? "num" : "" }, h)))), el("tbody", {}, rows.slice(0, maxRows)))), rest(rows.length));
}
const sizeText = n => n < 1 << 10 ? n + " B" : bytes(n);

// rest is a line below a table that has more rows than are listed.
const rest = rows => el("p", { class: "quiet", hidden: rows <= maxRows }, unlisted(maxRows, rows, inExport));

function plainTable(t) {
  const [head, ...rows] = t.rows;
  return el("div", {}, el("h3", {}, sentence(t.title).slice(0, -1)), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t.title }, el("table", {},
    el("thead", {}, el("tr", {}, head.map((h, i) => el("th", { scope: "col", class: i > 1 ? "num" : "" }, h)))),
    el("tbody", {}, rows.slice(0, maxRows).map(r => el("tr", {}, r.map((c, i) => i > 1 ? num(c) : el("td", {}, c))))))), rest(rows.length));
}

// madeOf says below the curves what each of them is made of.
function madeOf(lines) {
  const shown = [...new Set(lines.map(l => l.curve))].filter(i => i >= 0).map(i => D.beneath.curves[i]);
  const before = [...document.querySelectorAll("#made details")], opened = new Set(before.filter(d => d.open).map(d => d.dataset.curve));
  $("#made").replaceChildren(...(shown.length ? [el("h3", {}, "What these curves are made of"),
    el("p", { class: "quiet" }, "Probes of the same run measured each part without the store. “At most” holds for a store that uses the part as the probe does: two dependent cache lines an operation, and its payload once over the link."),
    ...shown.map(c => el("details", { "data-curve": c.title, open: before.length ? opened.has(c.title) : shown.length < 3 }, el("summary", {}, el("b", {}, c.title), ": " + c.reaches), partsTable(c)))] : []));
}

function partsTable(c) {
  const row = p => el("tr", {}, el("th", { scope: "row" }, p.name, " ", p.emulated ? el("span", { class: "badge sim" }, "emulated") : "", p.warned ? el("span", { class: "badge warn" }, "! warnings") : ""),
    p.missing ? el("td", { colspan: 2 }, el("span", { class: "badge warn" }, "not measured"), " The sweep file needs ", el("code", {}, p.missing)) : [el("td", { "data-head": "Measured" }, p.measured || "–"), el("td", { "data-head": "What follows" }, p.follows)]);
  return el("table", { class: "parts" }, el("thead", {}, el("tr", {}, ["Part", "Measured", "What follows"].map(h => el("th", { scope: "col" }, h)))), el("tbody", {}, c.parts.map(row)));
}

// paintBeneath paints the figures in the width and the colours that the page has now.
function paintBeneath() {
  for (const canvas of document.querySelectorAll("#offload canvas, #beneath canvas")) {
    const f = [...D.offload.figures, ...D.beneath.figures].find(f => f.stem === canvas.dataset.stem), width = Math.max(240, canvas.parentElement.clientWidth - 24), px = devicePixelRatio || 1, sheet = new ProbeSheet(f, width);
    Object.assign(canvas, { width: Math.round(width * px), height: Math.round(sheet.height * px) });
    canvas.style.width = width + "px";
    canvas.style.height = sheet.height + "px";
    const c = canvas.getContext("2d");
    c.scale(px, px);
    sheet.paint(c);
  }
}

// ProbeSheet is a figure of probes: its legend, its panels, and what a reader must know.
class ProbeSheet extends Leaf {
  constructor(figure, width, saved) {
    super(width);
    this.figure = figure;
    this.columns = Math.max(1, Math.min(figure.panels.length === 4 ? 2 : 3, figure.panels.length, Math.floor(width / 300)));
    const lines = [...new Map(figure.panels.flatMap(p => p.lines).map(l => [l.label, l])).values()];
    this.legend = this.flow(lines.length > 1 ? lines : [], l => measured(plainFont, l.label).width + 64);
    this.foot = [saved ? figure.title + "." : "", figure.notes.join(" · "), ...probeNotes(figure, lines), saved ? `Run ${D.name}, dpukv ${D.version}.` : ""].filter(Boolean).flatMap(text => this.wrapped(text));
    this.top = PAD + this.legend.length * LINE + 6;
    this.height = this.top + Math.ceil(figure.panels.length / this.columns) * CELL.height + this.foot.length * 15 + PAD;
  }
  paintCells(c) {
    const width = (this.width - 2 * PAD) / this.columns;
    this.figure.panels.forEach((panel, i) => paintProbes(c, this.figure, panel, PAD + i % this.columns * width, this.top + Math.floor(i / this.columns) * CELL.height, width));
  }
}

function probeNotes(figure, lines) {
  const marks = figure.panels.flatMap(p => p.lines.flatMap(l => l.marks)), sim = marks.filter(m => m.emulated).length, repeats = marks.map(m => m.repeats), least = Math.min(...repeats), most = Math.max(...repeats);
  return [
    lines.length === 1 ? lines[0].label + "." : "",
    `Marks: medians of ${least === most ? counted(least, "repeat") : `${least} to ${most} repeats`}; bars: their range. !: a warning.`,
    sim ? `Emulated (${sim} of ${counted(marks.length, "mark")}): not the figures of real DPUs and NICs.` : "",
  ].filter(Boolean);
}

function paintProbes(c, figure, panel, left, top, width) {
  const box = { left: left + 58, top: top + 26, width: width - 76, height: CELL.height - 76 };
  const lines = panel.lines.map(l => ({ ...l, knees: {}, marks: l.marks.map(m => ({ x: spreadOf(m.x), y: spreadOf(m.y), points: [], warned: m.warned })) }));
  const axes = { x: probeAxis(figure.x, lines.flatMap(l => l.marks.map(m => m.x))), y: probeAxis(figure.y, lines.flatMap(l => l.marks.map(m => m.y))) };
  const { X, Y } = scalesOf(axes, box);
  c.font = boldFont; c.fillStyle = css("--ink"); c.textAlign = "left";
  c.fillText(panel.heading, box.left, top + 16);
  paintAxes(c, box, axes, X, Y);
  c.save(); c.beginPath(); c.rect(box.left - 6, box.top - 6, box.width + 12, box.height + 12); c.clip();
  for (const line of lines) paintLine(c, 1, line, X, Y);
  for (const line of lines) paintMarks(c, 1, line, X, Y);
  c.restore();
}
const spreadOf = ([min, mid, max]) => ({ min, mid, max });

// probeAxis begins a linear axis at zero. A value of zero has no place on a logarithmic axis.
function probeAxis(axis, spreads) {
  const least = Math.min(...spreads.map(s => s.min)), most = Math.max(...spreads.map(s => s.max), 0), log = axis.log && least > 0;
  return { log, unit: axis.unit, label: axis.label, ticks: axis.size && log ? sizeTicks() : axis.whole && !log ? wholeTicks(axis.unit) : null, range: log ? [least * 0.8, most * 1.25] : [0, most * 1.08 || 1] };
}

function wholeTicks(unit) {
  const plain = ticks(false, unit);
  return { ...plain, splits: (u, axis, min, max) => plain.splits(u, axis, min, max).filter(Number.isInteger) };
}

// sizeTicks are powers of two, of which as many have a label as fit.
function sizeTicks() {
  return {
    splits: (u, axis, min, max) => { const list = []; for (let e = Math.ceil(Math.log2(min)); 2 ** e <= max; e++) list.push(2 ** e); return list; },
    values: (u, splits) => { const step = Math.ceil(splits.length / Math.max(2, Math.floor(u.width / 58))); return splits.map((v, i) => i % step ? "" : sizeText(v)); },
  };
}
