// The view of every figure and table of every study, with its caption and its numbers.

async function figuresView(pairs) {
  const { figures } = await library();
  if (!figures.length) return [notMade("figures")];
  const state = new Map(pairs);
  const place = make("div", {});
  const change = (name, value) => {
    state.set(name, value);
    noteState("figures", state);
    show();
  };
  const settingsOf = ({ source, name }) => figures.filter((figure) => figure.source === source && figure.of === name);
  const studies = [...new Map(figures.map(({ source, study }) => [source, study]))];
  const { opened, toggled } = groupsOf("figures", state);
  const show = () => {
    const shown = figures.filter((figure) => !figure.of && (!state.get("source") || figure.source === state.get("source")) &&
      hasWords([figure.source, figure.name, figure.title, figure.caption, ...settingsOf(figure).map(({ setting }) => setting)].join(" "), state.get("text")));
    const groups = studies.map(([source, study]) => [source, study, shown.filter((figure) => figure.source === source)]).filter(([, , own]) => own.length);
    place.replaceChildren(make("p", { role: "status" }, `Figures and tables: ${shown.length}`),
      ...groups.map(([source, study, own]) => studyOf(study, own, settingsOf, groups.length === 1 || opened.has(source), (isOpen) => toggled(source, isOpen))));
  };
  show();
  return [make("div", { class: "bar" }, filterOf("Source", "source", state, studies, "all sources", change), searchOf(state, change)), place];
}

const SHEET = 5; // number of small pictures of a study that is not open

// Return a study's figures, then its tables. While it is folded, it shows some of the pictures.
function studyOf(study, figures, settingsOf, open, toggled) {
  const [drawn, tables] = [true, false].map((isDrawn) => figures.filter((figure) => Boolean(figure.picture) === isDrawn));
  const gallery = (some) => make("div", { class: "gallery" }, ...some.map((figure) => figureOf(figure, settingsOf(figure))));
  const fill = () => [drawn.length ? gallery(drawn) : null, tables.length ? make("h3", {}, "Tables") : null, tables.length ? gallery(tables) : null].filter(Boolean);
  const counted = [[drawn, "figure"], [tables, "table"]].filter(([some]) => some.length).map(([some, noun]) => `${some.length} ${noun}${some.length > 1 ? "s" : ""}`);
  const small = drawn.map(pictureOf).filter(Boolean).slice(0, SHEET).map((src) => make("img", { src, alt: "", loading: "lazy" }));
  return folded([make("h2", {}, study), make("span", { class: "hint" }, counted.join(", ")), make("span", { class: "sheet" }, ...small)], fill, { class: "study", open, toggled });
}

// Return a figure or table; `settings` are the same figure in other settings, of which only numbers are shown.
function figureOf(figure, settings = []) {
  const name = `${figure.source} ${figure.name}`;
  const picture = figure.picture && pictureOf(figure);
  const numbersOf = (one) => make("button", { type: "button", "aria-label": `Numbers of ${one.source} ${one.name} as CSV`,
    onclick: async () => saved(`${one.source}-${one.name}.csv`, await dataOf(one)) }, "Numbers (CSV)");
  const enlarge = ({ currentTarget: button }) => button.setAttribute("aria-pressed", button.closest("figure").classList.toggle("large"));
  return make("figure", { id: `${figure.source}.${figure.name}` },
    picture ? make("button", { type: "button", class: "picture-of", onclick: enlarge, "aria-pressed": false, title: "Enlarge or reduce" },
      make("img", { src: picture, alt: `${figure.title} (${name})`, loading: "lazy" })) : null,
    make("figcaption", {},
      make("strong", {}, ...mathematics(figure.title)), " ", make("span", { class: "name" }, name), make("span", { class: "sentence" }, ...mathematics(figure.caption)),
      numbersOf(figure),
      settings.length ? make("details", {}, make("summary", {}, `In ${settings.length} other setting${settings.length > 1 ? "s" : ""}`),
        make("ul", {}, ...settings.map((one) => make("li", {}, ...mathematics(one.setting), " ", numbersOf(one))))) : null));
}
