import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seatbeltProfile, type SeatbeltPolicy } from './seatbelt-profile'

/**
 * An s-expression: a list, a quoted string, or a bare word (wrapped, so that it is not confused with a string).
 */
type Expression = string | { word: string } | Expression[]

/** Parses a profile as Lisp does; throws if it is not balanced. */
function read(source: string): Expression[] {
  let at = 0
  const list = (nested: boolean): Expression[] => {
    const items: Expression[] = []
    for (;;) {
      while (/\s/.test(source[at] ?? '')) at += 1
      if (at >= source.length) {
        if (nested) throw new Error('a list does not end')
        return items
      }
      const char = source[at]!
      at += 1
      if (char === '(') items.push(list(true))
      else if (char === ')') {
        if (!nested) throw new Error('a list ends that did not begin')
        return items
      } else if (char === '"') items.push(string(true))
      else if (char === '#' && source[at] === '"') {
        at += 1
        items.push(string(false))
      } else {
        let word = char
        while (at < source.length && !/[\s()"]/.test(source[at]!)) word += source[at++]
        items.push({ word })
      }
    }
  }
  const string = (escapes: boolean): string => {
    let value = ''
    for (; source[at] !== '"'; at += 1) {
      if (at >= source.length) throw new Error('a string does not end')
      if (escapes && source[at] === '\\') at += 1
      value += source[at]
    }
    at += 1
    return value
  }
  return list(false)
}

const wordOf = (item: Expression | undefined): string => (typeof item === 'object' && 'word' in item ? item.word : '')

/**
 * Whether a profile allows an operation on a path (or on an address like `localhost:1`): the last matching rule wins.
 */
function allows(profile: string, operation: string, target: string): boolean {
  let allowed = false
  for (const rule of read(profile)) {
    if (!Array.isArray(rule)) throw new Error('a rule is a list')
    const [action, ...rest] = rule
    if (!['allow', 'deny'].includes(wordOf(action))) continue
    const operations = rest.map(wordOf).filter((word) => word !== '')
    const filters = rest.filter((item): item is Expression[] => Array.isArray(item))
    const applies = operations.some(
      (name) =>
        name === 'default' || name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1))),
    )
    if (applies && (filters.length === 0 || filters.some((filter) => matches(filter, target))))
      allowed = wordOf(action) === 'allow'
  }
  return allowed
}

function matches([kind, ...values]: Expression[], target: string): boolean {
  const last = values.at(-1)
  const value = typeof last === 'string' ? last : wordOf(last)
  switch (wordOf(kind)) {
    case 'literal':
      return target === value
    case 'subpath':
      return target === value || target.startsWith(value === '/' ? '/' : `${value}/`)
    case 'regex':
      return new RegExp(value).test(target)
    case 'remote':
    case 'local':
      return typeof last === 'string' ? target === value : !target.startsWith('/')
    case 'global-name':
      return target === value
    case 'target':
      return target === value
    default:
      throw new Error(`an unknown filter: ${JSON.stringify(kind)}`)
  }
}

const POLICY: SeatbeltPolicy = {
  level: 'project',
  writable: ['/Users/me/work/app', '/Users/me/.npm'],
  readable: ['/Users/me/.nvm'],
  hidden: ['/Users', '/Users/me/work/app/.env', '/Users/me/work/app/conf/keys/id_rsa', '/Users/me/.npm/_auth'],
  protectedPaths: [
    '/Users/me/work/app/.git/hooks',
    '/Users/me/work/app/.git/config',
    '/Users/me/work/app/.mcp.json',
    '/Users/me/work/app/.vscode',
  ],
  network: { kind: 'none' },
  tmp: '/private/var/folders/xy/T/sandbox-1',
}

