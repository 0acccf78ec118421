import type { PickedElement } from '../../../shared/model/page-preview'
import type { PageProblem } from './use-page-reports'

/** Text that a page made, as a block of a message that it cannot end. */
function block(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}

/** A line that the page wrote, which may be anything. */
function word(value: unknown): string {
  return (typeof value === 'string' ? value : '').replaceAll('\n', ' ').slice(0, 700)
}

/** "This element", for the agent. */
export function elementMessage(page: string, element: PickedElement): string {
  const lines = [
    `selector: ${word(element.selector)}`,
    ...(word(element.text) === '' ? [] : [`text: ${word(element.text)}`]),
    `size: ${word(String(element.width))} × ${word(String(element.height))}`,
    ...(element.source === undefined ? [] : [`source: ${word(element.source)}`]),
    word(element.markup),
  ]
  return `This element of ${page}:\n\n${block(lines.join('\n'))}`
}

/** Errors and warnings, for the agent. */
export function problemsMessage(page: string, problems: readonly PageProblem[]): string {
  const lines = problems.map(({ level, text, count }) => `[${level}${count > 1 ? `, ${count} times` : ''}] ${text}`)
  return `The console of ${page} shows:\n\n${block(lines.join('\n'))}`
}

/** What is on the page, for the agent. */
export function outlineMessage(page: string, outline: string): string {
  return `This is on the page ${page} now:\n\n${block(outline)}`
}
