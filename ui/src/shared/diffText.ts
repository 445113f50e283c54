// A diff that was read, written again as text. Pure: what is read of it is what was written.
import type { DiffFile, DiffLine, Hunk } from './diff';

/** With `---` and `+++` lines where a name is known. */
export function diffText(file: Pick<DiffFile, 'oldPath' | 'newPath' | 'hunks'>): string {
  const head =
    file.oldPath === null && file.newPath === null
      ? ''
      : `--- ${file.oldPath === null ? '/dev/null' : `a/${file.oldPath}`}\n+++ ${file.newPath === null ? '/dev/null' : `b/${file.newPath}`}\n`;
  return head + file.hunks.map(hunkText).join('');
}

export function hunkText(hunk: Hunk): string {
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
