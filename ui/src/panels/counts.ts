// The side panels by name, and the short count that each carries.
import type { PanelName } from '../app/state.svelte';
import { shownTurn } from '../session/changes';
import type { SessionView } from '../session/view';
import type { IconName } from '../shared/icons';
import { progressOf } from '../shared/todos';

export const panelNames: { name: PanelName; title: string; icon: IconName }[] = [
  { name: 'changes', title: 'Changes', icon: 'diff' },
  { name: 'todos', title: 'Todos', icon: 'todo' },
  { name: 'tasks', title: 'Tasks', icon: 'layers' },
  { name: 'context', title: 'Context', icon: 'gauge' },
  { name: 'inspector', title: 'Inspector', icon: 'braces' },
];

export function panelCounts(view: SessionView): Record<PanelName, string> {
  const changed = shownTurn(view)?.files.length ?? 0;
  const todos = progressOf(view.todos);
  const running = [...view.tasks.values()].filter((task) => !task.over).length;
  return {
    changes: changed === 0 ? '' : String(changed),
    todos: todos.total === 0 ? '' : `${todos.done}/${todos.total}`,
    tasks: running === 0 ? '' : String(running),
    context: view.context ? `${Math.round(view.context.context_efficiency)}%` : '',
    inspector: '',
  };
}
