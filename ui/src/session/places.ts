// Where the rows of a view stand: in the timeline itself, or among the children of a tool row.
import type { Event } from '../bindings/bindings';
import type { Held } from './journal';
import type { NewRow, Row, ToolRow } from './rows';
import type { Task } from './tasks';

export type Place = { parent: string | null; at: number };

/** The part of a view that this file keeps. */
export type Places = {
  rows: Row[];
  places: Map<string, Place>;
  /** Rises when rows come to stand elsewhere than at the end. */
  shape: number;
  /** Rows that were replaced since whoever draws the view last looked. */
  touched: Set<string>;
  /** The journal has more before what is loaded. */
  earlier: boolean;
  held: Held;
  tasks: Map<string, Task>;
};

/** Rows of a subagent that are kept, and how many are left when there were more. */
const CHILDREN = { most: 5000, left: 4000 };
/** When nobody looks, so many changes are remembered one by one. */
const TOUCHED = 10_000;

/** The row of that key, wherever it stands. */
export function rowOf(view: Places, key: string): Row | undefined {
  const place = view.places.get(key);
  if (!place) return undefined;
  if (place.parent === null) return view.rows[place.at];
  const parent = rowOf(view, place.parent);
  return parent?.kind === 'tool' ? parent.children[place.at] : undefined;
}

/** The main-thread row in which that row lies: itself, or the outermost call around it. */
export function outermost(view: Places, key: string): string {
  let at = key;
  for (let place = view.places.get(at); place?.parent; place = view.places.get(at)) at = place.parent;
  return at;
}

export function append(view: Places, event: Event, made: NewRow): void {
  const row = { ...made, seq: event.seq } as Row;
  const parent = event.parent_tool_call_id ? `t${event.parent_tool_call_id}` : null;
  const known = parent === null ? undefined : rowOf(view, parent);
  const holder = known ?? (parent !== null && view.earlier ? standIn(view, event) : undefined);
  if (parent !== null && holder?.kind === 'tool') {
    holder.children.push(row);
    view.places.set(row.key, { parent, at: holder.children.length - 1 });
    const dropped = holder.children.length > CHILDREN.most ? shorten(view, holder) : 0;
    replace(view, { ...holder, dropped: holder.dropped + dropped, until: event.at });
    return;
  }
  view.rows.push(row);
  view.places.set(row.key, { parent: null, at: view.rows.length - 1 });
}

/** Puts a row among those of the main thread; it takes the number of the one that it stands before. */
export function insert(view: Places, at: number, event: Event, made: NewRow): void {
  const next = view.rows[at];
  if (!next) return append(view, event, made);
  view.rows.splice(at, 0, { ...made, seq: next.seq } as Row);
  for (let i = at; i < view.rows.length; i++) settle(view, i);
  view.shape += 1;
}

/** Lets go of the first rows of the main thread. */
export function dropFirst(view: Places, count: number): Row[] {
  const gone = view.rows.splice(0, count);
  const forget = (rows: Row[]) => {
    for (const row of rows) {
      view.places.delete(row.key);
      if (row.kind === 'tool') forget(row.children);
    }
  };
  forget(gone);
  for (let i = 0; i < view.rows.length; i++) settle(view, i);
  view.shape += 1;
  return gone;
}

function settle(view: Places, at: number): void {
  const row = view.rows[at];
  const place = row && view.places.get(row.key);
  if (place) place.at = at;
  else if (row) view.places.set(row.key, { parent: null, at });
}

/** What a subagent says whose call is in a part of the journal that is not loaded. */
function standIn(view: Places, event: Event): ToolRow {
  const id = event.parent_tool_call_id ?? '';
  const task = [...view.tasks.values()].find((one) => one.tool_use_id === id);
  const row: ToolRow = {
    kind: 'tool',
    key: `t${id}`,
    at: event.at,
    seq: event.seq,
    until: event.at,
    call: {
      tool_call_id: id,
      tool_name: 'Task',
      tool_title: task?.description ?? 'A subagent that was started earlier',
      tool_status: 'running',
      normalized: {
        kind: 'subagent_task',
        subagent_task: {
          description: task?.description ?? 'A subagent that was started earlier',
          prompt: task?.prompt ?? null,
          subagent_type: task?.subagent_type ?? null,
          status: null,
          agent_id: null,
          duration_ms: null,
          total_tokens: null,
          tool_use_count: null,
          output: null,
        },
      },
    },
    record: null,
    waiting: false,
    children: [],
    dropped: 0,
  };
  view.rows.push(row);
  view.places.set(row.key, { parent: null, at: view.rows.length - 1 });
  return row;
}

function shorten(view: Places, holder: ToolRow): number {
  const gone = holder.children.splice(0, holder.children.length - CHILDREN.left);
  for (const row of gone) view.places.delete(row.key);
  view.shape += 1;
  holder.children.forEach((row, at) => view.places.set(row.key, { parent: holder.key, at }));
  const first = holder.children[0]?.seq ?? 0;
  const id = holder.call.tool_call_id;
  view.held.drop((event) => event.parent_tool_call_id === id && event.seq < first);
  return gone.length;
}

/** Puts a new version of a row in its place, and new versions of the calls around it. */
export function replace(view: Places, row: Row): void {
  const place = view.places.get(row.key);
  if (!place) return;
  touch(view, row.key);
  if (place.parent === null) {
    view.rows[place.at] = row;
    return;
  }
  const holder = rowOf(view, place.parent);
  if (holder?.kind !== 'tool') return;
  holder.children[place.at] = row;
  replace(view, { ...holder });
}

function touch(view: Places, key: string): void {
  view.touched.add(key);
  if (view.touched.size <= TOUCHED) return;
  view.touched.clear();
  view.shape += 1;
}
