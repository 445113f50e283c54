// Colours code off the main thread.
import { colour } from './colouring';
import type { Language } from './languages';
import type { SyntaxSpan } from './segments';

export type HighlightRequest = { id: number; code: string; language: Language };
export type HighlightAnswer = { id: number; lines: SyntaxSpan[][] | null };

self.onmessage = async ({ data }: MessageEvent<HighlightRequest>) => {
  let lines: SyntaxSpan[][] | null = null;
  try {
    lines = await colour(data.code, data.language);
  } catch {
    // A grammar that this engine cannot run: the code stays plain.
  }
  self.postMessage({ id: data.id, lines } satisfies HighlightAnswer);
};
