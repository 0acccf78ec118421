import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasSlurm, startSlurmLab, type SlurmLab } from '../support/place/slurm-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, startCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')

describe.skipIf(!hasSlurm)('a job of a Slurm cluster', () => {
  let lab: SlurmLab
  let scratch: Scratch
  let server: ModelServer
  let home: string
  beforeAll(async () => {
    lab = await startSlurmLab()
    scratch = createScratch({ 'notes.md': 'one\n' })
    server = await startModelServer({
      script: (_request, index) =>
        index % 2 === 0
          ? {
              toolCalls: [
                { name: 'Bash', input: { command: 'echo "$SLURM_JOB_ID" "$SECRET_OF_THIS_MACHINE" > where.txt' } },
              ],
            }
          : { text: 'Done.' },
    })
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

  it('is submitted, works on a prompt on its node, and is cancelled when the place is disconnected', async () => {
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
    const printed = await run('-p', 'where are you?', '--place', 'cluster', '--cwd', scratch.project, '--yolo')
    expect(printed, printed.stderr).toMatchObject({ code: 0, stdout: 'Done.\n' })
    // The job knows its number, and no variable of this machine.
    expect(readFileSync(join(scratch.project, 'where.txt'), 'utf8')).toMatch(/^\d+ \n$/)
    // The store of the job is its own.
    expect(existsSync(join(home, '.trestle-places', 'cluster'))).toBe(true)
    expect((await run('place', 'disconnect', 'cluster')).code).toBe(0)
    await until(() => jobs().length === 0, 'the end of the job', 20_000)
  }, 180_000)

  it('waits in the queue, which is shown with the reason of the scheduler, and starts when it can', async () => {
    lab.run('sbatch', '--exclusive', '--job-name=other', '--output=/dev/null', '--wrap', 'exec sleep infinity')
    await until(() => jobs().includes('RUNNING'), 'the other job', 20_000)
    const child = startCli(['place', 'test', 'cluster'], options())
    let told = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    await until(() => /Job \d+ is pending \((?:Resources|Priority)\)/.test(told), 'the reason', 60_000)
    lab.run('scancel', '--name=other')
    expect(await ended, told).toBe(0)
    expect(told).toContain('The engine answers')
    expect((await run('place', 'disconnect', 'cluster')).code).toBe(0)
  }, 180_000)
})
