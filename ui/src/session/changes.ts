// The files that a turn or the whole session changed, and the part of a unified diff that is about one of them. Pure.
import type { ChangedFile } from '../bindings/bindings';
import { parseDiff } from '../shared/diff';
import { joinDiffs } from '../shared/joinDiffs';
import type { SessionView } from './view';

export type FileChange = ChangedFile & {
  status: 'A' | 'M' | 'D';
  /** All edits of the file as one change; '' when they came to nothing, or when `edits` has them one by one. */
  diff: string;
  /** The edits, where somebody else changed the file between them, so that they are no one change. */
  edits: string[];
};

type Source = { files: ChangedFile[]; diff: string };

/** The turn whose changes are shown: the one that runs, else the last. The same object as long as nothing changed. */
export function shownTurn(view: SessionView): Source | null {
  if (view.turn.files.length > 0 || view.turn.startedAt !== null) return view.turn;
  return view.turns.at(-1) ?? null;
}

export function turnChanges(view: SessionView): FileChange[] {
  const turn = shownTurn(view);
  return turn ? filesOf([turn]) : [];
}

export function sessionChanges(view: SessionView): FileChange[] {
  return filesOf([...view.turns.filter((turn) => turn.files.length > 0), view.turn]);
}

function filesOf(parts: Source[]): FileChange[] {
  const all = new Map<string, ChangedFile & { edits: string[] }>();
  for (const part of parts) {
    const diffs = partsOf(part);
    for (const file of part.files) {
      const edits = diffs.get(file.path) ?? lookUp(diffs, file.path) ?? [];
      const before = all.get(file.path);
      all.set(file.path, {
        path: file.path,
        added: (before?.added ?? 0) + file.added,
        removed: (before?.removed ?? 0) + file.removed,
        edits: [...(before?.edits ?? []), ...edits],
      });
    }
  }
  return [...all.values()].map(({ edits, ...file }) => ({ ...file, ...joinedOf(file, edits) }));
}

/** A turn that is over stays the object it is, and is taken apart once. */
const apart = new WeakMap<Source, { diff: string; parts: Map<string, string[]> }>();

function partsOf(source: Source): Map<string, string[]> {
  const known = apart.get(source);
  if (known?.diff === source.diff) return known.parts;
  const parts = splitDiff(source.diff);
  apart.set(source, { diff: source.diff, parts });
  return parts;
}

type Joined = Omit<FileChange, 'path'>;

/** What was joined last of each file: only the file that was edited is joined again. */
const kept = new Map<string, { edits: string[]; joined: Joined }>();
const KEPT = 4000;

function joinedOf(file: ChangedFile, edits: string[]): Joined {
  const known = kept.get(file.path);
  if (known && known.edits.length === edits.length && known.edits.every((edit, i) => edit === edits[i]))
    return known.joined;
  const diff = joinDiffs(edits);
  const counts = diff === null ? file : parseDiff(diff);
  const joined: Joined = {
    added: counts.added,
    removed: counts.removed,
    status: statusOf(edits),
    diff: diff ?? '',
    edits: diff === null ? edits : [],
  };
  if (kept.size >= KEPT) kept.clear();
  kept.set(file.path, { edits, joined });
  return joined;
}

/** A diff of several files, by file: one text for each time that the file stands in it. */
export function splitDiff(diff: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let name = '';
  let lines: string[] = [];
  let oldName = '';
  const keep = () => {
    if (name === '') return;
    const before = found.get(name);
    const text = lines.join('\n');
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    if (before) before.push(whole);
    else found.set(name, [whole]);
  };
  const all = diff.split('\n');
  if (all.at(-1) === '') all.pop();
  for (let i = 0; i < all.length; i++) {
    const line = all[i] ?? '';
    const next = all[i + 1] ?? '';
    if (
      line.startsWith('diff --git ') ||
      (line.startsWith('--- ') && next.startsWith('+++ ') && !lines.at(-1)?.startsWith('diff --git '))
    ) {
      keep();
      name = '';
      lines = [];
    }
    if (line.startsWith('--- ') && next.startsWith('+++ ')) oldName = bare(line.slice(4));
    if (line.startsWith('+++ ') && all[i - 1]?.startsWith('--- ')) {
      const fresh = bare(line.slice(4));
      name = fresh === '/dev/null' ? oldName : fresh;
    }
    lines.push(line);
  }
  keep();
  return found;
}

function bare(name: string): string {
  return name.replace(/\t.*$/, '').replace(/^[ab]\//, '');
}

function lookUp(diffs: Map<string, string[]>, path: string): string[] | undefined {
  for (const [name, edits] of diffs)
    if (path.endsWith(`/${name}`) || name.endsWith(`/${path}`) || name === path.replace(/^\//, '')) return edits;
  return undefined;
}

function statusOf(edits: string[]): 'A' | 'M' | 'D' {
  const [first = '', last = ''] = [edits[0], edits.at(-1)];
  if (/^\+\+\+ \/dev\/null/m.test(last)) return 'D';
  return /^--- \/dev\/null/m.test(first) || /^@@ -0,0 /m.test(first) ? 'A' : 'M';
}
