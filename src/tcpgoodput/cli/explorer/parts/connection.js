// The view of one connection: its keys, predictions, simulation, window, and goodput without each impairment.

const MODELS_COLUMNS = ["scenario", "name", "status", "reduction", "goodput_bps", "goodput_pps", "utilisation", "reason", "log_error", "ci95_bps"];
const MARKS = [
  ["lost", "a packet is lost", "#B2182B", "M-3 -3L3 3M-3 3L3 -3"],
  ["repeat", "a lost packet is sent again", "#0072B2", "M0 -4V4"],
  ["needless repeat", "a packet that was only late is sent again", "#D55E00", "M-4 3L0 -4L4 3Z"],
  ["timeout", "timeout", "#000000", "M-4 -4H4V4H-4Z"],
];

const SOON_MS = 300;
const STRIP = { width: 210, height: 22, edge: 16 };
const NEAREST = "“Nearest” is the model in domain whose goodput is closest to the simulated one: only the simulation decides that. “To use” is chosen without it: a native model before a reduced one, then the smaller median error on similar links.";

const ALL = "all"; // in the URL: show models that are out of domain, too

function connectionView(pairs) {
  const state = scenarioPairs(pairs);
  if (!pageData.is_live && !pageData.answers[state.get("scenario")]) return notStored(`no connection ${state.get("scenario")}`, pageData.begin, "connection");
  const parts = Object.fromEntries(["problem", "heading", "measured", "advice", "story", "costs", "window", "models", "take"].map((name) => [name, make("div", { class: name })]));
  parts.problem.setAttribute("role", "alert");
  parts.measured.setAttribute("role", "status");
  const progress = progressSign();
  const latest = {};
  const view = new Map([[ALL, pairs.get(ALL) ?? ""]]);
  const note = () => noteState("connection", new Map([...state, ...view]));
  const set = (key, text) => {
    for (const name of [...state.keys()]) if (name === key || name.startsWith(`${key}.`)) state.delete(name);
    state.set(key, text);
  };
  const form = new Form((key, text, isLast = true) => {
    set(key, text);
    if (isLast) ask();
  });
  const change = (changes) => {
    for (const [key, text] of Object.entries(changes)) set(key, text);
    ask();
  };
  const refuse = (problem) => {
    questions.stop();
    delete latest.models; // its timer would show it as an answer
    outdate();
    hear(problem);
  };
  const link = pageData.is_live && state.get("scenario") === pageData.link.scenario ? new LinkForm(change, refuse) : null;
  const hear = (record) => {
    if (record.kind !== "problem") parts.problem.replaceChildren();
    for (const fields of [form, link]) fields?.mark(record.fields ?? {});
    latest[record.kind] = record;
    HEARD[record.kind]?.(record, parts, { form, link, latest, state, view, note, isLast: !questions.next });
  };
  const questions = pageData.is_live ? new Questions("answer", hear, progress) : { ask: (asked) => pageData.answers[asked.get("scenario")].forEach(hear) };
  const outdate = () => ANSWERED.forEach((name) => parts[name].classList.add("outdated"));
  const ask = () => {
    note();
    outdate();
    questions.ask(state);
  };
  const choose = (event) => goTo("connection", new Map([["scenario", event.target.value]]));
  const reset = make("button", { type: "button", onclick: () => goTo("connection", new Map([["scenario", state.get("scenario")]])) }, "Undo all changes");
  const right = make("section", { class: "right", "aria-label": "Answers of the models and the simulation" },
    parts.problem, make("div", { class: "status" }, parts.measured, progress),
    make("details", { class: "reasons" }, make("summary", {}, "Reasons, other models, counts of packets"), parts.advice, parts.story),
    parts.window, parts.models, parts.costs, parts.take);
  setTimeout(ask);
  return [
    make("div", { class: "bar" },
      labelled("Begin with", make("select", { id: "preset", onchange: choose }, ...presetGroups(state.get("scenario")))),
      parts.heading),
    link?.element,
    questionsOf(),
    pageData.is_live ? null : make("p", { class: "note" }, "This file shows stored results of a run. Your own link: ", make("code", {}, "tcpgoodput explore"), " opens this page with the form ", make("em", {}, "My link"), " and every key as a control, and simulates each change."),
    pageData.is_live && !pageData.has_project ? withoutProject() : null,
    pageData.is_live
      ? make("div", { class: "columns" }, make("section", { class: "left", "aria-label": "Keys of the connection" }, form.element, reset), right)
      : right,
  ];
}

