import { expect, test } from 'vitest'
import { comparePage, hostOfRemote } from './git-hosts'

const page = (address: string): string | undefined => {
  const host = hostOfRemote(address)
  return host && comparePage(host, 'fix/a b', 'main')
}

test('links to the page of each known host for creating a pull request', () => {
  expect(page('git@github.com:ada/shop.git')).toBe('https://github.com/ada/shop/compare/main...fix/a%20b?expand=1')
  expect(page('https://token@github.com/ada/shop.git')).toBe(
    'https://github.com/ada/shop/compare/main...fix/a%20b?expand=1',
  )
  expect(page('ssh://git@gitlab.com:22/group/sub/shop.git')).toBe(
    'https://gitlab.com/group/sub/shop/-/merge_requests/new?merge_request%5Bsource_branch%5D=fix%2Fa%20b&merge_request%5Btarget_branch%5D=main',
  )
  expect(page('https://bitbucket.org/ada/shop')).toBe(
    'https://bitbucket.org/ada/shop/pull-requests/new?source=fix%2Fa%20b&dest=main',
  )
  expect(page('https://codeberg.org/ada/shop/')).toBe('https://codeberg.org/ada/shop/compare/main...fix/a%20b')
  for (const address of [
    'https://org@dev.azure.com/org/project/_git/shop',
    'git@ssh.dev.azure.com:v3/org/project/shop',
  ])
    expect(page(address)).toBe(
      'https://dev.azure.com/org/project/_git/shop/pullrequestcreate?sourceRef=fix%2Fa%20b&targetRef=main',
    )
})

test('has no page for other hosts, folders and odd addresses', () => {
  const odd = [
    '/srv/git/shop.git',
    '../shop',
    'https://example.com/ada/shop',
    'git@github.com:shop',
    'ext::sh -c x',
    '',
  ]
  expect(odd.map(hostOfRemote)).toEqual(odd.map(() => undefined))
})
