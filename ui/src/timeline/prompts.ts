// Which prompt belongs to what is seen. Pure.
import type { Entry } from './entries';
import type { Viewport } from './viewport';

export type Stuck = { text: string; at: string; entry: Entry };

/** The prompt of the turn that is seen, if it is above the edge. `before`: the last answer, given again while it holds. */
export function stuckPrompt(prompts: readonly Entry[], viewport: Viewport<Entry>, before: Stuck | null): Stuck | null {
  const entry = promptOf(prompts, viewport, viewport.at(0));
  if (entry?.row.kind !== 'prompt') return null;
  if (viewport.top(entry) + entry.height - 8 > viewport.scrollTop) return null;
  if (before?.entry === entry && before.at === entry.row.at) return before;
  return { text: entry.row.text.replace(/\s+/g, ' ').slice(0, 300), at: entry.row.at, entry };
}

/** The last of these prompts that does not stand behind that line. */
function promptOf(
  prompts: readonly Entry[],
  { lines }: Pick<Viewport<Entry>, 'lines'>,
  line: Entry | null,
): Entry | null {
  if (line === null) return null;
  const place = lines.place(line);
  let low = 0;
  let high = prompts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const prompt = prompts[middle];
    if (prompt && lines.place(prompt) <= place) low = middle + 1;
    else high = middle;
  }
  return prompts[low - 1] ?? null;
}
