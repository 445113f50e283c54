import { describe, expect, it } from 'vitest';
import cases from '../../../tests/conversations/screens.json';
import { foundIn, linesOf, partOf, plainOf } from './screen';

describe('the stand-in makes the lines that the program makes', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, { input, lines }) =>
    expect(linesOf(input)).toEqual(lines),
  );
});

describe('a part of an output', () => {
  const text = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');

  it('is counted from the beginning or from the end', () => {
    expect(partOf(text, 10, 2, true)).toMatchObject({ from: 10, total: 30, done: true });
    const end = partOf(text, -3, 10, false);
    expect([end.from, end.lines.map(plainOf)]).toEqual([27, ['line 27', 'line 28', 'line 29']]);
    expect(partOf(text, 99, 5, true).lines).toEqual([]);
  });

  it('is found by words, whatever their case', () =>
    expect(foundIn(text, 'LINE 2', 3)).toEqual({ lines: [2, 20, 21], total: 11, more: true }));
});
