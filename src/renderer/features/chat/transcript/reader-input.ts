/** User input that can scroll the conversation. */
export interface ScrollInput {
  /** Input that can scroll; a movement soon afterwards is attributed to the user. */
  touched(): void
  /** The user scrolls up: called before anything has moved. */
  up(): void
  /** Something in the conversation is being expanded or collapsed. */
  opened(control: Element): void
}

const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])
const FIELDS = 'input, textarea, select, [contenteditable]'
const OPENS = 'button[aria-expanded], [data-grows]'

/** Watches wheel, touch, keys, pointer and focus in a scroll area; returns the stop function. */
export function watchScrollInput(scroller: HTMLElement, input: ScrollInput): () => void {
  const watching = new AbortController()
  const { signal } = watching
  const quiet = { passive: true, signal }
  /** Text that arrives in this very frame must not scroll to the end, so the first pixel up counts immediately. */
  const up = (target: EventTarget | null): void => {
    if (scroller.scrollTop > 0 && !scrollsInside(target, scroller)) input.up()
  }
  scroller.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey) return
      input.touched()
      if (event.deltaY < 0) up(event.target)
    },
    quiet,
  )
  let fingerAt: number | undefined
  scroller.addEventListener('touchstart', (event) => (fingerAt = event.touches[0]?.clientY), quiet)
  scroller.addEventListener(
    'touchmove',
    (event) => {
      input.touched()
      const y = event.touches[0]?.clientY
      // A finger moving down scrolls toward the beginning of the conversation.
      if (y !== undefined && fingerAt !== undefined && y > fingerAt) up(event.target)
      fingerAt = y
    },
    quiet,
  )
  scroller.addEventListener(
    'keydown',
    (event) => {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.altKey ||
        (event.target instanceof Element && event.target.matches(FIELDS))
      )
        return
      input.touched()
      if (UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey && event.target === scroller)) up(event.target)
    },
    { signal },
  )
  scroller.addEventListener('pointerdown', () => input.touched(), quiet)
  scroller.addEventListener(
    'pointermove',
    (event) => {
      // Hovering does not scroll; holding a button (the scrollbar, a selection) does.
      if (event.buttons !== 0) input.touched()
    },
    quiet,
  )
  scroller.addEventListener(
    'focusin',
    (event) => {
      // A control that gets the focus is scrolled into view; the area itself stays where it is.
      if (event.target !== scroller) input.touched()
    },
    quiet,
  )
  scroller.addEventListener(
    'click',
    (event) => {
      const control = event.target instanceof Element ? event.target.closest(OPENS) : null
      if (control) input.opened(control)
    },
    { capture: true, signal },
  )
  return () => watching.abort()
}

/** Whether a nested scroll area handles the movement: a long output, a diff. */
function scrollsInside(target: EventTarget | null, scroller: HTMLElement): boolean {
  for (
    let element = target instanceof Element ? target : null;
    element && element !== scroller;
    element = element.parentElement
  ) {
    if (element.scrollTop > 0 && /auto|scroll/.test(getComputedStyle(element).overflowY)) return true
  }
  return false
}
