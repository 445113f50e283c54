import { expect, it } from 'vitest';
import { parseDiff } from './diff';
import { lineDiff } from './lineDiff';

const lines = (before: string, after: string) =>
  parseDiff(lineDiff(before, after)).files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines));
const shown = (before: string, after: string) =>
  lines(before, after).map((l) => `${{ context: ' ', added: '+', removed: '-' }[l.kind]}${l.text}`);

it('leaves what both texts hold as context, between changes too', () => {
  expect(shown('a\nb\nc\nd\n', 'a\nB\nc\nD\n')).toEqual([' a', '-b', '+B', ' c', '-d', '+D']);
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

it('says nothing of texts that are the same', () => {
  expect(lineDiff('a\nb', 'a\nb')).toBe('');
  expect(lineDiff('', '')).toBe('');
});

it('tells line ends apart, and a last line that has none', () => {
  expect(lines('a\r\n', 'a\n').map((l) => [l.kind, l.crlf])).toEqual([
    ['removed', true],
    ['added', false],
  ]);
  expect(lines('a', 'a\n').map((l) => [l.kind, l.noNewline])).toEqual([
    ['removed', true],
    ['added', false],
  ]);
});

it('counts from where the texts stand in their file', () => {
  expect(lineDiff('a\nb\n', 'a\nc\n', 38)).toBe('@@ -38,2 +38,2 @@\n a\n-b\n+c\n');
  expect(lineDiff('', 'x\n')).toBe('@@ -0,0 +1,1 @@\n+x\n');
});

it('replaces as a whole what would take too long to compare', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n');
  const { added, removed } = parseDiff(lineDiff(many('a'), many('b')));
  expect([added, removed]).toEqual([3000, 3000]);
});
