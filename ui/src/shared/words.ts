// Which part of a changed line changed. Pure. Lines are paired within one run of removed and added lines, in order, by
// how much they share; a pair that shares too little is a replaced line and gets no marks.
import type { DiffLine } from './diff';

/** Half-open range of UTF-16 units. */
export type Range = [from: number, to: number];
/** Marks by index into the hunk's lines. */
export type Marks = Map<number, Range[]>;

/** Beyond these a mark costs more than it tells. */
const MAX_RUN = 40;
const MAX_TOKENS = 400;
/** UTF-16 units of a line. */
const MAX_LINE = 4000;
const ENOUGH = 0.5;

export function wordMarks(lines: DiffLine[]): Marks {
  const marks: Marks = new Map();
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.kind !== 'removed') {
      at++;
      continue;
    }
    const removed = at;
    while (lines[at]?.kind === 'removed') at++;
    const added = at;
    while (lines[at]?.kind === 'added') at++;
    const [olds, news] = [lines.slice(removed, added), lines.slice(added, at)];
    if (news.length === 0 || olds.length > MAX_RUN || news.length > MAX_RUN) continue;
    if ([...olds, ...news].some((line) => line.text.length > MAX_LINE)) continue;
    for (const [o, n] of pairs(olds, news)) {
      const changed = compare(olds[o]?.text ?? '', news[n]?.text ?? '');
      if (!changed) continue;
      if (changed.removed.length > 0) marks.set(removed + o, changed.removed);
      if (changed.added.length > 0) marks.set(added + n, changed.added);
    }
  }
  return marks;
}

/** Pairs of indexes, both rising, that together share the most. */
function pairs(olds: DiffLine[], news: DiffLine[]): [number, number][] {
  const rows = olds.length + 1;
  const cols = news.length + 1;
  const score: number[][] = Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
  const alike = olds.map((o) => news.map((n) => likeness(o.text, n.text)));
  for (let o = olds.length - 1; o >= 0; o--) {
    for (let n = news.length - 1; n >= 0; n--) {
      const take = (alike[o]?.[n] ?? 0) >= ENOUGH ? (alike[o]?.[n] ?? 0) + (score[o + 1]?.[n + 1] ?? 0) : 0;
      const row = score[o];
      if (row) row[n] = Math.max(take, score[o + 1]?.[n] ?? 0, row[n + 1] ?? 0);
    }
  }
  const found: [number, number][] = [];
  let [o, n] = [0, 0];
  while (o < olds.length && n < news.length) {
    const here = score[o]?.[n] ?? 0;
    const like = alike[o]?.[n] ?? 0;
    if (like >= ENOUGH && here === like + (score[o + 1]?.[n + 1] ?? 0)) found.push([o++, n++]);
    else if (here === (score[o + 1]?.[n] ?? 0)) o++;
    else n++;
  }
  return found;
}

/** Share of the longer line's words that the other has too, in any order: cheap, and good enough to pair by. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const count = new Map<string, number>();
  const [left, right] = [tokens(a).filter(isInk), tokens(b).filter(isInk)];
  const longer = Math.max(size(left), size(right));
  if (longer === 0) return 1;
  for (const token of left) count.set(token, (count.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of right) {
    const left = count.get(token) ?? 0;
    if (left > 0) {
      count.set(token, left - 1);
      shared += token.length;
    }
  }
  return shared / longer;
}

/** The parts of `before` and `after` that differ, or null if the lines share too little, or all. */
export function compare(before: string, after: string): { removed: Range[]; added: Range[] } | null {
  const [a, b] = [tokens(before), tokens(after)];
  if (a.length > MAX_TOKENS || b.length > MAX_TOKENS) return null;
  const kept = common(a, b);
  const keptInk = kept.reduce((n, [i]) => n + (isInk(a[i] ?? '') ? (a[i] ?? '').length : 0), 0);
  const ink = Math.min(size(a.filter(isInk)), size(b.filter(isInk)));
  if (ink === 0 || keptInk === 0 || keptInk / ink < ENOUGH) return null;
  const removed = outside(a, new Set(kept.map(([i]) => i)));
  const added = outside(b, new Set(kept.map(([, j]) => j)));
  return removed.length + added.length === 0 ? null : { removed, added };
}

function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
}
const isInk = (token: string) => /\S/.test(token);
const size = (list: string[]) => list.reduce((n, token) => n + token.length, 0);

/** Longest common subsequence as index pairs; what both begin and end with is taken off first. */
function common(a: string[], b: string[]): [number, number][] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [mid, other] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const width = other.length + 1;
  const table = new Uint16Array((mid.length + 1) * width);
  const cell = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = mid.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      table[i * width + j] = mid[i] === other[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const found: [number, number][] = [];
  for (let k = 0; k < head; k++) found.push([k, k]);
  let [i, j] = [0, 0];
  while (i < mid.length && j < other.length) {
    if (mid[i] === other[j]) found.push([head + i++, head + j++]);
    else if (cell(i + 1, j) >= cell(i, j + 1)) i++;
    else j++;
  }
  for (let k = tail; k > 0; k--) found.push([a.length - k, b.length - k]);
  return found;
}

/** Ranges of the tokens that are not kept; two that only blanks part become one. */
function outside(list: string[], kept: Set<number>): Range[] {
  const ranges: Range[] = [];
  let at = 0;
  let blanksOnly = false;
  list.forEach((token, index) => {
    const end = at + token.length;
    if (!kept.has(index)) {
      const last = ranges.at(-1);
      if (last && (last[1] === at || blanksOnly)) last[1] = end;
      else ranges.push([at, end]);
      blanksOnly = true;
    } else if (isInk(token)) {
      blanksOnly = false;
    }
    at = end;
  });
  return ranges;
}
