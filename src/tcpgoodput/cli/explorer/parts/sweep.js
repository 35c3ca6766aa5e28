// The view of a sweep over one key: models as lines, and simulated points with intervals as they arrive.

const SWEEP_DEFAULTS = { points: "9", scale: "log" };
const FIRST_KEYS = ["loss.probability", "path.rate_bps"]; // a sweep begins with the first of these that the scenario has
const NO_LINE = "none"; // stands in the URL for a chart without lines
const ANSWERED_SWEEP = ["picture", "models", "take"]; // parts that show an answer
const SWEEP_COLUMNS = ["key", "x", "series", "origin", "y", "y_low", "y_high", "status", "reason"];

function sweepView(pairs) {
  const state = scenarioPairs(pairs);
  const scenario = state.get("scenario");
  const stored = pageData.is_live ? null : pageData.sweeps[scenario];
  if (!pageData.is_live && !stored) return notStored(`no sweep of ${scenario}`, Object.keys(pageData.sweeps)[0], "sweep");
  const keys = stored ? stored.map((sweep) => sweep.key) : sweepKeys();
  const own = new Map(["key", "from", "to", "points", "scale"].map((name) => [name, pairs.get(name) ?? SWEEP_DEFAULTS[name] ?? ""]));
  const begin = (has) => keys.includes(own.get("key")) || own.set("key", FIRST_KEYS.find(has) ?? keys[0]);
  if (stored) begin((key) => keys.includes(key));
  const parts = Object.fromEntries(["problem", "picture", "models", "take"].map((name) => [name, make("div", { class: name })]));
  fill(parts.problem, { id: "sweep-problem", role: "alert" }, []);
  const progress = progressSign();
  const lines = pairs.get("lines");
  const found = { head: null, points: new Map(), chosen: lines ? new Set(lines.split(" ")) : null, values: null };
  const note = () => noteState("sweep", new Map([...state, ...own, ["lines", found.chosen ? [...found.chosen].join(" ") || NO_LINE : ""]]));
  const hear = (record) => {
    if (record.kind === "problem") {
      parts.problem.replaceChildren(make("p", {}, ...prose(record.message)));
      for (const name of ANSWERED_SWEEP) parts[name].classList.add("outdated");
    }
    for (const [name, input] of Object.entries(inputs)) markInvalid(input, record.fields?.[name]);
    if (record.kind === "sweep") Object.assign(found, { head: record, scale: own.get("scale"), points: new Map() });
    if (record.kind === "point") found.points.set(record.x, record);
    if (record.kind === "point" || record.kind === "sweep") showSweep(found, parts, own, note);
  };
  const questions = new Questions("sweep", hear, progress);
  const ask = () => {
    note();
    parts.problem.replaceChildren();
    if (stored) stored.find((sweep) => sweep.key === own.get("key")).records.forEach(hear);
    else questions.ask(new Map([...state, ...own]));
  };
  const set = (name, value) => {
    own.set(name, value);
    if (name === "key" && !stored) aboutKey();
    ask();
  };
  const inputs = {};
  const field = (name, label) => {
    inputs[name] = make("input", { id: `sweep-${name}`, type: "text", inputmode: "decimal", value: own.get(name), "aria-describedby": "sweep-problem", oninput: (event) => set(name, event.target.value) });
    return labelled(label, inputs[name]);
  };
  // Set the default range of the sweep: a factor of ten around the scenario's own value.
  const aboutKey = () => {
    const control = controlOf(own.get("key"));
    if (!control || !["number", "whole"].includes(control.kind)) return;
    const value = found.values ? valueAt(found.values, own.get("key")) : null;
    const [low, high] = rangeOf(control, value);
    const middle = value || Math.sqrt(low * high);
    own.set("from", short(Math.max(low, middle / 10)));
    own.set("to", short(Math.min(high, middle * 10)));
    for (const name of ["from", "to"]) document.getElementById(`sweep-${name}`).value = own.get(name);
  };
  const choose = (event) => goTo("sweep", new Map([["scenario", event.target.value]]));
  const fields = stored ? [] : [field("from", "From"), field("to", "To"), field("points", "Points"),
    labelled("Scale", make("select", { id: "sweep-scale", onchange: (event) => set("scale", event.target.value) }, ...options([["log", "logarithmic"], ["linear", "linear"]], own.get("scale"))))];
  setTimeout(async () => {
    if (!stored && !(own.get("key") && own.get("from") && own.get("to"))) {
      const abort = new AbortController();
      try {
        for await (const record of recordsOf("answer", state, abort.signal)) {
          if (record.kind === "problem") hear(record);
          if (record.kind !== "scenario") break;
          found.values = record.values;
        }
      } catch (error) {
        hear({ kind: "problem", message: noAnswer(error) });
      }
      abort.abort();
      if (!found.values || !parts.problem.isConnected) return;
      begin((key) => valueAt(found.values, key));
      document.getElementById("sweep-key").value = own.get("key");
      aboutKey();
    }
    ask();
  });
  return [
    make("div", { class: "bar" },
      labelled("Scenario", make("select", { id: "preset", onchange: choose }, ...presetGroups(scenario, stored ? Object.keys(pageData.sweeps) : undefined))),
      labelled("Key on the axis", make("select", { id: "sweep-key", onchange: (event) => set("key", event.target.value) }, ...options(keys.map((key) => [key, key]), own.get("key")))),
      ...fields,
      make("a", { class: "button", href: addressOf("connection", state) }, "The connection itself")),
    changesOf(state),
    parts.problem, progress, make("div", { class: "sweep" }, parts.picture, parts.models), parts.take,
  ];
}

