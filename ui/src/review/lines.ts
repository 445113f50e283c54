// The lines of a diff as somebody walks over them by keyboard: in the order in which a unified view shows them. Pure.
import type { At, DiffLine, Hunk } from '../shared/diff';

export type ReviewLine = At & { hunk: number; kind: DiffLine['kind']; text: string };

export function linesOf(hunks: readonly Hunk[]): ReviewLine[] {
  return hunks.flatMap((hunk, index) =>
    hunk.lines.map((line) => ({
      side: line.new === null ? ('old' as const) : ('new' as const),
      line: line.new ?? line.old ?? 0,
      hunk: index,
      kind: line.kind,
      text: line.text,
    })),
  );
}

/** Where a walk goes from `at`: by lines, or to where the next or previous hunk begins to change something. */
export function walk(
  lines: readonly ReviewLine[],
  at: At | null,
  by: number,
  what: 'line' | 'hunk',
): ReviewLine | null {
  const from = at === null ? -1 : lines.findIndex((one) => one.side === at.side && one.line === at.line);
  if (what === 'line') {
    if (from < 0) return lines.find((one) => one.kind !== 'context') ?? lines[0] ?? null;
    return lines[Math.min(lines.length - 1, Math.max(0, from + by))] ?? null;
  }
  const first = (hunk: number) => lines.find((one) => one.hunk === hunk && one.kind !== 'context') ?? null;
  const now = lines[from]?.hunk;
  return now === undefined ? first(0) : (first(now + by) ?? lines[from] ?? null);
}

/** A line as it is said aloud. */
export function spoken(line: ReviewLine): string {
  const what = { context: 'unchanged', added: 'added', removed: 'removed' }[line.kind];
  return `Line ${line.line}, ${what}: ${line.text.trim().slice(0, 200) || 'empty'}`;
}
