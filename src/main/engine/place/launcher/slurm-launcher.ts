import { createHash } from 'node:crypto'
import { CodedError } from '../../../../shared/errors'
import type { Place, PlaceLaunch } from '../../../../shared/model/place'
import type { Bundle } from '../prepare/bundle'
import { plainLine } from '../remote/plain-text'
import type { Channel, Launcher, PrepareOptions } from './launcher'
import { createLocalShell } from './local-shell'
import { createShellLauncher, openScript } from './shell-launcher'
import { quoted, runScript } from './shell-run'
import { createSshShell } from './ssh-launcher'

export interface SlurmLauncherOptions {
  home: string
  version: string
  clientId: string
  place: Place & { launch: SlurmLaunch }
  bundle?: () => Promise<Bundle>
  program?: string
  /** ms between two looks at a job that waits. */
  pollMs?: number
}

type SlurmLaunch = Extract<PlaceLaunch, { kind: 'slurm' }>

/** A job as the scheduler describes it. */
export interface SlurmJob {
  jobId: string
  /** E.g. `PENDING`, `RUNNING`, `PREEMPTED`, `TIMEOUT`, `NODE_FAIL`. */
  state: string
  /** The scheduler's own reason, e.g. `Resources`. */
  reason: string
  node: string
}

/**
 * A job of a Slurm cluster: `sbatch` reserves the node, and clients attach to it with `srun --overlap`. Trestle is
 * copied to the home folder, which the nodes of a cluster share.
 */
export function createSlurmLauncher(options: SlurmLauncherOptions): Launcher {
  const { home, program, pollMs = 2000 } = options
  // A cluster shares the home folder, and a store is never opened by two machines.
  const place = { ...options.place, home: options.place.home ?? `~/.trestle-places/${options.place.placeId}` }
  const { launch } = place
  const { host, configFile } = launch
  const shell =
    host === undefined
      ? createLocalShell()
      : createSshShell({
          home,
          launch: { host, ...(configFile !== undefined && { configFile }) },
          ...(program !== undefined && { program }),
        })
  const base = createShellLauncher({ ...options, place, shell })
  const jobName = `trestle-${place.placeId}-${createHash('sha256').update(options.clientId).digest('hex').slice(0, 8)}`

  /** Our job that waits or runs, the newest one. */
  const findJob = async (given: PrepareOptions): Promise<SlurmJob | undefined> => {
    const { stdout, stderr, exitCode } = await runScript(
      shell,
      `squeue --noheader --me --name=${quoted(jobName)} --format='%i|%T|%r|%N'`,
      given,
    )
    if (exitCode !== 0) throw schedulerFailure(stderr, exitCode)
    return parseJobs(stdout).at(-1)
  }

  const submit = async (given: PrepareOptions): Promise<string> => {
    const { stdout, stderr, exitCode } = await runScript(shell, submitScript(launch, jobName), given)
    const jobId = /^(\d+)/m.exec(stdout)?.[1]
    if (exitCode !== 0 || jobId === undefined) throw schedulerFailure(stderr, exitCode)
    return jobId
  }

  /** How a job of ours ended, as the scheduler tells; undefined if it is no longer known. */
  const ending = async (jobId: string, given: PrepareOptions): Promise<SlurmJob | undefined> => {
    const { stdout } = await runScript(shell, `scontrol show job ${jobId} 2>/dev/null`, given)
    const state = /JobState=(\S+)/.exec(stdout)?.[1]
    return state === undefined ? undefined : { jobId, state, reason: /Reason=(\S+)/.exec(stdout)?.[1] ?? '', node: '' }
  }

  /** Waits until the job runs; tells the scheduler's reason meanwhile. */
  const running = async (given: PrepareOptions): Promise<SlurmJob> => {
    let job = await findJob(given)
    const jobId = job?.jobId ?? (await submit(given))
    for (;;) {
      if (job?.state === 'RUNNING') return job
      given.progress?.(job ? jobText(job) : `Job ${jobId} was submitted`)
      await pause(pollMs, given.signal)
      job = await findJob(given)
      if (job) continue
      const end = await ending(jobId, given)
      throw new CodedError('place.unreachable', end ? jobText(end) : `Job ${jobId} is gone from the queue.`)
    }
  }

  return {
    ...base,
    async open(prepared, given = {}): Promise<Channel> {
      const { jobId } = await running(given)
      const script = openScript(place, prepared)
      // The whole allocation is shared with every client that attaches.
      return shell.start(
        `exec srun ${EXPORTED} --jobid=${jobId} --overlap --nodes=1 --ntasks=1 --input=0 --unbuffered --quiet sh -c ${quoted(script)}`,
        given.ask ? { ask: given.ask } : {},
      )
    },
    async stop() {
      await runScript(shell, `scancel --me --name=${quoted(jobName)}`).catch(() => undefined)
      await shell.close()
    },
  }
}

