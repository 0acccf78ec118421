import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { judgeCommand } from '../../../../../test/support/judge-command'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { judgedTool } from '../check-command'
import { codeCacheFolder } from '../../runtime/code-cache'
import { judge } from './judge'
import { POLICIES } from './index'

async function place(): Promise<{ cwd: string; code: string }> {
  const top = await tempFolder()
  const [cwd, temporary] = [join(top, 'project'), join(top, 'temporary')]
  mkdirSync(cwd)
  mkdirSync(temporary)
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const code = codeCacheFolder()
  mkdirSync(code, { mode: 0o700 })
  return { cwd, code }
}

it('no command changes the compiled code of Trestle, which the next start runs', async () => {
  const { cwd, code } = await place()
  const verdictOn = async (command: string): Promise<string> =>
    (await judgeCommand(command, { cwd, mode: 'auto' })).verdict
  for (const command of [`cp x ${code}/lazy/y`, `echo x > ${code}/y`, `mkdir -p ${code}/eager`, `mv ${code} away`])
    expect([command, await verdictOn(command)]).toEqual([command, 'deny'])
  expect(await verdictOn(`ls ${code}`)).toBe('allow')
  expect(await verdictOn(`echo x > ${code}-other`)).toBe('allow')
})

it('no tool changes it either, in any mode', async () => {
  const { cwd, code } = await place()
  const path = join(code, 'lazy', 'x')
  const annotations = { readOnly: false, destructive: true, idempotent: false, openWorld: false }
  const call = { summary: '', accesses: [{ kind: 'file' as const, path, written: path, write: true }] }
  for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
    const context = { rules: [], mode, cwd, home: '/home/absent/.trestle' }
    expect(judge(POLICIES, judgedTool({ name: 'Write', annotations }, call, context)).decision).toBe('deny')
  }
})

describe('what commands in a sandbox never see', () => {
  const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
  const verdictOn = async (path: string, { cwd, mode }: { cwd: string; mode: 'ask' | 'auto' }) => {
    const call = { summary: '', accesses: [{ kind: 'file' as const, path, written: path, write: false }] }
    const sandboxes = {
      required: false,
      hosts: [],
      webHosts: [],
      openedHosts: [],
      writable: [],
      isReadable: () => true,
    }
    const context = { rules: [], mode, cwd, home: '/home/absent/.trestle', sandboxes }
    return judge(POLICIES, judgedTool({ name: 'Read', annotations: reads }, call, context)).decision
  }

  it('asks in auto mode about the processes and devices of the machine, because a sandbox has its own', async () => {
    const { cwd } = await place()
    for (const path of ['/proc/1/cmdline', '/proc/1/task/1/maps', '/proc', '/dev/shm/x', '/dev'])
      expect([path, await verdictOn(path, { cwd, mode: 'auto' })]).toEqual([path, 'ask'])
    expect(await verdictOn('/proc/cpuinfo', { cwd, mode: 'auto' })).toBe('allow')
    expect(await verdictOn('/usr/include/stdio.h', { cwd, mode: 'auto' })).toBe('allow')
  })

  it("asks about the user's credentials when the project is the home folder", async () => {
    const { cwd } = await place()
    vi.stubEnv('HOME', cwd)
    for (const mode of ['ask', 'auto'] as const) {
      for (const name of ['.netrc', '.git-credentials', '.config/gh/hosts.yml', '.m2/settings.xml', '.Kube/config']) {
        const path = join(realpathSync(cwd), name)
        expect([mode, name, await verdictOn(path, { cwd, mode })]).toEqual([mode, name, 'ask'])
      }
      for (const name of ['notes.txt', '.config/other', '.m2/repository/x.pom', '.kubernetes'])
        expect([name, await verdictOn(join(realpathSync(cwd), name), { cwd, mode })]).toEqual([name, 'allow'])
    }
  })
})
