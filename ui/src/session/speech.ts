// Texts that grow: answers and reasoning, piece by piece, until they are whole or taken back.
import type { Event } from '../bindings/bindings';
import { append, replace, rowOf } from './places';
import type { NewRow } from './rows';
import { Pieces } from './text';
import { delivered } from './turns';
import type { SessionView } from './view';

export function say(
  view: SessionView,
  event: Event,
  kind: 'answer' | 'reasoning',
  message: string,
  text: string,
): void {
  if (!event.parent_tool_call_id) delivered(view, event, view.queue.says(message));
  const said = view.messages.get(message) ?? { answer: [], reasoning: [] };
  view.messages.set(message, said);
  const key = said[kind].at(-1);
  const row = key === undefined ? undefined : rowOf(view, key);
  // Only the main thread streams; what a subagent says comes whole.
  const streaming = !event.parent_tool_call_id;
  if (row && (row.kind === 'answer' || row.kind === 'reasoning') && isOpen(view, row.key)) {
    row.text.push(text);
    replace(
      view,
      row.kind === 'answer'
        ? { ...row, streaming, rev: row.rev + 1 }
        : { ...row, streaming, rev: row.rev + 1, until: event.at },
    );
    mark(view, event, row.key);
    return;
  }
  if (text === '') return;
  const pieces = new Pieces();
  pieces.push(text);
  const fresh = `${kind === 'answer' ? 'a' : 'r'}${event.seq}`;
  settle(view, event);
  const base = { key: fresh, at: event.at, message, text: pieces, streaming, rev: 0 };
  const made: NewRow =
    kind === 'answer' ? { kind: 'answer', ...base } : { kind: 'reasoning', ...base, until: event.at };
  append(view, event, made);
  said[kind].push(fresh);
  mark(view, event, fresh);
}

/** How many rows that are beside the conversation may stand between two pieces of one text. */
const ASIDES = 20;

/**
 * Whether a text goes on in that row. A tool call or another text behind it starts a new row, so that the order on screen is
 * the order of speech; a notice, or a prompt that waits for its turn, does not tear a sentence apart.
 */
function isOpen(view: SessionView, key: string): boolean {
  const place = view.places.get(key);
  if (!place) return false;
  const parent = place.parent === null ? null : rowOf(view, place.parent);
  const rows = parent === null ? view.rows : parent?.kind === 'tool' ? parent.children : [];
  if (rows.length - place.at > ASIDES) return false;
  for (let at = place.at + 1; at < rows.length; at++) {
    const kind = rows[at]?.kind;
    if (kind !== 'notice' && kind !== 'prompt' && kind !== 'unrecognized' && kind !== 'void') return false;
  }
  return true;
}

function mark(view: SessionView, event: Event, key: string): void {
  if (!event.parent_tool_call_id) view.streaming = key;
}

/** What streamed so far is whole now. */
export function settle(view: SessionView, event: Event): void {
  if (view.streaming === null || event.parent_tool_call_id) return;
  const row = rowOf(view, view.streaming);
  if (row?.kind === 'answer' && row.streaming) replace(view, { ...row, streaming: false });
  // It went on until something else came: of a text that is kept in one piece only its beginning is known.
  if (row?.kind === 'reasoning' && row.streaming) replace(view, { ...row, streaming: false, until: event.at });
  view.streaming = null;
}

export function takenBack(data: unknown): string {
  const id = data && typeof data === 'object' ? (data as Record<string, unknown>).message_id : undefined;
  return typeof id === 'string' ? id : '';
}

export function discard(view: SessionView, message: string): void {
  const said = view.messages.get(message);
  if (!said) return;
  for (const key of [...said.answer, ...said.reasoning]) {
    const row = rowOf(view, key);
    if (row) replace(view, { kind: 'void', key, at: row.at, seq: row.seq });
    if (view.streaming === key) view.streaming = null;
  }
  // What was confirmed is said again and gets rows of its own.
  view.messages.delete(message);
}
