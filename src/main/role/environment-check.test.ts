import { expect, test } from 'vitest'
import { differentForTurns, differentVariables, environmentMarks, variableNames } from './environment-check'

const marks = (env: NodeJS.ProcessEnv, key = 'k'): Record<string, string> => environmentMarks(env, key)

test('environments are equal regardless of their terminal, shell depth or login', () => {
  const one = { PATH: '/bin', TERM: 'xterm', SHLVL: '2', PWD: '/a', TMUX: 'x', SSH_TTY: '/dev/pts/1', KITTY_PID: '3' }
  const other = { PATH: '/bin', WT_SESSION: 'z', npm_lifecycle_event: 'start', TRESTLE_HOME: '/h', _: '/bin/x' }
  expect(differentVariables(marks(one), marks(other))).toEqual([])
})

test('a variable that is missing on either side, or has another value, makes them different', () => {
  const one = { PATH: '/bin', VIRTUAL_ENV: '/venv', AWS_PROFILE: 'a', EMPTY: '' }
  const other = { PATH: '/bin', AWS_PROFILE: 'b', KUBECONFIG: '/k' }
  expect(differentVariables(marks(one), marks(other))).toEqual(['AWS_PROFILE', 'EMPTY', 'KUBECONFIG', 'VIRTUAL_ENV'])
})

test('marks contain no values, and are meaningless without the key', () => {
  const env = { SECRET_TOKEN: 'hunter2', OTHER: 'hunter2' }
  expect(JSON.stringify(marks(env))).not.toContain('hunter2')
  expect(marks(env)['SECRET_TOKEN']).not.toBe(marks(env)['OTHER'])
  expect(differentVariables(marks(env), marks(env, 'another'))).toEqual(['OTHER', 'SECRET_TOKEN'])
})

test('a long list of names is truncated', () => {
  expect(variableNames(['A', 'B', 'C', 'D'])).toBe('A, B, C, D')
  expect(variableNames(['A', 'B', 'C', 'D', 'E'])).toBe('A, B, C and 2 more')
})

test('a turn that continues in another process ignores variables of a login or a desktop', () => {
  const before = { PATH: '/bin', DISPLAY: ':0', SSH_AUTH_SOCK: '/run/a', KUBECONFIG: '/staging' }
  const now = { PATH: '/bin', DISPLAY: ':1', XAUTHORITY: '/run/x', SSH_AUTH_SOCK: '/run/b', KUBECONFIG: '/production' }
  expect(differentForTurns(marks(before), marks(now))).toEqual(['KUBECONFIG'])
})
