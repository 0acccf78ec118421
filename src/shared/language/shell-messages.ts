import { translator, type Message } from './speak'

/**
 * The messages of the sidebar, the header and the palette in English. A message is a text, or one text per plural form
 * of its `{count}`; other names in braces are filled in. How to add a language: docs/settings.md.
 */
export const SHELL_MESSAGES = {
  'shell.newSession': 'New session',
  'shell.settings': 'Settings',
  'shell.inbox': 'Inbox',
  'shell.tasks': 'Tasks',
  'shell.messages': 'Messages',
  'shell.hideSidebar': 'Hide the sidebar',
  'shell.showSidebar': 'Projects and sessions',
  'shell.hideInspector': 'Hide the inspector',
  'shell.showInspector': 'Show the inspector',
  'shell.close': 'Close',
  'shell.searchSessions': 'Search sessions',
  'shell.searchSessionsAndMessages': 'Search sessions and messages',
  'shell.clearSearch': 'Clear the search',
  'shell.openPalette': 'Open the command palette',
  'shell.pending': '{count} pending',
  'shell.running': '{count} running',
  'palette.search': 'Search sessions and commands…',
  'palette.choose': 'Choose…',
} as const satisfies Readonly<Record<string, Message>>

/** A message of the shell in the user's language. */
export const t = translator({ en: SHELL_MESSAGES })
