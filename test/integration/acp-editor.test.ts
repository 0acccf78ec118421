import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { acpEditor, EDITOR_CAPABILITIES, type AcpEditor } from '../support/acp-editor'
import { acpRun, choosing, openSession, say, type AcpRun } from '../support/acp-run'
import type { ModelScript, ScriptStep } from '../support/model-script'
import { until } from '../support/until'

let run: AcpRun
let editor: AcpEditor

afterEach(async () => {
  await run.close()
  await editor.close()
})

async function start(
  script: ModelScript,
  { files, env, config }: { files?: Record<string, string>; env?: Record<string, string>; config?: string } = {},
) {
  editor = acpEditor()
  const { answers } = editor
  answers['session/request_permission'] = choosing('allow_once')
  run = await acpRun({ script, answers, ...(files && { files }), ...(env && { env }), ...(config && { config }) })
  return {
    path: (name: string) => join(run.scratch.project, name),
    disk: (name: string) => readFileSync(join(run.scratch.project, name), 'utf8'),
  }
}

const READ: ScriptStep = { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
const edit = (from: string, to: string): ScriptStep => ({
  toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: from, new_string: to } }],
})
const bash = (command: string, more: object = {}): ScriptStep => ({
  toolCalls: [{ name: 'Bash', input: { command, ...more } }],
})

/** The results that the model has received, in order. */
function results(): string[] {
  const { messages } = run.server.requests.at(-1)!.body as { messages: { role: string; content: string }[] }
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content.replace(/\n\[checkpoint \d+\]$/, ''))
}

describe('files that an editor has open', () => {
  it('are read and edited as they are in the editor, not as saved, and a restore gives the unsaved text', async () => {
    const { path, disk } = await start([READ, edit('unsaved', 'changed'), { text: 'ok' }])
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    editor.buffers.set(path('notes.md'), '# Notes\n\none\nunsaved\n')
    await say(run.client, sessionId, 'go')
    expect(results()[0]).toContain('4\tunsaved')
    expect(editor.writes).toEqual([path('notes.md')])
    expect(disk('notes.md')).toBe('# Notes\n\none\nchanged\n')
    await say(run.client, sessionId, '/undo')
    expect(disk('notes.md')).toBe('# Notes\n\none\nunsaved\n')
  })

  it('must be read again when the user has edited them since, even if unsaved', async () => {
    const { path, disk } = await start((_request, index) => {
      // The user types between the first and the second answer.
      if (index === 1) editor.buffers.set(path('notes.md'), '# Notes\n\none\ntwo\ntyped meanwhile\n')
      return [READ, edit('two', 'three'), { text: 'ok' }][index]
    })
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[1]).toContain('was changed in the editor since it was last read')
    expect(editor.writes).toEqual([])
    expect(disk('notes.md')).toBe('# Notes\n\none\ntwo\n')
  })

  it('count as unchanged when the editor differs only in line endings, byte order mark or final newline', async () => {
    const { path } = await start([READ, edit('two', 'three'), { text: 'ok' }], {
      files: { 'notes.md': 'one\r\ntwo\r\nend\r\n' },
    })
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    editor.buffers.set(path('notes.md'), 'one\ntwo\nend')
    await say(run.client, sessionId, 'go')
    expect(results()[0]).toContain('CRLF line endings')
    expect(readFileSync(path('notes.md'), 'utf8')).toBe('one\r\nthree\r\nend\r\n')
  })

  it('are left alone when they have unsaved changes and the editor can only read', async () => {
    const { path, disk } = await start([READ, edit('unsaved', 'changed'), { text: 'ok' }])
    const sessionId = await openSession(run, { fs: { readTextFile: true, writeTextFile: false } })
    editor.buffers.set(path('notes.md'), '# Notes\n\none\nunsaved\n')
    await say(run.client, sessionId, 'go')
    expect(results()[1]).toMatch(/changes in the editor that are not saved.*Ask the user to save it/)
    expect(disk('notes.md')).toBe('# Notes\n\none\ntwo\n')
    expect(editor.buffers.get(path('notes.md'))).toBe('# Notes\n\none\nunsaved\n')
  })

  it('are never requested from an editor that offers no file access', async () => {
    const { path, disk } = await start([READ, edit('two', 'three'), bash('echo "$PWD" > where'), { text: 'ok' }])
    const sessionId = await openSession(run, {})
    editor.buffers.set(path('notes.md'), 'something else\n')
    await say(run.client, sessionId, 'go')
    expect(disk('notes.md')).toBe('# Notes\n\none\nthree\n')
    expect(
      run.client.messages.filter(({ method }) => method?.startsWith('fs/') || method?.startsWith('terminal/')),
    ).toEqual([])
  })

  it('are limited to the project, and the agent is told when the editor refuses to write', async () => {
    const { path, disk } = await start([READ, edit('two', 'three'), { text: 'ok' }])
    editor.answers['fs/write_text_file'] = () => {
      throw new Error('the buffer is locked')
    }
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[1]).toContain('The editor did not write')
    expect(results()[1]).toContain('the buffer is locked')
    expect(disk('notes.md')).toBe('# Notes\n\none\ntwo\n')
    expect(editor.reads.every((read) => read.startsWith(path('')))).toBe(true)
  })

  it('are reported to the agent when the editor formats them on save', async () => {
    const { path } = await start([READ, edit('two', 'three'), edit('three', 'four'), { text: 'ok' }])
    editor.answers['fs/write_text_file'] = ({ path: written, content }) => {
      editor.buffers.set(written, `${content}formatted\n`)
      writeFileSync(written, `${content}formatted\n`)
    }
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[1]).toMatch(/Replaced 1 occurrence.*The editor has changed notes\.md further/)
    expect(results()[2]).toContain('since it was last read')
    expect(readFileSync(path('notes.md'), 'utf8')).toContain('formatted')
  })
})

