// What stands in the timeline, line by line: the rows of a session with those of open subagents behind their call, at any
// depth, and groups of reads and searches in place of their members. Follows a view change by change; only what changes the
// shape of a view makes it anew. Knows no DOM.
import { rowOf } from '../session/places';
import type { Row } from '../session/rows';
import type { SessionView } from '../session/view';
import { isLeftOut, opensByItself } from './folds';
import { FEWEST, isGlance, mayHide } from './groups';
import { guessHeight } from './guess';
import { Entry, groupKey, Level, Run } from './entries';
import { Lines } from './lines';

export class Outline {
  lines = new Lines<Entry>();
  /** What people asked in the main thread. */
  prompts: Entry[] = [];
  /** Rows of the main thread that have come since it was first made. */
  came = 0;
  private view: SessionView | null = null;
  private shape = -1;
  private calm = false;
  private stale = false;
  private entries = new Map<string, Entry>();
  private main = new Level(null);
  private lastSeq = -1;
  /** The entry that has the focus does not hide. */
  private focused: string | null = null;
  private building = false;

  /** What to do before a line goes away: whoever holds on to it takes another one. */
  leaving: (entry: Entry) => void = () => undefined;

  /** `folds`: which rows and groups a person opened or closed, by key. */
  constructor(private readonly folds: Map<string, boolean>) {}

  entry(key: string | null): Entry | undefined {
    return key === null ? undefined : this.entries.get(key);
  }

  /** Whether it has to be made anew to show that view. */
  isOther(view: SessionView, calm: boolean): boolean {
    return this.stale || this.view !== view || this.shape !== view.shape || this.calm !== calm;
  }

  /** Makes it anew of all that is loaded; what was measured of a line stays known. */
  reset(view: SessionView, calm: boolean): void {
    const before = this.entries;
    if (this.view === view) this.came += view.rows.filter((row) => row.seq > this.lastSeq).length;
    this.lines = new Lines();
    this.entries = new Map();
    this.main = new Level(null);
    this.prompts = [];
    Object.assign(this, { view, calm, shape: view.shape, stale: false, building: true });
    view.touched.clear();
    const listed: Entry[] = [];
    this.take(this.main, (entry) => listed.push(entry));
    this.building = false;
    for (const entry of listed) {
      const was = before.get(entry.key);
      if (was?.measured) Object.assign(entry, { height: was.height, measured: true });
    }
    this.lines.build(listed);
    this.lastSeq = view.rows.at(-1)?.seq ?? -1;
  }

  /** Takes in what has changed since. It may turn out that it has to be made anew. */
  sync(): void {
    const { view } = this;
    if (view === null) return;
    for (const key of view.touched) this.renew(key, view);
    view.touched.clear();
    const before = this.main.entries.length;
    this.take(this.main);
    this.came += this.main.entries.length - before;
    this.lastSeq = view.rows.at(-1)?.seq ?? this.lastSeq;
  }

  isOpen(entry: Entry): boolean {
    if (entry.kind === 'group') return entry.run?.open === true;
    return this.folds.get(entry.row.key) ?? opensByItself(entry.row, this.calm);
  }

  /** Opens or closes it, and what it stands for. */
  fold(entry: Entry, open: boolean): void {
    const { folds } = this;
    if (entry.kind === 'group' && entry.run) {
      // Any member's word opens it, so that it stays open when others come before them.
      for (const member of entry.run.members) folds.delete(groupKey(member));
      folds.set(entry.key, open);
      entry.run.open = open;
      this.arrange(entry.run);
    } else {
      folds.set(entry.row.key, open);
      if (entry.row.kind === 'try') this.stale = true;
      if (entry.run) this.settle(entry.run, entry);
      this.nest(entry);
    }
    entry.rev += 1;
  }

  /** Opens all that hides the row at the end of that path. The outline is made anew before the row is in it. */
  reveal(path: readonly string[], behind: string | undefined): void {
    const { folds } = this;
    for (const key of path.slice(0, -1)) folds.set(key, true);
    if (behind !== undefined) folds.set(behind, true);
    if (behind !== undefined || path.some((key) => !this.entries.get(key)?.listed)) this.stale = true;
  }

