import { expect, it } from 'vitest'
import { z } from 'zod'
import { briefLine, briefToolList } from './brief-tools'
import { createRegistry } from './registry'
import { refuse, type Tool } from './tool'

const remind: Tool = {
  name: 'Remind',
  description: 'Reminds of\n something.\n',
  input: () =>
    z.strictObject({
      text: z.string(),
      at: z.union([z.int(), z.literal('now')]).optional(),
      on: z.array(z.enum(['mon', 'tue'])).optional(),
    }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  brief: true,
  prepare: async () => refuse('never'),
}

it('describes a tool with the names and types of its fields in one line', () => {
  expect(briefLine(remind)).toBe('- Remind(text: string, at?: int|"now", on?: "mon"|"tue"[]) Reminds of something.')
})

it('is absent without brief tools', () => {
  expect(briefToolList([])).toBeUndefined()
})

it('sends no schema of a brief tool and finds it by name', () => {
  const registry = createRegistry([remind])
  expect(registry.schemas()).toEqual([])
  expect(registry.get('Remind')).toBe(remind)
})
