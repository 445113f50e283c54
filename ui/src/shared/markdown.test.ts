import { describe, expect, it } from 'vitest';
import {
  decode,
  disguised,
  type Block,
  documentOf,
  entries,
  fileLinked,
  fileNamed,
  type Inline,
  MarkdownDocument,
  safeImage,
  safeUrl,
  type Tree,
  wholeOf,
} from './markdown';
import { hostileTexts } from './testing/hostileTexts';
import { documents, randomCuts, randomMarkdown, randoms } from './testing/markdownTexts';

/** All of a message as plain values: the blocks and their spans. */
function outline(doc: MarkdownDocument, open = false): unknown {
  const all = (tree: Tree<Block>): unknown[] => Array.from(entries(tree), one);
  const one = (block: Block): unknown => {
    if ('children' in block) return { ...block, children: all(block.children) };
    if (block.type === 'code') return { ...block, lines: [...entries(block.lines)] };
    if (block.type === 'table')
      return {
        ...block,
        header: block.header.map((cell) => doc.inlines(cell)),
        rows: Array.from(entries(block.rows), (row) => row.map((cell) => doc.inlines(cell))),
      };
    return block.type === 'paragraph' || block.type === 'heading' ? { ...block, spans: doc.inlines(block) } : block;
  };
  return all(doc.view(open));
}
const outlineOf = (text: string) => outline(documentOf(text));

/** Received in these pieces, and drawn after each of them. */
function streamed(pieces: string[]): MarkdownDocument {
  const doc = new MarkdownDocument();
  for (const piece of pieces) {
    doc.append(piece);
    outline(doc, true);
  }
  return doc;
}

const blocksOf = (text: string, open = false): Block[] => [...entries(documentOf(text).view(open))];
const spansOf = (text: string, open = false): Inline[] => {
  const doc = documentOf(text);
  const [block] = entries(doc.view(open));
  return block?.type === 'paragraph' ? doc.inlines(block) : [];
};
const types = (text: string) => blocksOf(text).map((b) => b.type);

describe('a message that came in pieces is the message read at once', () => {
  for (const [name, text] of Object.entries(documents)) {
    it(`wherever it is cut: ${name}`, () => {
      const whole = outlineOf(text);
      for (let cut = 0; cut <= text.length; cut++)
        expect(outline(streamed([text.slice(0, cut), text.slice(cut)]))).toEqual(whole);
      expect(outline(streamed([...text]))).toEqual(whole);
    });
  }

  it('for random Markdown and random cuts', () => {
    const random = randoms(20260302);
    for (let round = 0; round < 600; round++) {
      const text = randomMarkdown(random);
      expect(outline(streamed(randomCuts(text, random))), JSON.stringify(text)).toEqual(outlineOf(text));
    }
  });

  it('where lines and paragraphs are so long that they go on in parts', () => {
    const random = randoms(7);
    for (const long of [
      'word '.repeat(12_000),
      'x'.repeat(60_000),
      '😀'.repeat(20_000),
      `- ${'**a** '.repeat(9000)}`,
      `| ${'a | '.repeat(20)}\n|${'---|'.repeat(20)}\n| ${'b'.repeat(50_000)} |`,
      `\`\`\`\n${'y'.repeat(50_000)}\nz\n\`\`\``,
      `> ${'line of words\n'.repeat(4000)}`,
    ]) {
      const text = `Before\n\n${long}\nafter *it*\n\nend\n`;
      const pieces = randomCuts(text, random, 9000);
      const doc = new MarkdownDocument();
      for (const piece of pieces) {
        doc.append(piece);
        doc.view(true);
      }
      expect(outline(doc)).toEqual(outlineOf(text));
      expect(JSON.stringify(outlineOf(text))).not.toMatch(/\\ud83d(?!\\ude00)/i);
    }
  });
});

