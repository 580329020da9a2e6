// How a panel is painted: on a canvas of the page, and into a file (sheet.js). A view is { c, px, X, Y, box, range }: the context, the
// pixels of a CSS pixel, the axes, the plot's rectangle, and the range of the axes.
function paintPanel(view, lines) {
  const { c, px, X, Y, box } = view;
  c.save();
  c.beginPath();
  c.rect(box.left, box.top, box.width, box.height + 6 * px);
  c.clip();
  paintBound(view);
  for (const line of lines) paintLine(c, px, line, X, Y);
  const within = lines.map(l => ({ ...l, marks: l.marks.filter(m => !beyond(m, view.range)) }));
  for (const line of within) paintMarks(c, px, line, X, Y);
  paintNumbers(c, px, within, X, Y, box);
  for (const line of lines) for (const m of line.marks) if (beyond(m, view.range)) paintBeyond(view, line, m);
  c.restore();
}

function paintBound({ c, px, Y, box }) {
  if (!state.bound || state.bound.measure !== state.measure) return;
  const y = Y(state.bound.ns);
  c.strokeStyle = c.fillStyle = css("--ink");
  c.lineWidth = px;
  c.setLineDash([2 * px, 3 * px]);
  c.beginPath(); c.moveTo(box.left, y); c.lineTo(box.left + box.width, y); c.stroke();
  c.setLineDash([]);
  c.font = 11 * px + "px system-ui, sans-serif";
  c.textAlign = "right";
  c.fillText(`${short(state.measure)} ≤ ${micros(state.bound.ns)}`, box.left + box.width - 4 * px, y - 4 * px);
}

// paintBeyond puts an arrow at the upper edge for a mark above it, with the mark's latency.
function paintBeyond({ c, px, X, box }, line, m) {
  const x = X(m.x.mid), top = box.top + 2 * px, text = micros(m.y.mid), left = x > box.left + box.width / 2;
  c.fillStyle = styleOf(line.style).color;
  c.beginPath(); c.moveTo(x, top); c.lineTo(x + 5 * px, top + 9 * px); c.lineTo(x - 5 * px, top + 9 * px); c.closePath(); c.fill();
  c.font = `bold ${11 * px}px system-ui, sans-serif`;
  c.textAlign = left ? "right" : "left";
  c.fillText(text, x + (left ? -8 : 8) * px, top + 9 * px);
}

function paintLine(c, px, line, X, Y) {
  const s = styleOf(line.style);
  c.strokeStyle = s.color;
  c.lineWidth = 1.8 * px;
  c.setLineDash(s.dash.map(d => d * px));
  c.beginPath();
  line.marks.forEach((m, i) => i ? c.lineTo(X(m.x.mid), Y(m.y.mid)) : c.moveTo(X(m.x.mid), Y(m.y.mid)));
  c.stroke();
  c.setLineDash([]);
  c.lineWidth = px;
  c.beginPath();
  for (const m of line.marks) {
    c.moveTo(X(m.x.min), Y(m.y.mid)); c.lineTo(X(m.x.max), Y(m.y.mid));
    c.moveTo(X(m.x.mid), Y(m.y.min)); c.lineTo(X(m.x.mid), Y(m.y.max));
  }
  c.stroke();
}

function paintMarks(c, px, line, X, Y) {
  const s = styleOf(line.style), ringed = knee(line)?.may || [];
  for (const m of line.marks) {
    const x = X(m.x.mid), y = Y(m.y.mid);
    c.beginPath();
    for (const [dx, dy] of s.corners) c.lineTo(x + dx * px, y + dy * px);
    c.closePath();
    c.fillStyle = s.hollow ? css("--panel") : s.color;
    c.fill();
    c.strokeStyle = s.color;
    c.lineWidth = 1.5 * px;
    c.stroke();
    if (ringed.includes(m)) {
      c.beginPath(); c.arc(x, y, 9 * px, 0, 7); c.strokeStyle = css("--ink"); c.lineWidth = 1.2 * px; c.stroke();
    }
    if (m.warned || doubtful(m.points)) {
      c.font = `bold ${11 * px}px system-ui, sans-serif`; c.fillStyle = css("--warn"); c.textAlign = "left";
      c.fillText("!", x + (ringed.includes(m) ? 9 : 6) * px, y + 12 * px);
    }
  }
}

// paintNumbers writes the axis's value at each mark where it covers nothing.
function paintNumbers(c, px, lines, X, Y, box) {
  if (lines.length > 6) return;
  const taken = obstacles(px, lines, X, Y);
  c.font = 11 * px + "px system-ui, sans-serif";
  c.fillStyle = css("--quiet");
  c.textAlign = "left";
  for (const line of lines) {
    const ringed = knee(line)?.may || [];
    if (line.marks.length > 1) for (const m of line.marks) {
      const w = c.measureText(m.axisText).width, h = 8 * px, gap = (ringed.includes(m) ? 12 : 9) * px, x = X(m.x.mid), y = Y(m.y.mid);
      const left = x - w - gap, right = x + gap, above = y - gap, below = y + gap + h;
      for (const [l, b] of [[x - w / 2, above], [left, above + 3 * px], [right, above + 3 * px], [left, y + h / 2], [left, below], [x - w / 2, below], [right, below], [right, y + h / 2]]) {
        const r = [l - px, b - h - px, l + w + px, b + px];
        if (r[0] < box.left || r[1] < box.top || r[2] > box.left + box.width || taken.some(t => r[0] < t[2] && t[0] < r[2] && r[1] < t[3] && t[1] < r[3])) continue;
        taken.push(r);
        c.fillText(m.axisText, l, b);
        break;
      }
    }
  }
}

// obstacles are the boxes [left, top, right, bottom] of marks, bars, exclamation marks and lines, a line being a row of small ones.
function obstacles(px, lines, X, Y) {
  const list = [], around = (x, y, rx, ry) => list.push([x - rx * px, y - ry * px, x + rx * px, y + ry * px]);
  for (const line of lines) {
    const ringed = knee(line)?.may || [];
    line.marks.forEach((m, i) => {
      const x = X(m.x.mid), y = Y(m.y.mid), r = ringed.includes(m) ? 10 : 6;
      around(x, y, r, r);
      if (doubtful(m.points)) around(x + (r + 2) * px, y + 8 * px, 3, 5);
      list.push([x - px, Y(m.y.max), x + px, Y(m.y.min)], [X(m.x.min), y - px, X(m.x.max), y + px]);
      if (!i) return;
      const fx = X(line.marks[i - 1].x.mid), fy = Y(line.marks[i - 1].y.mid), steps = Math.ceil(Math.hypot(x - fx, y - fy) / (3 * px));
      for (let s = 1; s < steps; s++) around(fx + (x - fx) * s / steps, fy + (y - fy) * s / steps, 2, 2);
    });
  }
  return list;
}