function changesOf(state) {
  const changes = [...state].filter(([name]) => name !== "scenario").map(([name, value]) => `${name} = ${value}`);
  return changes.length ? make("p", { class: "hint" }, `With ${changes.join(", ")}.`) : null;
}

function everyControl(controls = pageData.controls) {
  return controls.flatMap((control) => [control, ...Object.values(control.members ?? {}).flatMap((member) => everyControl(member.controls))]);
}

function controlOf(key) {
  return everyControl().find((control) => control.key === key);
}

function sweepKeys() {
  const fitting = everyControl().filter(({ kind }) => ["number", "whole", "choice", "flag"].includes(kind));
  return [...new Set(fitting.map(({ key }) => key))];
}

// Return the series that are shown at first: the simulation, and of each family the model that is in domain at most values.
// Of several such models it is the one that is native at most values, then the first of the family.
function shownFirst(series) {
  const count = (name, statuses) => series.get(name)?.filter(({ status }) => statuses.includes(status)).length ?? 0;
  const best = pageData.looks.families.map((family) =>
    [...family].sort((a, b) => count(b, IN_DOMAIN) - count(a, IN_DOMAIN) || count(b, ["native"]) - count(a, ["native"]))[0]);
  return new Set([...series.keys()].filter((name) => isEngine(series.get(name)) || (best.includes(name) && count(name, IN_DOMAIN))));
}

const isEngine = (rows) => rows[0].origin === "packet";
const isInDomain = (rows) => rows.some(({ status }) => IN_DOMAIN.includes(status));

function showSweep(found, parts, own, note) {
  const points = found.head.values.map((x) => found.points.get(x)).filter(Boolean);
  const problems = new Set(points.map(({ problem }) => problem).filter(Boolean));
  parts.problem.replaceChildren(...[...problems].slice(0, 2).map((problem) => make("p", {}, ...prose(problem))));
  const series = new Map();
  for (const { x, rows } of points) for (const row of rows) series.set(row.series, [...(series.get(row.series) ?? []), { x, ...row }]);
  if (!series.size) return;
  for (const name of ANSWERED_SWEEP) parts[name].classList.remove("outdated");
  const ticked = new Set([...(found.chosen ?? shownFirst(series))].filter((name) => series.has(name)));
  const drawn = [...series].filter(([name]) => ticked.has(name));
  const levels = drawn.flatMap(([, rows]) => rows.flatMap(({ y, y_high }) => [y, y_high])).filter((y) => y > 0);
  parts.picture.replaceChildren(levels.length ? sweepChart(found, drawn, levels, parts.picture) : make("p", { class: "note" }, "None of the ticked lines has a goodput at these values. Tick others."));
  const records = points.flatMap(({ x, rows }) => rows.map((row) => ({ key: found.head.key, x, ...row })));
  parts.take.replaceChildren(
    make("div", { class: "buttons" },
      copyButton("Copy the link", () => location.href),
      make("button", { type: "button", onclick: () => saveCsv("sweep.csv", SWEEP_COLUMNS, records) }, "Save as CSV"),
      levels.length ? make("button", { type: "button", onclick: () => savePng("sweep.png", parts.picture.querySelector("svg")) }, "Save as PNG") : null),
    make("details", {}, make("summary", {}, "The numbers"), numbersOf(records, found.head.key)));
  if (parts.models.contains(document.activeElement)) return;
  const toggle = (name, isTicked) => {
    ticked[isTicked ? "add" : "delete"](name);
    found.chosen = ticked;
    note();
    showSweep(found, parts, own, note);
  };
  const wasOpen = parts.models.querySelector("details")?.open ?? false;
  parts.models.replaceChildren(legendOf(series, ticked, toggle, wasOpen), ...remarksOf(series));
}

