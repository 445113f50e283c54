// A todo list as a person reads it: how far it is, what is being done now, what waits for what, and what is folded of a
// long one. Pure.
import type { TodoItem } from '../bindings/bindings';

export type Progress = {
  done: number;
  total: number;
  /** The first that is being worked on. */
  now: TodoItem | null;
  /** Everything is done, and there was something. */
  over: boolean;
};

/** What was taken off the list is not on it. */
export function listed(items: TodoItem[]): TodoItem[] {
  return items.filter((item) => item.status !== 'deleted');
}

export function progressOf(items: TodoItem[]): Progress {
  const all = listed(items);
  const done = all.filter((item) => item.status === 'completed').length;
  return {
    done,
    total: all.length,
    now: all.find((item) => item.status === 'in_progress') ?? null,
    over: all.length > 0 && done === all.length,
  };
}

function keyOf(item: TodoItem, at: number): string {
  return item.id ?? `at ${at}`;
}

/** What it says: while it is worked on, what is being done. */
export function wordsOf(item: TodoItem): string {
  const first = item.status === 'in_progress' ? item.active_form : item.description;
  return first || item.description || item.active_form || `Number ${item.id ?? '?'}`;
}

/** Those that have to be done before it and are not: by name where they are on the list. */
export function waitsFor(item: TodoItem, items: TodoItem[]): string[] {
  if (item.status === 'completed') return [];
  return (item.blocked_by ?? []).flatMap((id) => {
    const other = items.find((one) => one.id === id);
    if (!other) return [`number ${id}`];
    return other.status === 'completed' || other.status === 'deleted' ? [] : [other.description || `number ${id}`];
  });
}

export type TodoLine =
  { kind: 'item'; key: string; item: TodoItem } | { kind: 'fold'; key: string; count: number; done: boolean };

/** A list that is longer than this folds. */
const LONG = 12;
/** So many in a row that are done make one line; of what is still to be done, all behind so many. */
const DONE = 3;
const NEXT = 8;
/** What one fold opens at most. */
const MOST = 200;

export function todoLines(items: TodoItem[], opened: ReadonlySet<string>): TodoLine[] {
  const all = listed(items).map((item, at) => ({ kind: 'item' as const, key: keyOf(item, at), item }));
  if (all.length <= LONG) return all;
  const lines: TodoLine[] = [];
  const fold = (rows: typeof all, done: boolean) => {
    for (let at = 0; at < rows.length; at += MOST) {
      const some = rows.slice(at, at + MOST);
      const key = `fold ${some[0]?.key}`;
      if (opened.has(key)) lines.push(...some);
      else lines.push({ kind: 'fold', key, count: some.length, done });
    }
  };
  for (let from = 0; from < all.length;) {
    const status = all[from]?.item.status ?? 'pending';
    let to = from + 1;
    while (to < all.length && (all[to]?.item.status ?? 'pending') === status) to++;
    const run = all.slice(from, to);
    if (status === 'completed' && run.length >= DONE) fold(run, true);
    else if (status !== 'completed' && run.length > NEXT + 2) {
      lines.push(...run.slice(0, NEXT));
      fold(run.slice(NEXT), false);
    } else lines.push(...run);
    from = to;
  }
  return lines;
}
