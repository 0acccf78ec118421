import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { httpMcpServer } from '../support/mcp-http-server'
import { mcpLab, stdioServer, type McpLab } from '../support/mcp-lab'
import { statelessHttp } from '../support/mcp-stateless-http'
import type { ScriptedCall } from '../support/model-script'
import { nodeProgram } from '../support/node-program'
import { createScratch } from '../support/scratch'

const STATELESS = '2026-07-28'
const OLDER = '2025-11-25'
const [COMMAND, ...STDIO] = nodeProgram('./mcp-stateless-stdio.ts')
const stateless = (...flags: string[]) => ({
  command: COMMAND,
  args: [...STDIO, ...flags.map((flag) => `--${flag}`)],
})
const call = (text: string): ScriptedCall => ({ name: 'mcp__a__echo', input: { text } })
const viewOf = async (lab: McpLab) =>
  (await lab.engine.mcp.list(lab.scratch.project)).servers.find(({ name }) => name === 'a')!
const versionOf = async (lab: McpLab): Promise<string | undefined> => (await viewOf(lab)).serverInfo?.protocolVersion

/** An address whose server can be replaced between requests, as by an update. */
async function switchable(first: string): Promise<{ url: string; to(url: string): void }> {
  let target = first
  const proxy = createServer((request, response) => {
    const leaves = new AbortController()
    response.on('close', () => leaves.abort())
    const pass = async (): Promise<void> => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !/^(host|connection|content-length)$/.test(name)),
      )
      const answer = await fetch(target, {
        method: request.method ?? 'POST',
        headers: headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        signal: leaves.signal,
      })
      const session = answer.headers.get('mcp-session-id')
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
        ...(session !== null && { 'mcp-session-id': session }),
      })
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, to: (url) => void (target = url) }
}

describe('the generation of a server is detected', () => {
  it('by asking for it first: an older one over HTTP is sent initialize when it rejects the question', async () => {
    const server = await httpMcpServer()
    const lab = await mcpLab(() => ({ a: { url: server.url } }))
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(OLDER)
    expect(server.messages.map(({ method }) => method).slice(0, 3)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ])
    expect(server.messages[0]!.session).toBeUndefined()
  })

  it('for an older program that answers with an error, without restarting it', async () => {
    const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a')]) }))
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(OLDER)
    expect(lab.started('a')).toHaveLength(1)
  })

  it('for an older program that never answers anything before initialize', async () => {
    const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a'), 'silent-at-first']) }))
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(OLDER)
    expect(lab.started('a')).toHaveLength(1)
  })

  it('for an older program that exits at the question, by restarting it once; later it is not asked again', async () => {
    const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a'), 'ends-at-first']) }))
    const session = await lab.session()
    expect(await lab.calls(session, [call('1')])).toEqual(['1'])
    expect(lab.started('a')).toHaveLength(2)
    await lab.engine.mcp.restart((await viewOf(lab)).serverId)
    expect(await lab.calls(session, [call('2')])).toEqual(['2'])
    expect(lab.started('a')).toHaveLength(3)
    expect(await versionOf(lab)).toBe(OLDER)
  })

  it.each([
    ['only the newer one', [], 1],
    // The first start has settled on the older one, which was also requested.
    ['both', ['also-older'], 2],
  ])('for a program that starts slowly and speaks %s', async (_, flags, starts) => {
    const lab = await mcpLab((files) => ({ a: stateless(files.starts('a'), 'slow-start=2600', ...flags) }), {
      config: '[mcp]\nstart_wait_s = 60',
    })
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(STATELESS)
    expect(lab.started('a')).toHaveLength(starts)
  })

  it('as the newer one when a server speaks both', async () => {
    const http = await statelessHttp({ alsoOlder: true })
    const lab = await mcpLab(() => ({ a: { url: http.url } }))
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(STATELESS)
    expect(http.server.seen.map(({ method }) => method)).not.toContain('initialize')
  })

  it('even when a server first rejects the question and names the revision', async () => {
    const http = await statelessHttp({ rejectsFirst: true })
    const lab = await mcpLab(() => ({ a: { url: http.url } }))
    expect(await lab.calls(await lab.session(), [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(STATELESS)
  })

  it('even when a server over HTTP never answers one of the two questions', async () => {
    const silent = await statelessHttp({ alsoOlder: true }, 'server/discover')
    const lab = await mcpLab(() => ({ a: { url: silent.url } }))
    const session = await lab.session()
    await lab.calls(session, [call('1')])
    expect(await versionOf(lab)).toBe(OLDER)
  })

  it.each(['stdio', 'http'])(
    'over %s: one that speaks only newer revisions reports which, and what to do',
    async (transport) => {
      const http = await statelessHttp({ versions: ['2031-01-01'] })
      const lab = await mcpLab(() => ({
        a: transport === 'http' ? { url: http.url } : stateless('versions=2031-01-01'),
      }))
      await lab.session().then((session) => lab.calls(session, [call('1')]))
      expect((await viewOf(lab)).error?.message).toMatch(
        /It only supports versions of the protocol that Trestle does not \(2031-01-01\)\. Update Trestle, or the server\./,
      )
    },
  )
})

describe('a server that speaks another generation after a restart', () => {
  it.each([
    [OLDER, STATELESS],
    [STATELESS, OLDER],
  ])('switches from %s to %s as a program', async (before, after) => {
    const { home } = createScratch()
    const file = join(home, '..', 'generation')
    const become = (version: string): void => writeFileSync(file, version === OLDER ? 'older' : 'stateless')
    become(before)
    const lab = await mcpLab(() => ({ a: stateless(`generation=${file}`) }))
    const session = await lab.session()
    expect(await lab.calls(session, [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(before)
    become(after)
    await lab.engine.mcp.restart((await viewOf(lab)).serverId)
    expect(await lab.calls(session, [call('2')])).toEqual(['2'])
    expect(await versionOf(lab)).toBe(after)
  })

  it.each([
    [OLDER, STATELESS],
    [STATELESS, OLDER],
  ])('switches from %s to %s over HTTP within the call that detected it', async (before, after) => {
    const urls: Record<string, string> = {
      [OLDER]: (await httpMcpServer()).url,
      [STATELESS]: (await statelessHttp()).url,
    }
    const proxy = await switchable(urls[before]!)
    const lab = await mcpLab(() => ({ a: { url: proxy.url } }))
    const session = await lab.session()
    expect(await lab.calls(session, [call('1')])).toEqual(['1'])
    expect(await versionOf(lab)).toBe(before)
    proxy.to(urls[after]!)
    expect(await lab.calls(session, [call('2')])).toEqual(['2'])
    expect(await versionOf(lab)).toBe(after)
  })
})
