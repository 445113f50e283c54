// What the search found, made ready to be read: by session, cut to what is around the words. Pure.
import type { Hit } from '../backend/history';
import type { IconName } from '../shared/icons';

/** The places found in one session, in the order of the answer. */
export type Found = { session: string; title: string; workspace: string; hits: Hit[] };

export function bySession(hits: Hit[]): Found[] {
  const found = new Map<string, Found>();
  for (const hit of hits) {
    const one = found.get(hit.session);
    if (one) one.hits.push(hit);
    else
      found.set(hit.session, {
        session: hit.session,
        title: hit.title || 'Untitled session',
        workspace: hit.workspace,
        hits: [hit],
      });
  }
  return [...found.values()];
}

export type Piece = { text: string; hit: boolean };

/** Before the first mark so much is kept, in characters. */
const BEFORE = 32;
const MOST = 200;

/** The text around the first mark, with what was looked for apart. Marks count characters, not UTF-16 units. */
export function pieces({ text, marks }: Pick<Hit, 'text' | 'marks'>): Piece[] {
  const signs = Array.from(text);
  const first = marks[0]?.[0] ?? 0;
  const from = first <= BEFORE ? 0 : wordStart(signs, first - BEFORE, first);
  const to = Math.min(signs.length, from + MOST);
  const out: Piece[] = [];
  const put = (start: number, end: number, hit: boolean) => {
    if (end > start) out.push({ text: signs.slice(start, end).join('').replace(/\s+/g, ' '), hit });
  };
  let at = from;
  for (const [start, end] of marks) {
    const [a, b] = [Math.max(at, start), Math.min(to, end)];
    if (b <= a) continue;
    put(at, a, false);
    put(a, b, true);
    at = b;
  }
  put(at, to, false);
  if (from > 0) out.unshift({ text: '… ', hit: false });
  if (to < signs.length) out.push({ text: ' …', hit: false });
  return out;
}

/** Where a word begins between the two; the first where none does. */
function wordStart(signs: string[], from: number, before: number): number {
  for (let at = from; at < before - 1; at++)
    if (/\s/.test(signs[at] ?? '') && /\S/.test(signs[at + 1] ?? '')) return at + 1;
  return from;
}

export const hitKinds: Record<Hit['kind'], { word: string; icon: IconName }> = {
  prompt: { word: 'Prompt', icon: 'prompt' },
  answer: { word: 'Answer', icon: 'say' },
  tool: { word: 'Tool', icon: 'tool' },
  command: { word: 'Command', icon: 'terminal' },
  path: { word: 'File', icon: 'file' },
  title: { word: 'Title', icon: 'pencil' },
};
