// The shapes of what programs print, as it is asked for by ranges of lines.
import type { OutputHits, OutputPart, OutputSource } from '../bindings/bindings';
import type { Backend } from './backend';

export type { OutputHits, OutputLine, OutputPart, OutputRun, OutputSource, OutputStream } from '../bindings/bindings';

/** Lines that one question may ask for. */
export const MOST_LINES = 2000;
/** UTF-16 units of a line that are shown. */
export const MOST_UNITS = 10_000;

/** The outputs of one session. */
export function outputsOf(backend: Backend, session: string) {
  return {
    of: session,
    read: (source: OutputSource, from: number, count: number): Promise<OutputPart> =>
      backend.toolOutput(session, source, from, count),
    find: (source: OutputSource, words: string, limit: number): Promise<OutputHits> =>
      backend.findInOutput(session, source, words, limit),
    text: (source: OutputSource) => backend.outputText(session, source),
    save: (source: OutputSource) => backend.saveOutput(session, source),
  };
}
