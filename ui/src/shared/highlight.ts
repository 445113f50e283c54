// Asks the worker for the colours of code and keeps the newest answers. Code is drawn plain until they come, and stays so
// where there is no worker, no such language, or too much text.
import type { HighlightAnswer, HighlightRequest } from './highlight.worker';
import type { Language } from './languages';
import type { SyntaxSpan } from './segments';

export type Colours = SyntaxSpan[][];

/** UTF-16 units. Beyond this the time until colours come is longer than the look at them. */
const MAX_CODE = 200_000;
const KEPT = 200;

const kept = new Map<string, Promise<Colours | null>>();
const waiting = new Map<number, (lines: Colours | null) => void>();
let worker: Worker | null = null;
let nextId = 1;

function start(): Worker | null {
  if (worker || typeof Worker === 'undefined') return worker;
  worker = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  };
  worker.onerror = () => {
    for (const done of waiting.values()) done(null);
    waiting.clear();
    worker?.terminate();
    worker = null;
  };
  return worker;
}

/** The colours of each line, or null where the code stays plain. Never rejects. */
export function highlight(code: string, language: Language | null): Promise<Colours | null> {
  if (language === null || code === '' || code.length > MAX_CODE) return Promise.resolve(null);
  const key = `${language}\n${code}`;
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const to = start();
  if (!to) return Promise.resolve(null);
  const answer = new Promise<Colours | null>((done) => {
    const id = nextId++;
    waiting.set(id, done);
    to.postMessage({ id, code, language } satisfies HighlightRequest);
  });
  kept.set(key, answer);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && !oldest.done) kept.delete(oldest.value);
  return answer;
}
