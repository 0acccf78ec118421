import { describe, expect, it } from 'vitest'
import type { SettingsView } from './settings'
import { contextShare, defaultEffortName, sessionEffort } from './session-model'

const settings = {
  defaultModel: 'a',
  models: [
    { id: 'a', contextWindow: 1000, efforts: ['low', 'high'], usualEffort: 'high' },
    { id: 'b', contextWindow: 100, efforts: [] },
  ],
} as unknown as SettingsView
const context = (input: number, output = 0) => ({ input, output }) as never

describe('how full the window is', () => {
  const percent = (input: number) => contextShare({ context: context(input) }, settings)?.percent

  it('is shown in whole percents, never as zero and never above 100', () => {
    expect([1, 9, 10, 504, 1000, 5000].map(percent)).toEqual(['< 1', '< 1', '1', '50', '100', '100'])
    expect(contextShare({ context: context(5000) }, settings)?.share).toBe(1)
  })

  it("uses the session's model, and the context window that the provider has reported", () => {
    expect(contextShare({ context: context(50), model: 'b' }, settings)?.percent).toBe('50')
    expect(contextShare({ context: context(50), model: 'b', learnedWindow: 200 }, settings)?.percent).toBe('25')
  })

  it('is unknown before the first request and for an unknown model', () => {
    expect(contextShare({}, settings)).toBeUndefined()
    expect(contextShare({ context: context(5), model: 'gone' }, settings)).toBeUndefined()
    expect(contextShare({ context: context(5), learnedWindow: 0 }, settings)).toBeUndefined()
  })
})

describe('the reasoning effort', () => {
  it('is the nearest level that the model of the session has', () => {
    expect(sessionEffort(settings, { effort: 'max' })).toEqual({
      offered: ['low', 'high'],
      chosen: 'high',
      usual: 'high',
    })
    expect(sessionEffort(settings, { model: 'b', effort: 'high' })).toEqual({ offered: [] })
    expect(sessionEffort(settings, { model: 'gone' })).toEqual({ offered: [] })
  })

  it('names the default with its level if that is known', () => {
    expect(defaultEffortName({ offered: ['low', 'high'], usual: 'high' })).toBe('Default (high)')
    expect(defaultEffortName({ offered: [] })).toBe('Default')
  })
})
