import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Accessibility violations that axe finds, of every impact, as short lines. */
export async function findings(page: Page): Promise<string[]> {
  // Legacy mode also works in Electron, which cannot open the extra page of the default mode.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))
}
