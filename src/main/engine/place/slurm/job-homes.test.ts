import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { until } from '../../../../../test/support/until'
import { cleanJobHomes, JOB_HOME_MARK, JobHomes, LEFTOVERS, NO_LEFTOVERS, type JobHomesKept } from './job-homes'
import type { SlurmJob } from './slurm-commands'

const DAY = 24 * 60 * 60

describe('the home folders of jobs', () => {
  let temp: string
  let jobs: string
  let active: string
  beforeEach(async () => {
    temp = await tempFolder()
    jobs = join(temp, '.trestle-places', 'cluster', 'jobs')
    active = ''
    mkdirSync(jobs, { recursive: true })
    mkdirSync(join(temp, 'bin'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  const make = (name: string, { days = 0, kb = 1, isOurs = true } = {}): void => {
    const folder = join(jobs, name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'data'), 'x'.repeat(kb * 1024))
    const at = Date.now() / 1000 - days * DAY - 60
    if (isOurs) {
      writeFileSync(join(folder, JOB_HOME_MARK), '')
      utimesSync(join(folder, JOB_HOME_MARK), at, at)
    }
    utimesSync(folder, at, at)
  }
  const clean = (kept: JobHomesKept, squeue = `echo '${active}'`): string => {
    writeFileSync(join(temp, 'bin', 'squeue'), `#!/bin/sh\n${squeue}\n`, { mode: 0o755 })
    return execFileSync('sh', ['-c', cleanJobHomes('cluster', kept)], {
      env: { HOME: temp, PATH: `${join(temp, 'bin')}:/usr/bin:/bin` },
      encoding: 'utf8',
    }).trim()
  }
  const left = (): string[] => readdirSync(jobs).toSorted((a, b) => (a < b ? -1 : 1))

  it('are removed after a week, and the oldest first if they are large', () => {
    make('old', { days: 9 })
    make('new', { days: 1 })
    expect(clean(LEFTOVERS)).toBe('1')
    expect(left()).toEqual(['new'])
    make('larger', { days: 2, kb: 200 })
    expect(clean({ days: 7, bytes: 100 << 10 })).toBe('1')
    expect(left()).toEqual(['new'])
  })

  it('are kept while their job is in the queue, and all of them while the scheduler does not respond', () => {
    make('waits', { days: 30 })
    make('over', { days: 30 })
    expect(clean(NO_LEFTOVERS, 'exit 1')).toBe('0')
    active = 'trestle-agent-0a1b2c3d-42-waits'
    expect(clean(NO_LEFTOVERS)).toBe('1')
    expect(left()).toEqual(['waits'])
  })

  it('are removed only if marked by Trestle, and never outside through a link or a name', () => {
    make('foreign', { days: 30, isOurs: false })
    const outside = join(temp, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, JOB_HOME_MARK), '')
    symlinkSync(outside, join(jobs, 'link'))
    make('-rf', { days: 30 })
    make('with space', { days: 30 })
    writeFileSync(join(jobs, 'a-file'), '')
    expect(clean(NO_LEFTOVERS)).toBe('1')
    expect(left()).toEqual(['a-file', 'foreign', 'link', 'with space'])
    expect(existsSync(join(outside, JOB_HOME_MARK))).toBe(true)
  })

  it('are removed when their job is over, and not while it is still running', async () => {
    vi.stubEnv('HOME', temp)
    const looks: ((job: SlurmJob | undefined) => void)[] = []
    const queue = {
      pollSoon: () => undefined,
      next: () => new Promise<SlurmJob | undefined>((resolve) => looks.push(resolve)),
    }
    const homes = new JobHomes('cluster', queue)
    const folder = await homes.of('agent')
    expect(folder).toBe(join(jobs, 'agent'))
    make('agent')
    homes.removeAfter('7', folder)
    const job = { jobId: '7', reason: '', node: '', name: '' }
    looks.shift()?.({ ...job, state: 'COMPLETING' })
    await until(() => looks.length === 1, 'the next look')
    expect(existsSync(folder)).toBe(true)
    looks.shift()?.({ ...job, state: 'COMPLETED' })
    await homes.of('agent')
    expect(existsSync(folder)).toBe(false)
  })
})