function withoutProject() {
  return make("p", { class: "note" }, "The explorer was started outside the project's folder: the project's colours, scenarios, questions to begin with, matrix, claims and figures are missing. Start it in the project's folder to have them.");
}

// Return a message that the static page has no such content, and a link to content that it has.
function notStored(what, instead, view) {
  const way = make("a", { href: addressOf(view, new Map([["scenario", instead]])) }, `Continue with ${instead}`);
  return [make("p", { role: "alert" }, `This file has ${what}; the page that `, make("code", {}, "./reproduce explore"), " opens has every key and every sweep. ", way, ".")];
}

function presetGroups(chosen, ids = pageData.presets.map(({ id }) => id)) {
  const known = pageData.presets.filter(({ id }) => ids.includes(id));
  const isMine = ({ id }) => id === pageData.link.scenario;
  const groups = pageData.looks.regimes.map((regime) => {
    const own = known.filter((preset) => preset.regime === regime && !isMine(preset));
    return own.length ? make("optgroup", { label: regime }, ...options(own.map(({ id, title }) => [id, `${id}: ${title}`]), chosen)) : null;
  });
  return [...options(known.filter(isMine).map(({ id, title }) => [id, title]), chosen), ...groups.filter(Boolean)];
}

const HEARD = {
  problem({ message }, parts) {
    parts.problem.replaceChildren(make("p", {}, ...prose(message)));
  },

  // Update the form for the latest request only: older values would undo the user's later changes.
  scenario(record, parts, { form, link, latest, state, isLast }) {
    for (const kind of ["models", "answer", "without"]) delete latest[kind];
    if (pageData.is_live && isLast) form.show(record.values);
    if (link && isLast) link.show(record.link, record.values);
    put(parts.heading, make("h2", {}, record.heading), ...record.warnings.map((warning) => make("p", { class: "warning" }, ...prose(warning))));
    // A button that is replaced after a click would not say "Copied": no later record of this connection replaces it.
    put(parts.take, ...takeOf(latest, parts, state));
  },

  // Show the predictions without a simulation if the measurement takes longer than `SOON_MS`.
  models(record, parts, { latest, ...rest }) {
    setTimeout(() => latest.models === record && !latest.answer && HEARD.answer(record, parts, { latest: { ...latest, answer: record }, ...rest }), SOON_MS);
  },

  answer(record, parts, { latest, view, note }) {
    const { simulation } = record;
    put(parts.measured, make("p", { class: "headline" }, ...headlineOf(record)), make("p", { class: "use" }, ...useOf(record)));
    if (simulation && record.reason) parts.measured.append(make("p", { class: "note" }, ...prose(`Note: ${record.reason}.`)));
    put(parts.advice, ...adviceOf(record));
    put(parts.story, ...storyOf(simulation));
    const showModels = () => {
      const focused = parts.models.contains(document.activeElement) ? document.activeElement.id : "";
      put(parts.models, ...modelsOf(record, view, unfold));
      if (focused) document.getElementById(focused)?.focus();
    };
    const unfold = () => {
      view.set(ALL, view.get(ALL) ? "" : "1");
      note();
      showModels();
    };
    showModels();
    if (latest.without) HEARD.without(latest.without, parts, { latest });
    if (simulation || record.kind !== "answer") return;
    put(parts.window);
    put(parts.costs);
  },

  window(record, parts) {
    const picture = windowChart(record, parts.window);
    const keys = MARKS.filter(([name]) => record.marks[name].length).map(([name, label, colour, shape]) =>
      make("li", {}, markKey(colour, shape), `${label} (${record.marks[name].length})`));
    put(parts.window, make("h3", {}, "The window, from the first packet on"), make("p", { class: "hint" }, "The start is shown here, and is not part of the counts above.", record.is_inflated ? " During a recovery each duplicate ACK enlarges the window by a packet." : ""), picture, make("ul", { class: "keys" }, ...keys));
  },

  without({ rows }, parts, { latest }) {
    put(parts.costs, ...costsOf(rows, latest.answer.simulation));
  },
};

// Parts of the page that show an answer. They are pale while they show that of an earlier connection.
const ANSWERED = ["heading", "measured", "advice", "story", "window", "models", "costs", "take"];

function put(part, ...content) {
  part.classList.remove("outdated");
  part.replaceChildren(...content);
}

