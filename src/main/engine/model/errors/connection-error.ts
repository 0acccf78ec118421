import type { ErrorCode } from '../../../../shared/errors'
import { isUnknownIssuer } from '../../network/certificates'
import { fieldOf } from '../../../../shared/json-fields'

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name could not be resolved; check the network connection',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped coming',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server does not speak TLS at this address; should the base URL start with http://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'the server does not speak TLS at this address; should the base URL start with http://?',
}

/** How to make an untrusted certificate trusted. */
const UNTRUSTED_CERTIFICATE_ADVICE =
  'If your organization inspects encrypted connections, add its certificate to the system, ' +
  'or name its PEM file as ca_file under [network] in config.toml.'

/**
 * Whether an error means that the connection itself failed, and the message for it. Undefined if the other side
 * answered.
 */
export function connectionError(error: unknown): { code: ErrorCode; message: string } | undefined {
  const url = fieldOf(error, 'url')
  const place = typeof url === 'string' ? ` to ${hostOf(url)}` : ''
  const seen = new Set<unknown>()
  let brokeOff = false
  for (
    let current = error;
    typeof current === 'object' && current !== null && !seen.has(current);
    current = fieldOf(current, 'cause')
  ) {
    seen.add(current)
    const nested = fieldOf(current, 'errors')
    const message = fieldOf(current, 'message')
    const proxy = fieldOf(current, 'proxy')
    const code =
      tlsCodeIn(message) ?? fieldOf(current, 'code') ?? (Array.isArray(nested) ? fieldOf(nested[0], 'code') : undefined)
    if (message === 'bad port')
      return {
        code: 'model.bad_request',
        message: `Node refuses to connect${place}: the port is reserved for another protocol.`,
      }
    if (typeof code === 'string') {
      if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
        return { code: 'model.timeout', message: `The connection${place} was given up: ${MESSAGES[code]}.` }
      if (isTls(code)) {
        const remedy = isUnknownIssuer(current) ? ` ${UNTRUSTED_CERTIFICATE_ADVICE}` : ''
        return {
          code: 'model.connection',
          message: `The connection${place} is not trusted: ${String(message)} (${code}).${remedy}`,
        }
      }
      if (typeof proxy === 'string')
        return { code: 'model.connection', message: proxyProblem(place, proxy, MESSAGES[code] ?? String(message)) }
      if (MESSAGES[code] !== undefined || /^(UND_ERR|ERR_SSL|HPE)_/.test(code)) {
        return {
          code: 'model.connection',
          message: `The connection${place} failed: ${MESSAGES[code] ?? String(message)}.`,
        }
      }
      if (code === 'ERR_INVALID_URL')
        return {
          code: 'model.bad_request',
          message: `The base URL is not a URL${typeof url === 'string' ? `: ${url}` : ''}.`,
        }
    }
    brokeOff ||= message === 'terminated'
  }
  if (brokeOff)
    return { code: 'model.connection', message: `The connection${place} broke off in the middle of the answer.` }
  const message = fieldOf(error, 'message')
  if (
    fieldOf(error, 'name') === 'TypeError' &&
    typeof message === 'string' &&
    /fetch failed|network error|invalid url|failed to parse url/i.test(message)
  ) {
    const bad = /url/i.test(message)
    const deeper = fieldOf(fieldOf(error, 'cause'), 'message')
    return {
      code: bad ? 'model.bad_request' : 'model.connection',
      message: bad
        ? `The base URL is not a URL: ${message}`
        : `The connection${place} failed: ${typeof deeper === 'string' ? deeper : message}.`,
    }
  }
  return undefined
}

/**
 * If data was sent before the TLS handshake finished, the error is EPROTO with the reason in the message; if nothing
 * was sent yet, the same failure has its own code.
 */
function tlsCodeIn(message: unknown): string | undefined {
  const reason = typeof message === 'string' ? /\bEPROTO\b.*:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] : undefined
  return reason && `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
}

function isTls(code: string): boolean {
  return /^(CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/.test(code)
}

/** Names the proxy, an easily overlooked cause. */
function proxyProblem(place: string, proxy: string, reason: string): string {
  const remedy = /\b407\b/.test(reason)
    ? 'It asks for a name and password: put them into its address (http://name:password@host:port).'
    : 'Check its address, or set proxy under [network] in config.toml; "direct" uses none.'
  return `The connection${place} through the proxy ${proxy} failed: ${reason.replace(/[.\s]+$/, '')}. ${remedy}`
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
