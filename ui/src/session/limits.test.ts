import { describe, expect, it } from 'vitest';
import { until } from '../shared/time';
import { isReset, limitValue, mergeLimits, type Limit } from './limits';

const limit = (key: string, change: Partial<Limit> = {}): Limit => ({
  key,
  status: 'allowed',
  utilization: 0.4,
  resetsAt: 1000,
  at: '2026-11-30T04:00:00.000Z',
  message: '',
  ...change,
});

describe('usage limits', () => {
  it('keep the newest word on each window, the five hours first', () => {
    const old = [limit('seven_day_opus'), limit('seven_day'), limit('five_hour', { utilization: 0.9 })];
    const news = [
      limit('five_hour', { at: '2026-11-30T03:00:00.000Z', utilization: 0.1 }),
      limit('seven_day', { at: '2026-11-30T05:00:00.000Z', utilization: 0.5 }),
    ];
    expect(mergeLimits(old, news).map((one) => [one.key, one.utilization])).toEqual([
      ['five_hour', 0.9],
      ['seven_day', 0.5],
      ['seven_day_opus', 0.4],
    ]);
  });

  it('say a figure, a word where there is none, and nothing old of a window that began anew', () => {
    expect([
      limitValue(limit('five_hour', { utilization: 0.914 }), 0),
      limitValue(limit('five_hour', { utilization: null, status: 'rejected' }), 0),
      limitValue(limit('five_hour'), 2000),
    ]).toEqual(['91 %', 'used up', 'reset']);
    expect([isReset(limit('a'), 999), isReset(limit('a', { resetsAt: null }), 9e15)]).toEqual([false, false]);
  });

  it('tell how long it takes until they reset', () => {
    const minute = 60_000;
    expect([20_000, 12.9 * minute, 228 * minute, 240 * minute, 52 * 60 * minute].map(until)).toEqual([
      'under 1 min',
      '12 min',
      '3 h 48 min',
      '4 h',
      '2 d 4 h',
    ]);
  });
});
