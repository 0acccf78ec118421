import type { Page } from '@playwright/test'
import { expect } from './app'
import { findings } from './assistive'

/**
 * Checks with axe what is on screen: in both themes, with high contrast, and in a narrow window, where nothing is cut
 * off.
 */
export async function everyLook(page: Page): Promise<void> {
  const size = page.viewportSize()
  for (const contrast of ['no-preference', 'more'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, contrast })
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
      expect([colorScheme, contrast, await findings(page)]).toEqual([colorScheme, contrast, []])
    }
  }
  await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' })
  if (!size) return
  await page.setViewportSize({ width: 390, height: 800 })
  await expect.poll(() => page.locator('html').evaluate((root) => root.scrollWidth <= root.clientWidth)).toBe(true)
  expect(await findings(page)).toEqual([])
  await page.setViewportSize(size)
}
