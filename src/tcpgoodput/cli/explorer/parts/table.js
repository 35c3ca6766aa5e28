// Tables that are sorted by a click on a column's heading, and their filters.

// columns: {id, label, valueOf, cellOf, isNumber, className}; sorted: {column, isDown}.
function sortableTable({ caption, columns, rows, sorted, onsort, attributes = {} }) {
  const column = columns.find(({ id }) => id === sorted.column);
  const ordered = column ? [...rows].sort((a, b) => order(column.valueOf(a), column.valueOf(b), sorted.isDown)) : rows;
  const heads = columns.map(({ id, label, isNumber, className }) => {
    const isSorted = column?.id === id;
    const sort = isSorted ? (sorted.isDown ? "descending" : "ascending") : null;
    const press = () => onsort({ column: id, isDown: isSorted && !sorted.isDown });
    const arrow = make("span", { "aria-hidden": "true" }, isSorted ? (sorted.isDown ? " ▼" : " ▲") : "");
    return make("th", { scope: "col", "aria-sort": sort, class: className ?? (isNumber ? "number" : null) },
      make("button", { type: "button", id: `sort-${id}`, onclick: press }, label, arrow));
  });
  return make("table", attributes,
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...ordered.map((row) => make("tr", {}, ...columns.map((c) => c.cellOf(row))))));
}

// Compare two values for sorting; missing values (null) come last in both directions.
function order(a, b, isDown) {
  if (a === null || b === null) return (a === null) - (b === null);
  const sign = typeof a === "string" ? a.localeCompare(b) : a - b;
  return isDown ? -sign : sign;
}

// Return a selection of one name or of all; the choice is stored in the URL under `name`.
function filterOf(label, name, pairs, names, all, change) {
  const listed = [["", all], ...names.map((entry) => (Array.isArray(entry) ? entry : [entry, entry]))];
  return labelled(label, make("select", { id: `filter-${name}`, onchange: (event) => change(name, event.target.value) },
    ...options(listed, pairs.get(name) ?? "")));
}

function searchOf(pairs, change) {
  return labelled("Words", make("input", { id: "filter-text", type: "search", value: pairs.get("text") ?? "", oninput: (event) => change("text", event.target.value) }));
}

function hasWords(text, wanted) {
  const lower = text.toLowerCase();
  return (wanted ?? "").toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}
