// Colours code off the main thread.
import { colour } from './colouring';
import type { Language } from './languages';
import type { SyntaxSpan } from './segments';

export type HighlightQuestion = { code: string; language: Language };
export type HighlightAnswer = { lines: SyntaxSpan[][] | null };

self.onmessage = async ({ data }: MessageEvent<HighlightQuestion>) => {
  let lines: SyntaxSpan[][] | null = null;
  try {
    lines = await colour(data.code, data.language);
  } catch {
    // A grammar that this engine cannot run: the code stays plain.
  }
  self.postMessage({ lines } satisfies HighlightAnswer);
};
