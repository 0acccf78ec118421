import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Menus and lists that are open stand outside the page's landmarks, as the ARIA patterns have it. */
const isOpenMenu = (id: string, target: string): boolean =>
  id === 'region' && target.includes('data-radix-popper-content-wrapper')

/** Accessibility violations that axe finds, of every impact, as short lines. */
export async function findings(page: Page): Promise<string[]> {
  // A fade in progress has too little contrast for a moment. Endless ones (a spinner) are part of what is shown.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished)
  ).then(() => undefined)`)
  // Legacy mode also works in Electron, which cannot open the extra page of the default mode.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .map(({ target }) => target.join(' '))
      .filter((target) => !isOpenMenu(id, target))
      .map((target) => `${id}: ${target}`),
  )
}

/** The same in the light and in the dark theme. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await findings(page)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}
