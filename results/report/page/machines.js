// The machines: one column a node, one row a fact. A fact that all nodes share stands once. On a narrow screen the rows become cards.
function machines() {
  const nodes = new Map(), changed = [];
  for (const n of D.nodes) {
    const key = `${n.source || ""} ${n.node} ${n.beside || ""}`, before = nodes.get(key); // sources of a merged run are runs of their own
    if (before) {
      const keys = Object.keys({ ...before, ...n }).filter(k => !transient.has(k) && JSON.stringify(before[k]) !== JSON.stringify(n[k]));
      if (keys.length) changed.push(`${n.node}: ${keys.map(words).join(", ")}`);
    }
    nodes.set(key, n);
  }
  const list = [...nodes.values()], keys = [...new Set(list.flatMap(n => Object.keys(n)))].filter(k => !["node", "findings", "source", "chain", "beside"].includes(k));
  $("#machines-table").replaceChildren(...(list.length ? [
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Node"), list.map(n => el("th", { scope: "col" }, (n.node || "?") + (n.source ? ` (source ${n.source})` : "") + (n.beside ? " (other build)" : ""))))),
    el("tbody", {}, keys.map(k => factRow(k, list)))] : [el("tbody", {}, el("tr", {}, el("td", {}, "The run folder says nothing of its machines.")))]));
  $("#findings").replaceChildren(...findings(list));
  return changed;
}
const transient = new Set(["read_at", "load_average", "findings", "chain"]);

function factRow(key, list) {
  const texts = list.map(n => fact(key, n[key])), head = el("th", { scope: "row" }, words(key));
  if (list.length > 1 && new Set(texts).size === 1) return el("tr", {}, head, el("td", { colspan: list.length, "data-node": "every node" }, texts[0]));
  return el("tr", {}, head, texts.map((text, i) => el("td", { "data-node": list[i].node || "?" }, text)));
}

function fact(key, v) {
  if (v == null) return "–";
  if (key.endsWith("_bytes") && v >= 1 << 10) return bytes(v);
  if (Array.isArray(v)) return typeof v[0] === "object" ? v.map(o => fact("", o)).join("; ") || "–" : v.join(" ");
  return typeof v === "object" ? Object.entries(v).map(([k, of]) => `${words(k)}: ${fact(k, of)}`).join(", ") : String(v);
}
function bytes(n) {
  const [per, unit] = [[2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"]].find(([per]) => n >= per);
  return +(n / per).toPrecision(3) + unit;
}

// findings are the doctor's verdicts, once for nodes with the same ones: what spoils a measurement first, then what is not known, then what is in order.
function findings(list) {
  const alike = [...Map.groupBy(list.filter(n => Array.isArray(n.findings)), n => JSON.stringify(n.findings)).values()];
  return alike.flatMap(nodes => {
    const all = nodes[0].findings, of = verdict => all.filter(f => f.verdict === verdict), spoils = of("spoils"), unknown = of("unknown"), rest = all.filter(f => f.verdict !== "spoils" && f.verdict !== "unknown");
    const plain = (title, some) => some.length ? el("details", {}, el("summary", {}, `${title}: ${counted(some.length, "check")}`), el("ul", {}, some.map(f => el("li", {}, el("b", {}, f.check + ": "), f.found)))) : null;
    return [el("h3", {}, "What dpukv doctor found on " + nodes.map(n => n.node || "?").join(", ")),
      spoils.length ? el("ul", { class: "findings" }, spoils.map(f => el("li", {}, el("span", { class: "badge warn" }, "spoils"), " ", el("b", {}, f.check + ": "), f.found,
        f.effect ? el("p", {}, "Effect: " + f.effect) : "", (f.mend || []).map(m => el("p", {}, "Mend: ", el("code", {}, m)))))) : el("p", { class: "quiet" }, "Nothing that spoils a measurement."),
      plain("Not known", unknown), plain("In order", rest)].filter(Boolean);
  });
}

function given() {
  $("#given").replaceChildren(...[["sweep.yaml", D.sweep], ["testbed.yaml", D.testbed]].filter(g => g[1])
    .flatMap(([name, text]) => [el("details", {}, el("summary", {}, name + ", as it was given"), el("pre", { tabindex: 0 }, text))]));
}

// notes are what a reader must know before believing any figure.
function notes(changed) {
  const all = Array.from({ length: D.count }, (_, i) => i), list = [];
  const say = (kind, ...text) => list.push(el("div", { class: "note " + kind }, ...text));
  const count = test => all.filter(test).length, bad = D.failed = count(failed), sim = count(emulated), warned = count(i => !failed(i) && warnings(i).length);
  if (bad) say("bad", `${counted(bad, "point")} of ${D.count} failed. `, el("a", { href: "#failed" }, "Why"));
  if (D.notes.length) say("bad", "The files of the run folder are not as a sweep writes them:", el("ul", {}, D.notes.slice(0, 20).map(n => el("li", {}, n)), D.notes.length > 20 ? el("li", {}, `and ${D.notes.length - 20} more`) : ""));
  if (sim) say("sim", `${counted(sim, "point")} of ${D.count} ${sim === 1 ? "was" : "were"} measured over emulated hardware${ways(all.filter(emulated))}. Compare them with each other, not with those of a card.`);
  if (warned) say("warn", `${counted(warned, "point")} of ${D.count} ${warned === 1 ? "carries" : "carry"} warnings: in the figures they have an exclamation mark, in the tables their text.`, D.warning_kinds.slice(0, 3).map(folded), moreKinds(D.warning_kinds.slice(3)));
  if (changed.length) say("warn", "A machine changed while the run was interrupted: ", changed.join("; "));
  $("#notes").replaceChildren(...list);
}
const moreKinds = kinds => kinds.length ? el("details", {}, el("summary", {}, `${counted(kinds.length, "more kind")} of warnings`), kinds.map(folded)) : "";
const ways = points => { const used = [...new Set(points.flatMap(i => [value("provider", i), value("emulated_testbed", i)]).filter(Boolean))]; return used.length ? ` (${used.join("; ")})` : ""; };
