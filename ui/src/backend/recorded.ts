// Slices of a journal that is wholly in memory, as the store cuts them from its tables: for the replayed backend and for
// tests of whatever is made from slices.
import type { Event } from '../bindings/bindings';
import { textOf } from '../session/fields';
import { throughOf, type Slice } from './history';

/** The newest of each of these still holds. */
const HOLDS = new Set<Event['type']>([
  'session_status',
  'available_commands',
  'todos',
  'mode_changed',
  'model_changed',
  'title_changed',
  'session_state',
]);

/** What holds behind these events: the newest word on each thing, open questions, tasks that go on. */
export function standingAfter(events: readonly Event[]): Event[] {
  const found = new Map<string, Event>();
  for (const event of events) {
    if (HOLDS.has(event.type)) found.set(event.type, event);
    else if (event.type === 'context_window' && !event.parent_tool_call_id) found.set(event.type, event);
    else if (event.type === 'permission_request') found.set(`asked ${event.pending_id}`, event);
    else if (event.type === 'permission_resolved' || event.type === 'permission_cancelled')
      found.delete(`asked ${event.pending_id}`);
    else if (event.type === 'notice' && event.kind === 'elicitation')
      found.set(`asked ${textOf(event.data, 'request_id')}`, event);
    else if (event.type === 'notice' && event.kind === 'elicitation_resolved')
      found.delete(`asked ${textOf(event.data, 'request_id')}`);
    else if (event.type === 'task_started') found.set(`task ${event.task_id ?? event.tool_use_id}`, event);
    else if (event.type === 'task_notification') found.delete(`task ${event.task_id ?? event.tool_use_id}`);
    else if (event.type === 'session_ended')
      for (const key of found.keys()) if (key.startsWith('task ') || key.startsWith('asked ')) found.delete(key);
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}

/** Deltas of one text that follow each other as one event, as the store keeps them once the text is whole. */
export function folded(events: readonly Event[]): Event[] {
  const out: Event[] = [];
  for (const event of events) {
    const last = out.at(-1);
    const joined = last ? join(last, event) : null;
    if (joined) out[out.length - 1] = joined;
    else out.push(event);
  }
  return out;
}

/** Both as one, if the second goes on with the text of the first. */
export function join(first: Event, second: Event): Event | null {
  if ((first.parent_tool_call_id ?? null) !== (second.parent_tool_call_id ?? null)) return null;
  if (throughOf(first) + 1 !== second.seq) return null;
  const through = { through: throughOf(second) };
  if (first.type === 'message_chunk' && second.type === 'message_chunk' && first.message_id === second.message_id)
    return { ...first, text: first.text + second.text, ...through };
  if (first.type === 'reasoning' && second.type === 'reasoning' && first.message_id === second.message_id)
    return { ...first, reasoning_text: first.reasoning_text + second.reasoning_text, ...through };
  return null;
}

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
