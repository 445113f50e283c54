// Any colour as it can be read on the ground of code in both themes: its hue stays, it is made lighter or darker until the
// contrast is that of text. Pure.

type Rgb = [number, number, number];

/** Text needs 4.5 (WCAG 2); the rest is for rounding. */
const CONTRAST = 4.6;
/** `--surface-code` of the two themes: lightness, chroma, hue. */
const GROUNDS = { dark: [0.182, 0.005, 260], light: [0.982, 0.002, 260] } as const;

export type Legible = { dark: string; light: string };

const known = new Map<string, Legible>();

/** `colour` is `#rrggbb`; anything else gives null. */
export function legible(colour: string): Legible | null {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return null;
  let made = known.get(colour);
  if (!made) {
    made = { dark: on('dark', colour), light: on('light', colour) };
    if (known.size >= 1000) known.clear();
    known.set(colour, made);
  }
  return made;
}

function on(theme: 'dark' | 'light', colour: string): string {
  const rgb = parse(colour);
  const ground = grounds[theme];
  if (contrast(rgb, ground) >= CONTRAST) return colour.toLowerCase();
  const [lightness, chroma, hue] = oklch(rgb);
  let [near, far] = [lightness, theme === 'dark' ? 1 : 0];
  for (let step = 0; step < 12; step++) {
    const middle = (near + far) / 2;
    if (contrast(fitted(middle, chroma, hue), ground) >= CONTRAST) far = middle;
    else near = middle;
  }
  return hex(fitted(far, chroma, hue));
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

export function parse(colour: string): Rgb {
  const n = Number.parseInt(colour.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

function hex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

const linear = (part: number) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
const gamma = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function oklch(rgb: Rgb): [number, number, number] {
  const [r, g, b] = rgb.map(linear) as Rgb;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, bb), Math.atan2(bb, a)];
}

/** Colours that a screen cannot show are made greyer until it can. */
function fitted(lightness: number, chroma: number, hue: number): Rgb {
  for (let c = chroma; c > 0.005; c -= 0.02) {
    const made = srgb(lightness, c, hue);
    if (made.every((part) => part > -0.002 && part < 1.002)) return whole(made);
  }
  return whole(srgb(lightness, 0, hue));
}

function srgb(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function whole(rgb: Rgb): Rgb {
  return rgb.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255)) as Rgb;
}

export const grounds: { dark: Rgb; light: Rgb } = {
  dark: groundOf(GROUNDS.dark),
  light: groundOf(GROUNDS.light),
};

function groundOf([lightness, chroma, degrees]: readonly [number, number, number]): Rgb {
  return whole(srgb(lightness, chroma, (degrees * Math.PI) / 180));
}
