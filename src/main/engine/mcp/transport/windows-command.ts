/** A command line as Windows starts it. */
interface WindowsCommand {
  command: string
  args: readonly string[]
  /** The arguments are quoted already. */
  verbatim: boolean
}

/**
 * How a program is started on Windows: `npx` and many others are scripts (.cmd) that only the command interpreter runs. What it would take for syntax is
 * quoted, so the arguments arrive as they are.
 */
export function windowsCommand(command: string, args: readonly string[]): WindowsCommand {
  if (/\.(?:exe|com)$/i.test(command)) return { command, args, verbatim: false }
  const line = [escaped(command), ...args.map((arg) => escaped(quoted(arg)))].join(' ')
  return { command: process.env['comspec'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true }
}

/** As programs take their command line apart: backslashes before a quote are doubled, quotes escaped. */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`
}

/** What the command interpreter would act on. */
function escaped(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
