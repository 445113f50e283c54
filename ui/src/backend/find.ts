// What crosses the bridge about places in one session: where words stand, and where the next prompt, failure, change or
// question is. Numbers are those of events.
export type { Mark, SessionHit, SessionHits } from '../bindings/bindings';
