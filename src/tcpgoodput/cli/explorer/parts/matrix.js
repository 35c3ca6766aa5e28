// The view of the matrix: errors of all families on all scenarios, in the colours of the report.

const MATRIX_COLUMNS = ["scenario", "regime", "family", "model", "status", "reduction", "goodput_bps", "simulated_bps", "ci95_bps", "log_error", "reason"];

async function matrixView(pairs) {
  const found = (await library()).matrix;
  if (!found) return [notMade("the matrix")];
  const matrix = { ...found, families: found.families.map(({ id, label }) => ({ id, label: titleOf(label) })) };
  const state = new Map(pairs);
  const place = make("div", {});
  const change = (name, value) => {
    state.set(name, value);
    noteState("matrix", state);
    show();
  };
  const show = () => place.replaceChildren(...matrixOf(matrix, state, change));
  show();
  return [
    make("p", {}, "Goodput of each family of models against the simulated one, 100 ln(model / simulated) in per cent. Filled: in domain; in bold it describes the scenario itself. Hollow: out of its domain. A dot: no answer; the cell says why. A cell opens its connection."),
    make("div", { class: "bar" },
      filterOf("Regime", "regime", state, pageData.looks.regimes, "all regimes", change),
      filterOf("Family", "family", state, matrix.families.map(({ id, label }) => [id, label]), "all families", change),
      searchOf(state, change)),
    binsOf(), place,
  ];
}

function matrixOf(matrix, state, change) {
  const families = matrix.families.filter(({ id }) => !state.get("family") || id === state.get("family"));
  const rows = matrix.rows.filter((row) =>
    (!state.get("regime") || row.regime === state.get("regime")) &&
    hasWords(`${row.scenario} ${row.title} ${row.regime}`, state.get("text")));
  const cellOf = (row, family) => row.cells.find((cell) => cell.family === family);
  const columns = [
    { id: "scenario", label: "scenario", valueOf: (row) => row.scenario, cellOf: (row) => make("th", { scope: "row" }, make("a", { href: connectionAddress(row.scenario) }, row.title), make("span", { class: "sentence" }, row.scenario)) },
    { id: "regime", label: "regime", valueOf: (row) => pageData.looks.regimes.indexOf(row.regime), className: "regime", cellOf: (row) => make("td", { class: "regime" }, row.regime) },
    { id: "simulated", label: "simulated", isNumber: true, valueOf: (row) => row.simulated_bps, cellOf: simulatedCell },
    ...families.map(({ id, label }) => ({
      id, label, isNumber: true,
      valueOf: (row) => errorSize(cellOf(row, id)),
      cellOf: (row) => errorCell(row, cellOf(row, id), label),
    })),
  ];
  const sorted = { column: state.get("sort") ?? "", isDown: state.get("order") === "down" };
  const onsort = ({ column, isDown }) => {
    state.set("order", isDown ? "down" : "");
    change("sort", column);
    document.getElementById(`sort-${column}`)?.focus();
  };
  const records = rows.flatMap((row) => families.map(({ id }) => ({ ...row, ...cellOf(row, id) })));
  return [
    scrollable("The matrix",
      sortableTable({ caption: `${rows.length} scenarios, ${families.length} families`, columns, rows, sorted, onsort, attributes: { class: "matrix" } })),
    make("div", { class: "buttons" }, copyButton("Copy the link", () => location.href), make("button", { type: "button", onclick: () => saveCsv("matrix.csv", MATRIX_COLUMNS, records) }, "Save as CSV")),
  ];
}

// A missing error of a model that has a goodput means that the connection has no steady state.
function simulatedCell({ simulated_bps, cells }) {
  if (simulated_bps === null) return make("td", { class: "number" });
  const isSteady = !cells.some(({ goodput_bps, log_error }) => goodput_bps !== null && log_error === null);
  return make("td", { class: "number", title: isSteady ? null : `${rate(simulated_bps)} over the simulated time` }, isSteady ? rate(simulated_bps) : "no steady state");
}

const connectionAddress = (scenario) => addressOf("connection", new Map([["scenario", scenario]]));

function errorSize(cell) {
  return cell?.log_error === null || cell === undefined ? null : Math.abs(cell.log_error);
}

function errorCell(row, cell, label) {
  if (!cell) return make("td", {});
  const why = [`${titleOf(cell.model)} (${cell.model})`, cell.status, cell.reduction, cell.reason].filter(Boolean).join("; ");
  const has = cell.log_error !== null;
  const isInDomain = IN_DOMAIN.includes(cell.status);
  const text = has ? errorText(cell.log_error) : "·";
  const bin = has ? binOf(cell.log_error) : null;
  const style = has && isInDomain ? `background:${bin.colour};color:${bin.ink}` : null;
  return make("td", { class: "error" },
    make("a", { href: connectionAddress(row.scenario), class: has ? (isInDomain ? cell.status : "outside") : "nothing", style, title: why,
      "aria-label": `${label} on ${row.scenario}: ${has ? `${text} per cent` : "no answer"}; ${why}` }, text));
}

function binsOf() {
  return make("ul", { class: "keys", "aria-label": "Colours" }, ...pageData.looks.errors.bins.map(({ colour, label }) =>
    make("li", {}, make("span", { class: "swatch", style: `background:${colour}` }), label)),
    make("li", {}, make("span", { class: "swatch hollow" }), "out of its domain"));
}

function notMade(what) {
  return make("p", { class: "note" }, `No run has made ${what} yet. Run `, make("code", {}, "./reproduce"), ", then open this page again.");
}
