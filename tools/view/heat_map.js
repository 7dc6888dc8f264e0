// The heat map of a card: queries down, keys across.

class HeatMap extends HeatCanvas {
  constructor(card) {
    super();
    this.card = card;
    this.image = document.createElement("canvas");
    this.canvas = make("canvas");
    this.space = make("div");
    this.scroller = make(
        "div", {
          className: "map",
          tabIndex: 0,
          attributes: {
            role: "img",
            "aria-roledescription": "heat map",
            "aria-label": "Heat map, queries down, keys across. Arrow keys move the cross-hair."
          }
        },
        this.canvas, this.space);
    this.scroller.addEventListener("mousemove", (event) => this.point(event));
    this.scroller.addEventListener("mouseleave", () => change("focus", {hover: {query: null, key: null}}));
    this.scroller.addEventListener("click", (event) => this.pin(event));
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("blur", () => change("focus", {hover: {query: null, key: null}}));
    this.scroller.addEventListener("scroll", () => this.draw(), {passive: true});
    this.root = make(
        "div", {},
        make(
            "div", {className: "map-of", textContent: "from: rows · to: columns", attributes: {"aria-hidden": "true"}}),
        this.scroller, this.makeLegend());
  }

  makeLegend() {
    this.legendCanvas = make("canvas", {attributes: {"aria-hidden": "true"}});
    this.legendText = make("span");
    this.legendNan = make("span", {className: "nan", textContent: "× NaN", title: "Weights that are not numbers"});
    const legend = make(
        "span", {className: "legend", title: "Colours follow the square root of the weight."}, "0", this.legendCanvas,
        this.legendText, this.legendNan);
    this.zoom = make("button", {type: "button", hidden: true});
    this.zoom.addEventListener("click", () => change("filter", {whole: !state.whole}));
    return make("div", {className: "under"}, legend, this.zoom);
  }

  refresh() {
    const room = this.root.clientWidth - 2, label = longestName;
    const fitting = Math.min(44, (Math.min(room, 640) - label) / count);
    this.zoom.hidden = fitting >= smallestLabelled;
    this.zoom.textContent = state.whole ? "Enlarge until all labels fit" : "Show the whole";
    this.isWhole = state.whole || this.zoom.hidden;
    this.cell = this.isWhole ? evenCell(fitting) : readableCell;
    this.scroller.classList.toggle("large", !this.isWhole);
    this.label = label;
    this.layOut(room);
    this.paint();
    this.draw();
  }

  layOut(room) {
    const side = this.label + this.cell * count;
    this.width = this.isWhole ? side : Math.min(room, side);
    this.height = this.isWhole ? side : Math.min(side, Math.max(240, Math.min(innerHeight * 0.7, 640)));
    Object.assign(this.space.style, {width: `${side}px`, height: `${side}px`, marginTop: `${- this.height}px`});
    Object.assign(this.scroller.style, {width: `${this.width + 2}px`, height: `${this.height + 2}px`});
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const index = (place, scrolled) => Math.floor((place - this.label + scrolled) / this.cell);
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const query = index(y, this.offset.y), key = index(x, this.offset.x);
    const within = (place, at) => (place < this.label || at < 0 || at >= count ? null : at);
    return {query: within(y, query), key: within(x, key)};
  }

  point(event) {
    const cell = this.cellAt(event), {query, key} = state.hover;
    if (cell.query !== query || cell.key !== key) change("focus", {hover: cell});
  }

  pin(event) {
    const cell = this.cellAt(event), same = state.pin && state.pin.query === cell.query && state.pin.key === cell.key;
    change("focus", {pin: same || (cell.query === null && cell.key === null) ? null : cell});
  }

  onKey(event) {
    const moves = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      Home: [0, -count],
      End: [0, count],
      PageUp: [-10, 0],
      PageDown: [10, 0]
    };
    const move = moves[event.key], {query, key} = focus();
    if (!move) return;
    const inside = (index) => Math.min(Math.max(index, 0), count - 1);
    change("focus", {
      pin: null,
      hover: {
        query: inside((query ?? 0) + (query === null ? 0 : move[0])),
        key: inside((key ?? 0) + (key === null ? 0 : move[1]))
      }
    });
    this.reveal(state.hover);
    event.preventDefault();
  }

  reveal({query, key}) {
    const near = (index, scrolled, size) =>
        Math.min(Math.max(scrolled, (index + 1) * this.cell + this.label - size), index * this.cell);
    this.scroller.scrollTo(
        near(key, this.scroller.scrollLeft, this.width), near(query, this.scroller.scrollTop, this.height));
  }
}
