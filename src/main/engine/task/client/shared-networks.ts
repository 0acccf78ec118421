import type { Task } from '../../../../shared/model/task/task'
import { networkKey, type SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { TaskStart, TerminalTasks } from '../task-supervisor'

type Sandboxed = Pick<TaskStart, 'sandbox' | 'sessionId'>

/**
 * Tracks which sandbox networks live in the task host. Sandboxed commands of a session reach each other at localhost,
 * and background commands run in the task host: commands that should reach one must run there as well.
 */
export class SharedNetworks {
  private readonly inHost = new Set<string>()
  /** Networks that were already looked up in the task host. */
  private readonly lookups = new Map<string, Promise<void>>()
  private readonly running: () => Promise<readonly Task[]>

  /** `running`: what the task host runs now, if there is a host. */
  constructor(running: () => Promise<readonly Task[]>) {
    this.running = running
  }

  /** A background command was started with this policy. */
  started(policy: SandboxPolicy | undefined): void {
    if (policy && hasOwnNetwork(policy)) this.inHost.add(networkKey(policy))
  }

  /** The answer without asking the host. */
  isKnown(policy: SandboxPolicy | undefined): boolean {
    return policy !== undefined && this.inHost.has(networkKey(policy))
  }

  /**
   * On first use of each network, asks the host whether an earlier process left a background command of the session
   * there.
   */
  async has({ sandbox, sessionId }: Sandboxed): Promise<boolean> {
    if (!sandbox || !hasOwnNetwork(sandbox)) return false
    const key = networkKey(sandbox)
    if (this.inHost.has(key)) return true
    const looking = this.lookups.get(key) ?? this.askHost(sandbox, sessionId).catch(() => {})
    this.lookups.set(key, looking)
    await looking
    return this.inHost.has(key)
  }

  /** Call when the task host has died: its networks died with it. */
  clear(): void {
    this.inHost.clear()
  }

  private async askHost(policy: SandboxPolicy, sessionId: string | undefined): Promise<void> {
    for (const task of await this.running()) {
      if (!task.sandbox || task.sandbox.level === 'unrestricted' || !task.background) continue
      if (task.sessionId !== policy.scope && task.sessionId !== sessionId) continue
      const { level, network } = task.sandbox
      this.started({ ...policy, level, network })
    }
  }
}

/** With an open network, commands share the machine's network. */
function hasOwnNetwork({ network }: SandboxPolicy): boolean {
  return network !== 'open'
}

/**
 * Runs commands in this process, except those that share a network with a background command, which run in the task
 * host.
 */
export function besideBackground(
  networks: SharedNetworks,
  { local, hosted }: Record<'local' | 'hosted', TerminalTasks>,
): TerminalTasks {
  return {
    run: async (start, maxChars) => ((await networks.has(start)) ? hosted : local).run(start, maxChars),
    warm: (sandbox) => (networks.isKnown(sandbox) ? hosted : local).warm(sandbox),
    async close() {
      await local.close()
    },
  }
}
