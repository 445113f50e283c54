// The rows of a timeline, as data. A row is replaced when it changes and never altered in place, so `===` tells whether
// a view has to draw it again; the text of a row that streams is shared between its versions and only grows.
import type { Attachment, ErrorData, PermissionRequest, SessionEnd, ToolCall, TurnSummary } from '../bindings/bindings';
import type { Pieces } from './text';

/** What the record of a permission request says on its tool row. */
export type PermissionRecord = {
  asked_at: string;
  resolved_at: string | null;
  behavior: 'allow' | 'deny' | null;
  by: string | null;
  cancelled: boolean;
  edited: boolean;
};

type Base = {
  /** Unique within the session, and the same for the row's whole life. */
  key: string;
  at: string;
};

export type PromptRow = Base & { kind: 'prompt'; text: string; attachments: Attachment[]; synthetic: boolean };
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
  until: string;
};
export type NoticeRow = Base & { kind: 'notice'; notice: string; text: string; data: unknown };
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
  | VoidRow;

/** A permission request that waits for its answer. */
export type OpenRequest = { request: PermissionRequest; at: string; parent: string | null };
