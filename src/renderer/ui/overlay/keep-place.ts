const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), ' +
  'textarea:not(:disabled), [tabindex="0"]'
/** Bit of `compareDocumentPosition`: follows; also set for descendants. */
const AFTER = 4
/** Parts of the page that other code fills when they change; too large to be the position of one control. */
const LARGE = 'main, nav, body, [role=tabpanel], [role=dialog], [role=alertdialog], [role=region], #root'

/** Overlays in which a control may ask before it acts. */
const OVER_THE_PAGE = '[role=dialog], [role=alertdialog], [role=menu]'

/** How long after its use the removal of a control is attributed to that use, in ms. */
const MAX_WAIT = 10_000
/** Keys that activate a control. Others move the focus, and a list may remove the row it moves from. */
const ACTING = ['Enter', ' ', 'Escape', 'Delete', 'Backspace']

/**
 * Keeps the place of a keyboard user: if using a control removes it, such as the Remove button of a row, the control
 * that follows it gets the focus. Otherwise the focus would fall back to the page, and a screen reader would start
 * again at the top. This also works if a dialog asks first and then returns the focus to the control. Does nothing if
 * another element takes the focus, a larger part of the page is replaced, or a row is scrolled out of a long list.
 */
export function keepPlace(): void {
  // On a touch screen a focused field would open the keyboard.
  if (matchMedia('(pointer: coarse)').matches) return
  let used: Node | undefined
  let usedAt = 0
  let isKeyDown = false
  const use = ({ target, timeStamp }: Event): void => {
    usedAt = timeStamp
    used = target instanceof Node && document.activeElement?.contains(target) ? document.activeElement : undefined
  }
  const forget = (): void => {
    used = undefined
  }
  // A dialog was answered and has returned the focus: the control that has it now counts as used.
  document.addEventListener('focusin', ({ target }) => {
    if (used && isOverPage(used) && target instanceof Node && !isOverPage(target)) used = target
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    isKeyDown = true
    if (ACTING.includes(event.key)) use(event)
    else forget()
  }
  document.addEventListener('keydown', onKeyDown, true)
  document.addEventListener('keyup', () => (isKeyDown = false), true)
  document.addEventListener('click', use, true)
  for (const type of ['pointerdown', 'wheel']) document.addEventListener(type, forget, { capture: true, passive: true })
  const observer = new MutationObserver((changes) => {
    if (!used || used.isConnected || document.activeElement !== document.body || isOverPage(used)) return
    const lost = used
    used = undefined
    if (performance.now() - usedAt > MAX_WAIT) return
    const change = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)))
    if (!change) return
    const { target, previousSibling, nextSibling } = change
    const recover = (): void => {
      if (document.activeElement === document.body) neighborControl(target, previousSibling, nextSibling)?.focus()
    }
    // Wait two frames, because the replacement may set the focus itself. And wait for keyup, because a held key would
    // press the next control.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (isKeyDown) document.addEventListener('keyup', () => requestAnimationFrame(recover), { once: true })
        else recover()
      }),
    )
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

/** Whether a node is in an overlay. Also works after the overlay was removed, because it is removed as a whole. */
function isOverPage(node: Node): boolean {
  return node instanceof Element && node.closest(OVER_THE_PAGE) !== null
}

/**
 * The control at the position of the removed one: the next one in the same part of the page, or else the previous one.
 */
function neighborControl(parent: Node, previous: Node | null, next: Node | null): HTMLElement | undefined {
  const isAfter = (control: Node): boolean => {
    if (next?.isConnected) return next === control || (next.compareDocumentPosition(control) & AFTER) !== 0
    if (!previous?.isConnected) return true
    return !previous.contains(control) && (previous.compareDocumentPosition(control) & AFTER) !== 0
  }
  for (let part = parent instanceof Element ? parent : null; part?.isConnected; part = part.parentElement) {
    if (part.matches(LARGE)) return undefined
    const controls = [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
      (control) => control.getClientRects().length > 0,
    )
    const found = controls.find(isAfter) ?? controls.at(-1)
    if (found) return found
  }
  return undefined
}
