import { nearest } from '../../shared/nearest'
import { COMMANDS, type CommandName } from './commands'
import { didYouMean, UsageError } from './parse'

/** What the words of the command line ask for. `about`: the command whose help is wanted; `hint` is said on stderr. */
export type Asked =
  | { command: 'version' }
  | { command: 'help'; about?: CommandName }
  | { command: CommandName; rest: readonly string[]; hint?: string }

const CONTINUE_HINT = 'After --print, -c TEXT is the prompt. To go on with the latest session, use --continue.'

/** The command that the words name, which need not come first, and its words; throws a `UsageError`. */
export function whichCommand(args: readonly string[]): Asked {
  const [first, ...rest] = args
  if (first === undefined) return { command: 'desktop', rest }
  if (first === '--version' || first === '-v' || first === 'version') return { command: 'version' }
  if (first === '--help' || first === '-h') return { command: 'help' }
  if (first === 'help') return help(rest[0])
  if (first === '--acp') return { command: 'acp', rest }
  if (Object.hasOwn(COMMANDS, first)) return { command: first as CommandName, rest }
  if (!first.startsWith('-')) {
    const meant = nearest(first, [...Object.keys(COMMANDS), 'help', 'version'], 1)
    throw new UsageError(`Unknown command "${first}".${didYouMean(meant)} To run a prompt: trestle print "${first} ..."`)
  }
  // `trestle --model x -p "..."`: the options of print may come first.
  const at = args.findIndex((word) => word === '-p' || word === '--print')
  if (at >= 0) return print(args.toSpliced(at, 1), args[at] === '--print')
  // Options alone are those of a conversation in this terminal.
  if (isOptionOf('chat', first)) return { command: 'chat', rest: args }
  const options = Object.values(COMMANDS).flatMap((spec) => Object.keys(spec.options).map((name) => `--${name}`))
  throw new UsageError(`Unknown option ${first}.${didYouMean(nearest(first, ['--version', '--help', '--print', ...options]))}`)
}

function help(about: string | undefined): Asked {
  if (about === undefined || about === 'help') return { command: 'help' }
  if (Object.hasOwn(COMMANDS, about)) return { command: 'help', about: about as CommandName }
  throw new UsageError(`There is no command "${about}".${didYouMean(nearest(about, Object.keys(COMMANDS), 1))}`)
}

/** `--print -c TEXT` is how other programs are given a prompt; `-c` with nothing behind it goes on with the latest session, as always. */
function print(rest: readonly string[], isLong: boolean): Asked {
  const at = isLong ? rest.indexOf('-c') : -1
  const text = at < 0 ? undefined : rest[at + 1]
  if (text === undefined || text.startsWith('-')) return { command: 'print', rest }
  return { command: 'print', rest: rest.toSpliced(at, 1), hint: CONTINUE_HINT }
}

function isOptionOf(command: CommandName, word: string): boolean {
  const { options } = COMMANDS[command]
  const [name = ''] = word.slice(2).split('=')
  if (word.startsWith('--')) return name !== 'help' && Object.hasOwn(options, name)
  return Object.values(options).some(({ short }) => short !== undefined && word === `-${short}`)
}
