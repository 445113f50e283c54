// A value of any shape as the lines of a tree: what is open, named, folded and left out. Pure. However large the value is,
// only what is shown is looked at, and never more than `MOST` lines of it.

export type TreeState = {
  /** What somebody opened or folded, by path. */
  open: ReadonlyMap<string, boolean>;
  /** How many entries are shown of those that have many, by path. */
  shown: ReadonlyMap<string, number>;
  /** Long texts that are shown whole, by path. */
  whole: ReadonlySet<string>;
};

type Place = {
  /** As it is written in code: `a.b[0]["odd key"]`; empty for the value itself. */
  path: string;
  /** From 1. */
  depth: number;
  /** From 1, among its siblings. */
  at: number;
  of: number;
};

export type TreeLine = Place &
  (
    | { kind: 'leaf'; name: string | null; width: number; text: string; type: Leaf; cut: number; long: boolean }
    | { kind: 'branch'; name: string; width: number; open: boolean; list: boolean; count: number }
    | { kind: 'more'; parent: string; left: number }
  );
/** What a value without entries is. */
type Leaf = 'text' | 'number' | 'word' | 'none' | 'empty';

/** Lines that are drawn at most. */
export const MOST = 2000;
/** Entries that are shown at first of one that has many, and with each wish for more. */
export const FEW = 100;
export const STEP = 500;
/** A text is folded beyond this, in UTF-16 units and in lines; opened, this much of it is drawn. */
const LONG = 400;
const LINES = 8;
const WHOLE = 100_000;
/** What has more entries than this is folded at first, and so is what stands in it. */
const SMALL = 20;
/** Names longer than this do not push the values of their siblings, in characters. */
const NAME = 28;

export const untouched: TreeState = { open: new Map(), shown: new Map(), whole: new Set() };

export type Tree = { lines: TreeLine[]; /** The tree goes on, and no line of the rest is drawn. */ cut: boolean };

export function treeOf(value: unknown, state: TreeState): Tree {
  const lines: TreeLine[] = [];
  if (!hasEntries(value)) lines.push(leaf(value, null, 0, { path: '', depth: 1, at: 1, of: 1 }, state));
  else addEntries(lines, value, '', 1, state);
  return { lines: lines.slice(0, MOST), cut: lines.length > MOST };
}

function addEntries(lines: TreeLine[], value: object, path: string, depth: number, state: TreeState): void {
  const list = Array.isArray(value);
  const keys = list ? null : Object.keys(value);
  const total = list ? value.length : (keys?.length ?? 0);
  const shown = Math.min(total, state.shown.get(path) ?? (total <= FEW + 20 ? total : FEW));
  const nameAt = (at: number) => (keys ? (keys[at] ?? '') : String(at));
  let width = 0;
  for (let at = 0; at < shown; at++) width = Math.max(width, Math.min(NAME, nameAt(at).length));
  for (let at = 0; at < shown && lines.length <= MOST; at++) {
    const name = nameAt(at);
    const item: unknown = list ? (value as unknown[])[at] : (value as Record<string, unknown>)[name];
    const place = { path: step(path, name, list), depth, at: at + 1, of: total };
    if (!hasEntries(item)) {
      lines.push(leaf(item, name, width, place, state));
      continue;
    }
    const count = Array.isArray(item) ? item.length : Object.keys(item).length;
    const open = state.open.get(place.path) ?? (depth < 3 && count <= SMALL && total <= SMALL);
    lines.push({ ...place, kind: 'branch', name, width, open, list: Array.isArray(item), count });
    if (open) addEntries(lines, item, place.path, depth + 1, state);
  }
  if (shown < total)
    lines.push({
      path: `${path}\u0000`,
      depth,
      at: shown + 1,
      of: total,
      kind: 'more',
      parent: path,
      left: total - shown,
    });
}

function leaf(value: unknown, name: string | null, width: number, place: Place, state: TreeState): TreeLine {
  const base = { ...place, kind: 'leaf' as const, name, width, cut: 0, long: false };
  if (value === null) return { ...base, text: 'null', type: 'none' };
  if (value === undefined) return { ...base, text: 'not there', type: 'none' };
  if (Array.isArray(value)) return { ...base, text: 'empty list', type: 'empty' };
  if (typeof value === 'object') return { ...base, text: 'no fields', type: 'empty' };
  if (typeof value !== 'string')
    return { ...base, text: String(value), type: typeof value === 'number' ? 'number' : 'word' };
  if (value === '') return { ...base, text: 'empty text', type: 'empty' };
  const end = state.whole.has(place.path) ? Math.min(value.length, WHOLE) : beginningOf(value);
  const long = value.length > beginningOf(value);
  return { ...base, text: value.slice(0, end), type: 'text', cut: value.length - end, long };
}

/** Where a long text is folded: not between the halves of a character. */
function beginningOf(text: string): number {
  let end = Math.min(text.length, LONG);
  let at = -1;
  for (let line = 0; line < LINES; line++) {
    at = text.indexOf('\n', at + 1);
    if (at === -1 || at >= end) break;
    if (line === LINES - 1) end = at;
  }
  // A little more is shown rather than folded away.
  if (end === LONG && text.length <= LONG * 1.5) return text.length;
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function step(path: string, name: string, list: boolean): string {
  if (list) return `${path}[${name}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return path === '' ? name : `${path}.${name}`;
  return `${path}[${JSON.stringify(name)}]`;
}

function hasEntries(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

/** What stands at a path, as it is copied: texts as they are, the rest as JSON. */
export function textAt(value: unknown, line: TreeLine): string {
  const found = valueAt(value, line.kind === 'more' ? line.parent : line.path);
  return typeof found === 'string' ? found : (JSON.stringify(found, null, 2) ?? '');
}

export function valueAt(value: unknown, path: string): unknown {
  let at: unknown = value;
  for (const match of path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([A-Za-z_$][\w$]*)/g)) {
    if (typeof at !== 'object' || at === null) return undefined;
    const key = match[1] ?? (match[2] === undefined ? (match[3] ?? '') : (JSON.parse(match[2]) as string));
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
