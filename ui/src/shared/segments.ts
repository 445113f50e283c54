// Cuts one line of code into pieces to draw: where its colour changes, where a word mark begins or ends, and around
// characters that cannot be seen. Pure.
import type { Range } from './words';
import { unseen } from './unseen';

/** The colours of code, named as the tokens `--syn-*` are. */
export type Syntax = 'keyword' | 'function' | 'type' | 'string' | 'number' | 'comment' | 'punct';
/** A coloured piece of a line; what no span covers is plain. */
export type SyntaxSpan = { from: number; to: number; syntax: Syntax };

export type Segment = {
  text: string;
  syntax: Syntax | null;
  marked: boolean;
  /** The text stands for a character that cannot be seen. */
  unseen: boolean;
};

/** Longer lines are drawn plain: nobody reads their colours, and each piece is a node. */
const MAX_COLOURED = 2000;

export function segments(text: string, spans: SyntaxSpan[] | null, marks: Range[] | null): Segment[] {
  const hidden = unseen(text);
  if (!spans?.length && !marks?.length && hidden.length === 0) return [plain(text)];
  const coloured = text.length > MAX_COLOURED ? [] : (spans ?? []);
  const cuts = new Set([0, text.length]);
  for (const { from, to } of coloured) cuts.add(from).add(to);
  for (const [from, to] of marks ?? []) cuts.add(from).add(to);
  for (const { from, to } of hidden) cuts.add(from).add(to);
  const points = [...cuts].filter((c) => c >= 0 && c <= text.length).sort((a, b) => a - b);

  const out: Segment[] = [];
  let [s, m, h] = [0, 0, 0];
  for (let i = 0; i + 1 < points.length; i++) {
    const [from, to] = [points[i] ?? 0, points[i + 1] ?? 0];
    while ((coloured[s]?.to ?? Infinity) <= from) s++;
    while ((marks?.[m]?.[1] ?? Infinity) <= from) m++;
    while ((hidden[h]?.to ?? Infinity) <= from) h++;
    const span = coloured[s];
    const mark = marks?.[m];
    const piece = hidden[h];
    const named = piece !== undefined && piece.from <= from ? piece.name : null;
    out.push({
      text: named ?? text.slice(from, to),
      syntax: span && span.from <= from ? span.syntax : null,
      marked: mark !== undefined && mark[0] <= from,
      unseen: named !== null,
    });
  }
  return out;
}

const plain = (text: string): Segment => ({ text, syntax: null, marked: false, unseen: false });
