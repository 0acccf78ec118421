import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { TODO_STATUSES, type Todo } from '../../../../shared/model/turn/plan'
import { ok, type TodoStore, type Tool } from '../tool'
import description from './todo-list.md?raw'

const input = lazySchema(() =>
  z.strictObject({
    todos: z
      .array(
        z.strictObject({
          title: z.string().trim().min(1).describe('One line'),
          status: z.enum(TODO_STATUSES).describe('State'),
        }),
      )
      .optional()
      .describe('The whole new list'),
  }),
)

export function todoListTool({ todos }: { todos: TodoStore }): Tool<typeof input> {
  return {
    name: 'TodoList',
    description,
    input,
    // It changes only the list on screen, so it never asks.
    subject: [],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare({ todos: wanted }) {
      return {
        summary: wanted === undefined ? 'read' : wanted.length === 0 ? 'clear' : progressText(wanted),
        accesses: [],
        async run() {
          if (wanted) todos.set(wanted)
          const list = [...todos.get()]
          return ok(listText(list, wanted !== undefined), { kind: 'todos', todos: list })
        },
      }
    },
  }
}

function progressText(list: readonly Todo[]): string {
  return `${list.filter(({ status }) => status === 'done').length} of ${list.length} done`
}

function listText(list: readonly Todo[], changed: boolean): string {
  if (list.length === 0) return changed ? 'The to-do list was cleared.' : 'The to-do list is empty.'
  const lines = list.map(({ title, status }) => `- [${status}] ${title.replace(/\s*\n\s*/g, ' ')}`).join('\n')
  return [`To-do list${changed ? ' updated' : ''} (${progressText(list)}):`, lines, reminder(list)]
    .filter(Boolean)
    .join('\n')
}

/** Reminds the model to have one item in progress at a time while any are left. */
function reminder(list: readonly Todo[]): string {
  const running = list.filter(({ status }) => status === 'in_progress').length
  if (running === 1) return 'Keep exactly one item in_progress; mark it done as soon as it is, then start the next.'
  if (running > 1) return `${running} items are in_progress: keep exactly one.`
  return list.every(({ status }) => status === 'done') ? '' : 'No item is in_progress: mark the one you are working on.'
}
