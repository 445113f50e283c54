// A changed file as the panel lists it, wherever it is known from: the edits of the session, or git. Pure.
import type { GitFile } from '../backend/changes';
import type { FileChange } from './changes';

export type Change = {
  path: string;
  oldPath: string | null;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'conflict';
  /** Lines; null where they are not counted. */
  added: number | null;
  removed: number | null;
  binary: boolean;
  /** Some of it goes into the next commit, and some does not; null where there is no such thing. */
  staged: boolean | null;
  unstaged: boolean;
  /** Null: it is asked for. */
  diff: string | null;
  /** Edits that are no one change, oldest first. */
  edits: string[];
};

const OURS = { A: 'added', M: 'modified', D: 'deleted' } as const;

export function ofSession(file: FileChange): Change {
  const { path, added, removed, diff, edits } = file;
  return {
    path,
    oldPath: null,
    status: OURS[file.status],
    added,
    removed,
    binary: false,
    staged: null,
    unstaged: false,
    diff,
    edits,
  };
}

export function ofGit(file: GitFile): Change {
  const { path, old_path, status, added, removed, binary, staged, unstaged } = file;
  return { path, oldPath: old_path, status, added, removed, binary, staged, unstaged, diff: null, edits: [] };
}

export const LETTERS: Record<Change['status'], string> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  untracked: 'U',
  conflict: 'C',
};

export type Sum = { added: number; removed: number };

export function sumOf(changes: readonly Change[]): Sum {
  return {
    added: changes.reduce((n, one) => n + (one.added ?? 0), 0),
    removed: changes.reduce((n, one) => n + (one.removed ?? 0), 0),
  };
}

/** What a person hears of it: `retry.rs, in src/delivery, modified, 3 added, 2 removed`. */
export function spokenChange(change: Change, name: string, folder: string): string {
  const parts = [name, folder === '' ? '' : `in ${folder}`, change.status];
  if (change.oldPath !== null) parts.push(`was ${change.oldPath}`);
  if (change.binary) parts.push('binary');
  if (change.added !== null) parts.push(`${change.added} added`);
  if (change.removed !== null) parts.push(`${change.removed} removed`);
  if (change.staged !== null)
    parts.push(change.staged ? (change.unstaged ? 'staged in part' : 'staged') : 'not staged');
  return parts.filter((part) => part !== '').join(', ');
}
