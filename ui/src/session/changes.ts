// The files that a turn or the whole session changed, and the part of a unified diff that is about one of them.
import type { ChangedFile } from '../bindings/bindings';
import type { SessionView } from './view';

export type FileChange = ChangedFile & { status: 'A' | 'M' | 'D'; diff: string };

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
  const all = new Map<string, FileChange>();
  for (const part of parts) {
    const diffs = splitDiff(part.diff);
    for (const file of part.files) {
      const diff = diffs.get(file.path) ?? lookUp(diffs, file.path) ?? '';
      const before = all.get(file.path);
      all.set(file.path, {
        path: file.path,
        added: (before?.added ?? 0) + file.added,
        removed: (before?.removed ?? 0) + file.removed,
        status: before?.status === 'A' ? 'A' : statusOf(diff),
        diff: before?.diff ? `${before.diff}\n${hunksOf(diff)}` : diff,
      });
    }
  }
  return [...all.values()];
}

/** A diff of several files, by file. */
export function splitDiff(diff: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = '';
  let lines: string[] = [];
  let oldName = '';
  const keep = () => {
    if (name === '') return;
    const before = found.get(name);
    const text = lines.join('\n');
    // Several edits of a file may come as several sections.
    found.set(name, before === undefined ? text : `${before}\n${hunksOf(text)}`);
  };
  const all = diff.split('\n');
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

function lookUp(diffs: Map<string, string>, path: string): string | undefined {
  for (const [name, diff] of diffs)
    if (path.endsWith(`/${name}`) || name.endsWith(`/${path}`) || name === path.replace(/^\//, '')) return diff;
  return undefined;
}

function statusOf(diff: string): 'A' | 'M' | 'D' {
  if (/^--- \/dev\/null/m.test(diff) || /^@@ -0,0 /m.test(diff)) return 'A';
  return /^\+\+\+ \/dev\/null/m.test(diff) ? 'D' : 'M';
}

function hunksOf(diff: string): string {
  const start = diff.indexOf('@@');
  return start < 0 ? '' : diff.slice(start);
}
