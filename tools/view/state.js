// What is chosen, and who wants to know. A change is drawn with the next frame, however many there were before it.

const state = {
  chosen: [[0, 0]],  // [layer, head], in the order they were picked
  averaged: false,
  view: "both",       // lines, map, both
  figure: "weights",  // what the grid shows
  pattern: null,      // the pattern whose heads are pointed out
  threshold: 0,
  top: count,
  direction: "all",  // of a pair: all, ab, ba, within
  hideSpecial: false,
  whole: true,  // the heat map as large as its room, or as its labels need
  hover: {query: null, key: null},
  pin: null,  // the same, held
};

const listeners = {
  heads: [],
  filter: [],
  focus: [],
  colours: []
};
const waiting = new Set();

function tellListeners() {
  const kinds = [...waiting];
  waiting.clear();
  for (const kind of kinds)
    for (const listener of listeners[kind]) listener();
}

// kind: heads (other matrices), filter (other lines and cells), focus (another token or cell), colours.
function change(kind, values) {
  Object.assign(state, values);
  if (waiting.size === 0) requestAnimationFrame(tellListeners);
  waiting.add(kind);
}

const on = (kind, listener) => listeners[kind].push(listener);

// The token or pair to show: a pinned token and a token of the other side that is pointed at make a pair.
function focus() {
  const {hover, pin} = state;
  if (!pin) return hover;
  if (hover.query === null && hover.key === null) return pin;
  if (hover.query !== null && hover.key !== null) return hover;
  const merged = {query: hover.query ?? pin.query, key: hover.key ?? pin.key};
  const sameSide = (hover.query !== null) === (pin.query !== null) && (hover.key !== null) === (pin.key !== null);
  return sameSide ? hover : merged;
}

const isChosen = (layer, head) => state.chosen.some(([l, h]) => l === layer && h === head);

function pick(layer, head) { change("heads", {chosen: [[layer, head]], averaged: false}); }

function toggle(layer, head) {
  const others = state.chosen.filter(([l, h]) => l !== layer || h !== head);
  const chosen = isChosen(layer, head) ? others : [...state.chosen, [layer, head]];
  if (chosen.length > 0) change("heads", {chosen});
}

function averageOf(layers) {
  const all = [...Array(heads).keys()];
  change("heads", {chosen: layers.flatMap((layer) => all.map((head) => [layer, head])), averaged: true});
}

const isSpecial = (index) => data.segments[index] === 0;

// Whether a pair of tokens is left by the filters of sentences and special tokens.
function isLeft(query, key) {
  const from = data.segments[query], to = data.segments[key];
  if (state.hideSpecial && (from === 0 || to === 0)) return false;
  switch (state.direction) {
    case "ab":
      return from === 1 && to === 2;
    case "ba":
      return from === 2 && to === 1;
    case "within":
      return from === to && from !== 0;
    default:
      return true;
  }
}
