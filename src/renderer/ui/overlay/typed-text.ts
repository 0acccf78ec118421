/** A field that the user has been in, with its text before and now. */
export interface VisitedField {
  /** Whether it accepts more than one line. */
  isLong: boolean
  before: string
  now: string
}

/**
 * Whether closing a form by accident would lose work: a longer text, or the text of several fields. A single line, such
 * as a name or a filter, is quickly typed again.
 */
export function isWorthKeeping(fields: Iterable<VisitedField>): boolean {
  const changed = [...fields].filter(({ before, now }) => now !== before && now.trim() !== '')
  return changed.length > 1 || changed.some(({ isLong }) => isLong)
}

/** Follows what is typed into the fields of a form. */
export class TypedText {
  readonly #fields = new Map<Element, VisitedField>()

  /** Called when an element gets the focus. */
  visit(target: EventTarget): void {
    const text = textIn(target)
    if (text === undefined || this.#fields.has(target as Element)) return
    this.#fields.set(target as Element, { isLong: !(target instanceof HTMLInputElement), before: text, now: text })
  }

  /** Called when an element's text has changed. */
  type(target: EventTarget): void {
    this.visit(target)
    const field = this.#fields.get(target as Element)
    if (field) field.now = textIn(target) ?? ''
  }

  isWorthKeeping(): boolean {
    return isWorthKeeping(this.#fields.values())
  }
}

const LINES = ['text', 'email', 'url', 'tel', 'password', 'number']

/** The text of a field; undefined for other elements, and for fields that only search. */
function textIn(target: EventTarget): string | undefined {
  if (target instanceof HTMLTextAreaElement) return target.value
  if (target instanceof HTMLInputElement)
    return LINES.includes(target.type) && target.role !== 'combobox' ? target.value : undefined
  return target instanceof HTMLElement && target.isContentEditable ? (target.textContent ?? '') : undefined
}
