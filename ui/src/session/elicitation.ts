// A question of an MCP server (PROTOCOL 6.7), read from the notice that carries it. Pure: what is missing or odd makes a
// plainer question, never an error.
import { fieldOf, textOf } from './fields';

export type Elicitation = {
  request_id: string;
  server: string;
  message: string;
  mode: 'form' | 'url';
  /** A JSON schema of the answer; null where none came. */
  schema: unknown;
  /** In which order the server listed its properties. */
  order: string[];
  url: string | null;
  title: string | null;
  description: string | null;
};

/** Null without an id: nothing could be answered. */
export function readElicitation(text: string, data: unknown): Elicitation | null {
  const id = textOf(data, 'request_id');
  if (id === null) return null;
  const order = fieldOf(data, 'property_order');
  const url = textOf(data, 'url');
  return {
    request_id: id,
    server: textOf(data, 'mcp_server_name') ?? 'an MCP server',
    message: text,
    mode:
      textOf(data, 'mode') === 'url' || (url !== null && fieldOf(data, 'requested_schema') == null) ? 'url' : 'form',
    schema: fieldOf(data, 'requested_schema') ?? null,
    order: Array.isArray(order) ? order.filter((name) => typeof name === 'string') : [],
    url,
    title: textOf(data, 'title'),
    description: textOf(data, 'description'),
  };
}
