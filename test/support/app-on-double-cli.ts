/**
 * Starts the main process of a package with a test double of the electron module: `node --import ts-hooks.mjs
 * app-on-double-cli.ts <folder of the unpacked archive> <home>`. Prints one line of JSON: what the window shows, and
 * what was loaded from outside the folder.
 */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { writeFileSync } from 'node:fs'
import { findChromium, launchChromium } from './chromium.ts'
import { ElectronDouble } from './electron-double.ts'
import { until } from './until.ts'

const [app = '', home = ''] = process.argv.slice(2)
const entry = join(app, 'out', 'main', 'index.js')
const executable = await findChromium()
if (executable === null) throw new Error('There is no Chromium.')
const browser = await launchChromium(executable)
const double = new ElectronDouble({ browser, isPackaged: true })
const names: string[] = []
Object.assign(double.app, { setName: (name: string) => names.push(name) })
// No key store: keys are stored in a file.
Object.assign(globalThis, {
  electronOfThePackage: { ...double.module, safeStorage: { isEncryptionAvailable: () => false } },
})
process.env['TRESTLE_HOME'] = home

const electron = join(home, 'electron-double.cjs')
writeFileSync(electron, 'module.exports = globalThis.electronOfThePackage\n')
const outside: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    const fromPackage = context.parentURL?.startsWith(pathToFileURL(app).href) === true
    if (fromPackage && specifier === 'electron') return { url: pathToFileURL(electron).href, shortCircuit: true }
    const found = next(specifier, context)
    if (fromPackage && found.url.startsWith('file:') && !fileURLToPath(found.url).startsWith(app))
      outside.push(fileURLToPath(found.url))
    return found
  },
})

await import(pathToFileURL(entry).href)
await until(() => double.windows[0]?.isShown === true || double.errorBoxes.length > 0, 'the window', 120_000)
const page = double.windows[0]?.webContents.page
await page?.getByRole('button', { name: 'Try the demo' }).waitFor({ timeout: 120_000 })
const title = await page?.title()
double.app.quit()
await until(() => double.app.hasQuit, 'the end', 60_000)
const schemes = double.schemes.map(({ scheme }) => scheme)
process.stdout.write(`${JSON.stringify({ title, names, outside, errors: double.errorBoxes, schemes })}\n`)
await double.close()
await browser.close()
