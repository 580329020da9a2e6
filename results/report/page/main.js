// Putting it together.
let figures = [];

function render(focus) {
  const lines = shownLines(), chosen = legend(lines, render), drawn = lines.filter(l => chosen.has(l.label)), panels = panelsOf(drawn);
  draw(panels);
  madeOf(drawn);
  paintBeneath();
  const keys = new Set(lines.map(l => l.label)).size, said = [];
  if (keys > maxLines) said.push(`The first ${maxLines} of ${keys} lines are drawn, as more can't be told apart: filter to see others.`);
  if (panels.length > maxPanels) said.push(`The first ${maxPanels} of ${panels.length} figures are drawn.`);
  if (!lines.length) said.push(D.count ? "The filters leave nothing to draw." : "There is nothing to draw yet.");
  $("#drawn").textContent = said.join(" ");
  limitsTable(lines);
  pointsTable(lines, render);
  failedTable();
  if (focus === "sort") $(`#points-table [data-head="${CSS.escape(state.sort?.head || "")}"]`)?.focus();
  else if (focus === "range") $("figure .range")?.focus();
  else if (focus) $(`#legend [data-label="${CSS.escape(focus)}"]`)?.focus();
}

function draw(panels) {
  for (const f of figures) f.u?.destroy();
  const fits = new Map(), bad = failedPoints(), by = [dim("store"), ...(state.panel ? [dim(state.panel)] : [])];
  figures = panels.slice(0, maxPanels).map(p => {
    return new Figure(p, rangeFor(p, panels, fits), bad.filter(i => by.map(d => at(d, i)).join() === p.key));
  });
  exporting(figures, panels);
  $("#panels").replaceChildren(...figures.map(f => f.box));
  for (const f of figures) { f.draw(); readable(f, $("#said")); }
}

// rangeFor is the range that a panel shares with the others of its store, or with all if the reader asks for that.
function rangeFor(panel, panels, fits) {
  const key = state.shared ? "" : panel.store;
  if (!fits.has(key)) fits.set(key, rangeOf(panels.filter(o => state.shared || o.store === panel.store).flatMap(o => o.lines)));
  return fits.get(key);
}

function subtitle() {
  const began = Array.from({ length: D.count }, (_, i) => value("started_at", i)).filter(t => t && !t.startsWith("0001")).sort();
  const when = began.length ? "measured " + began[0].slice(0, 16).replace("T", " ") + (began.at(-1).slice(0, 16) !== began[0].slice(0, 16) ? " to " + began.at(-1).slice(0, 16).replace("T", " ") : "") + " UTC" : "";
  const few = name => { const d = dim(name); return d.labels.length <= 4 ? d.labels.filter(Boolean).join(", ") : counted(d.labels.length, name); };
  const placements = dim("placement").values, placed = placements.length > 6 ? [few("placement")] : placements.filter(Boolean).flatMap((p, i) => [i ? ", " : "", word(p)]);
  $("#subtitle").replaceChildren(...[[few("store")], placed, [counted(D.count, "point")], [D.beneath.count ? counted(D.beneath.count, "probe") : ""], [when]].filter(part => part.some(Boolean)).flatMap((part, i) => [i ? " · " : "", ...part]));
  $("#about").textContent = `Made ${D.made} by dpukv ${D.version} from ${D.dir}. Digest of the run: ${D.digest}. Charts: uPlot 1.6.32 (MIT).`;
  $("#busy").textContent = percent(D.busy_share);
}

// show fills the page anew. What the reader opened stays open.
function show() {
  const folds = () => [...document.querySelectorAll("main details")], name = d => d.querySelector("summary").textContent.replace(/\d+/g, "");
  const opened = new Set(folds().filter(d => d.open).map(name));
  subtitle();
  given();
  notes(machines());
  headline();
  claims();
  wordList();
  offload();
  beneath();
  for (const d of folds()) d.open ||= opened.has(name(d));
  render();
}

function begin() {
  take(JSON.parse($("#data").textContent));
  $("#data").remove();
  state.measure = D.measure;
  state.bound = D.bound;
  themeButton(render);
  controls(render);
  newDims();
  show();
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; for (const f of figures) { f.draw(); } paintBeneath(); } });
  if (served) follow();
  requestAnimationFrame(() => setTimeout(() => { performance.mark("drawn"); document.documentElement.dataset.ready = "true"; }));
}

// follow has the page filled up while a sweep runs: the server tells when there is more.
function follow() {
  const live = $("#live"), events = new EventSource("events");
  const say = (text, on) => { live.textContent = text; live.classList.toggle("on", on); live.hidden = false; };
  let busy = false, again = false;
  const fetchData = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const reply = await fetch("data.json");
      if (reply.ok) {
        const focus = document.activeElement;
        take(await reply.json());
        if (newDims()) { // there is more to choose from
          $("#controls").replaceChildren();
          controls(render);
        }
        show();
        if (focus && document.contains(focus)) focus.focus();
      }
    } catch { // The server has gone: what is there stays.
    } finally { busy = false; if (again) { again = false; fetchData(); } }
  };
  events.addEventListener("points", e => { say(e.data, true); fetchData(); });
  events.addEventListener("ended", e => { say(e.data, false); fetchData(); events.close(); });
  events.onerror = () => say("The sweep has ended or can't be reached: this is what was there before.", false);
  say("Live", true);
}
let knownDims = "";
function newDims() {
  const now = D.dims.map(d => d.values.join()).join("|");
  return now !== knownDims && ((knownDims = now), true);
}

begin();
