import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTrust } from '../../src/main/engine/trust/create-trust'
import { textOf } from '../../src/shared/model/turn/message'
import { httpMcpServer, type HttpMcpServer } from '../support/mcp-http-server'
import { mcpLab, type McpLab } from '../support/mcp-lab'
import { trustProject } from '../support/trust-project'
import { until } from '../support/until'

const writeServer = ({ scratch }: McpLab, { url }: HttpMcpServer): void =>
  writeFileSync(join(scratch.project, '.mcp.json'), JSON.stringify({ mcpServers: { notes: { url } } }))
const callsOf = ({ messages }: HttpMcpServer): number => messages.filter(({ method }) => method === 'tools/call').length

/** Has the agent call the server `notes`, changes something while the call waits, and allows it; returns its result. */
async function allowedAfter({ engine, ...lab }: McpLab, change: () => Promise<unknown>): Promise<string> {
  const sessionId = await lab.session('ask')
  await lab.begin(sessionId, [{ name: 'mcp__notes__echo', input: { text: 'hello' } }])
  await until(() => engine.sessions.header(sessionId).approvals.length > 0, 'the request', 60_000)
  await change()
  const [{ approvalId } = { approvalId: '' }] = engine.sessions.header(sessionId).approvals
  await engine.sessions.reply(sessionId, { approvalId, optionId: 'allow_once' })
  await lab.ended(sessionId, 1)
  return lab
    .of(sessionId, 'tool.finished')
    .map(({ content }) => textOf(content))
    .join('\n')
}

it('a call that was allowed for one server is not sent to another that has taken over its name', async () => {
  const [own, ofProject] = [await httpMcpServer(), await httpMcpServer()]
  const lab = await mcpLab(() => ({ notes: { url: own.url } }), { files: { 'a.txt': '' } })
  const result = await allowedAfter(lab, async () => {
    writeServer(lab, ofProject)
    const { trust } = lab.engine
    await trust.accept(lab.scratch.project, (await trust.view(lab.scratch.project)).hash)
  })
  expect(result).toContain('The MCP server notes is no longer available')
  expect([callsOf(own), callsOf(ofProject)]).toEqual([0, 0])
})

it('a call is not sent to a server of a project that another Trestle has stopped trusting', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({}), { files: { 'a.txt': '' } })
  writeServer(lab, server)
  await trustProject(lab.scratch.home, lab.scratch.project)
  const result = await allowedAfter(lab, () => {
    const { home, project } = lab.scratch
    const other = createTrust({ home, now: Date.now, notify: () => undefined, describeServers: async () => [] })
    return other.forget(project)
  })
  expect(result).toContain('The MCP server notes is no longer available')
  expect(callsOf(server)).toBe(0)
})
