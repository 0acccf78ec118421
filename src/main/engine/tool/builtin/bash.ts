import { stat } from 'node:fs/promises'
import { constants } from 'node:os'
import { z } from 'zod'
import { cutStart } from '../../task/output-text'
import type { TaskEnd, TerminalTasks } from '../../task/terminal-tasks'
import type { Workspace } from '../../workspace/workspace'
import { cutAt } from '../limits'
import { failed, refuse, type CallContext, type Refusal, type Tool, type ToolResult } from '../tool'
import description from './bash.md?raw'

const DEFAULT_TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 300_000
/** Room for the output in a result of 50,000 characters; the rest is for what is said about it. */
const MAX_OUTPUT_CHARS = 46_000
/** Most the system takes as one argument. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1
const CARD_CHARS = 8_000
/** Shorter durations tell nothing. */
const WORTH_TELLING_MS = 10_000

const input = z.strictObject({
  command: z.string().min(1).describe('The command, in bash'),
  cwd: z.string().min(1).optional().describe('Folder to run in; default: the project folder'),
  timeout: z.int().min(1).optional().describe(`In milliseconds; default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}`),
  description: z.string().optional().describe('What it does, in a few words'),
})

type Input = z.output<typeof input>

/** Runs commands as tasks of their own; see reference/tools.md, Shell. */
export function bashTool({ workspace, tasks }: { workspace: Workspace; tasks: TerminalTasks }): Tool<typeof input> {
  return {
    name: 'Bash',
    description,
    input,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    // A task keeps its own time.
    timeoutMs: null,
    async prepare(asked) {
      const { command } = asked
      if (command.trim() === '') return refuse('The command is empty.')
      if (command.includes('\0')) return refuse('The command holds a NUL character, which no shell takes. Use printf "\\\\0" to make one.')
      if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
        return refuse('The command is longer than 128 KB, which the system does not take. Write it to a file with Write and run that.')
      }
      const cwd = await folderFor(workspace, asked.cwd)
      if (typeof cwd !== 'string') return cwd
      return {
        summary: summaryOf(command),
        accesses: [{ kind: 'command', command, cwd }],
        preview: async () => ({
          kind: 'command',
          command,
          cwd,
          ...(asked.description !== undefined && { description: asked.description }),
        }),
        rememberAs: { key: `bash:${cwd}\n${command}`, label: 'Allow exactly this command for this session' },
        run: (ctx) => run(tasks, asked, cwd, ctx),
      }
    },
  }
}

async function folderFor(workspace: Workspace, asked: string | undefined): Promise<string | Refusal> {
  if (asked === undefined) return workspace.root
  const { realPath, problem } = await workspace.resolve(asked)
  if (problem !== undefined) return refuse(`The cwd ${JSON.stringify(asked.slice(0, 500))} cannot be used: ${problem}.`)
  const found = await stat(realPath).catch(() => undefined)
  if (found?.isDirectory()) return realPath
  const shown = workspace.display(realPath)
  return refuse(
    found
      ? `The cwd ${shown} is a file. Give the folder that the command is to run in.`
      : `The cwd ${shown} does not exist. Find the right folder with Glob or ListDirectory, or make it first with mkdir -p.`,
  )
}

/** The first line that says something. */
function summaryOf(command: string): string {
  const lines = command.split('\n').map((line) => line.trim())
  const shown = lines.find((line) => line !== '' && !line.startsWith('#')) ?? lines.find((line) => line !== '') ?? ''
  const more = lines.filter((line) => line !== '').length > 1
  return shown.length > 120 ? `${cutAt(shown, 119)}…` : more ? `${shown} …` : shown
}

async function run(tasks: TerminalTasks, asked: Input, cwd: string, ctx: CallContext): Promise<ToolResult> {
  const timeoutMs = Math.min(asked.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
  const { command, description: about } = asked
  const start = { command, cwd, timeoutMs, signal: ctx.signal, onOutput: ctx.progress, ...(about !== undefined && { description: about }) }
  try {
    return resultOf(await tasks.run(start, MAX_OUTPUT_CHARS), timeoutMs)
  } catch (error) {
    return failed(`The command could not be started: ${startProblem(error, cwd)}`)
  }
}

function startProblem(error: unknown, cwd: string): string {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) }
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the folder ${cwd} is not there any more.`
  if (code === 'EACCES') return `the folder ${cwd} may not be entered.`
  if (code === 'E2BIG') return 'it is too long together with the environment. Write it to a file with Write and run that.'
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM')
    return `the machine has no room for another process just now (${code}). Try again in a moment, or stop something.`
  return message
}

/** What the model reads: the output, then what it cannot see in it; how it ended comes last. */
function resultOf(end: TaskEnd, timeoutMs: number): ToolResult {
  const { task, durationMs, truncated } = end
  const output = end.text.replace(/\s+$/, '')
  const after = [...notesOf(end), ...endOf(end, timeoutMs)]
  const nothing =
    task.status === 'completed' && end.leftRunning.length === 0 ? 'The command succeeded and printed nothing.' : 'It printed nothing.'
  const text = [output === '' ? nothing : output, ...after].join('\n')
  return {
    content: [{ type: 'text', text }],
    ...(task.status !== 'completed' && { isError: true }),
    details: {
      kind: 'output',
      taskId: task.taskId,
      command: task.command,
      ...(task.exitCode !== undefined && { exitCode: task.exitCode }),
      durationMs,
      text: cutStart(output, CARD_CHARS),
      outputPath: task.outputPath,
      truncated: truncated || output.length > CARD_CHARS,
    },
  }
}

function notesOf({ leftRunning, notes }: TaskEnd): string[] {
  const shown = leftRunning.slice(0, 5).map(({ pid, command }) => `${pid} (${command})`)
  if (leftRunning.length > 5) shown.push(`${leftRunning.length - 5} more`)
  return [...notes.map((note) => `[${note}]`), ...(shown.length > 0 ? [`[Still running in the background: ${shown.join(', ')}]`] : [])]
}

function endOf({ task, durationMs }: TaskEnd, timeoutMs: number): string[] {
  const { status, exitCode } = task
  if (status === 'stopped') return [`Stopped by the user after ${seconds(durationMs)}.`]
  if (status === 'timed_out') {
    const longer = timeoutMs < MAX_TIMEOUT_MS ? `give a longer timeout (milliseconds, at most ${MAX_TIMEOUT_MS}) or ` : ''
    return [
      `Timed out: stopped after ${seconds(timeoutMs)}, with everything it had started. If it needs more time, ${longer}do less at once.`,
    ]
  }
  if (status === 'failed') {
    const took = durationMs >= WORTH_TELLING_MS ? ` (after ${seconds(durationMs)})` : ''
    if (exitCode === undefined) return [`Ended by ${task.signal ?? 'a signal'}${took}.`]
    return [`Exit code ${exitCode}${meaningOf(exitCode)}${took}`]
  }
  return durationMs >= WORTH_TELLING_MS ? [`[Took ${seconds(durationMs)}]`] : []
}

/** Codes a shell makes up itself. */
function meaningOf(exitCode: number): string {
  if (exitCode === 126) return ' (found but cannot be executed)'
  if (exitCode === 127) return ' (command not found)'
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0]
  return signal === undefined ? '' : ` (ended by ${signal})`
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s` : `${Math.round(ms / 1000)} s`
}
