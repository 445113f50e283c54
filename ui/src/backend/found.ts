// Words and marks of a journal that is wholly in memory, as the store finds them by its index: for the replayed backend.
import type { Event } from '../bindings/bindings';
import type { Mark, SessionHit, SessionHits } from './find';

/** What is said in an event, and in which part of a row it stands. */
function saidIn(event: Event): { kind: SessionHit['kind']; text: string } | null {
  switch (event.type) {
    case 'user_message':
      return { kind: 'prompt', text: event.text };
    case 'message_chunk':
      return { kind: 'answer', text: event.text };
    case 'tool_call':
    case 'tool_update':
      return { kind: 'tool', text: [event.tool_name, event.tool_title, ...textsIn(event.normalized)].join('\n') };
    default:
      return null;
  }
}

/** All texts in a value, whatever its shape. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

export function findIn(events: readonly Event[], words: string, after: number, limit: number): SessionHits {
  const wanted = words.trim().toLowerCase().replace(/\s+/g, ' ');
  const first = new Map<string, number>();
  const hits = new Map<number, SessionHit>();
  for (const event of events) {
    const said = saidIn(event);
    const row = rowOf(event);
    if (row !== null && !first.has(row)) first.set(row, event.seq);
    const seq = (row === null ? undefined : first.get(row)) ?? event.seq;
    if (!said || wanted === '' || seq <= after || hits.has(seq)) continue;
    const text = said.text.replace(/\s+/g, ' ');
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const from = Math.max(0, at - 40);
    const before = Array.from(text.slice(from, at)).length;
    hits.set(seq, {
      seq,
      kind: said.kind,
      text: text.slice(from, from + 200),
      marks: [[before, before + Array.from(wanted).length]],
    });
  }
  const all = [...hits.values()].sort((a, b) => a.seq - b.seq);
  const part = all.slice(0, limit);
  const more = all.length > limit;
  const through = more ? (part.at(-1)?.seq ?? after) : (events.at(-1)?.seq ?? 0);
  return { hits: part, more, through, indexing: false };
}

/** What the events of one row have in common. */
function rowOf(event: Event): string | null {
  if (event.type === 'message_chunk') return `m${event.message_id}`;
  return event.type === 'tool_call' || event.type === 'tool_update' ? `t${event.tool_call_id}` : null;
}

export function markIn(events: readonly Event[], what: Mark, from: number, back: boolean): number | null {
  const begun = new Map<string, number>();
  const marks = new Set<number>();
  for (const event of events) {
    const row = rowOf(event);
    if (row !== null && !begun.has(row)) begun.set(row, event.seq);
    if (isMark(event, what)) marks.add((row === null ? undefined : begun.get(row)) ?? event.seq);
  }
  const all = [...marks].sort((a, b) => a - b);
  return (back ? all.findLast((seq) => seq < from) : all.find((seq) => seq > from)) ?? null;
}

function isMark(event: Event, what: Mark): boolean {
  const call = event.type === 'tool_call' || event.type === 'tool_update' ? event : null;
  const kind = call?.normalized.kind;
  switch (what) {
    case 'prompt':
      return event.type === 'user_message' && !event.synthetic && !event.parent_tool_call_id;
    case 'error':
      return (
        event.type === 'error' || call?.tool_status === 'error' || (event.type === 'complete' && event.data.is_error)
      );
    case 'edit':
      return kind === 'modify_file';
    case 'question':
      return kind === 'ask_user' || kind === 'show_plan' || event.type === 'permission_request';
  }
}
