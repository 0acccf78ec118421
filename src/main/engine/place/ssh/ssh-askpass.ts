import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plainNode } from '../../runtime/plain-node'
import type { LaunchAsk } from '../launcher/launcher'

/**
 * The program that ssh runs to ask: passes the question to us over a socket and prints the answer, which is never in a
 * file, argument or environment.
 */
const PROGRAM = `
const s = require('net').connect(process.env.TRESTLE_ASK_SOCKET)
let answer = ''
s.on('error', () => process.exit(1))
s.on('data', (d) => (answer += d))
s.on('end', () => { const { ok, text } = JSON.parse(answer || '{"ok":false}'); if (!ok) process.exit(1); process.stdout.write(text + '\\n') })
s.write(JSON.stringify({ key: process.env.TRESTLE_ASK_KEY, text: process.argv[1] ?? '', hint: process.env.SSH_ASKPASS_PROMPT ?? '' }) + '\\n')
`

/** The environment that makes ssh ask through us instead of a terminal, until it is closed. */
export function askpassEnvironment(home: string, ask: LaunchAsk): { env: NodeJS.ProcessEnv; close(): void } {
  const run = join(home, 'run')
  mkdirSync(run, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(run.length < 60 ? run : tmpdir(), 'ask-'))
  const socket = join(folder, 's')
  const program = join(folder, 'ask')
  const key = randomBytes(16).toString('hex')
  writeFileSync(program, `#!/bin/sh\nexec "$TRESTLE_ASK_NODE" -e "$TRESTLE_ASK_CODE" -- "$1"\n`, { mode: 0o700 })
  const server = createServer({ allowHalfOpen: true }, (client) => {
    let line = ''
    client.setEncoding('utf8')
    client.on('error', () => undefined)
    client.on('data', (text: string) => {
      line += text
      if (line.length > 100_000) return client.destroy()
      if (!line.includes('\n')) return undefined
      client.removeAllListeners('data')
      void reply(line)
      return undefined
    })
    const reply = async (text: string): Promise<void> => {
      const asked = parsed(text)
      const answer =
        asked?.key === key ? await ask.answer?.(questionOf(asked.text, asked.hint)).catch(() => null) : null
      client.end(JSON.stringify(typeof answer === 'string' ? { ok: true, text: answer } : { ok: false }))
    }
  })
  server.on('error', () => undefined)
  server.listen(socket)
  return {
    env: {
      ...process.env,
      SSH_ASKPASS: program,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: process.env['DISPLAY'] ?? ':0',
      TRESTLE_ASK_SOCKET: socket,
      TRESTLE_ASK_KEY: key,
      TRESTLE_ASK_NODE: plainNode(),
      TRESTLE_ASK_CODE: PROGRAM,
    },
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function parsed(line: string): { key: string; text: string; hint: string } | undefined {
  try {
    return JSON.parse(line) as { key: string; text: string; hint: string }
  } catch {
    return undefined
  }
}

/** What kind of answer ssh expects. */
function questionOf(text: string, hint: string): { text: string; kind: 'secret' | 'confirm' | 'text' } {
  const asked = text.trim().slice(0, 4000)
  if (hint === 'confirm' || /\(yes\/no(?:\/\[fingerprint\])?\)/.test(asked)) return { text: asked, kind: 'confirm' }
  return {
    text: asked,
    kind: /pass(?:word|phrase|code)|PIN\b|OTP|verification code/i.test(asked) || hint === '' ? 'secret' : 'text',
  }
}
