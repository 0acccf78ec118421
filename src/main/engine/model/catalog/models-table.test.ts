import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modelsTable, modelsTableProblem, readModelsTable } from './models-table'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'trestle-table-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'table.json')
  writeFileSync(file, text)
  return file
}

test('the table that ships with Trestle is read without a problem', () => {
  expect(modelsTableProblem()).toBeUndefined()
  expect(Object.keys(modelsTable().providers)).toContain('anthropic')
})

test('no models are known if the table is missing or damaged, and the reason is reported', () => {
  for (const file of [
    '/nowhere/table.json',
    ...['', '{"providers":', 'null', '[]', '{"generated":"x"}'].map(fileWith),
  ]) {
    const { table, problem } = readModelsTable(file)
    expect(table).toEqual({ generated: '', sources: [], providers: {} })
    expect(problem).toMatchObject({ file, message: expect.stringContaining('cannot be read') })
  }
})
