import { expect, it } from 'vitest'
import { notebookLanguage, notebookParts } from './notebook-parts'

const notebook = (...cells: object[]): string =>
  `${JSON.stringify({ cells, metadata: {}, nbformat: 4 }, undefined, 1)}\n`
const TITLE = { cell_type: 'markdown', metadata: {}, source: ['# Title'] }
const CODE = { cell_type: 'code', outputs: [{ output_type: 'stream', text: ['1\n'] }], source: ['print(1)'] }

it('names the lines where the cells of a notebook and their outputs start', () => {
  const text = notebook(TITLE, CODE)
  const parts = notebookParts(notebook(TITLE), text) ?? []
  expect(parts).toEqual([
    { line: 3, cell: 1, kind: 'markdown' },
    { line: 10, cell: 2, kind: 'code' },
    { line: 12, cell: 2, kind: 'code', isOutput: true },
    { line: 19, cell: 2, kind: 'code' },
  ])
  const lines = text.split('\n')
  expect(parts.map(({ line }) => lines[line - 1]?.trim())).toEqual(['{', '{', '"outputs": [', '],'])
})

it('has no parts for a notebook that was removed, and those of the new one for a notebook that was added', () => {
  expect(notebookParts(notebook(TITLE), '')).toEqual([])
  expect(notebookParts('', notebook(TITLE))).toHaveLength(1)
})

it('is undefined if one version is not a notebook', () => {
  const deep = `{"cells": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  for (const text of ['{', '[]', '{"cells": 1}', '{"cells": [],}', '// none\n{"cells": []}', 'text', deep]) {
    expect(notebookParts(text, notebook(TITLE))).toBeUndefined()
    expect(notebookParts(notebook(TITLE), text)).toBeUndefined()
  }
})

it('names the language of the code cells', () => {
  const inLanguage = (metadata: unknown): string => JSON.stringify({ cells: [], metadata })
  expect(notebookLanguage(inLanguage({ language_info: { name: 'R' } }))).toBe('r')
  expect(notebookLanguage(inLanguage({ kernelspec: { language: 'julia' } }))).toBe('julia')
  for (const metadata of [undefined, {}, { language_info: { name: 1 } }, { kernelspec: 'julia' }])
    expect(notebookLanguage(inLanguage(metadata))).toBeUndefined()
  expect(notebookLanguage('')).toBeUndefined()
})
