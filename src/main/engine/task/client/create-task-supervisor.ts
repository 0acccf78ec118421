import { setTimeout as sleep } from 'node:timers/promises'
import { CodedError } from '../../../../shared/errors'
import type { UsagePush } from '../../../../shared/events/push'
import type { Orphan, Task, TaskOutputPage } from '../../../../shared/model/task/task'
import type { TaskSettings } from '../../config/agent-settings/session-settings'
import { GRACE_MS, newTaskId } from '../run/task-starter'
import { SERVER_TASK_PREFIX } from '../../process/process-tag'
import type { BackgroundStart, TaskSupervisor, TaskStart, TerminalTasks } from '../task-supervisor'
import { removeOld } from '../task-record'
import { type TaskHostProgram, HostConnector, hostDiedNotice, orphanNotice, unavailableNotice } from './host-connector'
import type { HostConnection } from './host-connection'
import { hostedTerminals } from './hosted-terminals'
import { KnownTasks, watchTask } from './known-tasks'
import { besideBackground, SharedNetworks } from './shared-networks'

/** How long it can take to recognize a dead host as dead. */
const DEATH_MS = 1_500
const START_DELAY_MS = 300

export interface TaskSupervisorOptions {
  /** Real path. */
  home: string
  /** How to start the task host; absent: background commands are unavailable. */
  program?: TaskHostProgram
  /** Whether a user is present; if so, foreground commands run in the task host. */
  interactive: boolean
  /** The environment of commands; complete once `ready` resolves. */
  env: () => Record<string, string>
  ready?: () => Promise<void>
  settings: () => TaskSettings
  /** Runs commands in this process. */
  local: TerminalTasks
  /** Logs errors. */
  log?: (message: string) => void
}

/** See `TaskSupervisor`. Reads, starts and connects to nothing until it is needed or `begin` is called. */
export function createTaskSupervisor(options: TaskSupervisorOptions): HomeTaskSupervisor {
  return new HomeTaskSupervisor(options)
}

export class HomeTaskSupervisor implements TaskSupervisor {
  readonly terminals: TerminalTasks
  private readonly options: TaskSupervisorOptions
  private readonly connector: HostConnector
  private readonly known: KnownTasks
  private readonly changeListeners = new Set<(task: Task) => void>()
  private readonly removedListeners = new Set<(taskId: string) => void>()
  private readonly noticeListeners = new Set<(text: string) => void>()
  private readonly lostListeners = new Set<() => void>()
  private readonly usageListeners = new Set<(push: UsagePush) => void>()
  private readonly networks = new SharedNetworks(() => this.live())
  private readonly hosted: TerminalTasks | undefined
  /** Tasks that this process started or followed and that are running, as far as it knows. */
  private readonly running = new Set<string>()
  private beginTimer: NodeJS.Timeout | undefined
  private beginning: Promise<void> | undefined
  private isClosed = false
  /** The last reason reported for a missing host. */
  private notifiedUnavailable: string | undefined

  constructor(options: TaskSupervisorOptions) {
    const { home, program, interactive, env, settings, local } = options
    this.options = options
    this.known = new KnownTasks(home, (task) => this.notifyChange(task))
    this.connector = new HostConnector({
      home,
      env,
      ...(program && { program }),
      events: {
        changed: (tasks) => tasks.forEach((task) => this.notifyChange(task)),
        removed: (taskIds) => taskIds.forEach((taskId) => this.notifyRemoved(taskId)),
        measured: (push) => this.usageListeners.forEach((listener) => listener(push)),
        lost: () => void this.onLost(),
      },
      onLink: (link) => {
        this.notifiedUnavailable = undefined
        if (this.usageListeners.size > 0) void link.ask('measure', { on: true }).catch(() => {})
      },
    })
    const { connector, networks } = this
    this.hosted =
      program &&
      hostedTerminals({
        home,
        connector,
        env,
        settings,
        fallback: local,
        movesAtLimit: interactive,
        onUnavailable: (error) => this.hostUnavailable(error.message),
      })
    this.terminals = !this.hosted
      ? local
      : interactive
        ? this.hosted
        : besideBackground(networks, { local, hosted: this.hosted })
  }

  /** Calls `begin` after a short delay, off the startup path. */
  beginSoon(failed: (error: unknown) => void): void {
    this.beginTimer = setTimeout(() => {
      this.beginning = this.begin().catch((error: unknown) => void (this.isClosed || failed(error)))
    }, START_DELAY_MS).unref()
  }

