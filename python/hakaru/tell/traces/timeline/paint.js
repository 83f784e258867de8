// The picture: rows over time, messages, the critical path, the axis.
const LEFT = 74, TOP = 22, MOST_LINES = 4000;

class Painter {
  constructor(data, canvas) {
    this.data = data;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  x(time) { return LEFT + ((time - this.view.from) / (this.view.to - this.view.from)) * (this.width - LEFT); }
  y(row) { return TOP + ((row - this.view.top) / (this.view.bottom - this.view.top)) * (this.height - TOP); }
  time(x) { return this.view.from + ((x - LEFT) / (this.width - LEFT)) * (this.view.to - this.view.from); }
  row(y) { return this.view.top + ((y - TOP) / (this.height - TOP)) * (this.view.bottom - this.view.top); }

  paint(view, colours, shown) {
    Object.assign(this, { view, colours, shown });
    const c = this.context;
    c.fillStyle = colours.paper;
    c.fillRect(0, 0, this.width, this.height);
    this.exact = this.usesSingles();
    this.level = this.data.levelFor(view.to - view.from, this.width - LEFT);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP, this.width - LEFT, this.height - TOP);
    c.clip();
    this.rows();
    if (shown.messages) this.messages();
    if (shown.path) this.path();
    c.restore();
    this.axis();
    this.labels();
  }

  // Single calls where they are all there and bins would be wider than a pixel.
  usesSingles() {
    const { singles, levels } = this.data;
    if (!singles || this.shown.mode === "shares") return false;
    const finest = levels[levels.length - 1].bins, span = this.view.to - this.view.from;
    if ((this.width * this.data.length_s) / span > finest) return true;
    return singles.count(this.view.from, this.view.to) < 20000;
  }

  rows() {
    const first = Math.max(0, Math.floor(this.view.top));
    const last = Math.min(this.data.rows.length, Math.ceil(this.view.bottom));
    const thick = this.y(1) - this.y(0);
    const step = Math.max(1, Math.floor(1 / Math.max(thick, 1e-6)));  // no more rows than pixels
    const gap = thick > 5 ? 1 : 0;
    for (let row = first; row < last; row += step) {
      const top = this.y(row), height = Math.max(1, thick * step - gap);
      if (this.shown.mode === "shares") this.shares(row, top, height);
      else if (this.exact) this.pieces(row, top, height);
      else this.cells(row, top, height);
    }
  }

  colour(number) {
    const list = this.shown.mode === "phases" ? this.colours.phases : this.colours.states;
    return list[number] || this.colours.muted;
  }

  dimmed(state, phase) {
    const { found } = this.shown;
    return found && !found.states.has(state) && !found.phases.has(phase);
  }

