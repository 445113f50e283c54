import { describe, expect, it } from 'vitest';
import { feedback, passagesOf } from './passages';

const plan = [
  '# Plan',
  '',
  'First words',
  'go on.',
  '',
  '1. one',
  '   still one',
  '',
  '   and a second paragraph',
  '2. two',
  '- [ ] three',
  '',
  '```sh',
  'a',
  '',
  '- no entry',
  '```',
  '| a | b |',
  '| - | - |',
  '',
  '[x]: https://a.example',
].join('\n');

describe('the passages of a plan', () => {
  it('are headings, paragraphs, entries of lists, code and tables', () => {
    expect(passagesOf(plan).map((one) => one.text.replace('\n\n[x]: https://a.example', ''))).toEqual([
      '# Plan',
      'First words\ngo on.',
      '1. one\n   still one\n\n   and a second paragraph',
      '2. two',
      '- [ ] three',
      '```sh\na\n\n- no entry\n```',
      '| a | b |\n| - | - |',
    ]);
  });
  it('begin where they stand', () => {
    for (const { at, text } of passagesOf(plan)) expect(plan.slice(at)).toContain(text.split('\n')[0]);
    expect(new Set(passagesOf(plan).map((one) => one.at)).size).toBe(7);
  });
  it.each(['', '\n\n', '```\nnever closed', '\r\n# a\r\n'])('are found in %j', (text) =>
    expect(passagesOf(text).length).toBeLessThan(2),
  );
});

describe('comments as a message', () => {
  it('stand under what they are about, in the order of the plan', () => {
    const comments = [
      { at: 40, quote: 'two\nlines', text: ' Second. ' },
      { at: 8, quote: 'First words', text: 'First.' },
      { at: 9, quote: 'x', text: '  ' },
    ];
    expect(feedback(comments, 'Shorter.')).toBe(
      'Comments on the plan:\n\n> First words\n\nFirst.\n\n> two\n> lines\n\nSecond.\n\nOn the whole: Shorter.',
    );
  });
  it('are the message alone where there are none', () => expect(feedback([], ' no ')).toBe('no'));
  it('cut a long quotation', () =>
    expect(feedback([{ at: 0, quote: 'x'.repeat(900), text: 'y' }], '').length).toBeLessThan(400));
});
