import { RequestError } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { clientPaths } from '../protocol/client-paths'
import { editorCapabilities, type EditorCapabilitiesDeps } from './editor-capabilities'

async function editor(
  answer: (method: string, params: unknown) => unknown,
  capabilities: EditorCapabilitiesDeps['capabilities'] = {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
  },
) {
  const shownIn: string[] = []
  const request = async (method: string, params: unknown) => answer(method, params)
  const createTerminal = async (params: unknown) => answer('terminal/create', params)
  const offered = editorCapabilities({
    client: { request, createTerminal } as unknown as EditorCapabilitiesDeps['client'],
    sessionId: 's1',
    capabilities,
    paths: await clientPaths(['/no-such-project']),
    onTerminal: (callId, terminalId) => shownIn.push(`${callId} ${terminalId}`),
  })
  return { ...offered, shownIn }
}

function fails(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe('the capabilities of an editor', () => {
  it('are only those it offers', async () => {
    const none = await editor(() => undefined, {})
    expect([none.files, none.terminals]).toEqual([undefined, undefined])
    const readOnly = await editor(() => undefined, { fs: { readTextFile: true } })
    expect(readOnly.files?.read).toBeDefined()
    expect(readOnly.files?.write).toBeUndefined()
    expect(readOnly.terminals).toBeUndefined()
  })
})

describe('files', () => {
  const read = async (answer: () => unknown) => (await editor(answer)).files?.read?.('/no-such-project/a.ts')

  it('are read as the editor has them, even empty ones', async () => {
    expect(await read(() => ({ content: 'unsaved' }))).toBe('unsaved')
    expect(await read(() => ({ content: '' }))).toBe('')
  })

  it('are read from disk when the editor fails or gives an invalid answer', async () => {
    expect(await read(fails(new Error('unknown file')))).toBeUndefined()
    for (const answer of [{}, { content: 3 }, { content: null }]) expect(await read(() => answer)).toBeUndefined()
  })

  it('that the editor did not write report the reason and its details', async () => {
    const { files } = await editor(fails(new RequestError(-32000, 'Not saved', { details: 'read-only buffer' })))
    await expect(files!.write!('/no-such-project/a.ts', 'x')).rejects.toThrow(
      'The editor did not write /no-such-project/a.ts: Not saved: read-only buffer. ' +
        'Read it again before you try again.',
    )
  })
})

describe('terminals', () => {
  const command = { command: 'npm', args: ['test'], cwd: '/no-such-project', env: { CI: '1' }, maxBytes: 100 }

  it('are shown in the call they belong to', async () => {
    const handle = { id: 't7', waitForExit: async () => ({ exitCode: 2, signal: null }) }
    const { terminals, shownIn } = await editor((_method, params) => {
      expect(params).toMatchObject({ env: [{ name: 'CI', value: '1' }], outputByteLimit: 100 })
      return handle
    })
    const terminal = await terminals!.create({ ...command, callId: 'c1' })
    expect(shownIn).toEqual(['c1 t7'])
    expect(await terminal.ended()).toEqual({ exitCode: 2 })
  })

  it('report failures as sentences', async () => {
    const { terminals } = await editor(fails(new Error('too many terminals.')))
    await expect(terminals!.create(command)).rejects.toThrow(
      /^the editor opened no terminal for it: too many terminals\.$/,
    )
    const broken = await editor(() => ({ id: 't', kill: fails('gone'), waitForExit: async () => fails('gone')() }))
    const terminal = await broken.terminals!.create(command)
    await expect(terminal.ended()).rejects.toThrow('gone.')
  })

  it('whose output is not text are said to have given none', async () => {
    for (const output of [5, null, undefined, ['x']]) {
      const { terminals } = await editor(() => ({ id: 't', currentOutput: async () => ({ output }) }))
      await expect((await terminals!.create(command)).output()).rejects.toThrow('The editor gave no output')
    }
  })
})
