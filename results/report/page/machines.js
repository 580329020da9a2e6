// The machines: one column a node, one row a fact; facts that are the same everywhere are still said.
function machines() {
  const nodes = new Map(), changed = [];
  for (const n of D.nodes) {
    const before = nodes.get(n.node);
    if (before) {
      const keys = Object.keys({ ...before, ...n }).filter(k => !transient.has(k) && JSON.stringify(before[k]) !== JSON.stringify(n[k]));
      if (keys.length) changed.push(`${n.node}: ${keys.map(words).join(", ")}`);
    }
    nodes.set(n.node, n);
  }
  const list = [...nodes.values()], keys = [...new Set(list.flatMap(n => Object.keys(n)))].filter(k => k !== "node");
  $("#machines-table").replaceChildren(
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Node"), list.map(n => el("th", { scope: "col" }, n.node || "?")))),
    el("tbody", {}, keys.map(k => el("tr", {}, el("th", { scope: "row" }, words(k)), list.map(n => el("td", { class: "wide" }, fact(k, n[k])))))));
  if (!list.length) $("#machines-table").replaceChildren(el("tbody", {}, el("tr", {}, el("td", {}, "The run folder says nothing of its machines."))));
  return changed;
}
const transient = new Set(["read_at", "load_average"]);

function fact(key, v) {
  if (v == null) return "–";
  if (key.endsWith("_bytes") && v >= 1 << 20) return digits3(v / 2 ** 30) + " GiB";
  if (Array.isArray(v) && typeof v[0] !== "object") return v.join(" ");
  return typeof v === "object" ? JSON.stringify(v) : String(v);
}

function given() {
  $("#given").replaceChildren(...[["sweep.yaml", D.sweep], ["testbed.yaml", D.testbed]].filter(g => g[1])
    .flatMap(([name, text]) => [el("details", {}, el("summary", {}, name + ", as it was given"), el("pre", { tabindex: 0 }, text))]));
}

// notes are what a reader must know before believing any figure.
function notes(changed) {
  const all = Array.from({ length: D.count }, (_, i) => i), list = [];
  const say = (kind, ...text) => list.push(el("div", { class: "note " + kind }, ...text));
  const count = test => all.filter(test).length, bad = count(failed), sim = count(emulated), warned = count(i => !failed(i) && warnings(i).length);
  if (bad) say("bad", `${counted(bad, "point")} of ${D.count} failed. `, el("a", { href: "#failed" }, "Why"));
  if (D.notes.length) say("bad", "Lines of the run folder could not be read and are left out:", el("ul", {}, D.notes.slice(0, 20).map(n => el("li", {}, n)), D.notes.length > 20 ? el("li", {}, `and ${D.notes.length - 20} more`) : ""));
  if (sim) say("sim", `${counted(sim, "point")} of ${D.count} ${sim === 1 ? "was" : "were"} measured over emulated hardware${ways(all.filter(emulated))}. Compare them with each other, not with those of a card.`);
  if (warned) say("warn", `${counted(warned, "point")} of ${D.count} ${warned === 1 ? "carries" : "carry"} warnings: in the figures they have an exclamation mark, in the tables their text.`);
  if (changed.length) say("warn", "A machine changed while the run was interrupted: ", changed.join("; "));
  $("#notes").replaceChildren(...list);
}
const ways = points => { const used = [...new Set(points.flatMap(i => [value("provider", i), value("emulated_testbed", i)]).filter(Boolean))]; return used.length ? ` (${used.join("; ")})` : ""; };