  /** For long-lived engines: finds a running host, processes left by a crash, and tasks that are too old to keep. */
  async begin(): Promise<void> {
    if (this.isClosed) return
    this.connector.watchForHosts()
    await this.list({ activeOnly: true })
    for (const taskId of await removeOld(this.options.home, this.options.settings())) this.notifyRemoved(taskId)
    if (this.isClosed) return
    const { findOrphans } = await import('./orphans')
    const found = await findOrphans(this.options.home)
    // Servers are useless without the program that started them.
    const servers = found.filter(({ taskId }) => taskId.startsWith(SERVER_TASK_PREFIX)).map(({ pid }) => pid)
    if (servers.length > 0) await this.killOrphans(servers)
    const orphans = found.filter(({ pid }) => !servers.includes(pid))
    if (orphans.length === 0) return
    this.notify(orphanNotice(orphans))
  }

  async start(start: BackgroundStart): Promise<Task> {
    const { env, settings, ready } = this.options
    await ready?.()
    const link = await this.connector.need()
    const task = await link.ask('start', { ...start, taskId: newTaskId(), env: env(), logBytes: settings().logBytes })
    this.running.add(task.taskId)
    this.networks.started(start.sandbox)
    return task
  }

  /** Where a command must run to reach a background command of its session; undefined: anywhere. */
  async hostedFor(start: Pick<TaskStart, 'sandbox' | 'sessionId'>): Promise<Pick<TerminalTasks, 'run'> | undefined> {
    return this.hosted && (await this.networks.has(start)) ? this.hosted : undefined
  }

  async list({
    activeOnly = false,
    limit,
    sessionId,
  }: {
    activeOnly?: boolean
    limit?: number
    sessionId?: string
  }): Promise<Task[]> {
    const live = new Map((await this.live()).map((task) => [task.taskId, task]))
    return [...live.values(), ...(await this.known.allExcept(live))]
      .filter(
        (task) =>
          (!activeOnly || task.status === 'running') && (sessionId === undefined || task.sessionId === sessionId),
      )
      .toSorted((a, b) => Number(b.status === 'running') - Number(a.status === 'running') || b.startedAt - a.startedAt)
      .slice(0, limit)
  }

  async get(taskId: string): Promise<Task> {
    const live = await this.askIfRunning((link) => link.ask('wait', { taskId, ms: 0 }))
    const task = live ?? (await this.known.get(taskId))
    if (!task) throw new CodedError('task.not_found', `There is no task ${taskId}.`)
    return task
  }

  async output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage> {
    const live = await this.askIfRunning((link) => link.ask('output', { taskId, ...page }))
    if (live) return live
    const found = await this.known.output(taskId, page)
    if (!found) throw new CodedError('task.not_found', `There is no task ${taskId}.`)
    return found
  }

  async wait(taskId: string, ms: number, signal?: AbortSignal): Promise<{ task: Task; ended: boolean }> {
    const until = performance.now() + ms
    const isAborted = (): boolean => signal?.aborted ?? false
    let task = await this.askIfRunning((link) => link.ask('wait', { taskId, ms }, signal))
    task ??= await this.get(taskId)
    // It runs in another host, whose notifications don't reach us, so we poll.
    while (task.status === 'running' && performance.now() < until && !isAborted()) {
      await pause(Math.min(500, until - performance.now()), signal)
      task = await this.get(taskId)
    }
    return { task, ended: task.status !== 'running' }
  }

  async stop(taskId: string, reason?: string): Promise<Task> {
    const before = await this.get(taskId)
    const [stopped] =
      (await this.askIfRunning((link) =>
        link.ask('stop', { taskIds: [taskId], ...(reason !== undefined && { reason }) }),
      )) ?? []
    if (stopped) return stopped
    const { killTagged } = await import('../../process/kill/kill-processes')
    await killTagged([taskId], GRACE_MS)
    return before.status === 'running' ? (await this.wait(taskId, DEATH_MS)).task : before
  }

  async stopAll({ sessionId }: { sessionId?: string }): Promise<{ stopped: number }> {
    const active = (await this.list({ activeOnly: true, ...(sessionId !== undefined && { sessionId }) })).filter(
      ({ background }) => background !== false,
    )
    const taskIds = active.map(({ taskId }) => taskId)
    const stopped =
      (await this.askIfRunning((link) => link.ask('stop', { taskIds, reason: 'All tasks were stopped.' }))) ?? []
    const others = taskIds.filter((taskId) => !stopped.some((task) => task.taskId === taskId))
    await Promise.all(others.map((taskId) => this.stop(taskId)))
    return { stopped: taskIds.length }
  }

  async input(taskId: string, data: string): Promise<void> {
    if (await this.askIfRunning((link) => link.ask('input', { taskId, data }))) return
    const task = await this.get(taskId)
    throw task.status === 'running'
      ? new CodedError('task.host_unavailable', 'The terminal of this task cannot be reached.')
      : new CodedError('task.ended', `Task ${taskId} has ended, so its terminal takes no input.`)
  }

