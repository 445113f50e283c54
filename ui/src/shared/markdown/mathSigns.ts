// Where mathematics stands in a text: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`. Amounts of money, shell variables and escaped brackets
// are not. Pure.

export type MathSpan = { text: string; display: boolean; length: number };

/** UTF-16 units of one formula. */
export const MAX_MATH = 4000;
/** Of one between single dollars: what is longer are two amounts that have nothing to do with each other. */
const MAX_INLINE = 400;

const WORD = /[\p{L}\p{N}_]/u;
/** What mathematics has and a sentence has not. */
export const SIGNS = /[\\^_=+<>{}]/;

/** `none` keeps where no closing sign follows any more, by sign, so that many openings do not search again. */
export function mathAt(source: string, at: number, none: Map<string, number>): MathSpan | null {
  if (source.startsWith('$$', at)) return between(source, at, '$$', '$$', true, none);
  if (source[at] === '$') return dollars(source, at, none);
  if (WORD.test(source[at - 1] ?? '')) return null;
  if (source.startsWith('\\(', at)) return between(source, at, '\\(', '\\)', false, none);
  const bracket = between(source, at, '\\[', '\\]', true, none);
  return bracket && SIGNS.test(bracket.text) ? bracket : null;
}

function between(
  source: string,
  at: number,
  opening: string,
  closing: string,
  display: boolean,
  none: Map<string, number>,
): MathSpan | null {
  const from = at + opening.length;
  const to = find(source, closing, from, MAX_MATH, none);
  if (to === null) return null;
  const text = source.slice(from, to).trim();
  return text === '' ? null : { text, display, length: to + closing.length - at };
}

function dollars(source: string, at: number, none: Map<string, number>): MathSpan | null {
  if (WORD.test(source[at - 1] ?? '') || source[at - 1] === '$') return null;
  const from = at + 1;
  if (/[\s$]/.test(source[from] ?? ' ')) return null;
  const to = find(source, '$', from, MAX_INLINE, none);
  if (to === null || to === from) return null;
  const text = source.slice(from, to);
  const after = source[to + 1] ?? '';
  if (/\s$/.test(text) || text.endsWith('\\') || WORD.test(after) || after === '$') return null;
  // "$5, or 6$": money with the sign on either side.
  if (/^[\d.,]+(?:\s|[.,;]|$)/.test(text) && !SIGNS.test(text)) return null;
  // "$HOME:$" and "$(pwd)/$" are of a shell.
  if (/^[A-Z_]{2,}\b[^=^]*$/.test(text) || /^[({][a-z ./-]+[)}]/i.test(text)) return null;
  return { text, display: false, length: to + 1 - at };
}

function find(source: string, sign: string, from: number, limit: number, none: Map<string, number>): number | null {
  const key = `m${sign}`;
  const empty = none.get(key);
  if (empty !== undefined && from >= empty) return null;
  const to = source.slice(from, from + limit + sign.length).indexOf(sign);
  if (to === -1 && from + limit >= source.length) none.set(key, from);
  return to === -1 ? null : from + to;
}