describe('what a piece costs does not grow with the message', () => {
  const line = 'A line of *some* words with `code` in it, and more.';
  const constructs: Record<string, (n: number) => string> = {
    paragraphs: () => `${line}\n\n`,
    'one paragraph of lines': () => `${line}\n`,
    'one line': () => `${line} `,
    'one word': () => 'x'.repeat(50),
    'a list': (n) => `${n === 0 ? '' : '\n'}- ${line}`,
    'a list with blank lines': () => `- ${line}\n\n`,
    'a nested list': (n) => `${n % 2 ? '  ' : ''}- ${line}\n`,
    'a table': (n) => (n === 0 ? '| a | b |\n|---|---|\n' : `| ${line} | b |\n`),
    'an open code block': (n) => (n === 0 ? '```ts\n' : `${line}\n`),
    'a code block of one line': (n) => (n === 0 ? '```\n' : line),
    'an indented code block': () => `    ${line}\n`,
    'a quotation': () => `> ${line}\n`,
    'a quotation in a list': (n) => (n === 0 ? '- > a\n' : `  > ${line}\n`),
    'raw HTML': (n) => (n === 0 ? '<div>\n' : `${line}\n`),
    'a formula that does not end': (n) => (n === 0 ? '$$\n' : `${line}\n`),
    'open brackets': () => '['.repeat(50),
    'open emphasis': () => '**a '.repeat(12),
    definitions: (n) => `[a${n}]: https://a.example/${n}\n`,
  };

  it.each(Object.keys(constructs))('%s', (name) => {
    const make = constructs[name];
    if (!make) throw new Error(name);
    const doc = new MarkdownDocument();
    const worst: [number, number] = [0, 0];
    let before = 0;
    for (let n = 0; doc.length < 1_000_000; n++) {
      doc.append(make(n));
      const tree = doc.view(true);
      // Every hundredth is drawn: only what is drawn has its spans read.
      if (n % 100 === 0) drawLast(doc, tree);
      const cost = doc.cost.lines + doc.cost.spans;
      const part = doc.length < 100_000 ? 0 : 1;
      worst[part] = Math.max(worst[part], cost - before);
      before = cost;
    }
    // A part of a line and a paragraph, both bounded, and never more at a million characters than before.
    expect(worst[0]).toBeLessThan(60_000);
    expect(worst[1]).toBeLessThanOrEqual(worst[0] * 1.5 + 1000);
  });

  function drawLast(doc: MarkdownDocument, tree: Tree<Block>) {
    const last = tree.pages.at(-1)?.at(-1)?.at(-1);
    if (!last) return;
    if ('children' in last) drawLast(doc, last.children);
    else if (last.type === 'paragraph') doc.inlines(last);
    else if (last.type === 'table')
      last.rows.pages
        .at(-1)
        ?.at(-1)
        ?.at(-1)
        ?.forEach((cell) => doc.inlines(cell));
  }

  it('and blocks that are finished stay the objects they were', () => {
    const doc = documentOf('First.\n\n- a\n- b\n\nSecond one goes on\n');
    const before = [...entries(doc.view(true))];
    doc.append('and on\n\n# Third\n\nrest');
    const after = [...entries(doc.view(true))];
    expect([after[0] === before[0], after[1] === before[1], after[2] === before[2]]).toEqual([true, true, false]);
    const pages = doc.view(true).pages[0]?.[0];
    for (let i = 0; i < 40; i++) doc.append(`p${i}\n\n`);
    expect(doc.view(true).pages[0]?.[0]?.slice(0, 3)).toEqual(pages?.slice(0, 3));
  });
});

describe('open syntax is drawn as it will be', () => {
  it.each<[string, Inline[]]>([
    [
      'Some **bold wor',
      [
        { type: 'text', text: 'Some ' },
        { type: 'strong', children: [{ type: 'text', text: 'bold wor' }] },
      ],
    ],
    [
      'Some **bold*',
      [
        { type: 'text', text: 'Some ' },
        { type: 'strong', children: [{ type: 'text', text: 'bold' }] },
      ],
    ],
    [
      'a `co',
      [
        { type: 'text', text: 'a ' },
        { type: 'code', text: 'co' },
      ],
    ],
    ['See [the page](https://exa', [{ type: 'text', text: 'See the page' }]],
    ['See [the pa', [{ type: 'text', text: 'See the pa' }]],
    ['See ![a chart](/x', [{ type: 'text', text: 'See a chart' }]],
    [
      'a ~~b',
      [
        { type: 'text', text: 'a ' },
        { type: 'del', children: [{ type: 'text', text: 'b' }] },
      ],
    ],
    ['2 * 3 and a[i', [{ type: 'text', text: '2 * 3 and a[i' }]],
  ])('%s', (text, spans) => expect(spansOf(text, true)).toEqual(spans));

  it('a line of signs alone is not drawn before it says what it is', () => {
    for (const tail of ['-', '##', '1.', '```', '| ', '> ', '===', '$$', '- [ ', '<'])
      expect(blocksOf(`Text\n${tail}`, true)).toMatchObject([{ type: 'paragraph', text: 'Text' }]);
    expect(types('Text\n===')).toEqual(['heading']);
  });

  it('an open code block has the text so far', () => {
    const [code] = blocksOf('```rust\nfn a() {\n  b', true);
    expect(code).toMatchObject({ type: 'code', lang: 'rust', open: true });
    expect(code?.type === 'code' && [...entries(code.lines)]).toEqual(['fn a() {\n', '  b']);
  });
});

