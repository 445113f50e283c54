import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import AnsiText from './AnsiText.svelte';
import Diff from './Diff.svelte';
import JsonTree from './JsonTree.svelte';
import Markdown from './Markdown.svelte';
import { segments } from './segments';
import { age, between, bytes, clock, count, duration, grouped, waited } from './time';
import { reactive } from './testing/reactive.svelte';
import Surrounded from './testing/Surrounded.svelte';

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

describe('Markdown on screen', () => {
  const draws = (text: string, streaming = false) => draw(Markdown, { text, streaming });

  it('keeps the blanks between words of different looks', () => {
    expect(draws('a **b** *c* `d` [e](https://a.example) f  \ng').querySelector('p')?.textContent).toBe('a b c d e fg');
  });

  it.each([
    '<script>window.hurt = 1</script>',
    '<img src=x onerror="window.hurt = 1">',
    'text <b onclick="x">bold</b> <iframe src="https://a.example"></iframe>',
    '[x](javascript:window.hurt=1)',
    '![x](https://a.example/track.png)',
    '<a href="https://a.example">x</a>',
    '`<img src=x>` &lt;img src=x onerror=1&gt;',
    '| <img src=x> | <svg onload=1> |\n|---|---|\n| <style>*{}</style> | [a](data:text/html,x) |',
    '```html\n<script>1</script>\n```',
    '- <object data=x>\n> <form action=x><input></form>',
  ])('makes no element and no address of hostile text: %s', (text) => {
    for (const streaming of [false, true]) {
      const made = draws(text, streaming);
      expect(made.querySelector('script, img, iframe, object, embed, form, input, style, link, b, a')).toBeNull();
      for (const element of made.querySelectorAll('*')) {
        // Button and frame handlers of ours are properties; an attribute could only come from the text.
        expect(element.getAttributeNames().filter((n) => n.startsWith('on'))).toEqual([]);
      }
      if (text.includes('<script>')) expect(made.textContent).toContain('<script>');
    }
    expect('hurt' in window).toBe(false);
  });

  it('opens links by the window, never by going there', () => {
    const opened: string[] = [];
    const made = draw(Surrounded, { text: '[x](https://a.example/y)', openUrl: (url: string) => opened.push(url) });
    const link = made.querySelector('a') as HTMLAnchorElement;
    const click = new MouseEvent('click', { bubbles: true, cancelable: true });
    link.dispatchEvent(click);
    const middle = new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 });
    link.dispatchEvent(middle);
    expect([click.defaultPrevented, middle.defaultPrevented]).toEqual([true, true]);
    expect(opened).toEqual(['https://a.example/y', 'https://a.example/y']);
  });

  it('draws tables, tasks, numbered lists and code with its language', () => {
    const made = draws(
      '| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n3. three\n\n```rust\nfn a() {}\n```\n',
    );
    expect(made.querySelectorAll('th')).toHaveLength(2);
    expect(made.querySelector('td.right')?.textContent).toBe('2');
    expect([...made.querySelectorAll('li [role=img]')].map((b) => b.getAttribute('aria-label'))).toEqual([
      'done',
      'open',
    ]);
    expect(made.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(made.querySelector('pre')?.textContent).toBe('fn a() {}\n');
    expect(made.querySelector('[aria-label="Copy code"]')).not.toBeNull();
  });

  it('leaves the elements of finished blocks alone while the rest streams', () => {
    const props = reactive({ text: 'First.\n\nSecond **b', streaming: true });
    const made = draw(Markdown, props);
    const first = made.querySelector('p');
    expect(made.querySelector('strong')?.textContent).toBe('b');
    props.text += 'old** and\n\nThird';
    flushSync();
    expect(made.querySelector('p')).toBe(first);
    expect([...made.querySelectorAll('p')].map((p) => p.textContent)).toEqual(['First.', 'Second bold and', 'Third']);
  });

  it('gives each paragraph its own direction', () =>
    expect(draws('أعد المحاولة').querySelector('p')?.getAttribute('dir')).toBe('auto'));
});

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

describe('output on screen', () => {
  it('carries no style of its own', () => {
    const made = draw(AnsiText, { text: '\u001b[1;38;2;1;200;3mgreen\u001b[0m <b>not bold</b>' });
    expect(made.querySelector('[style]')).toBeNull();
    expect(made.querySelector('b')).toBeNull();
    expect(made.querySelector('.fg-green.bold')?.textContent).toBe('green');
  });
  it('shows its beginning, then all', () => {
    const made = draw(AnsiText, { text: Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n'), head: 10 });
    expect(made.querySelector('pre')?.textContent?.split('\n')).toHaveLength(11);
    [...made.querySelectorAll('button')].find((b) => b.textContent?.trim() === 'Show all')?.click();
    flushSync();
    expect(made.querySelector('pre')?.textContent).toContain('line 99');
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
