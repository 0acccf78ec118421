import { join } from 'node:path'
import type { Task, TaskOutputPage } from '../../../../shared/model/task/task'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { ProcessIdentity } from '../../process/process-identity'
import { SUPERVISOR_VARIABLE, supervisorTag } from '../../process/process-tag'
import { GRACE_MS, MOVED_LIMIT_MS, TaskStarter } from '../run/task-starter'
import type { BackgroundStart, TaskEnd } from '../task-supervisor'
import { foregroundLog, taskFolder } from '../task-record'
import type { TaskRunOptions } from '../running-process'
import type { TaggedProcesses } from '../../process/kill/tagged-processes'
import { HostedTask } from './hosted-task'
import { RecordWriter } from './record-writer'
import type { ForegroundStart, StartSurroundings } from '../protocol/task-protocol'

const SWEEP_MS = 3_000
const NEVER_ABORTED = new AbortController().signal

/** `output`: it printed; `state`: another part of it changed; `removed`: it is no longer supervised or kept. */
export type TaskChangeKind = 'output' | 'state' | 'removed'

export interface TaskHostOptions {
  /** Real path. */
  home: string
  identity: ProcessIdentity
  /** Logs bugs. */
  log: (message: string) => void
  graceMs?: number
}

/**
 * All tasks of one host: background tasks with a record on disk, and the foreground commands of its clients. Knows
 * clients only by the identity of their connection.
 */
export class TaskHost {
  private readonly options: TaskHostOptions
  private readonly starter: TaskStarter
  private readonly tasks = new Map<string, HostedTask>()
  private readonly listeners = new Set<(hosted: HostedTask, touch: TaskChangeKind) => void>()
  private readonly records: RecordWriter
  /** Tasks that have ended, but may have left processes behind. */
  private readonly ended = new Set<string>()
  private sweepTimer: NodeJS.Timeout | undefined
  private tagged: TaggedProcesses | undefined
  private tag: string | undefined

  constructor(options: TaskHostOptions) {
    this.options = options
    // A task stays supervised until its end is recorded.
    this.records = new RecordWriter(options.home, options.identity, ({ run, taskId }) => {
      if (run.isGone) this.tasks.delete(taskId)
    })
    this.starter = new TaskStarter(options.graceMs === undefined ? {} : { graceMs: options.graceMs })
  }

  get isIdle(): boolean {
    return this.tasks.size === 0 && this.ended.size === 0
  }

  /** Whether it is supervised: it is running, or something it left behind is. */
  has(taskId: string): boolean {
    return this.tasks.has(taskId) || this.ended.has(taskId)
  }

