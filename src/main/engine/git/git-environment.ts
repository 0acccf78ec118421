import { delimiter, isAbsolute } from 'node:path'

/** Variables of git that the user may have set for all repositories; the others would mean another repository. */
const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_.*|HTTP_.*|PROXY_.*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/

/**
 * The environment of git: without what would point it at another repository, and without programs that are looked for
 * in the current folder. Its messages are in English, and it never waits for input.
 */
export function gitEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  { write }: { write: boolean },
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase()
    if (value === undefined || (upper.startsWith('GIT_') && !KEPT.test(upper))) continue
    env[name] = upper === 'PATH' ? value.split(delimiter).filter(isAbsolute).join(delimiter) : value
  }
  delete env['LANGUAGE']
  return {
    ...env,
    // Messages are read, so they are in English; hooks still print Unicode.
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    // Git starts no editor for this value, and takes the text as it is.
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
    ...(!write && {
      GIT_OPTIONAL_LOCKS: '0',
      // Objects that are missing are not fetched: settings say by which program. Older versions know only the second.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
    }),
  }
}
