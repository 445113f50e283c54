// The side panels by name, and the short count that each carries.
import type { PanelName } from '../app/state.svelte';
import { shownTurn } from '../session/changes';
import type { SessionView } from '../session/view';
import type { IconName } from '../shared/icons';

export const panelNames: { name: PanelName; title: string; icon: IconName }[] = [
  { name: 'changes', title: 'Changes', icon: 'diff' },
  { name: 'todos', title: 'Todos', icon: 'todo' },
  { name: 'tasks', title: 'Tasks', icon: 'layers' },
  { name: 'context', title: 'Context', icon: 'gauge' },
  { name: 'inspector', title: 'Inspector', icon: 'braces' },
];

export function panelCounts(view: SessionView): Record<PanelName, string> {
  const changed = shownTurn(view)?.files.length ?? 0;
  const done = view.todos.filter((todo) => todo.status === 'completed').length;
  const running = [...view.tasks.values()].filter((task) => !task.over).length;
  return {
    changes: changed === 0 ? '' : String(changed),
    todos: view.todos.length === 0 ? '' : `${done}/${view.todos.length}`,
    tasks: running === 0 ? '' : String(running),
    context: view.context ? `${Math.round(view.context.context_efficiency)}%` : '',
    inspector: '',
  };
}
