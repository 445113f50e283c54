// What a failed turn says twice is shown once.
import { replace } from './places';
import type { SessionView } from './view';

/** How far back the answer that a failed turn ends with can stand. */
const NEAR = 40;

/** An API error comes as an answer too (PROTOCOL 10); the row of the error says it, so the answer's keeps its place and is empty. */
export function unsay(view: SessionView, error: string, message: string | null): void {
  for (let at = view.rows.length - 1, turns = 0; at >= Math.max(0, view.rows.length - NEAR); at--) {
    const row = view.rows[at];
    if (!row || (row.kind === 'prompt' && !row.synthetic) || row.kind === 'error') return;
    if (row.kind === 'turn' && ++turns > 1) return;
    if (row.kind !== 'answer') continue;
    if (message === null ? row.text.read().trim() !== error.trim() : row.message !== message) continue;
    replace(view, { kind: 'void', key: row.key, at: row.at, seq: row.seq });
    wentWrong(view, at, row.at);
    return;
  }
}

/** What seemed to be the end of a retry was the news that it failed. */
function wentWrong(view: SessionView, before: number, at: string): void {
  const row = view.rows.slice(Math.max(0, before - NEAR), before).findLast((one) => one.kind === 'notice');
  if (row?.kind === 'notice' && row.notice === 'api_retry' && row.over?.at === at)
    replace(view, { ...row, over: { at, by: 'error' } });
}
