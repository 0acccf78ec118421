import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callTool } from '../../../../test/support/call-tool'
import { collect } from '../../../../test/support/collect-chunks'
import { judgeCommand } from '../../../../test/support/judge-command'
import { memorySessionTasks } from '../../../../test/support/memory-session-tasks'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { Message } from '../../../shared/model/turn/message'
import type { Todo } from '../../../shared/model/turn/plan'
import { DEFAULT_SETTINGS } from '../config/settings/settings'
import { compactionNote } from '../context/compaction/kept-content'
import { summaryRequest } from '../context/compaction/summary-request'
import { commandEnv } from '../environment/command-env'
import { createTerminalTasks } from '../task/run/in-process-tasks'
import { bashTool } from '../tool/shell/bash'
import { editTool } from '../tool/files/edit'
import { listDirectoryTool } from '../tool/files/list-directory'
import { readTool } from '../tool/files/read'
import { taskOutputTool } from '../tool/shell/task-output'
import { todoListTool } from '../tool/plan/todo-list'
import { writeTool } from '../tool/files/write'
import { createRegistry } from '../tool/registry'
import { createWorkspace } from '../workspace/workspace'
import type { ModelRequest } from './provider'
import { createDemoProvider } from './demo-provider'

interface Run {
  messages: Message[]
  /** All its text, in order. */
  said: string[]
  called: string[]
  todos: Todo[]
}

/** Plays the demo to its end with the real tools; calls named in `rejected` are rejected as the gate would. */
async function play(
  folder: string,
  options: { rejected?: string[]; without?: string[]; earlier?: Message[] } = {},
): Promise<Run> {
  const outputDir = await tempFolder()
  const tasks = createTerminalTasks({ outputDir, env: () => commandEnv(process.env, DEFAULT_SETTINGS) })
  onTestFinished(() => tasks.close())
  const workspace = createWorkspace({ root: folder })
  const session = memorySessionTasks()
  const start = session.supervisor.start.bind(session.supervisor)
  session.supervisor.start = async (asked) => {
    const task = await start(asked)
    session.supervisor.end(task.taskId, { status: 'completed', exitCode: 0 })
    return task
  }
  let todos: Todo[] = []
  const store = { get: () => todos, set: (list: Todo[]) => (todos = list) }
  const tools = [
    readTool({ workspace }),
    writeTool({ workspace }),
    editTool({ workspace }),
    listDirectoryTool({ workspace }),
    bashTool({ workspace, terminals: tasks, tasks: session.tasks }),
    taskOutputTool({ tasks: session.tasks }),
    todoListTool({ todos: store }),
  ].filter((tool) => !options.without?.includes(tool.name))
  const registry = createRegistry(tools)
  const provider = createDemoProvider({ paceMs: 0 })
  const messages: Message[] = [
    ...(options.earlier ?? []),
    { role: 'user', parts: [{ type: 'text', text: 'Show me.' }] },
  ]
  const said: string[] = []
  const called: string[] = []
  for (let step = 0; step < 20; step += 1) {
    const request = {
      model: 'scripted',
      system: '',
      messages,
      tools: registry.schemas(),
      imagesIn: false,
      thinking: true,
    }
    const { parts, calls, text, reason } = await collect(provider.stream(request, new AbortController().signal))
    said.push(text)
    messages.push({ role: 'assistant', parts })
    expect(reason).toBe(calls.length > 0 ? 'tool_calls' : 'stop')
    if (calls.length === 0) return { messages, said, called, todos }
    for (const { callId, name, input } of calls) {
      called.push(name)
      const tool = registry.get(name)
      if (!tool) throw new Error(`the demo called ${name}, which it was not offered`)
      const outcome = options.rejected?.includes(name)
        ? {
            isError: true,
            content: [{ type: 'text' as const, text: 'The user rejected this call and says: not today' }],
          }
        : await callTool(tool, tool.input().parse(JSON.parse(input)))
      messages.push({ role: 'tool', callId, name, isError: outcome.isError === true, content: outcome.content })
    }
  }
  throw new Error('the demo did not come to an end')
}