function sweepChart({ head, scale }, drawn, levels, room) {
  const isNamed = head.values.some((value) => typeof value !== "number");
  const kind = isNamed ? "names" : scale;
  const axis = { kind, values: head.values, isSampled: !isNamed, say: head.unit === "bit/s" ? (bps) => rate(bps).replace("bit/s", "") : short };
  return chart({
    title: `Goodput along ${head.key}`,
    room,
    x: { ...axis, labels: axisTitles(head) },
    y: goodputAxis(levels),
    shapes: drawn.flatMap(([name, rows]) => shapesOf(name, rows)),
    ends: drawn.map(([name, rows]) => endOf(name, rows)).filter(Boolean),
  });
}

// Return a key's title as in the form, with key and unit; then without the key; then the key alone.
function axisTitles({ key, unit }) {
  const title = (controlOf(key)?.text ?? "").split(/[;(]/)[0].trim();
  const units = unit ? `, ${unit}` : "";
  return [...(title ? [`${title} (${key})${units}`, `${title}${units}`] : []), `${key}${units}`];
}

const lookOf = (name, rows) => (isEngine(rows) ? pageData.looks.engine : pageData.looks.models[name]);

// Return a line's name and last point; null if the line has no point.
function endOf(name, rows) {
  const last = rows.filter(({ y }) => y > 0).at(-1);
  const { label, colour } = lookOf(name, rows);
  return last ? { text: label, x: last.x, y: last.y, colour } : null;
}

// Draw a model's line; where the model is out of domain, it is faint and has crosses.
function shapesOf(name, rows) {
  const look = lookOf(name, rows);
  const text = ({ x, y, status }) => `${look.label}: ${rate(y)} at ${x} (${status})`;
  if (isEngine(rows)) return rows.filter(({ y }) => y > 0).flatMap((row) => [whisker(row.x, Math.max(row.y_low, row.y * 0.05), row.y_high, look.colour), dot(row.x, row.y, look, look.filled, text(row))]);
  const at = (row) => [row.x, row.y];
  const inDomain = runsOf(rows, ({ y, status }) => y > 0 && IN_DOMAIN.includes(status));
  const outside = rows.filter(({ y, status }) => y > 0 && !IN_DOMAIN.includes(status));
  return [
    ...runsOf(rows, ({ y }) => y > 0).map((run) => line(run.map(at), look, { opacity: 0.4 })),
    ...inDomain.map((run) => (run.length > 1 ? line(run.map(at), look) : dot(run[0].x, run[0].y, look, true, text(run[0])))),
    ...outside.map((row) => cross(row.x, row.y, look, text(row))),
  ];
}

// Return the boxes of all series; those of models that are nowhere in domain are folded.
function legendOf(series, ticked, toggle, wasOpen) {
  const first = shownFirst(series);
  const boxOf = ([name, rows]) => {
    const look = lookOf(name, rows);
    return make("label", { class: isEngine(rows) || isInDomain(rows) ? "entry" : "entry outside" },
      make("input", { type: "checkbox", value: name, checked: ticked.has(name), onchange: (event) => toggle(name, event.target.checked) }), key(look, look.filled), make("span", {}, ...named(name)));
  };
  const all = [...series];
  const others = all.filter(([name, rows]) => !first.has(name) && isInDomain(rows));
  const outside = all.filter(([, rows]) => !isEngine(rows) && !isInDomain(rows));
  const isOpen = wasOpen || outside.some(([name]) => ticked.has(name));
  return make("fieldset", { class: "legend" }, make("legend", {}, "Lines"), make("p", { class: "hint" }, first.size > 1
    ? "At first the simulation, and of each family of models the one that is in domain at most values. Where a model is out of domain, its line is faint with crosses."
    : "No model is in domain at any of these values. Tick one to see its goodput out of its domain."),
    ...all.filter(([name]) => first.has(name)).map(boxOf), ...others.map(boxOf),
    outside.length ? make("details", { open: isOpen }, make("summary", {}, `${outside.length} models out of domain or without a value`), ...outside.map(boxOf)) : null);
}

// Return a paragraph for each remark on simulated points, such as a missing steady state.
function remarksOf(series) {
  const places = new Map();
  for (const { x, reason } of [...series.values()].filter(isEngine).flat()) if (reason) places.set(reason, [...(places.get(reason) ?? []), x]);
  return [...places].map(([reason, values]) => make("p", { class: "note" }, `Simulated at ${values.map((x) => (typeof x === "number" ? short(x) : x)).join(", ")}: `, ...prose(reason), "."));
}

function numbersOf(records, key) {
  const heads = [key, "series", "goodput, bit/s", "95 % interval", "state"];
  const lines = records.map(({ x, series, y, y_low, y_high, status }) => make("tr", {},
    make("th", { scope: "row" }, String(x)), make("td", {}, ...named(series)), make("td", { class: "number" }, y === null ? "" : String(y)),
    make("td", { class: "number" }, y_low === null ? "" : `${short(y_low, 5)} to ${short(y_high, 5)}`), make("td", {}, status)));
  return scrollable("The numbers of the sweep",
    make("table", {}, make("caption", {}, "Every point of every series"), make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...lines)));
}
