import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { isInFamily, plansOf } from './move-out'

test('plans move without the other files next to them, because a receiver would refuse the whole file', async () => {
  const home = await tempFolder()
  const plans = join(home, 'sessions', 's', 'plans')
  mkdirSync(join(plans, 'old'), { recursive: true })
  mkdirSync(join(plans, '.cache'))
  for (const name of ['plan.md', 'old/plan-1.md', '.DS_Store', 'Copy of plan.md', 'größe.md', '.cache/x'])
    writeFileSync(join(plans, name), name)
  symlinkSync('/etc/passwd', join(plans, 'link.md'))
  expect(plansOf(home, 's')).toEqual([
    { name: 'plans/old/plan-1.md', path: join(plans, 'old/plan-1.md') },
    { name: 'plans/plan.md', path: join(plans, 'plan.md') },
  ])
  expect(plansOf(home, 'none')).toEqual([])
})

test('a subagent belongs to its own session only', () => {
  expect(isInFamily('session-1', 'session-1')).toBe(false)
  expect(isInFamily('session-10', 'session-1')).toBe(false)
})
