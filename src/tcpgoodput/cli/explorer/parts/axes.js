// Scales of axes: functions from values to positions in pixels, and the ticks.

const LEAST_TICK_PX = { across: 50, up: 30, end: 62 }; // least distance of two ticks of a logarithmic axis, and of a tick from one at the axis' end

function linearScale(low, high, from, to, say) {
  const place = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const rough = (high - low || 1) / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * size >= rough) * size;
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high * (1 + 1e-9); n += 1) ticks.push(n * step);
  return { place, ticks: ticks.map((value) => [value, say(value)]) };
}

function logScale(low, high, from, to, say = short) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const place = (value) => from + ((Math.log10(value) - a) / (b - a || 1)) * (to - from);
  const factors = b - a > 3.5 ? [1] : b - a > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let n = Math.floor(a); n <= Math.ceil(b); n += 1) {
    for (const factor of factors) {
      const value = Number(`${factor}e${n}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push([value, say(value)]);
    }
  }
  const least = LEAST_TICK_PX[to > from ? "across" : "up"];
  const every = Math.ceil((ticks.length * least) / Math.abs(to - from));
  return { place, ticks: ticks.filter((_, n) => n % every === 0) };
}

function nameScale(names, from, to) {
  const step = (to - from) / names.length;
  const place = (name) => from + (names.indexOf(name) + 0.5) * step;
  return { place, ticks: names.map((name) => [name, String(name)]) };
}

function scaleOf({ kind, values, say = short, isSampled }, from, to) {
  if (kind === "names") return nameScale(values, from, to);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const { place, ticks } = (kind === "log" ? logScale : linearScale)(low, high, from, to, say);
  if (!isSampled || low === high) return { place, ticks };
  const isFar = ([value]) => [low, high].every((end) => Math.abs(place(value) - place(end)) >= LEAST_TICK_PX.end);
  return { place, ticks: [[low, say(low)], ...ticks.filter(isFar), [high, say(high)]] };
}

// Half the spans of axes of ratios, which are symmetric about 1 and logarithmic, with their ticks.
const SPANS = [[1.25, [0.8, 0.9, 1, 1.1, 1.25]], [2, [0.5, 0.8, 1, 1.25, 2]], [4, [0.25, 0.5, 1, 2, 4]], [10, [0.1, 0.3, 1, 3, 10]],
  [100, [0.01, 0.1, 1, 10, 100]], [1e4, [1e-4, 0.01, 1, 100, 1e4]], [1e9, [1e-9, 1, 1e9]]];

// Return the shortest of these axes that has all ratios.
function ratioScale(ratios, from, to) {
  const [most, ticks] = SPANS.find(([end]) => ratios.every((ratio) => ratio <= end * 1.001 && ratio >= 0.999 / end)) ?? SPANS.at(-1);
  return { place: logScale(1 / most, most, from, to).place, ticks: ticks.map((value) => [value, short(value)]) };
}
