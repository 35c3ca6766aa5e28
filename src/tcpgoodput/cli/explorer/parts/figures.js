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
  const show = () => {
    const shown = figures.filter((figure) => (!state.get("source") || figure.source === state.get("source")) &&
      hasWords(`${figure.source} ${figure.name} ${figure.title} ${figure.caption}`, state.get("text")));
    place.replaceChildren(make("p", { role: "status" }, `${shown.length} figures and tables`), make("div", { class: "gallery" }, ...shown.map(figureOf)));
  };
  show();
  const studies = [...new Map(figures.map(({ source, study }) => [source, study]))];
  return [make("div", { class: "bar" }, filterOf("Source", "source", state, studies, "all sources", change), searchOf(state, change)), place];
}

function figureOf(figure) {
  const name = `${figure.source} ${figure.name}`;
  const picture = figure.picture && pictureOf(figure);
  const save = async () => saved(`${figure.source}-${figure.name}.csv`, await dataOf(figure));
  return make("figure", { id: `${figure.source}.${figure.name}` },
    picture ? make("img", { src: picture, alt: `${name}: ${figure.title}`, loading: "lazy" }) : null,
    make("figcaption", {},
      make("strong", {}, `${name}. `), ...mathematics(figure.title), make("span", { class: "sentence" }, ...mathematics(figure.caption)),
      make("button", { type: "button", onclick: save, "aria-label": `Numbers of ${name} as CSV` }, "Numbers (CSV)")));
}
