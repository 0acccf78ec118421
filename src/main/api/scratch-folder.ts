import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CodedError } from '../../shared/model/errors'

/** A project small enough to read at a glance, with a command to run and something to improve. */
const FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# Greeter\n\nA scratch project to try Trestle in. Nothing here matters: change what you like.\n\n    node src/main.js Ada\n',
  'package.json':
    '{\n  "name": "greeter",\n  "version": "0.0.1",\n  "type": "module",\n  "private": true,\n  "scripts": { "start": "node src/main.js", "test": "node --test" }\n}\n',
  'src/greet.js': "/** Says hello to somebody. */\nexport function greet(name) {\n  return 'Hello, ' + name\n}\n",
  'src/main.js': "import { greet } from './greet.js'\n\nconsole.log(greet(process.argv[2] ?? 'world'))\n",
  'test/greet.test.js':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { greet } from '../src/greet.js'\n\ntest('greets by name', () => {\n  assert.equal(greet('Ada'), 'Hello, Ada')\n})\n",
}

const MOST_FOLDERS = 10_000

/** Makes `<home>/scratch/greeter-N` with the first free N and a small project in it; returns its path. */
export async function makeScratchFolder(home: string): Promise<string> {
  const parent = join(home, 'scratch')
  try {
    const path = await makeFreeFolder(parent)
    for (const [name, content] of Object.entries(FILES)) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { flag: 'wx' })
    }
    return path
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw new CodedError(
      'request.invalid',
      `No scratch folder could be made in ${parent}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}

async function makeFreeFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  for (let n = 1; n <= MOST_FOLDERS; n += 1) {
    const path = join(parent, `greeter-${n}`)
    try {
      // Without `recursive` this fails for a folder that exists, so two calls at once never share one.
      await mkdir(path)
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new CodedError('request.invalid', `There are ${MOST_FOLDERS} scratch folders in ${parent}; delete some.`)
}
