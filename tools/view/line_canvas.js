// Which weights become lines, and how they are drawn between the two columns of a line view.

const rowHeight = 24, secondGap = 22, mostLines = 4000, strokes = 12, fewLines = 3;
const firstOfSecond = data.segments.indexOf(2);
const tokenTop = (index) => 4 + index * rowHeight + (isPair && index >= firstOfSecond ? secondGap : 0);
const tokenMiddle = (index) => tokenTop(index) + rowHeight / 2;
const allTokens = [...Array(count).keys()];
const columnHeight = tokenTop(count - 1) + rowHeight + 4;

// The largest weights of a row, not below the threshold; of equal ones the first.
function strongestOf(weights, query) {
  const row = [];
  for (let key = 0; key < count; ++key) {
    const weight = weights[query * count + key];
    if (weight >= state.threshold && weight > 0 && isLeft(query, key)) row.push(key);
  }
  if (row.length <= state.top) return row;
  const falling = (a, b) => weights[query * count + b] - weights[query * count + a] || a - b;
  return row.sort(falling).slice(0, state.top);
}

// All lines of a matrix. Lines that are more than can be seen apart are the weakest, and are left out.
function linesOf(weights) {
  let lines = allTokens.flatMap(
      (query) => strongestOf(weights, query).map((key) => ({query, key, weight: weights[query * count + key]})));
  const found = lines.length;
  if (found > mostLines) {
    const least = Float32Array.from(lines, (line) => line.weight).sort()[found - mostLines];
    lines = lines.filter((line) => line.weight >= least);
  }
  return {lines, found};
}

function largestLeft(weights) {
  let largest = 0;
  for (let query = 0; query < count; ++query) {
    for (let key = 0; key < count; ++key) {
      const weight = weights[query * count + key];
      if (weight > largest && isLeft(query, key)) largest = weight;
    }
  }
  return largest;
}

const largestOf = (values) => values.reduce((most, value) => (value > most ? value : most), 1e-12);

// Of a LineView, which knows its card, places and sizes.
class LineCanvas {
  // Where the second sentence begins.
  drawBorder(context) {
    const y = tokenTop(firstOfSecond) - secondGap / 2 - this.top;
    Object.assign(context, {
      strokeStyle: ink().focus,
      fillStyle: ink().focus,
      lineWidth: 1,
      font: labelFont,
      textBaseline: "middle",
      textAlign: "left"
    });
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(this.left, y);
    context.lineTo(this.width, y);
    context.stroke();
    context.setLineDash([]);
    context.fillText("sentence B", 4, y);
  }

  // The pairs of a token, or the one pair.
  pairsInFocus(query, key, indexes) {
    if (query !== null && key !== null) return [[query, key]];
    return indexes.map((other) => [query ?? other, key ?? other]);
  }

  // The strongest of a token, as many as the filter asks for, or a few and all above the threshold: a token that is
  // pointed at never stands without lines.
  linesInFocus(query, key) {
    const {weights} = this.card.matrix, kept = state.top < count ? state.top : fewLines;
    return this.pairsInFocus(query, key, allTokens)
        .map(([from, to]) => ({query: from, key: to, weight: weights[from * count + to]}))
        .filter((line) => line.weight > 0 && isLeft(line.query, line.key))
        .sort((a, b) => b.weight - a.weight || a.query + a.key - b.query - b.key)
        .filter(({weight}, place) => place < kept || (place < state.top && weight >= state.threshold));
  }

  // Lines of about the same weight are one path: a few strokes instead of thousands. Among many, those that leave the
  // window are faint, so that they do not hide the others; few are never faint.
  drawLines(context, lines, among) {
    const groups = Array.from({length: strokes}, () => []);
    const isInside = (y) => y >= 0 && y <= this.height;
    for (const line of lines) {
      const from = tokenMiddle(line.query) - this.top, to = tokenMiddle(line.key) - this.top;
      if (Math.max(from, to) < 0 || Math.min(from, to) > this.height) continue;
      const share = among && !(isInside(from) && isInside(to)) ? 0 : Math.min(line.weight / this.card.largest, 1);
      groups[Math.min(Math.floor(share * strokes), strokes - 1)].push([from, to]);
    }
    context.strokeStyle = ink().mark;
    groups.forEach(
        (group, level) => group.length > 0 && this.strokeGroup(context, group, (level + 0.5) / strokes, among));
    context.globalAlpha = 1;
  }

  strokeGroup(context, group, strength, among) {
    const middle = (this.left + this.right) / 2, [faintest, thinnest] = among ? [0.12, 0.5] : [0.5, 1.3];
    context.globalAlpha = faintest + (1 - faintest) * strength;
    context.lineWidth = thinnest + (7 - thinnest) * strength;
    context.beginPath();
    for (const [from, to] of group) {
      context.moveTo(this.left, from);
      context.bezierCurveTo(middle, from, middle, to, this.right, to);
    }
    context.stroke();
  }

  visibleTokens() {
    const place = (y) => Math.floor((y - (isPair ? secondGap : 0)) / rowHeight);
    const first = Math.max(0, place(this.top) - 1), last = Math.min(count - 1, place(this.top + this.height) + 2);
    return Array.from({length: Math.max(0, last - first + 1)}, (_, i) => first + i);
  }

  // Beside the tokens: what the head gave to a query, what a key got of all.
  drawBars(context) {
    const {contribution} = this.card.matrix, {room} = this;
    const most = largestOf(contribution ?? []), mostReceived = largestOf(this.received);
    context.fillStyle = ink().mark;
    context.globalAlpha = 0.55;
    for (const index of this.visibleTokens()) {
      const y = tokenMiddle(index) - this.top - 4;
      if (contribution) context.fillRect(2, y, (room * contribution[index]) / most || 0, 8);
      const wide = (room * this.received[index]) / mostReceived || 0;
      context.fillRect(this.width - 2 - wide, y, wide, 8);
    }
    context.globalAlpha = 1;
  }

  // Weights with a line stand out; those that the filters of sentences and special tokens leave out are not told.
  drawValues(context, query, key, lines) {
    const {weights} = this.card.matrix, atKeys = query !== null, x = atKeys ? this.width - 4 : 4;
    const drawn = new Set(lines.map((line) => (atKeys ? line.key : line.query)));
    Object.assign(context, {textBaseline: "middle", textAlign: atKeys ? "right" : "left"});
    for (const [from, to] of this.pairsInFocus(query, key, this.visibleTokens())) {
      if (!isLeft(from, to)) continue;
      const other = atKeys ? to : from, isDrawn = drawn.has(other);
      context.fillStyle = isDrawn ? ink().ink : ink().soft;
      context.font = isDrawn ? `bold ${labelFont}` : labelFont;
      context.fillText(shortWeight(weights[from * count + to]), x, tokenMiddle(other) - this.top);
    }
  }
}
