import { type ProviderType, providerFacts } from '../../../../shared/configuration/provider-types'

/** An ID for a new provider: its type or its host; with a number when taken. */
export function suggestProviderId(type: ProviderType, baseUrl: string, taken: readonly string[]): string {
  const base = type === 'openai-compatible' ? nameOfHost(baseUrl) : type === 'openai-responses' ? 'openai' : type
  if (!taken.includes(base)) return base
  for (let n = 2; ; n += 1) if (!taken.includes(`${base}-${n}`)) return `${base}-${n}`
}

function nameOfHost(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return 'provider'
  const { hostname } = new URL(baseUrl)
  if (hostname === 'localhost' || /^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return 'local'
  const parts = hostname.split('.').filter((part) => part !== 'api' && part !== 'www')
  return (parts.length > 1 ? parts.at(-2) : parts[0])?.replace(/[^\w.:@-]/g, '') || 'provider'
}

/** The validation error of a base URL for this type of provider; undefined when valid. */
export function baseUrlProblem(type: ProviderType, baseUrl: string): string | undefined {
  if (baseUrl === '')
    return providerFacts(type).defaultUrl === undefined
      ? 'Enter a base URL, such as http://127.0.0.1:8080/v1'
      : undefined
  if (!URL.canParse(baseUrl)) return 'Enter a URL that begins with http:// or https://'
  return ['http:', 'https:'].includes(new URL(baseUrl).protocol)
    ? undefined
    : 'The URL must begin with http:// or https://'
}
