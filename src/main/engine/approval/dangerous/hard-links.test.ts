import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { judgeCommand } from '../../../../../test/support/judge-command'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { judgedTool } from '../check-command'
import { POLICIES } from '../policies'
import { judge } from '../policies/judge'
import { protectedFile } from './hard-links'

const PROTECTED = ['.git/config', '.git/hooks/pre-commit', '.mcp.json', '.github/workflows/build.yml']

/** A project with a file for each of these names, and a second name (hard link) for each file. */
async function place(names: readonly string[]): Promise<{ top: string; others: string[] }> {
  const top = await tempFolder()
  const others = names.map((name, index) => {
    const [path, other] = [join(top, name), join(top, `other-${index}`)]
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    linkSync(path, other)
    return other
  })
  return { top, others }
}

const writing = { readOnly: false, destructive: true, idempotent: false, openWorld: false }

function writeDecision(cwd: string, path: string): string {
  const call = { summary: '', accesses: [{ kind: 'file' as const, path, written: path, write: true }] }
  const context = { rules: [], mode: 'auto' as const, cwd, home: '/home/absent/.trestle' }
  return judge(POLICIES, judgedTool({ name: 'Write', annotations: writing }, call, context)).decision
}

it('a change to a protected file under another name asks in every mode', async () => {
  const { top, others } = await place(PROTECTED)
  for (const other of others) {
    for (const command of [`echo x > ${other}`, `tee ${other}`, `cp README ${other}`, `ln ${other} another`])
      expect([command, (await judgeCommand(command, { cwd: top, mode: 'auto' })).verdict]).toEqual([command, 'ask'])
    expect(writeDecision(top, other)).toBe('ask')
  }
})

it("recognizes the user's start-up file under another name", async () => {
  const { top: home, others } = await place(['.bashrc', '.config/git/config'])
  const workspace = createWorkspace({ root: await tempFolder(), home })
  expect(others.map((other) => protectedFile(other, workspace))).toEqual([
    expect.stringContaining(join(home, '.bashrc')),
    expect.stringContaining(join(home, '.config/git/config')),
  ])
})

it('a change to a file whose other names are not protected does not ask', async () => {
  const { top, others } = await place(['a'])
  expect((await judgeCommand(`echo x > ${others[0]}`, { cwd: top, mode: 'auto' })).verdict).toBe('allow')
  expect(writeDecision(top, others[0]!)).toBe('allow')
})
