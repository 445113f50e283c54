// What the CLI of a session can be asked for. Its version decides; what it does not know is not offered.
import type { SessionInfo } from '../bindings/bindings';
import { isOver } from './phase';

/** It runs, and its version knows that control request. */
export function can(info: SessionInfo, request: string): boolean {
  return !isOver(info.phase) && info.can.includes(request);
}

/** Offered as long as nothing speaks against it: before there is a process, the choice holds for the one to come. */
export function mayChoose(info: SessionInfo, request: string): boolean {
  return info.can.length === 0 || info.can.includes(request);
}
