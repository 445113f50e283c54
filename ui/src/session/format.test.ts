import { describe, expect, it } from 'vitest';
import { momentOf } from './format';

describe('a moment of a history', () => {
  const now = new Date(2026, 10, 30, 13, 16).getTime();
  const on = (...when: [number, number, number, number, number]) => momentOf(new Date(...when).getTime(), now);

  it('is the time today, and names the day where that is another', () => {
    expect(on(2026, 10, 30, 0, 0)).toBe('00:00');
    expect(on(2026, 10, 29, 23, 59)).toBe('29 Nov 23:59');
    expect(on(2026, 0, 3, 9, 5)).toBe('3 Jan 09:05');
    expect(on(2025, 11, 31, 9, 5)).toBe('31 Dec 2025, 09:05');
  });

  it('is nothing where there is none', () => {
    expect(momentOf('', now)).toBe('');
  });
});
