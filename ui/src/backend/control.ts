// A raw line of a session as it crosses to the window.

export type RawLine = {
  index: number;
  at: string;
  /** `in`, `out`, `err`; others tell what the host did. */
  dir: string;
  /** Redacted, and cut where it is long. */
  line: string;
  /** Its length on the wire. */
  bytes: number;
  first_seq: number | null;
  last_seq: number | null;
  left_out: number;
};
