import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createContextWindows, endpointOf } from './context-windows'

const model = { id: 'p/m', model: 'm', providerId: 'p', contextWindow: 200_000 }

it('uses the window that the provider reports, for every session of the process', () => {
  const windows = createContextWindows()
  windows.of(model).refused(90_000, 128_000)
  expect(windows.of(model).tokens()).toBe(128_000)
  expect(windows.of(model).isLearned()).toBe(true)
  expect(windows.of({ ...model, id: 'p/other' }).tokens()).toBe(200_000)
})

it('never assumes a window smaller than an answered request, if the provider reports none', () => {
  const window = createContextWindows().of(model)
  window.answered(120_000)
  for (let n = 0; n < 5; n += 1) window.refused(121_000)
  expect(window.tokens()).toBe(120_000)
})

it('never exceeds the configured window', () => {
  const window = createContextWindows().of(model)
  window.answered(300_000)
  window.refused(300_000, 250_000)
  expect(window.tokens()).toBe(200_000)
})

describe('a window learned from a refusal', () => {
  const DAY = 24 * 3_600_000
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trestle-windows-'))
    file = join(folder, 'cache', 'windows.json')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  /** The windows of a separate process. */
  const process = (endpoint: string | undefined = 'openai-compatible https://a.example', at = 0) =>
    createContextWindows({ file, endpointOf: () => endpoint, now: () => at })

  it('is known to the next process, for the same model at the same address', () => {
    process().of(model).refused(90_000, 64_000)
    expect(
      process()
        .of({ ...model, id: 'renamed/m' })
        .tokens(),
    ).toBe(64_000)
    expect(
      process()
        .of({ ...model, model: 'other' })
        .tokens(),
    ).toBe(200_000)
    expect(process('openai-compatible https://b.example').of(model).tokens()).toBe(200_000)
    expect(process().of(model).isLearned()).toBe(true)
  })

  it('grows in later processes too, with longer answered requests', () => {
    process().of(model).refused(100_000)
    const next = process().of(model)
    expect(next.tokens()).toBe(95_000)
    next.answered(98_000)
    expect(process().of(model).tokens()).toBe(98_000)
    next.answered(250_000)
    expect(process().of(model).isLearned()).toBe(false)
  })

  it('is kept with the output limit of the provider', () => {
    process().of(model).asksFor(8192)
    expect(process().of(model).usualAnswer()).toBe(8192)
    expect(process().of(model).tokens()).toBe(200_000)
  })

  it('is kept with the size of images that a proxy in front of the provider has refused', () => {
    process().of(model).refusedMedia(3_000_000)
    expect(process().of(model).mediaChars()).toBe(3_000_000)
    expect(process().of(model).isLearned()).toBe(false)
    expect(process('openai-compatible https://b.example').of(model).mediaChars()).toBeUndefined()
    expect(
      process(undefined, 15 * DAY)
        .of(model)
        .mediaChars(),
    ).toBeUndefined()
  })

  it('is forgotten after two weeks, when another one is configured, and when the clock was wrong', () => {
    process().of(model).refused(90_000, 64_000)
    expect(
      process()
        .of({ ...model, contextWindow: 150_000 })
        .tokens(),
    ).toBe(150_000)
    expect(
      process('openai-compatible https://a.example', 13 * DAY)
        .of(model)
        .tokens(),
    ).toBe(64_000)
    expect(
      process('openai-compatible https://a.example', 15 * DAY)
        .of(model)
        .tokens(),
    ).toBe(200_000)
    expect(
      process('openai-compatible https://a.example', -15 * DAY)
        .of(model)
        .tokens(),
    ).toBe(200_000)
  })

  it('is not kept for a server on this machine, which may restart with another window', () => {
    expect(endpointOf({ type: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1' })).toBeUndefined()
    expect(endpointOf({ type: 'openai-compatible', baseUrl: 'http://localhost:8080/v1' })).toBeUndefined()
    expect(endpointOf(undefined)).toBeUndefined()
    expect(endpointOf({ type: 'openai-compatible', baseUrl: 'https://a.example/v1' })).toBe(
      'openai-compatible https://a.example/v1',
    )
    expect(endpointOf({ type: 'anthropic' })).toBe('anthropic ')
  })

  it('is the configured one if the file is damaged', () => {
    process().of(model).refused(90_000, 64_000)
    const written = readFileSync(file, 'utf8')
    for (const text of ['{', '[]', 'null', written.replace('64000', '-1'), written.replace('64000', '"x"')]) {
      writeFileSync(file, text)
      expect(process().of(model).tokens()).toBe(200_000)
    }
  })
})
