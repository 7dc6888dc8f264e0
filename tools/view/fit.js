// What numbers of the grid fit where they stand.

// How wide texts are in the font of an element.
function widthsIn(at, texts) {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(at);
  measuring.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const widths = texts.map((text) => measuring.measureText(text).width);
  measuring.font = labelFont;
  return widths;
}

// The numbers of all heads, or of every second, every fourth …, so that they stand apart.
function spaceHeadings() {
  const left = (heading) => heading.getBoundingClientRect().left;
  const apart = (left(headings[heads - 1]) - left(headings[0])) / (heads - 1);
  const [needed] = widthsIn(headings[0], [`${"0".repeat(String(heads - 1).length)} `]);
  let step = 1;
  while (step < heads && apart * step < needed) step *= 2;
  headings.forEach((heading, head) => setText(heading, head % step === 0 ? String(head) : ""));
}

// A number that is cut off would be read as another: where it does not fit, the colour tells it.
function fitFigures() {
  const texts = cells.flat().map((cell) => cell.querySelector("span")), room = cells[0][0].clientWidth;
  const widths = widthsIn(texts[0], texts.map((text) => text.textContent));
  texts.forEach((text, index) => {
    text.hidden = widths[index] > room;
  });
}

function fitGrid() {
  spaceHeadings();
  fitFigures();
}
