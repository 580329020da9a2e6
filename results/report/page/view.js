// What is shown: the state that the controls change, and the lines that follow from it.
const state = {
  measure: "p99", actual: false, logX: false, logY: false,
  full: false, // the latency axis reaches to the greatest value
  shared: false, // all stores have the same axes
  panel: "", panelChosen: undefined, // what there is a figure for each of, and whether the reader chose it
  bound: null, // {measure, ns}
  filter: new Map(), // dimension's name to the set of values that are left out
  hidden: new Set(), // of lines, by label
  sort: null, rows: 100,
};
const maxLines = 12; // that can still be told apart in black and white
const maxRows = 2000; // of a list; a longer one says so
const maxPanels = 12;

class Mark {
  constructor(points, axis) { this.points = points; this.axis = axis; }
  get x() { return this._x ||= spread(this.points, "throughput_ops"); }
  get y() {
    const column = latencyColumn(state.measure, state.actual);
    if (this._of !== column) [this._of, this._y] = [column, spread(this.points, column)];
    return this._y;
  }
  of(name) { return spread(this.points, latencyColumn(name, state.actual)); }
  get axisLabel() { const d = dim(this.axis); return labelOf(d, this.points[0]); }
  get axisText() { const d = dim(this.axis); return d.values[at(d, this.points[0])]; }
}

// allLines are all there are, with the labels and styles they have in panels by this dimension. They keep both
// whatever is filtered, and a label has one style in the figures of all stores.
let cached = null;
function allLines() {
  if (cached && cached.panel === state.panel) return cached.lines;
  const store = dim("store"), panel = state.panel ? [dim(state.panel)] : [];
  const lines = D.lines.map(l => {
    const first = l.marks[0][0];
    const marks = l.marks.map(points => new Mark(points, l.axis));
    return { axis: l.axis, first, marks, all: marks, knees: l.knees, curve: l.curve, store: at(store, first), panel: [store, ...panel].map(d => at(d, first)).join() };
  });
  for (const line of lines) line.title = [store, ...panel].map(d => labelOf(d, line.first)).join(" · ");
  label(lines, [store, ...panel]);
  const styles = new Map();
  for (const line of lines) {
    if (!styles.has(line.label)) styles.set(line.label, styles.size);
    line.style = styles.get(line.label);
  }
  cached = { panel: state.panel, lines, telling: cached?.telling };
  return lines;
}

// label says of each line what tells it from the others of its store with the same axis.
function label(lines, known) {
  for (const group of Object.values(Object.groupBy(lines, l => l.store + "|" + l.axis))) {
    const dims = D.dims.filter(d => d.varies && !known.includes(d) && d.name !== group[0].axis);
    const said = telling(dims, group.map(l => l.first), known);
    const loop = lines.some(l => l.store === group[0].store && l.axis !== group[0].axis) ? [dim("loop")] : [];
    for (const l of group) {
      l.label = [...new Set([...said, ...loop])].map(d => labelOf(d, l.first)).filter(Boolean).join(", ") || labelOf(dim("placement"), l.first);
    }
  }
}

// tellingDims are the dimensions that it takes to tell all marks apart.
function tellingDims() {
  return cached.telling ||= telling(D.dims.filter(d => d.varies), D.lines.flatMap(l => l.marks.map(m => m[0])), []);
}

const passes = i => D.dims.every(d => !state.filter.get(d.name)?.has(d.values[at(d, i)]));

// shownLines are those that the filters leave, with the marks that they leave.
function shownLines() {
  return allLines().map(l => ({ ...l, marks: l.marks.filter(m => passes(m.points[0])) })).filter(l => l.marks.length);
}
const failedPoints = () => Array.from({ length: D.count }, (_, i) => i).filter(i => failed(i) && passes(i));

// panelsOf sorts lines into panels; those of one store share their axes, so that they can be compared.
function panelsOf(lines) {
  return [...Map.groupBy(lines, l => l.panel).values()].map(group => ({ title: group[0].title, store: group[0].store, key: group[0].panel, lines: group }));
}
