// The grid of all heads: layers down, heads across.

const figureKinds = {
  weights: {name: "weights"},
  entropy_share: {name: "entropy, share of the most", text: (share) => (100 * share).toFixed(0)},
  distance: {name: "mean distance in tokens", text: (tokens) => tokens.toFixed(1)},
  contribution: {name: "contribution (mean norm)", text: (norm) => norm.toFixed(2)},
  first: {name: `weight on ${data.special.first}, %`, text: (share) => (100 * share).toFixed(0)},
  separator: {name: `weight on ${data.special.separator}, %`, text: (share) => (100 * share).toFixed(0)},
  itself: {name: "weight on itself, %", text: (share) => (100 * share).toFixed(0)},
  previous: {name: "weight on the previous token, %", text: (share) => (100 * share).toFixed(0)},
  next: {name: "weight on the next token, %", text: (share) => (100 * share).toFixed(0)},
};
const figureKindNames =
    Object.keys(figureKinds).filter((kind) => hasFigure(kind) && (kind !== "contribution" || contributions));

const patterns = data.statistics.map((layer) => layer.map((figures) => patternOf(figures)?.name ?? ""));
const cells = [];  // [layer][head]
const layerNames = [];
let headings = [];
let gridPlace = [0, 0];  // what Tab reaches: a layer and a head, or −1 for the layer's name

function figureOf(kind, layer, head) {
  return kind === "contribution" ? mean([...contributionOf(layer, head)]) : data.statistics[layer][head][kind];
}

const allHeads = () => data.layers.flatMap((_, layer) => [...Array(heads).keys()].map((head) => [layer, head]));

function paintThumbnail(cell, layer, head) {
  const size = data.thumbnail_size, start = (layer * heads + head) * size * size;
  paintLevels(cell.querySelector("canvas"), thumbnails.subarray(start, start + size * size), size);
  cell.querySelector("span").textContent = "";
}

function paintFigures() {
  const kind = state.figure;
  const largest = Math.max(...allHeads().map(([layer, head]) => figureOf(kind, layer, head) || 0), 1e-12);
  for (const [layer, head] of allHeads()) {
    const figure = figureOf(kind, layer, head), level = Math.round((mostLevel * figure) / largest) || 0;
    paintLevels(cells[layer][head].querySelector("canvas"), [level], 1);
    const text = cells[layer][head].querySelector("span");
    text.textContent = Number.isFinite(figure) ? figureKinds[kind].text(figure) : "–";
    text.style.color = inkOn(level);
  }
  fitFigures();
}

function paintGrid() {
  element("grid-nan").hidden = state.figure !== "weights" || !thumbnails.includes(nanLevel);
  if (state.figure !== "weights") return paintFigures();
  for (const [layer, head] of allHeads()) paintThumbnail(cells[layer][head], layer, head);
}

const describe = (layer, head) =>
    `${headName([layer, head])}: ${patterns[layer][head] || noPattern(data.statistics[layer][head])}`;

function makeCell(layer, head) {
  const cell = make("div", {
    className: "cell",
    tabIndex: -1,
    attributes: {role: "gridcell", "aria-label": describe(layer, head), "data-head": `${data.layers[layer]}.${head}`}
  });
  cell.append(
      make("canvas", {attributes: {"aria-hidden": "true"}}), make("span", {attributes: {"aria-hidden": "true"}}));
  cell.addEventListener("click", (event) => {
    moveTo(layer, head);
    event.shiftKey || event.ctrlKey || event.metaKey ? toggle(layer, head) : pick(layer, head);
  });
  cell.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());  // selects no text
  cell.addEventListener("mouseenter", () => {
    element("peek").textContent = describe(layer, head);
  });
  cell.addEventListener("focus", () => {
    element("peek").textContent = describe(layer, head);
  });
  return cell;
}

function makeRow(layer) {
  const name = make("button", {
    type: "button",
    className: "name",
    textContent: data.layers[layer],
    tabIndex: -1,
    title: "Average of its heads",
    attributes: {"aria-label": `Average of layer ${data.layers[layer]}`}
  });
  name.addEventListener("click", () => {
    moveTo(layer, -1);
    averageOf([layer]);
  });
  layerNames[layer] = name;
  cells[layer] = [...Array(heads).keys()].map((head) => makeCell(layer, head));
  return make(
      "div", {className: "row", attributes: {role: "row"}}, make("div", {attributes: {role: "rowheader"}}, name),
      ...cells[layer]);
}

function makeHeadings() {
  headings = [...Array(heads).keys()].map(
      (head) => make("div", {className: "heading", attributes: {role: "columnheader", "aria-label": `Head ${head}`}}));
  return make(
      "div", {className: "row", attributes: {role: "row"}},
      make("div", {attributes: {role: "columnheader", "aria-label": "Layer"}}), ...headings);
}

const gridItem = ([layer, head]) => (head < 0 ? layerNames[layer] : cells[layer][head]);

function moveTo(layer, head) {
  gridItem(gridPlace).tabIndex = -1;
  gridPlace = [Math.min(Math.max(layer, 0), data.layers.length - 1), Math.min(Math.max(head, -1), heads - 1)];
  gridItem(gridPlace).tabIndex = 0;
  return gridItem(gridPlace);
}

const gridMoves = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
  PageUp: [-Infinity, 0],
  PageDown: [Infinity, 0]
};

function onGridKey(event) {
  const [layer, head] = gridPlace, move = gridMoves[event.key];
  if (move)
    moveTo(layer + move[0], head + move[1]).focus();
  else if (head < 0)
    return;  // a button answers for itself
  else if (event.key === "Enter" && !event.shiftKey)
    pick(layer, head);
  else if (event.key === " " || event.key === "Enter")
    toggle(layer, head);
  else
    return;
  event.preventDefault();
}

function markCells() {
  for (const [layer, head] of allHeads()) {
    cells[layer][head].setAttribute("aria-selected", isChosen(layer, head));
    cells[layer][head].classList.toggle("pointed", patterns[layer][head] === state.pattern);
  }
  element("grid").classList.toggle("pointing", state.pattern !== null);
}

function makePatternButtons() {
  for (const {name, rule} of data.rules) {
    const number = patterns.flat().filter((pattern) => pattern === name).length;
    if (number === 0) continue;
    const button = make(
        "button",
        {type: "button", textContent: `${name} · ${number}`, title: rule, attributes: {"aria-pressed": "false"}});
    button.addEventListener("click", () => {
      change("heads", {pattern: state.pattern === name ? null : name});
      for (const other of element("patterns").children)
        other.setAttribute("aria-pressed", other === button && state.pattern !== null);
    });
    element("patterns").append(button);
  }
}

function makeGrid() {
  const grid = element("grid");
  grid.style.setProperty("--heads", heads);
  grid.append(makeHeadings(), ...data.layers.map((_, layer) => makeRow(layer)));
  grid.addEventListener("keydown", onGridKey);
  element("average-all").addEventListener("click", () => averageOf(data.layers.map((_, layer) => layer)));
  for (const value of figureKindNames)
    element("figure").append(make("option", {value, textContent: figureKinds[value].name}));
  element("figure").addEventListener("change", (event) => change("colours", {figure: event.target.value}));
  new ResizeObserver(fitGrid).observe(grid);
  makePatternButtons();
  moveTo(...state.chosen[0]);
  paintGrid();
  markCells();
  on("colours", paintGrid);
  on("heads", markCells);
}
