// Asks the worker for the colours of code and keeps the newest answers. Code is drawn plain until they come, and stays so
// where there is no worker, no such language, too much text, or a grammar that takes too long with it.
import type { HighlightQuestion, HighlightAnswer } from './highlight.worker';
import type { Language } from './languages';
import type { SyntaxSpan } from './segments';
import { Newest, WorkerJobs } from './workerJobs';

export type Colours = SyntaxSpan[][];

/** UTF-16 units. Beyond this the time until colours come is longer than the look at them. */
const MAX_CODE = 200_000;
const LIMIT_MS = 8000;

/** The colours of a text take many times its room. */
const MAX_KEPT = 2_000_000;

const kept = new Newest<Promise<Colours | null>>(200, MAX_KEPT);
const jobs = new WorkerJobs<HighlightQuestion, HighlightAnswer>(
  () => new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' }),
  LIMIT_MS,
);

/** The colours of each line, or null where the code stays plain. Never rejects. */
export function highlight(code: string, language: Language | null): Promise<Colours | null> {
  if (language === null || code === '' || code.length > MAX_CODE) return Promise.resolve(null);
  return kept.get(`${language}\n${code}`, async () => (await jobs.ask({ code, language }))?.lines ?? null);
}
