import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNetwork } from '../../src/main/engine/network/network'
import { canMakeCertificates, makeCertificate } from '../support/certificate'
import { startModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A proxy that resolves every host to this machine and records the requests. */
async function startProxy({ status = 200 } = {}) {
  const asked: string[] = []
  const server = createServer((from, to) => {
    asked.push(from.url!)
    const target = new URL(from.url!)
    from.pipe(
      request(
        { host: '127.0.0.1', port: target.port, path: target.pathname, method: from.method, headers: from.headers },
        (answer) => {
          to.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(to)
        },
      ),
    )
  })
  server.on('connect', (from, socket, head) => {
    asked.push(`CONNECT ${from.url} ${from.headers['proxy-authorization'] ?? ''}`.trim())
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} no\r\n\r\n`)
      return
    }
    const to = connect(Number(from.url!.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      to.write(head)
      socket.pipe(to).pipe(socket)
    })
    to.on('error', () => socket.destroy())
    socket.on('error', () => to.destroy())
  })
  return { asked, url: `http://127.0.0.1:${await listen(server)}` }
}

function secondFolder(): { home: string; project: string; certificates: string } {
  const scratch = createScratch()
  onTestFinished(() => scratch.remove())
  const certificates = join(scratch.project, 'certificates')
  mkdirSync(certificates)
  return { ...scratch, certificates }
}

/** The scripted model behind TLS with a certificate from the test's own authority. */
async function startSecureModel(certificates: string) {
  const certificate = makeCertificate(certificates)
  const model = await startModelServer({ script: [{ text: 'hello from the model' }] })
  onTestFinished(() => model.close())
  const front = createSecureServer({ key: certificate.key, cert: certificate.cert }, (from, to) => {
    from.pipe(
      request(
        { port: model.port, host: '127.0.0.1', path: from.url, method: from.method, headers: from.headers },
        (answer) => {
          to.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(to)
        },
      ),
    )
  })
  return { port: await listen(front), authority: certificate.authority, model }
}

describe.skipIf(!canMakeCertificates)('a model behind a certificate unknown to Node', () => {
  const ask = async (more: (authority: string) => { config?: string; env?: Record<string, string> }) => {
    const { home, project, certificates } = secondFolder()
    const { port, authority } = await startSecureModel(certificates)
    const { config = '', env = {} } = more(authority)
    writeConfig(home, `${configFor(`https://localhost:${port}/v1`, { loop: 'max_attempts = 1' })}\n${config}`)
    return runCli(['print', 'hi'], { home, cwd: project, env })
  }

  test('is reached when the system trusts its authority', async () => {
    expect(await ask((authority) => ({ env: { SSL_CERT_FILE: authority, SSL_CERT_DIR: '/nowhere' } }))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hello from the model'),
    })
  })

  test('is reached when [network] ca_file contains its authority', async () => {
    expect(await ask((authority) => ({ config: `[network]\nca_file = "${authority}"\n` }))).toMatchObject({ code: 0 })
  })

  test('is not trusted otherwise, and the error says what to do', async () => {
    const run = await ask(() => ({}))
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/is not trusted: .*name its PEM file as ca_file under \[network\] in config\.toml/)
  })

  test('does not keep Trestle from starting when ca_file is not a certificate', async () => {
    const run = await ask((authority) => {
      writeFileSync(`${authority}.txt`, 'no certificate')
      return { config: `[network]\nca_file = "${authority}.txt"\n` }
    })
    expect(run.stderr).toContain('holds no certificate in PEM form')
  })
})

describe('a proxy', () => {
  const print = async (env: Record<string, string>, config: string, baseUrl: string) => {
    const { home, project } = secondFolder()
    writeConfig(home, `${configFor(baseUrl, { loop: 'max_attempts = 1' })}\n${config}`)
    return runCli(['print', 'hi'], { home, cwd: project, env })
  }

  test('of the environment is used for models, without a setting', async () => {
    const [proxy, model] = await Promise.all([
      startProxy(),
      startModelServer({ script: [{ text: 'through the proxy' }] }),
    ])
    onTestFinished(() => model.close())
    const run = await print({ HTTP_PROXY: proxy.url }, '', `http://model.test:${model.port}/v1`)
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('through the proxy') })
    expect(proxy.asked).toEqual([`http://model.test:${model.port}/v1/chat/completions`])
  })

  test.skipIf(!canMakeCertificates)(
    'of the settings is used for encrypted connections, with its user name and password',
    async () => {
      const { certificates } = secondFolder()
      const [proxy, model] = await Promise.all([startProxy(), startSecureModel(certificates)])
      const address = proxy.url.replace('http://', 'http://me:secret@')
      const run = await print(
        {},
        `[network]\nproxy = "${address}"\nca_file = "${model.authority}"\n`,
        `https://model.test:${model.port}/v1`,
      )
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('hello from the model') })
      expect(proxy.asked).toEqual([
        `CONNECT model.test:${model.port} Basic ${Buffer.from('me:secret').toString('base64')}`,
      ])
    },
  )

  test('that is unreachable is named with its source and advice, never with its password', async () => {
    const run = await print({}, '[network]\nproxy = "http://me:secret-word@127.0.0.1:1"\n', 'https://model.test/v1')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain(
      'through the proxy http://127.0.0.1:1 (from [network] proxy in config.toml) failed: nothing listens there',
    )
    expect(run.stderr).not.toContain('secret-word')
  })

  test('that requires a password reports that', async () => {
    const proxy = await startProxy({ status: 407 })
    const run = await print({}, `[network]\nproxy = "${proxy.url}"\n`, 'https://model.test/v1')
    expect(run.stderr).toContain('It asks for a name and password')
  })

  test("of the operating system carries other requests too, and redirects follow the request's policy", async () => {
    const proxy = await startProxy()
    const port = await listen(
      createServer((from, to) => {
        if (from.url === '/moved') to.writeHead(302, { location: '/here' }).end()
        else
          to.writeHead(200, { 'content-type': 'application/json' }).end(
            JSON.stringify({ method: from.method, url: from.url }),
          )
      }),
    )
    const network = createNetwork({
      settings: () => ({ proxy: 'system', noProxy: [] }),
      env: {},
      systemProxy: async () => `PROXY ${new URL(proxy.url).host}`,
      log: () => {},
    })
    const url = `http://server.test:${port}`
    const followed = await network.fetch(`${url}/moved`, { method: 'POST', body: 'x' })
    expect({ url: followed.url, redirected: followed.redirected, body: await followed.json() }).toEqual({
      url: `${url}/here`,
      redirected: true,
      body: { method: 'GET', url: '/here' },
    })
    expect((await network.fetch(`${url}/moved`, { redirect: 'manual' })).status).toBe(302)
    await expect(network.fetch(`${url}/moved`, { redirect: 'error' })).rejects.toThrow('fetch failed')
    expect(proxy.asked).toContain(`${url}/here`)
  })
})
