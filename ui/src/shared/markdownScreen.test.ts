import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Surroundings } from './context';
import { Pieces } from '../session/text';
import Markdown from './Markdown.svelte';
import { hostileTexts } from './testing/hostileTexts';
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
const draws = (text: string, streaming = false) => draw(Markdown, { text, streaming });
const around = (text: string, surroundings: Partial<Surroundings>) =>
  draw(Surrounded, { text, surroundings: { openUrl: () => undefined, ...surroundings } });

describe('Markdown on screen', () => {
  it('keeps the blanks between words of different looks', () => {
    expect(draws('a **b** *c* `d` [e](https://a.example) f  \ng').querySelector('p')?.textContent).toBe('a b c d e fg');
  });

  it.each([
    '<script>window.hurt = 1</script>',
    '<img src=x onerror="window.hurt = 1">',
    'text <b onclick="x">bold</b> <iframe src="https://a.example"></iframe>',
    '[x](javascript:window.hurt=1) [y](\u0001javascript:window.hurt=1) [z](java&#x73;cript:window.hurt=1)',
    '![x](javascript:window.hurt=1) ![y](data:image/svg+xml;base64,AAAA)',
    '<a href="javascript:x">x</a>',
    '`<img src=x>` &lt;img src=x onerror=1&gt;',
    '| <img src=x> | <svg onload=1> |\n|---|---|\n| <style>*{}</style> | [a](data:text/html,x) |',
    '```html\n<script>1</script>\n```',
    '- <object data=x>\n> <form action=x><input></form>',
    '$\\href{javascript:window.hurt=1}{x}$ $$\\includegraphics{https://a.example/x.png}$$',
    '```mermaid\ngraph TD\nA["<img src=x onerror=window.hurt=1>"]\nclick A href "javascript:window.hurt=1"\n```\n',
    '[a]: javascript:window.hurt=1\n\n[a] [b][a]',
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

  it('loads no image from elsewhere: its address is a link', () => {
    const opened: string[] = [];
    const made = around('![chart](https://a.example/x.png) ![d](data:image/png;base64,AAAA)', {
      openUrl: (url) => opened.push(url),
    });
    expect(made.querySelector('img')).toBeNull();
    expect(made.textContent).toContain('https://a.example/x.png');
    expect(made.textContent).toContain('data:image/png;base64,AAAA');
    made.querySelector('a')?.click();
    expect(opened).toEqual(['https://a.example/x.png']);
  });

  it('draws an image of the workspace where the window gives it, and only in a format without script', async () => {
    const files: Record<string, string> = {
      'docs/a.png': 'data:image/png;base64,AAAA',
      'b.svg': 'data:image/svg+xml;base64,AAAA',
    };
    const made = around('![chart](docs/a.png) ![b](b.svg) ![c](gone.png)', {
      image: async (path) => files[path] ?? null,
    });
    await vi.waitFor(() => expect(made.querySelector('img')?.getAttribute('src')).toBe('data:image/png;base64,AAAA'));
    expect(made.querySelectorAll('img')).toHaveLength(1);
    expect(made.textContent).toContain('b.svg');
  });

  it('opens links by the window, never by going there', () => {
    const opened: string[] = [];
    const made = around('[x](https://a.example/y)', { openUrl: (url) => opened.push(url) });
    const link = made.querySelector('a') as HTMLAnchorElement;
    const click = new MouseEvent('click', { bubbles: true, cancelable: true });
    link.dispatchEvent(click);
    const middle = new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 });
    link.dispatchEvent(middle);
    expect([click.defaultPrevented, middle.defaultPrevented]).toEqual([true, true]);
    expect(opened).toEqual(['https://a.example/y', 'https://a.example/y']);
  });

  it('opens files that are named in code or linked, by mouse and by key', () => {
    const opened: unknown[] = [];
    const made = around('`src/a.rs:12`, [b](docs/b.md#L3), `and/or`', {
      openFile: (path, line) => opened.push([path, line]),
    });
    const links = [...made.querySelectorAll<HTMLElement>('[role=link]')];
    expect(links.map((l) => l.textContent)).toEqual(['src/a.rs:12', 'b']);
    links[0]?.click();
    links[1]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    expect(opened).toEqual([
      ['src/a.rs', 12],
      ['docs/b.md', 3],
    ]);
    expect(draws('`src/a.rs:12`').querySelector('[role=link]')).toBeNull();
  });

  it('says where a link leads whose words are another address', () =>
    expect(draws('[https://bank.example](https://evil.example)').textContent).toContain('(evil.example)'));

  it('names the marks that turn the writing direction', () => {
    const made = draws('a \u202eb\u202c c `d\u202e` [e\u2066](https://a.example)');
    expect([...made.querySelectorAll('.unseen')].map((u) => u.textContent)).toEqual(['U+202E', 'U+202C', 'U+202E']);
    expect(made.querySelector('p')?.textContent).not.toMatch(/[\u202a-\u202e]/);
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
    expect(made.querySelector('[aria-label="Copy table"]')).not.toBeNull();
  });

  it('puts headings under the heading that the text stands under', () => {
    const made = draw(Markdown, { text: '# a\n\n### b\n\n- # c\n', streaming: false, above: 2 });
    expect([...made.querySelectorAll('.heading')].map((h) => h.tagName)).toEqual(['H3', 'H4', 'P']);
  });

  it('leaves the elements of finished blocks alone while the rest streams', async () => {
    const pieces = new Pieces();
    pieces.push('First.\n\n- one\n- two **b');
    const props = reactive({ pieces, rev: 0, streaming: true });
    const made = draw(Markdown, props);
    const [first, item] = [made.querySelector('p'), made.querySelector('li')];
    expect(made.querySelector('strong')?.textContent).toBe('b');
    pieces.push('old** and\n\nThird');
    props.rev++;
    flushSync();
    await vi.waitFor(() =>
      expect([...made.querySelectorAll('p')].map((p) => p.textContent)).toEqual([
        'First.',
        'one',
        'two bold and',
        'Third',
      ]),
    );
    expect([made.querySelector('p'), made.querySelector('li')]).toEqual([first, item]);
    props.streaming = false;
    flushSync();
    expect([made.querySelector('p'), made.querySelector('li')]).toEqual([first, item]);
  });

  it('changes only the end of a long message', async () => {
    const pieces = new Pieces();
    for (let i = 0; i < 500; i++) pieces.push(`Paragraph ${i} with *words*.\n\n- a\n- b\n\n`);
    const props = reactive({ pieces, rev: 0, streaming: true });
    const made = draw(Markdown, props);
    const changed = new Set<Node>();
    const observer = new MutationObserver((records) => records.forEach((r) => changed.add(r.target)));
    observer.observe(made, { subtree: true, childList: true, characterData: true, attributes: true });
    for (let i = 0; i < 3; i++) {
      pieces.push(`- more ${i}\n`);
      props.rev++;
      flushSync();
      await vi.waitFor(() => expect(made.textContent).toContain(`more ${i}`));
    }
    observer.takeRecords().forEach((r) => changed.add(r.target));
    observer.disconnect();
    const list = made.querySelector('.markdown')?.lastElementChild;
    expect([...changed].filter((node) => !list?.contains(node))).toEqual([]);
  });

  it('shows of long code and long tables the beginning, and the rest when asked', () => {
    const made = draws(`\`\`\`\n${'a line\n'.repeat(5000)}\`\`\`\n\n| a |\n|---|\n${'| b |\n'.repeat(5000)}`);
    expect(made.querySelectorAll('td')).toHaveLength(200);
    expect(made.querySelector('pre')?.textContent?.split('\n').length).toBeLessThan(500);
    expect(made.textContent).toContain('400 of 5000 lines');
    const buttons = [...made.querySelectorAll('button')].filter((b) => b.textContent?.includes('Show all'));
    buttons.forEach((b) => b.click());
    flushSync();
    expect(made.querySelectorAll('td')).toHaveLength(5000);
    expect(made.querySelector('pre')?.textContent?.split('\n').length).toBeGreaterThan(5000);
  });

  it('gives each block its own direction', () => {
    const made = draws('أعد المحاولة\n\n- **ب**\n- a\n\n> a\n\n| a |\n|---|\n| ب |\n');
    const dirs = ['p', 'ul', 'li p', 'blockquote', 'td', 'pre'].map((tag) =>
      made.querySelector(tag)?.getAttribute('dir'),
    );
    expect(dirs).toEqual(['auto', 'rtl', 'auto', 'ltr', 'auto', undefined]);
  });
});

describe('hostile texts are drawn as text', () => {
  // The elements of jsdom are slow, so these are short; `markdown.test.ts` reads long ones, and the page of the tests in a
  // browser draws them.
  it.each(hostileTexts(5000))('%s', (_, text) => {
    const depthOf = (element: Element): number => {
      let depth = 0;
      for (let at: Element | null = element; at; at = at.parentElement) depth++;
      return depth;
    };
    for (const streaming of [true, false]) {
      const made = draws(text, streaming);
      const leaves = [...made.querySelectorAll('*')].filter((e) => e.firstElementChild === null);
      expect(Math.max(...leaves.slice(0, 300).map(depthOf))).toBeLessThan(120);
    }
  });
});
