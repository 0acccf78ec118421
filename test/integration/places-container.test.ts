import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')

/**
 * These tests run without a container engine: a stand-in program runs commands in a folder, with its own environment,
 * and prints the real messages if a container does not exist.
 */
describe('a container', () => {
  let scratch: Scratch
  let server: ModelServer
  let bin: string
  let inside: string
  beforeAll(async () => {
    scratch = createScratch({})
    server = await startModelServer({ script: (_request, index) => ({ text: `Answer ${index + 1}.` }) })
    writeConfig(scratch.home, configFor(server.baseUrl))
    bin = join(scratch.home, '..', 'bin')
    inside = join(scratch.home, '..', 'inside')
    mkdirSync(bin)
    mkdirSync(join(inside, 'app'), { recursive: true })
    writeFileSync(join(inside, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
    const standIn = [
      '#!/bin/sh',
      '[ "$1 $2" = "exec -i" ] || { echo "unexpected: $*" >&2; exit 64; }',
      '[ "$3" = box ] || { echo "Error response from daemon: No such container: $3" >&2; exit 1; }',
      'shift 3',
      `cd '${inside}' && exec env -i HOME='${inside}' PATH=/usr/bin:/bin TRESTLE_KEY_STORE=file "$@"`,
    ]
    for (const name of ['docker', 'podman']) writeFileSync(join(bin, name), `${standIn.join('\n')}\n`, { mode: 0o755 })
  })
  afterAll(async () => {
    await server.close()
    scratch.remove()
  })
  const run = (...args: string[]) =>
    runCli(args, { home: scratch.home, cwd: scratch.project, env: { PATH: `${bin}:/usr/bin:/bin` } })

  it('is used through the user’s program, with the model key kept here', async () => {
    const added = await run('place', 'add', 'docker', 'box', '--no-keep-running', '--program', '~/trestle')
    expect(added.stdout + added.stderr).toContain('ok     Engine: The engine answers')
    const printed = await run('-p', 'what is here?', '--place', 'box', '--cwd', '~/app')
    expect(printed).toMatchObject({ code: 0, stdout: 'Answer 1.\n' })
  })

  it('that is not running, or whose program is missing, is named with the reason', async () => {
    const missing = await run('place', 'add', 'podman', 'other')
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain('There is no running container other. Start it first.')
    const none = await runCli(['place', 'test', 'other'], {
      home: scratch.home,
      cwd: scratch.project,
      env: { PATH: '/nonexistent' },
    })
    expect(none.stdout).toContain('podman is not installed on this machine.')
  })
})
