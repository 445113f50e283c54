// What shared parts ask of the window around them, without knowing it.
import { getContext, setContext } from 'svelte';

export type Surroundings = {
  /** Opens an http, https or mailto address outside the window. */
  openUrl: (url: string) => void;
  /** Opens a file in the editor, at a line (from 1) where one is given. Absent: paths are words alone. */
  openFile?: (path: string, line?: number | null) => void;
  /** What a background task has said so far, by its id. */
  task?: (id: string) => TaskWords | undefined;
};

/** Of a task, what a view draws; the fields are the wire's (PROTOCOL 8). */
export type TaskWords = {
  status?: string | null;
  summary?: string | null;
  over: boolean;
  workflow_progress?: unknown;
};

const key = Symbol('surroundings');

export function provideSurroundings(surroundings: Surroundings): void {
  setContext(key, surroundings);
}

/** Where nothing was provided, a link does nothing. */
export function surroundings(): Surroundings {
  return getContext<Surroundings | undefined>(key) ?? { openUrl: () => {} };
}
