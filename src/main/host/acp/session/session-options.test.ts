import { describe, expect, it } from 'vitest'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { chooseMode, chooseOption, configOptions, modeOf, modeState } from './session-options'

type Engine = Parameters<typeof chooseOption>[0]

/** An engine with one session; `done` lists the calls it received. */
function engine(header: Partial<SessionHeader>) {
  const done: string[] = []
  const models = [
    { id: 'a', label: 'Model A', efforts: ['low', 'high'] },
    { id: 'demo', label: 'Demo', scripted: true, efforts: [] },
  ]
  const shown = { mode: 'ask', ...header } as SessionHeader
  const parts = {
    sessions: {
      header: () => shown,
      change: async (_id: string, change: object) => void done.push(JSON.stringify(change)),
    },
    plans: { enter: async () => void done.push('enter'), leave: async () => void done.push('leave') },
    settings: { models: () => models, view: () => ({ models, defaultModel: 'a', sandbox: {} }) },
  }
  return { engine: parts as unknown as Engine, header: shown, done }
}

const planning = { plan: { active: true } } as Partial<SessionHeader>

describe('the mode', () => {
  it('is plan mode while a plan is made, whatever mode follows it', () => {
    const { engine: parts, header } = engine({ ...planning, mode: 'auto' })
    expect(modeOf(header)).toBe('plan')
    expect(modeState(parts, header)).toMatchObject({ currentModeId: 'plan' })
  })

  it('leaves plan mode before a permission mode is set, and does nothing if it is already set', async () => {
    const leaving = engine({ ...planning, mode: 'ask' })
    await chooseMode(leaving.engine, 's1', 'auto')
    expect(leaving.done).toEqual(['leave', '{"mode":"auto"}'])
    const same = engine({ mode: 'ask' })
    await chooseMode(same.engine, 's1', 'ask')
    await chooseMode(engine(planning).engine, 's1', 'plan')
    expect(same.done).toEqual([])
  })

  it('is refused if it does not exist, with a list of those that do', async () => {
    await expect(chooseMode(engine({}).engine, 's1', 'yolo')).rejects.toMatchObject({
      message: expect.stringContaining('there is no mode yolo; there are ask, accept-edits, auto, plan'),
    })
  })
})

describe('options', () => {
  const optionOf = (header: Partial<SessionHeader>, id: string) => {
    const made = engine(header)
    return configOptions(made.engine, made.header).find((option) => option.id === id) as unknown as {
      currentValue: string
      options: { value: string; name: string }[]
    }
  }

  it('always include the current model, even if it was removed', () => {
    for (const header of [{}, { model: 'demo' }, { model: 'gone' }]) {
      const { currentValue, options } = optionOf(header, 'model')
      expect(options.map(({ value }) => value)).toContain(currentValue)
    }
    expect(optionOf({ model: 'gone' }, 'model').options[0]).toMatchObject({ value: 'gone' })
  })

  it('include the effort only for a model with levels, and name the default', () => {
    expect(optionOf({}, 'effort')).toMatchObject({ currentValue: 'default' })
    expect(optionOf({ effort: 'max' }, 'effort').currentValue).toBe('high')
    expect(optionOf({ model: 'demo' }, 'effort')).toBeUndefined()
  })

  it('are set, or refused with a list of the valid values', async () => {
    const { engine: parts, done } = engine({})
    await chooseOption(parts, 's1', 'model', 'demo')
    await chooseOption(parts, 's1', 'effort', 'default')
    await chooseOption(parts, 's1', 'mode', 'auto')
    expect(done).toEqual(['{"model":"demo"}', '{"effort":"default"}', '{"mode":"auto"}'])
    const refused = (id: string, value: string | boolean) =>
      chooseOption(parts, 's1', id, value).then(
        () => 'set',
        (error: unknown) => (error as Error).message,
      )
    expect(await refused('model', 'gone')).toContain('there is no model gone; there are a, demo')
    expect(await refused('effort', 'max')).toContain('it knows default, low, high')
    expect(await refused('color', 'red')).toContain('there are mode, model and effort')
    expect(await refused('model', true)).toContain('one of those offered')
  })
})
