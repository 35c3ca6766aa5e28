// The views of the page; the URL names the one to show.

const VIEWS = {
  connection: ["Connection", connectionView],
  sweep: ["Sweep", sweepView],
  matrix: ["Matrix", matrixView],
  claims: ["Claims", claimsView],
  figures: ["Figures", figuresView],
};

// Return a list of questions for a first visit, each with a link to the view that answers it.
function questionsOf() {
  const known = pageData.questions.filter(({ scenario, needs_server }) => pageData.presets.some(({ id }) => id === scenario) && (pageData.is_live || !needs_server));
  if (!known.length) return null;
  return make("details", { class: "questions" }, make("summary", {}, "Questions to begin with"),
    make("ol", {}, ...known.map(({ asks, view, scenario, changes, look }) => {
      const all = [["scenario", scenario], ...Object.entries(changes)];
      const pairs = new Map(pageData.is_live ? all : all.filter(([name]) => !isKey(name)));
      return make("li", {}, make("a", { href: addressOf(view, pairs) }, ...prose(asks)), " ", ...prose(look));
    })));
}

let shownView = 0;

async function showView() {
  Questions.stopAll();
  const { view, pairs } = readAddress();
  const name = view in VIEWS ? view : "connection";
  const [title, make_] = VIEWS[name];
  const mine = (shownView += 1);
  const content = document.getElementById("content");
  const progress = progressSign();
  progress.hidden = false;
  showTabs(name, scenarioPairs(pairs));
  content.replaceChildren(progress);
  let parts;
  try {
    parts = await make_(pairs);
  } catch (error) {
    parts = [make("p", { class: "note", role: "alert" }, `No answer: ${error.message}.`)];
  }
  if (mine !== shownView) return;
  document.title = `${title} – TCP over wireless links`;
  content.replaceChildren(...parts.filter(Boolean));
}

// Show the links to all views, and mark the one with this name.
function showTabs(name, scenario) {
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([id, [label]]) => {
    const kept = ["connection", "sweep"].includes(id) && ["connection", "sweep"].includes(name) ? scenario : new Map();
    return make("a", { href: addressOf(id, kept), "aria-current": id === name ? "page" : null }, label);
  }));
}

addEventListener("popstate", showView);
showView();
