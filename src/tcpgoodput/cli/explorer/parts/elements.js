// Elements of the page, made from plain data. Text is never parsed as HTML.

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  const element = fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  for (const name of ["stroke", "fill"]) if (attributes[name]?.startsWith("#")) element.style[name] = shade(attributes[name]);
  return element;
}

// Return a colour for a white ground with its partner for a dark one: the same hue, lighter. Greys are exchanged, white for the page's ground.
function shade(colour) {
  const [red, green, blue] = colour.slice(1).match(colour.length > 4 ? /../g : /./g);
  const lightness = red === green && green === blue ? "1 - 0.79 * l" : "0.4 + 0.6 * l";
  return `light-dark(${colour}, oklch(from ${colour} calc(${lightness}) c h))`;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function options(pairs, chosen) {
  return pairs.map(([value, label]) => make("option", { value, selected: value === chosen }, label));
}

// Return the text that is shown while an answer is being computed.
function progressSign() {
  return make("p", { class: "progress", hidden: true }, "Computing …");
}

// Return a region that scrolls sideways, below a hint while a part of it is hidden.
function scrollable(label, ...children) {
  const region = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
  const hint = make("p", { class: "hint sideways", hidden: true }, "↔ Wider than the window: scroll it sideways.");
  const watch = new ResizeObserver(() => (hint.hidden = region.scrollWidth <= region.clientWidth));
  for (const element of [region, ...children]) watch.observe(element);
  return make("div", {}, hint, region);
}

// Return a part of the page below a summary. Its content is made when it is opened; `toggled` learns of each change.
function folded(summary, contentOf, { open, toggled, ...attributes }) {
  const body = make("div", {}, ...(open ? contentOf() : []));
  let isOpen = Boolean(open);
  const ontoggle = ({ target }) => {
    if (target.open === isOpen) return;
    isOpen = target.open;
    if (isOpen && !body.childElementCount) body.append(...contentOf());
    toggled(isOpen);
  };
  return make("details", { ...attributes, open, ontoggle }, make("summary", {}, ...summary), body);
}

function labelled(text, control) {
  return make("label", { class: "field" }, make("span", {}, text), control);
}

// Mark an input as invalid, or as valid if there is no message.
function markInvalid(input, message) {
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

// Return text as elements; text between backticks becomes code.
function prose(text) {
  return text.split("`").map((part, n) => (n % 2 ? make("code", {}, part) : part));
}

// Convert LaTeX between $ signs to HTML; only the commands that captions may use are known.

const GREEK = Object.fromEntries(
  ("alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ " +
    "pi π rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Pi Π Sigma Σ " +
    "Phi Φ Psi Ψ Omega Ω cdot · cdots ⋯ ldots … times × leq ≤ geq ≥ neq ≠ approx ≈ sim ~ infty ∞ to → " +
    "rightarrow → leftarrow ← pm ± mp ∓ ll ≪ gg ≫ in ∈ sum Σ int ∫ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ quad  ")
    .split(" ")
    .reduce((pairs, word, n, words) => (n % 2 ? pairs : [...pairs, [word, words[n + 1]]]), []),
);

// Accents as combining characters, which follow their letter and are drawn above it.
const ACCENTS = { hat: "\u0302", tilde: "\u0303", bar: "\u0304", overline: "\u0305", dot: "\u0307" };

function mathematics(text) {
  return text.split("$").flatMap((part, n) => (n % 2 ? [make("span", { class: "formula" }, ...formula(part))] : prose(part)));
}

function formula(text) {
  const parts = [];
  let rest = text;
  const argument = () => {
    rest = rest.trimStart();
    if (!rest.startsWith("{")) return take(rest.startsWith("\\") ? /^\\[A-Za-z]+/ : /^./);
    let depth = 0;
    let end = 0;
    do {
      depth += rest[end] === "{" ? 1 : rest[end] === "}" ? -1 : 0;
      end += 1;
    } while (depth && end < rest.length);
    const inside = rest.slice(1, end - 1);
    rest = rest.slice(end);
    return inside;
  };
  const take = (pattern) => {
    const found = rest.match(pattern)?.[0] ?? "";
    rest = rest.slice(found.length);
    return found;
  };
  while (rest) {
    const command = take(/^\\([A-Za-z]+|.)/);
    if (command === "\\frac") parts.push("(", ...formula(argument()), ")/(", ...formula(argument()), ")");
    else if (command === "\\sqrt") parts.push("√(", ...formula(argument()), ")");
    else if (command === "\\left" || command === "\\right") continue;
    else if (command.slice(1) in ACCENTS) parts.push(...formula(argument()), ACCENTS[command.slice(1)]);
    else if (/^\\(mathrm|mathit|mathbf)$/.test(command)) parts.push(...formula(argument()));
    else if (command) parts.push(GREEK[command.slice(1)] ?? (/^\\[A-Za-z]/.test(command) ? command.slice(1) : " "));
    else if (take(/^_/)) parts.push(make("sub", {}, ...formula(argument())));
    else if (take(/^\^/)) parts.push(make("sup", {}, ...formula(argument())));
    else if (rest.startsWith("{")) parts.push(...formula(argument()));
    else parts.push(take(/^[^\\_^{]+/) || take(/^./));
  }
  return parts;
}
