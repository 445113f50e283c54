import { expect, test } from "vitest";
import { nextTide } from "../src/tides";

const events = [
  { kind: "high" as const, time: new Date("2026-03-01T14:05"), height: 1.9 },
  { kind: "low" as const, time: new Date("2026-03-01T20:20"), height: 0.4 },
  { kind: "high" as const, time: new Date("2026-03-02T02:31"), height: 1.8 },
];

test("the next tide of the day", () => {
  const next = nextTide({ name: "x", events }, new Date("2026-03-01T12:00"));
  expect(next?.kind).toBe("high");
});

test("after the last tide of the day comes tomorrow's first", () => {
  const next = nextTide({ name: "x", events }, new Date("2026-03-01T21:00"));
  expect(next?.height).toBe(1.8);
});
