import { COMMANDS, SHELLS, type CommandName } from './commands'
import { UsageError, type OptionSpec, type Parsed } from '../console/parse-command'

/** One option as a completion script describes it. */
interface Option {
  long: string
  short?: string
  help: string
  /** The kind of its value; absent for a flag. `text`: free text. */
  value?:
    | { name: string; kind: 'folder' | 'file' | 'text' }
    | { name: string; kind: 'choice'; choices: readonly string[] }
}

const NAMES = Object.keys(COMMANDS) as CommandName[]
const SCRIPTS = { bash, zsh, fish } as const

/** The completion script of a shell, generated from the table of commands; throws a `UsageError`. */
export function completionScript({ positionals: [shell] }: Parsed): string {
  const known = SHELLS.find((name) => name === shell)
  if (known === undefined) {
    const wrong = shell === undefined ? 'Specify the shell' : `There is no completion for "${shell}"`
    throw new UsageError(`${wrong}: ${SHELLS.join(', ')}.`, 'completion')
  }
  return SCRIPTS[known]()
}

function optionsOf(command: CommandName): Option[] {
  return Object.entries(COMMANDS[command].options).map(([long, spec]) => ({
    long,
    help: spec.help.split('\n')[0]!,
    ...(spec.short !== undefined && { short: spec.short }),
    ...(spec.type === 'string' && { value: valueOf(spec) }),
  }))
}

function valueOf({ value: name = 'VALUE', choices }: OptionSpec): NonNullable<Option['value']> {
  if (choices) return { name, kind: 'choice', choices }
  return { name, kind: name === 'DIR' ? 'folder' : name === 'FILE' ? 'file' : 'text' }
}

/** `--long` and `-s`. */
function flags({ long, short }: Option): string[] {
  return [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]
}

function bash(): string {
  const cases = NAMES.map((name) => {
    const options = optionsOf(name)
    const values = options.flatMap((option) => {
      if (!option.value) return []
      const does = {
        folder: () => 'COMPREPLY=($(compgen -d -- "$current"))',
        file: () => 'COMPREPLY=($(compgen -f -- "$current"))',
        choice: () =>
          `COMPREPLY=($(compgen -W '${option.value?.kind === 'choice' ? option.value.choices.join(' ') : ''}' ` +
          '-- "$current"))',
        text: () => ':',
      }[option.value.kind]()
      return [`        ${flags(option).join('|')}) ${does}; return ;;`]
    })
    const { actions = [] } = COMMANDS[name]
    return [
      `    ${name})`,
      ...(values.length > 0 ? ['      case "$previous" in', ...values, '      esac'] : []),
      `      options='${options.flatMap(flags).join(' ')}'`,
      `      actions='${actions.join(' ')}'`,
      '      ;;',
    ].join('\n')
  })
  return `# Completion of trestle for bash: source <(trestle completion bash)
_trestle() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} options='' actions=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...NAMES, 'help', 'version', '--help', '--version', '--print'].join(' ')}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W '${NAMES.join(' ')}' -- "$current")); return ;;
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif ((COMP_CWORD == 2)); then
    COMPREPLY=($(compgen -W "$actions" -- "$current"))
  fi
}
complete -o default -F _trestle trestle
`
}

function zsh(): string {
  const cases = NAMES.map((name) => {
    const { actions, positionals, options: specs } = COMMANDS[name]
    const options = optionsOf(name).flatMap((option) =>
      flags(option).map((flag) => {
        const { value } = option
        const does = !value
          ? ''
          : `:${value.name}:${{ folder: '_files -/', file: '_files', text: ' ', choice: '' }[value.kind]}`
        const choices = value?.kind === 'choice' ? `(${value.choices.join(' ')})` : ''
        return `'${specs[option.long]?.multiple ? '*' : ''}${flag}[${zshText(option.help)}]${does}${choices}'`
      }),
    )
    const words = actions
      ? [`'1:action:(${actions.join(' ')})'`, `'*:word:_default'`]
      : positionals
        ? [`'*:${zshText(positionals.name)}:_default'`]
        : []
    return `    ${name})\n      _arguments \\\n        ${[...options, ...words].join(' \\\n        ')}\n      ;;`
  })
  return `#compdef trestle
# Completion of trestle for zsh: source <(trestle completion zsh), after compinit
_trestle() {
  if ((CURRENT == 2)); then
    local -a commands
    commands=(
${NAMES.map((name) => `      '${name}:${zshText(COMMANDS[name].summary)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    help) _values command ${NAMES.join(' ')} ;;
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _trestle ]]; then
  _trestle "$@"
else
  compdef _trestle trestle
fi
`
}

function fish(): string {
  const lines = NAMES.flatMap((name) => {
    const { summary, actions } = COMMANDS[name]
    const within = `complete -c trestle -n '__fish_seen_subcommand_from ${name}'`
    const options = optionsOf(name).map((option) => {
      const { value } = option
      const takes = !value
        ? ''
        : { folder: " -x -a '(__fish_complete_directories)'", file: ' -r -F', text: ' -x', choice: '' }[value.kind]
      const choices = value?.kind === 'choice' ? ` -x -a '${value.choices.join(' ')}'` : ''
      return (
        `${within} -l ${option.long}${option.short === undefined ? '' : ` -s ${option.short}`}${takes}${choices} ` +
        `-d ${fishText(option.help)}`
      )
    })
    return [
      `complete -c trestle -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`,
      ...(actions ? [`${within} -f -a '${actions.join(' ')}'`] : []),
      ...options,
    ]
  })
  return `# Completion of trestle for fish: trestle completion fish | source\n${lines.join('\n')}\n`
}

/** Text in single quotes for zsh; escapes the brackets and colons that would end the part. */
function zshText(text: string): string {
  const plain = text.replaceAll('\\', '\\\\').replaceAll(/[[\]:]/g, '\\$&')
  return plain.replaceAll("'", `'\\''`)
}

/** The same for fish, including the quotes. */
function fishText(text: string): string {
  const plain = text.replaceAll('\\', '\\\\')
  return `'${plain.replaceAll("'", "\\'")}'`
}
