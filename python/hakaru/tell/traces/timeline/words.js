// Numbers as people read them; colours.
function seconds(value) {
  const size = Math.abs(value);
  const [factor, unit] =
    size === 0 || size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] : size >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  return Number((value * factor).toPrecision(4)) + " " + unit;
}

// A moment, with as many digits as a view of that length can tell apart.
function moment(value, span) {
  const size = Math.abs(value) + span;
  const [factor, unit] = size >= 2 ? [1, "s"] : size >= 2e-3 ? [1e3, "ms"] : size >= 2e-6 ? [1e6, "µs"] : [1e9, "ns"];
  const digits = Math.min(12, Math.max(0, Math.ceil(1.2 - Math.log10(span * factor))));
  return (value * factor).toFixed(digits) + " " + unit;
}

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let step = 0;
  while (Math.abs(bytes) >= 1000 && step + 1 < units.length) (bytes /= 1000), ++step;
  return Number(bytes.toPrecision(4)) + " " + units[step];
}

// Hues of kinds as in hakaru's charts; calls of one kind differ in lightness.
const KIND_COLOURS = {
  compute: "sky", point_to_point: "orange", collective: "vermillion", wait: "purple",
  one_sided: "yellow", io: "green", other: "grey", environment: "pale",
};
const PHASE_COLOURS = ["blue", "orange", "green", "vermillion", "purple", "sky", "yellow"];

class Colours {
  constructor(data, element) {
    this.style = getComputedStyle(element);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const step = (base, nth) => this.shade(base, dark, nth);
    const seen = {};
    this.states = data.states.map((state) => {
      const nth = (seen[state.kind] = (seen[state.kind] ?? -1) + 1);
      return step(this.named(KIND_COLOURS[state.kind] || "grey"), nth % 5);
    });
    this.phases = data.phases.map((_, nth) =>
      nth === 0 ? this.named("pale")
        : step(this.named(PHASE_COLOURS[(nth - 1) % PHASE_COLOURS.length]), Math.floor((nth - 1) / PHASE_COLOURS.length) % 5));
    this.shares = { computing: this.named("sky"), communicating: this.named("orange"), waiting: this.named("vermillion") };
    this.ink = this.named("ink");
    this.muted = this.named("muted");
    this.rule = this.named("rule");
    this.paper = this.named("paper");
    this.path = dark ? "#ff5ca8" : "#c2006b";
  }
  named(name) {
    return this.style.getPropertyValue("--" + name).trim();
  }
  shade(colour, dark, nth) {
    if (nth === 0) return colour;
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const target = (nth % 2 === 1) === dark ? 255 : 0, part = 0.16 * Math.ceil(nth / 2) + 0.06;
    return "#" + [red, green, blue]
      .map((one) => Math.round(one + (target - one) * part).toString(16).padStart(2, "0")).join("");
  }
}
