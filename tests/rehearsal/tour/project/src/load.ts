import { readFileSync } from "node:fs";
import type { Station } from "./station";

export function loadStation(name: string): Station {
  const stations = JSON.parse(readFileSync("data/stations.json", "utf8"));
  const events = stations[name].map((event: { kind: string; time: string; height: number }) => ({
    ...event,
    time: new Date(event.time),
  }));
  return { name, events };
}
