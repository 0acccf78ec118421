import { lookAtProject, type ProjectLook } from '../context/facts/look-at-project'
import { shellName } from '../context/facts/shell-name'
import type { SandboxStatus } from '../../../shared/model/sandbox'
import { repositoryTop } from '../workspace/repository-top'
import type { Session } from './session'

export interface SessionLooksDeps {
  home: string
  /** What commands get. */
  env(): Record<string, string>
  /** What the session's commands can reach; undefined where that cannot be told. */
  sandboxOf(session: Session): Promise<SandboxStatus | undefined>
  /** What permission rules keep from tools that list folders. */
  hiddenFrom(session: Session): Promise<(path: string) => boolean>
  /** Whether the project brings something along that the user has not accepted: then not even git is run in it. */
  isUntrusted(session: Session): Promise<boolean>
  /** Whether commands run in terminals of the session's client, whose shell is not known. */
  hasOtherTerminals(session: Session): boolean
}

/** What has to be looked for on the machine before a model can be told of it. */
export interface SessionLook extends ProjectLook {
  /** With its version; absent: not known. */
  shell?: string
  sandbox?: SandboxStatus
}

export interface SessionLooks {
  /** Starts looking, so that `of` need not wait as long. */
  begin(session: Session): void
  /** Never rejects. The project is looked at once for each conversation, and again after a compaction. */
  of(session: Session): Promise<SessionLook>
  /** Only what may change while a conversation goes on: the rest its model was told when it began. Never rejects. */
  changing(session: Session): Promise<SessionLook>
}

/** Looks at what surrounds sessions: the project's folder and repository, the shell and the sandbox. */
export function createSessionLooks(deps: SessionLooksDeps): SessionLooks {
  const looks = new WeakMap<Session, { since: number; look: Promise<ProjectLook> }>()

  async function lookNow(session: Session): Promise<ProjectLook> {
    const { folder } = session.header
    const [hidden, isUntrusted] = await Promise.all([
      deps.hiddenFrom(session).catch(() => allHidden),
      deps.isUntrusted(session).catch(() => true),
    ])
    const top = isUntrusted ? undefined : repositoryTop(folder)
    return lookAtProject({ folder, top }, { env: deps.env(), cwd: deps.home, hidden })
  }

  function projectOf(session: Session): Promise<ProjectLook> {
    const since = session.header.compacted?.seq ?? 0
    const known = looks.get(session)
    if (known?.since === since) return known.look
    const look = lookNow(session)
    looks.set(session, { since, look })
    return look
  }

  async function changing(session: Session): Promise<SessionLook> {
    const sandbox = await deps.sandboxOf(session).catch(() => undefined)
    return { entries: [], ...(sandbox && { sandbox }) }
  }

  async function of(session: Session): Promise<SessionLook> {
    const [project, { sandbox }, shell] = await Promise.all([
      projectOf(session),
      changing(session),
      deps.hasOtherTerminals(session) ? undefined : shellName(deps.env(), deps.home),
    ])
    return { ...project, ...(sandbox && { sandbox }), ...(shell !== undefined && { shell }) }
  }

  return { begin: (session) => void of(session), of, changing }
}

/** Where the rules cannot be read, no name is told. */
const allHidden = (): boolean => true
