import { statSync } from 'node:fs'
import { takeProjectSnapshot, type ProjectSnapshot } from '../context/facts/project-snapshot'
import { shellName } from '../context/facts/environment-facts'
import type { SandboxStatus } from '../../../shared/model/sandbox'
import { repositoryRoot } from '../workspace/path/repository-root'
import type { Session } from '../session/session'
import type { SessionHeader } from '../../../shared/model/session'
import type { CheckpointManager } from '../checkpoint/checkpoints'
import type { Instructions } from '../context/facts/instruction-files'

export interface EnvironmentSnapshotsDeps {
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
export interface EnvironmentSnapshot extends ProjectSnapshot {
  /** With its version; absent: not known. */
  shell?: string
  sandbox?: SandboxStatus
}

export interface EnvironmentSnapshots {
  /** Starts looking, so that `of` need not wait as long. */
  prefetch(session: Session): void
  /** Never rejects. The project is looked at once for each conversation, and again after a compaction. */
  take(session: Session): Promise<EnvironmentSnapshot>
  /** Only what may change while a conversation goes on: the rest its model was told when it began. Never rejects. */
  takeChanging(session: Session): Promise<EnvironmentSnapshot>
}

/** Looks at what surrounds sessions: the project's folder and repository, the shell and the sandbox. */
export function createEnvironmentSnapshots(deps: EnvironmentSnapshotsDeps): EnvironmentSnapshots {
  const looks = new WeakMap<Session, { since: number; look: Promise<ProjectSnapshot> }>()

  async function lookNow(session: Session): Promise<ProjectSnapshot> {
    const { folder } = session.header
    const [hidden, isUntrusted] = await Promise.all([
      deps.hiddenFrom(session).catch(() => allHidden),
      deps.isUntrusted(session).catch(() => true),
    ])
    const top = isUntrusted ? undefined : repositoryRoot(folder)
    return takeProjectSnapshot({ folder, top }, { env: deps.env(), cwd: deps.home, hidden })
  }

  function projectOf(session: Session): Promise<ProjectSnapshot> {
    const since = session.header.compacted?.seq ?? 0
    const known = looks.get(session)
    if (known?.since === since) return known.look
    const look = lookNow(session)
    looks.set(session, { since, look })
    return look
  }

  async function takeChanging(session: Session): Promise<EnvironmentSnapshot> {
    const sandbox = await deps.sandboxOf(session).catch(() => undefined)
    return { entries: [], ...(sandbox && { sandbox }) }
  }

  async function take(session: Session): Promise<EnvironmentSnapshot> {
    const [project, { sandbox }, shell] = await Promise.all([
      projectOf(session),
      takeChanging(session),
      deps.hasOtherTerminals(session) ? undefined : shellName(deps.env(), deps.home),
    ])
    return { ...project, ...(sandbox && { sandbox }), ...(shell !== undefined && { shell }) }
  }

  return { prefetch: (session) => void take(session), take, takeChanging }
}

/** Where the rules cannot be read, no name is told. */
const allHidden = (): boolean => true

export interface AgentWrittenDeps {
  checkpoints: Pick<CheckpointManager, 'writtenByAgents'>
  /** The header of the person's session a subagent belongs to. */
  effectiveHeader(session: Session): SessionHeader
}

/** A file system may keep coarser times than a clock. */
const FILE_TIME_TOLERANCE_MS = 2_000

/**
 * The instructions, with a mark on those that agents of the conversation have written themselves: what an injected text had them write would otherwise come back to them as the
 * word of the user.
 */
export async function markAgentWritten(
  { checkpoints, effectiveHeader }: AgentWrittenDeps,
  session: Session,
  instructions: readonly Instructions[],
): Promise<Instructions[]> {
  // Of a file that is older than the conversation nothing has to be looked up. Programs can set the time of its content, but not this one.
  const since = effectiveHeader(session).createdAt - FILE_TIME_TOLERANCE_MS
  const young = instructions.filter(({ path }) => (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since)
  if (young.length === 0) return [...instructions]
  const written = await checkpoints.writtenByAgents(
    session,
    young.map(({ path }) => path),
  )
  return instructions.map((file) => (written.has(file.path) ? { ...file, byAgent: true } : file))
}
