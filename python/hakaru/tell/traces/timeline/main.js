// The view and what moves it: pointer, keys, buttons, search, lists, the page's address.
class Viewer {
  constructor(data, root) {
    this.data = data;
    this.root = root;
    this.at = (name) => root.querySelector(`[data-part="${name}"]`);
    this.canvas = this.at("canvas");
    this.painter = new Painter(data, this.canvas);
    this.colours = new Colours(data, root);
    this.shown = { mode: data.phases.length > 1 ? "phases" : "calls", messages: true, path: true, found: null };
    this.found = null;
    this.place = -1;
    this.whole();
    this.listen();
    this.fromAddress();
    this.legend();
    this.resized();
  }

  whole() {
    this.view = { from: this.data.from_s, to: this.data.to_s, top: 0, bottom: this.data.rows.length };
  }

  resized() {
    const rows = this.data.rows.length;
    this.canvas.style.height = Math.min(Math.max(160, TOP + rows * 14), Math.max(260, innerHeight * 0.72)) + "px";
    this.painter.resize();
    this.draw();
  }

  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.painter.paint(this.view, this.colours, this.shown);
      this.tell();
    });
  }

  tell() {
    const { view, data, painter } = this, span = view.to - view.from;
    const bins = `bins of ${seconds(data.length_s / painter.level.bins)}`;
    const detail = painter.exact ? "every call" : bins;
    const whole = span >= data.length_s * 0.999, source = this.root.dataset.source;
    const more = `; every call: hakaru trace timeline ${source} --from ${view.from.toPrecision(9)} --to ${view.to.toPrecision(9)}`;
    this.at("status").textContent =
      `${seconds(span)} from ${moment(view.from, span)} on, ${detail}` + (whole || !source || data.singles ? "" : more);
    this.root.dataset.from = view.from;
    this.root.dataset.to = view.to;
    this.root.dataset.exact = painter.exact;
    this.root.dataset.bins = painter.level.bins;
    this.root.dataset.top = view.top;
    this.root.dataset.bottom = view.bottom;
  }

  show(from, to) {
    const { data } = this, least = Math.max(data.length_s * 1e-9, Math.abs(data.to_s) * 1e-14);
    const span = Math.min(data.length_s, Math.max(least, to - from));
    from = Math.min(Math.max(from + (to - from - span) / 2, data.from_s), data.to_s - span);
    Object.assign(this.view, { from, to: from + span });
    this.toAddress();
    this.draw();
  }

  showRows(top, bottom) {
    const rows = this.data.rows.length, span = Math.min(rows, Math.max(1, bottom - top));
    top = Math.min(Math.max(top, 0), rows - span);
    Object.assign(this.view, { top, bottom: top + span });
    this.draw();
  }

  zoom(factor, x) {
    const { view } = this, middle = x === undefined ? (view.from + view.to) / 2 : this.painter.time(x);
    this.show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  }
  pan(share) {
    const span = this.view.to - this.view.from;
    this.show(this.view.from + share * span, this.view.to + share * span);
  }
  zoomRows(factor, y) {
    const { view } = this, middle = y === undefined ? (view.top + view.bottom) / 2 : this.painter.row(y);
    this.showRows(middle - (middle - view.top) * factor, middle + (view.bottom - middle) * factor);
  }

  // A stretch of one rank's time, with some of what is around it.
  visit(rank, begin, length) {
    const around = Math.max(length * 2, this.data.length_s * 1e-9);
    const row = this.data.rowOf(rank), rows = Math.min(this.data.rows.length, 24);
    this.showRows(row - rows / 2, row + rows / 2);
    this.show(begin - around / 2, begin + length + around / 2);
  }

  listen() {
    const c = this.canvas;
    c.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    c.addEventListener("pointerdown", (e) => this.press(e));
    c.addEventListener("pointermove", (e) => this.move(e));
    c.addEventListener("pointerup", (e) => this.release(e));
    c.addEventListener("pointerleave", () => this.hint(null));
    c.addEventListener("dblclick", () => { this.whole(); this.show(this.data.from_s, this.data.to_s); });
    c.addEventListener("keydown", (e) => this.key(e));
    addEventListener("resize", () => this.resized());
    addEventListener("hashchange", () => { this.fromAddress(); this.draw(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = new Colours(this.data, this.root);
      this.legend();
      this.draw();
    });
    const actions = { in: () => this.zoom(0.5), out: () => this.zoom(2), left: () => this.pan(-0.4), right: () => this.pan(0.4),
      all: () => { this.whole(); this.show(this.data.from_s, this.data.to_s); }, next: () => this.go(1), previous: () => this.go(-1) };
    for (const [name, act] of Object.entries(actions)) this.at(name).addEventListener("click", act);
    for (const name of ["messages", "path"])
      this.at(name).addEventListener("change", (e) => { this.shown[name] = e.target.checked; this.draw(); });
    this.at("mode").value = this.shown.mode;
    this.at("mode").addEventListener("change", (e) => { this.shown.mode = e.target.value; this.legend(); this.draw(); });
    this.at("search").addEventListener("input", (e) => this.look(e.target.value));
    this.at("search").addEventListener("keydown", (e) => { if (e.key === "Enter") this.go(e.shiftKey ? -1 : 1); });
    for (const row of document.querySelectorAll("[data-visit]"))
      row.addEventListener("click", () => { this.visit(...row.dataset.visit.split(" ").map(Number)); this.root.scrollIntoView(); });
  }

  wheel(e) {
    if (!(e.ctrlKey || e.metaKey || e.shiftKey || e.altKey)) return;  // the page scrolls
    e.preventDefault();
    const way = e.deltaY || e.deltaX;
    if (e.shiftKey) this.pan(Math.sign(way) * 0.15);
    else if (e.altKey) this.zoomRows(1.25 ** Math.sign(way), e.offsetY);
    else this.zoom(1.25 ** Math.sign(way), e.offsetX);
  }

  press(e) {
    if (e.button !== 0 || e.offsetX < LEFT) return;
    this.canvas.setPointerCapture(e.pointerId);
    this.pressed = { x: e.offsetX, y: e.offsetY, view: { ...this.view }, moves: e.shiftKey };
  }

  move(e) {
    const { pressed, painter } = this;
    if (!pressed) return this.hint(e);
    this.hint(null);
    if (!pressed.moves) {
      const [from, to] = [pressed.x, e.offsetX].sort((a, b) => a - b);
      painter.paint(this.view, this.colours, this.shown);
      painter.context.fillStyle = this.colours.ink;
      painter.context.globalAlpha = 0.15;
      painter.context.fillRect(from, TOP, to - from, painter.height);
      painter.context.globalAlpha = 1;
      return;
    }
    const share = (pressed.x - e.offsetX) / (painter.width - LEFT), span = pressed.view.to - pressed.view.from;
    const rows = ((pressed.y - e.offsetY) / (painter.height - TOP)) * (pressed.view.bottom - pressed.view.top);
    this.showRows(pressed.view.top + rows, pressed.view.bottom + rows);
    this.show(pressed.view.from + share * span, pressed.view.to + share * span);
  }

  release(e) {
    const { pressed, painter } = this;
    this.pressed = null;
    if (!pressed || pressed.moves) return;
    const [from, to] = [pressed.x, e.offsetX].sort((a, b) => a - b);
    if (to - from > 4) this.show(painter.time(from), painter.time(to));
    else this.draw();
  }

  key(e) {
    const acts = { "+": () => this.zoom(0.5), w: () => this.zoom(0.5), "-": () => this.zoom(2), s: () => this.zoom(2),
      ArrowLeft: () => this.pan(-0.2), a: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), d: () => this.pan(0.2),
      ArrowUp: () => this.zoomRows(0.7), ArrowDown: () => this.zoomRows(1 / 0.7),
      0: () => { this.whole(); this.show(this.data.from_s, this.data.to_s); }, n: () => this.go(1), p: () => this.go(-1) };
    if (e.ctrlKey || e.metaKey || !acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  }

  hint(e) {
    const box = this.at("hint"), lines = e && atPointer(this.painter, e.offsetX, e.offsetY);
    box.hidden = !lines;
    if (!lines) return;
    box.replaceChildren(...lines.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    const left = Math.min(e.offsetX + 14, this.painter.width - box.offsetWidth - 4);
    box.style.left = Math.max(0, left) + "px";
    box.style.top = e.offsetY + 16 + "px";
  }

  look(text) {
    this.found = search(this.data, text);
    this.place = -1;
    this.shown.found = this.found && this.found.states ? this.found : null;
    if (this.shown.found && this.found.states.size + this.found.phases.size === 0) this.shown.found = null;
    if (this.found && this.found.rank < this.data.ranks) {
      const row = this.data.rowOf(this.found.rank);
      this.showRows(row - 4, row + 5);
    }
    this.at("result").textContent = tellFound(this.data, this.found);
    this.draw();
  }

  go(step) {
    const places = this.found ? this.found.places : [];
    if (places.length === 0) return;
    this.place = (this.place + step + places.length) % places.length;
    const [rank, begin, length, state] = places[this.place];
    this.visit(rank, begin, length);
    this.at("result").textContent =
      `${this.place + 1} of the ${places.length} longest: ${this.data.states[state].name} of rank ${rank}, ${seconds(length)}`;
  }

  legend() {
    const { mode } = this.shown, { data, colours } = this;
    const lists = {
      phases: () => data.phases.map((one, i) => [one.name || "outside of phases", colours.phases[i], one.seconds, one.name]),
      calls: () => data.states.map((one, i) => [one.name, colours.states[i], one.seconds, one.name]),
      shares: () => [["computing", colours.shares.computing, 1], ["in calls", colours.shares.communicating, 1], ["waiting for others", colours.shares.waiting, 1]],
    };
    const entries = lists[mode]().filter((one) => one[2] > 0).sort((a, b) => b[2] - a[2]).slice(0, 16);
    this.at("legend").replaceChildren(...entries.map(([words, colour, , name]) => {
      const entry = document.createElement("button"), patch = document.createElement("span");
      patch.style.background = colour;
      entry.type = "button";
      entry.append(patch, words);
      if (name) entry.addEventListener("click", () => { this.at("search").value = name; this.look(name); });
      return entry;
    }));
  }

  toAddress() {
    const { from, to } = this.view;
    const whole = to - from >= this.data.length_s * 0.999;
    try {
      history.replaceState(null, "", whole ? location.pathname : `#t=${from.toPrecision(12)},${to.toPrecision(12)}`);
    } catch { /* a viewer that allows no history */ }
  }
  fromAddress() {
    const given = location.hash.match(/^#t=([-+.e\d]+),([-+.e\d]+)$/);
    if (given && Number(given[2]) > Number(given[1])) this.show(Number(given[1]), Number(given[2]));
  }
}

async function begin() {
  const root = document.querySelector("[data-part=viewer]"), told = document.getElementById("timeline-data");
  if (!root || !told || typeof DecompressionStream === "undefined") return;
  const data = new Data(await readDocument(told));
  if (data.levels.length === 0) return;
  root.hidden = false;
  document.querySelector("[data-part=still]").classList.add("only-print");
  root.viewer = new Viewer(data, root);
  requestAnimationFrame(() => requestAnimationFrame(() => { root.dataset.opened = performance.now(); }));
}
begin();
