import { describe, expect, it } from 'vitest';
import { placeOf, promptWith, readComments, type Comment } from './comments';

const one: Comment = {
  id: '1',
  path: 'src/a.rs',
  line: 38,
  side: 'new',
  text: 'This waits twice.',
  quoted: '    let wait = wait();',
};

describe('comments in a prompt', () => {
  it('stand before what was typed, each with its place and its line', () => {
    expect(
      promptWith([one, { ...one, line: 4, side: 'old', text: 'Why did this go?\nIt was used.' }], 'And run it.'),
    ).toBe(
      [
        'Comments on the changes:',
        '',
        '- src/a.rs:38: This waits twice.',
        '  > let wait = wait();',
        '- src/a.rs:4 (as it was before): Why did this go?',
        '  It was used.',
        '  > let wait = wait();',
        '',
        'And run it.',
      ].join('\n'),
    );
  });

  it('are a prompt by themselves, and none leave the prompt as it is', () => {
    expect(promptWith([{ ...one, quoted: '' }], '')).toBe(
      'Comments on the changes:\n\n- src/a.rs:38: This waits twice.',
    );
    expect(promptWith([], 'Run it.')).toBe('Run it.');
  });

  it('quote the beginning of a line that has no end', () => {
    expect(promptWith([{ ...one, quoted: 'x'.repeat(1_000_000) }], '').length).toBeLessThan(500);
  });
});

it('a place says when it is on the old side', () => {
  expect(placeOf(one)).toBe('src/a.rs:38');
  expect(placeOf({ ...one, side: 'old' })).toBe('src/a.rs:38 (as it was before)');
});

it('only what is a comment is read again', () => {
  expect(readComments([one, { ...one, line: '3' }, null, { ...one, side: 'left' }])).toEqual([one]);
  expect(readComments({})).toEqual([]);
});
