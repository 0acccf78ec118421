import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { CodedError } from '../../../shared/errors'
import { checkConfig, checkModel, checkServers, isProgram } from './settings-checks'
import { checkClock, checkDatabase, checkDisk } from './storage-checks'

describe('the check of', () => {
  test('the configuration lists every problem with its location', () => {
    const problems = [
      { file: '/h/config.toml', line: 3, message: 'Unknown key "a".' },
      { file: '/h/config.toml', message: 'It cannot be read.' },
    ]
    expect(checkConfig('/h/config.toml', [])).toMatchObject({ status: 'ok', detail: '/h/config.toml' })
    expect(checkConfig('/h/config.toml', problems)).toMatchObject({
      status: 'failed',
      detail: '/h/config.toml:3: Unknown key "a". /h/config.toml: It cannot be read.',
    })
  })

  test('the model warns about a fresh installation, and fails if a key is missing', async () => {
    const failing = (code: 'model.not_configured' | 'model.auth') =>
      checkModel({
        resolve: async () => {
          throw new CodedError(code, 'No.')
        },
        defaultModel: () => undefined,
      })
    expect((await failing('model.not_configured')).status).toBe('warning')
    expect((await failing('model.auth')).status).toBe('failed')
  })

  test('MCP servers does not start any, and lists missing programs', async () => {
    const [home, bin] = [await tempFolder(), await tempFolder()]
    writeFileSync(join(bin, 'there'), '#!/bin/sh\n')
    chmodSync(join(bin, 'there'), 0o755)
    expect(checkServers(home, {})).toMatchObject({ status: 'ok', detail: 'None configured.' })
    const put = (servers: object): void =>
      writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
    put({ a: { command: 'there' }, b: { command: '$HOME/x' }, c: { url: 'https://example.com' } })
    expect(checkServers(home, { PATH: bin })).toMatchObject({ status: 'ok', detail: '3 configured.' })
    put({ a: { command: 'gone' } })
    expect(checkServers(home, { PATH: bin })).toMatchObject({
      status: 'failed',
      detail: 'The program “gone” of the MCP server a was not found on PATH.',
    })
    writeFileSync(join(home, 'mcp.json'), '{')
    expect(checkServers(home, {}).status).toBe('failed')
  })

  test('the clock fails if files are from the future', async () => {
    const home = await tempFolder()
    writeFileSync(join(home, 'a'), '')
    const now = Date.now()
    expect(checkClock(home, now).status).toBe('ok')
    expect(checkClock(home, now - 2 * 86_400_000)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('files in'),
    })
  })

  test('the disk leaves nothing behind, and fails if nothing can be written', async () => {
    const home = await tempFolder()
    expect(checkDisk(home).status).not.toBe('failed')
    expect(checkDisk(join(home, 'gone'))).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('TRESTLE_HOME'),
    })
  })

  test('the store passes if it does not exist, and never creates it', async () => {
    const home = await tempFolder()
    expect(await checkDatabase(home)).toMatchObject({ status: 'ok', detail: 'There are no sessions yet.' })
    writeFileSync(join(home, 'trestle.db'), 'no database at all, and long enough to look like one')
    expect(await checkDatabase(home)).toMatchObject({ status: 'failed', detail: expect.stringContaining('is damaged') })
  })
})

test('a program is an executable file, named by its path or found in a folder of PATH', async () => {
  const [bin, other] = [await tempFolder(), await tempFolder()]
  writeFileSync(join(bin, 'run'), '')
  writeFileSync(join(bin, 'text'), '')
  mkdirSync(join(bin, 'folder'))
  chmodSync(join(bin, 'run'), 0o755)
  const env = { PATH: ['', other, bin].join(delimiter) }
  expect([
    isProgram('run', env),
    isProgram(join(bin, 'run'), {}),
    isProgram('folder', env),
    isProgram('gone', env),
  ]).toEqual([true, true, false, false])
  expect(isProgram('text', env)).toBe(process.platform === 'win32')
  expect(isProgram('run', {})).toBe(false)
})
