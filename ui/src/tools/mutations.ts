// A change of a file as a diff to draw. Pure.
import type { Mutation } from '../bindings/bindings';
import { allAdded } from '../shared/diff';
import { lineDiff } from '../shared/lineDiff';

export function diffOf(mutation: Mutation): string {
  if (mutation.diff !== null) return mutation.diff;
  if (mutation.type === 'create') return allAdded(mutation.content ?? mutation.new_content ?? '');
  return lineDiff(mutation.old_content ?? '', mutation.new_content ?? mutation.content ?? '', mutation.start_line ?? 1);
}

/** Where in the file it goes is known; else its line numbers are not the file's. */
export function isPlaced(mutation: Mutation): boolean {
  return mutation.type === 'create' || mutation.start_line !== null;
}
