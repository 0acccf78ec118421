import { CodedError } from '../../../shared/errors'
import { isAgentId } from '../../../shared/model/session/agent'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Subagents } from '../agent/subagents'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { WireLink } from '../place/remote/wire-link'
import type { AgentJobs, JobPlace } from '../place/slurm/agent-jobs'
import type { Session } from '../session/session'
import type { TurnRunner } from '../session/session-deps'

/** Environment variable of an engine in a job: the place whose scheduler runs its subagents, as JSON. */
const AGENT_JOBS = 'TRESTLE_AGENT_JOBS'

/** Subagents as jobs of a scheduler. */
export interface EngineJobs {
  /** Whether a scheduler runs this subagent. */
  isScheduled(header: SessionHeader): boolean
  /** The runner, with turns of such subagents as jobs. */
  withJobs(runner: TurnRunner<Session>, subagents: Pick<Subagents, 'definitionOf' | 'note'>): TurnRunner<Session>
}

export interface EngineJobsOptions {
  version: string
  /** Makes model calls for an engine in a job. */
  serve(link: WireLink): void
}

/** Runs subagents as jobs if the settings or this engine's place require it. */
export function createEngineJobs(foundation: EngineFoundation, { version, serve }: EngineJobsOptions): EngineJobs {
  const { home, store, settings, effectiveHeader, rulesOf, config } = foundation
  const given = process.env[AGENT_JOBS]
  const made = new Map<string, Promise<AgentJobs>>()

  const jobPlace = async (): Promise<{ place: JobPlace; clientId: string }> => {
    const { openPlacesFile } = await import('../place/places-file')
    if (given !== undefined) return { place: JSON.parse(given) as JobPlace, clientId: 'job' }
    const file = openPlacesFile(home)
    const { launch, ...place } = file.get(settings().agents.jobs)
    if (launch.kind !== 'slurm')
      throw new CodedError('request.invalid', `${place.placeId} has no scheduler ([agents] jobs in config.toml).`)
    return { place: { ...place, launch }, clientId: file.clientId() }
  }
  const isScheduled = (header: SessionHeader): boolean =>
    isAgentId(header.sessionId) &&
    (given ?? settings().agents.jobs) !== '' &&
    // Only this engine has the plan.
    effectiveHeader({ header }).plan === undefined

  return {
    isScheduled,
    withJobs(runner, { definitionOf, note }) {
      const jobs = async (): Promise<AgentJobs> => {
        const { place, clientId } = await jobPlace()
        const key = JSON.stringify(place)
        const known = made.get(key)
        if (known) return known
        const { createAgentJobs } = await import('../place/slurm/agent-jobs')
        const created = createAgentJobs({
          place,
          clientId,
          home,
          version,
          store,
          effectiveHeader,
          rulesOf,
          onChange: (listener) =>
            foundation.onChange(({ kind }) => {
              if (['settings', 'trust', 'plugins', 'session'].includes(kind)) listener()
            }),
          definitionOf,
          note,
          serveModels: serve,
          keepRules: (patterns) => config.allow(patterns),
        })
        made.set(key, Promise.resolve(created))
        return created
      }
      return {
        ...runner,
        async run(session, turnId, signal, open) {
          if (!isScheduled(session.header)) return runner.run(session, turnId, signal, open)
          return (await jobs()).run(session, turnId, signal)
        },
      }
    },
  }
}
