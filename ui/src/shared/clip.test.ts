import { expect, it } from 'vitest';
import { beginning } from './clip';

it.each([
  ['', 3, 100, { text: '', total: 0, cut: false }],
  ['a', 3, 100, { text: 'a', total: 1, cut: false }],
  ['a\nb\n', 2, 100, { text: 'a\nb', total: 2, cut: false }],
  ['a\nb\nc', 2, 100, { text: 'a\nb', total: 3, cut: true }],
  ['a\nb\nc\n', 2, 100, { text: 'a\nb', total: 3, cut: true }],
  ['abcdef', 2, 3, { text: 'abc', total: 1, cut: true }],
  ['ab👍', 2, 3, { text: 'ab', total: 1, cut: true }],
])('the beginning of %j, %i lines, %i characters', (text, lines, chars, expected) =>
  expect(beginning(text as string, lines as number, chars as number)).toEqual(expected),
);
