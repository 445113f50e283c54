// A view made from parts of a journal, in any order. What an older part changes in a newer one (a call that began there, a
// text that goes on) comes out right because the view is made again from all that is loaded; how much that may be is
// bounded, so the cost of it is.
import type { Slice } from '../backend/history';
import type { Event } from '../bindings/bindings';
import { Held, standingAfter } from './journal';
import { dropFirst } from './places';
import type { Row } from './rows';
import type { Task } from './tasks';
import { apply, emptyView, type SessionView } from './view';

/** Rows that are held at the end of a session, and how many more there may be before the oldest are let go. */
export const ROWS = { kept: 4000, more: 1000 };
/** Events that are held, however few rows they make. */
const EVENTS = 24_000;
/** The rows that are on screen are held whatever there is. */
const FEWEST = 200;

type Span = Pick<Slice, 'standing' | 'from' | 'earlier' | 'later' | 'turns_before'>;

/** Makes the view anew from that part. What stands there holds, and makes no rows. */
export function openSlice(view: SessionView, slice: Slice): void {
  const shape = view.shape + 1;
  Object.assign(view, fold(slice, slice.events), { shape });
}

/** Puts what came before the loaded part in its place. */
export function prependSlice(view: SessionView, slice: Slice): void {
  const rest = view.held.events.filter((event) => event.seq >= view.from);
  const fresh = fold({ ...slice, later: view.later }, [...slice.events.filter((e) => e.seq < view.from), ...rest]);
  Object.assign(view, fresh, {
    shape: view.shape + 1,
    lastSeq: Math.max(view.lastSeq, fresh.lastSeq),
    // What a slice does not tell of was heard all the same.
    log: view.log,
    returned: view.returned,
    turns: [...view.turns.filter((turn) => turn.number <= fresh.turnsBefore), ...fresh.turns],
    tasks: older(view.tasks, fresh.tasks),
    limits: older(view.limits, fresh.limits),
  });
}

/** Goes on with what comes behind the loaded part. */
export function appendSlice(view: SessionView, slice: Slice): void {
  for (const event of slice.events) apply(view, event);
  view.later = slice.later;
}

/** A view of its own of what is loaded, up to that number. */
export function copyOf(view: SessionView, before = Infinity): SessionView {
  const events = view.held.events.filter((event) => event.seq < before);
  return fold({ ...spanOf(view), later: true }, events);
}

/** What is loaded, as a slice. */
export function sliceOf(view: SessionView, before = Infinity): Slice {
  const events = view.held.events.filter((event) => event.seq < before);
  return { ...spanOf(view), events, through: Math.min(view.lastSeq, before - 1) };
}

/** Whether there is so much that the oldest can go. */
export function isLong(view: SessionView): boolean {
  return view.rows.length > ROWS.kept + ROWS.more || view.held.events.length > EVENTS;
}

/** Lets go of the oldest rows and of what they were made of; they can be loaded again. What holds goes on holding. */
export function trimTop(view: SessionView, keep = ROWS.kept): void {
  let count = Math.max(0, view.rows.length - keep);
  const events = view.held.events;
  if (events.length > EVENTS) {
    const since = events[events.length - EVENTS / 2]?.seq ?? 0;
    count = Math.max(
      count,
      view.rows.findIndex((row) => row.seq >= since),
    );
  }
  count = Math.min(count, view.rows.length - Math.min(FEWEST, keep));
  // A call of the turn that runs goes on in its row, unless the turn never ends.
  const turn = view.rows.findLastIndex((row) => row.kind === 'turn');
  const running = view.rows.findIndex(
    (row, at) => at > turn && row.kind === 'tool' && row.call.tool_status === 'running',
  );
  if (running >= 0 && running < count && view.rows.length < 2 * keep) count = running;
  for (let at = count; at < count + keep / 10 && at < view.rows.length; at++) {
    const row = view.rows[at];
    if (row?.kind !== 'prompt' || row.synthetic || row.behind !== undefined) continue;
    count = at;
    break;
  }
  const first = view.rows[count];
  if (count <= 0 || !first) return;
  const gone = dropFirst(view, count);
  const events_gone = view.held.dropBefore(first.seq);
  view.standing = standingAfter([...view.standing, ...events_gone]);
  view.turnsBefore += gone.filter((row) => row.kind === 'turn').length;
  view.from = first.seq;
  view.earlier = true;
  forget(view, gone);
}

function forget(view: SessionView, rows: Row[]): void {
  const calls = new Set<string>();
  const walk = (list: Row[]) => {
    for (const row of list) {
      if (row.kind !== 'tool') continue;
      calls.add(row.call.tool_call_id);
      walk(row.children);
    }
  };
  walk(rows);
  for (const call of calls) view.records.delete(call);
  for (const [pending, call] of view.asked) if (call !== null && calls.has(call)) view.asked.delete(pending);
}

function spanOf(view: SessionView): Span {
  const { standing, from, earlier, later, turnsBefore } = view;
  return { standing, from, earlier, later, turns_before: turnsBefore };
}

function fold(span: Span, events: readonly Event[]): SessionView {
  const view = emptyView();
  for (const event of span.standing) apply(view, event);
  Object.assign(view, {
    rows: [],
    places: new Map(),
    log: [],
    held: new Held(),
    returned: [],
    turns: [],
    turn: { ...view.turn, number: span.turns_before + 1 },
    turnsBefore: span.turns_before,
    standing: span.standing,
    from: span.from,
    lastSeq: span.from - 1,
    earlier: span.earlier,
    later: span.later,
  });
  for (const event of events) apply(view, event);
  return view;
}

/** What the newer map has, behind what only the older one knows. */
function older<V extends Task | object>(before: Map<string, V>, now: Map<string, V>): Map<string, V> {
  return new Map([...[...before].filter(([key]) => !now.has(key)), ...now]);
}
