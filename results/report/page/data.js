// The data of the page (see the text of package report), and what is computed from it as package results does.
let D;
function take(json) {
  D = json;
  cached = null;
}
const $ = (selector, root) => (root || document).querySelector(selector);

// el makes an element: el("td", {class: "num"}, "12"). Text stays text.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.flat().filter(c => c != null && c !== ""));
  return e;
}

function value(column, i) {
  const c = D.columns[column];
  if (!c) return undefined;
  return "each" in c ? c.each[i] : "of" in c ? c.of[c.at[i]] : c.all;
}
const dim = name => D.dims.find(d => d.name === name);
const at = (d, i) => d.at.length ? d.at[i] : 0;
const labelOf = (d, i) => d.labels[at(d, i)];
const words = name => name.replace(/_/g, " ");
const failed = i => value("status", i) !== "ok";
const warnings = i => value("warnings", i) || [];
const doubtful = points => points.some(i => warnings(i).length > 0);
// An emulated point says so in a field of its own: in which way is in the others that begin alike.
const emulated = i => Boolean(value("emulated", i));

function spread(points, column) {
  const v = points.map(i => value(column, i)).sort((a, b) => a - b), n = v.length;
  return { min: v[0], mid: (v[(n - 1) >> 1] + v[n >> 1]) / 2, max: v[n - 1] };
}
const measureOf = name => D.measures.find(m => m.name === name);
const short = name => name === "p999" ? "p99.9" : name;
const latencyColumn = (name, actual) => (actual ? "actual_" : "") + measureOf(name).column;
// atLeast marks a text over points of which one has only a lower bound there.
const atLeast = (text, name, actual, points) => isLowerBound(name, actual, points) ? "≥" + text : text;
const isLowerBound = (name, actual, points) => !actual && points.some(i => {
  const from = value("latency_lower_bound_from", i);
  return from > 0 && from <= measureOf(name).percentile;
});

// knee is the knee of a whole line, filtered or not: its mark, and all marks that may be the knee. It is null if there is none.
function knee(line) {
  const found = line.knees[latencyColumn(state.measure, state.actual)];
  return found ? { at: line.all[found[0]], may: line.all.slice(found[1], found[2] + 1) } : null;
}
const highest = marks => marks.reduce((a, b) => a && a.x.mid >= b.x.mid ? a : b, null);

// within is the most below the first mark that breaks the bound, and the most beyond it that keeps the bound again.
function within(marks, ns) {
  const keeps = m => m.y.mid > 0 && m.y.mid <= ns && !isLowerBound(state.measure, state.actual, m.points), broken = marks.findIndex(m => !keeps(m)), first = broken < 0 ? marks.length : broken;
  const mark = highest(marks.slice(0, first)), later = highest(marks.slice(first).filter(keeps));
  return { mark, later: later && (!mark || later.x.mid > mark.x.mid) ? later : null };
}
// validity are the warnings that say that a mark shows something else than the server at its load.
const validity = m => [...new Set(m.points.flatMap(warnings))].filter(w => D.validity.some(kind => w.includes(kind)));

// telling leaves out dimensions that follow from those before them.
function telling(dims, points, known) {
  let group = points.map(i => known.map(d => at(d, i)).join(","));
  return dims.filter(d => {
    const finer = points.map((i, n) => group[n] + "|" + at(d, i));
    if (new Set(finer).size === new Set(group).size) return false;
    group = finer;
    return true;
  });
}

// condensed lists warnings, those that differ in their numbers only together, with how many points have them.
function condensed(points) {
  const shapes = new Map();
  for (const i of points) for (const w of warnings(i)) {
    const shape = w.replace(/\b\d[\d.]*/g, "#"), have = shapes.get(shape) || { text: w, count: 0 };
    have.count++;
    shapes.set(shape, have);
  }
  return [...shapes.values()].map(s => points.length > 1 ? `${s.text} (${s.count} of ${points.length} repeats)` : s.text);
}

// Numbers with three significant digits, as package numfmt writes them.
const digits3 = x => isFinite(x) ? x.toFixed(decimals3(x)) : "–";
const decimals3 = x => {
  if (x === 0) return 0;
  const power = Math.floor(Math.log10(Math.abs(x)));
  return Math.min(6, Math.max(0, 2 - power - (Math.round(Math.abs(x) / 10 ** (power - 2)) >= 1000 ? 1 : 0)));
};
// around is how far values are from their median. Those that stray by more than the median have their range.
const around = (s, unit) => (s.max - s.min) / 2 > Math.abs(s.mid) ? `(${digits3(s.min / unit)} to ${digits3(s.max / unit)})` : "±" + ((s.max - s.min) / 2 / unit).toFixed(decimals3(s.mid / unit));
const sentence = text => text && text[0].toUpperCase() + text.slice(1) + ".";
// A column, a list and an axis have one unit: that of their greatest value.
const rateUnit = greatest => greatest >= 999.5e3 ? { name: "Mops", per: 1e6 } : greatest >= 999.5 ? { name: "kops", per: 1e3 } : { name: "ops/s", per: 1 };
const timeUnit = greatest => greatest >= 1e7 ? { name: "ms", per: 1e6 } : { name: "µs", per: 1e3 };
const inUnit = (unit, x) => digits3(x / unit.per) + " " + unit.name;
const mops = ops => inUnit(rateUnit(ops), ops);
const micros = ns => inUnit(timeUnit(ns), ns);
const largest = list => list.reduce((a, b) => b > a ? b : a, 0);
const percent = x => digits3(100 * x) + " %";
const grouped = n => n.toLocaleString("en").replace(/,/g, " ");
const counted = (n, thing) => grouped(n) + " " + thing + (n === 1 ? "" : "s");
