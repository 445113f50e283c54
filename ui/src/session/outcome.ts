// How a turn went, and what it takes to try one again. Pure.
import type { PromptImage, TurnSummary } from '../bindings/bindings';
import type { PromptRow, Row } from './rows';

export type Outcome = 'done' | 'interrupted' | 'failed';

export function outcomeOf(data: TurnSummary): Outcome {
  const { terminal_reason: reason, subtype } = data;
  // Old versions give no reason, and call an interrupted turn no error.
  const cut = reason === null && subtype === 'error_during_execution' && (data.num_turns !== 0 || !data.is_error);
  if (cut || reason?.startsWith('aborted')) return 'interrupted';
  return data.is_error || subtype?.startsWith('error') ? 'failed' : 'done';
}

export type Retry = {
  /** The last message before the turn that is good to go on from; null: the turn is the first one. */
  at: string | null;
  text: string;
  images: PromptImage[];
};

/** What tries the newest turn again, if that failed or its process died; null where it did not, or where it is not known
 * from which message to go on. `open`: the number of the turn that has not ended. */
export function retryOf(rows: readonly Row[], open: number): Retry | null {
  /** The number of the turn that failed. */
  let failed: number | null = null;
  let prompt: PromptRow | null = null;
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (!row) continue;
    if (prompt !== null) {
      if (row.kind !== 'turn' || outcomeOf(row.data) === 'failed') continue;
      const at = row.data.last_message_uuid;
      if (at !== null) return { at, ...said(prompt) };
    } else if (row.kind === 'turn') {
      if (failed !== null || outcomeOf(row.data) !== 'failed') return null;
      failed = row.number;
    } else if (row.kind === 'ended') {
      if (!row.data.expected) failed ??= open;
    } else if (row.kind === 'prompt' && !row.synthetic) {
      if (failed === null) return null;
      prompt = row;
    }
  }
  // Going back to the beginning is only right where nothing was said before.
  return prompt !== null && failed === 1 ? { at: null, ...said(prompt) } : null;
}

function said(row: PromptRow): Pick<Retry, 'text' | 'images'> {
  return {
    text: row.text,
    images: row.attachments.flatMap((one) =>
      one.kind === 'image' && one.data && one.media_type ? [{ media_type: one.media_type, data: one.data }] : [],
    ),
  };
}
