import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { pathFlavor, type PathFlavor } from '../../workspace/path/path-flavor'
import { EvaluationTime } from '../shell/evaluation-time'
import { expandGlob } from './expand-paths'

it.each(['/c/.e*', '/cygdrive/c/.e*', 'C:/.e*', '/c/./.en?'])(
  'on Windows %s finds the files of the drive, not of a folder called c',
  async (glob) => {
    const folder = await tempFolder()
    writeFileSync(join(folder, '.env'), 'secret')
    const windows = pathFlavor('win32')
    const paths: PathFlavor = {
      ...windows,
      native: (path) => windows.native(path).replace(/^C:/, folder).replaceAll('\\', '/'),
    }
    const found = await expandGlob('/nowhere', glob, glob, new EvaluationTime(1000), paths)
    expect(found).toEqual({ paths: [expect.stringMatching(/\.env$/)] })
    expect(JSON.stringify(found)).toContain(folder)
  },
)

it('on other systems a glob with a leading slash starts at the root, any other glob in the folder', async () => {
  const folder = await tempFolder()
  writeFileSync(join(folder, 'a.txt'), '')
  const time = new EvaluationTime(1000)
  expect(await expandGlob(folder, 'a*', 'a*', time, pathFlavor('linux'))).toEqual({ paths: [`${folder}/a.txt`] })
  expect(await expandGlob('/nowhere', `${folder}/a*`, `${folder}/a*`, time, pathFlavor('linux'))).toEqual({
    paths: [`${folder}/a.txt`],
  })
})
