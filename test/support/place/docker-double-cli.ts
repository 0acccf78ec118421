/**
 * A stand-in for `docker` and `podman` if no container engine runs: `node docker-double-cli.ts STATE ARGS`. Containers
 * are entries of a file in STATE; their commands run on this machine in bubblewrap, where only STATE/inside and the
 * mounted folders are writable. It supports what Trestle and the dev container CLI call, and fails for anything else.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Container {
  id: string
  name: string
  image: string
  labels: Record<string, string>
  mounts: string[]
  isRunning: boolean
}

const [state = '', ...args] = process.argv.slice(2)
const file = join(state, 'containers.json')
const inside = join(state, 'inside')
mkdirSync(inside, { recursive: true })
appendFileSync(join(state, 'log'), `${JSON.stringify(args)}\n`)
const all = (): Container[] => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Container[]) : [])
const save = (list: readonly Container[]): void => writeFileSync(file, JSON.stringify(list))

/** The values of an option, in both notations. */
function valuesOf(...names: string[]): string[] {
  return args.flatMap((word, index) =>
    names.flatMap((name) =>
      word === name ? [args[index + 1] ?? ''] : word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : [],
    ),
  )
}

function fail(text: string, code = 1): never {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

function find(named: string): Container {
  const found = all().find(({ id, name }) => name === named || (named.length >= 6 && id.startsWith(named)))
  return found ?? fail(`Error response from daemon: No such container: ${named}`)
}

function change(named: string, isRunning: boolean): void {
  const { id } = find(named)
  save(all().map((one) => (one.id === id ? { ...one, isRunning } : one)))
  process.stdout.write(`${named}\n`)
}

/** Options with a value, needed to find the first word after them. */
const WITH_VALUE = new Set(
  (
    '-a -u -w -e -l -t --user --workdir --env --mount --label ' +
    '--name --entrypoint --filter --format --type --detach-keys'
  ).split(' '),
)
function words(from: number): string[] {
  let at = from
  while (args[at]?.startsWith('-')) at += WITH_VALUE.has(args[at]!) ? 2 : 1
  return args.slice(at)
}

/** Ends with the program that started it, so that it leaves nothing behind. */
function withParent(end: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || end(), 200)
}

/** The dev container CLI writes to some files of /etc, so the container has its own /etc. */
const ETC = ['passwd', 'group', 'alternatives', 'ld.so.cache', 'ssl', 'hosts'].map((name) => `/etc/${name}`)

/** Runs a command in a container, and exits like it. */
function run({ mounts }: Container, command: readonly string[]): void {
  const writable = [inside, ...mounts].flatMap((folder) => ['--bind', folder, folder])
  const environment = ['HOME', inside, 'PATH', '/usr/local/bin:/usr/bin:/bin', 'TRESTLE_KEY_STORE', 'file']
  const set = valuesOf('-e', '--env').flatMap((pair) => [pair.split('=')[0]!, pair.slice(pair.indexOf('=') + 1)])
  const variables: string[] = []
  for (let n = 0; n < environment.length + set.length; n += 2)
    variables.push('--setenv', ...[...environment, ...set].slice(n, n + 2))
  const folder = valuesOf('-w', '--workdir')[0] ?? inside
  const child = spawn(
    'bwrap',
    [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--tmpfs',
      '/var',
      '--tmpfs',
      '/etc',
      ...ETC.flatMap((name) => ['--ro-bind-try', name, name]),
      ...writable,
      '--die-with-parent',
      '--clearenv',
      ...variables,
      '--chdir',
      folder,
      ...command,
    ],
    { stdio: 'inherit' },
  )
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  withParent(() => child.kill('SIGKILL'))
  child.once('close', (code) => process.exit(code ?? 137))
}

switch (args[0]) {
  case '-v':
  case '--version':
    process.stdout.write('Docker version 29.1.0, build 0000000\n')
    break
  case 'version':
    process.stdout.write('29.1.0\n')
    break
  case 'ps': {
    const filters = valuesOf('--filter').map((filter) => filter.replace(/^label=/, ''))
    for (const { id, labels, isRunning } of all())
      if (
        (isRunning || args.includes('-a')) &&
        filters.every((filter) => labels[filter.split('=')[0]!] === filter.slice(filter.indexOf('=') + 1))
      )
        process.stdout.write(`${id}\n`)
    break
  }
  case 'run': {
    const [image = '', ...command] = words(1)
    if (image.includes('missing'))
      fail(
        `docker: Error response from daemon: pull access denied for ${image}, ` +
          "repository does not exist or may require 'docker login'",
        125,
      )
    const labels = Object.fromEntries(
      valuesOf('-l', '--label').map((pair) => [pair.split('=')[0]!, pair.slice(pair.indexOf('=') + 1)]),
    )
    const id = randomBytes(32).toString('hex')
    const mounts = valuesOf('--mount').flatMap((mount) =>
      /type=bind/.test(mount) ? (/source=([^,]*)/.exec(mount)?.[1] ?? []) : [],
    )
    const container = { id, name: valuesOf('--name')[0] ?? id.slice(0, 12), image, labels, mounts, isRunning: true }
    save([...all(), container])
    if (args.includes('--detach')) process.stdout.write(`${id}\n`)
    else {
      // Attached, as the dev container CLI starts it: prints the entry point's output, and keeps running.
      if (command.join(' ').includes('Container started')) process.stdout.write('Container started\n')
      withParent(() => process.exit(0))
    }
    break
  }
  case 'start':
    for (const named of words(1)) change(named, true)
    break
  case 'stop':
    for (const named of words(1)) change(named, false)
    break
  case 'rm':
    for (const named of words(1)) {
      const { id } = find(named)
      save(all().filter((one) => one.id !== id))
    }
    break
  case 'inspect': {
    const names = words(1)
    const isImage = valuesOf('--type')[0] === 'image'
    const config = { User: '', Env: ['PATH=/usr/bin:/bin'], Entrypoint: null, Cmd: ['sh'], Labels: {} }
    process.stdout.write(
      JSON.stringify(
        names.map((named) => {
          if (isImage) return { Id: `sha256:${named}`, Architecture: 'amd64', Os: 'linux', Config: config }
          const { id, name, image, labels, isRunning } = find(named)
          return {
            Id: id,
            Created: '2026-01-01T00:00:00Z',
            Name: `/${name}`,
            State: {
              Status: isRunning ? 'running' : 'exited',
              StartedAt: '2026-01-01T00:00:00Z',
              FinishedAt: '0001-01-01T00:00:00Z',
            },
            Config: { ...config, Image: image, Labels: labels },
            Mounts: [],
            NetworkSettings: { Ports: {} },
          }
        }),
      ),
    )
    break
  }
  case 'events': {
    // Reports every container once, like one that has just started.
    withParent(() => process.exit(0))
    const told = new Set<string>()
    setInterval(() => {
      for (const { id, labels } of all())
        if (!told.has(id)) {
          told.add(id)
          process.stdout.write(
            `${JSON.stringify({ status: 'start', id, Type: 'container', Actor: { ID: id, Attributes: labels } })}\n`,
          )
        }
    }, 100)
    break
  }
  case 'exec': {
    const [named = '', ...command] = words(1)
    const container = find(named)
    if (!container.isRunning) fail(`Error response from daemon: container ${named} is not running`)
    run(container, command)
    break
  }
  default:
    fail(`unexpected: ${args.join(' ')}`, 64)
}
