import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import Diff from './Diff.svelte';
import JsonTree from './JsonTree.svelte';
import { segments } from './segments';
import { age, between, bytes, clock, count, duration, grouped, waited } from './time';

let shown: ReturnType<typeof mount>[] = [];
afterEach(() => {
  shown.forEach((c) => void unmount(c));
  shown = [];
  document.body.replaceChildren();
});
function draw<P extends Record<string, unknown>>(component: Component<P>, props: P): HTMLElement {
  const target = document.createElement('div');
  document.body.append(target);
  shown.push(mount(component, { target, props }));
  flushSync();
  return target;
}

describe('a diff on screen', () => {
  it('says added and removed in words besides signs', () => {
    const made = draw(Diff, { diff: '@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n' });
    expect([...made.querySelectorAll('.dl code')].map((c) => c.textContent)).toEqual([
      'removed let a = 1;',
      'added let a = 2;',
    ]);
    expect([...made.querySelectorAll('.sg')].map((s) => s.getAttribute('data-n'))).toEqual(['−', '+']);
    expect([made.querySelector('del')?.textContent, made.querySelector('ins')?.textContent]).toEqual(['1', '2']);
  });
  it('marks a change of line ends alone', () => {
    const made = draw(Diff, { diff: '@@ -1 +1 @@\n-a\r\n+a\n' });
    expect(made.querySelector('.removed')?.textContent).toContain('CR LF');
    expect(made.querySelector('.added')?.textContent).not.toContain('CR LF');
  });
  it('shows what cannot be seen by name', () => {
    const made = draw(Diff, { diff: '@@ -0,0 +1 @@\n+if (a\u202e) {\u200b}\n' });
    expect([...made.querySelectorAll('.unseen')].map((u) => u.textContent)).toEqual(['U+202E', 'U+200B']);
  });
  it('of 20,000 lines has few elements, before and after "Show all"', () => {
    const made = draw(Diff, { diff: `@@ -0,0 +1,20000 @@\n${'+line\n'.repeat(20_000)}`, head: 50 });
    expect(made.querySelectorAll('.dl')).toHaveLength(50);
    const all = [...made.querySelectorAll('button')].find((b) => b.textContent?.trim() === 'Show all');
    all?.click();
    flushSync();
    expect(made.querySelectorAll('.dl').length).toBeGreaterThan(20);
    expect(made.querySelectorAll('.dl').length).toBeLessThan(200);
  });
  it('shows no line numbers where the place in the file is not known', () => {
    const made = draw(Diff, { diff: '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n', placed: false });
    expect(made.querySelector('.diff')?.classList.contains('unplaced')).toBe(true);
    expect(made.textContent).not.toContain('no line end');
  });
  it('opens unchanged lines in place', () => {
    const made = draw(Diff, { diff: `@@ -1,41 +1,41 @@\n${' same\n'.repeat(40)}-a\n+b\n` });
    const fold = [...made.querySelectorAll('button')].find((b) => b.textContent?.includes('37 unchanged lines'));
    expect(made.querySelectorAll('.dl')).toHaveLength(5);
    fold?.click();
    flushSync();
    expect(made.querySelectorAll('.dl')).toHaveLength(42);
  });
});

it('a tree shows any value and folds what is long', () => {
  const made = draw(JsonTree, {
    value: {
      a: null,
      b: 'x'.repeat(1000),
      c: [],
      d: Array.from({ length: 150 }, (_, i) => i),
      e: { f: { g: { h: 1 } } },
    },
  });
  expect(made.textContent).toContain('Show all 1000 characters');
  expect(made.textContent).toContain('150 items');
  expect(made.querySelectorAll('*').length).toBeLessThan(100);
});

it('a line is cut where anything changes, and stays whole as text', () => {
  const text = 'let a\u200b = "x";';
  const parts = segments(
    text,
    [
      { from: 0, to: 3, syntax: 'keyword' },
      { from: 9, to: 12, syntax: 'string' },
    ],
    [[4, 10]],
  );
  expect(parts.map((p) => (p.unseen ? '' : p.text)).join('')).toBe('let a = "x";');
  expect(parts.filter((p) => p.marked).map((p) => p.text)).toEqual(['a', 'U+200B', ' = ', '"']);
});

it('times and counts have units', () => {
  expect([duration(90), duration(12_400), duration(21_000), duration(59_960), duration(108_000)]).toEqual([
    '0.1 s',
    '12.4 s',
    '21 s',
    '1 min',
    '1 min 48 s',
  ]);
  expect([waited(9_000), waited(72_000), waited(180_000), waited(13_680_000), waited(200_000_000)]).toEqual([
    '9 s',
    '1 min 12 s',
    '3 min',
    '3 h 48 min',
    '2 d',
  ]);
  expect([clock(7_900), clock(664_000), clock(3_723_000)]).toEqual(['0:07', '11:04', '1:02:03']);
  expect([age(200), age(38_000), age(360_000), age(7_200_000)]).toEqual(['now', '38 s', '6 min', '2 h']);
  expect([
    count(999),
    count(12_400),
    count(1_240_000),
    bytes(412),
    bytes(48_000),
    bytes(10_000_000),
    grouped(20_000),
  ]).toEqual(['999', '12.4k', '1.2M', '412 B', '48 kB', '10.0 MB', '20\u202f000']);
  expect([between('nonsense', 5), between('2026-01-01T00:00:01Z', '2026-01-01T00:00:00Z'), between(null, 1)]).toEqual([
    null,
    0,
    null,
  ]);
});
