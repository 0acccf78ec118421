import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { ModelScript, ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { nodeProgram } from '../support/node-program'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer

beforeEach(() => {
  scratch = createScratch({ 'notes.md': '# Notes\n\none\ntwo\n' })
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

async function play(script: ModelScript, options: Parameters<typeof configFor>[1] = {}): Promise<void> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, options))
}

const print = (args: string[], stdin?: string) =>
  runCli(['print', ...args, '--cwd', scratch.project], { home: scratch.home, ...(stdin !== undefined && { stdin }) })
const lines = (stdout: string): { type: string }[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A task that uses every tool once and quotes the results in the last answer. */
const TASK: ScriptStep[] = [
  {
    thinking: 'Let me look – naïvely.',
    text: 'Looking.',
    toolCalls: [
      { name: 'Read', input: { path: 'notes.md' } },
      { name: 'Grep', input: { pattern: 'two', output_mode: 'content' } },
    ],
    usage: { input: 100, output: 10, cached: 40 },
  },
  { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'zwei – 二 😀' } }] },
  { toolCalls: [{ name: 'Bash', input: { command: 'cat notes.md' } }], faults: { splitBytes: 7 } },
  { text: 'Geändert: 二 😀', usage: { input: 300, output: 20, cached: 200 }, faults: { splitBytes: 3 } },
]

describe.each<WireName>(['chat', 'responses', 'anthropic', 'gemini'])('print mode over the %s wire', (wire) => {
  it('reads, searches, edits, runs and answers, with only the answer on stdout', async () => {
    await play(TASK, { wire })
    const run = await print(['translate', '--permission-mode', 'auto'])
    expect(run).toMatchObject({ code: 0, stdout: 'Geändert: 二 😀\n', stderr: '' })
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('# Notes\n\none\nzwei – 二 😀\n')
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('zwei – 二 😀')
  })

  it('recovers from a rate limit, a reset and a cut-off stream', async () => {
    await play(
      [
        { faults: { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } } },
        { text: 'This answer breaks off somewhere in the middle', faults: { resetAfterBytes: 200 } },
        { text: 'This one has no end', faults: { truncate: true } },
        { text: 'whole' },
      ],
      { wire },
    )
    expect(await print(['go'])).toMatchObject({ code: 0, stdout: 'whole\n' })
    expect(server.requests).toHaveLength(4)
  })

  it('recovers from a stall', async () => {
    // A busy machine may also be silent for a second.
    const whole = { text: 'whole', repeat: 5 }
    await play([{ text: 'I will say no more than this', faults: { stallAfterBytes: 150 } }, whole], {
      wire,
      loop: 'idle_timeout_s = 1',
    })
    expect(await print(['go'])).toMatchObject({ code: 0, stdout: 'whole\n' })
  })
})

