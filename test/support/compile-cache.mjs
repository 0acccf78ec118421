/**
 * With `node --import`: keeps what Node compiles for the next process, also the types it strips, in the folder of
 * `ts-hooks.mjs`. In JavaScript, since stripping the types of this file would take longer than everything it saves.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
