// A card for each chosen head, or one for their average: figures, lines, heat map, and the weight that is pointed at.

const mostCards = 6;
let cards = [];

function figureItem(name, text, small = "", title = "") {
  const value = make("dd", {textContent: text});
  if (small) value.append(" ", make("small", {textContent: small}));
  return make("div", {title}, make("dt", {textContent: name}), value);
}

// The head's rank in its layer by the mean norm of its part of the output.
function contributionItem(matrix) {
  const norms = [...Array(heads).keys()].map((head) => mean([...contributionOf(matrix.heads[0][0], head)]));
  const own = mean([...matrix.contribution]);
  const rank = 1 + norms.filter((norm) => norm > own).length;
  const place = matrix.heads.length === 1 ? `${rank}${ordinal(rank)} of ${heads}` : "on average";
  return figureItem("contribution", figureText(own), Number.isFinite(own) ? place : "", data.meanings.contribution);
}

const ordinal = (number) =>
    (number % 100 > 10 && number % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th");

const withUnit = (figure, unit) => (figure === "–" ? figure : `${figure} ${unit}`);

function figureList(matrix) {
  const {figures} = matrix, {meanings, special} = data;
  const list = make(
      "dl", {className: "figures"},
      figureItem(
          "entropy", withUnit(figureText(figures.entropy), "bits"),
          Number.isFinite(figures.entropy) ? `${shareText(figures.entropy_share)} of max` : "", meanings.entropy),
      figureItem("mean distance", withUnit(figureText(figures.distance, 1), "tokens"), "", meanings.distance));
  if (matrix.contribution) list.append(contributionItem(matrix));
  for (const [field, name] of [
           ["first", `on ${special.first}`], ["separator", `on ${special.separator}`], ["itself", "on itself"],
           ["previous", "on the previous token"], ["next", "on the next token"]]) {
    if (hasFigure(field))
      list.append(figureItem(name, shareText(figures[field]), "", meanings[field] ?? meanings.share));
  }
  return list;
}

// Why there is this pattern, or none.
function explanationOf({figures, weights}) {
  const rule = patternOf(figures);
  if (rule) return [`${rule.name}: ${rule.rule}`];
  if (!Number.isFinite(figures.entropy)) {
    const strange = weights.filter(Number.isNaN).length;
    return [`${strange} of ${weights.length} weights are not numbers (NaN): figures over all of them do not exist.`];
  }
  if (data.why_no_patterns) return [`No pattern is named: ${data.why_no_patterns}.`];
  const rules = make("a", {href: "#reading", textContent: "the rules"});
  rules.addEventListener("click", () => {
    element("reading").open = true;
  });
  return ["None of ", rules, " of the patterns holds."];
}

class Card {
  constructor(matrix) {
    this.matrix = matrix;
    const rule = patternOf(matrix.figures);
    this.pattern = make("span", {className: "pattern", textContent: rule ? rule.name : noPattern(matrix.figures)});
    this.why = make("p", {className: "help"}, ...explanationOf(matrix));
    this.readout = make("output", {className: "readout", attributes: {"aria-live": "polite"}});
    const title = make("h3", {textContent: matrix.title});
    this.lines = new LineView(this);
    this.map = new HeatMap(this);
    this.views = make("div", {className: "views"}, this.lines.root, this.map.root);
    this.root = make(
        "article", {className: "card", attributes: {"aria-label": matrix.title}},
        make("div", {className: "bar"}, title, this.pattern), this.why, figureList(matrix), this.readout, this.views);
  }

  refresh() {
    this.largestShown = largestLeft(this.matrix.weights);
    this.largest = this.largestShown || 1;
    this.nans = nansOf(this.matrix.weights);
    this.readoutPairs = this.root.clientWidth < 352 ? 4 : 6;  // what its lines of text hold
    this.views.classList.toggle("both", state.view === "both");
    this.lines.root.hidden = state.view === "map";
    this.map.root.hidden = state.view === "lines";
    if (state.view !== "map") this.lines.refresh();
    if (state.view !== "lines") this.map.refresh();
    this.read();
  }

  draw() {
    if (state.view !== "map") this.lines.draw();
    if (state.view !== "lines") this.map.draw();
    this.read();
  }

  weightElement(query, key) {
    const digits = this.matrix.heads.length > 1 ? 3 : 4;
    return make("b", {className: "weight", textContent: weightText(this.matrix.weights[query * count + key], digits)});
  }

  read() {
    const {query, key} = focus();
    if (query !== null && key !== null)
      this.readPair(query, key);
    else if (query !== null)
      this.readQuery(query);
    else if (key !== null)
      this.readKey(key);
    else
      this.readout.replaceChildren(make("span", {className: "soft", textContent: data.hint}));
  }

  // The place of a weight among those of its row that the filters leave.
  placeText(query, key) {
    if (!isLeft(query, key)) return " · left out by the filters";
    const {weights} = this.matrix, weight = weights[query * count + key];
    if (Number.isNaN(weight)) return "";
    const row = allTokens.filter((other) => isLeft(query, other)).map((other) => weights[query * count + other]);
    const larger = row.filter((other) => other > weight).length;
    return ` · ${larger === 0 ? "the largest" : `${larger + 1}${ordinal(larger + 1)} largest`} of ${row.length}`;
  }

  readPair(query, key) {
    this.readout.replaceChildren(
        tokenText(query), " → ", tokenText(key), " ", this.weightElement(query, key),
        make("span", {className: "soft"}, `${this.placeText(query, key)} · back `, this.weightElement(key, query)));
  }

  // The largest weights of a row or a column that the filters leave, and what there is beside.
  readList(pairs, start, end) {
    const {weights} = this.matrix;
    const size = ([query, key]) => (Number.isNaN(weights[query * count + key]) ? -1 : weights[query * count + key]);
    const falling = pairs.filter(([query, key]) => isLeft(query, key))
                        .sort((a, b) => size(b) - size(a) || a[0] + a[1] - b[0] - b[1]);
    const parts = falling.slice(0, this.readoutPairs)
                      .flatMap(
                          ([query, key, other],
                           i) => [i > 0 ? " · " : "", tokenText(other), " ", this.weightElement(query, key)]);
    const left = parts.length > 0 ? parts : ["left out by the filters"];
    this.readout.replaceChildren(...start, ...left, make("span", {className: "soft", textContent: end}));
  }

  readQuery(query) {
    const norm = this.matrix.contribution?.[query];
    const end = norm === undefined ? "" : ` · contribution here ${figureText(norm)}`;
    this.readList(allTokens.map((key) => [query, key, key]), [tokenText(query), " → "], end);
  }

  readKey(key) {
    const end = ` · mean over all tokens ${weightText(meanColumn(this.matrix.weights, key), 3)}`;
    this.readList(allTokens.map((query) => [query, key, query]), [tokenText(key), " ← "], end);
  }
}

const meanColumn = (weights, key) => mean(allTokens.map((query) => weights[query * count + key]));

function matricesOfChosen() {
  if (state.averaged && state.chosen.length > 1) return [averageMatrix(state.chosen)];
  return state.chosen.slice(0, mostCards).map(headMatrix);
}

function showLeftOut() {
  const number = state.averaged ? 0 : state.chosen.length - mostCards;
  element("more").hidden = number <= 0;
  element("more").textContent =
      `The first ${mostCards} of ${state.chosen.length} chosen heads are shown side by side; ` +
      "“Averaged” takes all of them.";
}

// Loading is not at its end yet: the weights of a head may still be on their way.
function showCards() {
  if (!state.chosen.every(([layer, head]) => isThere(layer, head))) {
    element("cards").replaceChildren(make("p", {className: "note", textContent: "The weights are being read …"}));
    return document.addEventListener("DOMContentLoaded", () => change("heads", {}), {once: true});
  }
  cards = matricesOfChosen().map((matrix) => new Card(matrix));
  element("cards").classList.toggle("one", cards.length === 1);
  element("cards").replaceChildren(...cards.map((card) => card.root));
  showLeftOut();
  refreshCards();
}

function refreshCards() {
  for (const card of cards) card.refresh();
}

function startCards() {
  on("heads", showCards);
  on("filter", refreshCards);
  on("colours", refreshCards);
  on("focus", () => cards.forEach((card) => card.draw()));
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) change("filter", {});
    width = innerWidth;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") change("focus", {pin: null});
  });
  showCards();
}
