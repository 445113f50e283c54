import { expect, test } from "vitest";
import { nextTide } from "../src/tides";

test("a minute before midnight the next tide is tomorrow's", () => {
  const high = { kind: "high" as const, time: new Date("2026-03-02T02:31"), height: 1.8 };
  const next = nextTide({ name: "x", events: [high] }, new Date("2026-03-01T23:59"));
  expect(next).toBe(high);
});