  onTouch(listener: (hosted: HostedTask, touch: TaskChangeKind) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  find(taskId: string): HostedTask | undefined {
    return this.tasks.get(taskId)
  }

  list(): Task[] {
    return [...this.tasks.values()].filter(({ run }) => !run.isOver).map((hosted) => hosted.task())
  }

  warm(env: Record<string, string>, sandbox?: SandboxPolicy): void {
    this.starter.warm(() => this.withTag(env), sandbox)
  }

  /** Resolves when the command runs and its record is written. */
  async start(by: object, { taskId, env, logBytes, ...start }: BackgroundStart & StartSurroundings): Promise<Task> {
    const started = Promise.withResolvers<void>()
    const hosted = await this.add(by, undefined, {
      taskId,
      start: { ...start, signal: NEVER_ABORTED },
      maxChars: 0,
      env,
      logBytes,
      outputPath: join(taskFolder(this.options.home, taskId), 'output.log'),
      background: true,
      onStarted: started.resolve,
    })
    // A command can end before its start is reported.
    await Promise.race([started.promise, hosted.run.over()])
    this.records.save(hosted)
    this.touch(hosted, 'state')
    return hosted.task()
  }

  /** Runs a foreground command; see `TerminalTasks.run`. */
  async run(
    by: object,
    { taskId, env, logBytes, start, maxChars, moveAtLimit }: ForegroundStart,
    signal: AbortSignal,
    onOutput?: (raw: string) => void,
  ): Promise<TaskEnd> {
    const hosted = await this.add(by, by, {
      taskId,
      start: { ...start, signal, ...(onOutput && { onOutput }) },
      maxChars,
      env,
      logBytes,
      outputPath: foregroundLog(this.options.home, taskId),
      ...(moveAtLimit && { moveAtLimit: { limitMs: MOVED_LIMIT_MS } }),
    })
    this.touch(hosted, 'state')
    return hosted.run.ended()
  }

  async output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage | null> {
    return (await this.tasks.get(taskId)?.output(page)) ?? null
  }

  async wait(taskId: string, ms: number, signal: AbortSignal): Promise<Task | null> {
    const hosted = this.tasks.get(taskId)
    if (!hosted) return null
    const passed = Promise.withResolvers<void>()
    const timer = setTimeout(passed.resolve, ms)
    signal.addEventListener('abort', () => passed.resolve(), { once: true })
    await Promise.race([hosted.run.over(), passed.promise])
    clearTimeout(timer)
    return hosted.task()
  }

  /** Stops those of these tasks that it has; resolves when all their processes are gone. */
  async stop(taskIds: readonly string[], reason?: string): Promise<Task[]> {
    const known = taskIds.flatMap((taskId) => this.tasks.get(taskId) ?? [])
    const { killTagged } = await import('../../process/kill/kill-processes')
    // Signaling hundreds of tasks takes a while; all grace periods end at the same time.
    const killAt = performance.now() + (this.options.graceMs ?? GRACE_MS)
    const graceMs = (): number => Math.max(0, killAt - performance.now())
    await Promise.all([
      ...known.map(({ run }) => run.stop(reason, graceMs())),
      killTagged(
        known.filter(({ run }) => run.isOver).map(({ taskId }) => taskId),
        graceMs(),
      ),
    ])
    await this.records.saved()
    return known.map((hosted) => hosted.task())
  }

  input(taskId: string, data: string): boolean {
    const hosted = this.tasks.get(taskId)
    if (!hosted || hosted.run.isOver) return false
    hosted.run.write(data)
    return true
  }

  moveToBackground(taskId: string): Task | null {
    const hosted = this.tasks.get(taskId)
    if (!hosted || hosted.run.isOver) return null
    hosted.run.moveToBackground(MOVED_LIMIT_MS, 'by_user')
    return hosted.task()
  }

  /** Running background tasks that `by` started, or whose starter is not in `present`. */
  tasksOf(by: object, present?: ReadonlySet<object>): string[] {
    return [...this.tasks.values()]
      .filter(
        ({ run, caller, starter }) => !run.isOver && !caller && (starter === by || (present && !present.has(starter))),
      )
      .map(({ taskId }) => taskId)
  }

  /** Stops the foreground commands of a disconnected client, and what they left behind. */
  async dropCaller(by: object): Promise<void> {
    await Promise.all([...this.tasks.values()].filter(({ caller }) => caller === by).map(({ run }) => run.close()))
  }

  /** Stops everything. */
  async close(): Promise<void> {
    await this.stop([...this.tasks.keys()], 'The task host was told to end.')
    await this.starter.close()
  }

  private async add(
    starter: object,
    caller: object | undefined,
    options: Omit<TaskRunOptions, 'shell' | 'starter' | 'notes' | 'graceMs'>,
  ): Promise<HostedTask> {
    const { taskId } = options
    const run = await this.starter.start({
      ...options,
      env: this.withTag(options.env),
      onOutput: () => {
        const hosted = this.tasks.get(taskId)
        hosted?.printed()
        this.touch(hosted, 'output')
      },
      onChange: () => this.onChange(taskId),
      onGone: () => this.remove(taskId),
    })
    const hosted = new HostedTask(taskId, run, starter, caller)
    this.tasks.set(taskId, hosted)
    run.over().then(
      () => this.onOver(hosted),
      () => this.remove(taskId),
    )
    return hosted
  }

  private withTag(env: Record<string, string>): Record<string, string> {
    this.tag ??= supervisorTag(this.options.home)
    return { ...env, [SUPERVISOR_VARIABLE]: this.tag }
  }

  private onChange(taskId: string): void {
    const hosted = this.tasks.get(taskId)
    if (!hosted) return
    if (hosted.caller && hosted.run.isInBackground) {
      hosted.caller = undefined
      this.records.save(hosted)
    }
    hosted.changed()
    this.touch(hosted, 'state')
  }

  private onOver(hosted: HostedTask): void {
    this.ended.add(hosted.taskId)
    this.sweepSoon()
    if (hosted.run.isInBackground) this.records.saveSoon(hosted)
    hosted.changed()
    // Reads the last line while it is still in memory.
    hosted.task()
    this.touch(hosted, 'state')
    if (!hosted.run.isInBackground) this.touch(hosted, 'removed')
  }

  /** Releases ended tasks that have no processes left. One scan serves all of them. */
  private async sweep(): Promise<void> {
    const { TaggedProcesses } = await import('../../process/kill/tagged-processes')
    const { processTable } = await import('../../process/process-table')
    const byTask = (this.tagged ??= new TaggedProcesses()).find(await processTable())
    for (const taskId of this.ended) {
      if (byTask.has(taskId)) continue
      this.ended.delete(taskId)
      await this.tasks.get(taskId)?.run.release()
    }
    this.sweepTimer = undefined
    if (this.ended.size > 0) this.sweepSoon()
  }

  private sweepSoon(): void {
    this.sweepTimer ??= setTimeout(() => {
      this.sweep().catch((error: unknown) => {
        this.sweepTimer = undefined
        this.options.log(`looking for what tasks left behind failed: ${String(error)}`)
      })
    }, SWEEP_MS)
  }

  private remove(taskId: string): void {
    const hosted = this.tasks.get(taskId)
    if (!hosted) return
    hosted.close()
    if (!this.records.isWaiting(hosted)) this.tasks.delete(taskId)
  }

  private touch(hosted: HostedTask | undefined, touch: TaskChangeKind): void {
    if (hosted) for (const listener of this.listeners) listener(hosted, touch)
  }
}
