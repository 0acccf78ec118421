import { describe, expect, it } from 'vitest'
import { isPagePath } from '../../../shared/contract/page-host'
import type { MainView } from '../page/layout-state'
import { linkTo, messageOf, pathOf, viewOf } from './route'

const VIEWS: [MainView, string][] = [
  [{ kind: 'session', sessionId: 'ses-01' }, '/s/ses-01'],
  [{ kind: 'settings', section: 'mcp' }, '/settings/mcp'],
  [{ kind: 'settings', section: 'mcp', item: 'my server/2' }, '/settings/mcp/my%20server%2F2'],
  [{ kind: 'tasks' }, '/tasks'],
  [{ kind: 'tasks', taskId: 'bash-7' }, '/tasks/bash-7'],
  [{ kind: 'inbox' }, '/inbox'],
  [{ kind: 'new' }, '/new'],
  [{ kind: 'new', folder: '/code/a b' }, '/new?folder=%2Fcode%2Fa+b'],
]

describe('every view has a path that leads back to it and is served by the hosts', () => {
  it.each(VIEWS)('%j is %s', (view, path) => {
    expect(pathOf(view)).toBe(path)
    const url = new URL(path, 'http://127.0.0.1')
    expect(viewOf(url.pathname, url.search)).toEqual(view)
    expect(isPagePath(url.pathname)).toBe(true)
  })
})

it('a path without a view gives undefined', () => {
  for (const path of ['/', '/index.html', '/s', '/s/', '/s/%', '/elsewhere/1']) expect(viewOf(path)).toBeUndefined()
  expect(viewOf('/settings/no-such-section')).toEqual({ kind: 'settings', section: 'providers' })
})

it('files and unknown paths do not get the page', () => {
  for (const path of ['/', '/index.html', '/assets/index.js', '/s/', '/s//x', '/s/a/b/c', '/settings-old', 's/a'])
    expect(isPagePath(path)).toBe(false)
})

it('a link to a message names the session and the message; a token is not mistaken for one', () => {
  const link = new URL(linkTo('http://127.0.0.1:1', 'ses-01', 42))
  expect([link.pathname, messageOf(link.hash)]).toEqual(['/s/ses-01', 42])
  for (const hash of ['', '#', '#token=1', '#x42', '#-1']) expect(messageOf(hash)).toBeUndefined()
})
