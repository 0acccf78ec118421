import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createWorkspace } from '../../workspace/workspace'
import { commandNeeds } from './sandbox-verdict'
import { inspectCommand } from '../command/inspect-command'

async function needsOf(command: string) {
  const base = await tempFolder()
  const root = join(base, 'project')
  mkdirSync(root)
  writeFileSync(join(root, 'a'), '')
  const workspace = createWorkspace({ root, home: join(base, 'home') })
  const needs = commandNeeds(await inspectCommand(command, root, workspace))
  const shown = (paths: string[]): string[] =>
    paths.map((path) => (path.startsWith(base) ? path.slice(base.length + 1) : path))
  return { ...needs, writesOutside: shown(needs.writesOutside), secrets: shown(needs.secrets) }
}

describe('the network', () => {
  it.each([
    ['npm test', 'none'],
    ['npm run build', 'none'],
    ['git status', 'none'],
    ['git commit -m "fetch https://x.example"', 'none'],
    ['cargo build --release', 'none'],
    ['go build ./...', 'none'],
    ['ls && pwd', 'none'],
    ['git clone ./a b', 'none'],
    ['rsync -a a b', 'none'],
    ['curl file:///etc/hosts', 'none'],
    ['curl --version', 'none'],
    ['npm ci', ['registry.npmjs.org']],
    ['npm i react', ['registry.npmjs.org']],
    ['pnpm add -D vitest', ['registry.npmjs.org']],
    ['npm i user/repo', ['registry.npmjs.org', 'github.com', 'codeload.github.com']],
    ['npm i --registry=https://npm.example', ['registry.npmjs.org', 'npm.example']],
    ['pip install -r requirements.txt', ['pypi.org', 'files.pythonhosted.org']],
    ['python3 -m pip install x', ['pypi.org', 'files.pythonhosted.org']],
    ['go mod download', ['proxy.golang.org', 'sum.golang.org']],
    ['curl https://A.example/x?y=https://b.example', ['a.example']],
    ['curl -sSL a.example/install.sh', ['a.example']],
    ['wget -q https://a.example/x -O y', ['a.example']],
    ['curl https://user@evil.example@a.example/', ['a.example']],
    ['git clone https://github.com/x/y', ['github.com']],
    ['git clone git@github.com:x/y.git', ['github.com']],
    ['sh -c "curl https://a.example" && npm ci', ['registry.npmjs.org', 'a.example']],
    ['scp a user@h.example:b', ['h.example']],
    ['git push', 'unknown'],
    ['git fetch origin', 'unknown'],
    ['curl "$URL"', 'unknown'],
    ['curl -K settings', 'unknown'],
    ['curl "https://{a,b}.example/"', 'unknown'],
    ['docker pull x', 'unknown'],
    ['nc a.example 80', 'unknown'],
    ['ssh build-machine', 'unknown'],
    ['curl --resolve a.example:443:10.0.0.1 https://a.example', 'unknown'],
  ])('%s: %j', async (command, expected) => {
    const { network } = await needsOf(command)
    expect(typeof network === 'string' ? network : network.hosts.toSorted()).toEqual(
      Array.isArray(expected) ? expected.toSorted() : expected,
    )
  })
})

describe('files outside the project', () => {
  it.each([
    ['cp a ../b', ['b']],
    ['touch x', []],
    ['npm test > /dev/null', []],
    ['tee ~/notes', ['home/notes']],
    ['echo x >> ../log', ['log']],
    ['git clone https://a.example/x ../x', ['x']],
    ['mv a ../', ['', 'a']],
    ['make --directory=../other', []],
  ])('%s writes %j', async (command, expected) => {
    expect((await needsOf(command)).writesOutside).toEqual(expected)
  })

  it('reports which files with secrets are opened, and what is known only at run time', async () => {
    expect((await needsOf('cat .env; ls .env')).secrets).toEqual(['project/.env'])
    expect((await needsOf('eval "$x"')).unknown).toEqual([expect.stringContaining('eval')])
  })
})
