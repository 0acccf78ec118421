import { createHash, randomBytes } from 'node:crypto'
import { CodedError } from '../../../../shared/errors'
import type { Place } from '../../../../shared/model/place/place'
import type { Bundle } from '../prepare/bundle'
import type { Channel, Launcher, PlaceShell, PrepareOptions, Prepared } from '../launcher/launcher'
import { createLocalShell } from '../launcher/local-shell'
import { quoted, runScript } from '../launcher/shell-run'
import { createShellLauncher, placeEnvironment } from '../ssh/shell-launcher'
import { createSshShell } from '../ssh/ssh-launcher'
import { cleanJobHomes, NO_LEFTOVERS } from './job-homes'
import { jobText, phaseOf, stepScript, type SlurmJob, type SlurmLaunch } from './slurm-commands'
import { SlurmQueue } from './slurm-queue'

export interface SlurmLauncherOptions {
  home: string
  version: string
  clientId: string
  place: Place & { launch: SlurmLaunch }
  bundle?: () => Promise<Bundle>
  program?: string
}

/**
 * A job of a Slurm cluster: `sbatch` starts the engine there, and clients attach to it with `srun --overlap`. Trestle
 * is copied to the home folder, which the nodes of a cluster share.
 */
export function createSlurmLauncher(options: SlurmLauncherOptions): Launcher {
  const { home, program } = options
  const place: SlurmLauncherOptions['place'] = {
    ...options.place,
    // The nodes share the home folder, and a store must never be opened by two machines.
    home: options.place.home ?? `~/.trestle-places/${options.place.placeId}`,
    // The engine belongs to the job, not to the connection.
    keepsRunning: true,
  }
  const { launch } = place
  const shell = shellOf(launch, { home, program })
  const base = createShellLauncher({ ...options, place, shell })
  const queue = new SlurmQueue(shell)
  const name = `trestle-${place.placeId}-${createHash('sha256').update(options.clientId).digest('hex').slice(0, 8)}`
  // Its subagents run as separate jobs: the scheduler's commands are on the nodes, too.
  const { host: _host, configFile: _config, ...jobLaunch } = launch
  const { placeId, program: installed } = place
  const jobPlace = { placeId, launch: jobLaunch, ...(installed !== undefined && { program: installed }) }
  const agentJobs: Record<string, string> =
    launch.agentJobs === true ? { TRESTLE_AGENT_JOBS: JSON.stringify(jobPlace) } : {}
  const client = randomBytes(6).toString('hex')
  /** The job that this launcher used last. */
  let latest: string | undefined

  const submit = async (prepared: Prepared, given: PrepareOptions): Promise<string> =>
    queue.submit(launch, { name, script: holderScript(place, prepared, { environment: agentJobs }) }, given)

  /** Waits until the job runs; reports the scheduler's reason while it waits. */
  const running = async (prepared: Prepared, given: PrepareOptions): Promise<string> => {
    const found = await queue.findActive(name, given)
    if (!found && latest !== undefined && given.ask?.way !== 'user') {
      const ended = await queue.describe(latest, given)
      // A job that was canceled or reached its limit is not submitted again unless the user asks for it.
      if (ended && phaseOf(ended) === 'ended') throw endedError(ended)
    }
    const jobId = found?.jobId ?? (await submit(prepared, given))
    latest = jobId
    let job: SlurmJob | undefined = found
    if (!job) given.progress?.(`Job ${jobId} was submitted`)
    for (;;) {
      if (job) given.progress?.(jobText(job))
      if (job && phaseOf(job) === 'running') return jobId
      if (job && phaseOf(job) === 'ended') throw endedError(job)
      job = await queue.next(jobId, given.signal)
      if (!job) throw new CodedError('place.job_ended', `Job ${jobId} is no longer in the queue.`)
    }
  }

  return {
    ...base,
    async open(prepared, given = {}): Promise<Channel> {
      const jobId = await running(prepared, given)
      return shell.start(stepScript(jobId, attachScript(place, prepared, client)), given.ask ? { ask: given.ask } : {})
    },
    connect(port) {
      if (latest === undefined) throw new CodedError('place.unreachable', 'The job does not run.')
      return shell.start(stepScript(latest, relayScript(port)))
    },
    async stop() {
      latest = undefined
      const jobs = await queue.list().catch(() => [])
      await queue.cancel(jobs.filter((job) => job.name === name && phaseOf(job) !== 'ended').map(({ jobId }) => jobId))
      await shell.close()
    },
    async leave(signal) {
      await runScript(shell, cleanJobHomes(place.placeId, NO_LEFTOVERS), { signal })
    },
  }
}

