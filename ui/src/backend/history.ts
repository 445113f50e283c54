// What crosses the bridge about sessions that are kept: rows of the list without a process, slices of a journal, search.
import type { StreamMsg } from '../bindings/bindings';

export type {
  CloseChoice,
  CommandError,
  Format as ExportFormat,
  Hit,
  OpenedSession,
  Owner,
  PastSession,
  Restored,
  Rewind,
  SearchAnswer,
  SessionInfo,
  Slice,
} from '../bindings/bindings';

/** The window is to be closed, or the program to end (`quit`). Without a tray, starting the app again brings the window back. */
export type CloseAsked = Omit<Extract<StreamMsg, { type: 'close_asked' }>, 'type'>;