describe('blocks', () => {
  it('of every kind are told apart', () => {
    expect(types(documents.fences ?? '')).toEqual(['paragraph', 'code', 'code', 'paragraph', 'code', 'paragraph']);
    expect(types('a\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\nnot a bar\n\n---\n<div>\n\n# x\n> y\n\n    z\n')).toEqual([
      'paragraph',
      'table',
      'rule',
      'html',
      'heading',
      'quote',
      'code',
    ]);
  });
  it('lists: numbers, tasks, looseness, nesting', () => {
    const [list] = blocksOf('3. a\n4. b\n\n   - [x] c\n   - [ ] d\n');
    expect(list).toMatchObject({ type: 'list', ordered: true, start: 3, loose: true });
    const items = list?.type === 'list' ? [...entries(list.children)] : [];
    const inner = items[1]?.type === 'item' ? [...entries(items[1].children)][1] : undefined;
    expect(inner).toMatchObject({ type: 'list', ordered: false, loose: false, tasks: true });
    expect(inner?.type === 'list' && [...entries(inner.children)].map((i) => i.type === 'item' && i.task)).toEqual([
      true,
      false,
    ]);
  });
  it('tables: alignment, missing and surplus cells, bars behind a backslash', () => {
    const [table] = blocksOf('words\n| a | b |\n|:--|--:|\n| `x\\|y` |\n| 1 | 2 | 3 |\n').slice(1);
    expect(table).toMatchObject({ type: 'table', align: ['left', 'right'] });
    expect(table?.type === 'table' && Array.from(entries(table.rows), (row) => row.map((c) => c.text))).toEqual([
      ['`x|y`', ''],
      ['1', '2'],
    ]);
  });
  it('headings go down one level at a time', () => {
    const levels = blocksOf('### a\n\n# b\n\n#### c\n\n> # in a quotation\n\n## d\n').flatMap((b) =>
      b.type === 'heading' ? [b.level] : [],
    );
    expect(levels).toEqual([1, 1, 2, 2]);
  });
  it('footnotes and definition lists stay text', () => {
    const text = 'Term\n: what it is\n\nSee[^1].\n\n[^1]: The note.';
    expect(types(text)).toEqual(['paragraph', 'paragraph', 'paragraph']);
    expect(spansOf('See[^1].\n\n[^1]: The note.')).toEqual([{ type: 'text', text: 'See[^1].' }]);
  });
  it('know a link that is defined further down once the message is whole', () => {
    const doc = documentOf('See [one][1] and [two].\n\nText\n\n');
    const draw = () => outline(doc, true);
    draw();
    const epoch = doc.epoch;
    doc.append('[1]: https://a.example\n[two]: <https://b.example> "t"');
    draw();
    expect(outline(doc)).toMatchObject([
      { spans: [{}, { type: 'link', href: 'https://a.example' }, {}, { href: 'https://b.example', title: 't' }, {}] },
      {},
    ]);
    expect(doc.epoch).toBe(epoch + 1);
  });
  it('a text that is given whole is read on where it goes on, and anew where it is another', () => {
    const read = wholeOf();
    const first = read('Wrong \ufffd');
    expect(read('Wrong \ufffd text')).toBe(first);
    const second = read('Right text');
    expect(second).not.toBe(first);
    expect(outline(second)).toEqual(outlineOf('Right text'));
  });
});