/** A shell on the machine with the scheduler's commands. */
export function shellOf(
  { host, configFile }: SlurmLaunch,
  { home, program }: { home: string; program: string | undefined },
): PlaceShell {
  if (host === undefined) return createLocalShell()
  return createSshShell({
    home,
    launch: { host, ...(configFile !== undefined && { configFile }) },
    ...(program !== undefined && { program }),
  })
}

/** Passes stdin and stdout to a port of the node. */
function relayScript(port: number): string {
  return `exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1; cat <&3 & cat >&3; wait'`
}

/** The error for work in a job that is over. */
export function endedError(job: Pick<SlurmJob, 'jobId' | 'state' | 'reason'>): CodedError {
  return new CodedError('place.job_ended', `${jobText(job)}.`)
}

/** Output of the job's engine; written once it serves. */
const READY = '"$TRESTLE_HOME/job-engine"'
/** A script that runs the most recently prepared version of Trestle; clients replace it. */
const PROGRAM = '"$TRESTLE_HOME/job-program"'
/** Exists if a client is waiting for an engine. */
const WANTED = '"$TRESTLE_HOME/job-wanted"'
/** Maximum number of restarts of an engine that was killed. */
const MAX_CRASHES = 20
/** How long a job stays after its engine has exited, in fifths of a second, because an update starts another engine. */
const STAY_TICKS = 50

export interface JobScript {
  environment?: Record<string, string>
  /** The job ends as soon as its engine exits. */
  endsAtOnce?: boolean
}

/**
 * The job runs the engine, restarts it if it is killed, and ends some time after the engine has exited and no other
 * process has its role. A requeued job continues where it left off.
 */
export function holderScript(
  place: Pick<Place, 'home'>,
  { trestle, attaches }: Prepared,
  { environment = {}, endsAtOnce = false }: JobScript = {},
): string {
  const more = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}; export ${name}; `)
  const begin =
    placeEnvironment(place) + `${more.join('')}mkdir -p "$TRESTLE_HOME"; rm -f "$TRESTLE_HOME"/job-client-*; `
  if (!attaches) return `${begin}exec sleep infinity`
  const stay =
    `n=0; until [ -e ${WANTED} ]; do n=$((n+1)); [ $((n % 25)) -eq 0 ] && sh ${PROGRAM} ` +
    `engine status >/dev/null 2>&1 && n=0; [ $n -gt ${STAY_TICKS} ] && exit 0; sleep 0.2; done`
  return [
    begin,
    writeProgram(trestle),
    'crashes=0; while :; do ',
    `rm -f ${WANTED}; `,
    `if sh ${PROGRAM} engine >${READY}; then ${endsAtOnce ? 'exit 0' : stay}; `,
    `else crashes=$((crashes+1)); [ $crashes -gt ${MAX_CRASHES} ] && exit 1; sleep 0.2; fi; done`,
  ].join('')
}

/**
 * Waits for the engine of the job, so that no second one is started, and becomes its client. The scheduler does not
 * always end a step whose `srun` was killed, so an earlier step of the same `client` is ended first.
 */
export function attachScript(place: Pick<Place, 'home'>, { trestle, attaches }: Prepared, client: string): string {
  if (!attaches) return `${placeEnvironment(place)}exec ${trestle} wire`
  // A file from an earlier run of the job has the pid of a process that has ended.
  const pid = `pid=$(sed -n 's/.*"holds":true.*"pid":\\([0-9]*\\).*/\\1/p' ${READY} 2>/dev/null)`
  const name = `"$TRESTLE_HOME/job-client-${client}"`
  const serves =
    `${pid}; { [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; ` +
    `} || { [ $((n % 20)) -eq 19 ] && ${trestle} engine status >/dev/null 2>&1; }`
  return [
    placeEnvironment(place),
    'mkdir -p "$TRESTLE_HOME"; ',
    writeProgram(trestle),
    `n=0; until ${serves}; do n=$((n+1)); [ $n -gt 300 ] && break; [ -s ${READY} ] && : >${WANTED}; sleep 0.1; done; `,
    `last=$(cat ${name} 2>/dev/null) && kill "$last" 2>/dev/null; echo $$ >${name}; exec ${trestle} wire --attach`,
  ].join('')
}

function writeProgram(trestle: string): string {
  return `printf '%s\\n' ${quoted(`exec ${trestle} "$@"`)} >${PROGRAM}.$$ && mv ${PROGRAM}.$$ ${PROGRAM}; `
}
