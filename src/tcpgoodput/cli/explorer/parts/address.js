// The state of the page is in its URL, after the `#`, so that a link shows the same state.

function readAddress() {
  const [view, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { view, pairs: new Map(new URLSearchParams(query)) };
}

function addressOf(view, pairs) {
  const query = new URLSearchParams([...pairs].filter(([, value]) => value !== "" && value !== null));
  return `#${view}${query.size ? `?${query}` : ""}`;
}

// `goTo` adds a step to the browser's history; `noteState` replaces the current step.
function goTo(view, pairs) {
  history.pushState(null, "", addressOf(view, pairs));
  showView();
}

function noteState(view, pairs) {
  history.replaceState(null, "", addressOf(view, pairs));
}

// Return the open groups of a view, and a function that notes in the URL that one was opened or closed.
function groupsOf(view, state) {
  const opened = new Set((state.get("open") ?? "").split(" ").filter(Boolean));
  const toggled = (group, isOpen) => {
    opened[isOpen ? "add" : "delete"](group);
    state.set("open", [...opened].join(" "));
    noteState(view, state);
  };
  return { opened, toggled };
}

const isKey = (name) => ["title", "tcp", "path", "loss", "arq", "spikes", "handoffs", "capacity", "delay"].includes(name.split(".")[0]);

// Return the scenario in a URL and its changed keys, without the settings of a view.
function scenarioPairs(pairs) {
  const scenario = pairs.get("scenario") ?? pageData.begin;
  return new Map([["scenario", scenario], ...[...pairs].filter(([name]) => isKey(name))]);
}
