// What can be said of a list of events without a view of them: which numbers they cover, which texts are one, what holds
// behind them. Pure.
import type { Event } from '../bindings/bindings';
import { textOf } from './fields';

/** The last number that an event stands for: a folded text stands for those of all its pieces. */
export function throughOf(event: Event): number {
  return event.through ?? event.seq;
}

/** Both as one, if the second goes on with the text of the first. */
export function joined(first: Event, second: Event): Event | null {
  if (!goesOn(first, second)) return null;
  const through = throughOf(second);
  if (first.type === 'message_chunk' && second.type === 'message_chunk')
    return { ...first, text: first.text + second.text, through };
  if (first.type === 'reasoning' && second.type === 'reasoning')
    return { ...first, reasoning_text: first.reasoning_text + second.reasoning_text, through };
  return null;
}

function goesOn(first: Event, second: Event): boolean {
  if (throughOf(first) + 1 !== second.seq) return false;
  if ((first.parent_tool_call_id ?? null) !== (second.parent_tool_call_id ?? null)) return false;
  if ((first.session_id ?? null) !== (second.session_id ?? null)) return false;
  if (first.type !== 'message_chunk' && first.type !== 'reasoning') return false;
  return second.type === first.type && second.message_id === first.message_id;
}

/** Deltas of one text that follow each other as one event, as the store keeps them. */
export function folded(events: readonly Event[]): Event[] {
  const held = new Held();
  for (const event of events) held.push(event);
  return held.events;
}

/** Events of a journal without a gap, deltas of one text as one. A delta costs the delta. */
export class Held {
  events: Event[] = [];
  /** The last one, while it is a copy of ours that may grow. */
  private own: Event | null = null;

  push(event: Event): void {
    const last = this.events.at(-1);
    if (last === undefined || !goesOn(last, event)) {
      this.events.push(event);
      this.own = null;
    } else if (last === this.own && last.type === 'message_chunk' && event.type === 'message_chunk') {
      last.text += event.text;
      last.through = throughOf(event);
    } else if (last === this.own && last.type === 'reasoning' && event.type === 'reasoning') {
      last.reasoning_text += event.reasoning_text;
      last.through = throughOf(event);
    } else {
      this.own = joined(last, event);
      if (this.own) this.events[this.events.length - 1] = this.own;
      else this.events.push(event);
    }
  }

  /** Lets go of what comes before that number, and gives it back. */
  dropBefore(seq: number): Event[] {
    let at = 0;
    while (at < this.events.length && (this.events[at]?.seq ?? seq) < seq) at += 1;
    return this.events.splice(0, at);
  }

  drop(which: (event: Event) => boolean): void {
    this.events = this.events.filter((event) => !which(event));
  }
}

/** The newest of each of these still holds. */
const HOLDS = new Set<Event['type']>([
  'session_status',
  'available_commands',
  'todos',
  'mode_changed',
  'model_changed',
  'title_changed',
  'session_state',
  'rate_limit',
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
      for (const key of found.keys()) if (/^(task|asked) /.test(key)) found.delete(key);
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}
