// The rows of a timeline, as data. A row is replaced when it changes and never altered in place, so `===` tells whether
// a view has to draw it again; the text of a row that streams is shared between its versions and only grows.
import type { Attachment, ErrorData, PermissionRequest, SessionEnd, ToolCall, TurnSummary } from '../bindings/bindings';
import type { Elicitation } from './elicitation';
import type { Pieces } from './text';

/** What the record of a permission request says on its tool row. */
export type PermissionRecord = {
  asked_at: string;
  resolved_at: string | null;
  behavior: 'allow' | 'deny' | null;
  by: string | null;
  cancelled: boolean;
  edited: boolean;
  /** What was asked about, and what is used in its place where that was changed. */
  input?: unknown;
  updated_input?: unknown;
  /** What the denial told the model. */
  message?: string | null;
  /** The denial ended the turn too. */
  interrupt?: boolean;
  /** The suggestions that were taken with it (PROTOCOL 6.2). */
  permissions?: unknown[];
};

type Base = {
  /** Unique within the session, and the same for the row's whole life. */
  key: string;
  at: string;
  /** The number of the event that it began with; rows of a list never stand before one with a smaller number. */
  seq: number;
  /** A retry has left it behind: the key of the row under which it is folded. */
  behind?: string;
};

export type PromptRow = Base & {
  kind: 'prompt';
  text: string;
  /** The CLI's id of the message; null for what it did not name. */
  uuid: string | null;
  attachments: Attachment[];
  synthetic: boolean;
  /** For one that was sent while a turn ran: what became of it, and since when. */
  queue?: { state: 'queued' | 'delivered' | 'returned'; at: string };
};
export type AnswerRow = Base & { kind: 'answer'; message: string; text: Pieces; streaming: boolean; rev: number };
export type ReasoningRow = Base & {
  kind: 'reasoning';
  message: string;
  text: Pieces;
  streaming: boolean;
  rev: number;
  until: string;
};
export type ToolRow = Base & {
  kind: 'tool';
  call: ToolCall;
  record: PermissionRecord | null;
  waiting: boolean;
  children: Row[];
  /** How many more there were, before those. */
  dropped: number;
  until: string;
};
export type NoticeRow = Base & {
  kind: 'notice';
  notice: string;
  text: string;
  data: unknown;
  /** When the last notice came that this row tells of; `at` is the first one's. */
  heard: string;
  /** When what it tells of came to an end, and the event that showed it; null while it goes on, or where it has no end. */
  over: { at: string; by: string } | null;
};
export type ErrorRow = Base & { kind: 'error'; error: string; data: ErrorData };
export type TurnRow = Base & {
  kind: 'turn';
  number: number;
  data: TurnSummary;
  files: number;
  added: number;
  removed: number;
};
export type UnrecognizedRow = Base & { kind: 'unrecognized'; raw: string };
export type EndedRow = Base & { kind: 'ended'; data: SessionEnd };
/** What was said here was withdrawn. It keeps the place, so that no row behind it moves, and draws nothing. */
export type VoidRow = Base & { kind: 'void' };
/** What came before a retry, and is not part of the conversation any more, is folded under it. */
export type TryRow = Base & { kind: 'try'; tries: number };

export type Row =
  | PromptRow
  | AnswerRow
  | ReasoningRow
  | ToolRow
  | NoticeRow
  | ErrorRow
  | TurnRow
  | UnrecognizedRow
  | EndedRow
  | VoidRow
  | TryRow;

/** A row as it is made; where it stands gives it its number. */
export type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'seq'> : never) : never;

/** A question that waits for its answer: the CLI's for a permission, or an MCP server's. `parent`: the subagent's call. */
export type OpenQuestion = { id: string; at: string; parent: string | null } & (
  { kind: 'permission'; request: PermissionRequest } | { kind: 'elicitation'; elicitation: Elicitation }
);
