/** What stands over the page: the focus never goes back into one of them. */
const OVER_THE_PAGE = '[role=dialog], [role=alertdialog], [data-radix-popper-content-wrapper]'

/** The element of the page itself that had the focus last. */
let last: HTMLElement | undefined

/** Notes where the focus is on the page, for `returnFocus`. */
export function followFocus(): void {
  document.addEventListener('focusin', note, true)
}

function note({ target }: FocusEvent): void {
  if (target instanceof HTMLElement && !target.closest(OVER_THE_PAGE)) last = target
}

/**
 * For `onCloseAutoFocus` of a dialog: gives the focus back to the page. Radix notes where it was only when a field of
 * the dialog already has it. What took the focus meanwhile, such as what a command has opened, keeps it.
 */
export function returnFocus(event: Event): void {
  const isLost = isFocusLost()
  if (isLost && !last?.isConnected) return
  event.preventDefault()
  if (isLost) last?.focus()
}

/**
 * For the end of an action that took a while: gives `target` the focus, unless the user has moved on meanwhile. That is
 * when the focus is neither lost nor still within `from`, the element or part of the page where the action began.
 */
export function focusUnlessMoved(target: { focus: () => void } | null, from: Element | null): void {
  if (isFocusLost() || from?.contains(document.activeElement)) target?.focus()
}

/** For `onCloseAutoFocus` of a menu: the focus goes back to the trigger only if the chosen action has not moved it. */
export function keepMovedFocus(event: Event): void {
  if (!isFocusLost()) event.preventDefault()
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
