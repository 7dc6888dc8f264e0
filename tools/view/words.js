// Numbers and tokens as they are shown. Whatever a token holds reaches the page as text.

// Four digits are what the page has of a weight; an average of several is rounded to three.
function weightText(weight, digits = 4) {
  if (Number.isNaN(weight)) return "NaN";
  return weight === 0 ? "0" : weight.toPrecision(digits);
}

// For narrow columns.
function shortWeight(weight) {
  if (Number.isNaN(weight) || weight === 0) return weightText(weight);
  return weight < 0.0005 ? "<0.001" : weight.toFixed(3);
}

const shareText = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %` : "–");
const figureText = (figure, digits = 2) => (Number.isFinite(figure) ? figure.toFixed(digits) : "–");

// Characters that draw nothing or turn the direction of others, and lone halves of others, by their numbers.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const numberOf = (character) => character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
// Joiners belong to the emoji and letters that they join.
const visible = (text) => text.replace(unseen, (c) => (c === "\u200d" || c === "\u200c" ? c : `‹U+${numberOf(c)}›`));

const names = data.tokens.map((token) => (token.trim() === "" ? `"${visible(token)}"` : visible(token)));

// Texts without such tokens have no figures for them.
const hasFigure = (field) => !(field in data.special) || data.tokens.includes(data.special[field]);

const repeated = (() => {
  const places = new Map();
  for (const name of names) places.set(name, (places.get(name) ?? 0) + 1);
  return names.map((name) => places.get(name) > 1);
})();

// An element with its text and what else it has.
function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  const {attributes = {}, ...others} = properties;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  Object.assign(made, others);
  made.append(...children);
  return made;
}

// Leaves the layout alone where nothing changes: pointing does this once a frame.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A token in running text, with its position where it occurs more than once.
function tokenText(index) {
  const name = make("bdi", {textContent: names[index]});
  return repeated[index] ? make("span", {}, name, make("small", {textContent: ` (${index})`, className: "soft"})) :
                           name;
}
