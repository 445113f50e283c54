import { expect, it } from 'vitest';
import { parseDiff } from './diff';
import { lineDiff } from './lineDiff';

const lines = (before: string, after: string) =>
  parseDiff(lineDiff(before, after)).files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines));

it.each([
  ['a', 'b'],
  ['a\nb\nc\nd\ne\nf', 'a\nb\nc\nX\ne\nf'],
  ['a\na', 'a\na\na'],
  ['a\nb', 'b'],
  ['', 'a\nb'],
  ['a\nb\n', ''],
])('turns %j into %j', (before, after) => {
  const hunk = lines(before, after);
  const old = hunk.filter((l) => l.old !== null).map((l) => l.text);
  const now = hunk.filter((l) => l.new !== null).map((l) => l.text);
  expect(before.split('\n').join('\n')).toContain(old.join('\n'));
  expect(after).toContain(now.join('\n'));
  expect(before.replace(old.join('\n'), () => now.join('\n'))).toBe(after);
});

it('shows the lines around a change and none far from it', () => {
  const before = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n');
  expect(lines(before, before.replace('line 20', 'other')).map((l) => l.text)).toEqual([
    'line 18',
    'line 19',
    'line 20',
    'other',
    'line 21',
    'line 22',
  ]);
});
