import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { startModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

it.skipIf(sandboxSupport().kind === 'none')(
  'files that were open when Trestle started are closed for sandboxed commands, in warm and new sandboxes',
  async () => {
    const scratch = createScratch({})
    const command = 'cat <&40; ls -l /proc/self/fd'
    const model = await startModelServer({
      script: [{ toolCalls: [{ name: 'Bash', input: { command } }] }, { text: 'ok' }],
    })
    writeConfig(scratch.home, configFor(model.baseUrl))
    const secret = join(scratch.home, 'secret')
    writeFileSync(secret, 'sk-secret')
    const run = async (...args: string[]): Promise<string> => {
      const { PATH = '', HOME = '' } = process.env
      const child = spawn('bash', ['-c', `exec 40<"$0"; exec "$@"`, secret, process.execPath, CLI, ...args], {
        cwd: scratch.project,
        env: { PATH, HOME, TRESTLE_HOME: scratch.home },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
      await once(child, 'close')
      return output
    }
    try {
      const alone = await run('sandbox', 'try', command)
      expect(alone).toContain('/proc/')
      expect(alone).not.toContain('secret')
      await run('print', 'go', '--permission-mode', 'auto')
      const warm = JSON.stringify(model.requests.at(-1)?.body)
      expect(warm).toContain('/proc/')
      expect(warm).not.toContain('sk-secret')
    } finally {
      await model.close()
      scratch.remove()
    }
  },
)
