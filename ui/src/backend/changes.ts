// The shapes of changed files, and what stands in for the program behind them in tests and pictures.
import type { EditorInfo, FileSides, GitChanges, GitCommit, GitDiff, RevertPreview } from '../bindings/bindings';
import { parseDiff, type DiffLine } from '../shared/diff';

export type {
  DiffStyle,
  EditorInfo,
  FileSides,
  GitChanges,
  GitCommit,
  GitDiff,
  GitFile,
  GitStatus,
  RevertPreview,
  Reverted,
  WorkspaceWatch,
} from '../bindings/bindings';

/** A working copy as it is told of. */
export type PlayedGit = {
  changes: GitChanges;
  /** By path. */
  diffs: Record<string, string>;
  /** What a hook says instead of letting a commit through. */
  hook?: string;
  /** What a diff's file holds now, by path. */
  files?: Record<string, string>;
  /** Why a change of that file cannot be taken back. */
  stuck?: Record<string, string>;
  draft?: string;
};

export const noRepository: GitChanges = {
  root: null,
  branch: null,
  head: null,
  files: [],
  more: 0,
  problem: null,
};

export const playedEditors: EditorInfo[] = [
  { id: 'code', name: 'VS Code', terminal: false },
  { id: 'zed', name: 'Zed', terminal: false },
  { id: 'nvim', name: 'Neovim', terminal: true },
];

export function stage(git: PlayedGit, paths: string[], on: boolean): PlayedGit {
  const files = git.changes.files.map((file) =>
    paths.includes(file.path) ? { ...file, staged: on, unstaged: !on } : file,
  );
  return { ...git, changes: { ...git.changes, files } };
}

export function commit(git: PlayedGit, message: string): { git: PlayedGit; made: GitCommit } {
  const files = git.changes.files.filter((file) => !file.staged);
  const made = { hash: '4f9c2d17b0a3e85c61d4f2a9be07', subject: message.split('\n')[0] ?? '' };
  return { git: { ...git, changes: { ...git.changes, head: made.hash, files } }, made };
}

export function diffOf(git: PlayedGit | undefined, path: string): GitDiff {
  const file = git?.changes.files.find((one) => one.path === path);
  return { diff: git?.diffs[path] ?? '', binary: file?.binary ?? false, too_large: false };
}

/** Both sides, made of the lines that the diff knows; the rest is made up, and says its number. */
export function sidesOf(git: PlayedGit | undefined, path: string, diff: string): FileSides {
  const now = git?.files?.[path];
  if (now !== undefined) return { old: null, new: now, matches: false, binary: false, too_large: false };
  const hunks = parseDiff(diff).files.flatMap((file) => file.hunks);
  const build = (side: 'old' | 'new') => {
    const lines: string[] = [];
    const start = (line: DiffLine) => line[side];
    for (const hunk of hunks)
      for (const line of hunk.lines) {
        const number = start(line);
        if (number === null) continue;
        while (lines.length < number - 1) lines.push(`    // line ${lines.length + 1} of the part that did not change`);
        lines.push(line.text);
      }
    return lines.length === 0 ? null : `${lines.join('\n')}\n`;
  };
  return { old: build('old'), new: build('new'), matches: true, binary: false, too_large: false };
}

export function previewOf(
  git: PlayedGit | undefined,
  path: string,
  diff: string,
  hunks: number[] | null,
): RevertPreview {
  const why = git?.stuck?.[path] ?? null;
  const parsed = parseDiff(diff);
  const [file] = parsed.files;
  const picked = (file?.hunks ?? []).filter((_, i) => hunks === null || hunks.includes(i));
  return {
    can: why === null,
    why,
    deletes: hunks === null && file?.oldPath === null && file.newPath !== null,
    recreates: hunks === null && file?.newPath === null && file.oldPath !== null,
    lines_added: picked.reduce((n, hunk) => n + hunk.removed, 0),
    lines_removed: picked.reduce((n, hunk) => n + hunk.added, 0),
  };
}
