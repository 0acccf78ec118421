import { afterEach, beforeEach, expect, test } from 'vitest'
import { setSpoken } from '../../../shared/language/speak'
import { backupsSummary } from './about-section'

const now = new Date(2026, 10, 22, 18, 30).getTime()
const at = (day: number, hour: number, minute: number): number => new Date(2026, 10, day, hour, minute).getTime()

beforeEach(() => void setSpoken({ language: 'en', formats: 'en-GB' }))
afterEach(() => void setSpoken({ language: 'en', formats: 'system' }))

test.each([
  [{ count: 0, bytes: 0 }, 'No backups yet. One is created every day.'],
  [{ count: 1, bytes: 90_112, newestAt: at(22, 14, 3) }, '1 · 90 KB · newest today 14:03'],
  [{ count: 7, bytes: 120_400_000, newestAt: at(21, 9, 5) }, '7 · 120 MB · newest yesterday 09:05'],
  [{ count: 7, bytes: 2_300_000_000, newestAt: at(3, 9, 5) }, '7 · 2.3 GB · newest 3 Nov 2026 09:05'],
])('the backups %j are shown with number, size and age', (view, words) => {
  expect(backupsSummary({ folder: '/f', ...view }, now)).toBe(words)
})

test('the age of the newest backup follows the chosen format', () => {
  setSpoken({ language: 'en', formats: 'de-DE' })
  const view = { folder: '/f', count: 1, bytes: 90_112, newestAt: at(3, 9, 5) }
  expect(backupsSummary(view, now)).toBe('1 · 90 KB · newest 3. Nov. 2026 09:05')
})
