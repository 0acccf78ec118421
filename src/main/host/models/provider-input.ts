import {
  PROVIDER_TYPES,
  PROVIDER_TYPE_ALIASES,
  PROVIDER_TYPE_BY_NAME,
  type ProviderType,
} from '../../../shared/configuration/provider-types'
import { portProblem } from '../../../shared/reserved-ports'
import { text } from 'node:stream/consumers'
import { UsageError, type Parsed } from '../../console/parse-command'
import { typedSecret } from '../../console/typed-secret'

/** The provider that `trestle provider add NAME` describes, without its key; throws a `UsageError`. */
export function parseProvider(
  id: string,
  values: Parsed['values'],
): { id: string; type: ProviderType; baseUrl?: string; apiKeyEnv?: string } {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (!/^[\w.:@-]{1,64}$/.test(id))
    throw wrong(`"${id}" is not a name for a provider: letters, digits and . : @ _ -, at most 64.`)
  const baseUrl = text('base-url')
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:\/\/[^\s]+$/i.test(baseUrl)))
    throw wrong(`--base-url needs a whole address, like https://api.example.com/v1; not "${baseUrl}".`)
  const badPort = baseUrl === undefined ? undefined : portProblem(baseUrl)
  if (badPort !== undefined) throw wrong(`--base-url ${badPort}`)
  const apiKeyEnv = text('key-env')
  if (apiKeyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(apiKeyEnv))
    // It may be the key itself, so it is not printed.
    throw wrong(
      '--key-env needs the name of an environment variable, like OPENAI_API_KEY. ' +
        'To store a key itself, pipe it in with --key-stdin.',
    )
  if ([apiKeyEnv !== undefined, values['key-stdin'] === true, values['no-key'] === true].filter(Boolean).length > 1)
    throw wrong('--key-env, --key-stdin and --no-key cannot be combined.')
  const type = typeOf(id, text('type'), baseUrl)
  if (type === undefined) throw wrong(`What does ${id} speak? Say --type: ${PROVIDER_TYPES.join(', ')}.`)
  if (type === 'openai-compatible' && baseUrl === undefined)
    throw wrong('An openai-compatible server has no usual address: give it with --base-url URL.')
  return {
    id,
    type,
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
  }
}

function typeOf(id: string, said: string | undefined, baseUrl: string | undefined): ProviderType | undefined {
  if (said !== undefined) return PROVIDER_TYPES.find((type) => type === said) ?? PROVIDER_TYPE_ALIASES[said]
  return PROVIDER_TYPE_BY_NAME[id] ?? (baseUrl === undefined ? undefined : 'openai-compatible')
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'provider')
}

/** Longer than any key: rejects a file that was piped in by mistake. */
const MAX_CHARS = 16_384

/**
 * Reads a provider's key: piped in, or typed without echo at the terminal. Empty for no key, undefined for Ctrl-C. A
 * key is never read from the command line, which every program on the machine can see.
 */
export async function readApiKey(name: string, fromStdin: boolean): Promise<string | undefined> {
  const { stdin, stderr } = process
  if (stdin.isTTY && stderr.isTTY) return typedSecret(`Key of ${name} (not shown; leave empty for none): `)
  if (!fromStdin)
    throw new UsageError(
      'Where is its key? Pipe it in with --key-stdin, name its variable with --key-env NAME, or say --no-key.',
      'provider',
    )
  const key = (await text(stdin)).trim()
  if (key === '') throw new UsageError('No key came on stdin.', 'provider')
  if (key.length > MAX_CHARS || /[\s\p{Cc}]/u.test(key))
    throw new UsageError('The key from stdin has blanks or several lines.', 'provider')
  return key
}
