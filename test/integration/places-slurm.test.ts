import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasSlurm, startSlurmLab, type SlurmLab } from '../support/place/slurm-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')

describe.skipIf(!hasSlurm)('a job of a Slurm cluster', () => {
  let lab: SlurmLab
  let scratch: Scratch
  let server: ModelServer
  let home: string
  beforeAll(async () => {
    lab = await startSlurmLab()
    scratch = createScratch({ 'notes.md': 'one\n' })
    server = await startModelServer({ script: [] })
    writeConfig(scratch.home, configFor(server.baseUrl))
    home = join(scratch.home, '..', 'user')
    mkdirSync(home)
    writeFileSync(join(home, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  })
  afterAll(async () => {
    lab.run('scancel', '--me')
    await server.close()
    await lab.close()
    scratch.remove()
  })
  const options = () => ({
    home: scratch.home,
    cwd: scratch.project,
    env: { ...lab.env, HOME: home, SECRET_OF_THIS_MACHINE: 'secret' },
  })
  const run = (...args: string[]): Promise<CliRun> => runCli(args, options())
  const jobs = (): string[] =>
    lab
      .run('squeue', '-h', '--format=%T')
      .trim()
      .split('\n')
      .filter((line) => line !== '')

  it('is submitted, and its engine answers on the node', async () => {
    const added = await run(
      'place',
      'add',
      'slurm',
      '--name',
      'cluster',
      '--time',
      '10',
      '--cpus',
      '1',
      '--program',
      '~/trestle',
    )
    expect(added.stdout + added.stderr).toContain('ok     Engine: The engine answers')
    expect(added.code).toBe(0)
    expect(jobs()).toEqual(['RUNNING'])
  }, 180_000)
})
