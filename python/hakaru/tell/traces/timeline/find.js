// What is under the pointer, and what is looked for.
function atPointer(painter, x, y) {
  const { data } = painter, row = Math.floor(painter.row(y)), time = painter.time(x);
  if (x < LEFT || y < TOP || row < 0 || row >= data.rows.length) return null;
  const { first_rank: first, ranks, host } = data.rows[row];
  const lines = [ranks > 1 ? `ranks ${first} to ${first + ranks - 1}` : `rank ${first}${host ? " on " + host : ""}`];
  lines.push("at " + moment(time, painter.view.to - painter.view.from));
  if (painter.exact) lines.push(...pieceAt(data, row, time));
  else lines.push(...cellAt(painter, row, time));
  if (painter.shown.messages) lines.push(...messageAt(painter, x, y));
  return lines;
}

function named(data, state, phase) {
  const lines = [];
  if (state !== NOTHING) lines.push(data.states[state].name);
  if (phase !== NOTHING && data.phases[phase].name) lines.push("phase " + data.phases[phase].name);
  return lines;
}

function pieceAt(data, row, time) {
  const s = data.singles, index = s.before(row, time);
  if (index < s.first[row] || time > s.begin[index] + s.seconds[index]) return ["nothing recorded"];
  return [...named(data, s.states[index], s.phases[index]),
    `${seconds(s.seconds[index])} from ${seconds(s.begin[index])} on`];
}

function cellAt(painter, row, time) {
  const { data, level } = painter;
  const bin = Math.min(level.bins - 1, Math.floor(((time - data.from_s) / data.length_s) * level.bins));
  const at = row * level.bins + bin, state = level.get("states")[at];
  if (state === NOTHING) return ["nothing recorded"];
  const part = (name) => Math.round((100 * level.get(name)[at]) / 255) + " %";
  return [`most of ${seconds(data.length_s / level.bins)}: ` + named(data, state, level.get("phases")[at]).join(", "),
    `computing ${part("computing")}, calls ${part("communicating")}, waiting ${part("waiting")}`];
}

function messageAt(painter, x, y) {
  for (const line of painter.lines || []) {
    const [x0, y0, x1, y1] = line.points, length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const along = Math.min(1, Math.max(0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length ** 2));
    if (Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) > 3) continue;
    const [from, to, sent, received, bytes, last] = line.entry;
    if (line.single) return [`message ${from} → ${to}: ${size(bytes)}, tag ${last}, ${seconds(received - sent)} from send to receive`];
    return [`${last} messages of row ${from} → row ${to}: ${size(bytes)}`];
  }
  return [];
}

// Names of calls and phases that hold the text; a number or "rank 3" is a rank.
function search(data, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const rank = wanted.match(/^(?:rank\s*)?(\d+)$/);
  if (rank) return { rank: Number(rank[1]), places: [] };
  const among = (list) => new Set(list.map((one, i) => (one.name.toLowerCase().includes(wanted) ? i : -1)).filter((i) => i >= 0));
  const states = among(data.states), phases = among(data.phases);
  const places = [...states].flatMap((state) => data.states[state].longest.map((one) => [...one, state]));
  places.sort((a, b) => b[2] - a[2]);
  return { states, phases, places };
}

function tellFound(data, found) {
  if (!found) return "";
  if (found.rank !== undefined) return found.rank < data.ranks ? `rank ${found.rank}` : `there is no rank ${found.rank}`;
  const calls = [...found.states].map((state) => data.states[state]);
  const phases = [...found.phases].map((phase) => data.phases[phase]);
  if (calls.length + phases.length === 0) return "nothing has that name";
  const sum = (list, name) => list.reduce((total, one) => total + one[name], 0);
  const words = [];
  if (calls.length) words.push(`${sum(calls, "count")} times ${calls.map((one) => one.name).slice(0, 4).join(", ")}, ${seconds(sum(calls, "seconds"))} of all ranks`);
  if (phases.length) words.push(`${seconds(sum(phases, "seconds"))} in ${phases.map((one) => one.name).slice(0, 4).join(", ")}`);
  return words.join("; ");
}
