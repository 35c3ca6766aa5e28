// The state of the page is in its address, behind the `#`: a link to it shows the same.

function readAddress() {
  const [view, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { view, pairs: new Map(new URLSearchParams(query)) };
}

function addressOf(view, pairs) {
  const query = new URLSearchParams([...pairs].filter(([, value]) => value !== "" && value !== null));
  return `#${view}${query.size ? `?${query}` : ""}`;
}

// A step of its own in the browser's history, or one that takes the place of the last.
function goTo(view, pairs) {
  history.pushState(null, "", addressOf(view, pairs));
  showView();
}

function noteState(view, pairs) {
  history.replaceState(null, "", addressOf(view, pairs));
}

const isKey = (name) => ["title", "tcp", "path", "loss", "spikes", "handoffs", "capacity", "delay"].includes(name.split(".")[0]);

// The scenario of an address with its changes, without what else a view notes there.
function scenarioPairs(pairs) {
  const scenario = pairs.get("scenario") ?? pageData.begin;
  return new Map([["scenario", scenario], ...[...pairs].filter(([name]) => isKey(name))]);
}
