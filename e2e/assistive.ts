import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** Open menus and lists are outside the page's landmarks, as the ARIA patterns specify. */
const isOpenMenu = (id: string, target: string): boolean =>
  id === 'region' && target.includes('data-radix-popper-content-wrapper')

/**
 * Rules about colors. All other rules give the same results in every theme and contrast if the elements are the same.
 */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

interface Violation {
  id: string
  nodes: { target: unknown[] }[]
}

/**
 * Accessibility violations of every impact, one short line each. If all rules have just passed the same elements in
 * another theme, only the color rules run.
 */
export async function findings(page: Page): Promise<string[]> {
  const isChecked = await page.evaluate<boolean>(HOLD_STILL)
  const violations = await runAxe(page, isChecked ? COLOR_RULES : undefined)
  const found = violations.flatMap(({ id, nodes }) =>
    nodes
      .map(({ target }) => target.join(' '))
      .filter((target) => !isOpenMenu(id, target))
      .map((target) => `${id}: ${target}`),
  )
  await page.evaluate(`window.checkedElements = ${found.length === 0 ? ELEMENTS : 'undefined'}
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== window.noFades)`)
  return found
}

/** In the page: its elements and the size of its window. */
const ELEMENTS = '[innerWidth, innerHeight, document.title, document.body.outerHTML].join()'

/**
 * In the page: waits until no fade is in progress, because its contrast is briefly too low, and makes fades that start
 * while axe runs end immediately; some start without a click or a key. When a fade ends, fades of inherited colors
 * start. Endless animations (a spinner) are part of what is shown and keep their duration. Returns whether all rules
 * have passed these elements.
 */
const HOLD_STILL = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const isEndless = ({ effect }) => effect?.getComputedTiming().endTime === Infinity
  // A change of the system's theme reaches the page with its next frame.
  await drawn()
  // Style sheets no longer change the timing of an animation once a script has set it.
  for (const { effect } of document.getAnimations().filter(isEndless))
    effect.updateTiming({ duration: effect.getTiming().duration })
  window.noFades = new CSSStyleSheet()
  const none = ['animation-duration', 'animation-delay', 'transition-duration', 'transition-delay']
  window.noFades.replaceSync('*, ::before, ::after {' + none.map((name) => name + ': 0s !important').join('; ') + '}')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, window.noFades]
  for (let round = 0; round < 20; round += 1) {
    const fades = document.getAnimations().filter((animation) => !isEndless(animation))
    if (fades.length === 0) break
    await Promise.allSettled(fades.map(({ finished }) => finished))
    await drawn()
  }
  return window.checkedElements === ${ELEMENTS}
})()`

let axe: string | undefined

/** The source of the axe version that the builder uses. */
function readAxe(): string {
  const builder = createRequire(import.meta.url).resolve('@axe-core/playwright')
  return readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8')
}

/** Runs axe with these rules, or with all of them. */
async function runAxe(page: Page, rules?: string[]): Promise<Violation[]> {
  const options = {
    resultTypes: ['violations' as const],
    ...(rules && { runOnly: { type: 'rule' as const, values: rules } }),
  }
  if (page.frames().length === 1) {
    // Injected once per page: the builder would inject half a megabyte twice for each run.
    if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate((axe ??= readAxe()))
    return page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, ` +
        'nodes }) => ({ id, nodes: nodes.map(({ target }) => ({ target })) })))',
    )
  }
  // Legacy mode also works in Electron, which cannot open the extra page of the default mode.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).options(options).analyze()
  return violations
}

/** The violations in the light and the dark theme. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await findings(page)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}

/**
 * Focus rings that a scroll container cuts off, one short line each. Moves the focus
 * through the page, so no menu may be open.
 */
export function cutFocusRings(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(CUT_RINGS)
}

/** In the page. A control that is scrolled partly out of sight is not a fault: the browser scrolls to it. */
const CUT_RINGS = `(() => {
  const lines = []
  const before = document.activeElement
  for (const control of document.querySelectorAll('button, a[href], input, select, summary, [role=tab]')) {
    if (control.disabled || control.closest('[inert], [aria-hidden=true]')) continue
    control.focus({ focusVisible: true, preventScroll: true })
    // Measured with the focus: skip links are shown only then.
    const box = control.getBoundingClientRect()
    if (document.activeElement !== control || box.width === 0) continue
    const name = (control.getAttribute('aria-label') ?? control.textContent).slice(0, 60)
    const { outlineWidth, outlineOffset } = getComputedStyle(control)
    const beyond = parseFloat(outlineWidth) + parseFloat(outlineOffset)
    for (let around = control.parentElement; around; around = around.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(around)
      const outer = around.getBoundingClientRect()
      const left = outer.left + around.clientLeft, top = outer.top + around.clientTop
      const right = left + around.clientWidth, bottom = top + around.clientHeight
      const isScrolledOut = box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1
      const cutsX = overflowX !== 'visible' && (box.left - beyond < left - 0.6 || box.right + beyond > right + 0.6)
      const cutsY = overflowY !== 'visible' && (box.top - beyond < top - 0.6 || box.bottom + beyond > bottom + 0.6)
      const canScroll = around.scrollHeight > around.clientHeight + 1
      if (!isScrolledOut && (cutsX || (cutsY && !canScroll))) lines.push(name + ' in ' + around.className)
      if (position === 'fixed') break
    }
  }
  before?.focus({ preventScroll: true })
  return lines
})()`
