// A program's output by ranges of lines, however many there are: which are known and which are asked for, which are in
// sight, and where a word stands in one. Knows no DOM; whoever draws tells it what was scrolled and measured.
import {
  MOST_LINES,
  MOST_UNITS,
  type OutputHits,
  type OutputLine,
  type OutputPart,
  type OutputRun,
} from '../backend/outputs';

export type Ask = (from: number, count: number) => Promise<OutputPart>;

const PAGE = 100;
/** What is kept of what was read, in lines and in characters. */
const PAGES = 40;
const CHARS = 4_000_000;
/** A program may still rewrite as many lines at its end. */
const LOOSE = 500;
/** So many answers without anything new, and it is not asked how it goes on. */
const IDLE = 20;

type Page = { lines: (OutputLine | undefined)[]; chars: number; old: boolean };

/** Lines that are known already, or that are asked for when they come into sight. One question at a time. */
export class OutputLines {
  /** Null until the first answer. */
  total: number | null = null;
  bytes: number | null = null;
  done = false;
  /** Why there was no answer. Nothing is asked until `retry`. */
  problem: string | null = null;
  private readonly pages = new Map<number, Page>();
  private chars = 0;
  private asking = false;
  private closed = false;
  /** Answers in a row that brought nothing new. */
  private idle = 0;

  constructor(
    private readonly ask: Ask | null,
    private readonly changed: () => void,
  ) {}

  /** All there is. */
  static of(text: string): OutputLines {
    const all = new OutputLines(null, () => undefined);
    const lines = plainLines(text);
    all.take({ from: 0, lines, total: lines.length, bytes: text.length, done: true, problem: null }, true);
    return all;
  }

  /** How much of it is held, for tests of its bounds. */
  get held(): { pages: number; chars: number } {
    return { pages: this.pages.size, chars: this.chars };
  }

  get busy(): boolean {
    return this.asking;
  }

  line(at: number): OutputLine | undefined {
    return this.pages.get(Math.floor(at / PAGE))?.lines[at % PAGE];
  }

  /** Those lines are in sight (`to` is the first that is not; below 0 they are counted from the end). */
  want(from: number, to: number): void {
    if (this.ask === null || this.asking || this.closed || this.problem !== null) return;
    if (from < 0) {
      if (this.total === null) return this.question(from, -from);
      return this.want(Math.max(0, this.total + from), this.total);
    }
    if (this.total === null) return this.question(from, Math.min(MOST_LINES, to - from));
    const end = Math.min(to, this.total);
    let first = -1;
    let last = -1;
    for (let page = Math.floor(from / PAGE); page * PAGE < end; page++) {
      const known = this.pages.get(page);
      if (known) this.used(page, known);
      const [a, b] = [Math.max(from, page * PAGE), Math.min(end, (page + 1) * PAGE)];
      const missing = known === undefined || known.old ? 0 : this.missing(known, a - page * PAGE, b - page * PAGE);
      if (missing < 0) continue;
      if (first < 0) first = page * PAGE + missing;
      last = (page + 1) * PAGE;
    }
    if (first >= 0) this.question(first, Math.min(MOST_LINES, last - first));
  }

  /** Asks how it goes on. `count` lines at the end come with the answer. */
  again(count: number): void {
    if (this.ask === null || this.asking || this.closed) return;
    this.problem = null;
    this.question(-Math.min(MOST_LINES, count), count);
  }

  /** Not all of it was read so far: asks how many lines there are. Gives up where that comes to no end. */
  countOn(): void {
    if (this.ask === null || this.asking || this.closed || this.done || this.problem !== null) return;
    if (this.total === null || this.idle >= IDLE) return;
    this.question(0, 1);
  }

  retry(): void {
    this.problem = null;
    this.changed();
  }

  close(): void {
    this.closed = true;
  }

  /** What is known from before, until there is an answer. */
  seed(part: OutputPart): void {
    this.take(part, false);
  }

  /** The first line of the page that is not known, or below 0. */
  private missing(page: Page, from: number, to: number): number {
    for (let at = from; at < to; at++) if (page.lines[at] === undefined) return at;
    return -1;
  }

  private question(from: number, count: number): void {
    const { ask } = this;
    if (ask === null) return;
    this.asking = true;
    ask(from, count)
      .then((part) => {
        if (!this.closed) this.take(part, false);
      })
      .catch((error: unknown) => {
        const known = error !== null && typeof error === 'object' && 'message' in error;
        this.problem = `Not read: ${known ? String(error.message) : String(error)}`;
      })
      .finally(() => {
        this.asking = false;
        if (!this.closed) this.changed();
      });
  }

