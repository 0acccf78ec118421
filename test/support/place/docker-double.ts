import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether commands can be isolated on this machine, as the stand-in does for containers. */
export const canContain =
  process.platform === 'linux' && spawnSync('bwrap', ['--ro-bind', '/', '/', '--dev', '/dev', 'true']).status === 0

/** Stand-ins for `docker` and `podman`; see docker-double-cli.ts. */
export interface DockerDouble {
  /** The folder with both programs. */
  bin: string
  /** The home folder in its containers. */
  inside: string
  /** The current containers. */
  containers(): { id: string; name: string; image: string; isRunning: boolean; labels: Record<string, string> }[]
  /** Every call, in order. */
  calls(): string[][]
  /** Adds a container that another process has created. */
  add(name: string, labels?: Record<string, string>): void
}

export function makeDockerDouble(folder: string): DockerDouble {
  const [bin, state] = [join(folder, 'bin'), join(folder, 'containers')]
  const inside = join(state, 'inside')
  mkdirSync(bin)
  mkdirSync(inside, { recursive: true })
  const file = join(state, 'containers.json')
  writeFileSync(file, '[]')
  writeFileSync(join(state, 'log'), '')
  const cli = join(import.meta.dirname, 'docker-double-cli.ts')
  const program = `#!/bin/sh\nNODE_COMPILE_CACHE='${join(state, 'cache')}' exec '${process.execPath}' '${cli}' '${state}' "$@"\n`
  for (const name of ['docker', 'podman']) writeFileSync(join(bin, name), program, { mode: 0o755 })
  const containers = (): ReturnType<DockerDouble['containers']> =>
    JSON.parse(readFileSync(file, 'utf8')) as ReturnType<DockerDouble['containers']>
  return {
    bin,
    inside,
    containers,
    calls: () =>
      readFileSync(join(state, 'log'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[]),
    add(name, labels = {}) {
      const id = `${containers().length}`.repeat(64)
      writeFileSync(
        file,
        JSON.stringify([...containers(), { id, name, image: 'x', labels, mounts: [], isRunning: true }]),
      )
    },
  }
}