/** The lines of `squeue --format='%i|%T|%r|%N'`. */
export function parseJobs(stdout: string): SlurmJob[] {
  return stdout.split('\n').flatMap((line) => {
    const match = /^(\d+)\|([A-Z_]+)\|([^|]*)\|(.*)$/.exec(line.trim())
    if (!match) return []
    const [, jobId = '', state = '', reason = '', node = ''] = match
    return [{ jobId, state, reason: plainLine(reason, 100), node: plainLine(node, 100) }]
  })
}

const STATES: Record<string, string> = {
  PENDING: 'is pending',
  CONFIGURING: 'gets its node ready',
  RUNNING: 'is running',
  COMPLETING: 'is ending',
  SUSPENDED: 'is suspended',
  PREEMPTED: 'was preempted',
  REQUEUED: 'was requeued',
  TIMEOUT: 'reached its time limit',
  NODE_FAIL: 'lost its node',
  OUT_OF_MEMORY: 'ran out of memory',
  CANCELLED: 'was cancelled',
  FAILED: 'failed',
  COMPLETED: 'has ended',
}

/** A job in one sentence, with the scheduler's own reason. */
export function jobText({ jobId, state, reason }: Pick<SlurmJob, 'jobId' | 'state' | 'reason'>): string {
  const why = reason === '' || reason === 'None' ? '' : ` (${reason})`
  return `Job ${jobId} ${STATES[state] ?? `is ${state.toLowerCase()}`}${why}`
}

/** No other variables: the environment of this machine may hold keys. */
const EXPORTED = '--export=HOME,PATH,USER,LOGNAME,SHELL,LANG,TMPDIR,TRESTLE_KEY_STORE'

/** The job holds the node; the engine runs in it as a step. `exec` makes the end of the job the end of the holder. */
function submitScript(launch: SlurmLaunch, jobName: string): string {
  const options = [
    `--job-name=${jobName}`,
    '--nodes=1',
    '--ntasks=1',
    '--requeue',
    '--output=/dev/null',
    EXPORTED,
    ...(launch.partition === undefined ? [] : [`--partition=${launch.partition}`]),
    ...(launch.time === undefined ? [] : [`--time=${launch.time}`]),
    ...(launch.cpus === undefined ? [] : [`--cpus-per-task=${launch.cpus}`]),
    ...(launch.memory === undefined ? [] : [`--mem=${launch.memory}`]),
    ...(launch.account === undefined ? [] : [`--account=${launch.account}`]),
  ]
  return `sbatch --parsable ${options.map(quoted).join(' ')} --wrap 'exec sleep infinity'`
}

function schedulerFailure(stderr: string, exitCode: number): CodedError {
  const last = plainLine(stderr.trim().split('\n').at(-1) ?? '')
  if (exitCode === 127)
    return new CodedError('place.unsupported', "Slurm's commands (sbatch, srun) are not installed there.")
  return new CodedError('place.unreachable', `Slurm says: ${last || `code ${exitCode}`}`)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}
