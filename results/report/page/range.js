// The axes: their range, their ticks, their units.

// axisLimit is results.AxisLimit: the greatest value that a linear axis has to show. A few outliers then cannot flatten the rest.
function axisLimit(values) {
  const sorted = values.filter(isFinite).sort((a, b) => a - b), n = sorted.length;
  if (n < 8) return n ? sorted[n - 1] : 0;
  const bulk = sorted[n - 1 - Math.max(1, Math.floor(n / 10))];
  let clipped = 0;
  while (bulk > 0 && sorted[n - 1 - clipped] > 4 * bulk) clipped++;
  return sorted[n - 1 - clipped];
}

// rangeOf fits the axes to lines: linear ones begin at zero, because a cut axis makes small differences look large.
function rangeOf(lines) {
  const marks = lines.flatMap(l => l.marks), whole = state.full || state.logY;
  const most = list => list.reduce((a, b) => Math.max(a, b), 0), least = list => list.reduce((a, b) => Math.min(a, b), Infinity);
  const mids = marks.map(m => m.y.mid), bulk = axisLimit(mids), limit = whole ? most(mids) : bulk, right = most(marks.map(m => m.x.max));
  let top = most(marks.filter(m => m.y.mid <= limit).map(m => m.y.max));
  // A single repeat that went astray must not press all others flat: its bar is cut off, and the figure says so.
  const cut = !whole && top > 2.5 * limit;
  if (cut) top = 1.8 * limit;
  if (state.bound && state.bound.measure === state.measure) top = Math.max(top, state.bound.ns);
  const units = { x: right >= 1e5 ? { name: "Mops", per: 1e6 } : { name: "kops", per: 1e3 }, y: timeUnit(top) };
  const axis = (log, low, high, over) => log && low > 0 ? [low * 0.8, high * 1.25] : [0, high * over || 1];
  const range = { x: axis(state.logX, least(marks.map(m => m.x.min)), right, 1.06), y: axis(state.logY, least(marks.map(m => m.y.min)), top, 1.1) };
  return { units, range, cut: cut ? range.y[1] : Infinity, outliers: state.logY ? 0 : mids.filter(v => v > bulk).length };
}
// beyond reports whether a mark is above the range, and stands at its edge.
const beyond = (m, range) => m.y.mid > range.y[1];

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
