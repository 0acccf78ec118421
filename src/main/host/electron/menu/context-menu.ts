import type { ContextMenuParams, MenuItemConstructorOptions, WebContents } from 'electron'
import { safeLink } from '../../../../shared/safe-link'
import { cutText } from '../../../../shared/cut-text'

/** What an entry of the menu does, beyond the system's own roles. */
export interface ContextMenuActions {
  replaceMisspelling(word: string): void
  learnWord(word: string): void
  copyText(text: string): void
  copyImage(x: number, y: number): void
  openLink(url: string): void
  /** macOS: opens the dictionary panel. */
  lookUp(): void
}

const MAX_SUGGESTIONS = 5
const MAX_CHARS_NAMED = 24

/**
 * The menu of a right click or the menu key; empty when no action applies. The page's own menus handle their events
 * themselves.
 */
export function contextMenu(
  params: ContextMenuParams,
  platform: NodeJS.Platform,
  actions: ContextMenuActions,
): MenuItemConstructorOptions[] {
  const { editFlags, isEditable, linkURL, mediaType, misspelledWord, selectionText, x, y } = params
  const selected = selectionText.trim()
  const link = safeLink(linkURL)
  const groups: MenuItemConstructorOptions[][] = []
  if (isEditable && misspelledWord !== '') {
    const suggestions = params.dictionarySuggestions.slice(0, MAX_SUGGESTIONS)
    groups.push(
      suggestions.length > 0
        ? suggestions.map((word) => ({ label: word, click: () => actions.replaceMisspelling(word) }))
        : [{ label: 'No Guesses Found', enabled: false }],
      [{ label: 'Add to Dictionary', click: () => actions.learnWord(misspelledWord) }],
    )
  }
  if (platform === 'darwin' && selected !== '')
    groups.push([{ label: `Look Up “${shortened(selected)}”`, click: () => actions.lookUp() }])
  if (link !== undefined)
    groups.push([
      { label: 'Open Link', click: () => actions.openLink(link) },
      { label: 'Copy Link', click: () => actions.copyText(link) },
    ])
  if (mediaType === 'image' && params.hasImageContents)
    groups.push([{ label: 'Copy Image', click: () => actions.copyImage(x, y) }])
  if (isEditable)
    groups.push(
      [
        { role: 'undo', enabled: editFlags.canUndo },
        { role: 'redo', enabled: editFlags.canRedo },
      ],
      [
        { role: 'cut', enabled: editFlags.canCut },
        { role: 'copy', enabled: editFlags.canCopy },
        { role: 'paste', enabled: editFlags.canPaste },
        { role: 'pasteAndMatchStyle', enabled: editFlags.canPaste },
      ],
      [{ role: 'selectAll', enabled: editFlags.canSelectAll }],
    )
  else if (selected !== '') groups.push([{ role: 'copy', enabled: editFlags.canCopy }], [{ role: 'selectAll' }])
  else if (groups.length > 0) groups.push([{ role: 'selectAll' }])
  return groups.flatMap((group, index) => (index === 0 ? group : [{ type: 'separator' as const }, ...group]))
}

/** The actions on the clicked contents. */
export function contentsActions(
  contents: WebContents,
  deps: { copyText(text: string): void; openLink(url: string): void },
): ContextMenuActions {
  return {
    replaceMisspelling: (word) => contents.replaceMisspelling(word),
    learnWord: (word) => void contents.session.addWordToSpellCheckerDictionary(word),
    copyImage: (x, y) => contents.copyImageAt(x, y),
    lookUp: () => contents.showDefinitionForSelection(),
    ...deps,
  }
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > MAX_CHARS_NAMED ? `${cutText(line, MAX_CHARS_NAMED)}…` : line
}
