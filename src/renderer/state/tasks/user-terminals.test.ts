import { expect, it } from 'vitest'
import type { UserTerminal } from '../../../shared/model/task/terminal'
import { numberedName, terminalName } from './user-terminals'

const terminal = (terminalId: string, startedAt: number, title?: string): UserTerminal => ({
  terminalId,
  sessionId: 's1',
  shell: '/bin/bash',
  cwd: '/',
  status: 'running',
  startedAt,
  isWatched: false,
  ...(title !== undefined && { title }),
})

it('is the title its program set, or the name of its shell', () => {
  expect(terminalName({ shell: '/usr/bin/zsh' })).toBe('zsh')
  expect(terminalName({ shell: String.raw`C:\Windows\System32\cmd.exe` })).toBe('cmd.exe')
  expect(terminalName({ shell: '/bin/bash', title: 'vim a.ts' })).toBe('vim a.ts')
})

it('has a number only when several terminals have the same name, in the order they were opened', () => {
  const all = [terminal('t3', 30), terminal('t1', 10), terminal('t2', 20, 'vim')]
  expect(all.map((one) => numberedName(one, all))).toEqual(['bash 2', 'bash 1', 'vim'])
})
