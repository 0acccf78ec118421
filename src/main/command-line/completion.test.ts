import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { COMMANDS } from './commands'
import { completionScript } from './completion'

const script = (shell: string): string => completionScript({ values: {}, positionals: [shell], hasSeparator: false })

/** The completions that bash offers for the last word. */
function offered(...words: string[]): string[] {
  const lines = `${script('bash')}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trestle; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', lines, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
}

it('bash completes commands, actions, options and their values', () => {
  expect(offered('trestle', 'pr')).toEqual(['print', 'provider'])
  expect(offered('trestle', 'help', 'mo')).toEqual(['model', 'models'])
  expect(offered('trestle', 'mcp', 'log')).toEqual(['login', 'logout', 'logs'])
  expect(offered('trestle', 'print', '--perm')).toEqual(['--permission-mode'])
  expect(offered('trestle', 'print', '--permission-mode', '')).toEqual(['ask', 'accept-edits', 'auto', 'plan'])
  expect(offered('trestle', 'print', 'some words', '')).toEqual([])
  expect(offered('trestle', 'chat', '--cwd', '/us')).toContain('/usr')
})

it.each(['bash', 'zsh', 'fish'])(
  'the script for %s has every command and every option, and balanced quotes',
  (shell) => {
    const text = script(shell)
    for (const [name, { options }] of Object.entries(COMMANDS)) {
      expect(text).toContain(name)
      for (const option of Object.keys(options))
        expect(text).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`)
    }
    for (const line of text.split('\n'))
      expect({ line, quotes: line.replaceAll(/'\\''|\\'/g, '').split("'").length % 2 }).toEqual({ line, quotes: 1 })
  },
)

it('lists the supported shells when another one is requested', () => {
  expect(() => script('tcsh')).toThrow('bash, zsh, fish')
})
