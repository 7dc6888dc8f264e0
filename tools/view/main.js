// Puts the page together: what does not change, then grid, controls and cards.

function showTexts() {
  element("model").textContent = data.title;
  document.title = `Attention heads ${data.title}`;
  const texts = [data.text, data.pair].filter((text) => text !== null && text !== undefined);
  texts.forEach((text, index) => {
    if (index > 0) element("texts").append(make("br"));
    if (texts.length > 1) element("texts").append(make("b", {textContent: index === 0 ? "A " : "B "}));
    element("texts").append(make("bdi", {textContent: visible(text)}));
  });
  element("notes").hidden = data.notes.length === 0;
  element("notes").append(...data.notes.map((note) => make("li", {textContent: note})));
  element("made").textContent = `headwise ${data.version} · ${data.layers.length} × ${heads} heads · ${count} tokens`;
}

function definitions(pairs) {
  return make(
      "dl", {},
      ...pairs.flatMap(
          ([name, text]) => [make("dt", {}, make("b", {textContent: name})), make("dd", {textContent: text})]));
}

function showExplanations() {
  const rules = data.rules.map(({name, rule}) => [name, rule]);
  element("explanations")
      .append(
          make("h3", {textContent: "Patterns"}), definitions(rules), make("p", {textContent: data.rule_order}),
          make("h3", {textContent: "Figures"}), definitions(data.explanations),
          make("h3", {textContent: "What was rounded"}), make("p", {textContent: data.rounding}));
}

const tableFields = [
  ["head", "head", true], ["pattern", "pattern", true], ["entropy", "entropy, bits"],
  ["entropy_share", "of the most, %"], ["distance", "distance"], ["first", `${data.special.first}, %`],
  ["separator", `${data.special.separator}, %`], ["itself", "itself, %"], ["previous", "previous, %"],
  ["next", "next, %"], ["contribution", "contribution"]
].filter(([field]) => hasFigure(field) && (field !== "contribution" || contributions));

function tableCell(field, [layer, head]) {
  if (field === "head") return `${data.layers[layer]}.${head}`;
  if (field === "pattern") return patterns[layer][head];
  const figure = figureOf(field, layer, head);
  return ["entropy", "distance", "contribution"].includes(field) ? figureText(figure) : figureText(100 * figure, 1);
}

function tableRow(place) {
  const row = make(
      "tr", {},
      ...tableFields.map(
          ([field, , isWord]) => make("td", {textContent: tableCell(field, place), className: isWord ? "word" : ""})));
  row.addEventListener("click", () => {
    pick(...place);
    element("chosen").scrollIntoView();
  });
  return row;
}

function sortTable(field, body) {
  const key = (place) =>
      (field === "head"        ? -place[0] * heads - place[1] :
           field === "pattern" ? patterns[place[0]][place[1]] :
                                 figureOf(field, ...place) || 0);  // NaN is no order
  const later = (a, b) => (key(a) < key(b) ? 1 : key(a) > key(b) ? -1 : 0);
  body.replaceChildren(...allHeads().sort(field === "pattern" ? (a, b) => -later(a, b) : later).map(tableRow));
}

function showTable() {
  const body = make("tbody");
  const headings = tableFields.map(([field, name, isWord]) => {
    const button = make("button", {type: "button", textContent: name, title: "Sort by it"});
    button.addEventListener("click", () => sortTable(field, body));
    return make("th", {className: isWord ? "word" : "", attributes: {scope: "col"}}, button);
  });
  element("figures").append(make("thead", {}, make("tr", {}, ...headings)), body);
  sortTable("head", body);
}

// The head that a reader can check at a glance: the clearest of those that look at a neighbour.
function firstChoice() {
  const clear = ([layer, head]) =>
      Math.max(data.statistics[layer][head].previous, data.statistics[layer][head].next) || 0;
  const best = allHeads().reduce((found, place) => (clear(place) > clear(found) ? place : found));
  return clear(best) >= 0.5 ? best : [0, 0];
}

state.chosen = [firstChoice()];
element("heads").parentElement.style.setProperty("--grid-share", heads > 12 ? "44%" : "34%");
document.documentElement.style.setProperty("--token", `${Math.min(112, 1.2 * longestName + 8)}px`);
showTexts();
showExplanations();
element("all-figures").addEventListener("toggle", showTable, {once: true});
startControls();
makeGrid();
startCards();
