// A raw line of a session as it crosses to the window.

export type RawLine = {
  index: number;
  at: string;
  /** `in`, `out`, `err`; others tell what the host did. */
  dir: string;
  line: string;
  first_seq: number | null;
  last_seq: number | null;
  left_out: number;
};
