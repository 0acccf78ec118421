/**
 * Replaces a browser whose user agrees to everything: `node follow-url.ts URL` opens the page and follows its
 * redirects.
 */
import { argv } from 'node:process'

const answer = await fetch(argv[2]!)
await answer.text()
if (!answer.ok) throw new Error(`HTTP ${answer.status} from ${new URL(answer.url).pathname}`)
