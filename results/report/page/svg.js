// SvgContext has the part of a canvas's context that this page paints with, and writes SVG.
class SvgContext {
  constructor(width, height) {
    Object.assign(this, { width, height, out: [], d: "", groups: [0], clips: 0, dash: [] });
    Object.assign(this, { strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, font: "10px sans-serif", textAlign: "left" });
  }
  save() { this.groups.push(0); }
  restore() { this.out.push("</g>".repeat(this.groups.pop())); }
  open(attributes) { this.groups[this.groups.length - 1]++; this.out.push(`<g ${attributes}>`); }
  translate(x, y) { this.open(`transform="translate(${short3(x)} ${short3(y)})"`); }
  rotate(angle) { this.open(`transform="rotate(${short3(angle * 180 / Math.PI)})"`); }
  clip() { const id = "clip" + ++this.clips; this.out.push(`<clipPath id="${id}"><path d="${this.d}"/></clipPath>`); this.open(`clip-path="url(#${id})"`); }
  beginPath() { this.d = ""; }
  closePath() { this.d += "Z"; }
  moveTo(x, y) { this.d += `M${short3(x)} ${short3(y)}`; }
  lineTo(x, y) { this.d += `${this.d ? "L" : "M"}${short3(x)} ${short3(y)}`; }
  rect(x, y, w, h) { this.d += `M${short3(x)} ${short3(y)}h${short3(w)}v${short3(h)}h${short3(-w)}Z`; }
  arc(x, y, r) { this.d += `M${short3(x + r)} ${short3(y)}A${r} ${r} 0 1 1 ${short3(x - r)} ${short3(y)}A${r} ${r} 0 1 1 ${short3(x + r)} ${short3(y)}Z`; } // a whole circle
  setLineDash(dash) { this.dash = dash; }
  stroke() { this.out.push(`<path d="${this.d}" fill="none" stroke="${this.strokeStyle}" stroke-width="${short3(this.lineWidth)}"${this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : ""}/>`); }
  fill() { this.out.push(`<path d="${this.d}" fill="${this.fillStyle}"/>`); }
  fillRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.fill(); }
  measureText(text) { return measured(this.font, text); }
  fillText(text, x, y) {
    const [, bold, size, family] = /^(bold )?([\d.]+)px (.*)$/.exec(this.font), anchor = { left: "start", right: "end", center: "middle" }[this.textAlign];
    this.out.push(`<text x="${short3(x)}" y="${short3(y)}" fill="${this.fillStyle}" font-family="${family}" font-size="${size}"${bold ? ' font-weight="bold"' : ""} text-anchor="${anchor}">${escaped(text)}</text>`);
  }
  toString() { return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">${this.out.join("")}</svg>\n`; }
}
const short3 = x => +x.toFixed(3);
const escaped = text => String(text).replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
// measured is the width of a text, which a canvas of its own measures.
const measured = (font, text) => { const c = (measured.context ||= document.createElement("canvas").getContext("2d")); c.font = font; return c.measureText(text); };
