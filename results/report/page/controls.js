// The controls above the figures. Each changes the state and has everything drawn anew.
function controls(render) {
  const form = $("#controls");
  form.addEventListener("submit", e => e.preventDefault());
  const panels = D.dims.filter(d => d.varies && d.name !== "store" && d.values.length <= maxPanels && !D.lines.some(l => l.axis === d.name));
  state.panel = [state.panelChosen, "get_ratio", ""].find(name => name === "" || panels.some(d => d.name === name));
  form.append(
    choices("Latency", D.measures.map(m => [m.name, short(m.name)]), state.measure, v => { state.measure = v; render(); }),
    openLoop() ? choices("Counted from", [["", "intended send"], ["actual", "actual send"]], state.actual ? "actual" : "", v => { state.actual = v === "actual"; render(); }) : "",
    choices("Latency axis", [["", "linear"], ["log", "log"]], state.logY ? "log" : "", v => { state.logY = v === "log"; render(); }),
    choices("Throughput axis", [["", "linear"], ["log", "log"]], state.logX ? "log" : "", v => { state.logX = v === "log"; render(); }),
    dim("store").varies ? choices("Axes", [["", "of each store"], ["shared", "shared"]], state.shared ? "shared" : "", v => { state.shared = v === "shared"; render(); }) : "",
    panels.length ? el("label", { class: "field" }, el("span", {}, "A figure for each"), select([["", "store"], ...panels.map(d => [d.name, d.title])], state.panel, v => { state.panel = state.panelChosen = v; state.hidden.clear(); render(); })) : "",
    boundField(render),
  );
  filters(render);
}
const openLoop = () => dim("loop").values.includes("open");

function choices(legend, options, chosen, change) {
  const name = "c" + legend.replace(/\W/g, "");
  return el("fieldset", {}, el("legend", {}, legend), el("span", { class: "choices" }, options.map(([v, text]) =>
    el("label", {}, el("input", { type: "radio", name, value: v, checked: v === chosen, onchange: () => change(v) }), text))));
}
function select(options, chosen, change) {
  return el("select", { onchange: e => change(e.target.value) }, options.map(([v, text]) => el("option", { value: v, selected: v === chosen }, text)));
}

// boundField takes "200us", "1.5 ms" or a number of microseconds, for the latency that is shown.
function boundField(render) {
  const text = state.bound ? micros(state.bound.ns) : "";
  return el("label", { class: "field" }, el("span", {}, "Bound of this latency"), el("input", {
    id: "bound", type: "text", value: text, placeholder: "such as 200 µs", spellcheck: "false", autocomplete: "off",
    oninput: e => {
      const found = /^\s*([\d.]+)\s*(ns|us|µs|μs|ms|s)?\s*$/.exec(e.target.value), ns = found && found[1] * { ns: 1, ms: 1e6, s: 1e9 }[found[2]] || found && found[1] * 1e3;
      e.target.setAttribute("aria-invalid", String(e.target.value.trim() !== "" && !(ns > 0)));
      state.bound = ns > 0 ? { measure: state.measure, ns } : null;
      render();
    },
  }));
}

const maxValues = 60; // of a dimension that are offered
function filters(render) {
  allLines();
  const varying = tellingDims().filter(d => d.values.length <= maxValues);
  $("#filters").replaceChildren(...varying.map(d => {
    const out = state.filter.get(d.name) || new Set();
    state.filter.set(d.name, out);
    return el("fieldset", {}, el("legend", {}, d.title + " "), d.values.map(v => el("label", {},
      el("input", { type: "checkbox", checked: !out.has(v), "data-dim": d.name, "data-value": v, onchange: e => { e.target.checked ? out.delete(v) : out.add(v); render(); } }),
      v === "" ? "none" : v)));
  }));
}

// legend lists the labels, each a button that hides its lines, and returns those that are to be drawn.
function legend(lines, render) {
  const unique = [...new Map(lines.map(l => [l.label, l])).values()].slice(0, maxLines);
  $("#legend").replaceChildren(...(unique.length < 2 ? [] : unique.map(l => el("button", {
    type: "button", "aria-pressed": String(!state.hidden.has(l.label)), title: [WORDS[labelOf(dim("placement"), l.first)], "Show or hide this line"].filter(Boolean).join(" "), "data-label": l.label,
    onclick: () => { state.hidden.has(l.label) ? state.hidden.delete(l.label) : state.hidden.add(l.label); render(l.label); },
  }, swatch(l.style), l.label))));
  return new Set(unique.map(l => l.label).filter(k => !state.hidden.has(k)));
}

function themeButton(render) {
  const button = $("#theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = theme => {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light page" : "Dark page";
  };
  apply(dark.matches ? "dark" : "light");
  button.onclick = () => { apply(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); render(); };
  dark.addEventListener("change", () => { apply(dark.matches ? "dark" : "light"); render(); });
  let before;
  addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; apply("light"); render(); });
  addEventListener("afterprint", () => { apply(before); render(); });
}
