import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useModelChoices } from './model-choices'

/** The browser's storage, shared with other windows. */
let stored: Map<string, string>

beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  useModelChoices.setState({ favorites: [], recent: [] })
})
afterEach(() => vi.unstubAllGlobals())

it('keeps the five models used last, each once, the latest first', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) useModelChoices.getState().use(id)
  expect(useModelChoices.getState().recent).toEqual(['b', 'f', 'e', 'd', 'c'])
})

it('adds and removes favorites in the order they were added', () => {
  for (const id of ['b', 'a', 'b', 'b']) useModelChoices.getState().toggleFavorite(id)
  expect(useModelChoices.getState().favorites).toEqual(['a', 'b'])
})

it('keeps favorites that another window has added in the meantime', () => {
  useModelChoices.getState().toggleFavorite('mine')
  stored.set('trestle.models', JSON.stringify({ favorites: ['mine', 'theirs'], recent: ['theirs'] }))
  useModelChoices.getState().use('mine')
  expect(JSON.parse(stored.get('trestle.models')!)).toEqual({
    favorites: ['mine', 'theirs'],
    recent: ['mine', 'theirs'],
  })
  expect(useModelChoices.getState().favorites).toEqual(['mine', 'theirs'])
})

it('works until the page is closed if storage is disabled', () => {
  vi.stubGlobal('localStorage', undefined)
  useModelChoices.getState().toggleFavorite('a')
  useModelChoices.getState().use('b')
  expect(useModelChoices.getState()).toMatchObject({ favorites: ['a'], recent: ['b'] })
})

it('starts over when the stored data is invalid', () => {
  for (const damaged of ['{', 'null', '[]', '3', '{"favorites":3,"recent":[1,"b"]}']) {
    stored.set('trestle.models', damaged)
    useModelChoices.setState({ favorites: [], recent: [] })
    useModelChoices.getState().toggleFavorite('a')
    expect(useModelChoices.getState().favorites).toEqual(['a'])
    expect(useModelChoices.getState().recent).toEqual(damaged.includes('"b"') ? ['b'] : [])
  }
})
