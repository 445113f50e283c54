import { describe, expect, it } from 'vitest';
import { blankInfo } from '../backend/replay';
import { askedFor, rowState } from './phase';

describe('what a session waits for', () => {
  it('is told by the tool and what it is about', () => {
    const told = [
      'Edit src/a.rs',
      'Bash: npm test',
      'AskUserQuestion: Which one?',
      'mcp__almanac__moon: almanac: moon',
      'Edit',
      null,
    ];
    expect(told.map((text) => Object.values(askedFor(text)))).toEqual([
      ['Edit', 'src/a.rs'],
      ['Bash', 'npm test'],
      ['Question', 'Which one?'],
      ['MCP', 'almanac: moon'],
      ['Edit', ''],
      ['Question', ''],
    ]);
  });
});

describe('the state of a row', () => {
  it('is waiting as long as a question is open, whatever else goes on', () => {
    expect(rowState({ ...blankInfo('a', '/w', ''), phase: 'streaming', waiting: 1 })).toBe('waiting');
  });

  it('tells an end that was wanted from a failure', () => {
    const states = (['stopped', 'failed', 'idle', 'background'] as const).map((phase) =>
      rowState({ ...blankInfo('a', '/w', ''), phase }),
    );
    expect(states).toEqual(['ended', 'failed', 'idle', 'running']);
  });
});
