// A form with a control for every key of a scenario: unit, range, default and meaning are from the schema.

const STEPS = 400; // number of steps of a slider
const MOST_KEYS = 8; // if a part has more keys, those with default values are hidden at first

// Ends of sliders, by the key's unit. A slider that has these ends shows where among usual values the value is.
const USUAL = { s: [1e-4, 100], "bit/s": [1e4, 1e10], packets: [1, 1e4], bytes: [1, 1e4], Hz: [0.01, 100], "m/s": [0.1, 100], dB: [0.1, 50] };
const USUAL_SHARE = [1e-5, 1];
const USUAL_NUMBER = [1, 100]; // of keys without a unit that are no shares
const NO_LIMIT = 1e5; // larger limits only prevent overflows, so that hints do not name them

// Values of required keys when a part is added, by the key's whole name or by its last component.
// `OF_THE_RATE` has rates as fractions of `path.rate_bps`.
const BEGINNINGS = {
  error: 0.1, attempts: 4, probability: 0.01, good_to_bad: 0.001, bad_to_good: 0.3, "handoffs.interval_s": 5, packets: 1, fate: "lost",
  frequency_hz: 0.5, coherence_s: 1, speed_mps: 8, shape: 2.5, p01: 0.1, p10: 0.5, distribution: "exponential",
  "spikes.interval.mean_s": 30, "spikes.interval.low_s": 20, "spikes.interval.high_s": 40,
  "spikes.interval.mean0_s": 20, "spikes.interval.mean1_s": 60, "spikes.duration.mean_s": 2,
  "spikes.duration.low_s": 1, "spikes.duration.high_s": 3, "spikes.duration.mean0_s": 1, "spikes.duration.mean1_s": 5,
};
const OF_THE_RATE = { min_bps: 0.25, max_bps: 1, peak_bps: 1, mean_bps: 0.6 };

// For values of a key: another key that must change at the same time, so that the scenario is valid.
const COMPANIONS = { "handoffs.fate": { late: ["handoffs.late_s", "0.2"], lost: ["handoffs.late_s", "null"] } };

function valueAt(values, key) {
  return key.split(".").reduce((part, name) => part?.[name], values);
}

function beginning(part, member, rate_bps) {
  const found = part.tag ? { [part.tag]: member } : {};
  for (const control of part.members[member].controls) {
    if (!control.required) continue;
    const name = control.key.split(".").at(-1);
    if (control.kind === "part") {
      const [first] = Object.keys(control.members);
      found[name] = beginning(control, BEGINNINGS[control.tag] ?? first, rate_bps);
    } else if (name in OF_THE_RATE) found[name] = OF_THE_RATE[name] * rate_bps;
    else found[name] = BEGINNINGS[control.key] ?? BEGINNINGS[name];
  }
  return found;
}

// The form of a scenario. For a change, it calls `change(key, text)`, like the option `--set key=text`.
class Form {
  constructor(change) {
    this.change = change;
    this.element = make("form", { class: "controls", "aria-label": "The connection", onsubmit: (event) => event.preventDefault() });
    this.shape = "";
    this.shown = [];
  }

  // Mark the fields whose keys `messages` has, and show each message below its field.
  mark(messages) {
    for (const { key, input, problem } of this.shown) {
      markInvalid(input, messages[key]);
      problem.replaceChildren(...prose(messages[key] ?? ""));
    }
  }

  show(values) {
    this.values = values;
    const shape = this.shapeOf(pageData.controls);
    const focused = shape === this.shape ? "" : document.activeElement?.id;
    if (shape !== this.shape) {
      this.shape = shape;
      this.rebuild();
    }
    for (const control of this.shown) this.update(control);
    // A new control gets the focus only now, because the focused control keeps what is typed.
    if (focused) document.getElementById(focused)?.focus();
  }

  // Return which variant each part has. Only if this changes, the controls are rebuilt and lose the focus.
  shapeOf(controls) {
    return controls
      .filter((control) => control.kind === "part")
      .map((part) => {
        const member = this.memberOf(part);
        return `${part.key}:${member}(${member === null ? "" : this.shapeOf(part.members[member].controls)})`;
      })
      .join(",");
  }

  memberOf(part) {
    const value = valueAt(this.values, part.key);
    return value === null || value === undefined ? null : part.tag ? value[part.tag] : "";
  }

  rebuild() {
    this.shown = [];
    const plain = pageData.controls.filter((control) => !["part", "fixed"].includes(control.kind));
    const parts = pageData.controls.filter((control) => control.kind === "part");
    this.element.replaceChildren(...parts.map((part) => this.partOf(part)), ...plain.map((control) => this.fieldOf(control)));
  }

  partOf(part) {
    const member = this.memberOf(part);
    const inside = member === null ? [] : part.members[member].controls;
    const isTop = !part.key.includes(".");
    const summary = make("summary", {}, part.key.split(".").at(-1), make("span", { class: "sentence" }, ...prose(part.text)));
    const isFolded = (control) => inside.length > MOST_KEYS && this.isDefault(control);
    const drawn = (control) => (control.kind === "part" ? this.partOf(control) : this.fieldOf(control));
    const folded = inside.filter(isFolded).map(drawn);
    return make("details", { open: isTop && (member !== null || part.key === "loss"), class: isTop ? "part" : "part within" },
      summary,
      this.chooserOf(part, member),
      ...inside.filter((control) => !isFolded(control)).map(drawn),
      folded.length ? make("details", { class: "part within" }, make("summary", {}, `${folded.length} keys at their defaults`), ...folded) : null);
  }

