// When an open question answers itself, where the session has a limit for that. Pure.
import { clock } from '../shared/time';

export type Deadline = {
  /** Milliseconds since the epoch. */
  until: number;
  /** What happens then, as in `denied and stopped in 1:30`. */
  will: string;
};

/** `seconds` from when it was asked; null: it waits for as long as it takes. */
export function countdownOf(at: string, seconds: number | null, kind: 'permission' | 'elicitation'): Deadline | null {
  const asked = Date.parse(at);
  if (seconds === null || seconds <= 0 || Number.isNaN(asked)) return null;
  return { until: asked + seconds * 1000, will: kind === 'permission' ? 'denied and stopped' : 'cancelled' };
}

export function deadlineWords(deadline: Deadline, now: number): string {
  const left = deadline.until - now;
  // The second that has begun counts, so that 0:00 is the end and not before it.
  return left > 0 ? `${deadline.will} in ${clock(Math.ceil(left / 1000) * 1000)}` : `${deadline.will} now`;
}
