// MCP servers: those of the settings, which new sessions are given, and those of a session as the CLI says they are.

/** A variable or a header. */
export type McpEntry = {
  name: string;
  /** Null for a secret that is kept as it is: what was saved never comes back. */
  value: string | null;
  secret: boolean;
};

export type McpTransport =
  | { kind: 'stdio'; command: string; args: string[]; env: McpEntry[] }
  | { kind: 'sse' | 'http'; url: string; headers: McpEntry[] };

/** One server of the settings. */
export type McpServer = { name: string; enabled: boolean; transport: McpTransport };

export type McpServers = {
  servers: McpServer[];
  secrets_in: 'keyring' | 'file' | 'none';
  /** What a person should know about how they are kept. */
  warning: string | null;
};

export type McpServerStatus = {
  name: string;
  /** `connected`, `failed`, `needs-auth`, `pending`, `disabled`; `not_started`: the session was not given it. */
  status: string;
  error: string | null;
  scope: string | null;
  source: string | null;
  transport: string | null;
  version: string | null;
  tools: { name: string; description: string | null }[];
};

export interface McpBackend {
  mcpServers(): Promise<McpServers>;
  /** Takes over the whole list. A process that runs keeps what it was given. */
  saveMcpServers(servers: McpServer[]): Promise<McpServers>;
  mcpStatus(session: string): Promise<McpServerStatus[]>;
  /** For this session only. */
  mcpToggle(session: string, name: string, enabled: boolean): Promise<void>;
  mcpReconnect(session: string, name: string): Promise<void>;
}
