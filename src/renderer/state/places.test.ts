import { expect, it } from 'vitest'
import type { PlaceView } from '../../shared/model/place/place'
import { isOutOfReach, stateText } from './places'

const place = (state: PlaceView['state'], more: Partial<PlaceView> = {}) =>
  ({ placeId: 'box', state, since: 0, ...more }) as PlaceView

it('shows what a place is doing instead of its state', () => {
  expect(stateText(place('connecting', { progress: 'Copying Trestle, 40%' }))).toBe('Copying Trestle, 40%')
  expect(stateText(place('connected'))).toBe('Connected')
  expect(stateText(place('idle'))).toBe('Not connected')
})

it('says since when a place is unreachable, with the date when that was not today', () => {
  expect(stateText(place('unreachable'))).toBe('Unreachable')
  const now = Date.now()
  expect(stateText(place('unreachable', { since: now }))).toMatch(/^Unreachable since [^,]{3,12}$/)
  expect(stateText(place('unreachable', { since: now - 3 * 24 * 3_600_000 }))).toMatch(/^Unreachable since .*\d{4}/)
})

it('is out of reach in any state but connected; this machine never is', () => {
  expect(isOutOfReach(undefined)).toBe(false)
  expect(isOutOfReach(place('connected'))).toBe(false)
  for (const state of ['idle', 'waiting', 'connecting', 'unreachable'] as const)
    expect(isOutOfReach(place(state))).toBe(true)
})
