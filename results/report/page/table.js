// The tables behind the figures.
function cells(row) { return row.map(c => c instanceof Node ? c : el("td", {}, c)); }
const num = (text, spread) => el("td", { class: "num" }, text, spread ? el("span", { class: "spread" }, " " + spread) : "");
const half = (s, n, unit) => n > 1 ? around(s, unit) : "";
const pointLink = (i, text, among) => el("button", { type: "button", class: "rowlink", onclick: () => details(i, among) }, text);
// unlisted says how much of a list is not there, and where it is.
const unlisted = (shown, all, where) => all > shown ? `The first ${grouped(shown)} of ${grouped(all)} are listed${where}.` : "";
const inExport = ": dpukv run export writes all points";
const simBadge = points => points.some(emulated) ? el("span", { class: "badge sim" }, "emulated") : "";
// under is a row below another one that says in words what is to be known of it.
function under(columns, why, points) {
  const list = condensed(points);
  if (!why && !list.length) return [];
  return [el("tr", { class: "under" }, el("td", { colspan: columns }, el("div", {}, why ? el("span", {}, why) : "", list.map(w => el("span", { class: "doubt" }, "! " + w)))))];
}

// limitsTable has a row a line: its peak, its knee, and the most that it does within the bound.
function limitsTable(lines) {
  const at = short(state.measure), bound = state.bound && state.bound.measure === state.measure ? state.bound : null;
  const head = ["", "Line", "Peak", at + " there", word("knee", "Knee"), at + " there", ...(bound ? ["Most within " + micros(bound.ns)] : [])];
  const rows = lines.slice(0, state.rows).map(l => ({ l, peak: highest(l.marks), k: knee(l) }));
  const rate = rateUnit(largest(rows.map(r => r.peak.x.mid))), time = timeUnit(largest(rows.flatMap(r => [r.peak, ...(r.k ? [r.k.at] : [])]).map(m => m.y.mid)));
  const body = rows.flatMap(({ l, peak, k }) => {
    return [el("tr", {}, cells([
      el("td", {}, swatch(l.style)), el("td", {}, l.title + (l.title ? " · " : ""), l.label, " ", simBadge(l.marks.flatMap(m => m.points))),
      num(inUnit(rate, peak.x.mid), "at " + peak.axisLabel), num(inUnit(time, peak.y.mid)),
      ...kneeCells(k, rate, time), ...(bound ? [withinCell(within(l.marks, bound.ns), rate)] : []),
    ])), ...under(head.length, [el("b", {}, "Bottleneck at the peak: " + value("bottleneck", peak.points[0]) + ". "), sentence(value("bottleneck_why", peak.points[0]))], peak.points)];
  });
  $("#limits-rest").textContent = unlisted(rows.length, lines.length, ": filter to see others");
  $("#limits-table").replaceChildren(el("thead", {}, el("tr", {}, head.map((h, i) => el("th", { scope: "col", class: i > 1 ? "num" : "" }, h)))), el("tbody", {}, body));
}

// kneeCells are the knee's throughput and latency. Repeats that do not tell marks apart make a range.
function kneeCells(k, rate, time) {
  if (!k) return [num("none found"), num("–")];
  const ops = k.may.map(m => m.x.mid), least = inUnit(rate, Math.min(...ops)), most = inUnit(rate, Math.max(...ops));
  const range = k.may.length > 1 ? ` (${least} to ${most}, ${k.may[0].axisText} to ${k.may.at(-1).axisText})` : "";
  return [num(inUnit(rate, k.at.x.mid), "at " + k.at.axisLabel + range), num(inUnit(time, k.at.y.mid))];
}

function withinCell({ mark, later }, rate) {
  const also = later ? el("span", { class: "doubt" }, `! ${inUnit(rate, later.x.mid)} at ${later.axisLabel} also keeps it, but a lower load breaks it`) : "";
  const doubted = (mark ? validity(mark) : []).map(w => el("span", { class: "doubt" }, "! " + w));
  return el("td", { class: "num" }, mark ? [inUnit(rate, mark.x.mid), el("span", { class: "spread" }, " at " + mark.axisLabel)] : "none", also, doubted);
}

