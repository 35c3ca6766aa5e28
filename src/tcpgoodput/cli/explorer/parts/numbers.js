// Formatting of numbers. Numbers that a command prints, too, are formatted by the command's code instead.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

function prefixOf(bps) {
  return PREFIXES.find(([size]) => bps >= size * (1 - 5e-5)) ?? [1, ""]; // 999.96 kbit/s are 1 Mbit/s
}

function rate(bps) {
  if (bps === null) return "none";
  const [size, prefix] = prefixOf(bps);
  return `${short(bps / size, 4)} ${prefix}bit/s`;
}

// Return an axis for goodputs, in the unit of the largest; logarithmic if they span more than a factor of 8.
function goodputAxis(levels) {
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  const [size, prefix] = prefixOf(high);
  const isWide = high / low > 8;
  return {
    kind: isWide ? "log" : "linear",
    values: isWide ? [low / 1.2, high * 1.2] : [0, high * 1.08],
    label: `goodput, ${prefix}bit/s`,
    say: (bps) => short(bps / size),
  };
}

function short(value, digits = 3) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

// Return a count as text, such as `1.23 million`.
function counted(number) {
  return number < 1e6 ? short(number) : `${short(number / 1e6)} million`;
}

function interval(ci95_bps, goodput_bps) {
  return ci95_bps === null ? "no interval" : `± ${short((100 * ci95_bps) / goodput_bps, 2)} %`;
}

// Return an error, ln(model / simulated), in per cent as text, as in the matrix of the report.
function errorText(error) {
  const value = 100 * error;
  if (Math.abs(value) > 999) return `${value > 0 ? "+" : "−"}1e${Math.floor(Math.log10(Math.abs(value)))}`;
  return Math.round(value) ? `${value > 0 ? "+" : "−"}${Math.abs(Math.round(value))}` : "0";
}

function binOf(error) {
  const { bounds, bins } = pageData.looks.errors;
  return bins[bounds.filter((bound) => bound <= Math.abs(error)).length];
}

const IN_DOMAIN = ["native", "reduced"];
