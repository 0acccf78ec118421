import type { AgentChoice } from '../../shared/model/agent'
import type { LegacyCipher } from './config/key-store/key-store'
import type { LoginShellOptions } from './environment/login-environment'
import type { TaskHostProgram } from './task/custody/connect-task-host'

/** What a host decides about its engine. */
export interface EngineOptions {
  version: string
  /** Default: TRESTLE_HOME, else ~/.trestle. */
  home?: string
  /** Opens the keys that an older version of the desktop app stored. */
  legacyCipher?: () => LegacyCipher | undefined
  /** The agent that new sessions run as when none is named; default: the usual one. */
  agent?: AgentChoice
  /** Overrides `[loop] max_steps`. */
  maxSteps?: number
  /** Whether a person can be asked for approvals as long as this engine runs; default false: asking means denied. */
  interactive?: boolean
  /** Whether that person can type at the terminals of commands; default: as `interactive`. */
  canType?: boolean
  /** Whether config.toml is watched for changes; default true. */
  watch?: boolean
  /** Whether queued prompts start by themselves; default true. */
  runsQueue?: boolean
  /** How the task host is started; without it nothing can be put into the background. */
  taskHost?: TaskHostProgram
  /** Set when this process was started without the user's shell: its environment is read, and commands, servers, hooks and named keys wait for it. */
  loginShell?: LoginShellOptions
  /** What the operating system says about proxies for an address, as a list like `PROXY host:8080; DIRECT`. */
  systemProxy?(url: string): Promise<string>
  /** Where bugs are written down. */
  log?(message: string): void
}
