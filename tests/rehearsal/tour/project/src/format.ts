import type { TideEvent } from "./station";

export function formatEvent(event: TideEvent, now: Date): string {
  const kind = event.kind === "high" ? "HW" : "LW";
  const minutes = Math.floor((event.time.getTime() - now.getTime()) / 60000);
  return `${kind} ${clock(event.time)}  ${event.height} m   in ${duration(minutes)}`;
}

function clock(time: Date): string {
  return `${time.getHours()}:${time.getMinutes()}`;
}

function duration(minutes: number): string {
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
