import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { CodedError, failureOf } from '../../../../shared/errors'
import type { AgentDefinition } from '../../../../shared/model/session/agent'
import type { Place } from '../../../../shared/model/place/place'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { conversationBlocks, conversationEvents } from '../../conversation/conversation-blocks'
import { markdownOf } from '../../conversation/export-markdown'
import type { TurnEnd } from '../../loop/turn'
import type { PermissionRule } from '../../permission/permission-rule'
import { closingEvents, unfinishedTurn } from '../../session/unfinished-turn'
import type { Session } from '../../session/session'
import type { Store } from '../../store/store'
import type { Prepared } from '../launcher/launcher'
import { createShellLauncher, type ShellLauncherOptions } from '../ssh/shell-launcher'
import { runScript } from '../launcher/shell-run'
import type { WireLink } from '../remote/wire-link'
import { JobConnection } from './job-connection'
import { jobConfig, writeJobConfig, writeJobFiles } from './job-files'
import { cleanJobHomes, JobHomes, LEFTOVERS } from './job-homes'
import { JobPermissions, type CurrentPermissions } from './job-permissions'
import { mirrorTurn } from './mirror-turn'
import { jobText, phaseOf, stepScript, type SlurmLaunch } from './slurm-commands'
import { attachScript, holderScript, shellOf } from './slurm-launcher'
import { SlurmQueue } from './slurm-queue'
import { isRunning } from '../../process/process-identity'
import { cutTextStart } from '../../../../shared/cut-text'

/** A place whose scheduler runs subagents. */
export type JobPlace = Pick<Place, 'placeId' | 'program'> & { launch: SlurmLaunch }

export interface AgentJobsDeps extends Pick<ShellLauncherOptions, 'home' | 'version' | 'clientId' | 'bundle'> {
  place: JobPlace
  store: Pick<Store, 'header' | 'window'>
  effectiveHeader(session: Session): SessionHeader
  rulesOf(session: Session): Promise<PermissionRule[]>
  /** Called when settings, rules or sessions may have changed; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void
  definitionOf(session: Session): Promise<AgentDefinition | undefined>
  /** Shows the state of a subagent's job. */
  note(agentId: string, line: string | undefined): void
  /** Makes the model calls of an engine in a job while its connection lasts. */
  serveModels(link: WireLink): void
  keepRules(patterns: readonly string[]): Promise<void>
  pollMs?: readonly [first: number, longest: number]
}

export interface AgentJobs {
  /** Runs a turn of a subagent as a separate job, which ends with the turn. */
  run(session: Session, turnId: string, signal: AbortSignal): Promise<TurnEnd>
}

/** How long an engine can take to exit before its job is canceled, in ms. */
const END_MS = 5000
/** Maximum characters of an earlier conversation that a subagent gets: the newest. */
const MAX_CHARS = 60_000