  /** The entry of a row, out of its group if that is closed. */
  find(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry && !entry.listed && entry.run?.head) this.fold(entry.run.head, true);
    return entry?.listed ? entry : undefined;
  }

  /** The entry with that key keeps its line while it has the focus. */
  focus(key: string | null): void {
    if (key === this.focused) return;
    const was = this.focused;
    this.focused = key;
    for (const one of [was, key]) {
      const entry = this.entry(one);
      if (entry?.run && entry.kind === 'row') this.settle(entry.run, entry);
    }
  }

  private rowsOf(level: Level): readonly Row[] {
    if (level.owner === null) return this.view?.rows ?? [];
    return level.owner.row.kind === 'tool' ? level.owner.row.children : [];
  }

  /** Takes in the rows at the end of a level. `put`: where its lines go while the whole is made. */
  private take(level: Level, put: (entry: Entry) => void = () => undefined): void {
    const rows = this.rowsOf(level);
    const from = level.entries.length;
    for (let at = from; at < rows.length; at++) {
      const row = rows[at];
      if (row) this.admit(level, at, row);
    }
    for (let at = from; at < level.entries.length; at++) {
      const entry = level.entries[at];
      if (!entry) continue;
      if (this.building) this.emit(entry, put);
      else this.show(entry);
    }
  }

  private admit(level: Level, at: number, row: Row): void {
    const entry = new Entry(row.key, 'row', level, at, row);
    level.entries.push(entry);
    this.entries.set(row.key, entry);
    if (row.kind === 'tool') level.calls += 1;
    if (this.isOut(row)) return;
    entry.height = guessHeight(row, this.isOpen(entry));
    if (isGlance(row)) {
      const run = (level.run ??= new Run());
      entry.run = run;
      run.members.push(entry);
      run.open ||= this.folds.get(groupKey(entry)) === true;
      // Later ones are counted when they are shown.
      if (this.building) this.count(run, entry);
    } else level.run = null;
    if (level.owner === null && row.kind === 'prompt' && !row.synthetic && row.behind === undefined)
      this.prompts.push(entry);
  }

  /** Puts a line into the whole that is being made, with those that belong to it. */
  private emit(entry: Entry, put: (entry: Entry) => void): void {
    if (this.isOut(entry.row)) return;
    const { run } = entry;
    if (run && run.members[0] === entry && run.quiet >= FEWEST) put((run.head = this.headOf(run)));
    if (run && !this.stands(run, entry)) return;
    put(entry);
    if (!this.nests(entry)) return;
    const level = (entry.nested = new Level(entry));
    this.edges(level, put);
    this.take(level, put);
    if (level.end) put(level.end);
  }

  /** Puts a row that has come into the list. */
  private show(entry: Entry): void {
    if (this.isOut(entry.row)) return;
    if (entry.run) this.settle(entry.run, entry);
    else {
      this.lines.insert(entry, entry.level.end);
      this.nest(entry);
    }
  }

  private renew(key: string, view: SessionView): void {
    const entry = this.entries.get(key);
    const row = rowOf(view, key);
    if (!entry || !row || row === entry.row) return;
    const { run, row: was } = entry;
    if (this.isOut(was) !== this.isOut(row) || (run !== null) !== (isGlance(row) && !this.isOut(row))) {
      this.stale = true;
      return;
    }
    run?.count(entry, false);
    entry.row = row;
    entry.rev += 1;
    if (run) this.settle(run, entry);
    this.nest(entry);
  }

  /** Whether the group stands for it, as it is now. */
  private count(run: Run, entry: Entry): void {
    const { row } = entry;
    if (row.kind !== 'tool') return;
    run.count(entry, mayHide(row) && this.focused !== entry.key && this.folds.get(entry.key) !== true);
  }

  /** One member is another than it was: only where that makes or ends the group do the others move. */
  private settle(run: Run, entry: Entry): void {
    this.count(run, entry);
    const grouped = run.quiet >= FEWEST;
    if (grouped !== (run.head !== null)) return this.arrange(run);
    if (run.head) run.head.rev += 1;
    const stands = this.stands(run, entry);
    if (stands && !entry.listed) this.lines.insert(entry, this.behind(entry));
    else if (!stands) this.unlist(entry);
  }

  /** Puts each member of a run where it belongs. */
  private arrange(run: Run): void {
    const last = run.members.at(-1);
    if (!last) return;
    if (run.head && run.quiet < FEWEST) {
      this.unlist(run.head);
      this.entries.delete(run.head.key);
      run.head = null;
    } else if (!run.head && run.quiet >= FEWEST) run.head = this.headOf(run);
    let next = this.behind(last);
    // The head first, so that what is seen finds it when members go.
    if (run.head) {
      run.head.rev += 1;
      if (!run.head.listed) this.lines.insert(run.head, run.members.find((member) => member.listed) ?? next);
    }
    for (let at = run.members.length - 1; at >= 0; at--) {
      const member = run.members[at];
      if (!member) continue;
      if (!this.stands(run, member)) this.unlist(member);
      else if (!member.listed) this.lines.insert(member, next);
      if (member.listed) next = member;
    }
  }

  private stands(run: Run, entry: Entry): boolean {
    return run.head === null || run.open || !entry.quiet;
  }

  private headOf(run: Run): Entry {
    const first = run.members[0] as Entry;
    const head = new Entry(groupKey(first), 'group', first.level, first.at, first.row);
    head.run = run;
    head.height = 28;
    this.entries.set(head.key, head);
    return head;
  }

  /** The line before which a row of a level belongs. */
  private behind(entry: Entry): Entry | null {
    const { entries, end } = entry.level;
    for (let at = entry.at + 1; at < entries.length; at++) {
      const next = entries[at];
      if (next?.run && next.run !== entry.run && next.run.head?.listed) return next.run.head;
      if (next?.listed) return next;
    }
    return end;
  }

  private nests(entry: Entry): boolean {
    const { row } = entry;
    return entry.kind === 'row' && row.kind === 'tool' && row.children.length > 0 && this.isOpen(entry);
  }

  /** Shows or hides what is nested in a call, and takes in what has come there. */
  private nest(entry: Entry): void {
    if (!entry.listed || !this.nests(entry)) return this.clear(entry);
    if (entry.nested === null) {
      const level = (entry.nested = new Level(entry));
      const next = this.lines.next(entry);
      this.edges(level, (line) => this.lines.insert(line, next));
      if (level.end) this.lines.insert(level.end, next);
    }
    const { end } = entry.nested;
    if (end) {
      end.row = entry.row;
      end.rev += 1;
    }
    this.take(entry.nested);
  }

  /** What stands around the rows of a subagent, whatever they are. */
  private edges(level: Level, put: (entry: Entry) => void): void {
    const { owner } = level;
    if (owner?.row.kind !== 'tool') return;
    const { key, row } = owner;
    if (row.dropped > 0) {
      const lost = new Entry(`l:${key}`, 'lost', level, -1, row);
      lost.height = 24;
      this.entries.set(lost.key, lost);
      put(lost);
    }
    level.end = new Entry(`z:${key}`, 'end', level, Infinity, row);
    level.end.height = 28;
    this.entries.set(level.end.key, level.end);
  }

  private clear(entry: Entry): void {
    const level = entry.nested;
    if (!level) return;
    entry.nested = null;
    for (let line = this.lines.next(entry); line !== null; line = this.lines.next(entry)) {
      this.unlist(line);
      if (line === level.end) break;
    }
    this.forget(level, entry.key);
  }

  private forget(level: Level, owner: string): void {
    for (const one of level.entries) {
      this.entries.delete(one.key);
      if (one.run?.head) this.entries.delete(one.run.head.key);
      if (one.nested) this.forget(one.nested, one.key);
    }
    this.entries.delete(`l:${owner}`);
    this.entries.delete(`z:${owner}`);
  }

  private unlist(entry: Entry): void {
    if (!entry.listed) return;
    this.clear(entry);
    this.leaving(entry);
    this.lines.remove(entry);
  }

  private isOut(row: Row): boolean {
    return isLeftOut(row, this.calm, this.folds);
  }
}
