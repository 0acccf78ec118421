import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { RestoreStep } from '../../../../shared/model/session/checkpoint'
import type { SessionCheckpoints, RestoreOutlook } from '../session-services'
import { failed, ok, refuse, type Access, type Tool } from '../tool'
import description from './send-d-mail.md?raw'

/** A longer text is no longer a message, but a repetition of the conversation. */
const MAX_CHARS = 20_000
const MAX_NAMES = 100

const input = lazySchema(() =>
  z.strictObject({
    checkpoint_id: z.int().min(0).describe('The N of a [checkpoint N] in this turn'),
    message: z.string().trim().min(1).max(MAX_CHARS).describe('All that you need to know there'),
    files: z.boolean().default(false).describe('Also undo what you changed in files since'),
  }),
)

/**
 * Lets the agent go back within its turn, taking along what it has learned; see reference/001, Checkpoint and "Time
 * Travel" Mechanism.
 */
export function sendDMailTool({ checkpoints }: { checkpoints: SessionCheckpoints }): Tool<typeof input> {
  return {
    name: 'SendDMail',
    description,
    input,
    alone: true,
    // It changes only the conversation; files that it restores are reported as accesses and judged like any write.
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    async prepare({ checkpoint_id: checkpoint, message, files }) {
      const mail = { checkpoint, message, files }
      const way = await checkpoints.previewDMail(mail)
      if ('problem' in way) return refuse(way.problem)
      return {
        summary:
          'to checkpoint ' +
          `${checkpoint}${way.restores.length > 0 ? `, ${counted(way.restores.length, 'file')}` : ''}`,
        accesses: way.restores.map(({ path }): Access => ({ kind: 'file', path, write: true })),
        ...(files && { preview: async () => ({ kind: 'text', text: previewOf(message, way) }) as const }),
        async run() {
          // Something may have changed since, so it is checked again before it is announced.
          const now = await checkpoints.previewDMail(mail)
          if ('problem' in now) return failed(now.problem)
          return ok(`The conversation goes back to checkpoint ${checkpoint} when this step has ended.`, {
            kind: 'd-mail',
            ...mail,
          })
        },
      }
    },
  }
}

function previewOf(message: string, { restores, kept }: RestoreOutlook): string {
  const words: Record<RestoreStep['action'], string> = { create: 'comes back', change: 'changes back', delete: 'goes' }
  const lines = [
    ...restores.map(({ path, action }) => `${path}: ${words[action]}`),
    ...kept.map(({ path, why }) => `${path}: stays as it is. ${why}`),
  ]
  const more = lines.length > MAX_NAMES ? [`… and ${lines.length - MAX_NAMES} more`] : []
  return [message, '', ...(lines.length === 0 ? ['No file changes.'] : lines.slice(0, MAX_NAMES)), ...more].join('\n')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
