// Two texts as one hunk of a unified diff: what both begin and end with is context, what is between is replaced. Pure.

/** Lines of context around what changed. */
const AROUND = 2;

export function lineDiff(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - AROUND);
  const [oldEnd, nowEnd] = [old.length - Math.max(0, tail - AROUND), now.length - Math.max(0, tail - AROUND)];
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, oldEnd).map((line) => ` ${line}`),
  ];
  return `@@ -${from + 1},${oldEnd - from} +${from + 1},${nowEnd - from} @@\n${lines.join('\n')}\n`;
}
