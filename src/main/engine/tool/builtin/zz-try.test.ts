import { it } from 'vitest'
import { mkdtempSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace } from '../../workspace/create-workspace'
import { grepTool } from './grep'
it('x', async () => {
  const root = mkdtempSync(join(tmpdir(), 'g-'))
  mkdirSync(join(root, 'src/pages'), { recursive: true })
  for (let i = 0; i < 20; i++) writeFileSync(join(root, 'src', `f${i}.ts`), `const a = ${i}\nfoo(${i})\nlet b\n\nend\n`)
  writeFileSync(join(root, 'src/we:ird\nna\u00ebme.ts'), 'foo(1)\r\nbar$\r\n')
  writeFileSync(join(root, '.env'), 'foo(secret)\n')
  writeFileSync(join(root, 'keep.log'), 'foo(log)\n')
  writeFileSync(join(root, '.gitignore'), '*.log\n')
  writeFileSync(join(root, '.trestleignore'), 'f3.ts\n')
  writeFileSync(join(root, 'bin'), 'foo(\0log)\n')
  const tool = grepTool({ workspace: createWorkspace({ root }) })
  const go = async (input: object) => {
    const p = await tool.prepare(tool.input.parse(input))
    if ('refused' in p) return console.log(input, p.refused)
    const r = await p.run({ callId: '1', signal: new AbortController().signal, progress() {} })
    console.log(JSON.stringify(input), r.isError, '\n' + r.content.map((c) => c.type === 'text' ? c.text : '').join(''))
  }
  await go({ pattern: 'foo\\(' })
  await go({ pattern: 'foo\\(1', output_mode: 'content', '-C': 1 })
  await go({ pattern: 'foo\\(1', output_mode: 'content', head_limit: 3, offset: 2 })
  await go({ pattern: 'foo\\(1', output_mode: 'count_matches' })
  await go({ pattern: 'foo(' })
  await go({ pattern: 'foo(?=\\(1)', output_mode: 'content', '-n': false })
  await go({ pattern: 'a.*b', output_mode: 'content', multiline: true, glob: 'f1.ts', type: 'ts' })
  await go({ pattern: 'a\\nfoo' })
  await go({ pattern: '-x' })
  await go({ pattern: 'foo', type: 'nope' })
  await go({ pattern: 'foo', glob: 'src/f{1,3}.ts', path: 'src' })
  await go({ pattern: 'foo', glob: 'f{1,3}.ts', path: 'src' })
  await go({ pattern: 'foo', path: 'keep.log', output_mode: 'content' })
  await go({ pattern: 'foo', path: 'bin', output_mode: 'content' })
  await go({ pattern: 'foo', glob: '*.log' })
  await go({ pattern: 'foo', glob: '*.log', include_ignored: true })
  await go({ pattern: 'bar\\$$', output_mode: 'content' })
  await go({ pattern: 'foo', path: 'nope' })
  await go({ pattern: 'foo', glob: '[' })
  const p = await tool.prepare({ pattern: 'foo\\(1' })
  const xs = []
  for (let i = 0; i < 100; i++) { const t = performance.now(); const p = await tool.prepare({ pattern: 'foo\\(1', output_mode: 'content' }); if ('run' in p) await p.run({ callId: '1', signal: new AbortController().signal, progress() {} }); xs.push(performance.now() - t) }
  console.log('median', xs.sort((a, b) => a - b)[50])
})