describe('commands in terminals of an editor', () => {
  it('run and are shown there, and the agent gets their output and how they ended', async () => {
    await start([bash('echo out; read line; echo "got [$line]" >&2; mkdir here && cd here && exit 3'), { text: 'ok' }])
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[0]).toBe('out\ngot []\nExit code 3')
    // Before the first command, a small program checked whether sandboxes work there.
    expect([...editor.terminals.values()].every(({ released }) => released)).toBe(true)
    const updates = run.client.updates(sessionId, 'tool_call_update')
    expect(updates.at(-1)).toMatchObject({
      status: 'failed',
      content: [{ type: 'terminal', terminalId: `term-${editor.terminals.size}` }],
      rawOutput: { exitCode: 3 },
    })
    expect(updates.some(({ status, content }) => status === 'in_progress' && content?.[0]?.type === 'terminal')).toBe(
      true,
    )
  })

  it('see no provider key, though the editor itself has them', async () => {
    await start([bash('echo "[$OPENAI_API_KEY][$MY_SECRET][$PAGER]" | tee seen'), { text: 'ok' }], {
      env: { OPENAI_API_KEY: 'sk-secret', MY_SECRET: 'hush' },
      config: '[tools]\nhide_env = ["MY_SECRET"]\n',
    })
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[0]).toContain('[][][cat]')
  })

  it('are stopped at our time limit and by our stop, and the terminal is released', async () => {
    await start([
      bash('echo started; sleep 60; touch never', { timeout: 300 }),
      bash('echo again; sleep 60; touch never'),
      { text: 'ok' },
    ])
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    const stopped = say(run.client, sessionId, 'go')
    const commands = () => [...editor.terminals.values()].filter(({ command }) => command.includes('sleep 60'))
    await until(() => commands().length === 2 && commands()[1]!.output.includes('again'), 'the second command')
    run.client.notify('session/cancel', { sessionId })
    expect(await stopped).toEqual({ stopReason: 'cancelled' })
    await until(
      () => commands().every(({ released, child }) => released && child.signalCode === 'SIGKILL'),
      'both to be ended',
    )
    expect(
      run.client.updates(sessionId, 'tool_call_update').find(({ status }) => status === 'failed').content[1].content
        .text,
    ).toContain('Timed out: stopped after 0.3 s')
  })

  it('are not run elsewhere when the editor refuses to run them', async () => {
    await start([bash('touch made'), { text: 'ok' }])
    editor.answers['terminal/create'] = () => {
      throw new Error('not in this window')
    }
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await say(run.client, sessionId, 'go')
    expect(results()[0]).toMatch(/could not be started: the editor opened no terminal for it: .*not in this window/)
    expect(() => readFileSync(join(run.scratch.project, 'made'))).toThrow('ENOENT')
  })
})

describe.skipIf(sandboxSupport().kind === 'none')('sandboxes in terminals of an editor', () => {
  const outside = (): string => join(run.scratch.home, '..', 'outside')
  const modeOf = (sessionId: string, modeId: string) => run.client.request('session/set_mode', { sessionId, modeId })
  const statuses = (): string => run.client.messages.map((message) => JSON.stringify(message)).join()

  it('confine commands to the project when the editor runs on this machine', async () => {
    await start([bash(`echo in > inside; echo out > ../outside; true`), { text: 'ok' }])
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await modeOf(sessionId, 'auto')
    await say(run.client, sessionId, 'go')
    expect(readFileSync(join(run.scratch.project, 'inside'), 'utf8')).toBe('in\n')
    expect(existsSync(outside())).toBe(false)
    expect([...editor.terminals.values()]).toHaveLength(2)
  })

  it('are not claimed for an editor on another machine: commands are shown as unrestricted', async () => {
    await start([bash('echo in > inside'), bash('echo again > inside'), { text: 'ok' }])
    const create = editor.answers['terminal/create']!
    // As on a machine without our files.
    editor.answers['terminal/create'] = (params) =>
      params['args'].some((arg: string) => arg.includes('read -r word'))
        ? create({ ...params, command: '/bin/false', args: [] })
        : create(params)
    const sessionId = await openSession(run, EDITOR_CAPABILITIES)
    await modeOf(sessionId, 'ask')
    await say(run.client, sessionId, 'go')
    expect(readFileSync(join(run.scratch.project, 'inside'), 'utf8')).toBe('again\n')
    // One attempt, and both commands unchanged.
    const commands = [...editor.terminals.values()].map(({ child }) => child.spawnfile)
    expect(commands).toHaveLength(3)
    expect(commands.slice(1).every((program) => program.endsWith('sh'))).toBe(true)
    expect(statuses()).not.toContain('Run in sandbox')
  })
})
