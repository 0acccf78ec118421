import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { tooManyFilesAdvice } from '../../process/file-descriptors'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { TaskEnd, TerminalTasks } from '../../task/task-supervisor'
import type { Workspace } from '../../workspace/workspace'
import { backgroundResult, foregroundResult, MAX_TIMEOUT_MS } from '../bash-result'
import { truncateText } from '../truncate-result'
import { backgroundNote, runInSandbox, type SessionSandbox } from '../bash-sandbox'
import type { SessionTasks } from '../session-services'
import { failed, refuse, type CallContext, type Refusal, type Tool, type ToolResult } from '../tool'
import description from './bash.md?raw'

const DEFAULT_TIMEOUT_MS = 120_000
const BACKGROUND_TIMEOUT_MS = 600_000
/** Longer output is cut; in a result of 50,000 characters, this leaves space for the notes about it. */
const MAX_OUTPUT_CHARS = 46_000
/** The most that the system accepts as one argument. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1

const input = lazySchema(() =>
  z.strictObject({
    command: z.string().min(1).describe('The command, in bash'),
    cwd: z.string().min(1).optional().describe('Folder to run in; default: the project folder'),
    timeout: z
      .int()
      .min(1)
      .optional()
      .describe(
        `In ms; default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}; ` +
          `in the background both ${BACKGROUND_TIMEOUT_MS}`,
      ),
    description: z.string().optional().describe('What it does, in a few words; required in the background'),
    run_in_background: z.boolean().optional().describe('Return immediately; you are told when it ends'),
    unrestricted: z
      .string()
      .min(1)
      .optional()
      .describe('Ask the user to run it without the sandbox: why that is needed, in one sentence'),
    disable_timeout: z.boolean().optional().describe('No time limit, in the background only'),
  }),
)

type Input = SchemaOutput<typeof input>

/** Runs commands as separate tasks. */
export function bashTool(deps: {
  workspace: Workspace
  terminals: Pick<TerminalTasks, 'run'>
  tasks: SessionTasks
  /** Absent: every command runs unrestricted. */
  sandbox?: SessionSandbox
}): Tool<typeof input> {
  const { workspace } = deps
  return {
    name: 'Bash',
    description,
    input,
    subject: ['command'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    // A task enforces its own time limit.
    timeoutMs: null,
    async prepare(asked) {
      const { command } = asked
      const background = asked.run_in_background === true
      if (command.trim() === '') return refuse('The command is empty.')
      if (command.includes('\0'))
        return refuse('The command contains a NUL character, which no shell accepts. Use printf "\\\\0" to make one.')
      if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
        return refuse(
          'The command is longer than 128 KB, which the system does not accept. ' +
            'Write it to a file with Write and run that.',
        )
      }
      const problem = contradiction(asked)
      if (problem !== undefined) return refuse(problem)
      const cwd = await folderFor(workspace, asked.cwd)
      if (typeof cwd !== 'string') return cwd
      return {
        summary: background ? `${summaryOf(command)} (in the background)` : summaryOf(command),
        accesses: [
          {
            kind: 'command',
            command,
            cwd,
            ...(background && { background }),
            ...(asked.unrestricted !== undefined && { unrestricted: asked.unrestricted }),
          },
        ],
        preview: async () => ({
          kind: 'command',
          command,
          cwd,
          ...(asked.description !== undefined && { description: asked.description }),
          ...(background && { background: { timeoutMs: timeLimit(asked) } }),
        }),
        // Permission to run until the call ends is not permission to run for hours.
        rememberAs: background
          ? { key: `bash&:${cwd}\n${command}`, label: 'Allow exactly this command in the background for this session' }
          : { key: `bash:${cwd}\n${command}`, label: 'Allow exactly this command for this session' },
        run: (ctx) => (background ? start(deps, asked, cwd, ctx) : run(deps, asked, cwd, ctx)),
      }
    },
  }
}

