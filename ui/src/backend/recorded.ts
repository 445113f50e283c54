// Slices of a journal that is wholly in memory, as the store cuts them from its tables: for the replayed backend and for
// tests of whatever is made from slices.
import type { Event } from '../bindings/bindings';
import { standingAfter, throughOf } from '../session/journal';
import type { Slice } from './history';

/** At least `rows` events before that number, from a prompt of the main thread on where one is near. */
export function sliceBefore(events: readonly Event[], before: number, rows: number): Slice {
  const end = indexOf(events, before);
  return cut(events, startOf(events, end, rows), end);
}

export function sliceAfter(events: readonly Event[], after: number, rows: number): Slice {
  const start = indexOf(events, after + 1);
  return cut(events, start, Math.min(events.length, start + rows));
}

export function sliceAround(events: readonly Event[], seq: number, rows: number): Slice {
  const at = indexOf(events, seq + 1);
  const end = Math.min(events.length, at + Math.floor(rows / 2));
  return cut(events, startOf(events, Math.max(0, at - 1), Math.ceil(rows / 2)), end);
}

export function sliceAtEnd(events: readonly Event[], rows: number): Slice {
  return sliceBefore(events, Infinity, rows);
}

/** The events from one place of the list to another, whatever stands there. */
export function cut(events: readonly Event[], start: number, end: number): Slice {
  const inside = events.slice(start, end);
  const before = events.slice(0, start);
  const [first, last] = [inside[0], inside.at(-1)];
  const from = first?.seq ?? (before.at(-1) ? throughOf(before.at(-1) as Event) + 1 : 1);
  return {
    standing: standingAfter(before),
    events: inside,
    from,
    through: last ? throughOf(last) : from - 1,
    earlier: start > 0,
    later: end < events.length,
    turns_before: before.filter((event) => event.type === 'complete').length,
  };
}

function startOf(events: readonly Event[], end: number, rows: number): number {
  const start = Math.max(0, end - rows);
  for (let at = start; at > Math.max(0, start - rows); at--) {
    const event = events[at];
    if (event?.type === 'user_message' && !event.synthetic && !event.parent_tool_call_id) return at;
  }
  return start;
}

/** The place of the first event with that number or a later one. */
function indexOf(events: readonly Event[], seq: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? Infinity) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
