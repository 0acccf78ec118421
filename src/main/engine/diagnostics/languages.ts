import { extname } from 'node:path'
import type { DiagnosedLanguage } from '../config/diagnostics-settings'

/** A program that serves a language. */
export interface ServerProgram {
  name: string
  args: readonly string[]
  /** It comes with the project's TypeScript, from version 7 on; older versions have another program of this name that serves nothing. */
  fromTypeScript7?: true
}

interface Language {
  id: DiagnosedLanguage
  /** By extension: what the protocol calls a file of it. */
  languageIds: Readonly<Record<string, string>>
  /** The first that is there is used. */
  programs: readonly ServerProgram[]
}

export const LANGUAGES: readonly Language[] = [
  {
    id: 'typescript',
    languageIds: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
    programs: [
      { name: 'tsc', args: ['--lsp', '--stdio'], fromTypeScript7: true },
      { name: 'typescript-language-server', args: ['--stdio'] },
    ],
  },
  {
    id: 'python',
    languageIds: { '.py': 'python', '.pyi': 'python' },
    programs: [{ name: 'pyright-langserver', args: ['--stdio'] }],
  },
  { id: 'go', languageIds: { '.go': 'go' }, programs: [{ name: 'gopls', args: [] }] },
  { id: 'rust', languageIds: { '.rs': 'rust' }, programs: [{ name: 'rust-analyzer', args: [] }] },
]

/** The language of a file by its extension, and what the protocol calls it. */
export function languageOf(path: string): { language: Language; languageId: string } | undefined {
  const extension = extname(path).toLowerCase()
  for (const language of LANGUAGES) {
    const languageId = language.languageIds[extension]
    if (languageId !== undefined) return { language, languageId }
  }
  return undefined
}
