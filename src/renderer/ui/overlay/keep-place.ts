const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), ' +
  'textarea:not(:disabled), [tabindex="0"]'
/** Also of what is inside. */
const AFTER = 4
/** Parts that other code fills when they change, and that are too large to be the place of one control. */
const LARGE = 'main, nav, body, [role=tabpanel], [role=dialog], [role=alertdialog], [role=region], #root'

/** How long what a control does may take to remove it, in ms. */
const MAX_WAIT = 10_000
/** Keys that make a control act. Others move, and a list may take away the row that it moves from. */
const ACTING = ['Enter', ' ', 'Escape', 'Delete', 'Backspace']

/**
 * Keeps the place of a keyboard user: when a control is used and removed with that, such as the Remove button of a row,
 * the control that follows it takes the focus. Otherwise it falls to the page, and a screen reader starts again at the
 * top. What takes the focus itself, or replaces a larger part of the page, is left alone, and so is a row that is
 * scrolled out of a long list.
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
    if (!used || used.isConnected || document.activeElement !== document.body) return
    const lost = used
    used = undefined
    if (performance.now() - usedAt > MAX_WAIT) return
    const change = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)))
    if (!change) return
    const { target, previousSibling, nextSibling } = change
    const recover = (): void => {
      if (document.activeElement === document.body) following(target, previousSibling, nextSibling)?.focus()
    }
    // Two frames: what is shown instead has its own idea of the focus. And a key that is held would press the next one.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (isKeyDown) document.addEventListener('keyup', () => requestAnimationFrame(recover), { once: true })
        else recover()
      }),
    )
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

/** The control at the place of what was removed: the next one in the same part of the page, else the one before. */
function following(parent: Node, previous: Node | null, next: Node | null): HTMLElement | undefined {
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
