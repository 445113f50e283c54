// What shared parts ask of the window around them, without knowing it.
import { getContext, setContext } from 'svelte';
import type { OutputHits, OutputPart, OutputSource } from '../backend/outputs';

export type Surroundings = {
  /** Opens an http, https or mailto address outside the window. */
  openUrl: (url: string) => void;
  /** Opens a file in the editor, at a line (from 1) where one is given. Absent: paths are words alone. */
  openFile?: (path: string, line?: number | null) => void;
  /** An image file of the workspace as a `data:` address, or null; only formats without script. Absent: images are links. */
  image?: (path: string) => Promise<string | null>;
  /** What a background task has said so far, by its id. */
  task?: (id: string) => TaskWords | undefined;
  /** The background task that a call became. */
  taskOf?: (toolCallId: string) => TaskWords | undefined;
  /** Absent: tasks cannot be stopped from here. */
  stopTask?: (id: string) => Promise<unknown>;
  /** What programs printed in this session. Absent: only what the events hold is shown. */
  outputs?: Outputs;
};

/** The outputs of one session, by ranges of lines. Each rejects with `{code, message}`. */
export type Outputs = {
  /** Names the session, so that what is known of one is not taken for another's. */
  of: string;
  read(source: OutputSource, from: number, count: number): Promise<OutputPart>;
  find(source: OutputSource, words: string, limit: number): Promise<OutputHits>;
  text(source: OutputSource): Promise<string>;
  save(source: OutputSource): Promise<{ path: string }>;
};

/** Of a task, what a view draws; the fields are the wire's (PROTOCOL 8). */
export type TaskWords = {
  task_id?: string | null;
  description?: string | null;
  /** RFC 3339. */
  started_at?: string;
  changed_at?: string;
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
