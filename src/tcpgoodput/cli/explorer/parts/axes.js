// Scales of axes: functions from values to positions in pixels, and the ticks.

const LEAST_TICK_PX = { across: 50, up: 30 }; // least distance of two ticks of a logarithmic axis

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

function scaleOf({ kind, values, say = short }, from, to) {
  if (kind === "names") return nameScale(values, from, to);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (kind === "log" ? logScale : linearScale)(low, high, from, to, say);
}
