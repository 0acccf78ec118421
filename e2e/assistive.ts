import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** What stands in the way of assistive technology: serious and critical findings, as short lines. */
export async function findings(page: Page): Promise<string[]> {
  // Legacy mode works in Electron too, which cannot open the extra page that the usual one needs.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`))
}
