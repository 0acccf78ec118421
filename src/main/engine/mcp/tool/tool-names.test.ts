import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toolNames } from './tool-names'

const name = (server: string, tool: string): string => toolNames([{ server, name: tool }])[0]!

it('says server and tool, with what cannot be sent replaced', () => {
  expect(name('github', 'create_issue')).toBe('mcp__github__create_issue')
  expect(name('my server', 'do/it now')).toBe('mcp__my_server__do_it_now')
  expect(name('Überwachung', '写')).toMatch(/^mcp__berwachung__/)
})

it('whatever they are called, names can be sent, are told apart and do not depend on the order', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[a-z_. /]{0,80}$/))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ server: text, name: text }), { maxLength: 30, selector: (each) => JSON.stringify(each) }),
      (tools) => {
        const names = toolNames(tools)
        expect(names.every((each) => /^mcp__[A-Za-z0-9_-]{1,59}$/.test(each))).toBe(true)
        expect(new Set(names).size).toBe(names.length)
        expect(toolNames(tools.toReversed())).toEqual(names.toReversed())
      },
    ),
  )
})

it('a rule for all tools of one server never means those of another whose name merely begins alike', () => {
  const servers = ['a', 'a_', 'a__b', '_a', 'a b', 'a.b', 'a_b']
  const names = toolNames(servers.map((server) => ({ server, name: 'tool' })))
  for (const [index, own] of names.entries()) {
    const prefix = own.slice(0, own.indexOf('__', 5) + 2)
    expect(names.filter((each, other) => other !== index && each.startsWith(prefix))).toEqual([])
  }
})
