import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canContain, makeDockerDouble, type DockerDouble } from '../support/place/docker-double'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')

/**
 * These tests run without a container engine: a stand-in for `docker` and `podman` keeps containers in a file and runs
 * their commands in bubblewrap. The dev container CLI is the real one.
 */
describe.skipIf(!canContain)('a container that Trestle starts', () => {
  let scratch: Scratch
  let server: ModelServer
  let docker: DockerDouble
  beforeAll(async () => {
    scratch = createScratch({ 'notes.md': 'one\n' })
    server = await startModelServer({ script: (_request, index) => ({ text: `Answer ${index + 1}.` }) })
    writeConfig(scratch.home, configFor(server.baseUrl))
    docker = makeDockerDouble(join(scratch.home, '..'))
    writeFileSync(join(docker.inside, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, {
      mode: 0o755,
    })
    // The dev container CLI fetches its list of advisories unless it has a recent one.
    const data = join(scratch.home, 'cache', 'devcontainer')
    mkdirSync(data, { recursive: true })
    const advisories = join(data, 'control-manifest.json')
    writeFileSync(advisories, '{"disallowedFeatures":[],"featureAdvisories":[]}')
    const later = Date.now() / 1000 + 3600
    utimesSync(advisories, later, later)
  })
  afterAll(async () => {
    await server.close()
    scratch.remove()
  })
  const run = (...args: string[]) =>
    runCli(args, { home: scratch.home, cwd: scratch.project, env: { PATH: `${docker.bin}:/usr/bin:/bin` } })
  const add = (...args: string[]) => run('place', 'add', ...args, '--no-keep-running', '--program', '~/trestle')
  const running = (): string[] => docker.containers().flatMap(({ name, isRunning }) => (isRunning ? [name] : []))
  const places = (): { placeId: string; parent?: string }[] =>
    (
      JSON.parse(readFileSync(join(scratch.home, 'places.json'), 'utf8')) as {
        places: { placeId: string; parent?: string }[]
      }
    ).places

  it('runs an image with a mounted folder, is stopped with the place, and starts again when it is used', async () => {
    const added = await add('docker', '--image', 'acme/tools:2', '--mount', '.')
    expect(added.stdout + added.stderr).toContain('ok     Engine: The engine answers')
    expect(docker.containers()).toMatchObject([
      { image: 'acme/tools:2', name: expect.stringMatching(/^trestle-tools-/) },
    ])
    const started = docker.calls().find(([verb]) => verb === 'run')
    expect(started).toContain(`type=bind,source=${scratch.project},target=${scratch.project}`)
    await run('place', 'disconnect', 'tools')
    expect(running()).toEqual([])
    const printed = await run('-p', 'what is here?', '--place', 'tools', '--cwd', scratch.project)
    expect(printed).toMatchObject({ code: 0, stdout: 'Answer 1.\n' })
    expect(running()).toHaveLength(1)
  })

  it('is stopped when its place is removed, and deleted only when that is asked for; others are never touched', async () => {
    docker.add('of-someone-else')
    const name = docker.containers()[0]?.name
    await run('place', 'remove', 'tools')
    expect(running()).toEqual(['of-someone-else'])
    await run('place', 'restore', 'tools')
    const removed = await run('place', 'remove', 'tools', '--delete')
    expect(removed.stdout).toContain('Deleted: container ')
    expect(docker.containers().map((one) => one.name)).not.toContain(name)
    expect(running()).toEqual(['of-someone-else'])
  })

  it('explains why an image cannot be used, and which settings conflict', async () => {
    const missing = await add('podman', '--image', 'missing:1')
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain(
      'podman says: docker: Error response from daemon: pull access denied for missing:1',
    )
    const usage = async (...args: string[]): Promise<string> => (await add(...args)).stderr
    expect(await usage('docker')).toContain('Name either a running container or an image.')
    expect(await usage('docker', 'box', '--image', 'x')).toContain('Name either a running container or an image.')
    expect(await usage('docker', 'box', '--per-session')).toContain('need an image')
    expect(await usage('docker', '--image=--privileged')).toContain('--image: "--privileged" cannot be used')
    expect(await usage('ssh', 'host', '--image', 'x')).toContain('--image cannot be used with add ssh.')
  })

  it.skipIf(!RUNS_ALL)(
    'is one for each session where the place says so, and goes with a session that does not begin',
    async () => {
      await add('docker', '--image', 'acme/each', '--per-session', '--no-test')
      const printed = await run('-p', 'what is here?', '--place', 'each', '--cwd', '~')
      expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Answer \d+\.\n$/) })
      const [own] = places().filter(({ parent }) => parent === 'each')
      expect(own?.placeId).toMatch(/^each-[0-9a-f]{6}$/)
      expect(running().filter((name) => name.startsWith('trestle-each-'))).toHaveLength(1)
      const failed = await run('-p', 'what is here?', '--place', 'each', '--cwd', '/no/such/folder')
      expect(failed.code).not.toBe(0)
      expect(places().filter(({ parent }) => parent === 'each')).toEqual([own])
      expect(docker.containers().filter(({ name }) => name.startsWith('trestle-each-'))).toHaveLength(1)
    },
  )

  it('is the dev container of a project, with its environment, through the real dev container CLI', async () => {
    const config = (more: object): void => {
      mkdirSync(join(scratch.project, '.devcontainer'), { recursive: true })
      writeFileSync(
        join(scratch.project, '.devcontainer/devcontainer.json'),
        JSON.stringify({
          workspaceFolder: scratch.project,
          workspaceMount: `type=bind,source=${scratch.project},target=${scratch.project}`,
          ...more,
        }),
      )
    }
    const none = await add('devcontainer', scratch.project)
    expect(none.stdout).toContain('has no .devcontainer/devcontainer.json')
    const placeId = places().findLast(({ parent }) => parent === undefined)?.placeId ?? ''
    config({ image: 'missing:2' })
    expect((await run('place', 'test', placeId)).stdout).toContain(
      'The dev container did not start: docker: Error response from daemon: pull access denied for missing:2',
    )
    config({ image: 'node:24', remoteEnv: { TRESTLE_SANDBOX_NOTE: 'blue' } })
    const printed = await run('-p', 'what is here?', '--place', placeId, '--cwd', scratch.project)
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Answer \d+\.\n$/) })
    const engine = docker.calls().find((call) => call[0] === 'exec' && call.includes('TRESTLE_SANDBOX_NOTE=blue'))
    expect(engine?.at(-1)).toContain('wire')
    // The user's editor uses the same container.
    await run('place', 'disconnect', placeId)
    expect(docker.containers().find(({ labels }) => 'devcontainer.local_folder' in labels)).toMatchObject({
      isRunning: true,
    })
  })
})
