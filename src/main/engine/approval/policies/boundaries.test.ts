import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
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
