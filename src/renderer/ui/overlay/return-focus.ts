/** Overlays: the focus never returns into one of them. */
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
 * For `onCloseAutoFocus` of a dialog: returns the focus to the page. Radix notes the previous focus only when a field
 * of the dialog already has it. An element that has taken the focus since, such as one that a command opened, keeps it.
 */
export function returnFocus(event: Event): void {
  event.preventDefault()
  if (!isFocusLost()) return
  // The confirmed action may have removed the control that opened the dialog.
  if (last?.isConnected) last.focus()
  else document.getElementById('main')?.focus()
}

/**
 * For the end of an action that took a while: focuses `target`, unless the user has moved on since, so that the focus
 * is neither lost nor still within `from`, the element or part of the page where the action started.
 */
export function focusUnlessMoved(target: { focus: () => void } | null, from: Element | null): void {
  if (isFocusLost() || from?.contains(document.activeElement)) target?.focus()
}

/** For `onCloseAutoFocus` of a menu: the focus goes back to the trigger only if the chosen action has not moved it. */
export function keepMovedFocus(event: Event): void {
  if (!isFocusLost()) event.preventDefault()
}

/** Whether no element has the focus, for example because the focused one was removed. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
