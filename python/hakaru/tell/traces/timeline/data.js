// The document in the page: packed JSON, whose bytes of cells are unpacked when they are needed.
const NOTHING = 255;

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function readDocument(element) {
  const packed = bytesOf(element.textContent.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Level {
  constructor(told) {
    this.bins = told.bins;
    this.told = told;
  }
  get(name) {
    if (typeof this.told[name] === "string") this.told[name] = bytesOf(this.told[name]);
    return this.told[name];
  }
}

// Single calls of each row, and where a moment lies among them.
class Singles {
  constructor(told) {
    this.begin = new Float64Array(bytesOf(told.begin_s).buffer);
    this.seconds = new Float32Array(bytesOf(told.seconds).buffer);
    this.states = bytesOf(told.states);
    this.phases = bytesOf(told.phases);
    this.first = [0];
    for (const count of told.counts) this.first.push(this.first[this.first.length - 1] + count);
  }
  // The last one of the row that begins at or before the moment; one less than its first where none does.
  before(row, time) {
    let low = this.first[row], high = this.first[row + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  count(from, to) {
    let sum = 0;
    for (let row = 0; row + 1 < this.first.length; ++row)
      sum += this.before(row, to) - Math.max(this.first[row] - 1, this.before(row, from));
    return sum;
  }
}

class Data {
  constructor(told) {
    Object.assign(this, told);
    this.length_s = told.to_s - told.from_s;
    this.levels = told.levels.map((one) => new Level(one));
    this.singles = told.pieces ? new Singles(told.pieces) : null;
    this.tiles = new Map(told.messages.tiles.map((tile) => [this.keyOf(tile.level, tile.from_s), tile]));
  }
  keyOf(level, from) {
    return level + ":" + Math.round(((from - this.from_s) / this.length_s) * 4 ** level);
  }
  rowOf(rank) {
    return Math.floor(rank / this.ranks_per_row);
  }
  // The coarsest level whose bins are no wider than a pixel, else the finest.
  levelFor(seconds, pixels) {
    const wanted = (pixels * this.length_s) / seconds;
    return this.levels.find((level) => level.bins >= wanted) || this.levels[this.levels.length - 1];
  }
  // Tiles of messages for a view: parts of a tile that is wider than an eighth of the view.
  tilesIn(from, to) {
    const found = [];
    const visit = (level, index) => {
      const tile = this.tiles.get(level + ":" + index);
      if (!tile || tile.from_s > to || tile.to_s < from) return;
      if (!tile.divided || (tile.to_s - tile.from_s) * 8 <= to - from) return void found.push(tile);
      for (let part = 0; part < 4; ++part) visit(level + 1, 4 * index + part);
    };
    visit(0, 0);
    return found;
  }
}
