import type { Station, TideEvent } from "./station";

/** The next high or low water after `now`. */
export function nextTide(station: Station, now: Date): TideEvent | undefined {
  const today = station.events.filter((event) => sameDay(event.time, now));
  return today.find((event) => event.time > now);
}

/** How far the water is between two events, from 0 to 1. */
export function progress(before: TideEvent, after: TideEvent, now: Date): number {
  const span = after.time.getTime() - before.time.getTime();
  return (now.getTime() - before.time.getTime()) / span;
}

function sameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}
