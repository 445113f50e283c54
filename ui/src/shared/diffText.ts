// A diff that was read, written again as text. Pure: what is read of it is what was written.
import type { DiffFile, DiffLine, Hunk } from './diff';

/** With `---` and `+++` lines where a name is known. */
export function diffText(file: Pick<DiffFile, 'oldPath' | 'newPath' | 'hunks'>): string {
  const { oldPath, newPath } = file;
  const head = oldPath === null && newPath === null ? '' : `--- ${named(oldPath, 'a')}\n+++ ${named(newPath, 'b')}\n`;
  return head + file.hunks.map(hunkText).join('');
}

/** Git's letters stand before a path from the repository's folder; a whole path is written as it is. */
function named(path: string | null, letter: 'a' | 'b'): string {
  if (path === null) return '/dev/null';
  return /^(\/|[A-Za-z]:)/.test(path) ? path : `${letter}/${path}`;
}

function hunkText(hunk: Hunk): string {
  const section = hunk.section === '' ? '' : ` ${hunk.section}`;
  return `${positions(hunk)}${section}\n${hunk.lines.map(lineText).join('')}`;
}

/** `@@ -34,6 +36,12 @@` */
export function positions(hunk: Hunk): string {
  let [old, now] = [0, 0];
  for (const line of hunk.lines) {
    if (line.old !== null) old++;
    if (line.new !== null) now++;
  }
  return `@@ -${hunk.oldStart},${old} +${hunk.newStart},${now} @@`;
}

const SIGNS = { context: ' ', added: '+', removed: '-' };

function lineText(line: DiffLine): string {
  const end = line.noNewline ? '\n\\ No newline at end of file\n' : '\n';
  return `${SIGNS[line.kind]}${line.text}${line.crlf ? '\r' : ''}${end}`;
}
