// What an outline is made of: its lines, the levels of nesting that they stand in, and runs of reads and searches.
import type { Row, ToolRow } from '../session/rows';
import { Glances } from './groups';
import { Line } from './lines';

/**
 * `group`: the line of a group, with its first member as row. `lost`: that a subagent has rows which are not held any more.
 * `end`: the summary behind a subagent's rows; the next one comes before it.
 */
export type EntryKind = 'row' | 'group' | 'lost' | 'end';

export class Entry extends Line<Entry> {
  /** Rises when it has to be drawn again. */
  rev = 0;
  run: Run | null = null;
  /** Its group may stand for it. */
  quiet = false;
  nested: Level | null = null;

  constructor(
    readonly key: string,
    readonly kind: EntryKind,
    readonly level: Level,
    /** Among the rows of its level. */
    readonly at: number,
    public row: Row,
  ) {
    super();
  }
}

/** The main thread, or an open subagent. */
export class Level {
  readonly entries: Entry[] = [];
  /** Calls among its rows. */
  calls = 0;
  /** The one that goes on at its end. */
  run: Run | null = null;
  end: Entry | null = null;
  readonly depth: number;

  constructor(readonly owner: Entry | null) {
    this.depth = owner === null ? 0 : owner.level.depth + 1;
  }
}

/** Consecutive reads and searches, however many. */
export class Run {
  readonly members: Entry[] = [];
  /** How many the group stands for. */
  quiet = 0;
  head: Entry | null = null;
  open = false;
  private counted: Glances | null = null;

  /** What they looked at. Counted as a whole for whoever asks first, and from then on as they come and go. */
  get glances(): Glances {
    if (this.counted) return this.counted;
    this.counted = new Glances();
    for (const { quiet, row } of this.members) if (quiet && row.kind === 'tool') this.counted.add(row);
    return this.counted;
  }

  /** The group may stand for that member, or not any more. */
  count(entry: Entry, quiet: boolean): void {
    if (entry.quiet === quiet || entry.row.kind !== 'tool') return;
    entry.quiet = quiet;
    this.quiet += quiet ? 1 : -1;
    if (quiet) this.counted?.add(entry.row);
    else this.counted?.remove(entry.row);
  }
}

export const groupKey = (member: Entry) => `g:${member.key}`;

/** The calls around a line, from the outermost on. */
export function around(entry: Entry): ToolRow[] {
  const calls: ToolRow[] = [];
  for (let { owner } = entry.level; owner; owner = owner.level.owner)
    if (owner.row.kind === 'tool') calls.unshift(owner.row);
  return calls;
}
