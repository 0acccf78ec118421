import { COMMANDS, type CommandName } from './commands'

/** The help of the program, or of one command. */
export function helpText(command?: CommandName): string {
  if (command) return commandHelp(command)
  const names = Object.keys(COMMANDS) as CommandName[]
  return [
    'Trestle: a desktop workbench for AI agents.',
    '',
    'Usage: trestle [command] [options]',
    '',
    'Commands:',
    ...names.map((name) => `  ${name.padEnd(10)} ${COMMANDS[name].summary}`),
    '',
    'Options:',
    '  -p "prompt"  The same as: trestle print "prompt".',
    '  --version    Print the version.',
    '  --help       Show this help; trestle <command> --help, or trestle help <command>, shows the help of a command.',
    '',
    'Examples:',
    '  trestle provider add anthropic',
    '  trestle model default anthropic/claude-sonnet-5',
    '  trestle chat --cwd ~/code/shop',
    '  trestle -p "why does the build fail?"',
    '',
    'Without a command the desktop app opens. Sessions and settings are kept in $TRESTLE_HOME (default ~/.trestle).',
    '',
  ].join('\n')
}

/** `"prompt"`; a name that already has quotes or a few choices is returned unchanged. Many actions are in the table. */
function positional(name: string): string {
  if (name.includes('|') && name.length > 40) return 'ACTION'
  return /["|]/.test(name) ? name : `"${name}"`
}

/** A table of actions has its own heading; sentences about it follow. Any other argument is one line. */
function argumentLines({ name, help }: { name: string; help: string }): string[] {
  const lines = help.split('\n')
  if (lines.length === 1) return ['', `  ${name}: ${help}`]
  const sentences = lines.filter((line) => !line.startsWith(' '))
  return ['', 'Actions:', ...lines.filter((line) => line.startsWith(' ')), ...sentences.flatMap((line) => ['', line])]
}

function commandHelp(name: CommandName): string {
  const spec = COMMANDS[name]
  const rows = Object.entries(spec.options).map(
    ([long, { short, value, help }]) =>
      [`${short ? `-${short}, ` : '    '}--${long}${value ? ` ${value}` : ''}`, help] as const,
  )
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `Usage: trestle ${name}${spec.positionals ? ` ${positional(spec.positionals.name)}` : ''} [options]`,
    '',
    spec.summary,
    ...(spec.positionals ? argumentLines(spec.positionals) : []),
    '',
    'Options:',
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    '',
    'Examples:',
    ...spec.examples.map((example) => `  ${example}`),
    ...(spec.exitCodes === undefined
      ? []
      : ['', /^\d|^that/.test(spec.exitCodes) ? `Exit codes: ${spec.exitCodes}` : spec.exitCodes]),
    '',
  ].join('\n')
}
