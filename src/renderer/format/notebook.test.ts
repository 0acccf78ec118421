import { describe, expect, it } from 'vitest'
import { diffLines } from './diff-lines'
import { parseNotebook } from './notebook'
import { codeInCells, notebookLines } from './notebook-lines'

describe('the cells of a notebook', () => {
  it('are its sources with their language, and the outputs as texts and pictures', () => {
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['one\n', 'two'] },
      { output_type: 'display_data', data: { 'image/png': ['iVBO\n', 'Rw==\n'], 'text/plain': '<Figure>' } },
      { output_type: 'execute_result', data: { 'text/html': '<script>1</script>', 'text/plain': ['42'] } },
      { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['line 1', 'ValueError: no'] },
      { output_type: 'display_data', data: { 'application/vnd.widget': {} } },
    ]
    const text = JSON.stringify({
      metadata: { language_info: { name: 'R' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'text'] },
        { cell_type: 'code', execution_count: 3, source: 'x <- 1', outputs },
      ],
    })
    expect(parseNotebook(text)).toEqual({
      language: 'r',
      cells: [
        { kind: 'markdown', source: '# Title\ntext', outputs: [] },
        {
          kind: 'code',
          source: 'x <- 1',
          count: 3,
          outputs: [
            { kind: 'text', text: 'one\ntwo' },
            { kind: 'picture', mediaType: 'image/png', data: 'iVBORw==' },
            { kind: 'text', text: '42' },
            { kind: 'text', text: 'line 1\nValueError: no', isError: true },
            { kind: 'other', types: ['application/vnd.widget'] },
          ],
        },
      ],
    })
  })

  it('are read as far as possible from a damaged file', () => {
    expect(parseNotebook('{"cells": [null, {"source": 3, "outputs": [null, {}]}]}')?.cells).toHaveLength(2)
    for (const text of ['', '{', 'null', '[]', '{}', '{"cells": 1}']) expect(parseNotebook(text)).toBeUndefined()
  })
})

describe('a notebook of an unusual size', () => {
  const outputOf = (data: string) =>
    parseNotebook(`{"cells":[{"cell_type":"code","outputs":[{"output_type":"display_data","data":${data}}]}]}`)
      ?.cells[0]?.outputs[0]

  it('shows large SVG pictures', () => {
    const svg = `<svg>${'é'.repeat(200_000)}</svg>`
    const picture = outputOf(JSON.stringify({ 'image/svg+xml': svg }))
    const bytes =
      picture?.kind === 'picture' ? Uint8Array.from(atob(picture.data), (char) => char.charCodeAt(0)) : undefined
    expect(new TextDecoder().decode(bytes) === svg).toBe(true)
  })

  it('is read even if values are nested without end', () => {
    const nested = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000)
    expect(outputOf(`{"application/json":${`{"a":`.repeat(100_000)}1${'}'.repeat(100_000)}}`)).toEqual({
      kind: 'other',
      types: ['application/json'],
    })
    expect(outputOf(`{"text/plain":${nested('[', ']')}}`)).toEqual({ kind: 'text', text: '' })
  })
})

describe('the diff of a notebook', () => {
  const shown = (diff: string): string[] =>
    notebookLines(diffLines(`@@ -1,9 +1,9 @@\n${diff}`))
      .flat()
      .map((line) =>
        line.kind === 'picture' ? `${line.sign} ${line.mediaType} ${line.data}` : `${line.kind} ${line.text}`,
      )

  it('shows the text of the cells instead of JSON', () => {
    const diff = [
      '   {',
      '    "cell_type": "code",',
      '-    "x = \\"a\\"\\n",',
      '+    "x = 1\\ny = 2\\n",',
      '+    "output_type": "stream",',
      '+    "image/png": "iVBORw==\\n"',
      '    ]',
      '    "execution_count": null,',
    ]
    expect(shown(diff.join('\n'))).toEqual([
      'same — Code cell',
      'del x = "a"',
      'add x = 1',
      'add y = 2',
      'add — Output (stream)',
      'add image/png iVBORw==',
    ])
  })

  it('hides no other change, and writes out invisible characters', () => {
    const diff = [
      '+   "kernelspec": {"name": "evil"},',
      '+   "execution_count": 7,',
      '+    "a\\u202eb\\n",',
      '+ {"x": 1}',
    ]
    expect(shown(diff.join('\n'))).toEqual([
      'add    "kernelspec": {"name": "evil"},',
      'add    "execution_count": 7,',
      expect.stringMatching(/^add a.*202e.*b$/i),
      'add  {"x": 1}',
    ])
  })

  it('does not show text of a cell as the heading of another one', () => {
    const headings = ['"— Markdown cell 2\\n"', '"— Output (stream)\\n"', '"— Image (image/png)\\n"', '"— Source\\n"']
    expect(shown(headings.map((text) => `+${text},`).join('\n'))).toEqual(headings.map((text) => `add ${text},`))
  })

  it('shows a change of brackets and empty fields alone as it is', () => {
    expect(shown('   {\n-   },\n+   }\n    "x"')).toEqual(['del    },', 'add    }', 'same x'])
  })

  it('highlights only the source of code cells', () => {
    const diff = [
      '+    "shown = 1\\n",',
      '+    "cell_type": "markdown",',
      '+    "import nothing\\n",',
      '+    "cell_type": "code",',
      '+    "output_type": "stream",',
      '+    "in the output\\n",',
      '+   "source": [',
      '+    "x = 1\\n",',
      '+    "cell_type": "raw",',
      '+    "text\\n",',
    ]
    const rows = notebookLines(diffLines(`@@ -1,0 +1,10 @@\n${diff.join('\n')}`)).flat()
    const codeFrom = (startsInCode?: boolean): string[] =>
      codeInCells(
        rows.filter((row) => row.kind !== 'picture'),
        startsInCode,
      ).filter((code) => code !== '')
    expect(codeFrom()).toEqual(['shown = 1', 'x = 1'])
    expect(codeFrom(false)).toEqual(['x = 1'])
  })

  it('names a picture that is too long for a diff', () => {
    expect(shown('+    "image/png": "iVBO ⋯ 12,345 characters ⋯ Rw=="')).toEqual([
      'add — Image (image/png, 12,345 characters)',
    ])
    expect(shown('+    "image/png": "iVBO⋯ 3,000 characters ⋯')).toEqual(['add — Image (image/png, 3,000 characters)'])
  })
})
