// What the MCP page and the panel of the written states have to show.
import type { McpServers, McpServerStatus } from '../bindings/bindings';

export const mcpServers: McpServers = {
  servers: [
    {
      name: 'postgres',
      enabled: true,
      transport: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', '@example/postgres-mcp', '--read-only'],
        env: [
          { name: 'PGHOST', value: 'localhost', secret: false },
          { name: 'PGPASSWORD', value: null, secret: true },
        ],
      },
    },
    {
      name: 'tracker',
      enabled: true,
      transport: {
        kind: 'http',
        url: 'https://tracker.example.org/mcp',
        headers: [{ name: 'Authorization', value: null, secret: true }],
      },
    },
    {
      name: 'old-docs',
      enabled: false,
      transport: { kind: 'sse', url: 'https://docs.example.org/sse', headers: [] },
    },
  ],
  secrets_in: 'file',
  warning: 'No keyring answers on this machine: secrets are kept in the file ~/.local/share/kandev/secrets.json.',
};

const none = { error: null, scope: null, source: 'dynamic', transport: null, version: null, tools: [] };

export const mcpStatus: McpServerStatus[] = [
  {
    ...none,
    name: 'postgres',
    status: 'connected',
    transport: 'stdio',
    version: '1.4.2',
    tools: [
      { name: 'query', description: 'Runs one statement that reads' },
      { name: 'schema', description: 'Tables, columns and indexes' },
      { name: 'explain', description: null },
    ],
  },
  {
    ...none,
    name: 'tracker',
    status: 'failed',
    transport: 'http',
    error: 'connect ECONNREFUSED 203.0.113.7:443 after 3 attempts',
  },
  { ...none, name: 'calendar', status: 'needs-auth', source: 'user', transport: 'http' },
  { ...none, name: 'browser', status: 'disabled', source: 'project', transport: 'stdio', version: '0.3.0' },
  {
    ...none,
    name: 'kandev',
    status: 'connected',
    source: 'sdk',
    transport: 'sdk',
    version: '0.1.0',
    tools: [
      { name: 'notify_user', description: 'Tells the person at the window something' },
      { name: 'open_in_editor', description: 'Opens a file at a line' },
    ],
  },
];
