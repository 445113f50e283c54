// What a running session can be asked for, besides prompts and answers.

export type InterruptReceipt = { still_queued: string[]; cancelled: string[] };
export type ContextCategory = {
  id: string | null;
  name: string;
  tokens: number;
  kind: string | null;
  deferred: boolean;
};
export type ContextUsage = {
  categories: ContextCategory[];
  total_tokens: number;
  max_tokens: number;
  percentage: number;
  model: string | null;
  memory_files: { path: string; tokens: number }[];
  mcp_tools: { name: string; server: string | null; tokens: number }[];
};
export type ModelUsage = {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number;
};
export type UsageLimit = {
  window: string;
  utilization: number | null;
  resets_at: string | null;
  status: string | null;
};
export type UsageReport = {
  total_cost_usd: number | null;
  by_model: ModelUsage[];
  subscription_type: string | null;
  limits: UsageLimit[];
};
export type TaskOutput = { output: string; total_bytes: number; truncated: boolean };
export type RawLine = {
  index: number;
  at: string;
  /** `in`, `out`, `err`; others tell what the host did. */
  dir: string;
  line: string;
  first_seq: number | null;
  last_seq: number | null;
  left_out: number;
};