describe('spans', () => {
  it('marks beside letters that are written without blanks', () => {
    expect(spansOf('これは**「強調」**です')).toMatchObject([{}, { type: 'strong' }, { text: 'です' }]);
    expect(spansOf('第一行\n第二行')).toEqual([{ type: 'text', text: '第一行第二行' }]);
  });
  it('addresses in running text end where the sentence does', () => {
    const links = (spans: Inline[]): string[] =>
      spans.flatMap((s) => (s.type === 'link' ? [s.href] : 'children' in s ? links(s.children) : []));
    const hrefs = (text: string) => links(spansOf(text));
    expect(hrefs('See https://a.example/x_(y)_z. And (www.b.example), <https://c.example> or me@d.example!')).toEqual([
      'https://a.example/x_(y)_z',
      'http://www.b.example',
      'https://c.example',
      'mailto:me@d.example',
    ]);
    expect(hrefs('**https://a.example** `https://b.example` xhttp://c')).toEqual(['https://a.example']);
    expect(hrefs('见 https://a.example/b。然后')).toEqual(['https://a.example/b']);
  });
  it('a link lies in no other link', () => {
    const [link] = spansOf('[a https://b.example c](https://d.example)');
    expect(link).toEqual({
      type: 'link',
      href: 'https://d.example',
      title: null,
      children: [
        { type: 'text', text: 'a ' },
        { type: 'text', text: 'https://b.example c' },
      ],
    });
  });
  it.each([
    ['$x^2$', 'x^2', false],
    ['$$\\frac12$$', '\\frac12', true],
    ['\\(a+b\\)', 'a+b', false],
    ['so \\[a_1 = 2\\]', 'a_1 = 2', true],
    ['$n$', 'n', false],
    ['$3 \\times 4$', '3 \\times 4', false],
  ])('mathematics: %s', (text, formula, display) => {
    const [span] = spansOf(`in ${text} it`).filter((s) => s.type === 'math');
    expect(span).toEqual({ type: 'math', text: formula, display });
  });
  it.each([
    '$5 and $6',
    'from $5 to $10, or $7.50-$9',
    'it costs $5, or 6$ there',
    '$HOME/$USER and $PATH:$LD',
    'a\\[0\\] and \\[ \\] todo',
    'echo $(pwd)/$x',
    'f\\(x\\)',
    '$ 5 $',
    'US$5 vs. A$6',
    'one $ sign',
    '`$x$`',
  ])('money, shells and escaped brackets are text: %s', (text) =>
    expect(spansOf(text).filter((s) => s.type === 'math')).toEqual([]),
  );
  it('formulas as blocks, and what only began like one', () => {
    expect(blocksOf('where\n$$\na\n- b\n= c\n$$\nend')).toMatchObject([
      { type: 'paragraph' },
      { type: 'math', text: 'a\n- b\n= c' },
      { type: 'paragraph' },
    ]);
    expect(types('\\[\nx = 1\n\\]\n\n$$ y $$\n')).toEqual(['math', 'math']);
    expect(types('$$ is the pid\n\nmore')).toEqual(['paragraph', 'paragraph']);
    expect(types('$$x$$ is it')).toEqual(['paragraph']);
  });
});

describe('hostile texts', () => {
  it.each(hostileTexts(100_000))('are read in time that grows with their length alone: %s', (_, text) => {
    const start = performance.now();
    for (const open of [true, false]) {
      const seen = JSON.stringify(outline(documentOf(text), open));
      expect(seen.length).toBeGreaterThan(0);
      let [depth, deepest] = [0, 0];
      for (const char of seen) {
        depth += char === '{' ? 1 : char === '}' ? -1 : 0;
        deepest = Math.max(deepest, depth);
      }
      if (!text.includes('{')) expect(deepest).toBeLessThan(120);
    }
    // On a busy machine; with the square of these lengths it takes minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
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
  it.each([
    ['src/a.rs', 'src/a.rs', null, null],
    ['src/a.rs:12', 'src/a.rs', 12, null],
    ['a.rs:12:3', 'a.rs', 12, 3],
    ['./x/Makefile', './x/Makefile', null, null],
    ['/abs/b.test.ts#L7', '/abs/b.test.ts', 7, null],
    ['C:\\x\\a.cs(4,2)', 'C:\\x\\a.cs', 4, 2],
    ['.github/workflows/ci.yml', '.github/workflows/ci.yml', null, null],
  ])('of files in inline code: %s', (text, path, line, column) =>
    expect(fileNamed(text)).toEqual({ path, line, column }),
  );
  it.each([
    'and/or',
    'a.b',
    'std::fmt',
    'origin/main',
    'application/json',
    'https://a.example/x.js',
    'a b/c.rs',
    '12:30',
    'foo.com/a.html',
    'npm:x.js:3',
    '**/*.ts',
    'cat a/b.rs',
  ])('but no file: %s', (text) => expect(fileNamed(text)).toBeNull());
  it('of files in links', () => {
    expect(fileLinked('src/a%20b.rs#L3-L9')).toEqual({ path: 'src/a b.rs', line: 3, column: null });
    expect(fileLinked('file:///w/a.rs:4')).toEqual({ path: '/w/a.rs', line: 4, column: null });
    expect(fileLinked('a.rs:12')).toEqual({ path: 'a.rs', line: 12, column: null });
    for (const href of ['javascript:alert(1)', 'vbscript:x', '#here', '//host/x', 'data:text/html,x', 'a\u0000b'])
      expect(fileLinked(href)).toBeNull();
  });
  it('whose words look like another address say where they lead', () => {
    expect(disguised('https://bank.example', 'https://evil.example/x')).toBe('evil.example');
    expect(disguised('bank.example/login', 'https://www.bank.example/x')).toBeNull();
    expect(disguised('the page', 'https://evil.example/x')).toBeNull();
  });
});

it('decodes character references once', () => {
  expect(decode('a &lt;b&gt; &amp;lt; &#65;&#x42; &nope; &#0; &constructor;')).toBe(
    'a <b> &lt; AB &nope; \ufffd &constructor;',
  );
});
