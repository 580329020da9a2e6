// Reading a figure: with the mouse, or with the keyboard.
function readable(figure, said) {
  const ring = el("div", { class: "ring", hidden: true }), tip = el("div", { class: "tip", hidden: true });
  figure.box.append(ring, tip);
  const at = { line: -1, mark: -1 };
  const lines = figure.panel.lines;

  function place(m) {
    const over = figure.u.over.getBoundingClientRect(), box = figure.box.getBoundingClientRect();
    return [figure.u.valToPos(m.x.mid, "x") + over.left - box.left - figure.box.clientLeft, figure.u.valToPos(Math.min(m.y.mid, (figure.zoom || figure.range).y[1]), "y") + over.top - box.top - figure.box.clientTop];
  }
  function show(line, mark, aloud) {
    [at.line, at.mark] = [line, mark];
    const l = lines[line], m = l.marks[mark], [x, y] = place(m);
    ring.style.left = x + "px"; ring.style.top = y + "px";
    tip.replaceChildren(...reading(l, m));
    ring.hidden = tip.hidden = false;
    const width = figure.box.clientWidth, w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, x + 18 + w < width ? x + 18 : Math.min(x - 18 - w, width - w - 4)) + "px";
    tip.style.top = Math.max(4, y - h / 2) + "px";
    if (aloud) said.textContent = [l.label, m.axisLabel, mops(m.x.mid), short(state.measure) + " " + micros(m.y.mid), ...doubts(m.points).map(d => "Warning: " + d)].join(". ");
  }
  function open() {
    const points = lines[at.line].marks[at.mark].points;
    details(points[0], points);
  }
  function hide() { ring.hidden = tip.hidden = true; }

  figure.plot.addEventListener("pointermove", e => {
    if (e.buttons) return;
    const box = figure.box.getBoundingClientRect(), near = nearest(lines, place, e.clientX - box.left, e.clientY - box.top);
    near ? show(near.line, near.mark, false) : hide();
  });
  figure.plot.addEventListener("pointerleave", hide);
  figure.plot.addEventListener("blur", hide);
  figure.plot.addEventListener("click", () => { if (!tip.hidden) open(); });
  figure.plot.addEventListener("keydown", e => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key];
    if (step && lines.length) {
      const line = at.line < 0 ? 0 : (at.line + step[0] + lines.length) % lines.length, last = lines[line].marks.length - 1;
      show(line, at.line < 0 ? 0 : Math.max(0, Math.min(last, at.mark + step[1])), true);
    } else if (e.key === "Enter" && at.line >= 0) open();
    else if (e.key === "Escape") { figure.zoomOut(); hide(); }
    else return;
    e.preventDefault();
  });
  figure.plot.addEventListener("dblclick", () => { figure.zoomOut(); hide(); });
}

function nearest(lines, place, x, y) {
  let best = null, distance = 40;
  lines.forEach((l, line) => l.marks.forEach((m, mark) => {
    const [mx, my] = place(m), d = Math.hypot(mx - x, my - y);
    if (d < distance) [best, distance] = [{ line, mark }, d];
  }));
  return best;
}

const doubts = points => [...new Set(points.flatMap(warnings))];

// reading is what stands in the box beside a mark.
function reading(line, m) {
  const row = (name, text) => el("tr", {}, el("td", {}, name), el("td", {}, text));
  const range = (s, unit) => inUnit(unit, s.mid) + (m.points.length > 1 && s.max > s.min ? ` (${digits3(s.min / unit.per)} to ${digits3(s.max / unit.per)})` : "");
  const others = D.measures.filter(o => o.name !== state.measure), time = timeUnit(largest([m.y.max, ...others.map(o => m.of(o.name).mid)]));
  const first = m.points[0], cpu = column => digits3(spread(m.points, column).mid) + " ns";
  return [
    el("p", {}, swatch(line.style), " ", el("b", {}, line.label), el("br"), `${m.axisLabel}, ${counted(m.points.length, "repeat")}`,
      m.points.some(emulated) ? [" ", el("span", { class: "badge sim" }, "emulated")] : null),
    el("table", {}, row("throughput", range(m.x, rateUnit(m.x.max))), row(short(state.measure), range(m.y, time)),
      ...others.map(o => row(short(o.name), inUnit(time, m.of(o.name).mid))),
      row("server CPU per op", cpu("server_cpu_ns_per_op")), row("client CPU per op", cpu("client_cpu_ns_per_op"))),
    el("p", {}, el("b", {}, "Bottleneck: "), value("bottleneck", first)),
    doubts(m.points).length ? el("ul", { class: "doubts" }, doubts(m.points).map(d => el("li", {}, d))) : null,
  ].filter(Boolean);
}