describe('the demo model', () => {
  it('reads the actual folder, writes, edits, runs a command, and reports it truthfully', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'README.md'), '# Bridge inspector\n\nChecks bridges.\n')
    await writeFile(join(folder, 'a.ts'), 'export {}\n')
    const { said, called, todos } = await play(folder)
    expect(called.filter((name) => name !== 'TodoList')).toEqual([
      'ListDirectory',
      'Read',
      'Write',
      'Edit',
      'Bash',
      'Bash',
      'TaskOutput',
    ])
    expect(await readFile(join(folder, 'trestle-demo.md'), 'utf8')).toContain('Status: written, then changed.\n')
    expect(await readFile(join(folder, 'trestle-demo.md'), 'utf8')).toContain('the folder held 2 entries')
    expect(said.join('\n')).toContain('# Bridge inspector')
    expect(said.at(-1)).toMatch(
      /wrote `trestle-demo\.md`[^]*changed one line[^]*“7 trestle-demo\.md”[^]*counted to three in the background/,
    )
    expect(todos.map((todo) => todo.status)).toEqual(['done', 'done', 'done'])
  })

  it('never claims to be a model', async () => {
    const { said } = await play(await tempFolder())
    expect(said[0]).toContain('**not a model**')
  })

  it('continues after a rejection, says so with the reason, and changes nothing', async () => {
    const folder = await tempFolder()
    const { said, called, todos } = await play(folder, { rejected: ['Write'] })
    expect(await readdir(folder)).toEqual([])
    expect(called).not.toContain('Edit')
    expect(said.join('\n')).toContain('not today')
    expect(said.at(-1)).toContain('did not write `trestle-demo.md`')
    expect(said.at(-1)).toContain('ran `ls`')
    expect(todos[1]).toMatchObject({ title: expect.stringContaining('not done') as string, status: 'pending' })
    expect(said.join('\n')).not.toMatch(/\[checkpoint \d/)
  })

  it('reports when only the edit or the command is rejected', async () => {
    const { said, todos } = await play(await tempFolder(), { rejected: ['Edit', 'Bash'] })
    expect(todos.map(({ status }) => status)).toEqual(['done', 'pending', 'pending'])
    expect(said.at(-1)).toMatch(/did not change a line of it: .*not today/)
    expect(said.at(-1)).toMatch(/did not get an answer from `wc -l trestle-demo\.md`: .*not today/)
  })

  it('runs again in a folder where it has run before', async () => {
    const folder = await tempFolder()
    await play(folder)
    const { called, said } = await play(folder)
    expect(called.filter((name) => name !== 'TodoList')).toEqual([
      'ListDirectory',
      'Read',
      'Write',
      'Edit',
      'Bash',
      'Bash',
      'TaskOutput',
    ])
    expect(said.at(-1)).not.toContain('did not')
  })

  it('skips steps whose tools are switched off, and still ends', async () => {
    const folder = await tempFolder()
    const { said, called } = await play(folder, { without: ['Write', 'TodoList', 'ListDirectory'] })
    expect(called.every((name) => name === 'Bash' || name === 'Read' || name === 'TaskOutput')).toBe(true)
    expect(said.at(-1)).toContain('That was the whole script')
    expect(
      (await play(folder, { without: ['Read', 'Write', 'Edit', 'ListDirectory', 'Bash', 'TodoList'] })).said,
    ).toHaveLength(1)
  })

  it('answers any further prompt by saying that it is a script and how to connect a model', async () => {
    const folder = await tempFolder()
    const first = await play(folder)
    // As returned by the store.
    const earlier = JSON.parse(JSON.stringify(first.messages)) as Message[]
    const { said, called } = await play(folder, { earlier })
    expect(called).toEqual([])
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('not from a model')
    expect(said[0]).toContain('Ollama')
  })

  it('explains task news after the end of the script as a message from Trestle, not the user', async () => {
    const folder = await tempFolder()
    const { messages } = await play(folder)
    const news: Message = {
      role: 'user',
      parts: [{ type: 'text', text: '<task-news>\nA background task has ended.\n</task-news>' }],
    }
    // As the loop sends it, followed by the number of a checkpoint.
    const mark: Message = { role: 'user', parts: [{ type: 'text', text: '[checkpoint 9]' }], by: 'guard' }
    const request = {
      model: 'scripted',
      system: '',
      messages: [...messages, news, mark],
      tools: [],
      imagesIn: false,
      thinking: true,
    }
    const { text } = await collect(createDemoProvider({ paceMs: 0 }).stream(request, new AbortController().signal))
    expect(text).toContain('which Trestle wrote and not you')
  })

  it('returns a summary that says it is scripted, and does not start over after a compaction', async () => {
    const { messages } = await play(await tempFolder())
    const provider = createDemoProvider({ paceMs: 0 })
    const { system, message } = summaryRequest(messages, 10_000, undefined)
    const ask = async (asked: Pick<ModelRequest, 'system' | 'messages' | 'purpose'>): Promise<string> => {
      const request = { ...asked, model: 'demo', tools: [], imagesIn: false, thinking: false }
      return (await collect(provider.stream(request, new AbortController().signal))).text
    }
    const summary = await ask({ system, messages: [message], purpose: 'summary' })
    expect(summary).toContain("a script's summary")
    const note: Message = {
      role: 'user',
      parts: [{ type: 'text', text: compactionNote(summary, { todos: [], tasks: [] }, []) }],
      by: 'compaction',
    }
    const next: Message = { role: 'user', parts: [{ type: 'text', text: 'and now?' }] }
    expect(await ask({ system: '', messages: [note, next] })).toContain('only this one answer left')
  })

  it('counts in the background with a command that needs no approval', async () => {
    const command = 'for n in 1 2 3; do echo "$n"; sleep 1; done'
    expect((await judgeCommand(command, { cwd: await tempFolder() })).verdict).toBe('allow')
  })

  it('is not fooled by oddly named entries or folders named like a file', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'README.md'))
    await writeFile(join(folder, 'new\nline.md'), 'x')
    await writeFile(join(folder, 'notes.txt'), '\n\nfirst words\n')
    const { said } = await play(folder)
    expect(said.join('\n')).toContain('I read `notes.txt`')
    expect(said.join('\n')).toContain('“first words”')
  })

  it('stops immediately when the turn is stopped, even mid-word', async () => {
    const controller = new AbortController()
    const request = { model: 'scripted', system: '', messages: [], tools: [], imagesIn: false, thinking: true }
    const stream = createDemoProvider({ paceMs: 5 }).stream(request, controller.signal)
    const reading = (async () => {
      for await (const chunk of stream) if (chunk.type === 'text') controller.abort()
    })()
    await expect(reading).rejects.toThrow(/abort/i)
  })
})
