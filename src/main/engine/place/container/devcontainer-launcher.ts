import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type { LaunchOf } from '../../../../shared/model/place/place'
import { outsideArchive, plainNode } from '../../runtime/plain-node'
import { plainLine } from '../remote/plain-text'
import { containerFailure, stopped } from './container-launcher'
import { CONTAINER_LABEL, LabeledContainers, programFailure } from './container-program'
import type { PlaceShell, PrepareOptions, ShellResult } from '../launcher/launcher'
import { runLocal } from '../launcher/local-command'
import { startChannel } from '../launcher/shell-run'

/** What `devcontainer up` reports about a running container. */
interface UpResult {
  containerId: string
  remoteUser: string
}

export interface DevcontainerOptions {
  /** Real path of TRESTLE_HOME, where the CLI also keeps its data. */
  home: string
  launch: LaunchOf<'devcontainer'>
  instance: string
  /** Made for one session: the container belongs to it and is not shared with editors. */
  isOwn: boolean
}

/**
 * A shell in the dev container of a project, which `@devcontainers/cli` builds and starts as configured in
 * `.devcontainer`. The engine is started through `devcontainer exec`, with the configured user and environment.
 */
export function createDevcontainerShell({ home, launch, instance, isOwn }: DevcontainerOptions): PlaceShell {
  const { folder, configFile, program = 'docker' } = launch
  const label = isOwn ? `${CONTAINER_LABEL}=${instance}` : `devcontainer.local_folder=${folder}`
  const containers = new LabeledContainers(program, label)
  const which = [
    '--workspace-folder',
    folder,
    '--docker-path',
    program,
    '--user-data-folder',
    join(home, 'cache', 'devcontainer'),
    ...(configFile === undefined ? [] : ['--config', configFile]),
    ...(isOwn ? ['--id-label', label] : []),
  ]
  let found: UpResult | undefined

  const up = async ({ signal, progress, isAutomatic }: PrepareOptions): Promise<UpResult> => {
    const state = await containers.state(signal)
    if (state === 'running' && found) return found
    found = undefined
    if (state !== 'running') {
      if (isAutomatic) throw stopped(state === 'missing' ? 'was not started yet' : 'is stopped')
      checkProject(folder, configFile)
      progress?.('Starting the dev container; the first time, its image is built')
    }
    const result = await runLocal(plainNode(), [devcontainerProgram(), 'up', '--no-lockfile', ...which], { signal })
    return upResult(result, program)
  }

  return {
    async ready(given) {
      found = await up(given)
    },
    start(script) {
      if (!found) throw new CodedError('place.stopped', 'The dev container was not started yet.')
      const { containerId, remoteUser } = found
      return startChannel(program, ['exec', '-i', '-u', remoteUser, containerId, 'sh', '-c', script])
    },
    startEngine: (script) => startChannel(plainNode(), [devcontainerProgram(), 'exec', ...which, 'sh', '-c', script]),
    failure: (result) =>
      programFailure(program, result) ?? containerFailure(found?.containerId ?? 'of this project', result),
    close: () => Promise.resolve(),
    // The user's editor uses the same dev container of a project.
    ...(isOwn && { stop: () => containers.stop(), remove: () => containers.remove() }),
  }
}

/** Parses the line of JSON that `devcontainer up` ends with. */
function upResult({ stdout, stderr, exitCode }: ShellResult, program: 'docker' | 'podman'): UpResult {
  const line = stdout
    .trim()
    .split('\n')
    .findLast((one) => one.startsWith('{'))
  const outcome = parsed(line ?? '')
  const { containerId, remoteUser } = outcome
  if (outcome['outcome'] === 'success' && typeof containerId === 'string' && /^[0-9a-f]{6,64}$/.test(containerId))
    return { containerId, remoteUser: typeof remoteUser === 'string' && remoteUser !== '' ? remoteUser : 'root' }
  const text = [outcome['message'], outcome['description']].find((one): one is string => typeof one === 'string')
  const said = plainLine(reasonIn(stderr) ?? text ?? stderr.trim().split('\n').at(-1) ?? '')
  throw (
    programFailure(program, { exitCode, stderr }) ??
    new CodedError('place.setup', `The dev container did not start: ${said || `code ${exitCode}`}`)
  )
}

/** The message of the container program or the build; the CLI itself only repeats the command. */
function reasonIn(stderr: string): string | undefined {
  return stderr
    .split('\n')
    .map((line) => line.replace(/^\[[^\]]*\] /, ''))
    .findLast((line) => /^(?:(?:docker|podman): |Error response from daemon|ERROR: )/.test(line))
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return {}
  }
}

function checkProject(folder: string, configFile: string | undefined): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new CodedError('place.setup', `There is no folder ${folder} on this machine.`)
  const usual = ['.devcontainer/devcontainer.json', '.devcontainer.json', '.devcontainer']
  const config = configFile === undefined ? usual.map((name) => join(folder, name)) : [configFile]
  if (!config.some((path) => existsSync(path)))
    throw new CodedError(
      'place.setup',
      configFile === undefined
        ? `${folder} has no .devcontainer/devcontainer.json. Add one, or name another file.`
        : `There is no file ${configFile}.`,
    )
}

/** The program of `@devcontainers/cli`, a single file. */
function devcontainerProgram(): string {
  const require = createRequire(import.meta.url)
  return outsideArchive(join(dirname(require.resolve('@devcontainers/cli/package.json')), 'devcontainer.js'))
}
