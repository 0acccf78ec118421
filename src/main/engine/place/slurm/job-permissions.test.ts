import { expect, it } from 'vitest'
import { CodedError } from '../../../../shared/errors'
import { JobPermissions, type CurrentPermissions } from './job-permissions'

const WRITTEN: CurrentPermissions = { mode: 'auto', plans: false, config: 'rules = 1' }

/** The permissions of an engine in a job; `answer` says what each call there does. */
function inJob(answer: (method: string) => void = () => undefined) {
  let now = WRITTEN
  const done: string[] = []
  const permissions = new JobPermissions({
    connection: {
      async call(method, input) {
        answer(method)
        done.push(`${method} ${JSON.stringify(input)}`)
        return undefined
      },
    },
    current: async () => now,
    write: (config) => void done.push(`write ${config}`),
    written: WRITTEN.config,
  })
  const change = (to: Partial<CurrentPermissions>): void => {
    now = { ...now, ...to }
    permissions.changed()
  }
  return { permissions, change, done }
}

it('applies before the prompt what changed while the job waited in the queue', async () => {
  const { permissions, change, done } = inJob()
  change({ mode: 'ask', config: 'rules = 2' })
  expect(done).toEqual([])
  await permissions.begin('s')
  expect(done).toEqual(['write rules = 2', 'settings.setSandbox {}', 'session.change {"sessionId":"s","mode":"ask"}'])
})

it('applies each change while the job runs, and nothing when nothing has changed', async () => {
  const { permissions, change, done } = inJob()
  await permissions.begin('s')
  expect(done.splice(0)).toEqual(['session.change {"sessionId":"s","mode":"auto"}'])
  change({})
  change({ plans: true })
  await expect.poll(() => done.splice(0)).toEqual(['plan.enter {"sessionId":"s"}'])
  change({ plans: false, config: 'rules = 3' })
  await expect.poll(() => done).toEqual(['write rules = 3', 'settings.setSandbox {}', 'plan.leave {"sessionId":"s"}'])
})

it('applies it again when the connection was lost meanwhile', async () => {
  let losses = 2
  const { permissions, done } = inJob(() => {
    if (losses-- > 0) throw new CodedError('connection.lost', 'lost')
  })
  await permissions.begin('s')
  expect(done).toEqual(['session.change {"sessionId":"s","mode":"auto"}'])
})

it('fails when something cannot be taken back there, so that the subagent ends', async () => {
  const { permissions, change } = inJob((method) => {
    if (method === 'plan.enter') throw new CodedError('request.invalid', 'Session not found.')
  })
  await permissions.begin('s')
  change({ plans: true })
  await expect(permissions.failed).rejects.toThrow('Session not found.')
})
