// The colours of tokens.css as they are mixed on screen: every pair that the window puts text or a control on, in both themes.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(resolve(import.meta.dirname, 'tokens.css'), 'utf8');

type Colour = [number, number, number];
const themes: Record<string, Map<string, Colour>> = {
  dark: read(/:root,\s*:root\[data-theme='dark'\]\s*\{([^}]*)\}/),
  light: read(/:root\[data-theme='light'\]\s*\{([^}]*)\}/),
};

function read(block: RegExp): Map<string, Colour> {
  const colours = new Map<string, Colour>();
  for (const [, name, value] of (block.exec(css)?.[1] ?? '').matchAll(/--([\w-]+):\s*oklch\(([^)/]+)\)/g)) {
    const [l = 0, c = 0, h = 0] = (value ?? '').trim().split(/\s+/).map(Number);
    colours.set(name ?? '', rgb(l, c, h));
  }
  return colours;
}

/** OKLCH as 8-bit sRGB, which is what a screen shows. */
function rgb(l: number, c: number, h: number): Colour {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const [L, M, S] = [
    (l + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (l - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (l - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ];
  const linear: Colour = [
    4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S,
    -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S,
    -0.0041960863 * L - 0.7034186147 * M + 1.707614701 * S,
  ];
  return linear.map((x) => {
    const y = Math.min(1, Math.max(0, x));
    return Math.round(255 * (y <= 0.0031308 ? 12.92 * y : 1.055 * y ** (1 / 2.4) - 0.055));
  }) as Colour;
}

function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((x) => {
    const y = x / 255;
    return y <= 0.04045 ? y / 12.92 : ((y + 0.055) / 1.055) ** 2.4;
  }) as Colour;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(theme: string, front: string, back: string): number {
  const [a, b] = [front, back].map((name) => {
    const colour = themes[theme]?.get(name);
    if (!colour) throw new Error(`no token ${name}`);
    return luminance(colour);
  });
  const [high, low] = [Math.max(a ?? 0, b ?? 0), Math.min(a ?? 0, b ?? 0)];
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ['side', 'main', 'band', 'field', 'code', 'hover', 'active', 'float'].map((name) => `surface-${name}`);
const tinted = [...surfaces, 'accent-tint'];
const diffs = ['diff-add-bg', 'diff-del-bg', 'diff-hunk-bg', 'diff-add-word', 'diff-del-word'];
const names = (prefix: string) => [...(themes.dark?.keys() ?? [])].filter((name) => name.startsWith(prefix));

/** What is put on what. Text needs 4.5, what only shows a shape or an edge 3 (WCAG 1.4.3 and 1.4.11). */
const pairs: [fronts: string[], backs: string[], least: number][] = [
  [['text-1', 'text-2'], tinted, 4.5],
  [['text-3'], surfaces, 4.5],
  [['text-1', 'text-2'], ['waiting-tint', 'failed-tint', ...diffs], 4.5],
  [['accent-text'], tinted, 4.5],
  [['running', 'waiting', 'failed', 'done'], surfaces, 4.5],
  [['text-on-accent'], ['accent-solid', 'accent-hover'], 4.5],
  [['text-on-state'], ['waiting-solid'], 4.5],
  [['diff-add-text', 'diff-del-text'], surfaces, 4.5],
  [names('syn-'), ['surface-code', 'surface-main', ...diffs], 4.5],
  [names('ansi-'), ['surface-code'], 4.5],
  // On a colour of a terminal the text takes the colour of the ground.
  [['surface-code'], names('ansi-'), 4.5],
  [['line-control'], ['surface-side', 'surface-main', 'surface-band', 'surface-field'], 3],
  [['focus'], surfaces, 3],
  [['waiting-solid'], surfaces, 3],
];

describe.each(Object.keys(themes))('in the %s theme', (theme) => {
  it('all colours are read', () => {
    expect(themes[theme]?.size).toBeGreaterThan(55);
    expect([...(themes[theme]?.keys() ?? [])].sort()).toEqual([...(themes.dark?.keys() ?? [])].sort());
  });

  it('what is read and what is seen stands out enough', () => {
    const weak = pairs.flatMap(([fronts, backs, least]) =>
      fronts.flatMap((front) =>
        backs
          .map((back) => ({
            pair: `${front} on ${back}`,
            has: Math.round(contrast(theme, front, back) * 100) / 100,
            least,
          }))
          .filter(({ has }) => has < least),
      ),
    );
    expect(weak).toEqual([]);
  });
});

it('the sum is right where it is known', () => {
  expect(rgb(1, 0, 0)).toEqual([255, 255, 255]);
  expect(rgb(0, 0, 0)).toEqual([0, 0, 0]);
  // As other tools measure them.
  expect(contrast('dark', 'text-1', 'surface-main')).toBeCloseTo(14.6, 1);
  expect(contrast('light', 'text-3', 'surface-main')).toBeCloseTo(5.8, 1);
  expect(contrast('light', 'line-control', 'surface-main')).toBeCloseTo(3.7, 1);
});

describe('what is found in the timeline', () => {
  const row = readFileSync(resolve(import.meta.dirname, '../timeline/row.css'), 'utf8');
  /** The ground of a mark as it is mixed over a surface, and what is written on it. */
  function mark(theme: string, name: string, surface: string): { ground: number; ink: number } {
    const rule = new RegExp(`::highlight\\(${name}\\)\\s*\\{([^}]*)\\}`).exec(row)?.[1] ?? '';
    const [ground, ink] = ['background', 'color'].map((property) => {
      const value = new RegExp(`(?:^|\\s)${property}:([^;]*);`).exec(rule)?.[1] ?? '';
      const token = /^\s*var\(--([\w-]+)\)\s*$/.exec(value)?.[1];
      if (token) return luminance(themes[theme]?.get(token) ?? [NaN, NaN, NaN]);
      const [l = NaN, c = NaN, h = NaN, alpha = 1] = (/oklch\(([^)]*)\)/.exec(value)?.[1] ?? '')
        .split(/[\s/]+/)
        .map(Number);
      const under = themes[theme]?.get(surface) ?? [NaN, NaN, NaN];
      return luminance(rgb(l, c, h).map((x, at) => alpha * x + (1 - alpha) * (under[at] ?? NaN)) as Colour);
    });
    return { ground: ground ?? NaN, ink: ink ?? NaN };
  }

  it.each(Object.keys(themes).flatMap((theme) => ['found', 'found-now'].map((name) => [theme, name] as const)))(
    'can be read on its mark, in the %s theme: %s',
    (theme, name) => {
      const { ground, ink } = mark(theme, name, 'surface-code');
      const [high, low] = [Math.max(ground, ink), Math.min(ground, ink)];
      expect((high + 0.05) / (low + 0.05)).toBeGreaterThanOrEqual(4.5);
    },
  );
});
