// Marks words where they stand in the page, without touching it: ranges over its texts, drawn by the browser (CSS Custom
// Highlight API). Where a browser has no such thing, rows are marked whole.

/** Of one row so much is looked through, in characters. */
const MOST_TEXT = 400_000;
const MOST_RANGES = 2000;

export type Words = RegExp;

/** Words as they were typed, however they are spaced; null for none. */
export function wordsIn(typed: string): Words | null {
  const words = typed.trim().split(/\s+/).filter(Boolean);
  return words.length === 0 ? null : new RegExp(words.map(escaped).join('\\s+'), 'giu');
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');

/** Where the words stand in that element, across its texts. */
export function rangesIn(root: Element, words: Words): Range[] {
  const texts: { node: Text; from: number }[] = [];
  let all = '';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && all.length < MOST_TEXT; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.data === '' || node.parentElement?.closest('.sr')) continue;
    // What stands in two blocks is not one word.
    const last = texts.at(-1)?.node;
    if (last && blockOf(last) !== blockOf(node)) all += '\n';
    texts.push({ node, from: all.length });
    all += node.data;
  }
  const ranges: Range[] = [];
  for (const match of all.matchAll(words)) {
    const range = rangeOf(texts, match.index, match.index + match[0].length);
    if (range) ranges.push(range);
    if (ranges.length === MOST_RANGES) break;
  }
  return ranges;
}

const BLOCKS = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, div, article, button';

function blockOf(node: Text): Element | null {
  return node.parentElement?.closest(BLOCKS) ?? null;
}

function rangeOf(texts: { node: Text; from: number }[], start: number, end: number): Range | null {
  const range = document.createRange();
  const [first, last] = [textAt(texts, start), textAt(texts, end - 1)];
  if (!first || !last) return null;
  range.setStart(first.node, Math.min(start - first.from, first.node.length));
  range.setEnd(last.node, Math.min(end - last.from, last.node.length));
  return range;
}

function textAt(texts: { node: Text; from: number }[], at: number): { node: Text; from: number } | undefined {
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle]?.from ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return texts[low - 1];
}

const canHighlight = typeof CSS !== 'undefined' && 'highlights' in CSS && typeof Highlight !== 'undefined';

/** Draws the marks of what is found, and of the one that is looked at. False: this browser cannot. */
export function paint(found: Range[], now: Range | null): boolean {
  if (!canHighlight) return false;
  CSS.highlights.set('found', new Highlight(...found));
  CSS.highlights.set('found-now', new Highlight(...(now ? [now] : [])));
  return true;
}

export function unpaint(): void {
  if (!canHighlight) return;
  CSS.highlights.delete('found');
  CSS.highlights.delete('found-now');
}