/** Runs subagents as jobs of a scheduler. Each is queued, and its result is recorded here once, however it ends. */
export function createAgentJobs(deps: AgentJobsDeps): AgentJobs {
  const { place, home, clientId } = deps
  if (place.launch.host !== undefined)
    throw new CodedError(
      'request.invalid',
      'Subagents run as jobs only with a scheduler of this machine, ' +
        `and that of ${place.placeId} is on ${place.launch.host}.`,
    )
  const shell = shellOf(place.launch, { home, program: undefined })
  const queue = new SlurmQueue(shell, deps.pollMs)
  const homes = new JobHomes(place.placeId, queue)
  const owner = createHash('sha256').update(`${clientId} ${home} ${hostname()}`).digest('hex').slice(0, 8)
  const base = createShellLauncher({
    ...deps,
    place: { ...place, addedAt: 0, keepsRunning: true },
    shell,
  })
  let preparing: Promise<Prepared> | undefined
  const prepared = (): Promise<Prepared> => {
    preparing ??= start()
    preparing.catch(() => (preparing = undefined))
    return preparing
  }
  const start = async (): Promise<Prepared> => {
    const [ready] = await Promise.all([base.prepare(), cancelOrphans(queue, owner)])
    void runScript(shell, cleanJobHomes(place.placeId, LEFTOVERS)).catch(() => undefined)
    if (!ready.attaches)
      throw new CodedError('place.unsupported', 'That version of Trestle cannot run subagents as jobs. Update it.')
    return ready
  }

  return {
    async run(session, turnId, signal) {
      const { id } = session
      const jobHome = await homes.of(id)
      let connection: JobConnection | undefined
      let jobId: string | undefined
      let unfollow: (() => void) | undefined
      /** Whether everything that happened there is recorded here. */
      let isDelivered = false
      try {
        const at = { home: jobHome }
        const config = deps.rulesOf(session).then((rules) => jobConfig(home, rules))
        const [ready, agentFile] = [prepared(), filesOf(session, jobHome, config)]
        const name = `trestle-agent-${owner}-${process.pid}-${id}`
        // Its position in the queue is that of the call, however long writing the files takes.
        const request = Promise.all([ready, agentFile]).then(([found]) => ({
          name,
          script: holderScript(at, found, { endsAtOnce: true }),
        }))
        jobId = await queue.submit(place.launch, request, { signal })
        const [trestle, create] = [await ready, createInput(session, await agentFile)]
        deps.note(id, `Job ${jobId} was submitted`)
        connection = new JobConnection({
          queue,
          jobId,
          attach: (running) => shell.start(stepScript(running, attachScript(at, trestle, 'parent'))),
          connected: deps.serveModels,
          changed: (job) => deps.note(id, phaseOf(job) === 'running' ? undefined : jobText(job)),
        })
        const permissions = new JobPermissions({
          connection,
          current: () => permissionsOf(session),
          write: (text) => writeJobConfig(jobHome, text),
          written: await config,
        })
        unfollow = deps.onChange(() => permissions.changed())
        const parts = promptOf(session, turnId)
        const earlier = (): string => earlierText(deps.store, id, turnId)
        const { keepRules } = deps
        const turn = { turnId, parts, earlier, create, connection, permissions, keepRules }
        const end = await untilOver(
          connection,
          Promise.race([mirrorTurn(session, turn, signal), permissions.failed]),
          signal,
        )
        isDelivered = true
        return end
      } catch (error) {
        // Pending or unreachable: nothing there can end the turn.
        if (signal.aborted) return closed(session, signal)
        return { stop: 'error', failure: failureOf(error), steps: 0 }
      } finally {
        unfollow?.()
        if (jobId !== undefined) await endJob(connection, jobId)
        if (jobId !== undefined && isDelivered) homes.removeAfter(jobId, jobHome)
      }
    },
  }

  async function filesOf(session: Session, jobHome: string, config: Promise<string>): Promise<string> {
    const agent = await deps.definitionOf(session)
    if (!agent) throw new CodedError('request.invalid', 'Only subagents run as jobs.')
    return writeJobFiles({ jobHome, agent, config: await config })
  }

  async function permissionsOf(session: Session): Promise<CurrentPermissions> {
    const { mode, plan } = deps.effectiveHeader(session)
    return { mode, plans: plan?.active ?? false, config: await jobConfig(home, await deps.rulesOf(session)) }
  }

  function createInput({ header }: Session, agentFile: string): Record<string, unknown> {
    return {
      folder: header.folder,
      mode: deps.effectiveHeader({ header } as Session).mode,
      agent: { file: agentFile },
      ...(header.model !== undefined && { model: header.model }),
      ...(header.effort !== undefined && { effort: header.effort }),
    }
  }

  function promptOf({ id }: Session, turnId: string) {
    const { events } = deps.store.window(id, { limit: 100 })
    const started = events.findLast((event) => event.type === 'turn.started' && event.turnId === turnId)
    return started?.type === 'turn.started' ? started.parts : []
  }

  /** Records the end of everything open in a stopped turn. */
  function closed(session: Session, signal: AbortSignal): TurnEnd {
    const turn = unfinishedTurn(deps.store, session.id)
    const why = signal.reason instanceof Error ? signal.reason.message : 'The turn was stopped.'
    const events = turn
      ? closingEvents(turn, { stop: 'cancelled', why }).filter(({ type }) => type !== 'turn.finished')
      : []
    if (events.length > 0) session.recordEnd(events)
    return { stop: 'cancelled', steps: turn?.steps ?? 0 }
  }

  /** Ends the engine, and with it the job; cancels the job if its engine cannot be reached. */
  async function endJob(connection: JobConnection | undefined, jobId: string): Promise<void> {
    try {
      if (!connection?.link) throw new CodedError('connection.lost', 'The job is not connected.')
      await connection.link.call('engine.stop', { how: 'now' }, AbortSignal.timeout(END_MS))
    } catch {
      await queue.cancel([jobId]).catch(() => undefined)
    } finally {
      await connection?.close()
    }
  }
}

/**
 * The conversation of a subagent before a turn, for the engine of a new job, because the folder of its earlier job was
 * deleted. Empty for its first turn.
 */
export function earlierText(store: Pick<Store, 'window'>, sessionId: string, turnId: string): string {
  const events = conversationEvents(store, sessionId)
  const at = events.findLastIndex((event) => event.type === 'turn.started' && event.turnId === turnId)
  const blocks = conversationBlocks(events.slice(0, Math.max(0, at)))
  if (blocks.length === 0) return ''
  const text = markdownOf('Your conversation until now', blocks)
  return text.length > MAX_CHARS ? `…${cutTextStart(text, MAX_CHARS).toWellFormed()}` : text
}

/** The outcome of the turn, or why its job is over; a stopped turn gets a moment to record its end. */
async function untilOver(connection: JobConnection, turn: Promise<TurnEnd>, signal: AbortSignal): Promise<TurnEnd> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  over.catch(() => undefined)
  void connection.ended.then(reject)
  let timer: NodeJS.Timeout | undefined
  const abort = (): void => {
    timer = setTimeout(() => reject(new Error('stopped')), END_MS)
  }
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  turn.catch(() => undefined)
  try {
    return await Promise.race([turn, over])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** Cancels jobs that an earlier process of this home left in the queue: its subagents are lost. */
async function cancelOrphans(queue: SlurmQueue, owner: string): Promise<void> {
  const jobs = await queue.list()
  await queue.cancel(
    jobs.flatMap((job) => {
      const pid = new RegExp(`^trestle-agent-${owner}-(\\d+)-`).exec(job.name)?.[1]
      return pid !== undefined && phaseOf(job) !== 'ended' && !isRunning(Number(pid)) ? [job.jobId] : []
    }),
  )
}
