import { formatEvent } from "./format";
import { loadStation } from "./load";
import { nextTide } from "./tides";

const station = loadStation(process.argv[2] ?? "heiligenhafen");
const next = nextTide(station, new Date());
console.log(next ? formatEvent(next, new Date()) : "no more tides");
