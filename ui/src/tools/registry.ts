// Which view draws which kind. The type has a place for every kind there is, so a kind added in Rust does not compile here
// until it has a view. Views draw typed detail; they parse nothing and fetch nothing.
import type { Component, Snippet } from 'svelte';
import type { ToolCall } from '../bindings/bindings';
import type { Detail, Kind } from './detail';
import AskUser from './views/AskUser.svelte';
import CodeSearch from './views/CodeSearch.svelte';
import CreateTask from './views/CreateTask.svelte';
import Findings from './views/Findings.svelte';
import FoundTools from './views/FoundTools.svelte';
import Generic from './views/Generic.svelte';
import ManageTodos from './views/ManageTodos.svelte';
import McpTool from './views/McpTool.svelte';
import Misc from './views/Misc.svelte';
import ModifyFile from './views/ModifyFile.svelte';
import ReadFile from './views/ReadFile.svelte';
import ShellExec from './views/ShellExec.svelte';
import ShowPlan from './views/ShowPlan.svelte';
import SubagentTask from './views/SubagentTask.svelte';
import WebFetch from './views/WebFetch.svelte';
import WebSearch from './views/WebSearch.svelte';
import Workflow from './views/Workflow.svelte';

export type ToolViewProps<K extends Kind> = {
  call: ToolCall;
  detail: Detail<K>;
  workspace: string;
  /** The rows of a subagent. */
  nested?: Snippet;
  /** Those rows, and what it came back with, are lines of their own. */
  apart?: boolean;
  /** The first of those lines says what it was asked. */
  prompted?: boolean;
};

export const toolViews: { [K in Kind]: Component<ToolViewProps<K>> } = {
  read_file: ReadFile,
  modify_file: ModifyFile,
  shell_exec: ShellExec,
  code_search: CodeSearch,
  http_request: WebFetch,
  subagent_task: SubagentTask,
  create_task: CreateTask,
  manage_todos: ManageTodos,
  show_plan: ShowPlan,
  ask_user: AskUser,
  mcp_tool: McpTool,
  misc: Misc,
  generic: Generic,
};

/** Views of single tools, by the exact name of the tool within its kind; the kind's own view draws the others. */
const namedViews: { [K in Kind]?: Record<string, Component<ToolViewProps<K>>> } = {
  code_search: { ToolSearch: FoundTools },
  http_request: { WebSearch },
  misc: { ReportFindings: Findings, Workflow },
};

export function viewOf(call: ToolCall): Component<ToolViewProps<Kind>> {
  const { kind } = call.normalized;
  const named = namedViews[kind] as Record<string, Component<ToolViewProps<Kind>>> | undefined;
  const own = named && Object.hasOwn(named, call.tool_name) ? named[call.tool_name] : undefined;
  return own ?? (toolViews[kind] as Component<ToolViewProps<Kind>>);
}
