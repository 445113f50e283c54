// Two texts as a unified diff: the lines both have in the same order are context, the others are removed and added. Pure.
import { diffText } from './diffText';
import type { DiffLine, Hunk } from './diff';

/** Lines of context around what changed. */
const AROUND = 2;
/** Beyond so many comparisons what lies between the common ends is replaced as a whole. */
const MOST = 1_000_000;

/** Index pairs, both rising, of what both lists hold: the longest such row of them where that is worth its time. */
export function commonLines(old: readonly string[], now: readonly string[]): [number, number][] {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const pairs: [number, number][] = [];
  for (let i = 0; i < head; i++) pairs.push([i, i]);
  pairs.push(...between(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head));
  for (let k = tail; k > 0; k--) pairs.push([old.length - k, now.length - k]);
  return pairs;
}

function between(old: readonly string[], now: readonly string[], from: number): [number, number][] {
  const width = now.length + 1;
  if (old.length === 0 || now.length === 0 || (old.length + 1) * width > MOST) return [];
  const table = new Uint32Array((old.length + 1) * width);
  const cell = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      table[i * width + j] = old[i] === now[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) pairs.push([from + i++, from + j++]);
    else if (cell(i + 1, j) >= cell(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** `start`: the number of the first line in the file that both texts are a part of. */
export function lineDiff(before: string, after: string, start = 1, around = AROUND): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const all: DiffLine[] = [];
  const say = (kind: DiffLine['kind'], raw: string, o: number, n: number) => {
    const ended = raw.endsWith('\n');
    const text = ended ? raw.slice(0, -1) : raw;
    const crlf = text.endsWith('\r');
    all.push({
      kind,
      old: kind === 'added' ? null : start + o,
      new: kind === 'removed' ? null : start + n,
      text: crlf ? text.slice(0, -1) : text,
      crlf,
      noNewline: !ended,
    });
  };
  let [o, n] = [0, 0];
  for (const [a, b] of [...commonLines(old, now), [old.length, now.length] as const]) {
    while (o < a) say('removed', old[o] ?? '', o++, n);
    while (n < b) say('added', now[n] ?? '', o, n++);
    if (o < old.length && n < now.length) say('context', old[o] ?? '', o++, n++);
  }
  return diffText({ oldPath: null, newPath: null, hunks: hunksOf(all, around) });
}

/** Hunks out of a text's lines, each with so much of what surrounds it. Lines beyond are left out. */
export function hunksOf(lines: readonly (DiffLine | null)[], around = 3): Hunk[] {
  const near = new Uint8Array(lines.length);
  lines.forEach((line, i) => {
    if (line === null || line.kind === 'context') return;
    near[i] = 1;
    for (const by of [-1, 1]) {
      for (let k = 1, at = i + by; k <= around && lines[at]?.kind === 'context'; k++, at += by) near[at] = 1;
    }
  });
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  let [oldBefore, newBefore] = [0, 0];
  lines.forEach((line, i) => {
    if (line === null || !near[i]) {
      hunk = null;
      if (line) [oldBefore, newBefore] = [line.old ?? oldBefore, line.new ?? newBefore];
      return;
    }
    if (!hunk) {
      hunk = { oldStart: 0, newStart: 0, section: '', lines: [], added: 0, removed: 0 };
      hunks.push(hunk);
    }
    hunk.lines.push(line);
    if (line.kind === 'added') hunk.added++;
    if (line.kind === 'removed') hunk.removed++;
  });
  for (const one of hunks) {
    // Where a side has no line, its start is the line before.
    one.oldStart = one.lines.find((l) => l.old !== null)?.old ?? placeBefore(one, 'old', lines);
    one.newStart = one.lines.find((l) => l.new !== null)?.new ?? placeBefore(one, 'new', lines);
  }
  return hunks;
}

function placeBefore(hunk: Hunk, side: 'old' | 'new', lines: readonly (DiffLine | null)[]): number {
  const first = hunk.lines[0];
  let at = first ? lines.indexOf(first) - 1 : -1;
  while (at >= 0) {
    const number = lines[at]?.[side];
    if (number !== null && number !== undefined) return number;
    at--;
  }
  return 0;
}

/** Each with its line end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
