import { describe, expect, it } from 'vitest';
import type { SessionEnd } from '../bindings/bindings';
import { turn } from '../dev/story';
import { outcomeOf, retryOf } from './outcome';
import type { Row } from './rows';

const at = '2026-01-01T00:00:00Z';
let key = 0;
const prompt = (text: string, synthetic = false): Row => ({
  kind: 'prompt',
  key: `p${++key}`,
  at,
  seq: 0,
  text,
  uuid: `u-${text}`,
  attachments: [],
  synthetic,
});
const ends = (number: number, good: boolean, last: string | null = `m${number}`): Row => ({
  kind: 'turn',
  key: `e${++key}`,
  at,
  seq: 0,
  number,
  data: turn({ is_error: !good, last_message_uuid: last }),
  files: 0,
  added: 0,
  removed: 0,
});
const died = (expected = false): Row => ({
  kind: 'ended',
  key: `x${++key}`,
  at,
  seq: 0,
  data: { exit_code: null, signal: 'SIGKILL', stderr_tail: '', expected } satisfies SessionEnd,
});

describe('trying a turn again', () => {
  it('goes on from the last message of the turn before that was good', () => {
    const rows = [prompt('a'), ends(1, true), prompt('b'), ends(2, true), prompt('c'), ends(3, false)];
    expect(retryOf(rows, 4)).toEqual({ at: 'm2', text: 'c', images: [] });
  });

  it('leaves out failed turns before it', () => {
    const rows = [prompt('a'), ends(1, true), prompt('b'), ends(2, false), prompt('c'), ends(3, false)];
    expect(retryOf(rows, 4)?.at).toBe('m1');
  });

  it('goes back to the beginning for the first turn alone', () => {
    expect(retryOf([prompt('a'), ends(1, false)], 2)).toEqual({ at: null, text: 'a', images: [] });
    // Earlier turns are not loaded, or did not name their last message: from where to go on is not known.
    expect(retryOf([prompt('h'), ends(8, false)], 9)).toBeNull();
    expect(retryOf([prompt('a'), ends(1, true, null), prompt('b'), ends(2, false)], 3)).toBeNull();
  });

  it('is not offered for a turn that was good, that runs, or that was ended on purpose', () => {
    expect(retryOf([prompt('a'), ends(1, true)], 2)).toBeNull();
    expect(retryOf([prompt('a'), ends(1, false), prompt('b')], 2)).toBeNull();
    expect(retryOf([prompt('a'), ends(1, true), died(true)], 2)).toBeNull();
    expect(retryOf([], 1)).toBeNull();
  });

  it('is offered for a turn in which the process died', () => {
    expect(retryOf([prompt('a'), ends(1, true), prompt('b'), died()], 2)?.at).toBe('m1');
    expect(retryOf([prompt('a'), died()], 1)).toEqual({ at: null, text: 'a', images: [] });
  });

  it('sends what a person said, not what the CLI put in', () => {
    const rows = [prompt('a'), ends(1, true), prompt('b'), prompt('a reminder', true), ends(2, false)];
    expect(retryOf(rows, 3)?.text).toBe('b');
  });
});

describe('how a turn went', () => {
  it('is told by its reason, and by its kind where old versions give none', () => {
    expect(outcomeOf(turn({}))).toBe('done');
    expect(outcomeOf(turn({ is_error: true }))).toBe('failed');
    expect(outcomeOf(turn({ terminal_reason: 'aborted_streaming', is_error: true }))).toBe('interrupted');
    expect(outcomeOf(turn({ subtype: 'error_during_execution', is_error: false }))).toBe('interrupted');
    expect(outcomeOf(turn({ subtype: 'error_max_turns' }))).toBe('failed');
  });
});
