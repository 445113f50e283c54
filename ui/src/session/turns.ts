// Where turns begin and end, and what becomes of the prompts that waited for one.
import type { Event, PromptImage, TurnSummary } from '../bindings/bindings';
import { append, replace, rowOf } from './places';
import type { Queued } from './queue';
import { settle } from './speech';
import type { SessionView } from './view';

export function delivered(view: SessionView, event: Event, prompts: Queued[]): void {
  note(view, prompts, 'delivered', event.at);
}

export function note(view: SessionView, prompts: Queued[], state: 'delivered' | 'returned', at: string): void {
  for (const { key } of prompts) {
    const row = rowOf(view, key);
    if (row?.kind === 'prompt') replace(view, { ...row, queue: { state, at } });
  }
}

export function startTurn(view: SessionView, event: Event, prompt: string | null): void {
  // A prompt sent while a turn runs belongs to what comes; the running turn keeps its start. What is read of a terminal's
  // file does not say where a turn ended: there a prompt to a session at rest begins the next one.
  if (view.turn.startedAt !== null && !(prompt !== null && view.state === 'idle')) {
    view.turn.prompt ??= prompt;
    return;
  }
  delivered(view, event, view.queue.begins());
  view.turn = {
    ...view.turn,
    startedAt: event.at,
    contextAtStart: view.context?.context_window_used ?? 0,
    files: [],
    diff: '',
    prompt,
  };
}

export function completeTurn(view: SessionView, event: Event, data: TurnSummary): void {
  settle(view, event);
  const { number, files, diff } = view.turn;
  view.turns.push({ number, at: event.at, data, files, diff });
  view.queue.ends();
  append(view, event, {
    kind: 'turn',
    key: `c${event.seq}`,
    at: event.at,
    number,
    data,
    files: files.length,
    added: files.reduce((n, f) => n + f.added, 0),
    removed: files.reduce((n, f) => n + f.removed, 0),
  });
  view.turn = {
    number: number + 1,
    startedAt: null,
    contextAtStart: view.context?.context_window_used ?? 0,
    files: [],
    diff: '',
    prompt: null,
  };
  // No text of a finished turn is said again.
  view.messages.clear();
}

/** The process is gone, and the turn with it: what comes next begins one of its own. */
export function breakOff(view: SessionView): void {
  view.turn = {
    ...view.turn,
    startedAt: null,
    contextAtStart: view.context?.context_window_used ?? 0,
    prompt: null,
  };
}

export function givenBack(data: unknown): { text: string; uuid: string | null; images: PromptImage[] } {
  const given = data && typeof data === 'object' ? (data as Record<string, unknown>) : {};
  const images = Array.isArray(given.images) ? given.images.filter(isImage) : [];
  const word = (value: unknown) => (typeof value === 'string' ? value : null);
  return { text: word(given.text) ?? '', uuid: word(given.uuid), images };
}

function isImage(value: unknown): value is PromptImage {
  return (
    value !== null &&
    typeof value === 'object' &&
    'data' in value &&
    typeof value.data === 'string' &&
    'media_type' in value &&
    typeof value.media_type === 'string'
  );
}
