/**
 * Checks for updates once, in a folder on a disk that may be full: `node --import ts-hooks.mjs update-once-cli.ts
 * <folder> <url> <public key in PEM>`.
 */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { UpdateLab } from './update-lab.ts'

const [folder = '', url = '', pem = ''] = process.argv.slice(2)
const lab = new UpdateLab(folder, { url: new URL(url), publicKey: createPublicKey(pem) })
lab.install('1.0.0')
const updater = lab.start('1.0.0')
await updater.check()
updater.close()
process.stdout.write(
  `${JSON.stringify({ state: updater.view().state, installed: readFileSync(lab.appImage, 'utf8') })}\n`,
)
