import { CodedError, type ErrorCode } from '../../../../shared/errors'
import { plainLine } from '../remote/plain-text'

/** ssh's own exit code for failures of the connection. */
export const SSH_FAILED = 255

const KNOWN: readonly (readonly [pattern: RegExp, code: ErrorCode, text: (host: string, match: string) => string])[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    'place.host_key',
    (host) =>
      `The host key of ${host} is not the one it had before. Either the machine was installed again, or another ` +
      `machine answers in its place. If you know why it changed, remove the old key with: ssh-keygen -R ${host}`,
  ],
  [
    /Host key verification failed|No (?:\S+ )?host key is known/,
    'place.host_key',
    (host) =>
      `This machine has never connected to ${host}, so its host key has to be accepted first. ` +
      'Connect where you can answer: from Settings, under Places, or with trestle place test in a terminal.',
  ],
  [
    /Could not resolve hostname[^\n]*/,
    'place.unreachable',
    (host) =>
      `There is no host named ${host}: ssh could not resolve the name. ` +
      'Check the spelling, your ssh configuration and the network.',
  ],
  [
    /Connection refused/,
    'place.unreachable',
    (host) => `${host} refused the connection: no ssh server listens on that port.`,
  ],
  [
    /Connection timed out|Operation timed out|connect to host [^\n]* timed out|Timeout, server/,
    'place.unreachable',
    (host) => `${host} did not answer in time. The machine may be off, asleep, or behind a firewall.`,
  ],
  [
    /No route to host|Network is unreachable|Network is down/,
    'place.unreachable',
    (host) => `There is no network path to ${host}. Check the network or the VPN.`,
  ],
  [
    /Permission denied \(([^)]*)\)/,
    'place.refused',
    (host, match) =>
      `${host} accepted no login of yours; it offers ${/\(([^)]*)\)/.exec(match)?.[1] ?? 'unknown ways'}. ` +
      'Check the user name and the key, or connect where you can type a password.',
  ],
  [
    /Too many authentication failures/,
    'place.refused',
    (host) =>
      `${host} refused after too many keys were tried. ` +
      'Name the right one with IdentityFile and IdentitiesOnly in your ssh configuration.',
  ],
  [
    /Bad configuration option[^\n]*|Bad owner or permissions[^\n]*|Can't open user config file[^\n]*|keyword \S+ extra arguments[^\n]*/,
    'place.unreachable',
    (_host, match) => `Your ssh configuration cannot be used: ${match}.`,
  ],
  [
    /Connection closed by|Connection reset by|kex_exchange_identification|Broken pipe|closed by remote host/,
    'place.unreachable',
    (host) => `${host} closed the connection.`,
  ],
]

/** The error for a failure of ssh. */
export function sshFailure(host: string, stderr: string): CodedError {
  for (const [pattern, code, text] of KNOWN) {
    const match = pattern.exec(stderr)
    if (match) return new CodedError(code, text(host, plainLine(match[0])))
  }
  const last = stderr.trim().split('\n').at(-1) ?? ''
  return new CodedError(
    'place.unreachable',
    last === '' ? `ssh to ${host} ended without a reason.` : `ssh to ${host} failed: ${plainLine(last)}`,
  )
}
