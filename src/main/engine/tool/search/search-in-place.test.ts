import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { probeSandboxSupport, sandboxSupport } from '../../sandbox/sandbox-support'
import { ripgrepPath, runRipgrep } from '../../workspace/ripgrep/run-ripgrep'
import { possiblyMoved, seeingOnly } from './search-in-place'

const LATER_MS = 60_000

async function project() {
  const base = await tempFolder()
  const [root, outside] = [join(base, 'project'), join(base, 'outside')]
  mkdirSync(join(root, 'src', 'deep'), { recursive: true })
  mkdirSync(join(outside, 'deep'), { recursive: true })
  writeFileSync(join(outside, 'deep', 'a.txt'), 'secret')
  writeFileSync(join(root, 'src', 'deep', 'a.txt'), 'ours')
  return { root, outside }
}

describe('a search while a command moves folders', () => {
  it('has doubtful results in a folder that was a link for a moment, and none if nothing was moved', async () => {
    const { root, outside } = await project()
    const [src, found] = [join(root, 'src'), [join(root, 'src', 'deep', 'a.txt')]]
    expect(possiblyMoved(found, root, Date.now() + LATER_MS).size).toBe(0)
    const began = Date.now()
    renameSync(src, `${src}.real`)
    symlinkSync(outside, src)
    expect([...possiblyMoved(found, root, began + LATER_MS)]).toEqual(found)
    unlinkSync(src)
    renameSync(`${src}.real`, src)
    expect([...possiblyMoved(found, root, began)]).toEqual(found)
  })

  it.skipIf(sandboxSupport().kind === 'none')('sees nothing behind a link when it is repeated', async () => {
    await probeSandboxSupport()
    const { root, outside } = await project()
    symlinkSync(outside, join(root, 'link'))
    const args = ['--count', '--null', '--follow', '.', './link/deep', './src']
    const within = await seeingOnly(root, await ripgrepPath())
    const run = await runRipgrep(args, { cwd: root, ...(within && { within }) })
    expect(run.output.toString('utf8')).toBe('./src/deep/a.txt\u00001\n')
    expect((await runRipgrep(args, { cwd: root })).output.toString('utf8')).toContain('./link/deep/a.txt')
  })
})
