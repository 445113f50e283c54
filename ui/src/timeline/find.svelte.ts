// Finding words in the whole of one session, what is loaded of it and what is not: asks the backend, goes from place to place,
// and marks what is on screen.
import { tick } from 'svelte';
import type { SessionHit, SessionHits } from '../backend/find';
import type { Entry } from './entries';
import { paint, rangesIn, unpaint, wordsIn, type Words } from './marks';
import type { Pane } from './pane.svelte';

/** Typing that goes on asks nothing, in ms. */
const PAUSE = 100;
/** Rows that are asked for at once, and how many there may be in all. */
const PART = 500;
const MOST = 5000;

export type Asks = {
  find: (words: string, after: number, limit: number) => Promise<SessionHits>;
  /** Shows the session where that event stands. False: it could not be read, which was said. */
  show: (seq: number) => Promise<boolean>;
  why: (error: unknown) => string | null;
};

export class Find {
  open = $state(false);
  /** Rises when the field shall take the focus. */
  wanted = $state(0);
  words = $state('');
  rows = $state.raw<SessionHit[]>([]);
  /** The row that is looked at, among those that were found. */
  at = $state(-1);
  more = $state(false);
  asking = $state(false);
  indexing = $state(false);
  problem = $state<string | null>(null);
  /** The browser cannot mark words: rows are marked. */
  whole = $state(false);

  private typed: Words | null = null;
  private asked = '';
  private latest = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Among the marks in the row that is looked at. */
  private inRow = 0;

  constructor(
    private readonly pane: Pane,
    private readonly asks: Asks,
  ) {}

  start(): void {
    this.open = true;
    this.wanted += 1;
    const selected = window.getSelection()?.toString().trim() ?? '';
    if (selected !== '' && selected.length < 200 && !selected.includes('\n')) this.words = selected;
    if (this.words !== this.asked) this.type(this.words);
    this.mark();
  }

  close(): void {
    this.open = false;
    clearTimeout(this.timer);
    this.latest += 1;
    this.asking = false;
    this.asked = '';
    unpaint();
  }

  type(words: string): void {
    this.words = words;
    this.typed = wordsIn(words);
    clearTimeout(this.timer);
    this.latest += 1;
    if (this.typed === null) {
      Object.assign(this, {
        rows: [],
        at: -1,
        more: false,
        asking: false,
        indexing: false,
        problem: null,
        asked: words,
      });
      this.mark();
      return;
    }
    this.asking = true;
    const mine = this.latest;
    this.timer = setTimeout(() => void this.ask(words, mine), PAUSE);
  }

  /** The next place or the one before, round from the end to the start. */
  async step(back: boolean): Promise<void> {
    if (this.words !== this.asked) return;
    const entry = this.entry;
    const marks = entry ? this.marksIn(entry) : [];
    const next = this.inRow + (back ? -1 : 1);
    if (entry && next >= 0 && next < marks.length) {
      this.inRow = next;
      this.look(entry, marks[next]);
      return;
    }
    if (!back && this.at === this.rows.length - 1) await this.catchUp();
    if (this.rows.length === 0) return;
    await this.go((this.at + (back ? -1 : 1) + this.rows.length) % this.rows.length, back);
  }

  /** Marks what is on screen. */
  mark(): void {
    if (!this.open) return;
    const { typed } = this;
    if (typed === null) return unpaint();
    const { entry } = this;
    const all: Range[] = [];
    let now: Range | null = null;
    for (const item of this.pane.items) {
      const element = this.pane.elementOf(item.key);
      if (!element) continue;
      const ranges = rangesIn(element, typed);
      all.push(...ranges);
      if (item.entry === entry) now = ranges[Math.min(this.inRow, ranges.length - 1)] ?? null;
    }
    this.whole = !paint(all, now);
  }

  /** Whether the row has the words, for where the words cannot be marked. */
  isIn(key: string): boolean {
    const element = this.pane.elementOf(key);
    return element !== null && this.typed !== null && rangesIn(element, this.typed).length > 0;
  }

  private entry: Entry | null = null;

  private async ask(words: string, mine: number): Promise<void> {
    try {
      let rows: SessionHit[] = [];
      let after = 0;
      // The first place from what is read on; the last one where there is none behind it.
      const from = this.pane.from(false);
      Object.assign(this, { rows, at: -1, asked: '' });
      for (let more = true; more;) {
        const part = await this.asks.find(words.trim(), after, PART);
        if (mine !== this.latest) return;
        rows = [...rows, ...part.hits];
        // Where nothing further on was looked through, it would be asked for ever.
        more = part.more && part.through > after && rows.length < MOST;
        after = part.through;
        const at = this.asked === words ? this.at : rows.findIndex((row) => row.seq >= from);
        Object.assign(this, { rows, more: part.more, indexing: part.indexing, problem: null });
        if (this.asked === words || (at < 0 && more)) continue;
        this.asked = words;
        await this.go(at < 0 ? rows.length - 1 : at, false);
        if (mine !== this.latest) return;
      }
    } catch (error) {
      if (mine !== this.latest) return;
      Object.assign(this, { rows: [], at: -1, more: false, asked: words });
      this.problem = this.asks.why(error) ?? 'The search did not answer.';
    }
    this.asking = false;
  }

  /** What was said since stands behind what was found. */
  private async catchUp(): Promise<void> {
    const mine = this.latest;
    const last = this.rows.at(-1)?.seq ?? 0;
    const part = await this.asks.find(this.words.trim(), last, PART).catch(() => null);
    if (part && mine === this.latest && part.hits.length > 0)
      Object.assign(this, { rows: [...this.rows, ...part.hits], more: part.more });
  }

  private async go(at: number, back: boolean): Promise<void> {
    this.at = at;
    this.entry = null;
    const row = this.rows[at];
    if (!row) return this.mark();
    const mine = this.latest;
    if (!(await this.asks.show(row.seq))) return;
    await tick();
    // Whoever was faster went on to another one.
    if (mine !== this.latest || this.at !== at || !this.open) return;
    const entry = this.pane.pointAt(row.seq);
    this.entry = entry;
    if (!entry) return;
    await tick();
    let marks = this.marksIn(entry);
    // It stands in what is folded.
    if (marks.length === 0 && this.pane.elementOf(entry.key)?.querySelector('[aria-expanded="false"]')) {
      this.pane.fold(entry.key, true);
      await tick();
      marks = this.marksIn(entry);
    }
    this.inRow = back ? Math.max(0, marks.length - 1) : 0;
    this.look(entry, marks[this.inRow]);
  }

  private marksIn(entry: Entry): Range[] {
    const element = this.pane.elementOf(entry.key);
    return element && this.typed ? rangesIn(element, this.typed) : [];
  }

  private look(entry: Entry, mark: Range | undefined): void {
    const element = this.pane.elementOf(entry.key);
    if (mark && element && typeof mark.getBoundingClientRect === 'function')
      this.pane.showWithin(entry, mark.getBoundingClientRect().top - element.getBoundingClientRect().top);
    this.mark();
  }
}
