import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { PermissionMode } from '../../src/shared/model/approval/approval'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript, said, type Part } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { hasSlurm, startSlurmLab, type SlurmLab } from '../support/place/slurm-lab'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')
/** Jobs start programs, possibly on a busy machine. */
const LIMIT = 120_000

describe.skipIf(!hasSlurm)('subagents as jobs of a Slurm cluster', () => {
  let lab: SlurmLab
  let scratch: Scratch
  let server: ModelServer
  let engine: Engine
  let user: string
  beforeAll(async () => {
    lab = await startSlurmLab({ cpus: 2 })
  }, LIMIT)
  afterAll(() => lab.close())
  beforeEach(() => {
    scratch = createScratch({ 'notes.md': 'one\n' })
    user = join(scratch.home, '..', 'user')
    mkdirSync(user)
    writeFileSync(join(user, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
    vi.stubEnv('HOME', user)
    vi.stubEnv('SLURM_CONF', lab.env['SLURM_CONF'])
    vi.stubEnv('TRESTLE_KEY_STORE', 'file')
  })
  afterEach(async () => {
    await engine.close('stop')
    await server.close()
    await until(() => jobs('PENDING,RUNNING,COMPLETING').length === 0, 'the end of all jobs', LIMIT)
    scratch.remove()
    vi.unstubAllEnvs()
  })

  const begin = async (parts: Record<string, Part>, more = '', mode: PermissionMode = 'ask'): Promise<string> => {
    server = await startModelServer({ script: familyScript(parts) })
    writeConfig(scratch.home, configFor(server.baseUrl, { more: `[agents]\njobs = "cluster"\n${more}` }))
    engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
    await engine.places.add({
      placeId: 'cluster',
      launch: { kind: 'slurm', cpus: 1, time: '10' },
      program: join(user, 'trestle'),
    })
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode })
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    return sessionId
  }
  /** Ids of the jobs in these states. */
  const jobs = (states: string): number[] =>
    lab.run('squeue', '-h', `--states=${states}`, '--format=%i').trim().split('\n').filter(Boolean).map(Number)
  const ended = (sessionId: string) =>
    until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn', 10 * LIMIT)
  const events = <Type extends RecordedEvent['type']>(sessionId: string, type: Type) =>
    engine.sessions
      .since(sessionId, 0)
      .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
  const results = (sessionId: string): string[] =>
    events(sessionId, 'tool.finished').map((event) => textOf(event.content))
  const agentIds = (sessionId: string): string[] => events(sessionId, 'subagent.started').map(({ agentId }) => agentId)
  /** How each subagent ended, for each time it was recorded. */
  const ends = (sessionId: string): string[] =>
    agentIds(sessionId).map((agentId) =>
      events(agentId, 'agent.ended')
        .map(({ status, reason }) => [status, ...(reason === undefined ? [] : [reason])].join(': '))
        .join(' & '),
    )
  /** An answer that is sent when the test releases it. */
  const held = () => {
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    return { asked, go }
  }

  const COUNT = RUNS_ALL ? 50 : 3
  it(
    `run in order, as many at once as the node has slots, give each result once, and can be continued (${COUNT})`,
    async () => {
      const names = Array.from({ length: COUNT }, (_, index) => `agent${index + 1}`)
      const startedAt = Date.now()
      const sessionId = await begin({
        go: [
          { toolCalls: names.map((name) => agentCall(name)) },
          { text: 'all done' },
          () => ({ toolCalls: [agentCall('and then?', { resume: agentIds(sessionId)[0] })] }),
          { text: 'all done' },
        ],
        // The conversation of a continued subagent starts with its heading.
        '#': [(request) => ({ text: `continued after: ${said(request)}` })],
        ...Object.fromEntries(
          names.map((name): [string, Part] => [
            name,
            [{ toolCalls: [call('Read', { path: 'notes.md' })] }, { text: `${name} is done` }],
          ]),
        ),
      })
      let most = 0
      const watch = setInterval(() => (most = Math.max(most, jobs('RUNNING').length)), 500)
      await ended(sessionId).finally(() => clearInterval(watch))
      process.stderr.write(`${COUNT} subagents as jobs: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
      const told = results(sessionId)
      expect(told.length).toBe(COUNT)
      for (const name of names) expect(told.filter((text) => text.endsWith(`\n${name} is done`))).toHaveLength(1)
      expect(ends(sessionId)).toEqual(names.map(() => 'completed'))
      expect(most).toBeLessThanOrEqual(2)
      // The events of the job are in the session of the subagent.
      const [first = ''] = agentIds(sessionId)
      expect(results(first)).toEqual([expect.stringContaining('one')])
      const starts = lab.run('squeue', '-h', '--states=all', '--sort=i', '--format=%S').trim().split('\n').slice(-COUNT)
      expect(starts).toEqual(starts.toSorted())
      // Each is recorded here, so its folder there was removed.
      const folders = join(user, '.trestle-places', 'cluster', 'jobs')
      await until(() => readdirSync(folders).length === 0, 'the end of the folders', LIMIT)
      // A new job does not have the earlier events, and is told what the subagent has done.
      await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'more' }])
      await until(() => results(sessionId).length === COUNT + 1, 'the result of the continued one', LIMIT)
      await ended(sessionId)
      expect(results(sessionId).at(-1)).toMatch(/continued after: .*agent1.*Read.*one.*agent1 is done.*and then\?/s)
    },
    20 * LIMIT,
  )

  it.skipIf(!RUNS_ALL)(
    'continue after their node has failed, and are reported once when they are canceled',
    async () => {
      const [lost, canceled] = [held(), held()]
      const sessionId = await begin({
        go: [{ toolCalls: [agentCall('lost'), agentCall('canceled')] }, { text: 'all done' }],
        lost: [
          { toolCalls: [call('Read', { path: 'notes.md' })] },
          async () => {
            lost.asked.resolve()
            await lost.go.promise
            return { text: 'never read' }
          },
          (request) => ({ text: said(request).includes('one') ? 'continued' : 'began again' }),
        ],
        canceled: [
          async () => {
            canceled.asked.resolve()
            await canceled.go.promise
            return { text: 'never read' }
          },
        ],
      })
      await Promise.all([lost.asked.promise, canceled.asked.promise])
      const [first = 0, second = 0] = jobs('RUNNING').toSorted((a, b) => a - b)
      lab.run('scancel', String(second))
      await until(() => results(sessionId).length === 1, 'the end of the canceled one', LIMIT)
      const node = lab.node
      lab.run('scontrol', 'update', `nodename=${node}`, 'state=DOWN', 'reason=test')
      await until(() => jobs('PENDING').includes(first), 'the job in the queue again', LIMIT)
      const note = async () => (await engine.tasks.list({ activeOnly: true })).map(({ lastLine }) => lastLine).join()
      await expect.poll(note, { timeout: LIMIT }).toMatch(/^Job \d+ is pending \(.+\)$/)
      lab.run('scontrol', 'update', `nodename=${node}`, 'state=RESUME')
      await ended(sessionId)
      lost.go.resolve()
      canceled.go.resolve()
      expect(ends(sessionId)).toEqual([
        'completed',
        expect.stringMatching(/^failed: The job is over: Job \d+ was canceled\.$/),
      ])
      expect(
        results(sessionId)
          .map((text) => text.split('\n').at(text.includes('status: failed') ? 1 : -1))
          .toSorted((a, b) => a!.localeCompare(b!)),
      ).toEqual(['continued', 'status: failed'])
    },
    5 * LIMIT,
  )

  it(
    'wait while the node is drained, ask the user here, and are canceled with the session',
    async () => {
      lab.run('scontrol', 'update', `nodename=${lab.node}`, 'state=DRAIN', 'reason=test')
      const sessionId = await begin({
        go: [{ toolCalls: [agentCall('writes'), agentCall('waits')] }, { text: 'all done' }],
        writes: [{ toolCalls: [call('Write', { path: 'made.txt', content: 'x' })] }, { text: 'written' }],
        waits: [{ toolCalls: [call('Write', { path: 'other.txt', content: 'x' })] }, { text: 'never asked' }],
      })
      await until(() => jobs('PENDING').length === 2, 'two jobs that wait', LIMIT)
      expect(jobs('RUNNING')).toEqual([])
      lab.run('scontrol', 'update', `nodename=${lab.node}`, 'state=RESUME')
      await until(() => engine.inbox.list().length === 2, 'two requests', LIMIT)
      const [writes = ''] = agentIds(sessionId)
      const [approval] = engine.sessions.header(writes).approvals
      await engine.sessions.reply(writes, { approvalId: approval!.approvalId, optionId: 'allow_once' })
      await until(() => results(sessionId).length === 1, 'the first result', LIMIT)
      await engine.sessions.stop(sessionId)
      await until(() => ends(sessionId).every((end) => end !== ''), 'the end of both', LIMIT)
      expect(ends(sessionId)).toEqual(['completed', expect.stringMatching(/^stopped: /)])
      expect(events(writes, 'approval.resolved').map(({ outcome }) => outcome)).toEqual(['allow_once'])
    },
    5 * LIMIT,
  )

  it(
    'lose permissions that the user revokes while they run',
    async () => {
      const { asked, go } = held()
      const writing: Part[number] = async () => {
        asked.resolve()
        await go.promise
        const writes = call('Write', { path: 'second.txt', content: 'x' })
        return { toolCalls: [writes, call('Bash', { command: 'touch third.md' })] }
      }
      const sessionId = await begin(
        {
          go: [{ toolCalls: [agentCall('works')] }, { text: 'all done' }],
          works: [
            { toolCalls: [call('Write', { path: 'first.txt', content: 'x' })] },
            // After a change of settings, the request is made again.
            writing,
            writing,
            { text: 'refused' },
          ],
        },
        '[[permission.rules]]\ndecision = "allow"\npattern = "Write(*.txt)"\n',
        'auto',
      )
      await asked.promise
      const [agentId = ''] = agentIds(sessionId)
      expect(existsSync(join(scratch.project, 'first.txt'))).toBe(true)
      const file = join(scratch.home, 'config.toml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('decision = "allow"', 'decision = "deny"'))
      // Changes nothing, but makes the engine read the file.
      await engine.settings.setSandbox({})
      await engine.plans.enter(sessionId)
      // Plan mode is the last change that is applied there.
      const database = join(user, '.trestle-places', 'cluster', 'jobs', agentId)
      await until(
        () =>
          readdirSync(database, { recursive: true, encoding: 'utf8' })
            .filter((name) => name.includes('.db'))
            .some((name) => readFileSync(join(database, name), 'latin1').includes('plan.entered')),
        'plan mode there',
        LIMIT,
      )
      go.resolve()
      await ended(sessionId)
      expect(results(agentId).slice(1, 3)).toEqual([
        expect.stringContaining('Write(*.txt)'),
        expect.stringContaining('Plan mode is on'),
      ])
      for (const name of ['second.txt', 'third.md']) expect(existsSync(join(scratch.project, name))).toBe(false)
    },
    5 * LIMIT,
  )

  it.skipIf(!RUNS_ALL)(
    'are reported once when they reach the time limit of their job',
    async () => {
      const { asked, go } = held()
      const sessionId = await begin({
        go: [{ toolCalls: [agentCall('late')] }, { text: 'all done' }],
        late: [
          async () => {
            asked.resolve()
            await go.promise
            return { text: 'never read' }
          },
        ],
      })
      await asked.promise
      lab.run('scontrol', 'update', `job=${jobs('RUNNING')[0]}`, 'TimeLimit=1')
      await ended(sessionId)
      go.resolve()
      expect(ends(sessionId)).toEqual([
        expect.stringMatching(/^failed: The job is over: Job \d+ reached its time limit/),
      ])
    },
    5 * LIMIT,
  )
})
