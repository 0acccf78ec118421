import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { calls, PrefixReplay, read } from '../support/prefix-replay'
import type { ScriptStep } from '../support/model-script'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const REVIEW =
  'name: Code review\nread_only: true\ntools: [Read, Grep, Bash]\n' +
  'max_steps: 2\nsystem_prompt: Review and change nothing.\n'

describe('the agent of a session', () => {
  let replay: PrefixReplay | undefined
  afterEach(async () => {
    await replay?.end()
    replay = undefined
  })

  it('can be switched without changing earlier requests, keeps its tools and limits over a restart and in a fork, and can be left again', async () => {
    const run = (replay = new PrefixReplay({ wire: 'anthropic', window: 128_000 }))
    await run.begin()
    const { engine, session } = run
    await run.turn(read('a.txt'))
    await engine.sessions.change(session, { agent: { name: 'assistant' } })
    await run.turn(calls({ name: 'Edit', input: { path: 'a.txt', old_string: 'one', new_string: 'two' } }))
    expect(run.tells('You help with everyday questions and tasks.')).toBe(true)
    expect(run.tells('no longer available')).toBe(true)
    expect(run.of('tool.finished').at(-1)).toMatchObject({ isError: true })
    await run.restart()
    await run.turn(read('b.txt'))
    expect(run.engine.sessions.header(session).runsAs).toMatchObject({ name: 'assistant' })
    const fork = await run.engine.sessions.fork(session)
    expect(fork.runsAs).toMatchObject({ name: 'assistant' })
    await run.engine.sessions.change(session, { agent: null })
    await run.turn(calls({ name: 'Edit', input: { path: 'a.txt', old_string: 'one', new_string: 'two' } }))
    expect(run.tells('The person chose the usual agent')).toBe(true)
    expect(run.of('tool.finished').at(-1)?.isError).not.toBe(true)
    expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
  })

  it('handles a prompt sent right after it was chosen, and an unusable one is not replaced by another', async () => {
    const run = (replay = new PrefixReplay({ wire: 'chat', window: 128_000 }))
    await run.begin()
    const chosen = run.engine.sessions.change(run.session, { agent: { name: 'assistant' } })
    await run.turn(read('a.txt'))
    await chosen
    expect(run.tells('You help with everyday questions and tasks.')).toBe(true)
    const turns = run.of('turn.started').length
    const missing = run.engine.sessions.change(run.session, { agent: { name: 'nobody-here' } })
    const sent = run.engine.sessions.prompt(run.session, [{ type: 'text', text: 'review this' }])
    await expect(missing).rejects.toThrow('no agent "nobody-here"')
    await expect(sent).rejects.toThrow('no agent "nobody-here"')
    expect(run.of('turn.started')).toHaveLength(turns)
  })

  it('that does not exist is rejected with the available ones, and the session is unchanged', async () => {
    const run = (replay = new PrefixReplay({ wire: 'chat', window: 128_000 }))
    await run.begin()
    await expect(run.engine.sessions.change(run.session, { agent: { name: 'asistant' } })).rejects.toThrow(
      /no agent "asistant" here\. Did you mean assistant\? There are: /,
    )
    expect(run.engine.sessions.header(run.session).runsAs).toBeUndefined()
  })
})

describe('from the command line', () => {
  let scratch: Scratch
  let server: ModelServer
  afterEach(async () => {
    await server.close()
    scratch.remove()
  })

  async function begin(script: ScriptStep[]): Promise<void> {
    scratch = createScratch({ 'a.txt': 'one\n', 'review.yaml': REVIEW })
    server = await startModelServer({ script })
    writeConfig(scratch.home, configFor(server.baseUrl))
  }
  const cli = (args: string[]) => runCli([...args, '--cwd', scratch.project], { home: scratch.home })
  const asked = (index = 0): string => JSON.stringify(server.requests[index]!.body)

  it('--agent-file runs the agent of that file, with its tools, its step limit and no changes', async () => {
    const touch = { toolCalls: [{ name: 'Bash', input: { command: 'touch made.txt' } }] }
    await begin([touch, { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] }, { text: 'Enough.' }])
    const file = join(scratch.project, 'review.yaml')
    const run = await cli([
      'print',
      'look',
      '--agent-file',
      file,
      '--permission-mode',
      'auto',
      '--output-format',
      'json',
    ])
    expect(JSON.parse(run.stdout)).toMatchObject({ stop: 'max_turn_requests', answer: 'Enough.' })
    expect(asked()).toContain('Review and change nothing.')
    expect(asked()).toContain('"Grep"')
    expect(asked()).not.toContain('"Write"')
    const denied = asked(1)
    expect(denied).toContain('Code review')
    expect((await runCli(['session', 'list', '--json'], { home: scratch.home })).code).toBe(0)
  })

  it('a session continues as its agent even if the file was deleted, and switches with --agent', async () => {
    await begin([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    const file = join(scratch.home, 'review.yaml')
    writeFileSync(file, REVIEW)
    await cli(['print', 'look', '--agent-file', file])
    writeFileSync(file, 'description: another one\n')
    await cli(['print', 'again', '--continue'])
    expect(asked(1)).toContain('Review and change nothing.')
    await cli(['print', 'and again', '--continue', '--agent', 'assistant'])
    expect(asked(2)).toContain('The person chose another agent')
    expect(asked(2)).toContain('everyday questions')
  })

  it('an unusable file or name is an error with location and advice, and starts nothing', async () => {
    await begin([{ text: 'Never.' }])
    mkdirSync(join(scratch.home, 'agents'), { recursive: true })
    writeFileSync(join(scratch.project, 'broken.yaml'), 'description: [x')
    expect(await cli(['print', 'x', '--agent-file', join(scratch.project, 'broken.yaml')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/broken\.yaml:1: This is not valid YAML/),
    })
    expect(await cli(['print', 'x', '--agent-file', join(scratch.project, 'gone.yaml')])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--agent-file: there is no file .*gone\.yaml/),
    })
    expect(await cli(['print', 'x', '--agent', 'explor'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Did you mean explore\?/),
    })
    expect(await cli(['print', 'x', '--agent', 'a', '--agent-file', 'b'])).toMatchObject({ code: 2 })
    expect(server.requests).toHaveLength(0)
  })

  it('the agent debug is asked to repeat its input word for word, has no tools, and ends after one step', async () => {
    await begin([{ text: 'hello' }])
    expect(await cli(['print', 'hello', '--agent', 'debug'])).toMatchObject({ code: 0, stdout: 'hello\n' })
    expect(asked(0)).toContain('Answer with the latest message exactly as you received it')
    expect(server.requests[0]!.body).not.toHaveProperty('tools.0')
  })

  it('trestle agent list lists the agents and reports invalid files, as text and as JSON', async () => {
    await begin([{ text: 'Never.' }])
    mkdirSync(join(scratch.home, 'agents'), { recursive: true })
    writeFileSync(join(scratch.home, 'agents', 'half.yaml'), 'name: Half Right\ntools: [Read, Raed]\n')
    const text = await cli(['agent', 'list'])
    expect(text.stdout).toMatch(/^half-right +your own +Half Right$/m)
    expect(text.stdout).toMatch(/^explore +Trestle +only reads /m)
    expect(text.stderr).toMatch(/half\.yaml:2: There is no tool "Raed"\. Did you mean Read\?/)
    const { agents, problems } = JSON.parse((await cli(['agent', 'list', '--json'])).stdout)
    expect(agents.map(({ name }: { name: string }) => name)).toContain('half-right')
    expect(problems).toHaveLength(1)
  })
})
