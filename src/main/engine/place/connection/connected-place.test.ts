import { afterEach, expect, it } from 'vitest'
import { fakeLauncher } from '../../../../../test/support/place/hostile-engine'
import { until } from '../../../../../test/support/until'
import { CodedError } from '../../../../shared/errors'
import type { Place } from '../../../../shared/model/place/place'
import type { RemoteTiming } from '../remote/remote-engine'
import { RemoteUsage } from '../remote/remote-usage'
import { callThere } from './call-there'
import { ConnectedPlace } from './connected-place'

const PLACE: Place = { placeId: 'box', launch: { kind: 'ssh', host: 'box' }, addedAt: 0 }

let place: ConnectedPlace
afterEach(async () => {
  place.close()
  await place.remote.disconnect()
})

function placeWith(
  launcher: ReturnType<typeof fakeLauncher>['launcher'],
  timing: Partial<RemoteTiming> = { backoff: [1, 5], requestWait: 200 },
): ConnectedPlace {
  return new ConnectedPlace({
    place: PLACE,
    launcher,
    timing,
    isTaken: () => false,
    onChange: () => undefined,
  })
}

/** Lets everything run that does not wait for anything else. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve))
}

it('stays disconnected while its sessions and usage are watched, which continue after the next connection', async () => {
  const { launcher, engines } = fakeLauncher((engine, { id, method }) => {
    if (method === 'push.session') engine.write({ id, event: { type: 'start', header: { sessionId: 's' }, live: [] } })
  })
  place = placeWith(launcher)
  await place.remote.connect()
  place.usage.watch(() => undefined)
  const watched = (n: number) => () =>
    ['push.session', 'push.usage'].every((method) => engines[n]?.requests.some((request) => request.method === method))
  const pushes = (await callThere(place, 'push.session', { sessionId: 's', since: 0 }, undefined)) as AsyncGenerator
  await pushes.next()
  await until(watched(0), 'the subscriptions')
  const next = pushes.next()

  await place.remote.disconnect()
  await settle()
  expect(engines).toHaveLength(1)
  expect(place.remote.state.state).toBe('idle')

  await place.remote.connect()
  await until(watched(1), 'the subscriptions of the second connection')
  expect(await next).toMatchObject({ value: { type: 'start' } })
  await pushes.return(undefined)
})

it('asks those who watch a session to subscribe again when it is removed', async () => {
  const { launcher } = fakeLauncher(() => undefined)
  place = placeWith(launcher)
  await place.remote.connect()
  const pushes = (await callThere(place, 'push.session', { sessionId: 's', since: 0 }, undefined)) as AsyncGenerator
  const next = pushes.next()
  await place.remote.disconnect()
  await settle()
  place.close()
  await expect(next).rejects.toMatchObject({ code: 'connection.lost' })
})

it('waits for the usage of a place that refuses the connection without trying again and again', async () => {
  const { launcher } = fakeLauncher(() => undefined)
  place = placeWith({ ...launcher, prepare: () => Promise.reject(new CodedError('place.refused', 'No.')) })
  await expect(place.remote.connect()).rejects.toMatchObject({ code: 'place.refused' })
  let asked = 0
  const usage = new RemoteUsage(
    (signal) => {
      // More would block this test, too.
      if ((asked += 1) > 100) usage.stop()
      return place.remote.nextLink(signal)
    },
    { has: () => true },
  )
  usage.watch(() => undefined)
  await settle()
  usage.stop()
  expect(asked).toBe(1)
})

it('connects again at once when a connection that has lasted is lost', async () => {
  const { launcher, engines } = fakeLauncher(() => undefined)
  place = placeWith(launcher, { backoff: [60_000, 60_000], stableAfter: 0 })
  await place.remote.connect()
  place.remote.link?.close()
  await until(() => place.remote.link !== undefined && engines.length === 2, 'the second connection')
  expect(place.remote.state.state).toBe('connected')
})

it('waits before it connects again when a connection is lost at once', async () => {
  const { launcher, engines } = fakeLauncher(() => undefined)
  place = placeWith(launcher, { backoff: [60_000, 60_000], stableAfter: 60_000 })
  await place.remote.connect()
  place.remote.link?.close()
  await until(() => place.remote.state.state === 'connecting', 'the loss')
  await settle()
  expect(engines).toHaveLength(1)
  await place.remote.connect()
  expect(engines).toHaveLength(2)
})
