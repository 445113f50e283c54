// The addresses that links name: as they are written behind the words, in a definition, and in running text. Pure.
import { decode } from './entities';

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const REFERENCE_AT_END = /&[A-Za-z0-9]{1,31};$/;

/** A label as definitions are found by. */
export function labelOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** The address in `(address ...)` or behind `[label]:`. */
export function destination(text: string, from: number): { href: string; to: number } | null {
  let at = from;
  if (text[at] === '<') {
    for (at++; at < text.length; at++) {
      const char = text[at];
      if (char === '\\') at++;
      else if (char === '\n' || char === '<') return null;
      else if (char === '>') return { href: decode(unescaped(text.slice(from + 1, at))), to: at + 1 };
    }
    return null;
  }
  let depth = 0;
  for (; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\\' && ESCAPABLE.test(text[at + 1] ?? '')) at++;
    else if (char === '(' && ++depth > 32) return null;
    else if (char === ')' && --depth < 0) break;
    else if (char <= ' ') break;
  }
  if (depth > 0) return null;
  return { href: decode(unescaped(text.slice(from, at))), to: at };
}

export const unescaped = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');

/** An address in running text ends before the signs that end a sentence or what is around it. */
export function withoutTail(text: string): string {
  let end = text.length;
  let closing = 0;
  for (const char of text) closing += char === ')' ? 1 : char === '(' ? -1 : 0;
  while (end > 0) {
    const last = text[end - 1] ?? '';
    const reference = last === ';' ? REFERENCE_AT_END.exec(text.slice(Math.max(0, end - 33), end)) : null;
    if (last === ')' && closing > 0) closing--;
    else if (!/[?!.,:;*_~'"\]}|]/.test(last)) break;
    end -= reference?.[0].length ?? 1;
  }
  return text.slice(0, end);
}