function contradiction({
  description: about,
  run_in_background: background,
  disable_timeout: endless,
}: Input): string | undefined {
  if (background && (about ?? '').trim() === '') {
    return 'A command in the background needs a description: a few words that identify it to the user.'
  }
  if (endless && !background) {
    return (
      'disable_timeout is for commands in the background only: add run_in_background and a description, ' +
      `or give a timeout of at most ${MAX_TIMEOUT_MS} ms.`
    )
  }
  return undefined
}

/** In ms; `null`: no limit. */
function timeLimit({ timeout, run_in_background: background, disable_timeout: endless }: Input): number | null {
  if (!background) return Math.min(timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
  return endless ? null : Math.min(timeout ?? BACKGROUND_TIMEOUT_MS, BACKGROUND_TIMEOUT_MS)
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
      : `The cwd ${shown} does not exist. ` +
          'Find the right folder with Glob or ListDirectory, or make it first with mkdir -p.',
  )
}

/** The first meaningful line. */
function summaryOf(command: string): string {
  const lines = command.split('\n').map((line) => line.trim())
  const shown = lines.find((line) => line !== '' && !line.startsWith('#')) ?? lines.find((line) => line !== '') ?? ''
  const more = lines.filter((line) => line !== '').length > 1
  return shown.length > 120 ? `${truncateText(shown, 119)}…` : more ? `${shown} …` : shown
}

type Deps = Parameters<typeof bashTool>[0]

async function run(
  { terminals, tasks, sandbox: session }: Deps,
  asked: Input,
  cwd: string,
  ctx: CallContext,
): Promise<ToolResult> {
  const { callId, signal, progress, sandbox } = ctx
  const { command, description: about } = asked
  const timeoutMs = timeLimit(asked) ?? MAX_TIMEOUT_MS
  const canAnswer = tasks.canType
  try {
    const runOnce = (policy: SandboxPolicy | undefined): Promise<TaskEnd> =>
      terminals.run(
        {
          ...tasks.owner(callId),
          command,
          cwd,
          timeoutMs,
          canAnswer,
          signal,
          onOutput: progress,
          ...(about !== undefined && { description: about }),
          ...(policy && { sandbox: policy }),
        },
        MAX_OUTPUT_CHARS,
      )
    const end = session
      ? await runInSandbox(session, ctx, { command, cwd, sandbox, run: runOnce })
      : await runOnce(undefined)
    if (end.task.status === 'running') tasks.moved(end.task)
    return foregroundResult(end, { timeoutMs, interactive: tasks.interactive, canAnswer })
  } catch (error) {
    return failed(`The command could not be started: ${startProblem(error, cwd)}`)
  }
}

async function start(
  { tasks, sandbox: session }: Deps,
  asked: Input,
  cwd: string,
  { callId, sandbox }: CallContext,
): Promise<ToolResult> {
  const { command, description: about = '' } = asked
  const timeoutMs = timeLimit(asked)
  try {
    const policy = await session?.policy(sandbox)
    const task = await tasks.start({
      ...tasks.owner(callId),
      command,
      cwd,
      timeoutMs,
      description: about.trim(),
      ...(policy && { sandbox: policy }),
    })
    return backgroundResult(task, tasks.interactive, policy && backgroundNote(policy))
  } catch (error) {
    return failed(`The command could not be started: ${startProblem(error, cwd)}`)
  }
}

function startProblem(error: unknown, cwd: string): string {
  const advice = tooManyFilesAdvice(error)
  if (advice !== undefined) return advice
  const { code, message, path } =
    error instanceof Error
      ? (error as NodeJS.ErrnoException)
      : { code: undefined, message: String(error), path: undefined }
  // Something else that is required to start it is missing.
  if (code !== undefined && path !== undefined && path !== cwd) return `${message}.`
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the folder ${cwd} no longer exists.`
  if (code === 'EACCES') return `the folder ${cwd} may not be entered.`
  if (code === 'E2BIG')
    return 'it is too long together with the environment. Write it to a file with Write and run that.'
  if (code === 'EAGAIN' || code === 'ENOMEM')
    return `the machine cannot start another process right now (${code}). Try again in a moment, or stop something.`
  return message
}