  bar(x, y, width, height, number, dim) {
    this.context.globalAlpha = dim ? 0.13 : 1;
    this.context.fillStyle = this.colour(number);
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  // Neighbouring bins of one colour are one bar.
  cells(row, top, height) {
    const bins = this.level.bins, states = this.level.get("states"), phases = this.level.get("phases");
    const shown = this.shown.mode === "phases" ? phases : states;
    const [first, last] = this.binsIn(bins), base = row * bins;
    let begin = first;
    const differs = (a, b) => shown[a] !== shown[b] ||
      (this.shown.found && this.dimmed(states[a], phases[a]) !== this.dimmed(states[b], phases[b]));
    for (let bin = first; bin < last; ++bin) {
      if (bin + 1 < last && !differs(base + bin, base + bin + 1)) continue;
      const from = this.xOfBin(begin, bins), to = this.xOfBin(bin + 1, bins);
      if (shown[base + bin] !== NOTHING)
        this.bar(from, top, to - from, height, shown[base + bin], this.dimmed(states[base + bin], phases[base + bin]));
      begin = bin + 1;
    }
  }

  binsIn(bins) {
    const { data, view } = this;
    const at = (time) => ((time - data.from_s) / data.length_s) * bins;
    return [Math.max(0, Math.floor(at(view.from))), Math.min(bins, Math.ceil(at(view.to)))];
  }
  xOfBin(bin, bins) { return this.x(this.data.from_s + (bin / bins) * this.data.length_s); }

  pieces(row, top, height) {
    const s = this.data.singles;
    let index = Math.max(s.first[row], s.before(row, this.view.from));
    let covered = -1;
    for (; index < s.first[row + 1] && s.begin[index] < this.view.to; ++index) {
      const from = this.x(s.begin[index]), to = this.x(s.begin[index] + s.seconds[index]);
      if (to < covered + 0.3 && to - from < 0.3) continue;  // hidden by its neighbour
      const number = this.shown.mode === "phases" ? s.phases[index] : s.states[index];
      this.bar(from, top, Math.max(0.4, to - from), height, number, this.dimmed(s.states[index], s.phases[index]));
      covered = to;
    }
  }

  // Computing from below, waiting from above.
  shares(row, top, height) {
    const bins = this.level.bins, base = row * bins, [first, last] = this.binsIn(bins), c = this.context;
    const parts = ["computing", "communicating", "waiting"].map((name) => [this.level.get(name), this.colours.shares[name]]);
    for (let bin = first; bin < last; ++bin) {
      const x = this.xOfBin(bin, bins), width = Math.max(1, this.xOfBin(bin + 1, bins) - x);
      let bottom = top + height;
      for (const [bytes, colour] of parts) {
        const part = (height * bytes[base + bin]) / 255;
        if (part <= 0) continue;
        c.fillStyle = colour;
        c.fillRect(x, bottom - part, width, part);
        bottom -= part;
      }
    }
  }

  messages() {
    const c = this.context, { data, view } = this;
    this.lines = [];
    for (const tile of data.tilesIn(view.from, view.to))
      tile.entries.forEach((entry, nth) => {
        // A sum stands for messages all over its tile: its place there only keeps it apart from others.
        const apart = tile.from_s + (((nth + 0.5) * 0.618034) % 1) * (tile.to_s - tile.from_s);
        const shift = tile.single ? 0 : apart - (entry[2] + entry[3]) / 2;
        if (entry[3] + shift < view.from || entry[2] + shift > view.to) return;
        const rows = tile.single ? [data.rowOf(entry[0]), data.rowOf(entry[1])] : [entry[0], entry[1]];
        this.lines.push({ entry, single: tile.single, rows, shift });
      });
    this.lines.sort((a, b) => b.entry[4] - a.entry[4]);
    this.lines.length = Math.min(this.lines.length, MOST_LINES);
    const most = Math.max(1, Math.log2(1 + (this.lines[0]?.entry[4] ?? 0)));
    c.strokeStyle = this.colours.ink;
    for (const line of this.lines) {
      const [, , sent, received, bytes] = line.entry;
      line.points = [this.x(sent + line.shift), this.y(line.rows[0] + 0.5), this.x(received + line.shift), this.y(line.rows[1] + 0.5)];
      c.globalAlpha = line.single ? 0.75 : 0.15;
      c.lineWidth = line.single ? 0.9 : 0.4 + (2.6 * Math.log2(1 + bytes)) / most;
      c.beginPath();
      c.moveTo(line.points[0], line.points[1]);
      c.lineTo(line.points[2], line.points[3]);
      c.stroke();
      if (line.single) c.strokeRect(line.points[2] - 1, line.points[3] - 1, 2, 2);
    }
    c.globalAlpha = 1;
  }

  // Where it is; how it goes from rank to rank only while that can be seen.
  path() {
    const c = this.context, { data, view } = this;
    const stays = data.critical_path.stays.filter(([, begin, end]) => end >= view.from && begin <= view.to);
    const joined = data.critical_path.whole && stays.length * 5 < this.width - LEFT;
    const thin = Math.max(1.5, Math.min(4, (this.y(1) - this.y(0)) * 0.3));
    c.strokeStyle = c.fillStyle = this.colours.path;
    c.lineWidth = 1.2;
    c.beginPath();
    stays.forEach(([rank, begin, end], nth) => {
      const y = this.y(data.rowOf(rank) + 0.5), x = this.x(begin);
      c.fillRect(x, y - thin / 2, Math.max(0.7, this.x(end) - x), thin);
      if (joined && nth > 0) c.lineTo(x, y);
      c.moveTo(this.x(end), y);
    });
    c.stroke();
  }

  axis() {
    const c = this.context, { view } = this, span = view.to - view.from;
    const wanted = Math.max(2, Math.floor((this.width - LEFT) / 110)), raw = span / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = c.strokeStyle = this.colours.muted;
    c.textBaseline = "middle";
    c.lineWidth = 1;
    c.textAlign = "left";
    for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
      const x = this.x(tick);
      c.fillRect(x, TOP - 5, 1, 5);
      const words = moment(tick, span);
      if (x + 4 + c.measureText(words).width < this.width) c.fillText(words, x + 3, 9);
    }
  }

  labels() {
    const c = this.context, { data, view } = this, thick = this.y(1) - this.y(0);
    const step = Math.max(1, Math.ceil(13 / thick));
    c.textAlign = "right";
    c.fillStyle = this.colours.muted;
    for (let row = Math.ceil(view.top / step) * step; row < Math.min(view.bottom, data.rows.length); row += step) {
      const y = this.y(row + 0.5);
      if (y < TOP + 4 || y > this.height - 3) continue;
      const { first_rank: first, ranks } = data.rows[row];
      c.fillText(ranks > 1 ? `${first}–${first + ranks - 1}` : `rank ${first}`, LEFT - 6, y);
    }
  }
}
