import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
import type { SandboxSettings } from '../config/agent-settings/sandbox-settings'
import { sensitiveRule } from '../workspace/path/sensitive-file'
import type { Sandboxes } from './create-sandboxes'
import type { SandboxPolicy } from './sandbox-policy'

/** A program that is not a command of a session: an MCP server, a hook, or a language server. */
export interface SandboxedProgram {
  /** The folder it can change; created if missing. */
  root: string
  /** Default `project`. With `read-only` it can change only its private /tmp. */
  level?: 'project' | 'read-only'
  network: 'none' | 'open'
  /** Names its private /tmp; no two programs share one. */
  scope: string
  /** The program and arguments in its definition: paths among them can be read. */
  names?: readonly string[]
  /** Folders in Trestle's own folder that it can read: the files of its plugin. */
  own?: readonly string[]
}

/** The sandbox of a program. */
export interface ProgramSandbox extends CommandSandbox {
  /** Set when its sandbox cannot be created: sentences with the cause and what to do about it. */
  unavailable?: string
}

export interface ProgramSandboxes {
  /** The sandbox that a program in this folder would get. */
  describe(program: Pick<SandboxedProgram, 'root' | 'network'>): Promise<ProgramSandbox>
  /**
   * The policy to start it with; undefined without a sandbox. Throws `SandboxMissing` when the settings require one.
   */
  policy(program: SandboxedProgram): Promise<SandboxPolicy | undefined>
}

/** A required sandbox is missing. Its message says what to do. */
export class SandboxMissing extends Error {}

export interface ProgramSandboxesDeps {
  sandboxes: Pick<Sandboxes, 'availability' | 'policy' | 'canAllow'>
  /** The `[sandbox]` settings that apply to a folder. */
  settingsFor(folder: string): Promise<SandboxSettings>
}

/** The Project sandboxes of everything Trestle runs other than commands of sessions. */
export function createProgramSandboxes({ sandboxes, settingsFor }: ProgramSandboxesDeps): ProgramSandboxes {
  const found = async (root: string) => {
    const settings = await settingsFor(root)
    const has = sandboxes.availability({ settings, root })
    return {
      settings,
      required: has.required,
      ...(!has.available && { missing: [has.reason, has.remedy ?? ''].join(' ').trim() }),
    }
  }
  const canRead = (path: string): boolean =>
    isAbsolute(path) &&
    existsSync(path) &&
    sandboxes.canAllow(realpathSync(path)) &&
    sensitiveRule(realpathSync(path)) === undefined

  return {
    async describe({ root, network }) {
      const { missing } = await found(real(root))
      return missing === undefined
        ? { level: 'project', network }
        : { level: 'unrestricted', network: 'open', unavailable: missing }
    },
    async policy({ root: given, level = 'project', network, scope, names = [], own = [] }) {
      mkdirSync(given, { recursive: true, mode: 0o700 })
      const root = real(given)
      const { settings, required, missing } = await found(root)
      if (missing !== undefined) {
        if (required) throw new SandboxMissing(`Your settings require a sandbox, but none is available: ${missing}`)
        return undefined
      }
      const session = {
        rootId: scope,
        root,
        addedFolders: [],
        allowed: { write: [], read: names.filter(canRead), hosts: [] },
        settings,
      }
      const policy = sandboxes.policy(session, { level, network })
      return policy && own.length > 0 ? { ...policy, own } : policy
    },
  }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
