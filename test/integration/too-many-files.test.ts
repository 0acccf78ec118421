import { describe, expect, it } from 'vitest'
import { createRunGit } from '../../src/main/engine/git/run/run-git'
import { startChannel } from '../../src/main/engine/place/launcher/shell-run'
import { JobConnection } from '../../src/main/engine/place/slurm/job-connection'
import type { SlurmJob } from '../../src/main/engine/place/slurm/slurm-commands'
import { fetchPlugin } from '../../src/main/engine/plugin/fetch-plugin'
import { startEngine } from '../../src/main/role/attach'
import { withoutDescriptors } from '../support/system-limits'
import { tempFolder } from '../support/temp-folder'

describe('while too many files are open, a failure says so', () => {
  const runs: Record<string, (folder: string) => Promise<unknown>> = {
    'of git': (folder) =>
      createRunGit({ env: () => process.env, neutralFolder: folder })({ args: ['--version'], level: 'untrusted' }),
    'of a plugin': () => fetchPlugin('https://localhost/plugin.git', process.env),
    'of a place': async () => startChannel('ssh', ['host']),
    'of the engine': (folder) => startEngine(folder, {}, ['node']),
  }
  it.each(Object.entries(runs))('%s', async (_name, run) => {
    const folder = await tempFolder()
    await withoutDescriptors(() => expect(run(folder)).rejects.toThrow('Too many files are open'))
  })

  it('a connection to a job is tried again', async () => {
    const job: SlurmJob = { jobId: '7', state: 'RUNNING', reason: '', node: 'n1', name: 'trestle' }
    const polls = [job, job]
    let attempts = 0
    const queue = { next: async () => polls.pop(), pollSoon: () => undefined }
    await withoutDescriptors(async () => {
      const connection = new JobConnection({
        queue: queue as unknown as ConstructorParameters<typeof JobConnection>[0]['queue'],
        jobId: job.jobId,
        attach() {
          attempts += 1
          return startChannel('ssh', ['host'])
        },
        connected: () => undefined,
        changed: () => undefined,
      })
      await connection.ended
    })
    expect(attempts).toBe(2)
  })
})
