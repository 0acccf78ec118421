import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../support/model-server'
import type { ScriptStep } from '../support/model-script'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { serveWeb } from '../support/web-server'

/**
 * Runs the built program with a script and returns the tool results that the model received, and the tools it was
 * offered.
 */
async function run(
  steps: ScriptStep[],
  settings: string,
  // 3: a call was denied.
  expected = settings.includes('deny') ? 3 : 0,
): Promise<{ results: string; tools: string[] }> {
  const scratch = createScratch({})
  const server = await startModelServer({ script: [...steps, { text: 'done' }] })
  onTestFinished(async () => {
    await server.close()
    scratch.remove()
  })
  writeConfig(scratch.home, `${configFor(server.baseUrl)}\n${settings}`)
  writeFileSync(join(scratch.project, 'a.txt'), '')
  const { code, stdout } = await runCli(['print', 'go', '--cwd', scratch.project], { home: scratch.home })
  expect({ code, stdout }).toEqual({ code: expected, stdout: 'done\n' })
  const { body } = server.requests.at(-1)!
  const offered = (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name)
  return { results: JSON.stringify(body['messages']), tools: offered }
}

it('the built program reduces a page to its article, and rejects internal addresses unless the user named them', async () => {
  const page = `<html><head><title>Spans</title></head><body><nav>Menu</nav><article><h1>Spans</h1><p>${'The long span. '.repeat(60)}</p></article></body></html>`
  const { origin, port } = await serveWeb((_, response) => response.setHeader('content-type', 'text/html').end(page))
  const fetchBoth = [
    {
      toolCalls: [
        { name: 'FetchURL', input: { url: origin } },
        { name: 'FetchURL', input: { url: `http://[::1]:${port}/` } },
      ],
    },
  ]
  const { results, tools } = await run(fetchBoth, `[web]\nallowed_hosts = ["127.0.0.1:${port}"]`)
  expect(results).toContain('Title: Spans')
  expect(results).toContain('The long span.')
  expect(results).not.toContain('Menu')
  expect(results).toContain('leads to this machine itself')
  expect(tools).toContain('FetchURL')
  expect(tools).not.toContain('WebSearch')
})

it('a deny rule on a host applies to FetchURL, even when an allowed page redirects to it', async () => {
  const { port, seen } = await serveWeb(({ url }, response) =>
    url === '/go'
      ? response.writeHead(302, { location: `http://localhost:${port}/secret` }).end()
      : response.end('secret'),
  )
  const rules =
    `[web]\nallowed_hosts = ["127.0.0.1:${port}", "localhost:${port}"]\n` +
    '[[permission.rules]]\ndecision = "deny"\npattern = "FetchURL(localhost)"'
  const calls = [
    { name: 'FetchURL', input: { url: `http://localhost:${port}/x` } },
    { name: 'FetchURL', input: { url: `http://127.0.0.1:${port}/go` } },
  ]
  const { results } = await run([{ toolCalls: calls }], rules)
  expect(seen).toEqual(['/go'])
  expect(results.match(/deny FetchURL\(localhost\)/g)).toHaveLength(2)
})

it('a deny rule on a host applies to the pages that a search fetches', async () => {
  const { origin, port, seen } = await serveWeb(({ url }, response) =>
    url?.startsWith('/search')
      ? response.end(
          JSON.stringify({
            results: [
              { url: `http://localhost:${port}/secret`, title: 'Denied' },
              { url: `http://127.0.0.1:${port}/open`, title: 'Open' },
            ],
          }),
        )
      : response.setHeader('content-type', 'text/plain').end(`content of ${url}`),
  )
  const rules =
    `[web]\nallowed_hosts = ["127.0.0.1:${port}", "localhost:${port}"]\n` +
    `[web.search]\nprovider = "searxng"\nbase_url = "${origin}"\n` +
    '[[permission.rules]]\ndecision = "deny"\npattern = "FetchURL(localhost)"'
  const search = { name: 'WebSearch', input: { query: 'x', include_content: true } }
  const { results } = await run([{ toolCalls: [search] }], rules, 0)
  expect(results).toContain('content of /open')
  expect(results).toContain('[Not fetched: your rule deny FetchURL(localhost)')
  expect(seen).not.toContain('/secret')
})

it('a search is offered and answered when a provider is configured', async () => {
  const { origin } = await serveWeb((_, response) =>
    response.end('{"results":[{"url":"https://a.example/","title":"Found it","content":"here"}]}'),
  )
  const { results, tools } = await run(
    [{ toolCalls: [{ name: 'WebSearch', input: { query: 'x' } }] }],
    `[web.search]\nprovider = "searxng"\nbase_url = "${origin}"`,
  )
  expect(tools).toContain('WebSearch')
  expect(results).toContain('1. Found it')
})
