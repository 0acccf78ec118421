import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FEATURE_TEXT, FEATURES } from '../../../shared/configuration/features'
import type { Tool } from '../tool/tool'
import { featureTokens } from './engine-features'

/** A tool for each name of a feature, which records when it is described. */
function described() {
  const names: string[] = []
  const tools = Object.values(FEATURE_TEXT)
    .flatMap(({ tools: of }) => of)
    .map(
      (name) =>
        ({
          name,
          schema: { type: 'object' },
          get description() {
            names.push(name)
            return `Does ${name}.`
          },
        }) as unknown as Tool,
    )
  return { names, tools: () => tools }
}

test('counting the tokens of all tools lets other work run in between', async () => {
  const { names, tools } = described()
  const tokens = featureTokens(tools)
  const counted = tokens.count()
  const afterFirst = new Set(names).size
  expect(afterFirst).toBe(1)
  await nextTurn()
  expect(new Set(names).size).toBeLessThan(tools().length)
  await counted
  const total = names.length
  expect(new Set(names).size).toBe(tools().length)
  for (const feature of FEATURES) expect(tokens.of(feature)).toBeGreaterThanOrEqual(0)
  expect(names).toHaveLength(total)
})

test('tokens that are requested directly are the same', async () => {
  const [asked, counted] = [featureTokens(described().tools), featureTokens(described().tools)]
  await counted.count()
  expect(FEATURES.map((feature) => asked.of(feature))).toEqual(FEATURES.map((feature) => counted.of(feature)))
})
