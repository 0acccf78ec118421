/** The scroll position in px, which moved elements lose. */
interface ScrollPosition {
  top: number
  left: number
}

/**
 * The elements with the content of the panes. They outlive the groups they are shown in: between two groups, an element
 * waits in a hidden one, so that it never leaves the document and a page in it does not reload. Scroll positions are
 * tracked continuously, because a moved or hidden element loses its own.
 */
export class PaneHosts {
  readonly #hosts = new Map<string, HTMLElement>()
  readonly #scrolled = new WeakMap<HTMLElement, Map<Element, ScrollPosition>>()
  #parking: HTMLElement | null = null

  /** The hidden element in which panes wait between two groups. */
  parkIn(element: HTMLElement | null): void {
    this.#parking = element
  }

  /** The element of a pane, created when it is first needed. */
  of(key: string): HTMLElement {
    const known = this.#hosts.get(key)
    if (known) return known
    const host = document.createElement('div')
    host.className = 'flex h-full min-h-0 min-w-0 flex-1 flex-col'
    const positions = new Map<Element, ScrollPosition>()
    // Scroll events don't bubble.
    host.addEventListener('scroll', ({ target }) => note(positions, target), { capture: true, passive: true })
    this.#scrolled.set(host, positions)
    this.#hosts.set(key, host)
    return host
  }

  show(key: string, slot: HTMLElement): void {
    move(this.of(key), slot)
    this.restoreScroll(key)
    // The groups get their sizes after this.
    requestAnimationFrame(() => this.restoreScroll(key))
  }

  /** Called when the slot is removed; the pane may be shown in another one next. */
  park(key: string, slot: HTMLElement): void {
    const host = this.of(key)
    if (host.parentNode !== slot) return
    if (this.#parking) move(host, this.#parking)
    else host.remove()
  }

  /** Restores the scroll positions that a move has reset. */
  restoreScroll(key: string): void {
    const host = this.of(key)
    for (const [element, { top, left }] of this.#scrolled.get(host) ?? []) {
      if (!host.contains(element)) this.#scrolled.get(host)?.delete(element)
      else if (element.scrollTop === 0 && element.scrollLeft === 0) element.scrollTo({ top, left, behavior: 'instant' })
    }
  }
}

function note(positions: Map<Element, ScrollPosition>, target: EventTarget | null): void {
  if (target instanceof Element) positions.set(target, { top: target.scrollTop, left: target.scrollLeft })
}

function move(host: HTMLElement, parent: HTMLElement): void {
  if ('moveBefore' in parent && parent.isConnected && host.isConnected) parent.moveBefore(host, null)
  else parent.append(host)
}
