import { splitWords, stem } from './tool-words'

/** What kind of thing is to be done: to look at something, make it, change it, or take it away. */
export type Intent = 'look' | 'make' | 'change' | 'remove'

const VERBS: Readonly<Record<Intent, string>> = {
  look:
    'get read list search find show view fetch retrieve query lookup describe count browse check inspect explain compare analyze download export ' +
    'monitor investigate diagnose predict estimate recall ' +
    'see look watch tail evaluate calculate top history diff summarize explain tell',
  make:
    'create add make new insert write post send append upload register open schedule generate publish reply forward invite build draft ' +
    'charge pay bill fork clone duplicate copy compose write file raise page order buy pin invoke play text call ping reserve broadcast announce ' +
    'remember prepare zip compress log record declare install start book attach save put push propose message share',
  change:
    'update edit change modify set rename move replace patch assign transition merge scale restart convert enable disable mark alter adjust fix close ' +
    'reopen resolve approve confirm reschedule postpone accept decline respond give lock unlock dim lower turn switch resize pause resume skip restore ' +
    'revert undo retry',
  remove:
    'delete remove drop clear trash archive cancel void truncate terminate kill detach unpin kick erase revoke discard forget unsubscribe uninstall ban block destroy wipe purge prune',
}

const INTENT_OF = new Map<string, Intent>()
for (const intent of ['look', 'make', 'change', 'remove'] as const)
  for (const verb of VERBS[intent].split(' ')) if (!INTENT_OF.has(stem(verb))) INTENT_OF.set(stem(verb), intent)

/** Of a request these may mean anything. */
const VAGUE = new Set(['get', 'see', 'check', 'open', 'top', 'share', 'book', 'record'].map(stem))

const QUESTION =
  /^\W*(?:(?:can|could) you (?:please )?)?(?:tell me |show me |let me know )?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|any)\b/i

/** What a request asks for, as far as its beginning says it: a question looks at something, else its first verb decides. */
export function intentOfRequest(request: string, words: readonly { word: string }[]): Intent | undefined {
  if (QUESTION.test(request)) return 'look'
  return firstIntent(words.slice(0, 2).flatMap(({ word }) => (VAGUE.has(word) ? [] : word)))
}

/** What a tool does, by the first verb of its name, or else of its description. */
export function intentOfTool(name: string, description: string): Intent | undefined {
  return firstIntent(splitWords(name).map(stem)) ?? firstIntent(splitWords(description).slice(0, 1).map(stem))
}

function firstIntent(stems: readonly string[]): Intent | undefined {
  for (const word of stems) {
    const intent = INTENT_OF.get(word)
    if (intent) return intent
  }
  return undefined
}

/** Whether a tool that does one is a likely answer to who asks for the other. Making something is often changing what it belongs to. */
export function fitsIntent(asked: Intent, done: Intent): 'yes' | 'no' | 'perhaps' {
  if (asked === done) return 'yes'
  return asked !== 'look' && done !== 'look' && asked !== 'remove' && done !== 'remove' ? 'perhaps' : 'no'
}
