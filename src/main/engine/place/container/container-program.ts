import { CodedError } from '../../../../shared/errors'
import type { ContainerProgram } from '../../../../shared/model/place/place'
import { plainLine } from '../remote/plain-text'
import type { ShellResult } from '../launcher/launcher'
import { runLocal } from '../launcher/local-command'

/** The label of every container that Trestle starts; its value is the name of the instance. */
export const CONTAINER_LABEL = 'dev.trestle.place'

export type ContainerState = 'missing' | 'stopped' | 'running'

/** A problem of the container program itself; undefined if the failure has another cause. */
export function programFailure(
  program: ContainerProgram,
  { exitCode, stderr }: Pick<ShellResult, 'exitCode' | 'stderr'>,
): CodedError | undefined {
  if (exitCode === 127 && /ENOENT/.test(stderr))
    return new CodedError('place.setup', `${program} is not installed on this machine. Install it, or add it to PATH.`)
  if (/permission denied while trying to connect/i.test(stderr))
    return new CodedError(
      'place.setup',
      `You may not use ${program}: ${plainLine(stderr, 200)}. Add your user to the group docker, or use podman.`,
    )
  if (/Cannot connect to the Docker daemon|failed to connect to the docker API|Cannot connect to Podman/i.test(stderr))
    return new CodedError('place.unreachable', `${program} does not answer: ${plainLine(stderr, 200)}. Start it.`)
  return undefined
}

/** The containers of one instance: only those with its label are ever inspected, stopped or deleted. */
export class LabeledContainers {
  readonly #program: ContainerProgram
  readonly #label: string

  constructor(program: ContainerProgram, label: string) {
    this.#program = program
    this.#label = label
  }

  async state(signal?: AbortSignal): Promise<ContainerState> {
    if ((await this.#ids(false, signal)).length > 0) return 'running'
    return (await this.#ids(true, signal)).length > 0 ? 'stopped' : 'missing'
  }

  async start(signal?: AbortSignal): Promise<void> {
    const ids = await this.#ids(true, signal)
    if (ids.length > 0) await this.run(['start', ...ids.slice(0, 1)], signal)
  }

  async stop(): Promise<void> {
    const ids = await this.#ids(false)
    if (ids.length > 0) await this.run(['stop', '-t', '10', ...ids])
  }

  /** Deletes them with their contents. */
  async remove(): Promise<string[]> {
    const ids = await this.#ids(true)
    if (ids.length > 0) await this.run(['rm', '-f', ...ids])
    return ids.map((id) => `container ${id}`)
  }

  /** Runs the program; rejects with its message if it fails. */
  async run(args: readonly string[], signal?: AbortSignal): Promise<string> {
    const result = await runLocal(this.#program, args, { signal })
    if (result.exitCode === 0) return result.stdout
    throw programFailure(this.#program, result) ?? failureFromStderr(this.#program, result.stderr)
  }

  async #ids(all: boolean, signal?: AbortSignal): Promise<string[]> {
    const list = await this.run(['ps', '-q', ...(all ? ['-a'] : []), '--filter', `label=${this.#label}`], signal)
    return list.split('\n').filter((id) => /^[0-9a-f]{6,64}$/.test(id))
  }
}

/** An error with the last line that the program printed as the reason. */
export function failureFromStderr(program: string, stderr: string): CodedError {
  const last = plainLine(
    stderr
      .trim()
      .split('\n')
      .findLast((line) => !/^(?:Run 'docker|See 'docker|$)/.test(line)) ?? '',
  )
  return new CodedError('place.setup', last === '' ? `${program} failed without a reason.` : `${program} says: ${last}`)
}