  async moveToBackground(taskId: string): Promise<Task> {
    const moved = await this.askIfRunning((link) => link.ask('moveToBackground', { taskId }))
    if (moved) return moved
    const task = await this.get(taskId)
    if (task.status !== 'running') throw new CodedError('task.ended', `Task ${taskId} has ended.`)
    return task
  }

  async orphans(): Promise<Orphan[]> {
    const { findOrphans } = await import('./orphans')
    const link = await this.connector.find().catch(() => undefined)
    const running = async (): Promise<string[]> => (await link!.ask('list', {})).map(({ taskId }) => taskId)
    return findOrphans(this.options.home, link && { pid: link.pid, running })
  }

  async killOrphans(pids?: readonly number[]): Promise<{ stopped: number }> {
    const { endOrphans } = await import('./orphans')
    const ended = (await this.orphans()).filter(({ taskEnded }) => taskEnded).map(({ taskId }) => taskId)
    return { stopped: await endOrphans(this.options.home, pids, GRACE_MS, new Set(ended)) }
  }

  watch(taskId: string, listener: Parameters<TaskSupervisor['watch']>[1]): () => void {
    return watchTask(
      {
        find: () => this.connector.find(),
        get: (id) => this.get(id),
        output: (id, page) => this.output(id, page),
        onLost: (onHostLost) => listen(this.lostListeners, onHostLost),
      },
      taskId,
      listener,
    )
  }

  watchUsage(listener: (push: UsagePush) => void): () => void {
    // Every call counts as a separate listener, even with the same function.
    const own = (push: UsagePush): void => listener(push)
    this.usageListeners.add(own)
    if (this.usageListeners.size === 1)
      void this.askIfRunning((link) => link.ask('measure', { on: true })).catch(() => {})
    return () => {
      this.usageListeners.delete(own)
      if (this.usageListeners.size === 0 && !this.isClosed)
        void this.askIfRunning((link) => link.ask('measure', { on: false })).catch(() => {})
    }
  }

  onChange(listener: (task: Task) => void): () => void {
    return listen(this.changeListeners, listener)
  }

  onRemoved(listener: (taskId: string) => void): () => void {
    return listen(this.removedListeners, listener)
  }

  onNotice(listener: (text: string) => void): () => void {
    return listen(this.noticeListeners, listener)
  }

  async close(background?: 'keep' | 'stop'): Promise<void> {
    if (this.isClosed) return
    clearTimeout(this.beginTimer)
    const stop = background ?? (this.options.settings().onExit === 'stop' ? 'stop' : 'keep')
    if (stop === 'stop')
      await this.askIfRunning((link) => link.ask('leave', { stop: this.options.interactive ? 'all' : 'mine' })).catch(
        () => {},
      )
    this.isClosed = true
    await Promise.all([this.connector.close(), this.terminals.close()])
    await this.beginning
  }

  private async live(): Promise<Task[]> {
    const tasks = (await this.askIfRunning((link) => link.ask('list', {}))) ?? []
    for (const { taskId } of tasks) this.running.add(taskId)
    return tasks
  }

  /** Undefined if there is no host, or if it dies before it answers. */
  private async askIfRunning<Answer>(ask: (link: HostConnection) => Promise<Answer>): Promise<Answer | undefined> {
    try {
      const link = await this.connector.find()
      return link && (await ask(link))
    } catch (error) {
      if (error instanceof CodedError && error.code === 'task.host_unavailable') return undefined
      throw error
    }
  }

  /** The host disconnected. If it is dead, its tasks are lost, and the user is notified. */
  private async onLost(): Promise<void> {
    if (this.isClosed) return
    const had = [...this.running]
    this.running.clear()
    this.networks.clear()
    const lost = await this.known.lostAmong(had, DEATH_MS)
    for (const listener of this.lostListeners) listener()
    this.notify(hostDiedNotice(lost.length))
  }

  /** Reported once for each reason: commands continue without a host. */
  private hostUnavailable(reason: string): void {
    if (this.isClosed || this.notifiedUnavailable === reason) return
    this.notifiedUnavailable = reason
    this.options.log?.(`no task host: ${reason}`)
    this.notify(unavailableNotice(reason))
  }

  private notifyChange(task: Task): void {
    if (task.status === 'running') this.running.add(task.taskId)
    else this.running.delete(task.taskId)
    for (const listener of this.changeListeners) listener(task)
  }

  private notifyRemoved(taskId: string): void {
    this.running.delete(taskId)
    this.known.forget(taskId)
    for (const listener of this.removedListeners) listener(taskId)
  }

  private notify(text: string): void {
    for (const listener of this.noticeListeners) listener(text)
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns early if `signal` aborts. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, signal && { signal }).catch(() => undefined)
}
