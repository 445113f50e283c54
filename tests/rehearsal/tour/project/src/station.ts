export interface TideEvent {
  kind: "high" | "low";
  time: Date;
  /** Metres above chart datum. */
  height: number;
}

export interface Station {
  name: string;
  /** Sorted by time. */
  events: TideEvent[];
}