  isDefault(control) {
    return !control.required && (control.kind === "part" || JSON.stringify(valueAt(this.values, control.key)) === JSON.stringify(control.default));
  }

  chooserOf(part, member) {
    const names = part.optional ? [["null", "none"]] : [];
    if (part.tag) names.push(...Object.keys(part.members).filter((name) => name !== "trace" || member === "trace").map((name) => [name, name]));
    else if (part.optional) names.push(["", "yes"]);
    if (names.length < 2) return null;
    const id = `part-${part.key}`;
    const choose = (event) => {
      const chosen = event.target.value;
      const given = chosen === "null" ? "null" : JSON.stringify(beginning(part, chosen, this.values.path.rate_bps));
      this.change(part.key, given);
    };
    return make("div", { class: "control" },
      make("label", { for: id }, part.tag ? `${part.key}.${part.tag}` : part.key),
      make("select", { id, onchange: choose }, ...options(names, member === null ? "null" : member)),
      member !== null && part.members[member].text ? make("p", { class: "hint" }, ...prose(part.members[member].text)) : null);
  }

  fieldOf(control) {
    const id = `key-${control.key}`;
    const unit = control.unit === "1" ? "" : control.unit;
    const field = { ...control, id };
    this.shown.push(field);
    const described = { id, "aria-describedby": `${id}-problem ${id}-hint` };
    field.problem = make("p", { class: "wrong", id: `${id}-problem` });
    const hint = make("p", { class: "hint", id: `${id}-hint` }, ...prose(hintOf(control)));
    const label = make("label", { for: id }, control.key.split(".").at(-1), unit ? make("span", { class: "unit" }, ` [${unit}]`) : null);
    if (control.kind === "choice") {
      field.input = make("select", { ...described, onchange: (event) => this.changed(control.key, event.target.value) },
        ...options(control.options.map((name) => [name, name]), null));
      return make("div", { class: "control" }, label, field.input, field.problem, hint);
    }
    if (control.kind === "flag") {
      field.input = make("input", { ...described, type: "checkbox", onchange: (event) => this.change(control.key, String(event.target.checked)) });
      return make("div", { class: "control flag" }, label, field.input, field.problem, hint);
    }
    const isNumber = ["number", "whole"].includes(control.kind);
    field.input = make("input", {
      ...described, type: "text", inputmode: isNumber ? "decimal" : null, autocomplete: "off", spellcheck: "false",
      placeholder: control.optional ? "null" : null, disabled: control.kind === "fixed",
      oninput: (event) => this.change(control.key, event.target.value.trim() || "null"),
    });
    if (!isNumber) return make("div", { class: "control" }, label, field.input, field.problem, hint);
    field.slider = make("input", {
      type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${control.key}, slider`,
      oninput: (event) => this.slid(field, Number(event.target.value)),
    });
    field.ends = [0, 1].map(() => make("span", { class: "unit", "aria-hidden": "true" }));
    return make("div", { class: "control" }, label, field.input, make("div", { class: "slider" }, field.ends[0], field.slider, field.ends[1]), field.problem, hint);
  }

  changed(key, value) {
    const companion = COMPANIONS[key]?.[value];
    if (companion) this.change(...companion, false);
    this.change(key, value);
  }

  slid(field, step) {
    const [low, high] = field.range;
    const value = low * (high / low) ** (step / STEPS);
    const text = field.kind === "whole" ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
    field.input.value = text;
    this.change(field.key, text);
  }

  update(field) {
    const found = valueAt(this.values, field.key);
    // `arq.error` may be a group of keys instead of a number: its text is JSON, and its slider has no value.
    const isGroup = found !== null && typeof found === "object" && !Array.isArray(found);
    const value = isGroup ? null : found;
    if (field.kind === "flag") field.input.checked = value;
    else if (document.activeElement !== field.input) {
      field.input.value = isGroup ? JSON.stringify(found) : value === null ? "" : Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
    }
    if (!field.slider || document.activeElement === field.slider) return;
    field.range = rangeOf(field, value);
    const [low, high] = field.range;
    field.slider.value = value ? Math.round((STEPS * Math.log(value / low)) / Math.log(high / low)) : value === null ? STEPS : 0;
    field.ends.forEach((end, n) => (end.textContent = short(field.range[n])));
    field.slider.setAttribute("aria-valuetext", value === null ? "null" : `${value} ${field.unit === "1" ? "" : field.unit}`);
  }
}

// Return the ends of a slider: usual values within the limits of the schema, and the value itself.
function rangeOf(control, value) {
  const usual = USUAL[control.unit] ?? (control.high === 1 ? USUAL_SHARE : USUAL_NUMBER);
  const least = control.low || usual[0];
  const most = control.high_excluded ? control.high * 0.999 : control.high;
  const [low, high] = [Math.max(least, usual[0]), Math.min(most, usual[1])];
  return value > 0 ? [Math.min(low, value), Math.max(high, value)] : [low, high];
}

function hintOf(control) {
  const limits = [];
  if (control.low !== undefined) limits.push(`${control.low_excluded ? "more than" : "at least"} ${short(control.low)}`);
  if (control.high < NO_LIMIT) limits.push(`${control.high_excluded ? "less than" : "at most"} ${short(control.high)}`);
  if (control.kind === "whole") limits.push("a whole number");
  const allowed = limits.length ? ` Allowed: ${limits.join(", ")}.` : "";
  const given = control.required ? " No default." : ` Default: ${JSON.stringify(control.default)}.`;
  return `${control.text}.${allowed}${control.kind === "part" ? "" : given}`;
}
