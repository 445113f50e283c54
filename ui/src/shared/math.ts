// Asks the worker that makes MathML, which is loaded with the first formula, and keeps the newest answers.
import { MAX_MATH } from './markdown/mathSigns';
import type { MathAnswer, MathQuestion } from './math.worker';
import { Newest, WorkerJobs } from './workerJobs';

const LIMIT_MS = 4000;

const kept = new Newest<Promise<MathAnswer>>(300);
const jobs = new WorkerJobs<MathQuestion, MathAnswer>(
  () => new Worker(new URL('./math.worker.ts', import.meta.url), { type: 'module' }),
  LIMIT_MS,
);

/** Never rejects. */
export function asMathMl(text: string, display: boolean): Promise<MathAnswer> {
  if (text.length > MAX_MATH) return Promise.resolve({ problem: 'too long' });
  return kept.get(
    `${display ? 'd' : 'i'}${text}`,
    async () => (await jobs.ask({ text, display })) ?? { problem: 'no answer' },
  );
}
