import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { SessionTasks } from '../session-services'
import { shortenedTask, taskLines } from '../task-lines'
import { ok, type Tool } from '../tool'
import description from './task-list.md?raw'

const input = lazySchema(() =>
  z.strictObject({
    active_only: z.boolean().default(true).describe('Only running ones'),
    limit: z.int().min(1).max(100).default(20).describe('How many'),
  }),
)

/** Lists the background tasks of the session. */
export function taskListTool({ tasks }: { tasks: SessionTasks }): Tool<typeof input> {
  return {
    name: 'TaskList',
    description,
    input,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare({ active_only: activeOnly, limit }) {
      return {
        summary: activeOnly ? 'running' : 'all',
        accesses: [],
        async run() {
          const found = await tasks.list({ activeOnly, limit: limit + 1 })
          const shown = found.slice(0, limit)
          const records = shown.map((task) => taskLines(task).join('\n'))
          const more = found.length > limit ? ['There are more: raise limit to see them.'] : []
          return ok([records.length === 0 ? noneText(activeOnly) : records.join('\n---\n'), ...more].join('\n---\n'), {
            kind: 'tasks',
            tasks: shown.map(shortenedTask),
          })
        },
      }
    },
  }
}

function noneText(activeOnly: boolean): string {
  return activeOnly
    ? 'No background task is running. Ended ones: active_only false.'
    : 'This session has no background tasks.'
}
