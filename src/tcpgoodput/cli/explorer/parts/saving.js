// Saving of tables as CSV and of pictures as PNG, and copying of texts to the clipboard.

function saved(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function saveCsv(name, columns, records) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...records.map((record) => columns.map((column) => record[column]))];
  saved(name, new Blob([lines.map((line) => `${line.map(cell).join(",")}\n`).join("")], { type: "text/csv" }));
}

const SHARPNESS = 2; // pixels of a saved picture per pixel of the page, in each direction

async function savePng(name, picture) {
  const { width, height } = picture.viewBox.baseVal;
  const copy = picture.cloneNode(true);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(draw("style", {}, "text{font:12px sans-serif;fill:#222}"));
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = make("canvas", { width: width * SHARPNESS, height: height * SHARPNESS });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saved(name, blob), "image/png");
}

function copyButton(label, textOf) {
  const button = make("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    const said = await navigator.clipboard.writeText(textOf()).then(() => "Copied", () => "Not copied: the browser refuses");
    button.textContent = said;
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}
