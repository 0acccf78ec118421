import { resolve } from 'node:path'
import { placeLaunch } from '../../../shared/contract/place/place'
import type { PlaceLaunch } from '../../../shared/model/place/place'
import { UsageError, type Parsed } from '../../console/parse-command'

type Values = Parsed['values']
type Kind = 'ssh' | 'slurm' | 'docker' | 'podman' | 'devcontainer' | 'kubernetes'

/** The options of each kind, with the fields that they set. */
const OPTIONS: Record<Kind, Record<string, string>> = {
  ssh: { port: 'port', 'ssh-config': 'configFile' },
  slurm: {
    'ssh-config': 'configFile',
    partition: 'partition',
    time: 'time',
    cpus: 'cpus',
    memory: 'memory',
    account: 'account',
    'agent-jobs': 'agentJobs',
  },
  docker: { image: 'image', mount: 'mount', 'per-session': 'perSession' },
  podman: { image: 'image', mount: 'mount', 'per-session': 'perSession' },
  devcontainer: { config: 'configFile', 'container-program': 'program', 'per-session': 'perSession' },
  kubernetes: {
    kubeconfig: 'configFile',
    context: 'context',
    namespace: 'namespace',
    image: 'image',
    pool: 'pool',
    cpus: 'cpus',
    memory: 'memory',
    storage: 'storage',
    'runtime-class': 'runtimeClass',
    'per-session': 'perSession',
  },
}

/** All options of `place add` that describe how to connect to a place. */
export const LAUNCH_OPTIONS = [...new Set(Object.values(OPTIONS).flatMap((options) => Object.keys(options)))]

const NUMBERS = new Set(['port', 'cpus'])
const FILES = new Set(['ssh-config', 'config', 'kubeconfig', 'mount'])
const TAKES: Record<Kind, string> = {
  ssh: 'ssh HOST',
  slurm: 'slurm [HOST]',
  docker: 'docker NAME, or docker --image IMAGE',
  podman: 'podman NAME, or podman --image IMAGE',
  devcontainer: 'devcontainer FOLDER',
  kubernetes: 'kubernetes --image IMAGE, or kubernetes --pool NAME',
}
/** A description of the valid values, for fields whose name does not suffice. */
const FIELD_HELP: Record<string, string> = {
  host: 'one word, as you give it to ssh',
  time: 'a time limit as Slurm writes it, e.g. 8:00:00',
  memory: 'an amount such as 16G, for Kubernetes 16Gi',
  storage: 'an amount such as 20Gi',
  namespace: 'lowercase letters, digits and dashes',
  pool: 'lowercase letters, digits and dashes',
  mount: 'a folder without commas and colons',
  folder: 'a folder without commas and colons',
}

/** How to connect to the place to be added by `place add`; throws a `UsageError`. */
export function readLaunch(kind: string, target: string | undefined, values: Values): PlaceLaunch {
  if (!isKind(kind)) throw wrong(`Unknown kind "${kind}". There are: ${Object.values(TAKES).join('; ')}.`)
  const own = OPTIONS[kind]
  const stray = LAUNCH_OPTIONS.find((option) => values[option] !== undefined && own[option] === undefined)
  if (stray !== undefined) throw wrong(`--${stray} cannot be used with add ${kind}.`)
  const fields: Record<string, unknown> = { ...targetOf(kind, target) }
  for (const [option, field] of Object.entries(own)) {
    const value = values[option]
    if (value !== undefined) fields[field] = valueOf(option, value)
  }
  const parsed = placeLaunch.safeParse(fields)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  if (field === '' || (target === undefined && ['host', 'folder'].includes(field)))
    throw wrong(issue?.code === 'custom' ? issue.message : `Say which: trestle place add ${TAKES[kind]}`)
  const option = Object.keys(own).find((name) => own[name] === field)
  const help = FIELD_HELP[field]
  throw wrong(
    `${option === undefined ? field : `--${option}`}: ` +
      `${JSON.stringify(fields[field])} cannot be used${help === undefined ? '' : `; it is ${help}`}.`,
  )
}

/** The default name: `build.example` for `ada@build.example`, and the folder's name for a project. */
export function defaultName(kind: string, launch: PlaceLaunch): string {
  const named =
    launch.kind === 'devcontainer'
      ? launch.folder.split(/[\\/]/).at(-1)
      : launch.kind === 'container'
        ? (launch.container ?? imageName(launch.image))
        : launch.kind === 'kubernetes'
          ? (launch.pool ?? imageName(launch.image))
          : launch.host
              ?.replace(/^ssh:\/\//, '')
              .replace(/^[^@]*@/, '')
              .replace(/:\d+$/, '')
  return named === undefined || named === '' ? kind : named
}

/** The default name for an image: `tools` for `ghcr.io/acme/tools:2`. */
function imageName(image: string | undefined): string | undefined {
  return image?.split('/').at(-1)?.split(/[:@]/)[0]
}

function targetOf(kind: Kind, target: string | undefined): Record<string, unknown> {
  switch (kind) {
    case 'ssh':
    case 'slurm':
      return { kind, ...(target !== undefined && { host: target }) }
    case 'docker':
    case 'podman':
      return { kind: 'container', program: kind, ...(target !== undefined && { container: target }) }
    case 'devcontainer':
      return { kind, ...(target !== undefined && { folder: resolve(target) }) }
    default:
      if (target !== undefined) throw wrong(`add kubernetes takes no "${target}". Use: ${TAKES.kubernetes}.`)
      return { kind }
  }
}

function valueOf(option: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (FILES.has(option)) return resolve(value)
  if (!NUMBERS.has(option)) return value
  if (!/^[1-9]\d{0,5}$/.test(value)) throw wrong(`--${option} is a whole number; not "${value}".`)
  return Number(value)
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(OPTIONS, kind)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'place')
}
