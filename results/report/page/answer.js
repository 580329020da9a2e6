// What the run shows, its warnings, and the study's claims: the words come from package report, which tests them.
function headline() {
  const h = D.headline, said = { sure: ["good", "sure"], "far apart": ["good", "far apart"], mixed: ["warn", "some cases are sure"], "no difference": ["warn", "not sure"], "too few repeats": ["warn", "not sure"], only: ["warn", "not tested"], alone: ["", "nothing to compare"], none: ["bad", "no throughput"] };
  $("#answer").hidden = !h;
  if (!h) return;
  const badge = v => el("span", { class: "badge " + said[v][0] }, said[v][1]);
  const cases = h.cases.length > 1 ? h.cases : [], warned = new Map();
  for (const c of h.cases) for (const w of c.warnings || []) warned.set(w, [...(warned.get(w) || []), c.condition]);
  $("#headline").replaceChildren(...[
    el("p", { class: "answer" }, h.emulated ? [el("span", { class: "badge sim" }, "emulated"), " "] : "", badge(h.verdict), " ", h.text),
    h.emulated ? el("p", { class: "simulated" }, `Emulated, not hardware: ${h.emulated}.`) : null,
    h.failed ? el("p", { class: "failures" }, h.failed + " ", el("a", { href: "#failed" }, "Why")) : null,
    cases.length ? null : doubted(h.cases[0].warnings || []),
    cases.length ? el("details", { class: "cases", open: cases.length <= 4 }, el("summary", {}, `The ${cases.length} cases`), el("ul", {}, cases.slice(0, 60).map(c =>
      el("li", {}, el("b", {}, c.condition ? c.condition + ": " : ""), badge(c.verdict), " ", c.text, doubted(c.warnings || []))), cases.length > 60 ? el("li", {}, `and ${cases.length - 60} more`) : "")) : null,
    el("p", { class: "quiet" }, "Median throughput; tests at 5 %: by rounds, or by all repeats where the rounds are too few; corrected over all cases. Filters and controls don't change this text."),
  ].filter(Boolean));
}
const doubted = list => list.length ? el("p", { class: "doubt" }, "! Warnings: " + list.join(", ")) : null;

const maxFolded = 200; // points below a warning
// folded is a warning's kind with its points behind it.
function folded(kind) {
  const all = D.count - D.failed;
  return el("details", { class: "fold" },
    el("summary", {}, el("b", {}, `${kind.points.length} of ${counted(all, "point")}: `), kind.title),
    kind.title === kind.example ? "" : el("p", {}, "Such as: " + kind.example),
    el("p", { class: "ids" }, kind.points.slice(0, maxFolded).flatMap(i => [pointLink(i, value("id", i)), " "]), kind.points.length > maxFolded ? `and ${kind.points.length - maxFolded} more` : ""));
}

// claims lists the findings of papers beside this run, the measured ones first.
function claims() {
  const c = D.claims, n = verdict => c.count[verdict] || 0, colors = { agrees: "good", disagrees: "bad", inconclusive: "warn" };
  const all = Object.values(c.count).reduce((a, b) => a + b, 0);
  $("#claims-lead").textContent = `Of ${counted(all, "case")} of ${counted(c.claims, "claim")} of the study and of Lynx (ASPLOS '20), ${n("agrees")} agree, ${n("disagrees")} disagree, ${n("inconclusive")} ${areOf(n("inconclusive"))} inconclusive, and ${n("not measured")} ${areOf(n("not measured"))} not measured by this run. dpukv claims takes several runs together.`;
  const list = c.cases.map(o => el("li", {},
    el("p", { class: "claim" }, el("span", { class: "badge " + colors[o.verdict] }, o.word), " ", o.substitute ? [el("span", { class: "badge sim" }, "emulated or substitute parts"), " "] : "", el("b", {}, o.says)),
    el("p", {}, o.about ? o.about + ": " : "", `${o.origin} ${o.study}, this run ${o.yours}`),
    el("p", { class: "quiet" }, `${o.finding} (${o.section}); ${o.behind}`),
    o.why ? el("p", { class: "doubt" }, o.why) : "",
    o.substitute ? el("p", { class: "quiet" }, "Not the hardware of that paper, but " + o.substitute) : "",
    o.doubts.length ? el("details", {}, el("summary", { class: "quiet" }, "Warnings about the method there"), el("ul", { class: "quiet" }, o.doubts.map(d => el("li", {}, d.study, d.instead ? ". This run: " + d.instead : "")))) : ""));
  const missing = c.not_measured.map(o => el("li", {}, el("b", {}, o.finding + ": "), o.says, ". ", el("span", { class: "quiet" }, (o.cases > 1 ? `${o.cases} cases. ` : "") + sentence(o.why))));
  $("#claims-list").replaceChildren(...[
    list.length ? el("ul", { class: "claims" }, list) : null,
    missing.length ? el("details", {}, el("summary", {}, `Not measured by this run: ${counted(n("not measured"), "case")} of ${counted(missing.length, "claim")}`), el("ul", {}, missing)) : null,
  ].filter(Boolean));
}
