// What a line begins, by its first signs. Every pattern reads a line once.
import { destination, labelOf, unescaped } from './destinations';
import { decode } from './entities';
import { SIGNS } from './mathSigns';
import type { Target } from './spans';

/** A line, with the columns that tabs take. */
export class Cursor {
  private column = 0;
  /** Columns that are left of a tab of which a part was taken. */
  private spare = 0;
  at = 0;

  constructor(readonly line: string) {}

  /** Columns of blanks from here. */
  indent(): number {
    let columns = this.spare;
    let column = this.column + this.spare;
    for (let at = this.at; ; at++) {
      const char = this.line[at];
      const width = char === ' ' ? 1 : char === '\t' ? 4 - (column % 4) : 0;
      if (width === 0) return columns;
      columns += width;
      column += width;
    }
  }

  /** Takes at most so many columns of blanks. */
  skip(columns: number): void {
    let left = columns;
    const taken = Math.min(this.spare, left);
    this.spare -= taken;
    this.column += taken;
    left -= taken;
    while (left > 0) {
      const char = this.line[this.at];
      const width = char === ' ' ? 1 : char === '\t' ? 4 - (this.column % 4) : 0;
      if (width === 0) return;
      const used = Math.min(width, left);
      this.at++;
      this.column += used;
      this.spare = width - used;
      left -= used;
    }
  }

  take(units: number): void {
    this.at += units;
    this.column += units;
  }

  blank(): boolean {
    return /^[ \t]*$/.test(this.line.slice(this.at, this.at + 400)) && this.line.slice(this.at).trim() === '';
  }

  /** The first sign behind the blanks. */
  sign(): string {
    for (let at = this.at; ; at++) {
      const char = this.line[at] ?? '';
      if (char !== ' ' && char !== '\t') return char;
    }
  }

  rest(): string {
    return ' '.repeat(this.spare) + this.line.slice(this.at);
  }
}

export type Fence = { char: string; length: number; indent: number };

export function fenceOf(text: string, indent: number): { fence: Fence; lang: string } | null {
  const char = text[0] ?? '';
  let length = 0;
  while (text[length] === char) length++;
  const info = text.slice(length).trim();
  if (length < 3 || (char === '`' && info.includes('`'))) return null;
  return { fence: { char, length, indent }, lang: decode(unescaped(info.split(/\s/, 1)[0] ?? '')).slice(0, 100) };
}

export function closesFence(text: string, fence: Fence): boolean {
  let length = 0;
  while (text[length] === fence.char) length++;
  return length >= fence.length && text.slice(length).trim() === '';
}

export function headingOf(text: string): { depth: number; text: string } | null {
  const marks = /^#{1,6}(?=[ \t]|$)/.exec(text)?.[0];
  if (!marks) return null;
  const words = text.slice(marks.length).trim();
  let end = words.length;
  while (words[end - 1] === '#') end--;
  const closed = end === 0 || (end < words.length && /[ \t]/.test(words[end - 1] ?? ''));
  return { depth: marks.length, text: closed ? words.slice(0, end).trimEnd() : words };
}

export function isRule(text: string): boolean {
  const char = text[0] ?? '';
  if (char !== '*' && char !== '-' && char !== '_') return false;
  let count = 0;
  for (const one of text) {
    if (one === char) count++;
    else if (one !== ' ' && one !== '\t') return false;
  }
  return count >= 3;
}

export function underline(text: string): 1 | 2 | null {
  if (/^=+[ \t]*$/.test(text)) return 1;
  return /^-+[ \t]*$/.test(text) ? 2 : null;
}

export type Marker = { ordered: boolean; start: number; delimiter: string; width: number };

export function markerOf(text: string): Marker | null {
  const match = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(text);
  if (!match) return null;
  const ordered = match[2] !== undefined;
  return {
    ordered,
    start: ordered ? Number(match[2]) : 1,
    delimiter: match[1] ?? match[3] ?? '',
    width: match[0].length,
  };
}

