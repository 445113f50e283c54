// Consecutive reads and searches: which calls those are, which of them never hide, and what a group of them says. Pure.
import type { Row, ToolRow } from '../session/rows';
import { plural } from '../shared/time';

/** So many that could hide make a group. */
export const FEWEST = 2;

/** A call that only looks. */
export function isGlance(row: Row): row is ToolRow {
  if (row.kind !== 'tool' || row.children.length > 0) return false;
  const { kind } = row.call.normalized;
  return kind === 'read_file' || kind === 'code_search';
}

/** Done, and nothing to be told of it: a group may stand for it. */
export function mayHide(row: ToolRow): boolean {
  return row.call.tool_status === 'complete' && !row.waiting && row.record?.behavior !== 'deny';
}

/** What the calls of a group looked at, counted as they come and go. */
export class Glances {
  private searches = 0;
  private readonly files = new Map<string, number>();

  add(row: ToolRow): void {
    this.count(row, 1);
  }

  remove(row: ToolRow): void {
    this.count(row, -1);
  }

  private count({ call: { normalized } }: ToolRow, by: number): void {
    if (normalized.kind !== 'read_file') {
      this.searches += by;
      return;
    }
    const path = normalized.read_file.file_path;
    const now = (this.files.get(path) ?? 0) + by;
    if (now > 0) this.files.set(path, now);
    else this.files.delete(path);
  }

  /** "Read 4 files, searched 2 times". */
  get words(): string {
    const read = this.files.size > 0 ? `read ${plural(this.files.size, 'file')}` : null;
    const times = this.searches === 1 ? 'searched once' : `searched ${this.searches} times`;
    const said = [read, this.searches > 0 ? times : null].filter((one) => one !== null).join(', ');
    return said.charAt(0).toUpperCase() + said.slice(1);
  }

  /** The names of the first files, for a line of text. */
  get names(): string {
    const names: string[] = [];
    for (const path of this.files.keys()) {
      if (names.length === 5) return `${names.join(', ')} …`;
      names.push(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1));
    }
    return names.join(', ');
  }
}
