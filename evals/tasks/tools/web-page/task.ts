import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const pageOf = (version: string): string =>
  `<html><head><title>Widget releases</title></head><body><nav>Home</nav><article><h1>Widget releases</h1><p>${'The widget has been made since the first year. '.repeat(12)}</p><p>The current release needs runtime ${version}.</p></article></body></html>`

const task: EvalTask = {
  about: 'Fetches a page and answers from it, instead of from an old README.',
  prompts: [
    'Which version of the runtime does the current release of the widget need? See {{url}} and answer with the version and nothing else.',
  ],
  async setup() {
    const version = `${randomInt(5, 9)}.${randomInt(10, 99)}`
    const server = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(pageOf(version)),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      values: { url: `http://${host}/releases`, version },
      config: { web: { allowed_hosts: [host] } },
      async close() {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      },
    }
  },
  check({ answer, values }) {
    return answer.includes(values['version']!) ? [] : [`The answer is "${answer}"; right is ${values['version']}.`]
  },
  good: {
    steps: [
      ({ values }) => call('FetchURL', { url: values['url'] }),
      ({ said }) => say(/current release needs runtime ([\d.]+\d)/.exec(said)?.[1] ?? 'The page did not come.'),
    ],
  },
  bad: {
    steps: [read('README.md'), say('4.2')],
  },
}

export default task
