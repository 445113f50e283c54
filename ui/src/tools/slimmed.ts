// Of which texts of a call this page holds only the beginning and the end. Pure.
import type { Slimmed, ToolCall } from '../bindings/bindings';

/** Of the call's one text; what a command printed is its own view's to show. */
export function slimmedOf(call: ToolCall): Slimmed | null {
  return call.slimmed?.find((one) => one.field !== 'stdout' && one.field !== 'stderr') ?? null;
}
