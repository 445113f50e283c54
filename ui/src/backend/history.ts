// What crosses the bridge about sessions that are kept: rows of the list without a process, slices of a journal, search.
import type { CloseChoice, CommandError, Event, Phase, Policy, Rewind, SessionInfo } from '../bindings/bindings';

/** Who has a session open elsewhere. `what` is a part of a sentence: "open in a terminal (process 812)". */
export type Owner = { kind: 'kandev' | 'terminal'; pid: number; what: string };

/** A session without a living process: ours from an earlier day, or one begun in a terminal. */
export type PastSession = {
  id: string;
  cli_session_id: string | null;
  title: string;
  workspace: string;
  /** The folder is not there any more; the conversation is. */
  folder_gone: boolean;
  state: Phase;
  /** Since when it is in that state, RFC 3339. */
  since: string;
  /** When something was last said in it, RFC 3339. */
  updated_at: string;
  policy: Policy | null;
  model: string | null;
  source: 'kandev' | 'terminal';
  archived: boolean;
  rehearsal: boolean;
  problem: string | null;
  forked_from: string | null;
  owner: Owner | null;
  /** When the CLI will delete its file, RFC 3339. */
  cleanup_at: string | null;
  last_seq: number | null;
  size_bytes: number | null;
};

/** A part of a journal, as a view can be made from it. */
export type Slice = {
  /** The newest word before `from` on what still holds there; own numbers, all smaller than `from`. */
  standing: Event[];
  events: Event[];
  /** The first number that it covers. */
  from: number;
  /** The last number that it covers; `from - 1` where it is empty. */
  through: number;
  earlier: boolean;
  later: boolean;
  /** Turns that ended before `from`. */
  turns_before: number;
};

export type OpenedSession = {
  slice: Slice;
  read_only: boolean;
  /** The CLI's file is still being read; what is shown is its end. */
  importing: boolean;
  owner: Owner | null;
};

export type Hit = {
  session: string;
  cli_session_id: string | null;
  title: string;
  workspace: string;
  source: 'kandev' | 'terminal';
  seq: number;
  at: string;
  /** `prompt`, `answer`, `tool` and the like. */
  kind: string;
  text: string;
  /** Where in `text` the words stand: start and end, in UTF-16 units. */
  marks: [number, number][];
};

export type SearchAnswer = {
  hits: Hit[];
  /** While the index is not whole: how many sessions of how many are in it. */
  indexing: [number, number] | null;
};

export type ExportFormat = 'markdown' | 'json' | 'html';

/** What a rewind changed, and the snapshot that undoes it. */
export type Restored = { snapshot: string; files: string[] };

/** The window is to be closed, or the program to end (`quit`). Without a tray, starting the app again brings the window back. */
export type CloseAsked = { running: number; waiting: number; tray: boolean; quit: boolean };

export type { CloseChoice, CommandError, Rewind, SessionInfo };
