import { release } from 'node:os'
import type { SandboxStatus } from '../../../shared/model/sandbox'
import type { SkillView } from '../../../shared/model/skill'
import type { ContextFact } from '../context/facts/context-fact'
import { factsOf } from '../context/facts/gather-facts'
import type { ServerInstructions } from '../context/facts/instruction-facts'
import { lookAtProject, shellName, type ProjectLook } from '../context/facts/look-at-project'
import type { Instructions } from '../context/instructions'
import type { OfferedAgent } from '../tool/session-agents'
import type { Session } from './session'

export interface SessionFactsDeps {
  home: string
  /** What commands get. */
  env(): Record<string, string>
  /** Whether a person can be asked as long as this process runs. */
  interactive: boolean
  /** The header whose mode counts: that of the person's session a subagent belongs to. */
  standing(session: Session): Session['header']
  /** What the session's commands can reach; undefined where that cannot be told. */
  sandboxOf(session: Session): Promise<SandboxStatus | undefined>
  /** What permission rules keep from tools that list folders. */
  hiddenFrom(session: Session): Promise<(path: string) => boolean>
  /** Whether commands run in terminals of the session's client, whose shell is not known. */
  hasOtherTerminals(session: Session): boolean
  now(): number
}

/** What was found out for a turn already; functions: what can change while it runs. */
export interface FoundForTurn {
  /** The top of the repository that the folder is in. */
  top: string | undefined
  instructions(): readonly Instructions[]
  skills: readonly SkillView[]
  types: readonly OfferedAgent[]
  servers(): readonly ServerInstructions[]
  /** The list of tools that can be loaded, where there is one. */
  loadable(): string | undefined
}

/** Makes the facts that a session's model is told, as they are whenever they are asked for. The look at the project is taken once for each conversation, and again after a compaction. */
export function createSessionFacts(
  deps: SessionFactsDeps,
): (session: Session, found: FoundForTurn) => Promise<() => readonly ContextFact[]> {
  const looks = new WeakMap<Session, { since: number; look: Promise<ProjectLook> }>()

  async function lookNow({ header: { folder } }: Session, top: string | undefined, hidden: Promise<(path: string) => boolean>) {
    return lookAtProject({ folder, top }, { env: deps.env(), cwd: deps.home, hidden: await hidden.catch(() => () => true) })
  }

  function lookOf(session: Session, top: string | undefined): Promise<ProjectLook> {
    const since = session.header.compacted?.seq ?? 0
    const known = looks.get(session)
    if (known?.since === since) return known.look
    const look = lookNow(session, top, deps.hiddenFrom(session))
    looks.set(session, { since, look })
    return look
  }

  return async (session, { top, instructions, skills, types, servers, loadable }) => {
    const [look, sandbox, shell] = await Promise.all([
      lookOf(session, top),
      deps.sandboxOf(session),
      deps.hasOtherTerminals(session) ? undefined : shellName(deps.env(), deps.home),
    ])
    const recorded = session.header.sandbox
    const system = `${process.platform} ${release()} (${process.arch})`
    return factsOf(() => {
      const { header } = session
      // It is recorded anew when the mode or the settings change.
      const now = header.sandbox === recorded ? sandbox : header.sandbox
      return {
        environment: {
          folder: header.folder,
          addedFolders: header.addedFolders,
          isGitRepository: top !== undefined,
          system,
          ...(shell !== undefined && { shell }),
          today: localDay(deps.now()),
          ...look,
        },
        permission: { mode: deps.standing(session).mode, canAsk: deps.interactive, ...(now && { sandbox: now }) },
        instructions: instructions(),
        skills,
        agentTypes: types,
        servers: servers(),
        loadable: loadable(),
      }
    })
  }
}

function localDay(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}
