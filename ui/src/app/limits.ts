// Limits of the settings as a person types them: minutes and seconds, whole. Pure.

/** The least that makes sense: a question must be read before it is gone, in seconds. */
const LEAST = 10;
const MOST = 7 * 24 * 3600;

/** `90` as `1.5`. */
export function minutesText(seconds: number): string {
  return String(Math.round((seconds / 60) * 100) / 100);
}

/** The seconds of a text in that unit, or what is wrong with it. */
export function secondsOf(text: string, unit: 'minutes' | 'seconds'): { seconds: number } | { problem: string } {
  const n = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(n)) return { problem: `A number of ${unit} is needed.` };
  const seconds = Math.round(unit === 'minutes' ? n * 60 : n);
  if (seconds < LEAST) return { problem: `At least ${LEAST} seconds, so that it can be read.` };
  return seconds > MOST ? { problem: 'At most a week.' } : { seconds };
}
