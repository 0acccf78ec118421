import { createReadStream } from 'node:fs'
import { Transform } from 'node:stream'
import { CodedError } from '../../../../shared/errors'
import type { PlaceShell, PrepareOptions, ShellResult } from '../launcher/launcher'
import { quoted, runScript } from '../launcher/shell-run'
import { plainLine } from '../remote/plain-text'
import type { BundlePart } from './bundle'
import { SERVER_FOLDER } from './probe'

/** Free space that must remain, in bytes. */
const SPARE_BYTES = 20 << 20

/**
 * Copies a part to `~/.trestle-server/<its hash>` unless it is there, in one stream that continues where an earlier one
 * broke off. The part appears there complete or not at all. `clientId`: keeps the copies of different machines apart.
 */
export async function installPart(
  shell: PlaceShell,
  part: BundlePart,
  { clientId, freeBytes, ...options }: PrepareOptions & { clientId: string; freeBytes?: number | undefined },
): Promise<void> {
  const { path, bytes, sha256 } = await part.archive()
  const file = `${SERVER_FOLDER}/.part-${part.name}-${sha256.slice(0, 12)}-${clientId}`
  const wanted = bytes + part.bytes + SPARE_BYTES
  for (let attempt = 1; ; attempt += 1) {
    const started = await runScript(
      shell,
      `umask 077; mkdir -p ${SERVER_FOLDER} || exit 9; if [ -f ${file} ]; then wc -c < ${file}; else echo 0; fi`,
      options,
    )
    if (started.exitCode !== 0) throw copyFailure(started)
    const there = Number(started.stdout.trim().split('\n').at(-1))
    const offset = Number.isSafeInteger(there) && there >= 0 && there <= bytes ? there : 0
    if (freeBytes !== undefined && freeBytes + offset < wanted)
      throw new CodedError(
        'place.no_space',
        `Trestle needs ${megabytes(wanted - offset)} MB in the home folder there, ` +
          `and ${megabytes(freeBytes)} MB are free.`,
      )
    const sent = await send(shell, { path, file, offset, bytes }, options)
    if (sent.exitCode !== 0) throw copyFailure(sent)
    const unpacked = await runScript(shell, unpackScript({ part, file, sha256 }), options)
    if (unpacked.exitCode === 0) return
    // The copy is damaged: it is removed there, and copied once more from the start.
    if (unpacked.exitCode !== DAMAGED || attempt === 2) throw copyFailure(unpacked)
  }
}

const DAMAGED = 8

function send(
  shell: PlaceShell,
  { path, file, offset, bytes }: { path: string; file: string; offset: number; bytes: number },
  { progress, ...options }: PrepareOptions,
): Promise<ShellResult> {
  let done = offset
  let reported = -1
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length
      const percent = Math.floor((done / bytes) * 20) * 5
      if (percent !== reported) progress?.(`Copying Trestle (${megabytes(bytes)} MB): ${(reported = percent)}%`)
      next(null, chunk)
    },
  })
  const begin = offset === 0 ? `: > ${file} && ` : ''
  const script = `umask 077; ${begin}[ "$(wc -c < ${file})" -eq ${offset} ] && cat >> ${file}`
  return runScript(shell, script, { ...options, stdin: createReadStream(path, { start: offset }).pipe(count) })
}

/** Verifies the archive if a tool for that exists, unpacks it next to its target, and moves it there. */
function unpackScript({ part, file, sha256 }: { part: BundlePart; file: string; sha256: string }): string {
  const target = `${SERVER_FOLDER}/${part.name}`
  return `
umask 077
sum=$( (sha256sum < ${file} || shasum -a 256 < ${file} || openssl dgst -sha256 -r < ${file}) 2>/dev/null | cut -c1-64)
if [ -n "$sum" ] && [ "$sum" != ${sha256} ]; then rm -f ${file}; echo "the copy is damaged" >&2; exit ${DAMAGED}; fi
if [ -f ${target}/.complete ]; then rm -f ${file}; exit 0; fi
new=${SERVER_FOLDER}/.new-$$
rm -rf "$new" && mkdir "$new" || exit 9
if ! tar -xzf ${file} -C "$new"; then rm -rf "$new"; exit 9; fi
printf '%s\\n' ${quoted(part.version)} > "$new/.complete" || { rm -rf "$new"; exit 9; }
rm -rf ${target}
mv "$new" ${target} || { rm -rf "$new"; exit 9; }
rm -f ${file}
`
}

function copyFailure({ stderr, exitCode }: ShellResult): CodedError {
  const text = plainLine(stderr.trim().split('\n').at(-1) ?? '')
  if (/No space left|Disk quota exceeded|File too large/i.test(stderr))
    return new CodedError('place.no_space', `The disk or the quota there is full: ${text}`)
  if (/Permission denied|Read-only file system/i.test(stderr))
    return new CodedError('place.copy_failed', `The home folder there cannot be written: ${text}`)
  if (/tar.*not found|not found.*tar/i.test(stderr))
    return new CodedError('place.unsupported', 'It has no tar, which unpacks what is copied. Install tar there.')
  return new CodedError('place.copy_failed', text === '' ? `The copy ended with code ${exitCode}.` : text)
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / 1_000_000).toLocaleString('en-US')
}

/** Removes versions that no process runs from, and unfinished copies older than a day; prints how many. */
export function tidyScript(keep: readonly string[]): string {
  return `
cd ${SERVER_FOLDER} 2>/dev/null || { echo 0; exit 0; }
count=0
used=$(ps -A -o args 2>/dev/null || ps ax -o args 2>/dev/null)
for name in *-????????????????; do
  [ -d "$name" ] || continue
  case " ${keep.join(' ')} " in *" $name "*) continue;; esac
  case "$used" in *".trestle-server/$name"*) continue;; esac
  rm -rf "$name" && count=$((count + 1))
done
find . -maxdepth 1 -name '.part-*' -mtime +1 -exec rm -f {} + 2>/dev/null
find . -maxdepth 1 -name '.new-*' -mtime +1 -exec rm -rf {} + 2>/dev/null
echo "$count"
`
}
