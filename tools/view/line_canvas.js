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

// The pairs that have no number for a weight, as many as there can be lines.
function nansOf(weights) {
  const pairs = [];
  for (let query = 0; query < count; ++query) {
    for (let key = 0; key < count && pairs.length < mostLines; ++key) {
      if (Number.isNaN(weights[query * count + key]) && isLeft(query, key)) pairs.push({query, key});
    }
  }
  return pairs;
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

  // The pairs of a token that have no number, or the one pair.
  nansInFocus(query, key) {
    return this.pairsInFocus(query, key, allTokens)
        .map(([from, to]) => ({query: from, key: to}))
        .filter((pair) => Number.isNaN(this.card.matrix.weights[pair.query * count + pair.key]))
        .filter((pair) => isLeft(pair.query, pair.key));
  }

  // The heights that a line leads from and to, or nothing where none of it is in the window.
  endsOf({query, key}) {
    const from = tokenMiddle(query) - this.top, to = tokenMiddle(key) - this.top;
    return Math.max(from, to) < 0 || Math.min(from, to) > this.height ? null : [from, to];
  }

  // Dashed, which no line of a weight is, and edged where they cross those.
  drawNans(context, pairs) {
    const curves = pairs.map((pair) => this.endsOf(pair)).filter(Boolean);
    context.setLineDash([6, 5]);
    for (const [strokeStyle, lineWidth] of [[ink().page, 5], [nanColour(), 2.5]]) {
      Object.assign(context, {strokeStyle, lineWidth});
      this.strokeCurves(context, curves);
    }
    context.setLineDash([]);
  }

  // Lines of about the same weight are one path: a few strokes instead of thousands. Among many, those that leave the
  // window are faint, so that they do not hide the others; few are never faint.
  drawLines(context, lines, among) {
    const groups = Array.from({length: strokes}, () => []);
    const isInside = (y) => y >= 0 && y <= this.height;
    for (const line of lines) {
      const ends = this.endsOf(line);
      if (!ends) continue;
      const share = among && !ends.every(isInside) ? 0 : Math.min(line.weight / this.card.largest, 1);
      groups[Math.min(Math.floor(share * strokes), strokes - 1)].push(ends);
    }
    context.strokeStyle = ink().mark;
    groups.forEach(
        (group, level) => group.length > 0 && this.strokeGroup(context, group, (level + 0.5) / strokes, among));
    context.globalAlpha = 1;
  }

  strokeGroup(context, group, strength, among) {
    const [faintest, thinnest] = among ? [0.12, 0.5] : [0.5, 1.3];
    context.globalAlpha = faintest + (1 - faintest) * strength;
    context.lineWidth = thinnest + (7 - thinnest) * strength;
    this.strokeCurves(context, group);
  }

  strokeCurves(context, curves) {
    const middle = (this.left + this.right) / 2;
    context.beginPath();
    for (const [from, to] of curves) {
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
    for (const index of this.visibleTokens()) {
      const y = tokenMiddle(index) - this.top;
      if (contribution) this.drawBar(context, (room * contribution[index]) / most, 2, y);
      this.drawBar(context, (-room * this.received[index]) / mostReceived, this.width - 2, y);
    }
  }

  // To the right, or to the left where `wide` is below 0; a word where it is no number.
  drawBar(context, wide, x, y) {
    if (Number.isNaN(wide)) {
      const textAlign = x > this.left ? "right" : "left";
      Object.assign(context, {fillStyle: ink().soft, font: labelFont, textBaseline: "middle", textAlign});
      context.fillText("NaN", x, y);
      return;
    }
    Object.assign(context, {fillStyle: ink().mark, globalAlpha: 0.55});
    context.fillRect(x, y - 4, wide, 8);
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
