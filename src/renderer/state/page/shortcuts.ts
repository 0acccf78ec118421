import { create } from 'zustand'
import { shortcutOf, type ShortcutChoices, type ShortcutCommand } from '../../../shared/configuration/shortcuts'

interface Shortcuts {
  /** The keys that the user chose. */
  choices: ShortcutChoices
  /** Commands of the page that are in no list: their ids, labels and usual keys. */
  others: readonly ShortcutCommand[]
}

/** Which keys run which command, as the settings say. */
export const useShortcutChoices = create<Shortcuts>()(() => ({ choices: {}, others: [] }))

/** The keys of a command now; undefined when it has none. */
export function useKeys(id: string): string | undefined {
  return useShortcutChoices((state) => shortcutOf(id, state.choices))
}

/** A command with the keys that it has now; `usual` are those of one that is in no list. */
export function withKeys<Command extends { id: string; shortcut?: string }>(
  command: Command,
  choices: ShortcutChoices,
): Command {
  const { shortcut: usual, ...rest } = command
  const keys = shortcutOf(command.id, choices) ?? (choices[command.id] === '' ? undefined : usual)
  return { ...rest, ...(keys !== undefined && { shortcut: keys }) } as Command
}
