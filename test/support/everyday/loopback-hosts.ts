import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const NPM_FILE = 'tiny-1.0.0.tgz'
const WHEEL = 'tiny-1.0.0-py3-none-any.whl'

/**
 * The network services that everyday commands use, on this machine: a page, an npm registry and a pip index with one
 * package each, and repositories that can be cloned and pushed to. Returns the server and its address; `folder`
 * contains its files.
 */
export async function serveLoopbackHosts(
  folder: string,
  repositories: readonly string[],
): Promise<{ server: Server; url: string }> {
  makePackages(folder)
  for (const name of repositories) makeRepository(folder, name)
  let url = ''
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path.startsWith('/git/')) return runGit(folder, request, response)
    const found = answerTo(path, folder, url)
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': path.startsWith('/pip/') ? 'text/html' : 'application/json',
    })
    response.end(found)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  return { server, url }
}

function answerTo(path: string, folder: string, url: string): string | Buffer | undefined {
  switch (path) {
    case '/page.txt':
      return 'a page\n'
    case '/npm/tiny': {
      const integrity = `sha512-${createHash('sha512')
        .update(readFileSync(join(folder, NPM_FILE)))
        .digest('base64')}`
      const version = { name: 'tiny', version: '1.0.0', dist: { tarball: `${url}/files/${NPM_FILE}`, integrity } }
      return JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } })
    }
    case '/pip/tiny/':
      return `<!doctype html><a href="${url}/files/${WHEEL}">${WHEEL}</a>`
    case `/files/${NPM_FILE}`:
    case `/files/${WHEEL}`:
      return readFileSync(join(folder, path.slice('/files/'.length)))
    default:
      return undefined
  }
}

function makePackages(folder: string): void {
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0' }))
  execFileSync('tar', ['-czf', NPM_FILE, 'package'], { cwd: folder })
  const info = join(folder, 'tiny-1.0.0.dist-info')
  mkdirSync(info)
  writeFileSync(join(folder, 'tiny.py'), 'SIZE = 1\n')
  writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n')
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
  writeFileSync(
    join(info, 'RECORD'),
    'tiny.py,,\ntiny-1.0.0.dist-info/METADATA,,\ntiny-1.0.0.dist-info/WHEEL,,\ntiny-1.0.0.dist-info/RECORD,,\n',
  )
  execFileSync('python3', ['-m', 'zipfile', '-c', WHEEL, 'tiny.py', 'tiny-1.0.0.dist-info'], { cwd: folder })
}

function makeRepository(folder: string, name: string): void {
  const path = join(folder, 'git', `${name}.git`)
  mkdirSync(path, { recursive: true })
  const git = (...args: string[]): Buffer => execFileSync('git', ['-C', path, ...args], { input: '' })
  git('init', '-q', '--bare', '-b', 'main')
  git('config', 'http.receivepack', 'true')
  const tree = git('mktree').toString().trim()
  const commit = git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit-tree', '-m', 'first', tree)
    .toString()
    .trim()
  git('update-ref', 'refs/heads/main', commit)
}

/** Serves Git over HTTP with git's own program. */
function runGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const header = (name: string): string => [request.headers[name] ?? ''].flat().join()
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: join(folder, 'git'),
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: header('git-protocol'),
      PATH_INFO: pathname.slice('/git'.length),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  child.once('close', () => {
    const all = Buffer.concat(parts)
    const end = all.indexOf('\r\n\r\n')
    for (const line of all.subarray(0, end).toString().split('\r\n')) {
      const at = line.indexOf(':')
      if (line.startsWith('Status:')) response.statusCode = Number.parseInt(line.slice(at + 1), 10)
      else response.setHeader(line.slice(0, at), line.slice(at + 1).trim())
    }
    response.end(all.subarray(end + 4))
  })
}
