import { choice, custom, flag, names, number, settingTable, type ValuesOf } from '../toml/setting-table'
import type { TableReader } from '../toml/table-reader'

/** `[loop]`: the length of a turn, and how failed requests are retried. */
const LOOP = settingTable('loop', {
  maxSteps: number(
    'max_steps',
    200,
    { min: 1, max: 100_000 },
    'maximum steps of a turn; then the model gives the best answer it has',
  ),
  maxAttempts: number('max_attempts', 10, { min: 1, max: 100 }, 'attempts per step, including the first (1 to 100)'),
  idleTimeoutMs: number(
    'idle_timeout_s',
    120_000,
    { min: 1, max: 86_400, whole: false, scale: 1000 },
    'seconds without data after which a stream has failed',
  ),
  retryBaseMs: number(
    'retry_base_ms',
    500,
    { min: 1, max: 600_000 },
    'first retry delay in milliseconds; doubles up to `retry_max_ms`',
  ),
  retryMaxMs: number('retry_max_ms', 32_000, { min: 1, max: 3_600_000 }, 'longest retry delay'),
})
export type LoopSettings = ValuesOf<typeof LOOP.fields>

/** Reads `[loop]`; the longest delay is at least the first. */
export function readLoop(reader: TableReader | undefined): LoopSettings {
  const loop = LOOP.read(reader)
  const { retryBaseMs, retryMaxMs } = loop
  if (retryMaxMs >= retryBaseMs) return loop
  reader?.mistake('retry_max_ms', `is ${retryMaxMs}, less than retry_base_ms (${retryBaseMs}); ${retryBaseMs} is used`)
  return { ...loop, retryMaxMs: retryBaseMs }
}

/** `[tools]`. */
export const TOOLS = settingTable('tools', {
  disabled: names('disabled', 'tools that are hidden from the model, for example `["Bash"]`'),
  hideEnv: names('hide_env', 'environment variables commands never see, besides the keys of providers'),
  passEnv: names('pass_env', 'environment variables commands see although they look like secrets'),
  maxResultChars: custom<Readonly<Record<string, number>>>(
    'max_result_chars',
    {},
    'characters per tool, for example `{ Grep = 20000 }`; longer results go to a file',
    readResultLimits,
    '50,000 each',
  ),
})
export type ToolSettings = ValuesOf<typeof TOOLS.fields>

function readResultLimits(reader: TableReader): Record<string, number> | undefined {
  const limits = reader.table('max_result_chars')
  if (!limits) return undefined
  // No prototype, so that a tool named `constructor` has no limit unless configured.
  const found: Record<string, number> = Object.create(null)
  for (const tool of limits.keys()) {
    const chars = limits.number(tool, { min: 100, max: 10_000_000 })
    if (chars !== undefined) found[tool] = chars
  }
  return found
}

/** `[tasks]`. */
export const TASKS = settingTable('tasks', {
  onExit: choice(
    'on_exit',
    ['keep', 'stop', 'ask'],
    'keep',
    'what happens to background tasks when the app closes: `"keep"`, `"stop"` or `"ask"`',
  ),
  atTimeLimit: choice(
    'at_time_limit',
    ['stop', 'background'],
    'background',
    'what happens to a foreground command at its timeout: `"background"` or `"stop"`',
  ),
  logBytes: number(
    'log_mb',
    64 * 1024 * 1024,
    { min: 1, max: 100_000, scale: 1024 * 1024 },
    'a longer log keeps its first half and its newest part',
  ),
  keepDays: number('keep_days', 30, { min: 0, max: 36_500 }, 'how long ended tasks and their logs are kept'),
  keepTasks: number('keep_tasks', 500, { min: 0, max: 100_000 }, 'how many ended tasks are kept'),
})
export type TaskSettings = ValuesOf<typeof TASKS.fields>

/** `[checkpoints]`. */
export const CHECKPOINTS = settingTable('checkpoints', {
  keepDays: number(
    'keep_days',
    30,
    { min: 0, max: 36_500 },
    'how long a session can be restored after its latest change',
  ),
  maxBytes: number(
    'max_mb',
    2048 * 1024 * 1024,
    { min: 1, max: 1_000_000, scale: 1024 * 1024 },
    'maximum disk space; sessions not used for longest lose their checkpoints first',
  ),
  maxFileBytes: number(
    'max_file_mb',
    10 * 1024 * 1024,
    { min: 1, max: 1000, scale: 1024 * 1024 },
    'larger files are not saved',
  ),
  dMail: flag('d_mail', false, 'whether the agent can go back to an earlier step itself, with SendDMail'),
})
export type CheckpointSettings = ValuesOf<typeof CHECKPOINTS.fields>

/** `[cache]`. */
export const CACHE = settingTable('cache', {
  long: flag(
    'long',
    false,
    'ask providers to cache conversations for an hour, where they can: [context.md](context.md)',
  ),
})
export type CacheSettings = ValuesOf<typeof CACHE.fields>

const AGENTS = settingTable('agents', {
  maxDepth: number('max_depth', 2, { min: 0, max: 8 }, 'how deep subagents may start others (0 to 8); 0: no subagents'),
  maxRunning: number(
    'max_running',
    6,
    { min: 1, max: 1000 },
    'how many run at the same time, in all sessions; others wait',
  ),
  jobs: custom<string>(
    'jobs',
    '',
    'a place with the scheduler of this machine: ' +
      'each subagent runs as a job there ([places.md](places.md#subagents-as-jobs))',
    (reader) => reader.string('jobs')?.trim(),
    'none',
  ),
})
const BACKGROUND = settingTable('background', {
  agentTimeoutMs: number(
    'agent_task_timeout_s',
    0,
    { min: 0, max: 604_800, scale: 1000 },
    'how many seconds a subagent in the background may take; 0: no limit',
  ),
})

/** `[agents]` and `[background]`. */
export interface AgentSettings extends ValuesOf<typeof AGENTS.fields> {
  /** Time limit of a subagent in the background. Default: no limit. */
  backgroundTimeoutMs?: number
}

export function readAgents(agents: TableReader | undefined, background: TableReader | undefined): AgentSettings {
  const { agentTimeoutMs } = BACKGROUND.read(background)
  return { ...AGENTS.read(agents), ...(agentTimeoutMs > 0 && { backgroundTimeoutMs: agentTimeoutMs }) }
}

/** The tables of this file, for the documentation. */
export const SESSION_TABLES = [LOOP, TOOLS, TASKS, CHECKPOINTS, CACHE, AGENTS, BACKGROUND]
