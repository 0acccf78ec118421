import type { PlaceLaunch } from '../../../../shared/model/place/place'
import { CodedError } from '../../../../shared/errors'
import { quoted } from '../launcher/shell-run'
import { plainLine } from '../remote/plain-text'

export type SlurmLaunch = Extract<PlaceLaunch, { kind: 'slurm' }>

/** A job as the scheduler describes it. */
export interface SlurmJob {
  jobId: string
  /** E.g. `PENDING`, `RUNNING`, `PREEMPTED`, `TIMEOUT`, `NODE_FAIL`. */
  state: string
  /** The scheduler's own reason, e.g. `Resources`. */
  reason: string
  node: string
  name: string
}

export type JobPhase = 'waiting' | 'running' | 'ended'

const RUNNING = new Set(['RUNNING', 'SIGNALING', 'STAGE_OUT'])
const ENDED = new Set([
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
  'TIMEOUT',
])

/**
 * Whether a job can be attached to, may still run, or is over. An unknown state counts as waiting, because it can
 * change.
 */
export function phaseOf({ state }: Pick<SlurmJob, 'state'>): JobPhase {
  if (RUNNING.has(state)) return 'running'
  return ENDED.has(state) ? 'ended' : 'waiting'
}

const STATES: Record<string, string> = {
  PENDING: 'is pending',
  CONFIGURING: 'gets its node ready',
  RUNNING: 'is running',
  COMPLETING: 'is ending',
  SUSPENDED: 'is suspended',
  STOPPED: 'is suspended',
  PREEMPTED: 'was preempted',
  REQUEUED: 'was requeued',
  REQUEUE_HOLD: 'was requeued and is held',
  SPECIAL_EXIT: 'was requeued and is held',
  TIMEOUT: 'reached its time limit',
  DEADLINE: 'reached its deadline',
  NODE_FAIL: 'lost its node',
  BOOT_FAIL: 'got a node that did not start',
  OUT_OF_MEMORY: 'ran out of memory',
  CANCELLED: 'was canceled',
  FAILED: 'failed',
  COMPLETED: 'has ended',
}

/** A job in one sentence, with the scheduler's own reason. */
export function jobText({ jobId, state, reason }: Pick<SlurmJob, 'jobId' | 'state' | 'reason'>): string {
  const why = reason === '' || reason === 'None' ? '' : ` (${reason})`
  return `Job ${jobId} ${STATES[state] ?? `is ${state.toLowerCase()}`}${why}`
}

const FIELDS = '%i|%T|%r|%N|%j'

/** All jobs of this user, including those that ended a few minutes ago. */
export const LIST_JOBS = `squeue --noheader --me --states=all --format=${quoted(FIELDS)}`

/** Parses the output of `LIST_JOBS`. Other lines, such as warnings, are ignored. */
export function parseJobs(stdout: string): SlurmJob[] {
  return stdout.split('\n').flatMap((line) => {
    const match = /^(\d+)\|([A-Z_]+)\|([^|]*)\|([^|]*)\|(.*)$/.exec(line.trim())
    if (!match) return []
    const [, jobId = '', state = '', reason = '', node = '', name = ''] = match
    return [{ jobId, state, reason: plainLine(reason, 100), node: plainLine(node, 100), name: plainLine(name, 100) }]
  })
}

/** Prints what the scheduler, or else its accounting, still knows about a job. */
export function describeJob(jobId: string): string {
  const id = quoted(jobId)
  return (
    `scontrol --oneliner show job ${id} 2>/dev/null || sacct --noheader ` +
    `--parsable2 --allocations --jobs=${id} --format=State,Reason 2>/dev/null`
  )
}

/** Parses the output of `describeJob`; undefined if neither knows the job. */
export function parseDescription(jobId: string, stdout: string): SlurmJob | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`(?:^|\\s)${name}=(.*?)(?=\\s[A-Za-z/:]+=|$)`, 'm').exec(stdout)?.[1]?.trim()
  const state = field('JobState')
  if (state !== undefined)
    return {
      jobId,
      state: plainLine(state, 40),
      reason: plainLine(field('Reason') ?? '', 100),
      node: plainLine(field('NodeList') ?? '', 100),
      name: plainLine(field('JobName') ?? '', 100),
    }
  // `CANCELLED by 1000|None`
  const [, accounted, reason = ''] = /^([A-Z_]+)[^|\n]*\|([^|\n]*)/m.exec(stdout) ?? []
  return accounted === undefined
    ? undefined
    : { jobId, state: accounted, reason: plainLine(reason, 100), node: '', name: '' }
}

/** Exports no other variables, because the environment of this machine may contain keys. */
export const EXPORTED = '--export=HOME,PATH,USER,LOGNAME,SHELL,LANG,TMPDIR,SLURM_CONF,TRESTLE_KEY_STORE'

export interface JobRequest {
  name: string
  /** What it does; the job is over when this ends. */
  script: string
  comment?: string
}

/** Submits a job that is requeued if its node fails or it is preempted; prints its number. */
export function submitScript(launch: SlurmLaunch, { name, script, comment }: JobRequest): string {
  const options = [
    `--job-name=${name}`,
    '--nodes=1',
    '--ntasks=1',
    '--requeue',
    '--output=/dev/null',
    EXPORTED,
    ...(comment === undefined ? [] : [`--comment=${comment}`]),
    ...(launch.partition === undefined ? [] : [`--partition=${launch.partition}`]),
    ...(launch.time === undefined ? [] : [`--time=${launch.time}`]),
    ...(launch.cpus === undefined ? [] : [`--cpus-per-task=${launch.cpus}`]),
    ...(launch.memory === undefined ? [] : [`--mem=${launch.memory}`]),
    ...(launch.account === undefined ? [] : [`--account=${launch.account}`]),
  ]
  return `sbatch --parsable ${options.map(quoted).join(' ')} --wrap ${quoted(`${FORGET_JOB}; ${script}`)}`
}

/** Runs a script in the allocation of a job, which every client that attaches shares. */
export function stepScript(jobId: string, script: string): string {
  return (
    `${FORGET_JOB}; exec srun ${EXPORTED} --jobid=${quoted(jobId)} --overlap ` +
    `--nodes=1 --ntasks=1 --input=0 --unbuffered --quiet sh -c ${quoted(script)}`
  )
}

/** Unsets Slurm's variables about this job, which would be read as options of further jobs and steps. */
const FORGET_JOB =
  'for name in $(env | sed -n "s/^\\(SLURM_[A-Z0-9_]*\\|SBATCH_[A-Z0-9_]*\\)=.*/\\1/p"); ' +
  'do [ "$name" = SLURM_CONF ] || unset "$name"; done'

/** The error for a failed command of the scheduler. */
export function schedulerFailure(stderr: string, exitCode: number): CodedError {
  const last = plainLine(stderr.trim().split('\n').at(-1) ?? '')
  if (exitCode === 127)
    return new CodedError('place.unsupported', "Slurm's commands (sbatch, srun) are not installed there.")
  return new CodedError('place.unreachable', `Slurm says: ${last || `code ${exitCode}`}`)
}
