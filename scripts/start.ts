/** `npm start`: builds what is stale and opens the app (see src/main/desktop-main.ts for what happens without a display). */
import { join } from 'node:path'
import './build.ts'

process.argv.splice(2, 0, 'desktop')
await import(join(import.meta.dirname, '..', 'out', 'main', 'cli.js'))
