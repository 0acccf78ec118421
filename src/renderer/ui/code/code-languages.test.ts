import { describe, expect, it } from 'vitest'
import { languageNamed, languageOfPath, loadLanguage } from './code-languages'
import { CodeLines } from './code-lines'

const kinds = async (language: string, code: string): Promise<string[]> => {
  const lines = new CodeLines(languageNamed(language) ?? '')
  lines.set(code.split('\n'))
  await lines.load()
  while (!lines.done) lines.work(1000, Infinity)
  return lines.tokens.flat().map(({ kind }) => kind)
}

describe('code languages', () => {
  it.each([
    ['elixir', 'defmodule A do\nend'],
    ['haskell', 'module Main where'],
    ['ex', 'def a, do: 1'],
    ['hs', 'import Data.List'],
    ['C++', 'int main() { return 0; }'],
    ['golang', 'func main() {}'],
    ['zig', 'const std = 1;'],
  ])('%s is highlighted', async (language, code) => {
    expect(await kinds(language, code)).toContain('keyword')
  })

  it('are recognized by file name', () => {
    expect(
      ['src/app.ts', 'a/Dockerfile', '.env.local', 'lib/mix.exs', 'x.HS', 'Makefile', 'notes.txt'].map(languageOfPath),
    ).toEqual(['ts', 'dockerfile', 'dotenv', 'elixir', 'hs', 'makefile', undefined])
  })

  it('leave code plain if they are unknown', async () => {
    expect(await loadLanguage('klingon')).toBeUndefined()
    expect(await loadLanguage('constructor')).toBeUndefined()
    await expect(kinds('klingon', 'x')).rejects.toThrow('klingon')
  })
})
