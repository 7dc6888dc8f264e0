// The line view of a card: queries on the left, keys on the right, a line for each weight that the filters leave.

class LineView extends LineCanvas {
  constructor(card) {
    super();
    this.card = card;
    this.canvas = make("canvas", {attributes: {"aria-hidden": "true"}});
    this.columns = make("div", {className: "columns"}, this.makeColumn("query"), this.makeColumn("key"));
    this.scroller = make(
        "div", {className: "lines", attributes: {role: "group", "aria-label": "Line view"}}, this.canvas, this.columns);
    this.scroller.addEventListener("scroll", () => this.draw(), {passive: true});
    this.scroller.addEventListener("mouseleave", () => change("focus", {hover: {query: null, key: null}}));
    this.headings = ["", "from", "", "to", ""].map((text) => make("span", {textContent: text}));
    this.root = make(
        "div", {}, make("div", {className: "heads-of", attributes: {"aria-hidden": "true"}}, ...this.headings),
        this.scroller, this.note = make("div", {className: "under"}));
  }

  makeColumn(side) {
    const tokens = names.map((name, index) => this.makeToken(side, name, index));
    tokens[0].tabIndex = 0;
    this[side] = tokens;
    const column = make(
        "div", {
          className: "column",
          attributes:
              {role: "group", "aria-label": side === "query" ? "Tokens that attend" : "Tokens that are attended to"}
        },
        ...tokens);
    for (const kind of ["mouseover", "focusin"]) column.addEventListener(kind, (event) => this.point(side, event));
    column.addEventListener("click", (event) => this.pin(side, event));
    column.addEventListener("keydown", (event) => this.onKey(side, event));
    column.addEventListener("focusout", () => change("focus", {hover: {query: null, key: null}}));
    return column;
  }

  makeToken(side, name, index) {
    const special = isSpecial(index) ? " special" : "", second = isPair && index === firstOfSecond ? " second" : "";
    return make(
        "button", {
          type: "button",
          className: `token${special}${second}`,
          tabIndex: -1,
          title: name,
          attributes: {"data-index": index, "aria-pressed": "false"}
        },
        make("bdi", {textContent: name}));
  }

  point(side, event) {
    const token = event.target.closest(".token");
    if (!token) return;
    const hover = {query: null, key: null};
    hover[side] = Number(token.dataset.index);
    change("focus", {hover});
  }

  pin(side, event) {
    const token = event.target.closest(".token");
    if (!token) return;
    const pin = {query: null, key: null};
    pin[side] = Number(token.dataset.index);
    change("focus", {pin: state.pin && state.pin[side] === pin[side] ? null : pin});
  }

  onKey(side, event) {
    const place = Number(event.target.dataset.index);
    const moves =
        {ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: count - 1, PageDown: place + 10, PageUp: place - 10};
    if (event.key in moves)
      this.focusToken(side, moves[event.key]);
    else if (event.key === "ArrowRight")
      this.focusToken("key", place);
    else if (event.key === "ArrowLeft")
      this.focusToken("query", place);
    else
      return;
    event.preventDefault();
  }

  focusToken(side, index) {
    const token = this[side][Math.min(Math.max(index, 0), count - 1)];
    for (const other of this[side])
      if (other.tabIndex === 0) other.tabIndex = -1;
    token.tabIndex = 0;
    token.focus();
  }

  // Another matrix or filter.
  refresh() {
    Object.assign(this, linesOf(this.card.matrix.weights));
    this.received =
        meanArray(allTokens.map((query) => this.card.matrix.weights.subarray(query * count, (query + 1) * count)));
    this.measure();
  }

  measure() {
    const width = this.columns.clientWidth, box = this.columns.getBoundingClientRect();
    const edges = (side) => this[side][0].getBoundingClientRect();
    this.room = edges("query").left - box.left - 6;
    this.left = edges("query").right - box.left;
    this.right = edges("key").left - box.left;
    Object.assign(this, {width, height: Math.min(this.scroller.clientHeight, columnHeight)});
    this.canvas.style.marginBottom = `${- this.height}px`;
    this.draw();
  }

  // Only what is on the screen of the scroller is drawn.
  draw() {
    const context = sized(this.canvas, this.width, this.height);
    this.top = this.scroller.scrollTop;
    const {query, key} = focus(), none = query === null && key === null;
    const lines = none ? this.lines : this.linesInFocus(query, key);
    const nans = none ? this.card.nans : this.nansInFocus(query, key);
    if (isPair) this.drawBorder(context);
    this.drawLines(context, lines, none);
    this.drawNans(context, nans);
    if (none)
      this.drawBars(context);
    else
      this.drawValues(context, query, key, lines);
    this.tell(query, key, lines.length, nans.length);
    this.markTokens(query, key);
  }

  // What stands beside the tokens, and how many lines there are.
  tell(query, key, drawn, nans) {
    const none = query === null && key === null, found = none ? this.found : drawn;
    const left = none ? (contributions ? "contribution" : "") : query === null ? "weight" : "";
    const right = none ? "received" : query === null ? "" : "weight";
    const strongest = found > drawn ? `${drawn} strongest of ` : "";
    setText(this.headings[0], left);
    setText(this.headings[4], right);
    const strange = nans === 0 ? "" : ` · ${nans}${nans === mostLines ? " or more" : ""} NaN, dashed`;
    const told = found === 1 ? "1 weight drawn as a line" : `${strongest}${found} weights drawn as lines`;
    setText(this.note, told + strange);
  }

  markTokens(query, key) {
    const marks = [this.query[query], this.key[key]].filter(Boolean);
    for (const token of this.marked ?? [])
      if (!marks.includes(token)) token.classList.remove("at");
    for (const token of marks) token.classList.add("at");
    this.marked = marks;
    const pins = state.pin ? [this.query[state.pin.query], this.key[state.pin.key]].filter(Boolean) : [];
    for (const token of this.pins ?? []) this.setPinned(token, false);
    for (const token of pins) this.setPinned(token, true);
    this.pins = pins;
  }

  setPinned(token, pinned) {
    token.classList.toggle("pinned", pinned);
    token.setAttribute("aria-pressed", pinned);
  }
}
