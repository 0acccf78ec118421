/**
 * Finds private terms and puzzling phrases in code, documentation and prompts: `node scripts/check-words.ts [PATH...]`.
 * Part of `npm run check`. The list says what to write instead; the style guide is in CONTRIBUTING.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trackedFiles } from './tracked-files.ts'

const root = join(import.meta.dirname, '..')

/** Phrases to avoid, and what to write instead. Matched ignoring case, on word boundaries. */
const PHRASES: readonly (readonly [pattern: string, instead: string])[] = [
  ['(?:there )?(?:is|are|was|were) none', 'say what is missing: "there is no X", "X is missing", "no results"'],
  ['(?:not )?in force', 'enabled, active, applied, off'],
  ['nobody|no one', 'no user, no client, "when no UI is attached", or the passive voice'],
  ['somebody|someone|anybody|anyone', 'the user, another process, a client'],
  ['whoever', 'the caller, the user, the process that'],
  ['wants an?', 'requires, needs, asks for'],
  ['anew', 'again'],
  ['lets? go(?: of)?', 'releases, drops'],
  ['(?:goes|gone) on|go on', 'continues, resumes, keeps running'],
  ['all the same', 'anyway, still'],
  ['in words', 'as text, as a message'],
  ['shall', 'should, will, must'],
  ['to be told', 'to be notified'],
  ['would catch', 'state the promise: "keeps CRLF line endings"'],
  ['begun', 'started'],
  ['mend(?:s|ed|ing)?', 'fix, fixed, repair'],
  ['the way back', 'undo, restore'],
  ['custody', 'supervision; process tag'],
  ['news desk', 'task notifier'],
  ['as if it (?:had|were) never', 'undo everything since'],
  ['for good', 'permanently'],
  ['is against it', 'blocks it'],
  ['sign of life', 'activity, heartbeat'],
  ['takes? the place of', 'replaces'],
  ['look(?:s|ed)? (?:it|them|this) up anew', 'reads again'],
  ['(?:your|the user.s|a person.s) word', 'approval'],
  ['makes? room', 'compacts, frees space'],
  ['in any case', 'always; or: ignoring case, case-insensitive'],
  ['thereby', 'which'],
  ['by itself|by themselves|of itself', 'automatically, alone'],
  ['nothing of (?:it|them|this|that|these|those|what)', 'none of it, no part of them'],
  ['(?:told|tells?|heard|hears?|knows?) of', 'reports, is notified about, knows about'],
  [String.raw`(?:\/\*\*|\/\/|\*) so (?:many|much|long|often)`, 'maximum number, how long, how often'],
]

/** Correct matches: another's product, a quotation, a recorded name, a field that programs rely on. */
const EXCEPTIONS: readonly RegExp[] = [
  /TRESTLE_CUSTODY/,
  // The list itself and its test.
  /check-words/,
  // Words in users' queries: data for ranking tools.
  /somebody\|someone\|whoever|begun:begin/,
  // Words that the ranking of memory entries ignores.
  /some somebody something|any anyone anything/,
]

/** Domain names to avoid in identifiers: matched as a whole word of camelCase. */
const IDENTIFIERS: readonly (readonly [pattern: string, instead: string])[] = [
  ['custody|custodian', 'supervisor, supervision'],
  ['newsDesk', 'taskNotifier'],
  ['lentTools|lender', 'clientCapabilities'],
  ['seat', 'terminal'],
  ['MOST_[A-Z_]+', 'MAX_'],
  ['LEAST_[A-Z_]+', 'MIN_'],
]

const FILES = /^(?:src|docs|resources|test|e2e|bench|scripts|evals\/runner)\/.*\.(?:tsx?|md|mjs)$|^[A-Z]+\.md$/
const SKIPPED = /^(?:docs\/wire-schema|docs\/models\.md|scripts\/check-words)|^resources\/tool-search\//

interface Finding {
  file: string
  line: number
  text: string
  instead: string
}

const words = PHRASES.map(([pattern, instead]) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${pattern})(?![\w-])`, 'i'),
  instead,
}))
const names = IDENTIFIERS.map(([pattern, instead]) => ({
  pattern: new RegExp(String.raw`\b(?:${pattern})\b`),
  instead,
}))

/** Every line of the file that contains one of the phrases, with the replacement. */
function findingsIn(file: string): Finding[] {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (EXCEPTIONS.some((exception) => exception.test(text))) return []
      const hit = words.find(({ pattern }) => pattern.test(text)) ?? names.find(({ pattern }) => pattern.test(text))
      return hit ? [{ file, line: index + 1, text: text.trim(), instead: hit.instead }] : []
    })
}

const tracked = trackedFiles(root, process.argv.slice(2)).filter((file) => FILES.test(file) && !SKIPPED.test(file))
const findings = tracked.flatMap(findingsIn)
for (const { file, line, text, instead } of findings)
  console.log(`${file}:${line}: ${text.slice(0, 160)}\n    instead: ${instead}`)
if (findings.length > 0) console.log(`${findings.length} lines to reword.`)
process.exit(findings.length === 0 ? 0 : 1)
