import { CodedError } from '../../../../shared/errors'
import type { LaunchOf } from '../../../../shared/model/place/place'
import type { PrepareOptions } from '../launcher/launcher'
import type { Cluster, ClusterObject } from './cluster'
import { ObjectMissing, setup } from './cluster-failure'
import {
  CLAIM,
  conditionOf,
  isOurs,
  isSuspended,
  phaseOfPod,
  podOf,
  SANDBOX,
  sandboxObject,
  sandboxOfClaim,
  waitingOf,
} from './sandbox-objects'

/** First and longest interval between two checks of a starting Sandbox, in ms. */
export const SANDBOX_POLL_MS: readonly [first: number, longest: number] = [200, 3000]

/** Reasons with which the kubelet reports an image that it will not be able to pull without help. */
const IMAGE_FAILURES = new Set(['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable'])
const START_FAILURES = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])
/** Reasons that the controllers do not recover from. */
const FINAL_REASONS = new Set([
  'ClaimExpired',
  'SandboxExpired',
  'PodFailed',
  'PodSucceeded',
  'MultiplePods',
  'TemplateNotFound',
  'WarmPoolNotFound',
  'InvalidMetadata',
  'EnvVarsInjectionRejected',
  'VolumeClaimTemplatesError',
])

/** The Sandbox of a place, or the claim that gets one from a pool. */
export class ClusterSandbox {
  readonly #cluster: Cluster
  readonly #launch: LaunchOf<'kubernetes'>
  readonly #name: string
  readonly #pollMs: readonly [first: number, longest: number]

  constructor(cluster: Cluster, launch: LaunchOf<'kubernetes'>, name: string, pollMs = SANDBOX_POLL_MS) {
    this.#cluster = cluster
    this.#launch = launch
    this.#name = name
    this.#pollMs = pollMs
  }

  /**
   * Resolves with the pod once it is running; creates or resumes it unless the attempt is automatic. Reports what it is
   * waiting for.
   */
  async running(given: PrepareOptions): Promise<string> {
    const { signal, progress } = given
    let object = await this.#find(signal)
    if (!object || isSuspended(object)) {
      const which = `${this.#kind.kind} ${this.#name}`
      if (given.isAutomatic)
        throw new CodedError('place.stopped', object ? `${which} is suspended.` : `There is no ${which} yet.`)
      object = object ? await this.#setMode('Running', signal) : await this.#create(signal)
    }
    let reported = ''
    for (let pause = this.#pollMs[0]; ; pause = Math.min(this.#pollMs[1], pause * 1.5)) {
      const sandbox = await this.#sandboxOf(object, signal)
      if (sandbox && conditionOf(object, 'Ready')?.isTrue) return podOf(sandbox)
      const text = await this.#waitingText(object, sandbox, signal)
      if (text !== reported) progress?.((reported = text))
      await new Promise((resolve) => setTimeout(resolve, pause))
      signal?.throwIfAborted()
      const next = await this.#find(signal)
      if (!next) throw setup(`${this.#kind.kind} ${this.#name} was deleted while it started.`)
      object = next
    }
  }

  /** Suspends it if its home folder is on a volume, which is kept; otherwise leaves it as it is. */
  async suspend(): Promise<void> {
    if (this.#launch.storage === undefined) return
    const found = await this.#find()
    if (found && !isSuspended(found)) await this.#setMode('Suspended')
  }

  /** Deletes it, with its pod and its volumes. */
  async remove(): Promise<string[]> {
    if (!(await this.#find())) return []
    await this.#cluster.request('DELETE', this.#path)
    return [`${this.#kind.kind} ${this.#name}`]
  }

  get #kind() {
    return this.#launch.pool === undefined ? SANDBOX : CLAIM
  }

  get #path(): string {
    return `${this.#kind.list(this.#cluster.namespace)}/${this.#name}`
  }

  async #find(signal?: AbortSignal): Promise<ClusterObject | undefined> {
    const found = await this.#get(this.#path, signal)
    if (found && !isOurs(found))
      throw setup(`There is a ${this.#kind.kind} ${this.#name} that Trestle did not make. Rename it, or the place.`)
    return found
  }

  async #get(path: string, signal?: AbortSignal): Promise<ClusterObject | undefined> {
    try {
      return await this.#cluster.request('GET', path, { signal })
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined
      throw error
    }
  }

  #create(signal?: AbortSignal): Promise<ClusterObject> {
    const body = sandboxObject(this.#name, this.#launch)
    return this.#cluster.request('POST', this.#kind.list(this.#cluster.namespace), { body, signal })
  }

  #setMode(operatingMode: 'Running' | 'Suspended', signal?: AbortSignal): Promise<ClusterObject> {
    const contentType = 'application/merge-patch+json'
    return this.#cluster.request('PATCH', this.#path, { body: { spec: { operatingMode } }, contentType, signal })
  }

  async #sandboxOf(object: ClusterObject, signal?: AbortSignal): Promise<ClusterObject | undefined> {
    if (this.#launch.pool === undefined) return object
    const name = sandboxOfClaim(object)
    return name === ''
      ? undefined
      : this.#get(`${SANDBOX.list(this.#cluster.namespace)}/${encodeURIComponent(name)}`, signal)
  }

  /** What it is waiting for, in the cluster's words. Rejects with the reason if that will never happen. */
  async #waitingText(object: ClusterObject, sandbox: ClusterObject | undefined, signal?: AbortSignal): Promise<string> {
    const ready = conditionOf(object, 'Ready')
    if (ready && FINAL_REASONS.has(ready.reason))
      throw setup(`${this.#kind.kind} ${this.#name} cannot start (${ready.reason}): ${ready.message}`)
    if (!sandbox) return `Pod ${this.#name} is pending${inBrackets(ready?.reason)}`
    const name = podOf(sandbox)
    // Reading pods may be forbidden; then only the Sandbox is known.
    const pod = await this.#get(this.#podPath(name), signal).catch((error: unknown) => {
      signal?.throwIfAborted()
      if (error instanceof CodedError) return undefined
      throw error
    })
    const waiting = pod && waitingOf(pod)
    if (waiting && IMAGE_FAILURES.has(waiting.reason))
      throw setup(
        `The image ${this.#launch.image ?? 'of the pool'} cannot be pulled (${waiting.reason}): ` +
          `${waiting.message}. Check its name and the rights of the namespace.`,
      )
    if (waiting && START_FAILURES.has(waiting.reason))
      throw setup(`The container of pod ${name} does not start (${waiting.reason}): ${waiting.message}. It needs sh.`)
    if (pod && phaseOfPod(pod) === 'Failed')
      throw setup(`Pod ${name} has failed: ${conditionOf(pod, 'Ready')?.message ?? ''}`)
    const scheduled = [pod, sandbox].map((one) => one && conditionOf(one, 'PodScheduled')).find(Boolean)
    if (scheduled && !scheduled.isTrue && scheduled.reason !== '')
      return `Pod ${name} is pending (${[scheduled.reason, scheduled.message].filter(Boolean).join(': ')})`
    return `Pod ${name} is starting${inBrackets(waiting?.reason ?? ready?.reason)}`
  }

  #podPath(name: string): string {
    return `/api/v1/namespaces/${this.#cluster.namespace}/pods/${encodeURIComponent(name)}`
  }
}

function inBrackets(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : ` (${reason})`
}
