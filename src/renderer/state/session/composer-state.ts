import { create } from 'zustand'

/** Text to be added to the composer of a session. */
export const useComposerText = create<{ added: { sessionId: string; text: string } | undefined }>()(() => ({
  added: undefined,
}))

export function addToComposer(added: { sessionId: string; text: string } | undefined): void {
  useComposerText.setState({ added })
}

/** Quotes a text in the composer of the session. */
export function quoteInComposer(sessionId: string, text: string): void {
  const quoted = text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
  addToComposer({ sessionId, text: `${quoted}\n\n` })
}

/** The text the user has selected in an element; undefined without a selection. */
export function selectedTextIn(element: Element | null): string | undefined {
  const selection = getSelection()
  if (!element || !selection || selection.isCollapsed || !selection.anchorNode || !selection.focusNode) return undefined
  if (!element.contains(selection.anchorNode) || !element.contains(selection.focusNode)) return undefined
  const text = selection.toString().trim()
  return text === '' ? undefined : text
}
