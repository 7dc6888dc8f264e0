"use strict";
// The data of the page. Weights come as codes of 16 bits, one block of base64 a head, and are decoded when they are
// needed. 0: below 1e-7; 1 to 63001: four significant digits of 1e-7 to 1; 65535: not a number.

const element = (id) => document.getElementById(id);
const data = JSON.parse(element("data").textContent);
const count = data.tokens.length;
const heads = data.heads;
// JSON has no NaN.
for (const figures of data.statistics.flat())
  for (const field of Object.keys(figures)) figures[field] ??= NaN;
const isPair = data.segments.includes(2);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const thumbnails = bytesOf(data.thumbnails);
const contributions = data.contribution ? new Float32Array(bytesOf(data.contribution).buffer) : null;

const weightOfCode = (() => {
  const table = new Float32Array(65536);
  for (let code = 1; code <= 63001; ++code) {
    const decade = Math.floor((code - 1) / 9000);
    table[code] = (1000 + ((code - 1) % 9000)) / 10 ** (10 - decade);
  }
  table[65535] = NaN;
  return table;
})();

const decoded = new Map();

function weightsOf(layer, head) {
  const name = `weights-${layer}-${head}`;
  if (!decoded.has(name)) {
    const bytes = new DataView(bytesOf(element(name).textContent).buffer);
    const weights = new Float32Array(count * count);
    for (let i = 0; i < weights.length; ++i) weights[i] = weightOfCode[bytes.getUint16(2 * i, true)];
    decoded.set(name, weights);
  }
  return decoded.get(name);
}

// The page shows itself before all of its weights are there.
const isThere = (layer, head) => document.readyState !== "loading" || element(`weights-${layer}-${head}`)?.nextSibling;

function contributionOf(layer, head) {
  const start = (layer * heads + head) * count;
  return contributions ? contributions.subarray(start, start + count) : null;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function meanArray(arrays) {
  const sum = new Float64Array(arrays[0].length);
  for (const array of arrays)
    for (let i = 0; i < sum.length; ++i) sum[i] += array[i];
  return Float32Array.from(sum, (value) => value / arrays.length);
}

function entropyOf(weights) {
  let sum = 0;
  for (const weight of weights)
    if (!(weight <= 0)) sum -= weight * Math.log2(weight);
  return sum / count;
}

// The rule that a head obeys; the shares are compared first, broad is what is left.
function patternOf(figures) {
  if (data.why_no_patterns) return null;
  const holding = data.rules.filter((rule) => figures[rule.field] >= rule.at_least);
  const best = (found, rule) =>
      (found && (found.rank < rule.rank || figures[found.field] >= figures[rule.field]) ? found : rule);
  return holding.reduce(best, null);
}

// What there is in place of a pattern.
function noPattern(figures) {
  if (!Number.isFinite(figures.entropy)) return "weights are not numbers";
  return data.why_no_patterns ? "too few tokens for a pattern" : "no simple pattern";
}

// All figures but the entropy are means of what the heads have.
function averageFigures(chosen, weights) {
  const figures = {};
  for (const field of Object.keys(data.statistics[0][0])) {
    figures[field] = mean(chosen.map(([layer, head]) => data.statistics[layer][head][field]));
  }
  figures.entropy = entropyOf(weights);
  figures.entropy_share = count > 1 ? figures.entropy / Math.log2(count) : 0;
  return figures;
}

const headName = ([layer, head]) => `Layer ${data.layers[layer]}, head ${head}`;

// What a card shows: one head.
function headMatrix([layer, head]) {
  return {
    title: headName([layer, head]),
    heads: [[layer, head]],
    weights: weightsOf(layer, head),
    figures: data.statistics[layer][head],
    contribution: contributionOf(layer, head)
  };
}

function averageTitle(chosen) {
  const layers = new Set(chosen.map(([layer]) => layer));
  if (chosen.length === heads * data.layers.length) return "Average of all heads";
  if (chosen.length === heads && layers.size === 1) return `Average of layer ${data.layers[chosen[0][0]]}`;
  return `Average of ${chosen.length} heads`;
}

function averageMatrix(chosen) {
  const weights = meanArray(chosen.map(([layer, head]) => weightsOf(layer, head)));
  const parts = chosen.map(([layer, head]) => contributionOf(layer, head));
  return {
    title: averageTitle(chosen),
    heads: chosen,
    weights,
    figures: averageFigures(chosen, weights),
    contribution: contributions ? meanArray(parts) : null
  };
}
