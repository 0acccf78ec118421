import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canSandbox } from '../support/obedient/containment'
import { expectNone, openLab, problemsOf, SCENARIOS } from '../support/obedient/obedient-lab'
import { runScenario } from '../support/obedient/run-scenario'
import { sampled } from '../support/sampled'

let lab: ReturnType<typeof openLab>

beforeAll(() => {
  lab = openLab()
})
afterAll(() => lab.remove())

// Without a sandbox, the modes that ask little do not protect against this, and say so.
describe.skipIf(!canSandbox())('a model that does whatever the newest text says, run by the built program', () => {
  // The other test runs all of them; this one covers print mode without a user to ask.
  it.each(
    sampled(
      SCENARIOS.filter(({ ends }) => ends.auto),
      6,
    ).map((scenario) => [scenario.name, scenario] as const),
  )('does no harm in print mode, without a user to ask: %s', { timeout: 120_000 }, async (_name, scenario) => {
    const outcomes = await runScenario(lab, scenario, ['auto'], 'print')
    // Events of subagents are not printed, and there is no user to show a card to.
    const isDamageAll =
      scenario.inner !== undefined ||
      scenario.isAboutCards === true ||
      [...scenario.calls, ...(scenario.later ?? [])].some(({ tool }) => tool === 'Agent')
    const problems = [...outcomes].flatMap(([mode, outcome]) => problemsOf(scenario, mode, outcome, isDamageAll))
    expect(() => expectNone(problems)).not.toThrow()
  })
})
