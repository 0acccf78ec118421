import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CodedError } from '../../../../shared/errors'
import { plainLine } from '../remote/plain-text'
import { misbehaved } from '../remote/wire-link'
import type { PlaceShell, PrepareOptions } from '../launcher/launcher'
import { quoted, runScript } from '../launcher/shell-run'

/** Copies a file of this machine to a new file there, readable only by its user. */
export async function uploadFile(
  shell: PlaceShell,
  file: string,
  path: string,
  options: PrepareOptions = {},
): Promise<void> {
  const stdin = createReadStream(file).pipe(counted(statSync(file).size, options))
  const { exitCode, stderr } = await runScript(shell, `umask 077; set -C; exec cat > ${quoted(path)}`, {
    ...options,
    stdin,
  })
  if (exitCode !== 0) throw copyFailure(stderr)
}

/** Copies a file from there to a new file; rejects more than `bytes`. */
export async function downloadFile(
  shell: PlaceShell,
  path: string,
  file: string,
  { bytes, ...options }: PrepareOptions & { bytes: number },
): Promise<void> {
  const channel = shell.start(`exec cat -- ${quoted(path)}`, options.ask ? { ask: options.ask } : {})
  channel.input.end()
  try {
    await pipeline(
      channel.output,
      counted(bytes, options),
      createWriteStream(file, { mode: 0o600, flags: 'wx' }),
      options.signal ? { signal: options.signal } : {},
    )
  } catch (error) {
    channel.kill()
    throw error
  }
  const { exitCode } = await channel.ended
  const failure = shell.failure({ exitCode: exitCode ?? 255, stdout: '', stderr: channel.errors() })
  if (failure) throw failure
  if (exitCode !== 0 || statSync(file).size !== bytes) throw copyFailure(channel.errors())
}

/** Reports the progress of a copy, and passes no more than the announced bytes. */
function counted(bytes: number, { progress }: PrepareOptions): Transform {
  let passed = 0
  let reported = -1
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length
      if (passed > bytes) return done(misbehaved('more than the file that it announced'))
      const percent = Math.floor((passed / bytes) * 20) * 5
      if (percent > reported) progress?.(`${megabytes(passed)} of ${megabytes(bytes)} MB`)
      reported = percent
      done(undefined, chunk)
    },
  })
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })
}

function copyFailure(stderr: string): CodedError {
  const last = plainLine(stderr.trim().split('\n').at(-1) ?? '')
  if (/No space left|Disk quota|File too large/i.test(stderr)) return new CodedError('place.no_space', last)
  return new CodedError('place.copy_failed', last === '' ? 'The copy broke off.' : `It said: ${last}`)
}