// pointColumns are the columns of the table of points: what varies, then the figures.
function pointColumns() {
  const said = new Set(tellingDims());
  const lat = name => ({ head: short(name) + ", µs", num: true, sort: m => m.of(name).mid, cell: m => { const s = m.of(name); return num(atLeast(digits3(s.mid / 1e3), name, state.actual, m.points), half(s, m.points.length, 1e3)); } });
  const plain = (head, column) => ({ head, num: true, sort: m => spread(m.points, column).mid, cell: m => num(digits3(spread(m.points, column).mid)) });
  const sum = (m, ...columns) => m.points.reduce((n, i) => n + columns.reduce((s, c) => s + value(c, i), 0), 0);
  return [
    ...D.dims.filter(d => said.has(d) || d.name === "store").map((d, n) => ({
      head: d.title, num: d.numeric, sort: m => at(d, m.points[0]),
      cell: m => { const text = d.values[at(d, m.points[0])] || "–"; return el("td", { class: d.numeric ? "num" : "" }, n ? text : [pointLink(m.points[0], text, m.points), " ", simBadge(m.points)]); },
    })),
    { head: "repeats", num: true, sort: m => m.points.length, cell: m => num(String(m.points.length)) },
    { head: "throughput, Mops", about: WORDS.Mops, num: true, sort: m => m.x.mid, cell: m => num(digits3(m.x.mid / 1e6), half(m.x, m.points.length, 1e6)) },
    ...["mean", "p50", "p95", "p99", "p999"].map(lat),
    plain("server CPU, ns/op", "server_cpu_ns_per_op"), plain("client CPU, ns/op", "client_cpu_ns_per_op"),
    { head: "hits", about: WORDS.hits, num: true, sort: m => sum(m, "hits") / sum(m, "gets"), cell: m => num(sum(m, "gets") ? percent(sum(m, "hits") / sum(m, "gets")) : "–") },
    { head: "errors", num: true, sort: m => sum(m, "errors", "timeouts"), cell: m => num(String(sum(m, "errors", "timeouts"))) },
    { head: "bottleneck", sort: m => value("bottleneck", m.points[0]), cell: m => el("td", {}, value("bottleneck", m.points[0])) },
    { head: "warnings", num: true, sort: m => m.points.filter(i => warnings(i).length).length, cell: m => { const n = m.points.filter(i => warnings(i).length).length; return el("td", { class: "num" }, n ? el("span", { class: "badge warn" }, `! ${n}`) : "–"); } },
  ];
}

function pointsTable(lines, render) {
  const columns = pointColumns(), marks = lines.flatMap(l => l.marks);
  if (state.sort) {
    const key = columns.find(c => c.head === state.sort.head)?.sort;
    if (key) marks.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * state.sort.way);
  }
  const head = columns.map(c => {
    const way = state.sort && state.sort.head === c.head ? state.sort.way : 0;
    return el("th", { scope: "col", class: c.num ? "num" : "", "aria-sort": way > 0 ? "ascending" : way < 0 ? "descending" : null },
      el("button", { type: "button", "data-head": c.head, onclick: () => { state.sort = { head: c.head, way: way > 0 ? -1 : 1 }; render("sort"); }, title: c.about || null }, c.head + (way > 0 ? " ↑" : way < 0 ? " ↓" : "")));
  });
  $("#points-table").replaceChildren(el("thead", {}, el("tr", {}, head)), el("tbody", {}, marks.slice(0, state.rows).flatMap(m => [el("tr", {}, columns.map(c => c.cell(m))), ...under(columns.length, "", m.points)])));
  $("#points-lead").textContent = `${counted(marks.length, "row")}, one per configuration: medians of its repeats ± half their range, or (their range) where half of it is larger than the median. Latency counts from the ${state.actual ? "actual" : "intended"} send. ${marks.length > maxRows ? `At most ${grouped(maxRows)} of them are listed, in the order that you choose: filter to see others, or have dpukv run export write all ${counted(D.count, "point")}.` : ""}`;
  const left = Math.min(marks.length, maxRows) - state.rows;
  $("#more").replaceChildren(...(left > 0 ? [el("button", { type: "button", class: "more", onclick: () => { state.rows += 500; render("sort"); } }, `Show ${Math.min(500, left)} more of ${left}`)] : []));
}

function failedTable() {
  const list = failedPoints(), listed = list.slice(0, maxRows);
  $("#failed-list").replaceChildren(list.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Failed points" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Point"), el("th", { scope: "col" }, "Why it failed"))),
    el("tbody", {}, listed.map(i => el("tr", {}, el("td", {}, el("span", { class: "badge bad" }, "✕ failed"), " ", pointLink(i, value("id", i))), el("td", { class: "wide" }, value("error", i)))))), el("p", { class: "quiet" }, unlisted(listed.length, list.length, inExport)))
    : el("p", { class: "quiet" }, D.count ? "None." : "There is no point yet."));
}
