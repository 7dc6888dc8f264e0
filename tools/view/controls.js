// The switches and sliders above the cards.

function makeChoice(id, choices, chosen, choose) {
  for (const [value, text] of choices) {
    const input = make("input", {type: "radio", name: id, value, checked: value === chosen});
    input.addEventListener("change", () => choose(value));
    element(id).append(make("label", {}, input, text));
  }
}

function setChoice(id, value) {
  for (const input of element(id).querySelectorAll("input")) input.checked = input.value === value;
}

// From nothing to 1 in equal factors: most weights are small.
const thresholdOf = (step) => (step === 0 ? 0 : 10 ** (-4 + step / 25));
const stepOf = (threshold) => Math.round(25 * (Math.log10(threshold) + 4));

function showSliders() {
  element("threshold-value").textContent = state.threshold === 0 ? "0" : state.threshold.toPrecision(2);
  element("top-value").textContent = state.top >= count ? "all" : `${state.top} a token`;
}

function setThreshold() {
  change("filter", {threshold: thresholdOf(Number(element("threshold").value))});
  showSliders();
}

function setTop() {
  const top = Number(element("top").value);
  change("filter", {top: top === Number(element("top").max) ? count : top});
  showSliders();
}

// Lines begin at half of what a token has that looks at all alike. Of a long text so many would hide each other: only
// the strongest of each token are drawn.
function startSliders() {
  const largestTop = Math.min(count, 33);
  element("top").max = largestTop;
  element("top").value = count > 48 ? 3 : largestTop;
  element("threshold").value = stepOf(0.5 / count);
  state.threshold = thresholdOf(Number(element("threshold").value));
  state.top = count > 48 ? 3 : count;
  element("threshold").addEventListener("input", setThreshold);
  element("top").addEventListener("input", setTop);
  showSliders();
}

function startDirections() {
  element("direction").hidden = !isPair;
  const choices = [["all", "All"], ["ab", "A → B"], ["ba", "B → A"], ["within", "Within"]];
  makeChoice("direction", choices, state.direction, (direction) => change("filter", {direction}));
}

function startSpecial() {
  const present = [...new Set(data.tokens.filter((_, index) => isSpecial(index)))];
  element("special-field").hidden = present.length === 0;
  element("special-label").textContent = `leave out ${present.slice(0, 3).join(", ")}`;
  element("special").addEventListener("change", (event) => change("filter", {hideSpecial: event.target.checked}));
}

function startControls() {
  makeChoice("theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"]], "system", setTheme);
  makeChoice(
      "view", [["lines", "Lines"], ["map", "Heat map"], ["both", "Both"]], state.view,
      (view) => change("filter", {view}));
  makeChoice(
      "several", [["side", "Side by side"], ["averaged", "Averaged"]], "side",
      (choice) => change("heads", {averaged: choice === "averaged"}));
  startSliders();
  startDirections();
  startSpecial();
  const follow = () => {
    element("several").hidden = state.chosen.length < 2;
    setChoice("several", state.averaged ? "averaged" : "side");
  };
  on("heads", follow);
  follow();
}
