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
    '  --help       Show this help; trestle <command> --help shows that of a command.',
    '',
    'Without a command the desktop app opens. Sessions and settings are kept in $TRESTLE_HOME (default ~/.trestle).',
    '',
  ].join('\n')
}

/** `"prompt"`; a name with quotes or choices of its own stands as it is. */
function positional(name: string): string {
  return /["|]/.test(name) ? name : `"${name}"`
}

function commandHelp(name: CommandName): string {
  const spec = COMMANDS[name]
  const rows = Object.entries(spec.options).map(
    ([long, { short, value, help }]) => [`${short ? `-${short}, ` : '    '}--${long}${value ? ` ${value}` : ''}`, help] as const,
  )
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `Usage: trestle ${name}${spec.positionals ? ` ${positional(spec.positionals.name)}` : ''} [options]`,
    '',
    spec.summary,
    ...(spec.positionals ? ['', `  ${spec.positionals.name}: ${spec.positionals.help}`] : []),
    '',
    'Options:',
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    ...(name === 'print'
      ? [
          '',
          'Exit codes: 0 the turn ended by itself, 1 an error, 2 wrong usage, 130 interrupted.',
          'The events of stream-json are described in docs/print-mode.md.',
        ]
      : []),
    ...(name === 'mcp' ? ['', 'Exit codes: 0 it worked, 1 it failed, 2 wrong usage, 130 interrupted. See docs/mcp.md.'] : []),
    ...(name === 'sandbox'
      ? [
          '',
          'Examples:',
          '  trestle sandbox status --mode auto',
          '  trestle sandbox try "npm test"',
          '  trestle sandbox try --level read-only "git status"',
          '  trestle sandbox try --network none "curl https://example.com"',
          '',
          'Exit codes: that of the command that was tried, 125 when it was not run, 2 wrong usage. See docs/sandbox.md.',
        ]
      : []),
    ...(name === 'permission' ? ['', 'Exit codes: 0 judged, 2 wrong usage or rules that cannot be used. See docs/permissions.md.'] : []),
    '',
  ].join('\n')
}
