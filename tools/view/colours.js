// One hue whose lightness tells the weight: it reads the same without red or green, and in grey.

const ramps = {
  light: [[255, 255, 255], [217, 231, 247], [146, 190, 230], [64, 130, 196], [17, 74, 140], [6, 28, 66]],
  dark: [[22, 27, 34], [22, 46, 80], [33, 88, 150], [74, 146, 218], [158, 206, 252], [240, 248, 255]],
};
// What is no number: the one orange, which nobody takes for a blue.
const nanColours = {
  light: [208, 122, 0],
  dark: [240, 176, 64]
};
const inks = {
  light: {page: "#fff", ink: "#17202c", soft: "#566172", line: "#d9dee6", mark: "#0f4f99", focus: "#b3410a"},
  dark: {page: "#161b22", ink: "#e8ebf0", soft: "#a3adba", line: "#2c343f", mark: "#8cc0ff", focus: "#ffb070"},
};

const systemDark = matchMedia("(prefers-color-scheme: dark)");
let theme = "system";
const themeName = () => (theme === "system" ? (systemDark.matches ? "dark" : "light") : theme);
const ink = () => inks[themeName()];

function rampColour(stops, share) {
  const place = share * (stops.length - 1);
  const left = Math.min(Math.floor(place), stops.length - 2);
  return stops[left].map((value, i) => Math.round(value + (place - left) * (stops[left + 1][i] - value)));
}

// A level is 0 to 254, or 255 for what is no number.
const mostLevel = 254, nanLevel = 255;
const levelColour = (level, name = themeName()) =>
    (level === nanLevel ? nanColours[name] : rampColour(ramps[name], level / mostLevel));
const nanColour = () => `rgb(${levelColour(nanLevel)})`;

// The colours of all levels, each as the four bytes of a pixel.
const tables = {};
function pixels() {
  const name = themeName();
  if (!tables[name]) {
    const bytes = new Uint8Array(1024);
    for (let i = 0; i < 256; ++i) bytes.set([...levelColour(i, name), 255], 4 * i);
    tables[name] = new Uint32Array(bytes.buffer);
  }
  return tables[name];
}

// The square root gives small weights more of the ramp.
const shade = (share) =>
    (Number.isNaN(share) ? nanLevel : Math.round(mostLevel * Math.sqrt(Math.min(Math.max(share, 0), 1))));
// The relative luminance of a colour, as the contrast ratio of WCAG 2 takes it.
function luminance(colour) {
  const [red, green, blue] =
      colour.map((value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
// Black or white, whichever stands out on the shade: either by at least 4.58 to 1.
const inkOn = (level) => (luminance(levelColour(level)) > 0.179 ? "#000" : "#fff");

function setTheme(name) {
  theme = name;
  document.documentElement.style.colorScheme = name === "system" ? "" : name;
  change("colours", {});
}
systemDark.addEventListener("change", () => change("colours", {}));

// A canvas of so many CSS pixels, sharp on the screen at hand; returns its context, clear.
function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const wide = Math.max(1, Math.round(width * ratio)), high = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, {width: wide, height: high});
  Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// A square image, a pixel for each level; rows of `size` levels.
function paintLevels(canvas, levels, size) {
  if (canvas.width !== size || canvas.height !== size) Object.assign(canvas, {width: size, height: size});
  const context = canvas.getContext("2d");
  const image = context.createImageData(size, size);
  const words = new Uint32Array(image.data.buffer), table = pixels();
  for (let i = 0; i < words.length; ++i) words[i] = table[levels[i]];
  context.putImageData(image, 0, 0);
}
