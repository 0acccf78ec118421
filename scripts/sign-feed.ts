/**
 * Signs the update feeds of a folder: `TRESTLE_UPDATE_PRIVATE_KEY=<file in PEM> node scripts/sign-feed.ts [dist]`. For
 * each feed (`latest*.yml`, `beta*.yml`), it writes `<feed>.sig`; the app accepts no feed without it
 * (src/main/host/electron/update/verify-feed.ts).
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Signs every feed in `folder`; returns their names. */
export function signFeeds(folder: string, key: KeyObject): string[] {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('Update feeds are signed with an Ed25519 key.')
  const feeds = readdirSync(folder).filter((name) => /^(?:latest|beta)[\w-]*\.yml$/.test(name))
  for (const name of feeds)
    writeFileSync(
      join(folder, `${name}.sig`),
      `${sign(null, readFileSync(join(folder, name)), key).toString('base64')}\n`,
    )
  return feeds
}

if (import.meta.main) {
  const file = process.env['TRESTLE_UPDATE_PRIVATE_KEY']
  if (file === undefined) {
    process.stderr.write('Set TRESTLE_UPDATE_PRIVATE_KEY to the file of the private key.\n')
    process.exitCode = 2
  } else {
    const feeds = signFeeds(
      process.argv[2] ?? join(import.meta.dirname, '..', 'dist'),
      createPrivateKey(readFileSync(file)),
    )
    process.stdout.write(
      feeds.length === 0 ? 'There are no feeds.\n' : feeds.map((name) => `signed ${name}\n`).join(''),
    )
    if (feeds.length === 0) process.exitCode = 1
  }
}
