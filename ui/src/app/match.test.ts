import { describe, expect, it } from 'vitest';
import { matches, rank } from './match';

describe('finding by words', () => {
  it('finds words in any order', () => {
    expect(matches('End the session', 'session end')).toBe(true);
    expect(matches('End the session', 'session start')).toBe(false);
  });

  it('puts what was typed as it stands before what only holds the words', () => {
    const titles = ['Jump to the end of the session', 'Now end the session', 'End the session'];
    const typed = 'end the session';
    expect([...titles].sort((a, b) => rank(a, typed) - rank(b, typed))).toEqual([
      'End the session',
      'Now end the session',
      'Jump to the end of the session',
    ]);
  });

  it('leaves the order alone while nothing is typed', () => {
    expect(rank('New session', '')).toBe(rank('Settings', ''));
  });
});
