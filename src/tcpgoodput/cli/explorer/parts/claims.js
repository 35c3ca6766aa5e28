// The view of all claims of the studies, with their predicates and a verdict for each kind of evidence.

const UNFOLDED = 12; // largest number of claims that are shown without folding them by study

async function claimsView(pairs) {
  const { claims, figures } = await library();
  if (!claims) return [notMade("the ledger of claims")];
  const state = new Map(pairs);
  const place = make("div", {});
  const change = (name, value) => {
    state.set(name, value);
    noteState("claims", state);
    if (name !== "claim") show();
  };
  const groups = groupsOf("claims", state);
  const show = () => place.replaceChildren(...claimsOf(claims, figures, state, change, groups));
  show();
  return [
    make("div", { class: "bar" },
      filterOf("Source", "source", state, Object.entries(claims.sources), "all sources", change),
      filterOf("Verdict", "verdict", state, claims.verdicts, "all verdicts", change),
      filterOf("Evidence", "evidence", state, Object.entries(claims.evidence), "all evidence", change),
      searchOf(state, change)),
    place,
  ];
}

function claimsOf(claims, figures, state, change, { opened, toggled }) {
  const fits = ({ verdict, evidence }) =>
    (!state.get("verdict") || verdict === state.get("verdict")) && (!state.get("evidence") || evidence === state.get("evidence"));
  const rows = claims.rows.filter((row) =>
    (!state.get("source") || row.source === state.get("source")) && row.verdicts.some(fits) &&
    hasWords([row.source, row.id, row.statement, row.where, ...row.verdicts.flatMap((v) => [v.verdict, v.predicate, v.note])].join(" "), state.get("text")));
  const shown = rows.flatMap((row) => row.verdicts.filter(fits));
  const own = shown.filter(({ evidence }) => evidence === "model").length;
  return [
    make("p", { role: "status" }, `${countOf(rows.length)}, ${shown.length - own} verdicts by measurement, ${own} by models`),
    ...Object.entries(claims.sources).map(([source, study]) => [source, study, rows.filter((row) => row.source === source)]).filter(([, , some]) => some.length).map(([source, study, some]) => {
      const open = rows.length <= UNFOLDED || some.length === rows.length || opened.has(source) || some.some((row) => idOf(row) === state.get("claim"));
      const fill = () => some.map((row) => claimOf(row, claims, figures, state, change));
      return folded([make("h2", {}, study), make("span", { class: "hint" }, countOf(some.length))], fill, { class: "study", open, toggled: (isOpen) => toggled(source, isOpen) });
    }),
  ];
}

const idOf = ({ source, id }) => `${source}.${id}`;
const countOf = (count) => (count === 1 ? "1 claim" : `${count} claims`);

function withInterval({ value, value_low: low, value_high: high }) {
  return low ? `${value} (${low} to ${high})` : value;
}

function claimOf(row, claims, figures, state, change) {
  const id = idOf(row);
  const chips = row.verdicts.map(({ verdict, evidence }) =>
    make("span", { class: "chip", style: `border-color:${pageData.looks.verdicts[verdict].colour}` }, `${claims.evidence[evidence]}: ${verdict}`));
  const heads = ["evidence", "predicate", "verdict", "value", "allowed", "note"];
  const fill = () => [
    make("dl", {},
      make("dt", {}, "Source"), make("dd", {}, `${claims.sources[row.source]}, ${row.where}`),
      ...(row.chosen ? [make("dt", {}, "Setting, which the text leaves open"), make("dd", {}, row.chosen)] : [])),
    scrollable(`Evidence on ${row.id}`,
      make("table", {},
        make("caption", {}, "The tested predicate, and its outcome"),
        make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...row.verdicts.map((v) => make("tr", {},
          make("th", { scope: "row" }, claims.evidence[v.evidence]), make("td", {}, v.predicate), make("td", {}, v.verdict),
          make("td", { class: "number" }, withInterval(v)), make("td", { class: "number" }, v.bound), make("td", {}, v.note)))))),
    ...row.figures.map((name) => figures.find((figure) => figure.source === row.source && figure.name === name)).filter(Boolean).map((figure) => figureOf(figure)),
  ];
  const open = state.get("claim") === id;
  const toggled = (isOpen) => {
    if (isOpen !== (state.get("claim") === id)) change("claim", isOpen ? id : "");
  };
  return folded([make("span", { class: "statement" }, ...mathematics(row.statement)), ...chips], fill, { class: "claim", open, toggled, id });
}
