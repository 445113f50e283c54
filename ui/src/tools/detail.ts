// Names for the parts of a tool call's payload, and what every kind has in common.
import type { NormalizedPayload, ToolCall } from '../bindings/bindings';

export type Kind = NormalizedPayload['kind'];
type Payload<K extends Kind> = Extract<NormalizedPayload, { kind: K }>;
/** The one field of the payload that its kind names. */
export type Detail<K extends Kind> = Payload<K> extends Record<K, infer D> ? D : never;

export function detailOf<K extends Kind>(payload: Payload<K>): Detail<K> {
  return (payload as unknown as Record<K, Detail<K>>)[payload.kind as K];
}

/** Why a call failed or did not run, as its tool said it. */
export function reasonOf(call: ToolCall): string | null {
  if (call.tool_status !== 'error') return null;
  const payload = call.normalized;
  switch (payload.kind) {
    case 'shell_exec':
      return payload.shell_exec.output?.stdout || payload.shell_exec.output?.stderr || null;
    case 'http_request':
      return payload.http_request.response;
    case 'mcp_tool':
      return asText(payload.mcp_tool.output);
    case 'generic':
      return asText(payload.generic.output);
    case 'misc': {
      const { details } = payload.misc;
      return asText(isRecord(details) ? details.output : details);
    }
    default: {
      const detail = detailOf(payload) as { error?: string | null };
      return detail.error ?? null;
    }
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  // The blocks of an MCP answer.
  if (Array.isArray(value)) {
    const texts = value
      .map((block) => (isRecord(block) && typeof block.text === 'string' ? block.text : null))
      .filter((t) => t !== null);
    return texts.length > 0 ? texts.join('\n') : null;
  }
  return null;
}

export function firstLine(text: string): string {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf('\n');
  return (end === -1 ? trimmed : trimmed.slice(0, end)).slice(0, 400).trimEnd();
}
