import { CodedError, failureOf } from '../../../../shared/errors'
import { launchText, type PlaceFacts, type PlaceTest, type PlaceTestStep } from '../../../../shared/model/place/place'
import type { ConnectedPlace } from './connected-place'
import type { LaunchAsk } from '../launcher/launcher'

/** Number of calls for measuring the round trip. */
const CALLS = 5

/** Checks everything a place needs, and reports for each step what was found or why it failed. */
export async function testPlace(tested: ConnectedPlace, ask: LaunchAsk): Promise<PlaceTest> {
  const { place, launcher, remote } = tested
  const given = { ask, progress: (text: string) => tested.showProgress(text) }
  const steps: PlaceTestStep[] = []
  const run = async <T>(
    step: PlaceTestStep['step'],
    work: () => Promise<T>,
    text: (found: T) => string,
  ): Promise<T> => {
    const startedAt = performance.now()
    const durationMs = (): number => Math.round(performance.now() - startedAt)
    try {
      const found = await work()
      steps.push({ step, ok: true, text: text(found), durationMs: durationMs() })
      return found
    } catch (error) {
      const { message, advice } = error instanceof CodedError ? error.failure : failureOf(error)
      steps.push({ step, ok: false, text: message, advice, durationMs: durationMs() })
      throw error
    }
  }
  let facts: PlaceFacts | undefined
  try {
    facts = await run(
      'connect',
      () => launcher.status(given),
      ({ user, host }) => `Connected as ${user} to ${host} (${launchText(place.launch)}).`,
    )
    await run(
      'program',
      () => launcher.prepare(given),
      ({ attaches }) =>
        attaches
          ? 'Trestle is there, and its engine stays when the connection ends.'
          : 'Trestle is there. Its engine ends with the connection.',
    )
    await run(
      'engine',
      () => remote.connect(ask),
      () => `The engine answers (version ${remote.state.version ?? ''}).`,
    )
    facts = await launcher.status({ ask })
    return { ok: true, steps, facts, roundTripMs: await roundTrip(remote) }
  } catch {
    return { ok: false, steps, ...(facts && { facts }) }
  } finally {
    tested.showProgress(undefined)
  }
}

async function roundTrip(remote: ConnectedPlace['remote']): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < CALLS; n += 1) {
    const startedAt = performance.now()
    await remote.call('app.info', undefined)
    times.push(performance.now() - startedAt)
  }
  return Math.round((times.toSorted((a, b) => a - b)[Math.floor(CALLS / 2)] ?? 0) * 100) / 100
}
