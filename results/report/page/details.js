// Every field of one point, in a dialog, with a way to the other repeats of its mark. Lists of objects become tables, whatever is in them.
function details(i, among) {
  const repeats = (among || []).slice(0, maxRows);
  const dialog = $("#details"), plain = [], nested = [];
  for (const name of D.order) {
    const v = value(name, i);
    if (v === null || v === "" || /^stages_/.test(name) && !value(name, i) || name === "warnings" || name === "by_op" || name === "bottleneck_why" || name === "id" || name === "error") continue;
    (typeof v === "object" && (!Array.isArray(v) || typeof v[0] === "object") ? nested : plain).push([name, v]);
  }
  dialog.replaceChildren(
    el("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
    el("h2", { id: "details-head", tabindex: -1, autofocus: true }, value("id", i)),
    among && among.length > 1 ? el("div", { class: "repeats" }, "Repeat ", repeats.map(j => el("button", { type: "button", "aria-current": j === i ? "true" : null, onclick: () => details(j, among) }, String(value("repeat", j)))), " ", unlisted(repeats.length, among.length, inExport)) : "",
    failed(i) ? el("p", { class: "note bad" }, "Failed: " + value("error", i)) : sides(i),
    ...kinds(i),
    ...stages(i),
    warnings(i).length ? el("div", { class: "note warn" }, el("ul", {}, warnings(i).map(w => el("li", {}, w)))) : "",
    ...nested.flatMap(([name, v]) => [el("h3", {}, words(name)), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words(name) }, objects(Array.isArray(v) ? v : [v]))]),
    el("h3", {}, "All fields"),
    el("div", { class: "fields" }, plain.map(([name, v]) => el("div", {}, el("span", {}, name), el("span", {}, field(v))))),
  );
  if (!dialog.open) dialog.showModal();
  $("[aria-current]", dialog)?.focus();
  dialog.scrollTop = 0;
}

function sides(i) {
  const ns = side => digits3(value(side + "_cpu_ns_per_op", i)) + " ns of CPU per operation, " + percent(value(side + "_cpu_share", i)) + " of its CPUs' time";
  return el("div", {}, el("p", {}, el("b", {}, "Bottleneck: " + value("bottleneck", i)), ". ", sentence(value("bottleneck_why", i))),
    el("div", { class: "sides" }, el("p", {}, el("b", {}, "Client. "), ns("client") + compute(i)), el("p", {}, el("b", {}, "Server. "), ns("server") + perCore(i))));
}

// The kinds of operations (results.ByOp) and the share of hits, of a point that has them.
function kinds(i) {
  const list = value("by_op", i) || [], of = (kind, name) => kind[`latency_${name}_ns`];
  if (!list.length) return [];
  const unit = timeUnit(largest(list.map(kind => of(kind, "p99")))), gets = value("gets", i), names = ["mean", "p50", "p95", "p99", "p999", "max"];
  const interval = value("hit_rate_interval_sections", i) ? ` (95 % interval: ${percent(value("hit_rate_interval_lo", i))} to ${percent(value("hit_rate_interval_hi", i))})` : "";
  return [el("h3", {}, "By kind of operation"), gets ? el("p", {}, `${percent(value("hits", i) / gets)} of the GETs found their key${interval}.`) : "",
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "By kind of operation" }, el("table", {}, el("thead", {}, el("tr", {}, ["", "operations", ...names.map(n => n.replace("p999", "p99.9") + ", " + unit.name)].map(h => el("th", { scope: "col", class: "num" }, h)))),
      el("tbody", {}, list.map(kind => el("tr", {}, el("td", {}, D.kinds[kind.op] || kind.op), num(field(kind.ops)), names.map(n => num(digits3(of(kind, n) / unit.per)))))))),
    el("p", { class: "quiet" }, "Latency counts from the send, in an open loop from the intended one. Operations without an answer have no kind, and fills are no operations of the load.")];
}

// The stages of the mean latency in their order (results.Stages), of a point that has them.
const STAGES = [["stages_before_send_ns", "before the send"], ["stages_client_queue_ns", "client queue"], ["stages_server_residence_ns", "server"], ["stages_rest_ns", "rest: wire and kernels"]];

function stages(i) {
  if (!value("stages_server_residence_ns", i)) return [];
  const whole = value("latency_mean_ns", i), unit = timeUnit(whole), parts = STAGES.map(([column, title], n) => ({ title, ns: value(column, i), color: `var(--line${n})` }));
  const key = color => { const e = el("span", { class: "key" }); e.style.background = color; return e; };
  const bar = el("div", { class: "stack", "aria-hidden": "true" }, parts.map(p => { const e = key(p.color); e.style.flexGrow = Math.max(p.ns, 0) / whole; return e; }));
  return [el("h3", {}, "Where the time goes"), bar,
    el("table", { class: "stages" }, el("tbody", {}, parts.map(p => el("tr", {}, el("td", {}, key(p.color), " ", p.title), num(inUnit(unit, p.ns)), num(percent(p.ns / whole)))),
      el("tr", {}, el("td", {}, el("b", {}, "mean latency")), num(inUnit(unit, whole)), num("")))),
    el("p", { class: "quiet" }, "The rest is a remainder, not a measurement: it includes the wait in the server's socket" + (value("compute_ns", i) ? ", and the wait for the end of a compute." : "."))];
}

function compute(i) {
  if (!value("compute_ns", i)) return "";
  return ", " + digits3(value("compute_cpu_ns_per_op", i)) + " ns of it compute, which hides " + digits3(value("overlap_percent", i)) + " % of a batch's time";
}

function perCore(i) {
  const said = [["host_ops_per_core_s", "host"], ["dpu_ops_per_core_s", "DPU"]].filter(([column]) => value(column, i)).map(([column, kind]) => mops(value(column, i)) + " per busy core-second of the " + kind);
  return said.length ? ". " + said.join(", ") : "";
}

const field = v => Array.isArray(v) ? v.join(" ") || "–" : typeof v === "number" ? v.toLocaleString("en", { maximumFractionDigits: 4 }).replace(/,/g, " ") : String(v);

function objects(list) {
  const keys = [...new Set(list.flatMap(o => Object.keys(o)))];
  const derived = list.every(o => "ops" in o && "batches" in o) ? [["ops per batch", o => o.batches ? digits3(o.ops / o.batches) : "–"]] : [];
  const text = v => v == null ? "–" : typeof v === "object" && !Array.isArray(v) ? JSON.stringify(v) : field(v);
  return el("table", {}, el("thead", {}, el("tr", {}, [...keys.map(words), ...derived.map(d => d[0])].map(k => el("th", { scope: "col", class: "num" }, k)))),
    el("tbody", {}, list.map(o => el("tr", {}, keys.map(k => num(text(o[k]))), derived.map(d => num(d[1](o)))))));
}
