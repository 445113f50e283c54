// What a piece of a streaming answer costs, whatever the size of the answer: `npm run ui:bench`. Prints medians and ratios; fails
// only where a ratio is missed by far, as this machine may be busy with other things.
import { expect, it } from 'vitest';
import { Pieces } from '../session/text';
import { type Block, documentFor, type MarkdownDocument, type Tree } from './markdown';

const words = 'A line of *some* words with `code` in it, [a link](https://a.example) and more.';
const kinds: Record<string, (n: number) => string> = {
  'an answer': (n) =>
    [`## Part ${n}\n\n`, `${words} ${words}\n\n`, `- ${words}\n- ${words}\n\n`, `\`\`\`ts\nlet a = ${n};\n\`\`\`\n\n`][
      n % 4
    ] ?? '',
  'one paragraph': () => `${words} `,
  'one list': () => `- ${words}\n`,
  'one table': (n) => (n === 0 ? '| a | b |\n|---|---|\n' : `| ${words} | b |\n`),
  'one open code block': (n) => (n === 0 ? '```ts\n' : `${words}\n`),
  'one quotation': () => `> ${words}\n`,
};
const SIZES = [10_000, 100_000, 1_000_000];

/** What a view does at each piece: reads what is new, and draws the last block. */
function step(pieces: Pieces, piece: string): MarkdownDocument {
  pieces.push(piece);
  const doc = documentFor(pieces);
  drawLast(doc, doc.view(true));
  return doc;
}

function drawLast(doc: MarkdownDocument, tree: Tree<Block>): void {
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

const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;

it.each(Object.keys(kinds))('%s', (kind) => {
  const make = kinds[kind];
  if (!make) throw new Error(kind);
  // Warm first, so that the small sizes are not measured cold.
  for (let n = 0, warm = new Pieces(); n < 2000; n++) step(warm, make(n));
  const costs = SIZES.map((size) => {
    const pieces = new Pieces();
    let n = 0;
    for (; pieces.length < size; n++) pieces.push(make(n));
    let doc = step(pieces, 'x');
    const before = doc.cost.lines + doc.cost.spans;
    const times: number[] = [];
    // Pieces of four characters, as they come.
    const rest =
      Array.from({ length: 60 }, (_, i) => make(n + i))
        .join('')
        .match(/[\s\S]{1,4}/g) ?? [];
    for (const piece of rest.slice(0, 1000)) {
      const start = performance.now();
      doc = step(pieces, piece);
      times.push(performance.now() - start);
    }
    const read = (doc.cost.lines + doc.cost.spans - before) / times.length;
    return { time: median(times), read };
  });
  const [small, , large] = costs;
  const line = costs.map(
    (c, i) => `${(SIZES[i] ?? 0) / 1000} kB ${(c.time * 1000).toFixed(1)} µs, ${c.read.toFixed(0)} read`,
  );
  const ratio = (large?.time ?? 0) / (small?.time || 1);
  process.stdout.write(`${kind}: ${line.join('; ')}; 1 MB : 10 kB = ${ratio.toFixed(2)}\n`);
  expect(ratio).toBeLessThan(5);
});

it('reading a whole message grows with its length alone', () => {
  const times = SIZES.map((size) => {
    let text = '';
    for (let n = 0; text.length < size; n++) text += kinds['an answer']?.(n) ?? '';
    const rounds = Array.from({ length: 7 }, () => {
      const pieces = new Pieces();
      pieces.push(text);
      const start = performance.now();
      documentFor(pieces).view(false);
      return performance.now() - start;
    });
    return median(rounds);
  });
  process.stdout.write(
    `whole: ${times.map((t, i) => `${(SIZES[i] ?? 0) / 1000} kB ${t.toFixed(2)} ms`).join('; ')}; 1 MB : 100 kB = ${((times[2] ?? 0) / (times[1] || 1)).toFixed(1)}\n`,
  );
  expect((times[2] ?? 0) / (times[1] || 1)).toBeLessThan(100);
});
