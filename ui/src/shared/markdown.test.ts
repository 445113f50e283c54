import { describe, expect, it } from 'vitest';
import { decode, headingLevels, MarkdownBlocks, safeImage, safeUrl } from './markdown';

const documents: Record<string, string> = {
  prose: 'One *two* **three**\nfour\n\nFive `six`.\n\n# Seven\n\nEight\n',
  lists: '1. a\n\n2. b\n   - c\n   - d\n\n     more\n3. e\n\nAfter.\n\n- [ ] x\n- [x] y\n\n* other\n',
  fences:
    'Before\n\n```rust\nfn a() {}\n\n// ``` not the end\n```\n\n~~~\ntext\n~~~\nAfter\n\n````md\n```js\n1\n```\n````\n\nend\n',
  tables: 'A table\n\n| a | b |\n|---|:-:|\n| 1 | `|` |\n| 2 | x |\n\nAfter\n',
  quotes: '> a\nlazy\n\n> b\n> - c\n\nTitle\n=====\n\nrule\n\n---\n\n    indented\n\n    code\n\nend',
  links: 'See [one][1] and [two](https://b.example/x_y).\n\nText\n\n[1]: https://a.example "t"\n\nMore [one][1]\n',
  html: '<div>\n<script>alert(1)</script>\n\n</div>\n\ntext <b>bold</b> &lt;i&gt;\n',
  crlf: 'a\r\n\r\n```js\r\nlet x = 1\r\n```\r\n\r\nb\r\n',
};

const shape = (text: string) =>
  new MarkdownBlocks().update(text, false).map((b) => ({ at: b.at, raw: b.raw, token: b.token }));

describe('blocks of a streaming message', () => {
  for (const [name, text] of Object.entries(documents)) {
    it(`end as if read at once, wherever the text is cut: ${name}`, () => {
      for (let cut = 0; cut <= text.length; cut++) {
        const blocks = new MarkdownBlocks();
        blocks.update(text.slice(0, cut), true);
        blocks.update(text, true);
        const end = blocks.update(text, false).map((b) => ({ at: b.at, raw: b.raw, token: b.token }));
        expect(end).toEqual(shape(text));
      }
    });

    it(`end as if read at once, character by character: ${name}`, () => {
      const blocks = new MarkdownBlocks();
      for (let end = 1; end <= text.length; end++) blocks.update(text.slice(0, end), true);
      expect(blocks.update(text, false).map((b) => ({ at: b.at, raw: b.raw, token: b.token }))).toEqual(shape(text));
    });
  }

  it('keep their identity once another block stands behind them', () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.update('First paragraph.\n\nSecond one goes on\n', true);
    const after = blocks.update('First paragraph.\n\nSecond one goes on\nand on', true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it('cost the same per delta, however long the message already is', () => {
    const cost = (paragraphs: number) => {
      const blocks = new MarkdownBlocks();
      const long = 'A paragraph of some words.\n\n'.repeat(paragraphs);
      blocks.update(long, true);
      blocks.update(`${long}The last`, true);
      const before = blocks.lexed;
      blocks.update(`${long}The last one`, true);
      return blocks.lexed - before;
    };
    expect(cost(1000)).toBe(cost(10));
  });

  it('cost nothing of the lexer while a code block is open', () => {
    const blocks = new MarkdownBlocks();
    let text = 'Code:\n\n```ts\nlet a = 1;\n';
    blocks.update(text, true);
    const before = blocks.lexed;
    for (let i = 0; i < 500; i++) blocks.update((text += `let a${i} = ${i};\n`), true);
    expect(blocks.lexed).toBe(before);
    const open = blocks.update(text, true).at(-1);
    expect(open?.open).toBe(true);
    expect(open?.token).toMatchObject({ type: 'code', lang: 'ts' });
    expect((open?.token as { text: string }).text.split('\n')).toHaveLength(501);
  });

  it('draw open syntax as it will be, not as signs', () => {
    const blocks = new MarkdownBlocks();
    const [block] = blocks.update('Some **bold wor', true);
    expect(block?.token).toMatchObject({ tokens: [{ type: 'text' }, { type: 'strong', text: 'bold wor' }] });
    const [link] = new MarkdownBlocks().update('See [the page](https://exa', true);
    expect(JSON.stringify(link?.token)).not.toContain('](');
  });

  it('start anew when the finished message replaces what streamed', () => {
    const blocks = new MarkdownBlocks();
    blocks.update('Wrong \ufffd text\n\nmore\n\n', true);
    expect(blocks.update('Right text', false).map((b) => b.raw)).toEqual(['Right text']);
  });

  it('know a link that is defined further down once the message is whole', () => {
    const blocks = new MarkdownBlocks();
    blocks.update('See [one][1].\n\nText\n\n', true);
    blocks.update('See [one][1].\n\nText\n\n[1]: https://a.example\n', true);
    const [first] = blocks.update('See [one][1].\n\nText\n\n[1]: https://a.example\n', false);
    expect(JSON.stringify(first?.token)).toContain('"href":"https://a.example"');
  });
});

describe('addresses', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    '/relative',
    '#here',
    'tauri://localhost',
    '//host/x',
  ])('are not opened: %s', (href) => expect(safeUrl(href)).toBeNull());
  it.each(['https://a.example/b', 'http://127.0.0.1:3000/', 'mailto:a@b.example'])('are opened: %s', (href) =>
    expect(safeUrl(href)).not.toBeNull(),
  );
  it('of images are only data of formats without script', () => {
    expect(safeImage('data:image/png;base64,AAAA')).not.toBeNull();
    expect(safeImage('data:image/svg+xml;base64,AAAA')).toBeNull();
    expect(safeImage('https://a.example/x.png')).toBeNull();
    expect(safeImage('asset://x.png')).toBeNull();
  });
});

it('decodes character references once', () => {
  expect(decode('a &lt;b&gt; &amp;lt; &#65;&#x42; &nope; &#0;')).toBe('a <b> &lt; AB &nope; \ufffd');
});

it('headings go down one level at a time, from the one above the text', () => {
  const blocks = new MarkdownBlocks().update('### a\n\n# b\n\n#### c\n\ntext\n\n## d\n', false);
  expect([...headingLevels(blocks, 2).values()]).toEqual([3, 3, 4, 4]);
  expect([...headingLevels(blocks, 6).values()]).toEqual([6, 6, 6, 6]);
});
