// A whole new content with some of its changes taken back. Pure. Offered only where the diff and the content agree line by
// line, so that what is left is exactly what was seen.
import type { PermissionRequest } from '../bindings/bindings';
import { parseDiff, type DiffLine, type Hunk } from '../shared/diff';
import { isRecord } from '../tools/detail';

/** The hunks of a change that can be taken or left one by one: those of a Write over a file that is there. */
export function divisible(request: PermissionRequest): Hunk[] {
  const { input, normalized, tool_name: tool } = request;
  if (tool !== 'Write' || normalized.kind !== 'modify_file' || !isRecord(input) || typeof input.content !== 'string')
    return [];
  const [mutation, ...more] = normalized.modify_file.mutations;
  if (!mutation || more.length > 0 || mutation.diff === null || mutation.start_line === null) return [];
  const hunks = parseDiff(mutation.diff).files.flatMap((file) => file.hunks);
  return hunks.length > 1 && without(input.content, hunks, new Set()) === input.content ? hunks : [];
}

/** `content` without the changes of the hunks left out, by number from 1; null if the hunks are not those of `content`. */
export function without(content: string, hunks: Hunk[], leftOut: ReadonlySet<number>): string | null {
  const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  // From the end, so that earlier places stay where they are.
  for (let i = hunks.length - 1; i >= 0; i--) {
    const hunk = hunks[i];
    if (!hunk) continue;
    const after = hunk.lines.filter((l) => l.new !== null).map(whole);
    // Where nothing is left in the new file, the start is the line before.
    const from = after.length === 0 ? hunk.newStart : hunk.newStart - 1;
    if (after.some((line, k) => lines[from + k] !== line)) return null;
    if (leftOut.has(i + 1)) lines.splice(from, after.length, ...hunk.lines.filter((l) => l.old !== null).map(whole));
  }
  return lines.join('');
}

const whole = (line: DiffLine) => line.text + (line.noNewline ? (line.crlf ? '\r' : '') : line.crlf ? '\r\n' : '\n');
