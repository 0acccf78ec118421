import { expect, test } from 'vitest'
import { parseDeepLink, ownArguments, readLaunchRequest } from './launch-request'

const isFolder = (path: string) => ['/work/project', '/home/me/other'].includes(path)

test('opens a folder and a link from the command line, and ignores switches of Chromium', () => {
  const args = [
    '--original-process-start-time=1',
    'project',
    '/home/me/other',
    'trestle-app://session/abc',
    '--allow-file-access',
    '/no/folder',
    '',
  ]
  expect(readLaunchRequest(args, '/work', isFolder)).toEqual({
    commands: [
      { open: 'folder', folder: '/work/project' },
      { open: 'folder', folder: '/home/me/other' },
      { open: 'session', sessionId: 'abc' },
    ],
    hidden: false,
  })
})

test('distinguishes a start at login from a manual start', () => {
  expect(readLaunchRequest(['--hidden'], '/', isFolder)).toEqual({ commands: [], hidden: true })
})

test('does not open the script of an unpackaged app as a folder', () => {
  expect(ownArguments(['/bin/electron', '--no-sandbox', '/app/out/main/index.js', '/work/project'], false)).toEqual([
    '--no-sandbox',
    '/work/project',
  ])
  expect(ownArguments(['/bin/electron'], false)).toEqual([])
  expect(ownArguments(['/opt/Trestle/trestle', '/work/project'], true)).toEqual(['/work/project'])
})

test.each([
  ['trestle-app://session/0192-ab', { open: 'session', sessionId: '0192-ab' }],
  ['trestle-app:session/0192-ab', { open: 'session', sessionId: '0192-ab' }],
  ['TRESTLE-APP://task/bash-00000001/', { open: 'task', taskId: 'bash-00000001' }],
  ['trestle-app://settings/mcp', { open: 'settings', section: 'mcp' }],
  ['trestle-app://settings', 'open-settings'],
  ['trestle-app://inbox', 'open-inbox'],
])('the link %s shows what it names', (link, command) => {
  expect(parseDeepLink(link)).toEqual(command)
})

test.each([
  'trestle-app://new?folder=/etc',
  'trestle-app://new/folder',
  'trestle-app://session',
  'trestle-app://session/a?prompt=rm',
  'trestle-app://session/../settings',
  'trestle-app://session/a/b',
  'trestle-app://session/..',
  'trestle-app://session/%2e%2e',
  'trestle-app://mcp/add?command=evil',
  'trestle-app://run/ls',
  `trestle-app://session/${'a'.repeat(400)}`,
  'trestle://session/a',
  'https://session/a',
  'nonsense',
  '',
])('the link %s does nothing', (link) => {
  expect(parseDeepLink(link)).toBeUndefined()
})
