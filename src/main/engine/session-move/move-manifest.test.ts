import { expect, test } from 'vitest'
import { contentsDigest, movedEvent, moveManifest, PLAN_FILE, sealEvent } from './move-manifest'

const MANIFEST = {
  format: 'trestle-move',
  version: 1,
  moveId: 'move-1',
  sessionId: 'session-1',
  epoch: 1,
  from: 'home-a',
  to: 'home-b',
  folder: '/p',
  home: '/h',
}
const SEAL = { type: 'session.sealed', moveId: 'm', epoch: 1, to: 'h', agents: [], contents: 'a'.repeat(64) }
const PROJECT = { commit: 'a'.repeat(40), tree: 'b'.repeat(64), folder: 'sub' }

test('an id in a manifest is never a path', () => {
  expect(moveManifest.safeParse(MANIFEST).success).toBe(true)
  for (const id of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0', 'größe', 'x'.repeat(101)])
    for (const key of ['moveId', 'sessionId', 'from', 'to'])
      expect(moveManifest.safeParse({ ...MANIFEST, [key]: id }).success).toBe(false)
})

test('a manifest of another version is refused', () => {
  for (const change of [{ version: 2 }, { format: 'x' }, { epoch: 0 }, { epoch: 1.5 }, { folder: '' }])
    expect(moveManifest.safeParse({ ...MANIFEST, ...change }).success).toBe(false)
})

test('a sealed project cannot refer to another folder or contain an option for git', () => {
  const isValid = (project: object): boolean =>
    sealEvent.safeParse({ ...SEAL, project: { ...PROJECT, ...project } }).success
  expect([{}, { folder: '' }, { folder: 'a/..b' }, { branch: 'fix/größe' }].map(isValid)).toEqual([
    true,
    true,
    true,
    true,
  ])
  for (const folder of ['/etc', '..', 'a/../..', '../x']) expect(isValid({ folder })).toBe(false)
  for (const branch of ['-f', 'a..b', 'a b', 'a\nb', 'a~1', 'a:b', '']) expect(isValid({ branch })).toBe(false)
  for (const commit of ['HEAD', 'a'.repeat(39), 'A'.repeat(40)]) expect(isValid({ commit })).toBe(false)
})

test('the name of a plan has no parent folders, spaces or leading dot', () => {
  expect(['plans/plan.md', 'plans/a/b-1.md'].every((name) => PLAN_FILE.test(name))).toBe(true)
  for (const name of ['plans/', 'plans/..', 'plans/../x', 'plans/a//b', 'plan/x', '/plans/x', 'plans/.x', 'plans/a b'])
    expect(PLAN_FILE.test(name)).toBe(false)
})

test('an event has a number, a time, a type and its text', () => {
  expect(movedEvent.safeParse([1, 0, 'x', '{}']).success).toBe(true)
  for (const event of [[0, 0, 'x', ''], [1, -1, 'x', ''], [1, 0, '', ''], [1, 0, 'x'], [1, 9e15, 'x', ''], {}])
    expect(movedEvent.safeParse(event).success).toBe(false)
})

test('the digest of contents covers every part, but not their order', () => {
  const [a, b] = [
    { kind: 'content', name: 'a', hash: '1' },
    { kind: 'file', name: 'b', hash: '2' },
  ]
  expect(contentsDigest([a, b])).toBe(contentsDigest([b, a]))
  for (const other of [
    [a],
    [a, a, b],
    [a, { ...b, name: 'c' }],
    [a, { ...b, hash: '3' }],
    [a, { ...b, kind: 'content' }],
  ])
    expect(contentsDigest(other)).not.toBe(contentsDigest([a, b]))
})
