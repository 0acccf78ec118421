import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasSlurm, startSlurmLab, type SlurmLab } from '../support/place/slurm-lab'
import { tellStories } from '../support/place/stories'
import { runCli } from '../support/run-cli'

vi.setConfig({ testTimeout: 180_000 })
const CLI = join(import.meta.dirname, '../../out/main/cli.js')

let slurm: SlurmLab
let user: string
const env = (): Record<string, string> => ({ ...slurm.env, HOME: user, SECRET_OF_THIS_MACHINE: 'secret' })
const launch = { kind: 'slurm' as const, cpus: 1, time: '30', memory: '100M', partition: 'work' }

beforeAll(async () => {
  if (!hasSlurm) return
  slurm = await startSlurmLab()
  user = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-slurm-user-'))
  writeFileSync(join(user, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
})
afterAll(async () => {
  if (!hasSlurm) return
  await slurm.close()
  // Other processes of a job outlive its engine here, because there is no control group to end them.
  for (const pid of commands('TRESTLE_PLACE=1')) process.kill(pid, 'SIGKILL')
  rmSync(user, { recursive: true, force: true })
})

/** Processes in the environment of this cluster that have all of these in their environment or command line. */
function commands(...words: string[]): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return []
      const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8')
      return [`HOME=${user}`, ...words].every((word) => text.includes(word)) ? [Number(pid)] : []
    } catch {
      return []
    }
  })
}

tellStories('a job of a Slurm cluster', {
  skip: !hasSlurm,
  env,
  async open(_lab, { client }, app) {
    const placeId = 'cluster'
    app.writeCommand(join(user, 'trestle-of-cluster'))
    await client.place.add({ placeId, launch, program: '~/trestle-of-cluster' })
    await client.place.connect({ placeId })
    const folder = join(user, 'app')
    mkdirSync(folder)
    return {
      placeId,
      home: join(user, '.trestle-places', placeId),
      folder,
      cut: () => commands('srun\0--export').forEach((pid) => process.kill(pid, 'SIGKILL')),
      close: () => Promise.resolve(),
    }
  },
})

describe.skipIf(!hasSlurm)('a job of a Slurm cluster, from the command line', () => {
  it('is submitted with its settings and without secrets, and canceled when it is disconnected', async () => {
    const home = join(user, 'home')
    mkdirSync(home)
    const run = (...args: string[]) => runCli(args, { home, cwd: user, env: env() })
    const settings = ['--time', '10', '--cpus', '1', '--memory', '100M', '--partition', 'work']
    const added = await run('place', 'add', 'slurm', '--name', 'second', ...settings, '--program', '~/trestle')
    expect(added.stdout + added.stderr).toContain('ok     Engine: The engine answers')
    const job = (state: string): string =>
      slurm.run('squeue', '-h', `--states=${state}`, '--format=%i|%C|%m|%l|%P|%j').trim()
    expect(job('RUNNING')).toMatch(/^\d+\|1\|100M\|10:00\|work\|trestle-second-/)
    expect(commands('TRESTLE_PLACE=1', 'places/second')).not.toEqual([])
    expect(commands('TRESTLE_PLACE=1', 'places/second', 'SECRET_OF_THIS_MACHINE')).toEqual([])
    const wrong = await run('place', 'add', 'slurm', '--name', 'third', '--memory', 'a lot')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('memory')
    expect(await run('place', 'disconnect', 'second')).toMatchObject({ code: 0 })
    await expect.poll(() => job('PENDING,RUNNING'), { timeout: 60_000 }).toBe('')
  })
})
