// A chart as SVG: axes, lines in the styles of config/style.yaml, and measurements with intervals.

const DASHES = { solid: null, dashed: "6 4", dotted: "1.5 3", dashdot: "7 3 1.5 3" };
const MARGIN = { left: 62, right: 14, top: 12, bottom: 44 };

const LEAST_NAME_PX = 60; // names on an axis are slanted if they have less room each
const SLANTED_PX = 40; // additional height of slanted names
const WIDEST = 860; // width of a chart in pixels, if the window is wide enough
const LEAST_PLOT_PX = 340; // if names at the lines' ends would leave less room for the lines, there are none
const INSET_PX = 14; // room beside the first and last value of an axis with single values
const NAME_PX = { letter: 7.6, gap: 22, height: 14 }; // size of names at the lines' ends

// Return a chart that is drawn again when the width of its room changes.
function chart(options) {
  let picture = drawnChart(options);
  const watch = new ResizeObserver(() => {
    if (!picture.isConnected) return watch.disconnect(); // another chart has its place
    if (widthIn(options.room) === Number(picture.getAttribute("width"))) return;
    const next = drawnChart(options);
    picture.replaceWith(next);
    picture = next;
  });
  watch.observe(options.room);
  return picture;
}

const widthIn = (room) => Math.min(WIDEST, room.clientWidth);

// `room` is the element that will contain the chart: the chart is as wide, so that its text is not scaled.
// `x.labels` are the axis' labels, of which the first that fits is shown, else the last one.
// `x.isSampled`: there are data at the values of x only; the first and last one have ticks, and keep off the edges.
// `ends` are the names of lines: {text, x, y, colour}, with the line's last point.
function drawnChart({ title, room, height = 340, x, y, shapes, ends = [] }) {
  const width = widthIn(room);
  const namesPx = NAME_PX.gap + NAME_PX.letter * Math.max(0, ...ends.map(({ text }) => text.length));
  const hasNames = ends.length > 0 && width - MARGIN.left - namesPx >= LEAST_PLOT_PX;
  const [left, right] = [MARGIN.left, width - (hasNames ? namesPx : MARGIN.right)];
  const isSlanted = x.kind === "names" && (right - left) / x.values.length < LEAST_NAME_PX;
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom - (isSlanted ? SLANTED_PX : 0)];
  const inset = x.isSampled ? INSET_PX : 0;
  const across = scaleOf(x, left + inset, right - inset);
  const up = scaleOf(y, bottom, top);
  const label = x.labels.find((text) => text.length * NAME_PX.letter < width - MARGIN.left) ?? x.labels.at(-1);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title, class: "chart" });
  picture.append(draw("rect", { width, height, fill: "#fff" }));
  for (const [value, text] of up.ticks) {
    const at = up.place(value);
    picture.append(
      draw("line", { x1: left, x2: right, y1: at, y2: at, stroke: "#d4d4d4" }),
      draw("text", { x: left - 6, y: at + 4, "text-anchor": "end", class: "tick" }, text),
    );
  }
  for (const [value, text] of across.ticks) {
    const at = across.place(value);
    picture.append(
      draw("line", { x1: at, x2: at, y1: bottom, y2: bottom + 5, stroke: "#444" }),
      isSlanted
        ? draw("text", { transform: `translate(${at + 4} ${bottom + 14}) rotate(-40)`, "text-anchor": "end", class: "tick" }, text)
        : draw("text", { x: at, y: bottom + 18, "text-anchor": "middle", class: "tick" }, text),
    );
  }
  picture.append(
    draw("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "#444" }),
    draw("text", { x: (left + right) / 2, y: height - 8, "text-anchor": "middle", class: "axis" }, label),
    draw("text", { transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "axis" }, y.label),
  );
  const place = { x: across.place, y: up.place, left, right, top, bottom };
  picture.append(draw("g", {}, ...shapes.flatMap((shape) => shape(place))));
  if (hasNames) picture.append(draw("g", { class: "ends" }, ...endNames(ends, place)));
  return picture;
}

// Return the names of lines at the right edge, at the height of the lines' ends as far as they do not overlap.
function endNames(ends, { x, y, right, top, bottom }) {
  const sorted = ends.map((end) => ({ ...end, at: y(end.y) })).sort((a, b) => a.at - b.at);
  const least = (n) => top + NAME_PX.height * (n + 0.5);
  sorted.forEach((end, n) => (end.at = Math.max(end.at, n ? sorted[n - 1].at + NAME_PX.height : least(0))));
  const most = (n) => bottom - NAME_PX.height * (sorted.length - n - 0.5);
  sorted.forEach((end, n) => (end.at = Math.max(Math.min(end.at, most(n)), least(n))));
  return sorted.flatMap((end) => [
    draw("path", { d: pathOf([[x(end.x), y(end.y)], [right + 4, y(end.y)], [right + 16, end.at]]), fill: "none", stroke: end.colour, "stroke-width": 0.9 }),
    draw("text", { x: right + 19, y: end.at + 4 }, end.text),
  ]);
}

function pathOf(points) {
  return points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Return the longest runs of successive points for which `has` is true.
function runsOf(points, has) {
  const runs = [[]];
  for (const point of points) {
    if (has(point)) runs.at(-1).push(point);
    else if (runs.at(-1).length) runs.push([]);
  }
  return runs.filter((run) => run.length);
}

function line(points, look, attributes = {}) {
  return (place) => [
    draw("path", {
      d: pathOf(points.map(([x, y]) => [place.x(x), place.y(y)])),
      fill: "none",
      stroke: look.colour,
      "stroke-width": 2,
      "stroke-dasharray": DASHES[look.line],
      ...attributes,
    }),
  ];
}

function dot(x, y, look, isFilled, text) {
  return (place) => [
    draw(
      "circle",
      { cx: place.x(x), cy: place.y(y), r: 4, stroke: look.colour, "stroke-width": 1.6, fill: isFilled ? look.colour : "#fff" },
      draw("title", {}, text),
    ),
  ];
}

function cross(x, y, look, text) {
  return (place) => [
    draw(
      "path",
      { d: "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5", transform: `translate(${place.x(x)} ${place.y(y)})`, stroke: look.colour, "stroke-width": 1.6, fill: "none" },
      draw("title", {}, text),
    ),
  ];
}

function whisker(x, low, high, colour) {
  return (place) => {
    const [at, a, b] = [place.x(x), place.y(low), place.y(high)];
    return [draw("path", { class: "interval", d: `M${at} ${a}V${b}M${at - 3} ${a}h6M${at - 3} ${b}h6`, stroke: colour, "stroke-width": 1.4, fill: "none" })];
  };
}

function key(look, isFilled = false) {
  const picture = draw("svg", { viewBox: "0 0 30 12", width: 30, height: 12, "aria-hidden": "true" });
  if (look.marker) picture.append(draw("circle", { cx: 15, cy: 6, r: 4, stroke: look.colour, "stroke-width": 1.6, fill: isFilled ? look.colour : "#fff" }));
  else picture.append(draw("line", { x1: 1, x2: 29, y1: 6, y2: 6, stroke: look.colour, "stroke-width": 2.4, "stroke-dasharray": DASHES[look.line] }));
  return picture;
}
