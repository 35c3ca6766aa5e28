// The form "My link": rate, round trip, loss, buffer and sender. The server converts its texts to keys of the scenario.

class LinkForm {
  // `change` is called with the keys that a text changes, `refuse` with the record of a problem.
  constructor(change, refuse) {
    this.change = change;
    this.refuse = refuse;
    this.typed = 0;
    const { numbers, senders } = pageData.link;
    const field = (name, label, unit) => {
      this.inputs[name] = make("input", { id: `link-${name}`, type: "text", autocomplete: "off", spellcheck: "false", oninput: () => this.send(), "aria-describedby": "link-hint link-problem" });
      return labelled(`${label} [${unit}]`, this.inputs[name]);
    };
    this.inputs = {};
    const fields = [...numbers.map(({ id, label, unit }) => field(id, label, unit)), field("buffer", "Buffer", "packets")];
    this.inputs.sender = make("select", { id: "link-sender", onchange: () => this.send() }, ...options([...senders, ["", "another one, set below"]], null));
    this.hint = make("p", { class: "hint", id: "link-hint" });
    this.problem = make("p", { class: "wrong", id: "link-problem" });
    this.element = make("form", { class: "bar link", "aria-label": "My link", onsubmit: (event) => event.preventDefault() },
      ...fields, labelled("Sender", this.inputs.sender), this.problem, this.hint);
  }

  // Mark the fields whose labels `messages` has.
  mark(messages) {
    const labels = { ...Object.fromEntries(pageData.link.numbers.map(({ id, label }) => [id, label])), buffer: "Buffer" };
    for (const [name, label] of Object.entries(labels)) markInvalid(this.inputs[name], messages[label]);
    this.problem.textContent = Object.values(labels).filter((label) => messages[label]).map((label) => `${label}: ${messages[label]}`).join("; ");
  }

  show(texts, { path }) {
    this.texts = texts;
    for (const [name, input] of Object.entries(this.inputs)) if (document.activeElement !== input) input.value = texts[name] ?? "";
    this.inputs.loss.placeholder = texts.loss === null ? "set below" : "";
    this.hint.replaceChildren("Numbers may have another unit, such as 20M or 0.06 s. Without a number, the buffer holds a bandwidth-delay product",
      texts.buffer === "" ? ` (${path.buffer_packets} packets)` : "", "; ", make("code", {}, "endless"), " is allowed, too.");
  }

  // Leave out the two delays if the round trip is the one that was shown: they may differ.
  without(changes) {
    const kept = Object.entries(changes).filter(([key]) => !key.endsWith("_delay_s") || this.inputs.rtt.value !== this.texts?.rtt);
    return Object.fromEntries(kept);
  }

  async send() {
    const mine = (this.typed += 1);
    const isOld = () => mine !== this.typed || !this.element.isConnected;
    const texts = Object.entries(this.inputs).map(([name, input]) => [name, input.value]).filter(([name, text]) => text || this.texts?.[name] !== null);
    try {
      for await (const record of recordsOf("link", texts)) {
        if (isOld()) return;
        if (record.kind === "problem") this.refuse(record);
        else this.change(this.without(record.changes));
      }
    } catch (error) {
      if (!isOld()) this.refuse({ kind: "problem", message: noAnswer(error) });
    }
  }
}
