import { mkdirSync, openSync, writeSync, closeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const AREAS = 16
const MODULES = 20
const PARTS = 20
const FILES = 20
/** Number of files that `makeManyFiles` creates. */
export const MANY_FILES = AREAS * MODULES * PARTS * FILES

/** A repository of 128,000 empty files in 6,400 folders. */
export function makeManyFiles(root: string): void {
  let number = 0
  for (let area = 0; area < AREAS; area++)
    for (let module = 0; module < MODULES; module++)
      for (let part = 0; part < PARTS; part++) {
        const folder = join(root, 'packages', `area-${area}`, `module-${module}`, `part-${part}`)
        mkdirSync(folder, { recursive: true })
        for (let file = 0; file < FILES; file++)
          writeFileSync(join(folder, `component-${file}-of-${number++ % 977}.ts`), '')
      }
}

/** Creates a log of at least this many bytes; its last line is `the end`. Returns the number of its lines. */
export function makeLog(path: string, bytes: number): number {
  const file = openSync(path, 'w')
  let [lines, written] = [0, 0]
  while (written < bytes) {
    let text = ''
    for (let n = 0; n < 1000; n++) {
      lines += 1
      text +=
        `2026-11-23T10:${String(lines % 60).padStart(2, '0')}:00.000Z info request ` +
        `${lines} took ${lines % 977} ms${lines % 100_000 === 0 ? ' needle' : ''}\n`
    }
    written += writeSync(file, text)
  }
  writeSync(file, 'the end\n')
  closeSync(file)
  return lines + 1
}
