// The session list as data: living and past sessions by folder, which of them are shown, and how high each line stands.
// Pure, so that two thousand rows are a matter of one pass; the view draws the few that are on screen.
import type { PastSession } from '../backend/history';
import type { SessionInfo } from '../bindings/bindings';
import { matches } from '../app/match';
import { folder } from '../session/format';
import { isOver, rowState, type RowState } from '../session/phase';

/** A session of the list: one that a process or its keeper stands behind, or one of which only the history is left. */
export type Entry = {
  id: string;
  title: string;
  workspace: string;
  state: RowState;
  /** When something last happened to it, RFC 3339. */
  at: string;
} & ({ living: SessionInfo; past: null } | { living: null; past: PastSession });

export function livingEntry(info: SessionInfo): Entry {
  return {
    id: info.id,
    title: info.title || 'New session',
    workspace: info.workspace,
    state: rowState(info),
    at: info.since,
    living: info,
    past: null,
  };
}

export function pastEntry(past: PastSession): Entry {
  return {
    id: past.id,
    title: past.title || 'Untitled session',
    workspace: past.workspace,
    state: past.state === 'failed' ? 'failed' : 'ended',
    at: past.updated_at,
    living: null,
    past,
  };
}

/** `gone`: the folder is there no more. */
export type Folder = { workspace: string; entries: Entry[]; living: number; gone: boolean };

/** The past ones that are wanted, by folder, the newest first. Kept apart: they are many and change seldom. */
export function pastFolders(past: Iterable<PastSession>, words: string, archived: boolean): Map<string, Entry[]> {
  const folders = new Map<string, Entry[]>();
  for (const row of past) {
    if (row.archived !== archived || !isWanted(row, words)) continue;
    const entry = pastEntry(row);
    const list = folders.get(row.workspace);
    if (list) list.push(entry);
    else folders.set(row.workspace, [entry]);
  }
  for (const list of folders.values()) list.sort(newestFirst);
  return folders;
}

/** Folders in which something lives come first, in the order of the living; then those that were used last. */
export function listFolders(
  living: SessionInfo[],
  past: Map<string, Entry[]>,
  words: string,
  archived: boolean,
): Folder[] {
  const folders = new Map<string, Folder>();
  for (const info of archived ? [] : living) {
    if (!isWanted(info, words)) continue;
    const found = folders.get(info.workspace);
    const folder = found ?? { workspace: info.workspace, entries: [], living: 0, gone: false };
    if (!found) folders.set(info.workspace, folder);
    folder.entries.push(livingEntry(info));
    folder.living += 1;
  }
  const rest: Folder[] = [];
  for (const [workspace, entries] of past) {
    const found = folders.get(workspace);
    if (found) found.entries = [...found.entries, ...entries];
    else rest.push({ workspace, entries, living: 0, gone: entries[0]?.past?.folder_gone === true });
  }
  rest.sort((a, b) => (a.entries[0] && b.entries[0] ? newestFirst(a.entries[0], b.entries[0]) : 0));
  return [...folders.values(), ...rest];
}

function isWanted(row: { title: string; workspace: string }, words: string): boolean {
  return words === '' || matches(`${row.title} ${row.workspace}`, words);
}

function newestFirst(a: Entry, b: Entry): number {
  return a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? -1 : 1;
}

/** Heights in px, as the style sheet of the list has them. */
export const HEAD = 24;
export const APART = 12;
export const ROW = 28;
export const TWO = 46;
/** Of a folder's past sessions so many are shown at first. */
export const NEWEST = 5;

type Placed = { key: string; top: number; height: number };
export type HeadItem = Placed & {
  kind: 'head';
  workspace: string;
  name: string;
  parent: string;
  count: number;
  folded: boolean;
  gone: boolean;
};
export type RowItem = Placed & { kind: 'row'; entry: Entry };
export type MoreItem = Placed & { kind: 'more'; workspace: string; hidden: number; open: boolean };
export type Item = HeadItem | RowItem | MoreItem;

export type Shown = {
  /** Folders that a person folded. */
  folded: ReadonlySet<string>;
  /** Folders of which a person wants to see all. */
  whole: ReadonlySet<string>;
  /** The open session; it is in sight, however old it is. */
  selected: string | null;
  /** What is looked for is shown all of it. */
  filtered: boolean;
};

/** Every line of the list with its place from the top. */
export function layOut(folders: Folder[], shown: Shown): Item[] {
  const items: Item[] = [];
  let top = 0;
  const put = <I extends Item>(item: Omit<I, 'top'>) => {
    items.push({ ...item, top } as unknown as I);
    top += item.height;
  };
  for (const { workspace, entries, living, gone } of folders) {
    const words = folder(workspace);
    const folded = !shown.filtered && shown.folded.has(workspace);
    put<HeadItem>({
      kind: 'head',
      key: `head ${workspace}`,
      height: items.length === 0 ? HEAD : HEAD + APART,
      workspace,
      name: words.name,
      parent: words.parent,
      count: entries.length,
      folded,
      gone,
    });
    if (folded) continue;
    const whole = shown.filtered || shown.whole.has(workspace);
    const most = whole ? entries.length : living + NEWEST;
    let hidden = 0;
    entries.forEach((entry, i) => {
      if (i >= most && entry.id !== shown.selected) hidden += 1;
      else put<RowItem>({ kind: 'row', key: entry.id, height: subOf(entry) ? TWO : ROW, entry });
    });
    const open = !shown.filtered && whole && entries.length > living + NEWEST;
    if (hidden > 0 || open)
      put<MoreItem>({ kind: 'more', key: `more ${workspace}`, height: ROW, workspace, hidden, open });
  }
  return items;
}

/** What the second line of a row tells of; null: it has none. */
export function subOf(entry: Entry): 'phase' | 'question' | 'problem' | 'owner' | null {
  if (entry.state === 'waiting') return 'question';
  if (entry.state === 'running') return 'phase';
  const { living, past } = entry;
  if (entry.state === 'failed' && (living ?? past).problem) return 'problem';
  return past?.owner ? 'owner' : null;
}

export function heightOf(items: Item[]): number {
  const last = items.at(-1);
  return last ? last.top + last.height : 0;
}

/** The lines between `top` and `bottom`, as a range of places. */
export function inSight(items: Item[], top: number, bottom: number): [from: number, to: number] {
  const from = Math.max(0, placeAt(items, top));
  let to = from;
  while (to < items.length && (items[to]?.top ?? Infinity) < bottom) to += 1;
  return [from, to];
}

/** The line that stands at that height. */
export function placeAt(items: Item[], y: number): number {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((items[middle]?.top ?? Infinity) <= y) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? -1 : low;
}

/** Whether its process is gone, or never was one here. */
export function isAtRest(entry: Entry): boolean {
  return entry.living === null || isOver(entry.living.phase);
}
