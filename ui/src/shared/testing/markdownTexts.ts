// For tests: messages, and ways to make them up.

export const documents: Record<string, string> = {
  prose: 'One *two* **three**\nfour\n\nFive `six`.\n\n# Seven\n\nEight\n',
  lists: '1. a\n\n2. b\n   - c\n   - d\n\n     more\n3. e\n\nAfter.\n\n- [ ] x\n- [x] y\n\n* other\n',
  fences:
    'Before\n\n```rust\nfn a() {}\n\n// ``` not the end\n```\n\n~~~\ntext\n~~~\nAfter\n\n````md\n```js\n1\n```\n````\n\nend\n',
  tables: 'A table\n\n| a | b |\n|---|:-:|\n| 1 | `|` |\n| 2 | x |\n\nAfter\n',
  quotes: '> a\nlazy\n\n> b\n> - c\n\nTitle\n=====\n\nrule\n\n---\n\n    indented\n\n    code\n\nend',
  links: 'See [one][1] and [two](https://b.example/x_y).\n\nText\n\n[1]: https://a.example "t"\n\nMore [one][1]\n',
  html: '<div>\n<script>alert(1)</script>\n\n</div>\n\ntext <b>bold</b> &lt;i&gt;\n',
  crlf: 'a\r\n\r\n```js\r\nlet x = 1\r\n```\r\n\r\nb\r\rc\r\n',
  math: 'Let $x$ be\n$$\na = b\n$$\nand \\(y\\), or\n\n$$ never\n\nclosed\n\n\\[ z_1 \\]\n',
  scripts: 'أعد **المحاولة** الآن\n\n第一行**「強調」**\n第二行\n\n👩‍👩‍👧 e\u0301\n',
};

export function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const SIGNS = [
  ...['\n', '\n', '\n', '\n\n', '\n\n', '\r\n', '\r', ' ', '  ', '    ', '\t', 'a', 'b c', 'word', '日本', '😀', 'é'],
  ...['- ', '* ', '+ ', '1. ', '2) ', '> ', '>', '# ', '### ', '```', '```ts\n', '~~~', '---', '===', '***', '- [ ] '],
  ...[
    '*',
    '**',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '[',
    ']',
    '](',
    ')',
    '![',
    '[x]',
    '[x]: ',
    'https://a.example/b',
    '<',
    '>',
  ],
  ...[
    '| ',
    '|',
    '|---|---|\n',
    '| a | b |\n',
    ':-:',
    '$',
    '$$',
    '$$\n',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '\\',
    '&amp;',
    '<div>',
  ],
  ...['<!-- ', '-->', '"', '(', '\0', 'www.x.example', 'me@a.example', '=', '{', '}', '^', '[^1]', '[^1]: '],
];

export function randomMarkdown(random: () => number): string {
  const count = 1 + Math.floor(random() * 60);
  return Array.from({ length: count }, () => SIGNS[Math.floor(random() * SIGNS.length)] ?? '').join('');
}

export function randomCuts(text: string, random: () => number, most = 12): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const to = at + 1 + Math.floor(random() * most);
    pieces.push(text.slice(at, to));
    at = to;
  }
  return pieces;
}
