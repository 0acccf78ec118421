import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import type { SessionHeader } from '../../../shared/model/session'
import type { Config } from '../config/config'
import type { FolderSettings } from '../config/project-settings'
import { createSandboxes } from '../sandbox/create-sandboxes'
import { createProgramSandboxes, type ProgramSandboxes } from '../sandbox/program-sandboxes'
import { createLentSandboxes } from '../task/lent-sandboxes'
import { createLentMeans, type LentMeans } from './client-means'
import type { Session } from './session'
import { createSessionSandboxes } from './session-sandbox'

export interface EngineSandboxesDeps {
  home: string
  config: Pick<Config, 'settings' | 'edit'>
  settingsFor(folder: string): Promise<FolderSettings>
  /** What counts for a subagent: the header of the person's session it belongs to. */
  standing(session: Pick<Session, 'header'>): SessionHeader
  log(message: string): void
}

export interface EngineSandboxes {
  /** For the commands of sessions. */
  sessions: ReturnType<typeof createSessionSandboxes>
  /** For servers, hooks and language servers. */
  programs: ProgramSandboxes
  /** What clients lend to sessions: where commands run in an editor's terminals, that decides whether there is a sandbox. */
  lent: LentMeans
}

/** Everything that decides what a program runs in. */
export function createEngineSandboxes({ home, config, settingsFor, standing, log }: EngineSandboxesDeps): EngineSandboxes {
  const userHome = realpathSync(homedir())
  const sandboxes = createSandboxes({ home, userHome })
  const lent = createLentMeans()
  const lentSandboxes = createLentSandboxes({ home, userHome })
  return {
    lent,
    programs: createProgramSandboxes({ sandboxes, settingsFor: async (folder) => (await settingsFor(folder)).settings.sandbox }),
    sessions: createSessionSandboxes({
      sandboxes,
      userHome,
      settingsFor,
      standing,
      keep: (list, value) => {
        const before = config.settings.sandbox[list]
        return before.includes(value) ? Promise.resolve() : config.edit([{ path: ['sandbox', list], value: [...before, value] }])
      },
      elsewhere: async (session, known) => {
        const lender = lent.of(session)?.terminals
        if (!lender) return undefined
        const works = known ? (lentSandboxes.known(lender) ?? true) : await lentSandboxes.works(lender, session.header.folder)
        return works ? undefined : "Commands run in your editor's terminals, where there is no sandbox: the editor runs on another machine."
      },
      log,
    }),
  }
}