// Return the first line of an answer: the simulated goodput.
function headlineOf({ kind, simulation, reason }) {
  if (kind === "models") return ["The connection is being simulated."];
  if (!simulation) return prose(`No simulated goodput: ${reason}.`);
  const level = rate(simulation.goodput_bps);
  const width = interval(simulation.ci95_bps, simulation.goodput_bps);
  if (!simulation.is_steady) return [make("strong", {}, "No steady state"), `; mean goodput over the simulated time: ${level} (${width}).`];
  return [make("strong", {}, level), `, simulated (${width}).`];
}

// Return the name of the first advised model; if no errors are known, of the model nearest to the simulation.
function modelToUse({ advice, nearest }) {
  const [first] = advice.models;
  return first && (advice.kind !== null || advice.models.length === 1) ? first.name : nearest;
}

// Return the second line of an answer: the model to use, or why there is none.
function useOf(record) {
  const { kind, models, simulation, advice, advice_text } = record;
  const isWaiting = kind === "models";
  if (!advice.models.length) {
    const instead = simulation ? "; use the simulated goodput" : isWaiting ? "; the simulation follows" : "";
    return [`Model to use: none, because no model is in domain${instead}.`];
  }
  const name = modelToUse(record);
  if (!name) return [`Model to use: ${isWaiting ? "the one nearest to the simulation, which follows" : "unknown"}, because no errors on such links are known.`];
  const { goodput_bps } = models.find((model) => model.name === name);
  const [, , median, q90, count] = advice_text.rows.find(([model]) => model === name) ?? [];
  const chosen = advice.kind === null && name === record.nearest ? "of the models in domain it is nearest to the simulation, and " : "";
  const errors = Number(count) ? `on such links half of its errors are below ${median}, nine of ten below ${q90}` : `${chosen}its errors on such links are unknown`;
  const outside = advice.outside.length ? " But this link is outside the range of the links with known errors." : "";
  return ["Model to use: ", make("strong", {}, titleOf(name)), " ", make("span", { class: "name" }, name), `, ${rate(goodput_bps)}; ${errors}.${outside}`];
}

const ADVICE_HEADS = ["model in domain", "state", "half of the errors below", "nine of ten below", "random connections"];

