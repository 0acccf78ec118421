import type { TaskUsage } from '../../../../shared/model/task/task'
import { commandOf, processTable } from '../../process/process-table'
import {
  ListeningPorts,
  listeningSockets,
  type ListeningPort,
  portsByLsof,
  portsByNetstat,
  SandboxedPorts,
} from './listening-ports'
import { TaggedProcesses, type TaggedProcess } from '../../process/kill/tagged-processes'
import type { ProcessEntry } from '../../process/proc-files'

interface Sample {
  started: number
  program: number
  name: string
  cpuMs: number
  command: string
}

/** lsof takes a while. */
const LSOF_EVERY_MS = 5_000
/** All processes of a fork bomb are counted, but not all are listed. */
const MAX_LISTED = 200

/**
 * The resource usage of tasks, measured on demand: processor time between two calls, memory, processes and listening
 * ports of everything with a task's tag, whether or not the task has ended. Memory is the sum of the resident memory of
 * each process, as in ps and top; the exact share of each would require a walk through all its pages.
 */
export class UsageMeter {
  readonly #tagged = new TaggedProcesses()
  readonly #ports = new ListeningPorts()
  readonly #sandboxed = new SandboxedPorts()
  #samples = new Map<number, Sample>()
  #sampledAt = 0
  #lsof: { at: number; ports: Map<number, ListeningPort[]> } | undefined

  /**
   * Usage by task, omitting tasks without processes. The first call has no earlier processor time to compare with, and
   * reports 0.
   */
  async measure(): Promise<Map<string, TaskUsage>> {
    const sockets = process.platform === 'linux' ? listeningSockets() : undefined
    const inSandboxes = sockets && this.#sandboxed.sockets()
    const table = await processTable()
    const now = performance.now()
    const passedMs = now - this.#sampledAt
    const byTask = this.#tagged.find(table)
    const entries = [...byTask.values()].flatMap((found) => found.map(({ entry }) => entry))
    const ports =
      sockets && inSandboxes
        ? new Map([...this.#ports.of(entries, sockets), ...this.#sandboxed.of(entries, inSandboxes, sockets)])
        : await this.#portsByLsof(entries)
    const samples = new Map<number, Sample>()
    const usage = new Map<string, TaskUsage>()
    for (const [taskId, found] of byTask) usage.set(taskId, this.#usageOf(taskId, found, ports, samples, passedMs))
    ;[this.#samples, this.#sampledAt] = [samples, now]
    return usage
  }

  #usageOf(
    taskId: string,
    found: readonly TaggedProcess[],
    ports: ReadonlyMap<number, ListeningPort[]>,
    samples: Map<number, Sample>,
    passedMs: number,
  ): TaskUsage {
    const usage: TaskUsage = { taskId, cpu: 0, memoryBytes: 0, processes: [], ports: [] }
    for (const { entry } of found.toSorted((a, b) => a.entry.started - b.entry.started || a.entry.pid - b.entry.pid)) {
      const { pid, parent, started, program, name, cpuMs, memoryBytes } = entry
      const before = this.#samples.get(pid)
      const isKnown = before?.started === started
      // A process that started after the last sample has used all of its time since.
      const usedMs = this.#sampledAt === 0 ? 0 : cpuMs - (isKnown ? before.cpuMs : 0)
      const cpu = Math.max(0, Math.round((usedMs / passedMs) * 1000) / 10)
      const command = isKnown && before.program === program && before.name === name ? before.command : commandOf(entry)
      samples.set(pid, { started, program, name, cpuMs, command })
      usage.cpu += cpu
      usage.memoryBytes += memoryBytes
      if (usage.processes.length < MAX_LISTED)
        usage.processes.push({ pid, parentPid: parent, command, cpu, memoryBytes })
      for (const { port, address } of ports.get(pid) ?? []) {
        if (!usage.ports.some((other) => other.port === port && other.address === address))
          usage.ports.push({ port, address, pid })
      }
    }
    usage.cpu = Math.round(usage.cpu * 10) / 10
    usage.ports.sort((a, b) => a.port - b.port)
    return usage
  }

  async #portsByLsof(entries: readonly ProcessEntry[]): Promise<Map<number, ListeningPort[]>> {
    if (!this.#lsof || performance.now() - this.#lsof.at > LSOF_EVERY_MS) {
      this.#lsof = {
        at: performance.now(),
        ports: process.platform === 'win32' ? await portsByNetstat() : await portsByLsof(entries.map(({ pid }) => pid)),
      }
    }
    return this.#lsof.ports
  }
}
