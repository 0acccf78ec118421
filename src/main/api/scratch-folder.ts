import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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

/**
 * Makes a small project to try Trestle in, in a folder of its own among the temporary ones; returns its path. Trestle's home folder is no place for it: whatever
 * changes there counts as a change of Trestle's configuration, so that every step of the demo would be shown as dangerous.
 */
export async function makeScratchFolder(): Promise<string> {
  try {
    const path = join(await mkdtemp(join(tmpdir(), 'trestle-demo-')), 'greeter')
    for (const [name, content] of Object.entries(FILES)) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { flag: 'wx' })
    }
    return path
  } catch (error) {
    throw new CodedError(
      'request.invalid',
      `No temporary folder could be made in ${tmpdir()}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