// Return the models in domain with their errors, restrictions, and after a simulation the model that is nearest to it.
function adviceOf({ models, simulation, nearest, nearest_text, advice, advice_text }) {
  const rows = advice.kind === null ? advice.models.map(({ name, status }) => [name, status, "unknown", "unknown", "0"]) : advice_text.rows;
  const caption = `Sizes of errors, |100 ln(model / simulated)|, on random connections${advice.kind ? ` with ${advice.kind}` : ""}`;
  const count = (status) => models.filter((model) => model.status === status).length;
  return [
    rows.length
      ? scrollable("Errors of models in domain", make("table", {}, make("caption", {}, caption),
        make("thead", {}, make("tr", {}, ...ADVICE_HEADS.map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...rows.map(([name, status, ...numbers]) => make("tr", {}, make("th", { scope: "row" }, ...named(name)), make("td", {}, status),
          ...numbers.map((text) => make("td", { class: "number" }, text)))))))
      : make("p", {}, `No model is in domain: ${count("out-of-domain")} out of domain, ${count("undefined")} without a value. The table of all models has the reason of each.`),
    ...advice_text.notes.map((note) => make("p", {}, ...prose(note))),
    simulation && rows.length ? make("p", {}, ...(nearest ? nearest_text.split(nearest).flatMap((text, n) => (n ? [...named(nearest), text] : [text])) : [nearest_text])) : null,
  ].filter(Boolean);
}

// Return sentences with the counts of a measurement, such as needless window reductions.
function storyOf(simulation) {
  if (!simulation) return [];
  const s = simulation;
  const gone = s.packets_lost + s.packets_dropped;
  const cuts = s.fast_retransmits + s.timeouts;
  const each = s.handoffs ? `${s.handoffs} hand-offs, ` : "";
  const lines = [`${counted(s.packets_sent)} packets were sent in ${s.replications} times ${short(s.measured_s, 3)} s: ${each}${s.packets_lost} packets lost on the path, ${s.packets_dropped} dropped by a full buffer; ` +
    `${s.retransmissions} retransmissions, ${s.fast_retransmits} fast retransmits and ${s.timeouts} timeouts; mean window ${short(s.mean_window_packets, 3)} packets.`];
  if (!gone && cuts) lines.push(`No packet was lost. The sender took late packets for lost ones, and reduced its window needlessly ${cuts} times.`);
  else if (!gone) lines.push("No packet was lost, and the window was never reduced.");
  return lines.map((line) => make("p", {}, line));
}

function modelsOf(record, view, unfold) {
  const { models, simulation, rows, nearest, legend } = record;
  const use = modelToUse(record);
  const shown = models.filter(({ goodput_bps, status }) => goodput_bps && (view.get(ALL) || IN_DOMAIN.includes(status)));
  const levels = simulation ? [...shown.map((model) => model.goodput_bps), ...intervalOf(simulation)] : [];
  const scale = simulation ? ratioScale(levels.map((bps) => bps / simulation.goodput_bps), STRIP.edge, STRIP.width - STRIP.edge) : null;
  const byName = new Map(models.map((model) => [model.name, model]));
  const lines = rows.map(([name, goodput, , error, status, why]) => {
    const model = byName.get(name);
    const look = model ? pageData.looks.models[name] : pageData.looks.engine;
    const bps = model ? model.goodput_bps : simulation.goodput_bps;
    const badge = name === use ? "to use" : name === nearest ? "nearest" : null;
    const isFolded = model && !IN_DOMAIN.includes(status);
    return make("tr", { class: name === use ? "best" : status, "data-model": name, "data-folded": isFolded, hidden: isFolded && !view.get(ALL) },
      make("th", { scope: "row" }, look.label, badge ? make("span", { class: "badge", title: NEAREST }, badge) : null, model ? make("span", { class: "sentence" }, name) : null),
      make("td", { class: "number", title: bps === null ? null : `${bps} bit/s` }, goodput),
      make("td", { class: "number" }, error),
      make("td", { class: "strip" }, scale ? stripOf(bps, look, model, simulation, scale) : null),
      make("td", {}, status),
      make("td", { class: "why" }, ...prose(why)));
  });
  const heads = ["model", "goodput, kbit/s", "model / simulated", scale ? ticksOf(scale) : "", "state", "why"];
  const body = make("tbody", {}, ...lines);
  return [scrollable("Models",
    make("table", { class: "models" },
      make("caption", {}, "A dot: in domain. A cross: out of domain. A ring: simulated, with its 95 % interval as a grey band"),
      make("thead", {}, make("tr", {}, ...heads.map((head, n) => make("th", { scope: "col", class: n === 3 ? "strip" : null }, head)))),
      body)),
  use && nearest && use !== nearest ? make("p", { class: "hint" }, NEAREST) : null,
  unfoldingButton(body, view, unfold),
  legend ? make("p", { class: "hint" }, ...prose(legend)) : null].filter(Boolean);
}

// Return a button that shows or hides the models that are out of domain or predict no goodput.
function unfoldingButton(body, view, unfold) {
  const { length } = body.querySelectorAll("[data-folded]");
  const isOpen = Boolean(view.get(ALL));
  return length ? make("button", { type: "button", id: "all-models", "aria-expanded": String(isOpen), onclick: unfold },
    isOpen ? "Show models in domain only" : `Show all models (${length} more, out of domain or without an answer)`) : null;
}

function stripSvg() {
  return draw("svg", { viewBox: `0 0 ${STRIP.width} ${STRIP.height}`, width: STRIP.width, height: STRIP.height, "aria-hidden": "true" });
}

// Return the head of the column of marks: what they show, and the ticks of their common axis.
function ticksOf({ place, ticks }) {
  const picture = stripSvg();
  picture.append(...ticks.map(([value, text]) => draw("text", { x: place(value), y: STRIP.height - 6, "text-anchor": "middle" }, text)));
  return [make("span", {}, "model / simulated, logarithmic"), picture];
}

function stripOf(bps, look, model, simulation, { place, ticks }) {
  const picture = stripSvg();
  const at = (level) => place(level / simulation.goodput_bps);
  const [low, high] = intervalOf(simulation).map(at);
  picture.append(
    ...ticks.map(([value]) => draw("line", { x1: place(value), x2: place(value), y1: 0, y2: STRIP.height, stroke: "#d0d0d0" })),
    draw("rect", { x: low - 0.75, width: Math.max(high - low, 0) + 1.5, y: 0, height: STRIP.height, fill: "#bbbbbb" }));
  if (!bps) return picture;
  const isOutside = model && !IN_DOMAIN.includes(model.status);
  const mark = isOutside ? cross(bps, 0, look, look.label) : dot(bps, 0, look, model ? true : look.filled, look.label);
  picture.append(...mark({ x: at, y: () => STRIP.height / 2 }));
  return picture;
}

function intervalOf({ goodput_bps, ci95_bps }) {
  const half = Math.min(ci95_bps ?? 0, 0.9 * goodput_bps);
  return [goodput_bps - half, goodput_bps + half];
}

function windowChart({ time_s, window_packets, marks }, room) {
  const most = Math.max(...window_packets);
  const points = time_s.map((time, n) => [time, window_packets[n]]);
  const shapes = [line(points, { colour: "#333333", line: "solid" }, { "stroke-width": 1.2 })];
  MARKS.forEach(([name, label, colour, shape], n) => {
    shapes.push((place) => marks[name].map((time) =>
      draw("path", { d: shape, transform: `translate(${place.x(time).toFixed(1)} ${place.top + 6 + 11 * n})`, stroke: colour, fill: "none", "stroke-width": 1.4 },
        draw("title", {}, `${label}, ${short(time, 5)} s`))));
  });
  return chart({
    title: "The sender's window over time",
    room,
    height: 220,
    x: { kind: "linear", values: [0, time_s.at(-1)], labels: ["time, s"] },
    y: { kind: "linear", values: [0, most * 1.35], label: "window, packets" },
    shapes,
  });
}

function markKey(colour, shape) {
  return draw("svg", { viewBox: "-6 -6 12 12", width: 14, height: 14, "aria-hidden": "true" }, draw("path", { d: shape, stroke: colour, fill: "none", "stroke-width": 1.6 }));
}

function costsOf(rows, simulation) {
  if (!rows.length || !simulation) return [];
  const all = [{ label: "as it is", ...simulation }, ...rows.map((row) => ({ label: `without ${row.without}`, ...row }))];
  const most = Math.max(...all.map(({ goodput_bps }) => goodput_bps ?? 0));
  const lines = all.map(({ label, goodput_bps, reason }) =>
    make("tr", {},
      make("th", { scope: "row" }, label),
      make("td", { class: "barcell" }, make("div", { class: "bar-of", style: `width:${(100 * (goodput_bps ?? 0)) / most}%` })),
      make("td", { class: goodput_bps === null ? "why" : "number" }, goodput_bps === null ? prose(reason) : rate(goodput_bps)),
      make("td", { class: "number" }, costOf(goodput_bps, simulation.goodput_bps))));
  return [make("h3", {}, "What each impairment costs"), make("table", { class: "costs" },
    make("caption", {}, "Simulated at low precision, with one impairment removed at a time"), make("tbody", {}, ...lines))];
}

// Return the loss of goodput by an impairment, in per cent of the goodput without it.
function costOf(without_bps, goodput_bps) {
  const share = 100 * (1 - goodput_bps / (without_bps ?? goodput_bps));
  const cost = share > 99 ? Math.floor(10 * share) / 10 : Math.round(share); // never 100, because some goodput is left
  return cost > 0 ? `costs ${cost} %` : "";
}

// Return buttons that copy and save what is shown of a connection when they are clicked.
function takeOf(latest, parts, state) {
  const { scenario } = latest;
  const name = scenario.values.id;
  const saveModels = () => {
    const answer = latest.answer ?? latest.models;
    if (answer) saveCsv(`${name}.csv`, MODELS_COLUMNS, [{ ...(answer.simulation ?? {}), log_error: null, reason: answer.reason }, ...answer.models]);
  };
  const saveWindow = () => {
    const picture = parts.window.querySelector("svg.chart");
    if (picture) savePng(`${name}-window.png`, picture);
  };
  const buttons = [
    pageData.is_live || pageData.sweeps[state.get("scenario")] ? make("button", { type: "button", onclick: () => goTo("sweep", state) }, "Sweep a key") : null,
    copyButton("Copy as YAML", () => scenario.yaml),
    copyButton("Copy the link", () => location.href),
    make("button", { type: "button", onclick: saveModels }, "Save as CSV"),
    make("button", { type: "button", onclick: saveWindow }, "Save the window as PNG"),
  ];
  return [make("div", { class: "buttons" }, ...buttons.filter(Boolean)), make("details", {}, make("summary", {}, "The scenario as YAML"), make("pre", { tabindex: 0 }, scenario.yaml)), make("pre", { class: "printed" }, scenario.yaml)];
}
