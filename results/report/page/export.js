// Files of the figures, which the page makes by itself.
let shownPanels = [];

// saveButtons save one panel as it is shown.
function saveButtons(panel) {
  const button = kind => el("button", { type: "button", class: "small", title: `Save this figure as ${kind.toUpperCase()}`, "data-save": kind, onclick: () => save(kind, () => new Sheet([cellsOf([panel], shownPanels, state.measure)]), panel.title) }, kind.toUpperCase());
  return el("span", { class: "save" }, button("svg"), button("png"));
}

// exporting offers one file with all panels: as they are shown, or with a row for each of three latencies.
function exporting(figures, panels) {
  shownPanels = panels;
  const all = panels.slice(0, maxPanels), layouts = [["shown", "in this layout", () => new Sheet(rowsOf(all, [state.measure]))], ["rows", "with rows of p50, p99 and p99.9", () => new Sheet(rowsOf(all, ["p50", "p99", "p999"]))]];
  const button = (kind, name, sheet) => el("button", { type: "button", class: "small", "data-save-all": kind + "-" + name, onclick: () => save(kind, sheet, "all-" + name) }, kind.toUpperCase());
  $("#export").replaceChildren(...(all.length ? ["Save all figures in one file: ", ...layouts.flatMap(([name, says, sheet]) => [el("span", { class: "layout" }, says + " ", button("svg", name, sheet), button("png", name, sheet))])] : []));
}

const pngScale = 3; // pixels of a PNG for one of the page

// save paints a sheet with the colours of the light page, which paper has, and hands it to the browser as a file.
function save(kind, sheetOf, title, measure = state.measure) {
  const theme = document.documentElement.dataset.theme, name = [D.name, title, measure].filter(Boolean).join("-").toLowerCase().replace(/[^a-z0-9.]+/g, "-") + "." + kind;
  document.documentElement.dataset.theme = "light";
  try {
    const sheet = sheetOf();
    if (kind === "svg") {
      const c = new SvgContext(sheet.width, sheet.height);
      sheet.paint(c);
      hand(name, new Blob([c.toString()], { type: "image/svg+xml" }));
      return;
    }
    const canvas = el("canvas", { width: sheet.width * pngScale, height: sheet.height * pngScale }), c = canvas.getContext("2d");
    c.scale(pngScale, pngScale);
    sheet.paint(c);
    canvas.toBlob(blob => hand(name, blob), "image/png");
  } finally { document.documentElement.dataset.theme = theme; }
}

function hand(name, blob) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