  private take(part: OutputPart, forGood: boolean): void {
    const before = this.total;
    // Less than there was: it is another one.
    if (before !== null && part.total < before - LOOSE) this.forget();
    if (before !== null && before !== part.total)
      for (const [at, page] of this.pages) if ((at + 1) * PAGE > before - LOOSE) page.old = true;
    this.idle = before === part.total ? this.idle + 1 : 0;
    this.total = part.total;
    this.bytes = part.bytes;
    this.done = part.done;
    this.problem = part.problem;
    // An answer without lines would be asked for again and again.
    if (part.lines.length === 0 && part.from < part.total)
      this.problem ??= 'There are more lines, and they could not be read.';
    for (const [at, page] of this.pages) {
      if (at * PAGE >= part.total) this.drop(at, page);
      else if (page.old && part.from < (at + 1) * PAGE && part.from + part.lines.length > at * PAGE)
        this.drop(at, page);
    }
    part.lines.forEach((line, i) => this.put(part.from + i, line));
    if (!forGood) this.shorten();
  }

  private put(at: number, line: OutputLine): void {
    const number = Math.floor(at / PAGE);
    let page = this.pages.get(number);
    if (page) this.used(number, page);
    else this.pages.set(number, (page = { lines: [], chars: 0, old: false }));
    const known = page.lines[at % PAGE];
    const more = sizeOf(line) - (known ? sizeOf(known) : 0);
    page.lines[at % PAGE] = line;
    page.chars += more;
    this.chars += more;
  }

  private used(at: number, page: Page): void {
    this.pages.delete(at);
    this.pages.set(at, page);
  }

  private shorten(): void {
    for (const [at, page] of this.pages) {
      // What was read last is in sight.
      if (this.pages.size <= 2 || (this.pages.size <= PAGES && this.chars <= CHARS)) return;
      this.drop(at, page);
    }
  }

  private drop(at: number, page: Page): void {
    this.pages.delete(at);
    this.chars -= page.chars;
  }

  private forget(): void {
    this.pages.clear();
    this.chars = 0;
  }
}

function sizeOf(line: OutputLine): number {
  return line.runs.reduce((n, run) => n + (run.text?.length ?? 0), 0);
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/;

/** Nothing in it is for a terminal: it reads as it stands. */
export function isPlain(text: string): boolean {
  return !CONTROL.test(text);
}

const ESCAPES =
  // eslint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^]*?(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?=\n)/g;

/** A text in lines, what is for a terminal left out. A last line end opens no further line. */
export function plainLines(text: string): OutputLine[] {
  if (text === '') return [];
  const lines = text.replace(ESCAPES, '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => {
    if (line.length <= MOST_UNITS) return { runs: line === '' ? [] : [{ text: line }] };
    const last = line.charCodeAt(MOST_UNITS - 1);
    // Not through the middle of a surrogate pair.
    const kept = last >= 0xd800 && last <= 0xdbff ? MOST_UNITS - 1 : MOST_UNITS;
    return { runs: [{ text: line.slice(0, kept) }], cut: line.length - kept };
  });
}

export function textOfLine(line: OutputLine): string {
  return line.runs.map((run) => run.text ?? '').join('');
}

/** How many lines a text has, at most `most`: for the room it will take before it is read. */
export function lineCount(text: string, most: number): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines < most; at = text.indexOf('\n', at + 1)) lines++;
  return Math.min(lines, most);
}

/** Finds literal words in lines that are known. */
export function findIn(lines: OutputLines, words: string, limit: number): OutputHits {
  const wanted = pattern(words);
  const found: number[] = [];
  if (wanted === null) return { lines: found, total: 0, more: false };
  for (let at = 0; at < (lines.total ?? 0); at++) {
    const line = lines.line(at);
    if (line && textOfLine(line).search(wanted) >= 0) found.push(at);
  }
  return { lines: found.slice(0, limit), total: found.length, more: found.length > limit };
}

export type Piece = { text: string; run: OutputRun; hit: boolean };

/** A line's runs, cut where the words begin and end. */
export function pieces(line: OutputLine, words: string): Piece[] {
  const wanted = pattern(words);
  if (wanted === null) return line.runs.map((run) => ({ text: run.text ?? '', run, hit: false }));
  const hits = [...textOfLine(line).matchAll(wanted)].map((one) => [one.index, one.index + one[0].length] as const);
  const made: Piece[] = [];
  let start = 0;
  for (const run of line.runs) {
    const text = run.text ?? '';
    const end = start + text.length;
    let at = start;
    const push = (to: number, hit: boolean) => {
      if (to > at) made.push({ text: text.slice(at - start, to - start), run, hit });
      at = Math.max(at, to);
    };
    for (const [from, to] of hits) {
      if (to <= at || from >= end) continue;
      push(Math.max(at, from), false);
      push(Math.min(end, to), true);
    }
    push(end, false);
    start = end;
  }
  return made;
}

function pattern(words: string): RegExp | null {
  return words === '' ? null : new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
}
