// Where a conversation was taken up again: the line between what was and what goes on, and what a retry left behind.
import type { Event } from '../bindings/bindings';
import { insert } from './places';
import type { SessionView } from './view';

/** Draws the line once for each process, before the prompts that it was started for. */
export function resumed(view: SessionView, event: Event): void {
  if (view.resumed) return;
  view.resumed = true;
  if (view.rows.length === 0 && !view.earlier) return;
  let at = view.rows.length;
  while (at > 0 && isOfTheStart(view.rows[at - 1]?.kind)) at -= 1;
  const begins = at === 0 ? view.earlier : view.rows[at - 1]?.kind === 'ended';
  insert(view, begins ? at : view.rows.length, event, {
    kind: 'notice',
    key: `n${event.seq}`,
    at: event.at,
    heard: event.at,
    over: null,
    notice: 'resumed',
    text: 'Resumed',
    data: null,
  });
}

const isOfTheStart = (kind: string | undefined) => kind === 'prompt' || kind === 'notice' || kind === 'void';

const isBetween = (kind: string) => kind === 'ended' || kind === 'notice' || kind === 'void';

/** Folds what came behind that message: the conversation goes on from there as if it had not been said. */
export function leaveBehind(view: SessionView, event: Event, message: string | null): void {
  const { rows } = view;
  let first = message === null ? 0 : goesOnAt(view, message);
  // An end and a resume before the prompt are what happened to the session, whichever try holds.
  const prompt = rows.findIndex((row, at) => at >= first && row.kind === 'prompt' && !row.synthetic);
  if (prompt > first && rows.slice(first, prompt).every((row) => isBetween(row.kind))) first = prompt;
  const left = rows.slice(first).filter((row) => row.kind !== 'void');
  if (left.length === 0) return;
  const key = `y${event.seq}`;
  let tries = 1;
  for (let at = first; at < rows.length; at++) {
    const row = rows[at];
    if (!row || row.kind === 'void') continue;
    if (row.kind === 'try') {
      tries += row.tries;
      rows[at] = { kind: 'void', key: row.key, at: row.at, seq: row.seq };
    } else rows[at] = { ...row, behind: key };
  }
  view.shape += 1;
  insert(view, first, event, { kind: 'try', key, at: left[0]?.at ?? event.at, tries });
}

/** The first row behind that message; where nobody knows it, the prompt that was tried last. */
function goesOnAt({ rows }: SessionView, message: string): number {
  const at = rows.findLastIndex(
    (row) =>
      (row.kind === 'turn' && row.data.last_message_uuid === message) ||
      (row.kind === 'prompt' && row.uuid === message),
  );
  if (at >= 0) return at + 1;
  return Math.max(
    0,
    rows.findLastIndex((row) => row.kind === 'prompt' && !row.synthetic && row.behind === undefined),
  );
}
