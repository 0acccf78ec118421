import { expect, test } from 'vitest'
import type { McpServerInput } from '../../../shared/configuration/customize/mcp'
import { fieldProblems, fieldsOf, inputOf, newKeyValue, NO_SERVER, splitCommand } from './server-fields'

const switches = {
  enabled: false,
  startTimeoutMs: 30_000,
  callTimeoutMs: 90_000,
  disabledTools: ['x'],
  enabledTools: ['x', 'y'],
}

test.each<McpServerInput>([
  {
    ...switches,
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'two words', '--x=1'],
    env: { A: null, B: '${B}' },
    cwd: '/x',
  },
  {
    ...switches,
    transport: 'sse',
    url: 'https://x.test/sse',
    headers: { Authorization: null },
    oauth: { clientId: 'c', clientSecret: null, scopes: ['a', 'b'] },
  },
])('saving an unchanged form changes nothing: %j', (input) => {
  const fields = fieldsOf('s', input)
  expect(fieldProblems(fields, [])).toEqual({})
  expect(inputOf(fields, input)).toEqual(input)
})

test('a typed value replaces the existing one, a removed name disappears, and blank rows are ignored', () => {
  const before: McpServerInput = { ...switches, transport: 'stdio', command: 'a', args: [], env: { A: null, B: null } }
  const fields = fieldsOf('s', before)
  const env = [{ ...fields.env[0]!, value: 'new' }, newKeyValue(), newKeyValue('C', 'c')]
  expect(inputOf({ ...fields, env, args: 'one\n\n two \n' }, before)).toMatchObject({
    env: { A: 'new', C: 'c' },
    args: ['one', ' two '],
  })
})

test('a missing value is reported at its field', () => {
  expect(fieldProblems(NO_SERVER, [])).toEqual({ name: 'Enter a name', command: 'Enter a command' })
  expect(fieldProblems({ ...NO_SERVER, name: 'a', transport: 'http', url: 'x.test', callSeconds: '0' }, ['a'])).toEqual(
    {
      name: 'A server with this name already exists',
      url: 'Enter a URL that begins with https:// or http://',
      callSeconds: 'From 1 to 3600 seconds',
    },
  )
  const env = [newKeyValue('A', '1'), newKeyValue('A', '2')]
  expect(fieldProblems({ ...NO_SERVER, name: 'a', command: 'x', env }, [])).toEqual({
    env: 'Each variable can be set only once',
  })
})

test('a full command line is split as in a shell', () => {
  expect(splitCommand(`npx -y @x/server "/my files" 'a "b"' --k="v w"`)).toEqual({
    command: 'npx',
    args: ['-y', '@x/server', '/my files', 'a "b"', '--k=v w'],
  })
  expect(splitCommand('')).toEqual({ command: '', args: [] })
})