describe('a Seatbelt profile', () => {
  const profile = seatbeltProfile(POLICY)

  test.each([
    ['file-read-data', '/usr/bin/git'],
    ['file-read-data', '/Users/me/work/app/src/index.ts'],
    ['file-write-create', '/Users/me/work/app/src/new.ts'],
    ['file-write-unlink', '/Users/me/work/app/src/old.ts'],
    ['file-write-data', '/Users/me/.npm/_cacache/x'],
    ['file-read-data', '/Users/me/.nvm/versions/node'],
    ['file-write-create', '/private/var/folders/xy/T/sandbox-1/x'],
    ['file-read-data', '/Users/me/work/app/.git/hooks/pre-commit'],
    ['file-write-create', '/Users/me/work/app/.git/index.lock'],
    ['file-write-data', '/Users/me/work/app/.gitignore'],
    ['file-read-data', '/Users/me/work/app/.environment'],
    ['file-write-data', '/dev/null'],
    ['file-read-metadata', '/Users/me/work'],
    ['file-read-metadata', '/Users'],
    ['file-read-data', '/dev/ttys003'],
    ['process-exec', '/bin/sh'],
    ['signal', 'same-sandbox'],
  ])('of a project allows %s %s', (operation, path) => {
    expect(allows(profile, operation, path)).toBe(true)
  })

  test.each([
    ['file-write-create', '/Users/me/.zshrc'],
    ['file-read-data', '/Users/me/.ssh/id_ed25519'],
    ['file-read-metadata', '/Users/me/.ssh/id_ed25519'],
    ['file-read-data', '/Users/other/notes'],
    ['file-read-data', '/Users/me/work'],
    ['file-read-metadata', '/Users/other'],
    ['file-read-data', '/System/Volumes/Data/Users/me/.ssh/id_ed25519'],
    ['file-read-data', '/Library/Keychains/System.keychain'],
    ['file-read-data', '/private/var/root/secret'],
    ['file-read-data', '/Volumes/USB/secret'],
    ['file-read-data', '/Users/me/work/app/.env'],
    ['file-write-data', '/Users/me/work/app/.env'],
    ['file-write-unlink', '/Users/me/work/app/.env'],
    ['file-read-data', '/Users/me/.npm/_auth/token'],
    ['file-write-create', '/Users/me/work/app/.git/hooks'],
    ['file-write-create', '/Users/me/work/app/.git/hooks/pre-commit'],
    ['file-write-unlink', '/Users/me/work/app/.git/config'],
    ['file-write-create', '/Users/me/work/app/.mcp.json'],
    ['file-write-create', '/Users/me/work/app/.vscode/settings.json'],
    ['file-write-unlink', '/Users/me/work/app'],
    ['file-write-unlink', '/Users/me/work/app/.git'],
    ['file-write-create', '/Users/me/work/app/.git'],
    ['file-write-unlink', '/Users/me/work/app/conf/keys'],
    ['file-write-unlink', '/Users/me/work/app/conf'],
    ['file-write-create', '/Users/me/work/application'],
    ['file-write-create', '/usr/local/bin/x'],
    ['file-write-data', '/private/etc/hosts'],
    ['file-write-data', '/dev/disk0'],
    ['network-outbound', 'localhost:3128'],
    ['network-outbound', '/var/run/docker.sock'],
    ['network-bind', 'localhost:3000'],
    ['signal', 'others'],
    ['mach-lookup', 'com.apple.coreservices.launchservicesd'],
    ['mach-lookup', 'com.apple.coreservices.appleevents'],
    ['appleevent-send', 'com.apple.Terminal'],
    ['system-privilege', ''],
  ])('of a project denies %s %s', (operation, path) => {
    expect(allows(profile, operation, path)).toBe(false)
  })

  test('of the level Read-only can only write to the temporary folder, and has no network, whatever the policy says', () => {
    const readOnly = seatbeltProfile({
      ...POLICY,
      level: 'read-only',
      readable: ['/Users/me/work/app'],
      network: { kind: 'open' },
    })
    expect(allows(readOnly, 'file-read-data', '/Users/me/work/app/src/index.ts')).toBe(true)
    expect(allows(readOnly, 'file-read-data', '/Users/me/work/app/.env')).toBe(false)
    expect(allows(readOnly, 'file-write-create', '/Users/me/work/app/src/index.ts')).toBe(false)
    expect(allows(readOnly, 'file-write-create', `${POLICY.tmp}/x`)).toBe(true)
    expect(allows(readOnly, 'network-outbound', 'example.com:443')).toBe(false)
  })

  test('with listed hosts reaches only the two ports of the proxy', () => {
    const listed = seatbeltProfile({ ...POLICY, network: { kind: 'listed', ports: { http: 4001, socks: 4002 } } })
    for (const port of [4001, 4002]) expect(allows(listed, 'network-outbound', `localhost:${port}`)).toBe(true)
    const others = [
      'localhost:5432',
      '*:443',
      'example.com:443',
      '/var/run/docker.sock',
      '/private/var/run/mDNSResponder',
    ]
    expect(others.filter((target) => allows(listed, 'network-outbound', target))).toEqual([])
    expect(() => seatbeltProfile({ ...POLICY, network: { kind: 'listed' } })).toThrow('ports')
  })

  test('with an open network reaches every address, but no unix socket of another program', () => {
    const open = seatbeltProfile({ ...POLICY, network: { kind: 'open' } })
    expect(allows(open, 'network-outbound', 'example.com:443')).toBe(true)
    expect(allows(open, 'network-bind', 'localhost:3000')).toBe(true)
    for (const socket of ['/var/run/docker.sock', '/private/tmp/com.apple.launchd.x/Listeners'])
      expect(allows(open, 'network-outbound', socket)).toBe(false)
  })

  test('treats any path as exactly that path, and never as a rule', () => {
    const name = fc.string({ unit: fc.constantFrom(...Array.from('ab/.()"\\ #;*?[]\'$')), minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(name, (text) => {
        const inside = `/Users/me/work/app/${text}/x`.replaceAll(/\/+/g, '/').replaceAll(/\/\.{1,2}(?=\/)/g, '')
        const hiding = seatbeltProfile({ ...POLICY, hidden: ['/Users', inside], protectedPaths: [] })
        expect(allows(hiding, 'file-read-data', inside)).toBe(false)
        expect(allows(hiding, 'file-read-data', '/Users/me/work/app/other')).toBe(true)
        expect(allows(hiding, 'file-read-data', '/Users/me/.ssh/id_ed25519')).toBe(false)
        expect(allows(hiding, 'file-write-create', '/Users/me/.zshrc')).toBe(false)
      }),
    )
  })

  test.each(['relative/path', '/with\nnewline', '/with\u0000zero'])('is not created for the path %j', (path) => {
    expect(() => seatbeltProfile({ ...POLICY, writable: [path] })).toThrow(/absolute path|control character/)
  })
})
