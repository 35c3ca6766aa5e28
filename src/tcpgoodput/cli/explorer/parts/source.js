// Source of the page's content: requests to the server, or, for the static page, data in this file.

const pageData = JSON.parse(document.getElementById("page-data").textContent);
const PAGE = Math.random().toString(36).slice(2);

const titleOf = (name) => pageData.looks.models[name]?.label ?? (name === "packet" ? pageData.looks.engine.label : name);

// Return a model's title, with its name in grey behind it.
function named(name) {
  const title = titleOf(name);
  return title === name || !(name in pageData.looks.models) ? [title] : [title, " ", make("span", { class: "name" }, name)];
}

const PATIENCE_MS = 400; // time after which a new request replaces one without an answer

// Requests to the server, one at a time. If the current one has no answer yet, only the newest waits.
class Questions {
  static shown = new Set(); // those of the view that is shown

  // `hear` is called with each record of an answer. `progress` is an element that is shown meanwhile.
  constructor(kind, hear, progress) {
    this.kind = kind;
    this.hear = hear;
    this.progress = progress;
    this.next = null;
    this.current = null;
    Questions.shown.add(this);
  }

  // Stop waiting for answers to the view that is left: they would stop those of the next one.
  static stopAll() {
    for (const questions of Questions.shown) questions.stop();
    Questions.shown.clear();
  }

  ask(pairs) {
    clearTimeout(this.timer);
    const waited = performance.now() - (this.current?.began ?? 0);
    if (this.current && !this.current.isAnswered && waited < PATIENCE_MS) {
      this.next = pairs;
      this.timer = setTimeout(() => this.ask(pairs), PATIENCE_MS - waited);
      return;
    }
    this.next = null;
    this.current?.abort.abort();
    this.begin(pairs);
  }

  async begin(pairs) {
    const current = { abort: new AbortController(), isAnswered: false, began: performance.now() };
    this.current = current;
    this.progress.hidden = false;
    try {
      for await (const record of recordsOf(this.kind, pairs, current.abort.signal)) {
        if (this.current !== current) return;
        this.hear(record);
        if (!["scenario", "sweep", "models"].includes(record.kind)) this.answered(current);
      }
      library().catch(() => {}); // The server reads it in seconds: a first click on another view should not wait.
    } catch (error) {
      if (error.name !== "AbortError") this.hear({ kind: "problem", message: noAnswer(error) });
    }
    this.answered(current);
    if (this.current !== current) return;
    this.progress.hidden = true;
  }

  // Stop waiting for answers.
  stop() {
    clearTimeout(this.timer);
    this.next = null;
    this.current?.abort.abort();
    this.current = null;
    this.progress.hidden = true;
  }

  answered(current) {
    if (current.isAnswered || this.current !== current) return;
    current.isAnswered = true;
    const next = this.next;
    this.next = null;
    if (next) this.ask(next);
  }
}

const noAnswer = (error) => `no answer: is the server still there? (${error.message})`;

async function* recordsOf(kind, pairs, signal) {
  const query = new URLSearchParams([...pairs, ["page", `${PAGE}-${kind}`]]);
  const answer = await fetch(`${kind}?${query}`, { signal });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const text of lines) yield JSON.parse(text);
  }
}

let asked = null; // promise of the run's results

// Return a promise of the run's results, which the views of matrix, claims and figures show.
async function library() {
  if (!pageData.is_live) return pageData.library;
  asked ??= libraryOfServer().catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

async function libraryOfServer() {
  const answer = await fetch("library");
  if (!answer.ok) throw new Error(`the results of the last run cannot be read (${answer.status}). If a run is going on, wait for its end, and load the page again`);
  return answer.json();
}

function pictureOf(figure) {
  return pageData.is_live ? figure.picture : pageData.pictures[figure.picture];
}

async function dataOf(figure) {
  if (pageData.is_live) return (await fetch(figure.data)).blob();
  const packed = Uint8Array.from(atob(pageData.tables[figure.data]), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();
}
