import { statSync } from 'node:fs'
import { takeProjectSnapshot, type ProjectSnapshot } from '../context/facts/project-snapshot'
import { shellName } from '../context/facts/environment-facts'
import type { SandboxStatus } from '../../../shared/model/task/sandbox'
import { repositoryRoot } from '../workspace/path/repository-root'
import type { Session } from '../session/session'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { CheckpointManager } from '../checkpoint/checkpoints'
import type { Instructions } from '../context/facts/instruction-facts'

export interface EnvironmentSnapshotsDeps {
  home: string
  /** The environment of commands. */
  env(): Record<string, string>
  /** What the session's commands can reach; undefined when unknown. */
  sandboxOf(session: Session): Promise<SandboxStatus | undefined>
  /** Whether permission rules hide a path from tools that list folders. */
  hiddenFrom(session: Session): Promise<(path: string) => boolean>
  /** Whether the project has settings that the user has not trusted. If so, not even git runs in it. */
  isUntrusted(session: Session): Promise<boolean>
  /** Whether commands run in terminals of the session's client, whose shell is not known. */
  hasOtherTerminals(session: Session): boolean
}

/** Facts about the environment that require a look-up on the machine. */
export interface EnvironmentSnapshot extends ProjectSnapshot {
  /** Name and version; absent when unknown. */
  shell?: string
  sandbox?: SandboxStatus
}

export interface EnvironmentSnapshots {
  /** Starts the look-up early, so that `take` waits less. */
  prefetch(session: Session): void
  /** Never rejects. The project is inspected once per conversation, and again after a compaction. */
  take(session: Session): Promise<EnvironmentSnapshot>
  /** Only what may change during a conversation; the rest is in its first request. Never rejects. */
  takeChanging(session: Session): Promise<EnvironmentSnapshot>
}

/** Inspects the environment of sessions: the project's folder and repository, the shell and the sandbox. */
export function createEnvironmentSnapshots(deps: EnvironmentSnapshotsDeps): EnvironmentSnapshots {
  const projects = new WeakMap<Session, { since: number; snapshot: Promise<ProjectSnapshot> }>()

  async function inspectProject(session: Session): Promise<ProjectSnapshot> {
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
    const known = projects.get(session)
    if (known?.since === since) return known.snapshot
    const snapshot = inspectProject(session)
    projects.set(session, { since, snapshot })
    return snapshot
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

/** If the rules cannot be read, every name is hidden. */
const allHidden = (): boolean => true

export interface AgentWrittenDeps {
  checkpoints: Pick<CheckpointManager, 'writtenByAgents'>
  /** The header of the session itself, or of the user's session that a subagent belongs to. */
  effectiveHeader(session: Session): SessionHeader
}

/** File systems may store coarser times than the clock. */
const FILE_TIME_TOLERANCE_MS = 2_000

/**
 * Marks the instruction files that agents of this conversation wrote themselves. Otherwise, text that a prompt
 * injection made them write would come back to them as instructions of the user.
 */
export async function markAgentWritten(
  { checkpoints, effectiveHeader }: AgentWrittenDeps,
  session: Session,
  instructions: readonly Instructions[],
): Promise<Instructions[]> {
  // A file older than the conversation needs no look-up. ctime, because programs can set mtime but not ctime.
  const since = effectiveHeader(session).createdAt - FILE_TIME_TOLERANCE_MS
  const recent = instructions.filter(({ path }) => (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since)
  if (recent.length === 0) return [...instructions]
  const written = await checkpoints.writtenByAgents(
    session,
    recent.map(({ path }) => path),
  )
  return instructions.map((file) => (written.has(file.path) ? { ...file, byAgent: true } : file))
}
