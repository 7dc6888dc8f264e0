// How a heat map is drawn: on a canvas as large as its window, which stays in place while the contents are scrolled.

const labelFont = "12px system-ui, sans-serif", smallestLabelled = 13, readableCell = 16, smallestCrossed = 9;

const measuring = document.createElement("canvas").getContext("2d");
measuring.font = labelFont;

// A name that fits into so many pixels.
function fitted(name, room) {
  if (measuring.measureText(name).width <= room) return name;
  const letters = [...name];
  while (letters.length > 1 && measuring.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}

const longestName =
    Math.min(84, Math.max(...names.slice(0, 512).map((name) => measuring.measureText(name).width)) + 12);

// The largest weight of each pixel, or NaN where there is one, as levels: no single cell that stands out is lost when
// cells are smaller than pixels.
function pooledLevels(weights, size, scale) {
  const largest = new Float32Array(size * size);
  const pixelOf = Uint16Array.from(allTokens, (index) => Math.floor((index * size) / count));
  for (let query = 0; query < count; ++query) {
    for (let key = 0; key < count; ++key) {
      const at = pixelOf[query] * size + pixelOf[key], weight = weights[query * count + key];
      if ((weight > largest[at] || Number.isNaN(weight)) && isLeft(query, key)) largest[at] = weight;
    }
  }
  return Uint8Array.from(largest, (weight) => shade(weight / scale));
}

// Whole pixels where that costs little room, so that all cells are equal.
function evenCell(cell) {
  const ratio = devicePixelRatio || 1;
  return cell * ratio >= 4 ? Math.floor(cell * ratio) / ratio : cell;
}

// Neighbours of the marked name make room for it.
function isLabelled(index, marked, step) {
  if (index === marked) return true;
  return index % step === 0 && (marked === null || step === 1 || Math.abs(index - marked) >= step);
}

// Of a HeatMap, which knows its card, its sizes and what is scrolled.
class HeatCanvas {
  paint() {
    const finest = this.isWhole ? Math.floor(this.cell * count * (devicePixelRatio || 1)) : count;
    const size = Math.max(1, Math.min(count, finest));
    paintLevels(this.image, pooledLevels(this.card.matrix.weights, size, this.card.largest), size);
    paintLevels(this.legendCanvas, Uint8Array.from({length: 4096}, (_, i) => shade((i % 64) / 63)), 64);
    this.legendNan.hidden = this.card.nans.length === 0;
    this.legendText.textContent = `${this.card.largestShown > 0 ? weightText(this.card.largestShown, 3) : "–"}${
        state.direction === "all" && !state.hideSpecial ? "" : " (of what is shown)"}`;
  }

  draw() {
    const context = sized(this.canvas, this.width, this.height);
    this.offset = {x: this.scroller.scrollLeft, y: this.scroller.scrollTop};
    const {label, cell, offset} = this, side = cell * count;
    context.save();
    context.beginPath();
    context.rect(label, label, this.width, this.height);
    context.clip();
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image, label - offset.x, label - offset.y, side, side);
    if (cell >= 14) this.drawGaps(context);
    if (cell >= smallestCrossed && this.card.nans.length > 0) this.drawNans(context);
    if (isPair) this.drawBorders(context);
    this.drawCross(context);
    context.restore();
    this.drawLabels(context);
  }

  visibleRange(offset, size) {
    const first = Math.max(0, Math.floor(offset / this.cell));
    return allTokens.slice(first, Math.min(count, Math.ceil((offset + size - this.label) / this.cell)));
  }

  strokeAt(context, index) {
    const {label, cell, offset} = this, side = label + cell * count, place = label + index * cell;
    context.moveTo(place - offset.x, label);
    context.lineTo(place - offset.x, side - offset.y);
    context.moveTo(label, place - offset.y);
    context.lineTo(side - offset.x, place - offset.y);
  }

  drawGaps(context) {
    context.beginPath();
    for (let index = 1; index < count; ++index) this.strokeAt(context, index);
    Object.assign(context, {strokeStyle: ink().page, lineWidth: 1});
    context.stroke();
  }

  // A cross in each cell that is no number: its colour alone does not tell it in grey.
  drawNans(context) {
    const {label, cell, offset, card} = this, [near, far] = [0.25 * cell, 0.75 * cell];
    const columns = this.visibleRange(offset.x, this.width);
    context.beginPath();
    for (const query of this.visibleRange(offset.y, this.height)) {
      for (const key of columns) {
        if (!Number.isNaN(card.matrix.weights[query * count + key]) || !isLeft(query, key)) continue;
        const x = label + key * cell - offset.x, y = label + query * cell - offset.y;
        context.moveTo(x + near, y + near);
        context.lineTo(x + far, y + far);
        context.moveTo(x + far, y + near);
        context.lineTo(x + near, y + far);
      }
    }
    Object.assign(context, {strokeStyle: inkOn(nanLevel), lineWidth: cell < 14 ? 1 : 1.5});
    context.stroke();
  }

  drawBorders(context) {
    context.beginPath();
    this.strokeAt(context, firstOfSecond);
    Object.assign(context, {strokeStyle: ink().focus, lineWidth: 1.5});
    context.stroke();
  }

  drawCross(context) {
    const {label, cell, offset} = this, {query, key} = focus(), size = Math.max(cell, 2);
    Object.assign(context, {strokeStyle: ink().focus, lineWidth: cell < 4 ? 1 : 2});
    const y = label + query * cell - offset.y, x = label + key * cell - offset.x;
    if (query !== null) context.strokeRect(label, y, cell * count, size);
    if (key !== null) context.strokeRect(x, label, size, cell * count);
  }

  // Names stand where they do not touch, and always at the cross-hair.
  drawLabels(context) {
    const step = Math.ceil(smallestLabelled / this.cell), {query, key} = focus();
    Object.assign(context, {font: labelFont, textBaseline: "middle"});
    for (const index of this.visibleRange(this.offset.y, this.height)) {
      if (isLabelled(index, query, step)) this.drawName(context, index, index === query, false);
    }
    for (const index of this.visibleRange(this.offset.x, this.width)) {
      if (isLabelled(index, key, step)) this.drawName(context, index, index === key, true);
    }
  }

  drawName(context, index, marked, across) {
    const {label, cell, offset} = this, place = label + (index + 0.5) * cell - (across ? offset.x : offset.y);
    if (place < label) return;
    context.save();
    context.translate(across ? place : label - 5, across ? label - 5 : place);
    if (across) context.rotate(-Math.PI / 2);
    context.textAlign = across ? "left" : "right";
    context.fillStyle = marked ? ink().focus : isSpecial(index) ? ink().soft : ink().ink;
    context.font = marked ? `bold ${labelFont}` : labelFont;
    context.fillText(fitted(names[index], label - 10), 0, 0);
    context.restore();
  }
}
