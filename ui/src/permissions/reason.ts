// What the CLI says of why it asks: the fields of the events, and those that only newer versions of the CLI send.
import type { PermissionReason, PermissionRequest } from '../bindings/bindings';

export type Reason = PermissionReason & {
  mcp_server?: unknown;
  server_policy_ask_only?: boolean | null;
  suppress_always_allow_rule?: boolean | null;
  default_to_no?: boolean | null;
  matched_ask_rule?: unknown;
  classifier_approvable?: boolean | null;
  decision_reason_rule_source?: string | null;
  decision_reason_hook_event?: string | null;
  decision_reason_hook_source?: string | null;
};

export function reasonOf(request: PermissionRequest): Reason {
  return request.data;
}