const BLOCK_TAG =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|pre|script|search|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$)/i;
const LONE_TAG = /^<\/?[A-Za-z][A-Za-z0-9-]{0,40}(?:\s[^<>]{0,400})?\/?>[ \t]*$/;

/** Raw HTML, which is shown as written: until a blank line, or a comment until its end. */
export function htmlOf(text: string, interrupts: boolean): 'blank' | 'comment' | null {
  if (text.startsWith('<!--')) return 'comment';
  const head = text.slice(0, 500);
  if (/^<(?:[!?][A-Za-z[])/.test(head) || BLOCK_TAG.test(head)) return 'blank';
  return !interrupts && text.length < 500 && LONE_TAG.test(head) ? 'blank' : null;
}

export type Align = 'left' | 'center' | 'right' | null;
/** Wider ones are no tables that anybody reads. */
const MAX_COLUMNS = 100;

/** The cells of a row; a bar behind a backslash is a bar. */
export function cellsOf(text: string): string[] {
  const row = text.trim();
  const cells: string[] = [];
  let from = row.startsWith('|') ? 1 : 0;
  let at = from;
  for (; at < row.length; at++) {
    if (row[at] === '\\') at++;
    else if (row[at] === '|') {
      cells.push(row.slice(from, at));
      from = at + 1;
      if (cells.length > MAX_COLUMNS) break;
    }
  }
  if (from < row.length) cells.push(row.slice(from));
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export function alignsOf(text: string, header: string): Align[] | null {
  if (text.length > 4000 || !/^[|:\- \t]+$/.test(text) || !(text.includes('|') || header.includes('|'))) return null;
  const cells = cellsOf(text);
  if (cells.length > MAX_COLUMNS || !cells.every((cell) => /^:?-+:?$/.test(cell))) return null;
  if (cellsOf(header).length !== cells.length) return null;
  return cells.map((cell) => {
    const [left, right] = [cell.startsWith(':'), cell.endsWith(':')];
    return left && right ? 'center' : right ? 'right' : left ? 'left' : null;
  });
}

/** `[label]: address "title"` on one line; footnotes are text. */
export function definitionOf(text: string): { label: string; target: Target } | null {
  const head = /^\[((?:[^[\]\\]|\\.){1,999})\]:[ \t]*/.exec(text);
  const label = head?.[1]?.trim();
  if (!head || !label || label.startsWith('^')) return null;
  const address = destination(text, head[0].length);
  if (!address || address.to === head[0].length) return null;
  const rest = text.slice(address.to).trim();
  if (rest === '') return { label: labelOf(label), target: { href: address.href, title: null } };
  if (!/[ \t]/.test(text[address.to] ?? '')) return null;
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\(((?:[^()\\]|\\.)*)\))$/.exec(rest.slice(0, 2000));
  if (!quoted) return null;
  const title = decode(unescaped(quoted[1] ?? quoted[2] ?? quoted[3] ?? ''));
  return { label: labelOf(label), target: { href: address.href, title } };
}

/** The formula that a line begins, which may go on over the next ones. */
export function mathOf(text: string): { close: '$$' | '\\]'; text: string; whole: boolean } | null {
  const close = text.startsWith('$$') ? '$$' : text.startsWith('\\[') ? '\\]' : null;
  if (!close) return null;
  const inner = text.slice(2).trim();
  const end = inner.indexOf(close);
  // One that goes on over the next lines begins alone on its line, or with what only a formula has.
  if (end === -1)
    return inner === '' || (close === '$$' && SIGNS.test(inner)) ? { close, text: inner, whole: false } : null;
  const formula = inner.slice(0, end).trim();
  if (end !== inner.length - 2 || formula === '' || (close === '\\]' && !SIGNS.test(formula))) return null;
  return { close, text: formula, whole: true };
}