describe('print mode', () => {
  it('writes one event per line, recorded ones without gaps, and the result last', async () => {
    await play(TASK)
    const events = lines((await print(['go', '--permission-mode', 'auto', '--output-format', 'stream-json'])).stdout)
    const seqs = events.flatMap((event) => ('seq' in event ? [(event as RecordedEvent).seq] : []))
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index))
    expect(events.filter((event) => event.type === 'tool.started')).toHaveLength(4)
    expect(events.filter((event) => event.type === 'tool.finished')).toHaveLength(4)
    expect(events.at(-2)).toMatchObject({ type: 'turn.finished', stop: 'end_turn' })
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      answer: 'Geändert: 二 😀',
      stop: 'end_turn',
      steps: 4,
      usage: { input: 420, output: 40, cached: 240 },
    })
  })

  it('writes one object at the end', async () => {
    await play([{ text: 'hi' }])
    expect(JSON.parse((await print(['go', '--output-format', 'json'])).stdout)).toMatchObject({
      type: 'result',
      answer: 'hi',
      stop: 'end_turn',
    })
  })

  it('denies what it would have to ask, and tells the model', async () => {
    await play([{ toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] }, { text: 'could not' }])
    const run = await print(['go'])
    expect(run).toMatchObject({ code: 3, stdout: 'could not\n' })
    expect(run.stderr).toMatch(
      /1 call was denied:\n {2}Bash touch made: This needs approval .* no user is available to give it\.\n/,
    )
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
    expect(JSON.stringify(server.requests[1]!.body)).toMatch(/no user is available/)
  })

  it('lists denied calls in the JSON result, including those of subagents, and exits with 3', async () => {
    const agent = { description: 'look', prompt: 'look around' }
    const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } })
    await play([
      { toolCalls: [touch('mine'), { name: 'Agent', input: agent }] },
      { toolCalls: [touch('theirs')] },
      { text: 'no' },
      { text: 'done' },
    ])
    const run = await print(['go', '--output-format', 'json'])
    const { denials, stop } = JSON.parse(run.stdout) as { denials: object[]; stop: string }
    expect({ code: run.code, stop }).toEqual({ code: 3, stop: 'end_turn' })
    expect(denials).toEqual([
      { tool: 'Bash', summary: 'touch mine', reason: expect.stringContaining('no user is available') as string },
      {
        tool: 'Bash',
        summary: 'touch theirs',
        reason: expect.stringContaining('no user is available') as string,
        agentId: expect.stringMatching(/^agent-/) as string,
      },
    ])
  })

  it('uses the servers of --mcp-config-file in this session only', async () => {
    const [command, ...args] = nodeProgram('./mcp-clerk-server.ts')
    const file = join(scratch.project, 'servers.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { clerk: { command, args } } }))
    await play([
      { toolCalls: [{ name: 'mcp__clerk__echo', input: { text: 'good morning' } }] },
      { text: 'done' },
      { text: 'without' },
    ])
    expect(await print(['go', '--yolo', '--mcp-config-file', file])).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(JSON.stringify(server.requests[1]!.body['messages'])).toContain('"content":"good morning"')
    await print(['go'])
    expect(JSON.stringify(server.requests[2]!.body)).not.toContain('mcp__clerk__echo')
  })

  it('has no denials and exits with 0 when everything was allowed', async () => {
    await play([{ toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }, { text: 'ok' }])
    const run = await print(['go', '--output-format', 'json'])
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ denials: [] })
  })

  it('reports three steps when --max-steps 3 ends the turn, and repetition as a separate reason', async () => {
    const read = (path: string) => ({ toolCalls: [{ name: 'Read', input: { path } }] })
    await play([read('a'), read('b'), read('c'), { text: 'so far' }])
    const limited = await print(['go', '--max-steps', '3', '--output-format', 'json'])
    expect(limited.code).toBe(1)
    expect(JSON.parse(limited.stdout)).toMatchObject({ stop: 'max_turn_requests', steps: 3, answer: 'so far' })
    await server.close()
    await play([...Array.from({ length: 12 }, () => read('a')), { text: 'sorry' }])
    const repeated = await print(['go', '--output-format', 'json'])
    expect(repeated).toMatchObject({ code: 1, stderr: expect.stringContaining('kept making the same call') as string })
    expect(JSON.parse(repeated.stdout)).toMatchObject({ stop: 'repetition', steps: 12, answer: 'sorry' })
  })

  it('accepts edits but not commands in Accept edits without a sandbox', async () => {
    await play([
      {
        toolCalls: [
          { name: 'Write', input: { path: 'new.txt', content: 'x' } },
          { name: 'Bash', input: { command: 'touch made' } },
        ],
      },
      { text: 'done' },
    ])
    appendFileSync(join(scratch.home, 'config.toml'), '\n[sandbox]\nmode = "off"\n')
    await print(['go', '--permission-mode', 'accept-edits'])
    expect(existsSync(join(scratch.project, 'new.txt'))).toBe(true)
    expect(existsSync(join(scratch.project, 'made'))).toBe(false)
  })

  it('appends stdin to the prompt', async () => {
    await play([{ text: 'ok' }])
    await print(['summarise'], 'the piped text')
    expect(JSON.stringify(server.requests[0]!.body)).toMatch(/summarise\\n\\nthe piped text/)
  })

  it('continues the latest session with its conversation and reads', async () => {
    await play([
      { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
      { text: 'first answer' },
      { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'one', new_string: 'eins' } }] },
      { text: 'second answer' },
    ])
    await print(['first prompt'])
    expect(await print(['second prompt', '-c', '--permission-mode', 'accept-edits'])).toMatchObject({
      code: 0,
      stdout: 'second answer\n',
    })
    expect(JSON.stringify(server.requests[2]!.body)).toMatch(/first prompt.*first answer.*second prompt/)
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toContain('eins')
  })

  it('exits with 1 and says what to do when the key is rejected, after one attempt', async () => {
    await play([{ faults: { status: 401, body: { error: { message: 'bad key' } } } }])
    const run = await print(['go'])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/Invalid API key/)
    expect(server.requests).toHaveLength(1)
  })

  it('exits with 1 and the best answer so far when the step limit is reached', async () => {
    await play([{ toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }, { text: 'so far' }])
    expect(await print(['go', '--max-steps', '1'])).toMatchObject({ code: 1, stdout: 'so far\n' })
    expect(server.requests[1]!.body['tool_choice']).toBe('none')
  })

  it('stops immediately on an interrupt, keeps everything and exits with 130', async () => {
    await play([{ text: 'a long story '.repeat(50), faults: { eventDelayMs: 100 } }, { text: 'went on' }])
    const child = startCli(['print', 'go', '--cwd', scratch.project, '--output-format', 'stream-json'], {
      home: scratch.home,
    })
    child.stdin.end()
    let out = ''
    let interrupted = false
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8')
      if (out.includes('text.delta') && !interrupted) interrupted = child.kill('SIGINT')
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code).toBe(130)
    expect(lines(out).at(-1)).toMatchObject({ type: 'result', stop: 'cancelled' })
    expect(await print(['continue', '-c'])).toMatchObject({ code: 0, stdout: 'went on\n' })
    expect(JSON.stringify(server.requests[1]!.body)).toContain('a long story')
  })

  it('shows commands neither API keys in the environment nor those of providers', async () => {
    await play([{ toolCalls: [{ name: 'Bash', input: { command: 'env' } }] }, { text: 'done' }], {
      more: '[tools]\nhide_env = ["MY_TOKEN"]',
    })
    await runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', 'auto'], {
      home: scratch.home,
      env: { OPENAI_API_KEY: 'sk-secret-one', MY_TOKEN: 'secret-two', HARMLESS: 'shown' },
    })
    const sent = JSON.stringify(server.requests[1]!.body)
    expect(sent).toContain('HARMLESS=shown')
    expect(sent).not.toMatch(/sk-secret-one|secret-two|test-key-of-the-config/)
  })
})

it('a prompt that starts with a skill includes its instructions, and the agent is told about the others', async () => {
  await play([{ text: 'done' }])
  const path = join(scratch.project, '.trestle', 'skills', 'tidy')
  mkdirSync(path, { recursive: true })
  writeFileSync(
    join(path, 'SKILL.md'),
    '---\nname: tidy\ndescription: Tidies things\n---\nTidy $ARGUMENTS from top to bottom.\n',
  )
  expect(await print(['/tidy the attic'])).toMatchObject({ code: 0, stdout: 'done\n' })
  const asked = JSON.stringify(server.requests[0]!.body)
  expect(asked).toContain('Tidy the attic from top to bottom.')
  expect(asked).toContain('- tidy: Tidies things')
})

it.each(['text', 'json'])(
  'an answer that stays empty is a failure as %s, with a message and exit code 1',
  async (format) => {
    await play([{ repeat: 3 }])
    const run = await print(['say something', '--output-format', format])
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('The model sent an empty response') })
    const failed = expect.objectContaining({
      stop: 'error',
      failure: expect.objectContaining({ code: 'model.empty' }),
      answer: '',
    })
    expect(format === 'json' ? JSON.parse(run.stdout) : run.stdout).toEqual(format === 'json' ? failed : '')
  },
)
