import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { describeJob, jobText, parseDescription, parseJobs, phaseOf, submitScript } from './slurm-commands'

describe('a job of Slurm', () => {
  it("is shown with the scheduler's reason", () => {
    const jobs = parseJobs(
      'slurm_load_jobs: warning\n12|PENDING|ReqNodeNotAvail, UnavailableNodes:n1||a\n' +
        '13|RUNNING|None|node1|b|c\n14|PENDING|(null)\n',
    )
    expect(jobs.map(jobText)).toEqual(['Job 12 is pending (ReqNodeNotAvail, UnavailableNodes:n1)', 'Job 13 is running'])
    expect(jobs[1]).toMatchObject({ node: 'node1', name: 'b|c' })
  })

  it.each([
    ['PENDING', 'waiting', 'is pending'],
    ['REQUEUED', 'waiting', 'was requeued'],
    ['REQUEUE_HOLD', 'waiting', 'was requeued and is held'],
    ['COMPLETING', 'waiting', 'is ending'],
    ['SOMETHING_NEW', 'waiting', 'is something_new'],
    ['RUNNING', 'running', 'is running'],
    ['PREEMPTED', 'ended', 'was preempted'],
    ['TIMEOUT', 'ended', 'reached its time limit'],
    ['FAILED', 'ended', 'failed'],
    ['CANCELLED', 'ended', 'was canceled'],
    ['NODE_FAIL', 'ended', 'lost its node'],
    ['OUT_OF_MEMORY', 'ended', 'ran out of memory'],
  ])('in the state %s is %s', (state, phase, text) => {
    expect(phaseOf({ state })).toBe(phase)
    expect(jobText({ jobId: '7', state, reason: 'None' })).toBe(`Job 7 ${text}`)
  })

  it('is described by the scheduler, or by its accounting if the scheduler has forgotten it', () => {
    const shown =
      'JobId=7 JobName=trestle-x UserId=ada(1) JobState=TIMEOUT Reason=launch ' +
      'failed requeued held Dependency=(null) NodeList=n1 BatchHost=n1'
    expect(parseDescription('7', shown)).toMatchObject({
      state: 'TIMEOUT',
      reason: 'launch failed requeued held',
      node: 'n1',
    })
    expect(parseDescription('7', 'CANCELLED by 1000|None\n')).toMatchObject({ state: 'CANCELLED', reason: 'None' })
    expect(parseDescription('7', '')).toBeUndefined()
    expect(parseDescription('7', 'slurm_load_jobs error: Invalid job id specified\n')).toBeUndefined()
  })

  it('gets each setting as a single word, whatever it contains', () => {
    const script = submitScript(
      { kind: 'slurm', partition: '$(touch /tmp/x)', cpus: 2, memory: '4G', time: '1:00', account: "it's" },
      { name: 'n', script: 'echo "$HOME"' },
    )
    const words = execFileSync('sh', ['-c', `sbatch() { for word in "$@"; do echo "$word"; done; }; ${script}`], {
      encoding: 'utf8',
    }).split('\n')
    expect(words).toEqual(
      expect.arrayContaining([
        '--partition=$(touch /tmp/x)',
        '--cpus-per-task=2',
        '--mem=4G',
        '--time=1:00',
        "--account=it's",
      ]),
    )
    expect(words.find((word) => word.endsWith('echo "$HOME"'))).toBeDefined()
    expect(describeJob('7; rm x')).toContain("'7; rm x'")
  })
})
