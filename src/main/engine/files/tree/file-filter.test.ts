import { describe, expect, it } from 'vitest'
import { sortInSlices } from '../../workspace/ripgrep/project-files'
import { FileFilter } from './file-filter'

describe('filtering the files of a project', () => {
  it('answers from the files found so far during the first listing, and then from all', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    const filter = new FileFilter(async (_root, onSome) => {
      onSome?.(['src/zoo.ts', 'src/app.ts'])
      return promise
    })
    const whole = filter.filter('/project', '', 10)
    expect(await filter.filter('/project', 'ts', 10, true)).toMatchObject({ count: 2, partial: true })
    resolve(['app.ts', 'src/app.ts', 'src/zoo.ts'])
    expect(await whole).toEqual({ files: [], count: 3 })
    const all = await filter.filter('/project', 'app', 10, true)
    expect(all.files.map(({ path }) => path)).toEqual(['app.ts', 'src/app.ts'])
    expect(all.partial).toBeUndefined()
    filter.close()
  })

  it('sorting in slices gives the same order as sorting in one pass', async () => {
    const paths = Array.from({ length: 1_003 }, (_, n) => `${(n * 7_919) % 1_003} é ${n % 5}`)
    expect(await sortInSlices(paths, 10)).toEqual([...paths].sort())
    expect(await sortInSlices([])).toEqual([])
  })
})
